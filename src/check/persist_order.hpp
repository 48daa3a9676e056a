// Did what became durable keep the order that a model promises? The promise is a PersistGraph of the recorded run, the
// fact a DurableLog of the same run.
//
// A persist is told from the log by its value, so two of one place with one value cannot be told apart: for each there
// is an earliest and a latest write of the log that may have made it durable, and only what is wrong under every choice
// is reported. A value that was overwritten before any write of the log had it became durable with its successor.
#pragma once

#include <optional>
#include <string>

#include "check/durable_log.hpp"
#include "check/event_file.hpp"
#include "check/persist_graph.hpp"

namespace ew::check {

struct OrderViolation {
  u32 first = 0, second = 0;            // persists: `first` should have been durable before `second`
  u64 first_number = 0, second_number;  // the durable writes that made them so; 0: none did
  u64 second_cycle = 0;
};

struct OrderVerdict {
  u64 persists = 0, told = 0;  // of them, those whose durable write is known for sure
  u64 writes = 0;              // of the log
  std::optional<OrderViolation> violation;
};

/// REQUIRES: graph.complete() was called.
OrderVerdict check_persist_order(const EventFile&, const PersistGraph&, const DurableLog&);

/// "kvs.cu:117: 8 bytes at kvs.pool+0x80 = 0x5, by thread 7 of launch 3, insert".
std::string text_of(const EventFile&, const Persist&);
/// Two sentences, with both source lines.
std::string text_of(const EventFile&, const PersistGraph&, const OrderViolation&);

}  // namespace ew::check
