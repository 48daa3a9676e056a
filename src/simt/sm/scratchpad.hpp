// A scratchpad: banks of words, without tags. Lanes that want different words of one bank take turns. The bytes are
// those of the block (Block::shared).
#pragma once

#include "simt/recording_memory.hpp"
#include "simt/sm/local_memory.hpp"
#include "simt/sm/polls.hpp"

namespace ew::simt {

class Scratchpad final : public LocalMemory {
 public:
  /// `recording` may be nullptr.
  Scratchpad(const SmTimingConfig& config, const WarpTable& table, Polls& polls, FlatMemory& flat,
             RecordingMemory* recording)
      : table_(table),
        polls_(polls),
        flat_(flat),
        recording_(recording),
        banks_(config.shared_banks),
        conflict_(config.shared_conflict),
        atomic_(config.shared_atomic),
        swap_(config.shared_swap),
        latency_(config.shared_latency),
        lanes_(config.load_store_lanes) {}

  Performed perform(MemoryOp&, u32 slot) override;
  LocalCost cost(const MemoryOp&, TimingStatistics&) const override;

 private:
  Performed perform_now(MemoryOp&);
  Performed perform_watched(MemoryOp&, u32 slot);
  u32 latency_of(const ptx::MemoryForm&, bool atomic) const;

  const WarpTable& table_;
  Polls& polls_;
  FlatMemory& flat_;
  RecordingMemory* recording_;
  u32 banks_, conflict_, atomic_, swap_, latency_, lanes_;
};

}  // namespace ew::simt
