// Checks that persists became durable in the order that a model promises. The promise is the PersistGraph of a recorded
// run. The fact is the DurableLog of the same run.
//
// The log does not name persists: a persist is found by its address and value. Two persists of one address with one
// value cannot be told apart. So each persist has an earliest and a latest durable write that may be its own. A mistake
// is reported only if it is one under every choice. A value that was overwritten before a write of the log had it
// became durable together with the next value.
#pragma once

#include <optional>
#include <string>

#include "check/durable_log.hpp"
#include "check/event_file.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

struct OrderViolation {
  u32 first = 0, second = 0;            // persists: `first` should have been durable before `second`
  u64 first_number = 0, second_number;  // their durable writes; 0: there was none
  u64 second_cycle = 0;
};

struct OrderVerdict {
  u64 persists = 0, told = 0;  // all persists; those that surely became durable
  u64 writes = 0;              // durable writes of the log
  std::optional<OrderViolation> violation;
};

/// REQUIRES: graph.complete() was called.
OrderVerdict check_persist_order(const EventFile&, const PersistGraph&, const DurableLog&);

/// The thread as CUDA numbers it: "thread 3"; "thread 3 of block 1" when the launch has several blocks; "assist thread
/// 3". REQUIRES: a kernel has stored it.
std::string thread_text(const EventFile&, const Persist&);
/// "8 bytes at kvs.pool+0x80".
std::string bytes_text(const EventFile&, u64 address, u64 bytes);
/// "kvs.cu:117: 8 bytes at kvs.pool+0x80 = 0x5, by thread 7 of launch 3, insert".
std::string text_of(const EventFile&, const Persist&);
/// Two sentences, with both source lines.
std::string text_of(const EventFile&, const PersistGraph&, const OrderViolation&);

}  // namespace ew::check
