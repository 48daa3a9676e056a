// No private copies but of read-only data: loads, stores and atomics go to the home, one message each. What an L1 is
// worth is the difference from this.
#include "coherence/models.hpp"

namespace ew::coherence {
namespace {

using namespace memory;

class NoPrivateCopies final : public Protocol {
 public:
  std::string_view name() const override { return "none-l1"; }
  Permission permission() const override {
    // Read-only data is read-only for a kernel's life: one that begins, with an acquire, must not see what another that
    // still runs has kept.
    return {.keep_loads = false, .invalidate_on_acquire = true, .drain_on_release = false};
  }

  void at_home(const Request& request, DirectoryLine&, Decision& decision) const override {
    decision.granted = request.words;
  }

  After on_probe(ProbeKind, WordMask, WordMask valid, WordMask owned) const override { return {valid, owned}; }
};

}  // namespace

std::unique_ptr<Protocol> make_none_l1() {
  return std::make_unique<NoPrivateCopies>();
}

}  // namespace ew::coherence
