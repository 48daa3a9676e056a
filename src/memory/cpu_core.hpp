// A core of the host as a machine sees it whose CPU shares the GPU's memory: a node of the network beside the SMs, with
// a private cache of its own. One access at a time, as the host's trace brings them (ew build --trace-host). The
// machine runs until the access is over and stands still; then the host's own instruction touches the image.
//
// So the cache has tags and no bytes: the image is where its copies are. What it asks for, and what it keeps, is what
// the host's coherence protocol says of an SM. A load makes the home's image current under any protocol (an owner's
// bytes return). A store asks for the words, where the protocol writes only what is owned; whoever asks for them before
// the host's instruction has been executed is answered behind it. Else it makes its way to the home and back, as a
// write-through does.
//
// Beside a kernel each access may be a synchronisation, for all that a trace can tell: it is a strong access at system
// scope. While nothing else runs it is an access of data.
//
// Owned by the machine; called by it and by the network.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "memory/agent_port.hpp"
#include "memory/host_cache.hpp"

namespace ew::memory {

struct CpuCoreStatistics {
#define STATISTICS "memory/cpu_core_statistics.inc"
#include "core/statistics_set.inc"
};

/// What the host is about to do.
struct CpuAccess {
  u64 address = 0, bytes = 0;  // a load may touch many lines, a store two
  bool store = false;
  bool alone = false;  // no kernel and no copy runs: this is no synchronisation
};

struct CpuCoreParts {
  core::TimeWheel& wheel;
  Payloads& payloads;
  Network& network;
  const AgentPolicy& policy;  // of the host
  HomeKind home;              // that stands behind it
  const AddressMap& map;
  HostCoreConfig config;
  AgentId id;
  u32 agents;  // homes' nodes start here
};

/// Words of some lines. A line may stand here twice.
class LineWords {
 public:
  void add(u64 line, WordMask words) { all_.push_back({line, words}); }
  WordMask of(u64 line) const {
    WordMask words = 0;
    for (const One& one : all_) words |= one.line == line ? one.words : 0;
    return words;
  }
  void remove_all(u64 line) {
    std::erase_if(all_, [&](const One& one) { return one.line == line; });
  }
  void remove_first(u64 line) { all_.erase(std::ranges::find(all_, line, &One::line)); }
  void clear() { all_.clear(); }
  bool empty() const { return all_.empty(); }

 private:
  struct One {
    u64 line;
    WordMask words;
  };
  std::vector<One> all_;
};

class CpuCore final : public Receiver {
 public:
  using Parts = CpuCoreParts;
  /// `over` is called, within an event of the wheel, when an access is over.
  CpuCore(const Parts&, std::function<void()> over);

  /// Begins the host's access. What an earlier store kept is let go. REQUIRES: !busy().
  void start(const CpuAccess&);
  bool busy() const { return at_ < end_; }
  /// The host's instruction has been executed: before the wheel turns again.
  void let_go();
  /// A kernel or a copy begins: copies that may be old go.
  void acquire();

  void receive(const Request&) override;

  bool quiescent() const { return !busy() && kept_.empty() && leaving_.empty(); }
  const CpuCoreStatistics& statistics() const { return statistics_; }
  std::string what_is_under_way() const;
  /// What the cache has of the line.
  HostCache::Copy copy(u64 line) const { return cache_.find(line, parts_.map.place(line)); }

 private:
  u64 line_of(u64 address) const { return address & ~u64{parts_.config.line - 1}; }
  bool registry() const { return parts_.home == HomeKind::registry; }
  Reaction reaction() const;
  void take_line();
  void send(Request, bool owning);
  void data(const Request&);
  void keep(const Request&);
  void written(const Request&);
  void line_is_over(u64 = 0, u64 = 0);
  void give_back(const HostCache::Copy&);
  void asked(const Request&);
  WordMask wanted_here(u64 line) const;
  void answer_kept();
  void answer(const Request&);
  PayloadId give_up(const Request&);

  const Parts parts_;
  AgentPort port_;
  std::function<void()> over_;
  HostCache cache_;
  CpuAccess access_;
  u64 at_ = 0, end_ = 0;       // what is left of the access; the line of `at_` is under way
  WordMask outstanding_ = 0;   // of that line, not here yet
  bool keeps_ = false;         // what comes of that line stays
  LineWords pinned_;           // of this access: who asks for them waits
  LineWords leaving_;          // given back, and the home may not know it yet
  std::vector<Request> kept_;  // probes and forwards of what is pinned
  core::Cycle begin_ = 0;
  CpuCoreStatistics statistics_;
};

}  // namespace ew::memory
