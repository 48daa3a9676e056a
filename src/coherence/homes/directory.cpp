// An invalidating directory of whole lines: a line is with one owner, with sharers, or with nobody. The owner may drop
// a clean copy in silence: it then answers that it has none, and the home answers in its place. Sharers may be gone as
// well; the record of them is a superset.
#include "coherence/homes.hpp"

namespace ew::coherence {
namespace {

using namespace memory;

class Directory final : public HomePolicy {
 public:
  Directory() : HomePolicy(HomeKind::directory) {}

  void at_home(const Request& request, LineRecord& record, Decision& decision) const override {
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
        decision.probes.add(record.owner[0]);
        record.sharers.add(record.owner[0]);
        record.owner.fill(no_agent);
        return;
      case RequestKind::write_back:
        decision.granted = request.words;
        return record.sharers.remove(request.origin);
      default:  // performed in the image: no other copy may outlive it
        revoke(request, record, decision);
        record = {};
        return;
    }
  }

 private:
  static void revoke(const Request& request, const LineRecord& record, Decision& decision) {
    decision.probe = ProbeKind::invalidate;
    decision.probes = record.sharers;
    if (record.owner[0] != no_agent) decision.probes.add(record.owner[0]);
    decision.probes.remove(request.origin);
  }

  static void forward(const Request& request, const LineRecord& record, Decision& decision, bool owned) {
    decision.ask_owner({.owner = record.owner[0], .tag = 0, .words = request.words});
    decision.forwarded = owned ? ProbeKind::invalidate : ProbeKind::downgrade;
    decision.hold = true;
    decision.owned = owned;
  }

  static void read(const Request& request, LineRecord& record, Decision& decision) {
    if (record.owner[0] != no_agent) {
      forward(request, record, decision, false);
      record.sharers.add(record.owner[0]);
      record.sharers.add(request.origin);
      record.owner.fill(no_agent);
      return;
    }
    decision.granted = request.words;
    record.sharers.remove(request.origin);
    if (!record.sharers.any()) {
      decision.owned = true;
      record.owner.fill(request.origin);
    } else {
      record.sharers.add(request.origin);
    }
  }

  static void own(const Request& request, LineRecord& record, Decision& decision) {
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

const HomePolicy& directory() {
  static const Directory home;
  return home;
}

}  // namespace ew::coherence
