// What GPUs do: nobody knows who has a copy. A private cache drops its clean words at an acquire above block scope and
// writes its dirty bytes through, at a release at the latest; the home answers from the image and performs atomics.
#include "coherence/models.hpp"

namespace ew::coherence {
namespace {

using namespace memory;

class GpuProtocol final : public Protocol {
 public:
  std::string_view name() const override { return "gpu"; }
  Permission permission() const override { return {}; }

  void at_home(const Request& request, DirectoryLine&, Decision& decision) const override {
    decision.granted = request.words;
  }

  After on_probe(ProbeKind, WordMask, WordMask valid, WordMask owned) const override { return {valid, owned}; }
};

}  // namespace

std::unique_ptr<Protocol> make_gpu() {
  return std::make_unique<GpuProtocol>();
}

}  // namespace ew::coherence
