#include "core/machine_config.hpp"

namespace ew::core {

namespace {

struct Section {
  std::string_view name, sentence;
};

constexpr Section sections[] = {
    {"device", "What the device says about itself, and the memory it has."},
    {"sm", "The limits of one SM and of a block on it: they decide occupancy and which launches are refused."},
    {"launch", "What a launch may ask for, what it costs, and the limits that cudaDeviceSetLimit starts from."},
    {"copy", "Copies between host and device, and inside the device."},
};

}  // namespace

std::vector<Field> fields_of(MachineConfig& config) {
  std::vector<Field> fields;
  DeviceConfig::fields(config.device, FieldCollector(fields, sections[0].name));
  SmConfig::fields(config.sm, FieldCollector(fields, sections[1].name));
  LaunchConfig::fields(config.launch, FieldCollector(fields, sections[2].name));
  CopyConfig::fields(config.copy, FieldCollector(fields, sections[3].name));
  return fields;
}

std::string_view section_sentence(std::string_view name) {
  for (const Section& section : sections) {
    if (section.name == name) return section.sentence;
  }
  return {};
}

}  // namespace ew::core
