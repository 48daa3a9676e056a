#include "storage/features.hpp"

#include <algorithm>

namespace ew::storage {

namespace {

/// The answer of Get Features with SEL = 3, as bits: 0 saveable (nothing is), 1 namespace-specific, 2 changeable.
u32 capabilities_of(Feature feature) {
  switch (feature) {
    case Feature::power_management:
      return 0;
    case Feature::error_recovery:
      return 6;
    default:
      return 4;
  }
}

bool known(u32 feature, bool has_cache) {
  switch (static_cast<Feature>(feature)) {
    case Feature::volatile_write_cache:
      return has_cache;
    case Feature::arbitration:
    case Feature::power_management:
    case Feature::temperature_threshold:
    case Feature::error_recovery:
    case Feature::number_of_queues:
    case Feature::interrupt_coalescing:
    case Feature::interrupt_vector:
    case Feature::write_atomicity:
    case Feature::asynchronous_events:
      return true;
  }
  return false;
}

/// True if the feature belongs to the namespace and the command names another. The other features belong to the
/// controller: the command may name anything.
bool wrong_namespace(Feature feature, u32 name) {
  return feature == Feature::error_recovery && name != only_namespace && name != every_namespace;
}

}  // namespace

Features::Features(const ControllerConfig& config)
    : pairs_(config.queues),
      has_cache_(config.volatile_cache),
      write_cache_(config.volatile_cache),
      submissions_(config.queues),
      completions_(config.queues) {}

u32 Features::value_of(Feature feature) const {
  switch (feature) {
    case Feature::arbitration:
      return arbitration_;
    case Feature::power_management:
      return power_;
    case Feature::temperature_threshold:
      return temperature_;
    case Feature::error_recovery:
      return error_recovery_;
    case Feature::volatile_write_cache:
      return write_cache_;
    case Feature::number_of_queues:
      return (completions_ - 1) << 16 | (submissions_ - 1);
    case Feature::interrupt_coalescing:
      return coalescing_;
    case Feature::interrupt_vector:
      return 0;
    case Feature::write_atomicity:
      return atomicity_;
    case Feature::asynchronous_events:
      return events_;
  }
  return 0;
}

Features::Answer Features::get(const Command& command) const {
  const u32 number = command.dword10 & 0xff, select = command.dword10 >> 8 & 7;
  if (!known(number, has_cache_) || select > 3) return {status::invalid_field};
  const Feature feature = static_cast<Feature>(number);
  if (wrong_namespace(feature, command.namespace_id)) return {status::invalid_namespace};
  if (feature == Feature::interrupt_vector) {
    const u32 vector = command.dword11 & 0xffff;
    if (vector >= interrupt_vectors) return {status::invalid_field};
    return {status::success, vector};
  }
  if (feature == Feature::temperature_threshold && (command.dword11 >> 16 & 0x3f) != 0)
    return {status::success, command.dword11 >> 20 & 1 ? 0u : 0xffffu};  // one sensor; no limit below
  if (select == 3) return {status::success, capabilities_of(feature)};
  if (select == 0) return {status::success, value_of(feature)};
  // The default value; also for the saved value, since nothing is saved.
  return {status::success, Features({.queues = pairs_, .volatile_cache = has_cache_}).value_of(feature)};
}

Features::Answer Features::set(const Command& command, bool queues_exist) {
  const u32 number = command.dword10 & 0xff, value = command.dword11;
  if (!known(number, has_cache_)) return {status::invalid_field};
  if (command.dword10 >> 31) return {status::not_saveable};
  const Feature feature = static_cast<Feature>(number);
  if (wrong_namespace(feature, command.namespace_id)) return {status::invalid_namespace};
  switch (feature) {
    case Feature::arbitration:
      arbitration_ = value;
      break;
    case Feature::power_management:  // one power state
      if (value & 0x1f) return {status::invalid_field};
      break;
    case Feature::temperature_threshold:
      if ((value >> 16 & 0xf) != 0 || (value >> 20 & 3) != 0) break;  // other sensors, limits below: not reported
      temperature_ = value & 0xffff;
      break;
    case Feature::error_recovery:
      error_recovery_ = value;
      break;
    case Feature::volatile_write_cache:
      write_cache_ = value & 1;
      break;
    case Feature::number_of_queues:
      if ((value & 0xffff) == 0xffff || value >> 16 == 0xffff) return {status::invalid_field};
      if (queues_exist) return {status::sequence_error};
      submissions_ = std::min((value & 0xffff) + 1, pairs_);
      completions_ = std::min((value >> 16) + 1, pairs_);
      return {status::success, value_of(feature)};
    case Feature::interrupt_coalescing:
      coalescing_ = value & 0xffff;
      break;
    case Feature::interrupt_vector:
      if ((value & 0xffff) >= interrupt_vectors) return {status::invalid_field};
      break;
    case Feature::write_atomicity:
      atomicity_ = value & 1;
      break;
    case Feature::asynchronous_events:
      events_ = value;
      break;
  }
  return {};
}

}  // namespace ew::storage
