// An invalidating directory of whole lines. A line is with one owner (E; M as soon as it writes, which nobody is told),
// with sharers (S), or with nobody (I); in masks: owned and valid, valid, none. The owner may drop a clean copy in
// silence: it then answers that it has none, and the home answers in its place. Sharers may be gone as well; the
// record of them is a superset.
#include "coherence/models.hpp"

namespace ew::coherence {
namespace {

using namespace memory;

class Mesi final : public Protocol {
 public:
  std::string_view name() const override { return "mesi"; }
  Permission permission() const override {
    return {.keep_loads = true,
            .strong_loads_hit = true,
            .store_needs_owned = true,
            .atomics_private = true,
            .invalidate_on_acquire = false,
            .drain_on_release = false,
            .tracked = true,
            .whole_lines = true};
  }

  void at_home(const Request& request, DirectoryLine& record, Decision& decision) const override {
    // Whoever asks for what the record says it owns has dropped it.
    if (record.owner[0] == request.origin) record.owner.fill(no_agent);
    switch (request.kind) {
      case RequestKind::read:
        return read(request, record, decision);
      case RequestKind::own:
        return own(request, record, decision);
      case RequestKind::read_once:
        decision.granted = request.words;
        if (record.owner[0] == no_agent) return;
        decision.probe = ProbeKind::downgrade;
        add(decision, record.owner[0]);
        record.share(record.owner[0]);
        record.owner.fill(no_agent);
        return;
      case RequestKind::write_back:
        return record.unshare(request.origin);
      default:  // performed in the image: no other copy may outlive it
        revoke(request, record, decision);
        record = {};
        return;
    }
  }

  After on_probe(ProbeKind kind, WordMask probed, WordMask valid, WordMask owned) const override {
    return {kind == ProbeKind::invalidate ? valid & ~probed : valid, owned & ~probed};
  }

 private:
  static void add(Decision& decision, AgentId agent) { decision.probes[agent / 64] |= u64{1} << (agent % 64); }

  static void revoke(const Request& request, const DirectoryLine& record, Decision& decision) {
    decision.probe = ProbeKind::invalidate;
    decision.probes = record.sharers;
    if (record.owner[0] != no_agent) add(decision, record.owner[0]);
    decision.probes[request.origin / 64] &= ~(u64{1} << (request.origin % 64));
  }

  static void forward(const Request& request, const DirectoryLine& record, Decision& decision, bool owned) {
    decision.forward_to = record.owner[0];
    decision.forwarded = request.words;
    decision.forward_holds = true;
    decision.owned = owned;
  }

  static void read(const Request& request, DirectoryLine& record, Decision& decision) {
    if (record.owner[0] != no_agent) {
      forward(request, record, decision, false);
      record.share(record.owner[0]);
      record.share(request.origin);
      record.owner.fill(no_agent);
      return;
    }
    decision.granted = request.words;
    record.unshare(request.origin);
    if (record.sharers == DirectoryLine{}.sharers) {
      decision.owned = true;
      record.owner.fill(request.origin);
    } else {
      record.share(request.origin);
    }
  }

  static void own(const Request& request, DirectoryLine& record, Decision& decision) {
    if (record.owner[0] != no_agent) {
      forward(request, record, decision, true);
    } else {
      revoke(request, record, decision);
      decision.granted = request.words;
      decision.owned = true;
    }
    record = {};
    record.owner.fill(request.origin);
  }
};

}  // namespace

std::unique_ptr<Protocol> make_mesi() {
  return std::make_unique<Mesi>();
}

}  // namespace ew::coherence
