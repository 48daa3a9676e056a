// Streams and events: what cudaStream_t and cudaEvent_t point at. Owned by the Machine's Streams and guarded by the
// Machine's mutex. Order is kept by tickets: a stream remembers the ticket of its last command, and what a new command
// must wait for follows from that (CUDA C++ Programming Guide, "Streams" and "Default Stream").
#pragma once

#include <map>
#include <memory>
#include <thread>
#include <unordered_set>
#include <vector>

#include "driver_types.h"
#include "runtime/queue.hpp"

struct CUgraphNode_st;

namespace ew::runtime {
struct Capture;
}

struct CUstream_st {
  ew::u64 id = 0;
  bool blocking = true;  // waits for the legacy default stream, and it for this one
  bool legacy = false;
  int priority = 0;
  unsigned flags = 0;
  cudaLaunchAttributeValue access_policy{}, synchronization_policy{};
  ew::runtime::Ticket last = 0;
  ew::runtime::Capture* capture = nullptr;  // recording into a graph
  std::vector<CUgraphNode_st*> frontier;    // of the capture: what the next node depends on
};

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  ew::runtime::Ticket ticket = 0;
  ew::u64 ended = 0;                        // simulated; written by the queue when the ticket completes
  ew::runtime::Capture* capture = nullptr;  // recorded while capturing: these nodes
  std::vector<CUgraphNode_st*> nodes;
};

namespace ew::runtime {

class Streams {
 public:
  Streams();
  ~Streams();

  cudaStream_t create(unsigned flags, int priority);
  /// False: not a stream. Work that is queued goes on.
  bool destroy(cudaStream_t);
  /// The stream behind a handle, 0, cudaStreamLegacy and cudaStreamPerThread included; nullptr: not a stream.
  CUstream_st* find(cudaStream_t, bool per_thread_default);
  CUstream_st& legacy() { return *legacy_; }

  /// What the next command of this stream waits for.
  std::vector<Ticket> dependences(const CUstream_st&) const;
  /// Tickets of everything the legacy stream waits for are forgotten as they complete.
  void forget_completed(const Queue&);

  cudaEvent_t create_event(unsigned flags);
  bool destroy_event(cudaEvent_t);
  CUevent_st* find(cudaEvent_t) const;

  /// The capture has ended: events that were recorded in it stand for nothing.
  void forget_capture(const Capture*);

  /// Every stream and event is gone; the default streams are fresh.
  void reset();
  /// All streams that may be capturing.
  std::vector<CUstream_st*> all() const;

 private:
  u64 last_id_ = 0;
  std::unique_ptr<CUstream_st> legacy_;
  std::map<std::thread::id, std::unique_ptr<CUstream_st>> per_thread_;
  std::map<cudaStream_t, std::unique_ptr<CUstream_st>> streams_;
  std::vector<Ticket> orphans_;  // last commands of destroyed blocking streams
  std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events_;
  std::vector<std::unique_ptr<CUevent_st>> retired_;  // destroyed; the queue may still write to them
  // From before a reset: no new handle equals an old one.
  std::vector<std::unique_ptr<CUstream_st>> gone_;
  std::vector<std::unique_ptr<CUevent_st>> gone_events_;
};

}  // namespace ew::runtime
