// Who owns each word. A request for ownership makes its agent the owner at once, whatever is still on its way: whoever
// asks next is sent on to it, and waits there. An owner answers for its words until its write-back has been taken, so
// nothing is held here.
//
// Accesses that are performed at the home (a copy engine's, or of a cache that keeps nothing) need the owners' bytes in
// the image: the owners are probed, and the line is held until they have answered.
//
// A persist that is written through may keep its words (AgentPolicy::owns_what_left). The image has the bytes of such
// an owner, who stands among the sharers, too. So it hears only of others' writes.
#include "coherence/homes.hpp"

namespace ew::coherence {
namespace {

using namespace memory;

class Registry final : public HomePolicy {
 public:
  Registry() : HomePolicy(HomeKind::registry) {}

  void at_home(const Request& request, LineRecord& record, Decision& decision) const override {
    switch (request.kind) {
      case RequestKind::read:
        return read(request, record, decision);
      case RequestKind::own:
        return own(request, record, decision);
      case RequestKind::write_back:
        return written_back(request, record, decision, no_agent);
      case RequestKind::clean:
        return written_back(request, record, decision, request.origin);
      case RequestKind::read_once:  // the owners stay owners
        return probe_owners(request, record, decision, ProbeKind::clean);
      default:  // performed in the image
        probe_owners(request, record, decision, ProbeKind::invalidate);
        each_word(request.words, [&](u32 word) { record.owner[word] = no_agent; });
        if (request.kind == RequestKind::write) keep_what_left(request, record);
        forget_sharers(record);
    }
  }

 private:
  template <class Visitor>
  static void each_word(WordMask words, Visitor&& visit) {
    for (; words; words &= words - 1) visit(static_cast<u32>(std::countr_zero(words)));
  }

  /// An owner stays the owner. Words that nobody waits for come with words that are waited for: a message of them alone
  /// could come too late.
  static void read(const Request& request, const LineRecord& record, Decision& decision) {
    each_word(request.words, [&](u32 word) {
      if (record.owner[word] == no_agent || record.sharers.has(record.owner[word]))
        decision.granted |= WordMask{1} << word;
      else if (request.content >> word & 1)
        decision.ask_owner(record.owner[word], record.tag[word], word);
    });
    if (!(decision.granted & request.content)) decision.granted = 0;
  }

  static void own(const Request& request, LineRecord& record, Decision& decision) {
    decision.owned = true;
    decision.forwarded = ProbeKind::invalidate;
    each_word(request.words, [&](u32 word) {
      const AgentId owner = record.owner[word];
      if (owner != no_agent && owner != request.origin) {
        decision.ask_owner(owner, record.tag[word], word);
      } else {
        decision.granted |= WordMask{1} << word;
        if (owner == request.origin) decision.kept |= WordMask{1} << word;
      }
      record.owner[word] = request.origin;
      record.tag[word] = request.tag;
    });
  }

  /// Words that another agent owns by now are not taken: it has them from the sender.
  static void written_back(const Request& request, LineRecord& record, Decision& decision, AgentId owner) {
    each_word(request.words, [&](u32 word) {
      if (record.owner[word] != request.origin) return;
      decision.granted |= WordMask{1} << word;
      record.owner[word] = owner;
    });
    forget_sharers(record);
  }

  static void keep_what_left(const Request& request, LineRecord& record) {
    if (!request.content) return;
    each_word(request.content, [&](u32 word) { record.owner[word] = request.origin; });
    record.sharers.add(request.origin);
  }

  /// Sharers that own no word.
  static void forget_sharers(LineRecord& record) {
    if (!record.sharers.any()) return;
    AgentSet still;
    for (const AgentId owner : record.owner)
      if (owner != no_agent && record.sharers.has(owner)) still.add(owner);
    record.sharers = still;
  }

  static void probe_owners(const Request& request, const LineRecord& record, Decision& decision, ProbeKind kind) {
    decision.granted = request.words;
    decision.owners_are = Decision::Owners::probe;
    decision.probe = kind;
    each_word(request.words, [&](u32 word) {
      const AgentId owner = record.owner[word];
      // Whoever has the bytes in the image need not be asked for them, and has given up what it writes itself.
      if (owner == no_agent || (record.sharers.has(owner) && (kind == ProbeKind::clean || owner == request.origin)))
        return;
      decision.ask_owner(owner, record.tag[word], word);
    });
  }
};

}  // namespace

const HomePolicy& registry() {
  static const Registry home;
  return home;
}

}  // namespace ew::coherence
