#include "runtime/machine_config.hpp"

#include "core/configuration.hpp"

namespace ew::runtime {

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

std::vector<core::Field> fields_of(MachineConfig& config) {
  std::vector<core::Field> fields;
  DeviceConfig::fields(config.device, core::FieldCollector(fields, sections[0].name));
  SmConfig::fields(config.sm, core::FieldCollector(fields, sections[1].name));
  LaunchConfig::fields(config.launch, core::FieldCollector(fields, sections[2].name));
  CopyConfig::fields(config.copy, core::FieldCollector(fields, sections[3].name));
  return fields;
}

std::string_view section_sentence(std::string_view name) {
  for (const Section& section : sections) {
    if (section.name == name) return section.sentence;
  }
  return {};
}

MachineConfig load_machine(std::string_view name_or_path) {
  MachineConfig config;
  if (const auto path = core::machine_file(name_or_path); !path.empty()) core::read_toml_file(path, fields_of(config));
  return config;
}

void read_toml(std::string_view text, const std::string& file, MachineConfig& config) {
  core::read_toml(text, file, fields_of(config));
}

void apply_setting(std::string_view setting, MachineConfig& config) {
  core::apply_setting(setting, fields_of(config));
}

std::string to_toml(const MachineConfig& config, bool sentences) {
  MachineConfig copy = config;
  return core::to_toml(fields_of(copy), sentences ? core::SectionSentence(section_sentence) : core::SectionSentence());
}

}  // namespace ew::runtime
