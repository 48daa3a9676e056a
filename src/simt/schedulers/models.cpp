#include "simt/schedulers/models.hpp"

#include <array>
#include <bit>

#include "core/model_table.hpp"

namespace ew::simt {

std::span<const SchedulerPolicy> scheduler_policies() {
#define MODEL(name) schedulers::name(),
  static const std::array table{
#include "simt/schedulers/models.inc"
  };
#undef MODEL
  return table;
}

std::vector<std::string_view> scheduler_names() {
  return core::names_of(scheduler_policies());
}

const SchedulerPolicy* scheduler_policy(std::string_view name) {
  return core::find_named(scheduler_policies(), name);
}

u32 next_behind(u64 slots, u32 last) {
  const u64 behind = last == 63 ? 0 : slots & (~u64{0} << (last + 1));
  return static_cast<u32>(std::countr_zero(behind ? behind : slots));
}

}  // namespace ew::simt
