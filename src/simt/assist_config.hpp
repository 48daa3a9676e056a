// What a machine file says of assist warps: warps of an SM that belong to no block, and run what a block has
// registered. Values only. docs/semantics/assist-warps.md says what they are.
#pragma once

#include <string>

#include "core/fields.hpp"
#include "simt/assists/models.hpp"

namespace ew::simt {

/// Who issues first, an assist warp or a warp of a block.
enum class AssistPriority : u8 { low, equal, high };

/// What an SM has for them; with no `warps` it has none.
struct AssistLimits {
  u32 answer = 0;  // AssistModel::answer
  u32 warps = 0;
  u32 registers = 0;     // of a thread
  u32 wake_latency = 0;  // cycles
  AssistPriority priority = AssistPriority::low;
};

struct AssistConfig {
  std::string model = "none";
  u32 warps = 1;
  u32 registers = 96;
  u32 wake_latency = 20;
  std::string priority = "low";

  AssistLimits limits() const {
    const AssistModel& chosen = *assist_model(model);
    if (!chosen.slots) return {.answer = chosen.answer};
    return {.answer = chosen.answer,
            .warps = warps,
            .registers = registers,
            .wake_latency = wake_latency,
            .priority = priority == "low"    ? AssistPriority::low
                        : priority == "high" ? AssistPriority::high
                                             : AssistPriority::equal};
  }

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// Of an SM: what its blocks cannot have. `unit`: in multiples of so many a warp.
inline u32 assist_registers(const AssistLimits& limits, u32 unit) {
  return limits.warps * ((limits.registers * 32 + unit - 1) / unit * unit);
}

template <class Self, class Visitor>
void AssistConfig::fields(Self& self, Visitor&& visit) {
  const char* assumed = "assumed: nobody has published assist warps for persistence";
  visit("model", self.model, core::model_choices(assist_names()), "",
        "Who persists for the warps of a block, if a program asks: `ew explain models` says what each does.",
        "the GPUs of today: none");
  visit("warps", self.warps, core::Range{1, 8}, "warps",
        "hardware: assist warps that an SM runs at once. Its other warps have the rest of 64 slots.", assumed);
  visit("registers", self.registers, core::Range{16, 255}, "registers",
        "hardware: 32-bit registers of a thread of an assist warp. The SM's blocks cannot have them.",
        "assumed: the drain routine of transactions (tx_assist.cuh) needs 85");
  visit("wake_latency", self.wake_latency, core::Range{0, 65536}, "cycles",
        "hardware: from the event to the first instruction of the assist warp, if a slot is free.", assumed);
  visit(
      "priority", self.priority, core::Choices{{"low", "equal", "high"}}, "",
      "hardware: low: it issues when no other warp of its scheduler can. equal: as the scheduler's policy says. high: "
      "before the others.",
      assumed);
}

}  // namespace ew::simt
