// What one SM tells the machine's trace. Off, it costs one branch where a record would be made.
#pragma once

#include "core/trace.hpp"
#include "simt/sm/access_pool.hpp"
#include "simt/sm/warp_slot.hpp"

namespace ew::simt {

class SmTrace {
 public:
  SmTrace(core::Trace* trace, const core::TimeWheel& wheel, u32 sm)
      : trace_(trace), is_on_(trace ? trace->is_on() : off), wheel_(wheel), sm_(static_cast<u16>(sm)) {}

  bool on() const { return core::observation && is_on_; }
  void issued(Cycle now, u32 slot) const {
    if (on()) [[unlikely]]
      record_issue(now, slot);
  }
  /// REQUIRES: on().
  void access(core::TraceKind kind, const Access& a, u32 number, u32 part) const {
    trace_->record({.cycle = wheel_.now(),
                    .address = a.parts[part].line,
                    .access = number,
                    .words = a.parts[part].words,
                    .agent = sm_,
                    .warp = static_cast<u16>(a.slot),
                    .kind = kind,
                    .part = static_cast<u8>(part),
                    .what = static_cast<u8>(a.line.kind),
                    .served_by = static_cast<u8>(a.served_by)});
  }
  void block(core::TraceKind kind, const ResidentBlock& block) const {
    if (on()) [[unlikely]]
      trace_->record({.cycle = wheel_.now(),
                      .access = static_cast<u32>(block.block->number),
                      .agent = sm_,
                      .kind = kind,
                      .part = static_cast<u8>(block.place)});
  }
  void warp(core::TraceKind kind, u32 slot, const WarpSlot& w) const {
    if (on()) [[unlikely]]
      trace_->tell({.cycle = wheel_.now(),
                    .address = w.run().grid->id,
                    .access = static_cast<u32>(w.block->block->number),
                    .agent = sm_,
                    .warp = static_cast<u16>(slot),
                    .kind = kind,
                    .part = static_cast<u8>(w.warp->index)});
  }
  void abandoned(const ResidentBlock& block) const {
    if (on()) [[unlikely]]
      trace_->tell({.cycle = wheel_.now(),
                    .address = block.block->grid->id,
                    .access = static_cast<u32>(block.block->number),
                    .agent = sm_,
                    .kind = core::TraceKind::abandoned,
                    .part = static_cast<u8>(block.place)});
  }

 private:
  [[gnu::noinline]] void record_issue(Cycle now, u32 slot) const {
    trace_->record({.cycle = now, .agent = sm_, .warp = static_cast<u16>(slot), .kind = core::TraceKind::issued});
  }

  static constexpr bool off = false;

  core::Trace* trace_;  // nullptr: there is none
  const bool& is_on_;
  const core::TimeWheel& wheel_;
  u16 sm_;
};

}  // namespace ew::simt
