#include "runtime/machine_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <sstream>

#include "coherence/models.hpp"
#include "consistency/models.hpp"
#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "core/model_table.hpp"
#include "media/dram_standards.hpp"
#include "media/kinds.hpp"
#include "memory/networks/mesh.hpp"
#include "memory/networks/networks.hpp"
#include "persistency/models.hpp"
#include "runtime/machine_checks.hpp"
#include "runtime/named_settings.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::runtime {

namespace {

struct Section {
  std::string_view name, sentence;
};

// In the order of MachineConfig. Behind [network] and [persistency] stand the sections of the models that have keys.
constexpr Section sections[] = {
    {"machine", "How the machine runs programs."},
    {"device", "What the device says about itself, and the memory it has."},
    {"sm", "The limits of one SM and of a block on it: they decide occupancy and which launches are refused."},
    {"sm_timing", "Timing: schedulers, arithmetic units, shared memory and the load/store unit of one SM."},
    {"assist", "Assist warps: warps of an SM that persist for those of its blocks."},
    {"l1", "Timing: the private cache of one SM."},
    {"l2", "Timing: one slice of the L2, the home of its lines."},
    {"address_map", "Timing: how addresses are spread over the slices of the L2 and the channels of the memory."},
    {"coherence", "Timing: which private copies may exist."},
    {"host_core", "Timing: a core of the host that shares the GPU's memory, of a program built with --trace-host."},
    {"consistency", "Timing: what of a warp's accesses waits for what."},
    {"network", "Timing: the network between SMs and L2 slices; each kind has a section of its own."},
    {"memory", "The GPU's memory. Timing: figures of one channel. 0: as the standard says."},
    {"host", "Timing: the host's cores, of a GPU that does not share its memory, and what their work costs."},
    {"host_link", "Timing: the link to the host."},
    {"host_memory", "Timing: the host's memory behind the link."},
    {"nvm", "Timing: non-volatile memory, where persistent pools lie."},
    {"persistency", "Timing: when what kernels write to persistent pools becomes durable, and who waits for it."},
    {"launch", "What a launch may ask for, what it costs, and the limits that cudaDeviceSetLimit starts from."},
    {"copy", "Copies between host and device, and inside the device."},
    {"managed", "Timing: managed memory of a GPU that does not share the host's."},
    {"storage", "NVMe drives beside the GPU, whose queues kernels may have in memory."},
    {"energy", "Timing: what one event takes."},
};

/// The words that a field may have, where the field's own struct stands below the table.
void set_choices(std::vector<core::Field>& fields, std::string_view key, std::vector<std::string_view> names) {
  for (core::Field& field : fields)
    if (field.key() == key) field.choices = core::model_choices(std::move(names));
}

}  // namespace

template <class Self, class Visitor>
void CoherenceConfig::fields(Self& self, Visitor&& visit) {
  visit("protocol", self.protocol, core::model_choices(coherence::names()), "",
        "The protocol: `ew explain models` says what each does.", "SBRP artifact: self-invalidation, write-through");
  std::vector<std::string_view> hosts = coherence::names();
  hosts.insert(hosts.begin(), "same");
  visit("host", self.host, core::model_choices(std::move(hosts)), "",
        "What caches of the host's cores do, where device.integrated is true: as SMs under this protocol; same: under "
        "coherence.protocol.",
        "assumed: the same");
}

template <class Self, class Visitor>
void ConsistencyConfig::fields(Self& self, Visitor&& visit) {
  visit("model", self.model, core::model_choices(consistency::names()), "",
        "The table of order: `ew explain models` says what each does.", "PTX ISA, Memory Consistency Model");
}

std::vector<core::Field> fields_of(MachineConfig& config) {
  std::vector<core::Field> fields;
  const Section* section = sections;
  const auto collect = [&]<class Part>(Part& part) {
    Part::fields(part, core::FieldCollector(fields, (section++)->name));
  };
  collect(config.machine);
  collect(config.device);
  collect(config.sm);
  collect(config.sm_timing);
  collect(config.assist);
  collect(config.l1);
  collect(config.l2);
  collect(config.address_map);
  collect(config.coherence);
  collect(config.host_core);
  collect(config.consistency);
  collect(config.network);
  core::collect_sections(memory::network_kinds(), config.network.sections, fields);
  BoundsConfig::fields(config.bounds, core::FieldCollector(fields, "memory"));
  collect(config.memory);
  collect(config.host);
  core::collect_sections(host::file_systems(), config.host.sections, fields);
  collect(config.host_link);
  collect(config.host_memory);
  collect(config.nvm);
  core::collect_sections(media::media_kinds(), config.media, fields);
  collect(config.persistency);
  core::collect_sections(persistency::models(), config.persistency.sections, fields);
  collect(config.launch);
  collect(config.copy);
  collect(config.managed);
  collect(config.storage);
  storage::collect_own(config.storage, fields);
  collect(config.energy);
  set_choices(fields, "network.kind", core::names_of(memory::network_kinds()));
  using enum media::MediaPlace;
  for (const auto& [key, place] : {std::pair{"memory.model", gpu_memory}, std::pair{"host_memory.model", host_memory},
                                   std::pair{"nvm.near_model", gpu_pools}, std::pair{"nvm.far_model", host_pools}})
    set_choices(fields, key, core::names_of(media::media_kinds_at(place)));
  return fields;
}

namespace {

/// All but what drives have of their own.
std::vector<core::Field> shared_fields(MachineConfig& config) {
  std::vector<core::Field> fields = fields_of(config);
  std::erase_if(fields, [](const core::Field& field) { return field.name.find('.') != field.name.npos; });
  return fields;
}

}  // namespace

std::string_view section_sentence(std::string_view name) {
  for (const Section& section : sections) {
    if (section.name == name) return section.sentence;
  }
  if (const auto* const kind = memory::find_network_kind(name)) return kind->section.sentence;
  if (const auto* const model = persistency::find_model(name)) return model->section.sentence;
  if (const auto* const medium = media::find_media_kind(name)) return medium->section.sentence;
  if (const auto* const system = host::find_file_system(name)) return system->section.sentence;
  return {};
}

MachineConfig load_machine(std::string_view name_or_path) {
  MachineConfig config;
  const auto path = core::machine_file(name_or_path);
  if (path.empty()) return config;
  // Twice: a drive's own section changes what [storage] says, wherever the two stand.
  for (int pass = 0; pass < 2; ++pass)
    storage::read_own(config.storage, shared_fields(config),
                      [&](const auto& fields) { core::read_toml_file(path, fields); });
  return config;
}

void read_toml(std::string_view text, const std::string& file, MachineConfig& config) {
  for (int pass = 0; pass < 2; ++pass)
    storage::read_own(config.storage, shared_fields(config),
                      [&](const auto& fields) { core::read_toml(text, file, fields); });
}

void apply_setting(std::string_view setting, MachineConfig& config) {
  if (const NamedSettings* const named = find_settings(setting)) {
    config.coherence.protocol = named->protocol;
    config.coherence.host = named->host;
    config.consistency.model = named->consistency;
    return;
  }
  const storage::DriveConfig all = config.storage.all;
  storage::read_own(config.storage, shared_fields(config),
                    [&](const auto& fields) { core::apply_setting(setting, fields); });
  constexpr std::string_view section = "storage.";
  if (const std::string_view key = setting.substr(0, setting.find_first_of("= ")); key.starts_with(section))
    storage::settle_own(config.storage, all, key.substr(section.size()));
}

std::string to_toml(const MachineConfig& config, bool sentences) {
  MachineConfig copy = config;
  return core::to_toml(fields_of(copy), sentences ? core::SectionSentence(section_sentence) : core::SectionSentence());
}

namespace {

[[noreturn]] void refuse(std::string_view key, std::string_view why) {
  throw core::UserError(fmt::format("{} {}", key, why));
}

void check_lines(const MachineConfig& config) {
  const u32 line = config.l1.line;
  if (line != 64 && line != 128) refuse("l1.line", fmt::format("should be 64 or 128 bytes, but is {}", line));
  const auto divides = [&](std::string_view key, u32 sector) {
    if (sector > line || line % sector != 0 || !std::has_single_bit(sector))
      refuse(key, fmt::format("should be a power of two that divides the line of {} bytes, but is {}", line, sector));
  };
  divides("l1.sector", config.l1.sector);
  divides("l2.sector", config.l2.sector);
  if (config.l1.bytes % line != 0)
    refuse("l1.bytes", fmt::format("should hold whole lines of {} bytes, but is {}", line, config.l1.bytes));
  const auto sets = [&](std::string_view cache, u64 bytes, u32 ways) {
    if (ways == 0) return;
    if (bytes / line < ways || bytes / line % ways != 0)
      refuse(fmt::format("{}.ways", cache),
             fmt::format("should divide the {} lines of {}.bytes into sets, but is {}", bytes / line, cache, ways));
  };
  sets("l1", config.l1.bytes, config.l1.ways);
  sets("l2", config.l2.bytes, config.l2.ways);
  const u64 l2_sets = config.l2.bytes / line / config.l2.ways;
  if (!std::has_single_bit(config.l2.set_stretch) || l2_sets % config.l2.set_stretch != 0)
    refuse("l2.set_stretch", fmt::format("should be a power of two that divides the {} sets of a slice, but is {}",
                                         l2_sets, config.l2.set_stretch));
  if (config.device.integrated) sets("host_core", config.host_core.bytes, config.host_core.ways);
  const u32 interleave = config.address_map.interleave;
  if (interleave < line || !std::has_single_bit(interleave))
    refuse("address_map.interleave",
           fmt::format("should be a power of two of at least a line ({} bytes), but is {}", line, interleave));
}

void check_places(const MachineConfig& config) {
  const u32 slices = config.address_map.slices, channels = config.address_map.channels;
  if (slices % channels != 0)
    refuse("address_map.slices",
           fmt::format("should be a multiple of the {} channels (address_map.channels), but is {}", channels, slices));
  const u32 agents = agents_of(config);
  if (agents > memory::most_agents)
    refuse("sm.count",
           fmt::format("and the copy engines' ports (copy.ports, device.copy_engines), with the host's cores "
                       "(host_core.cores), are {} agents; there may be {} of them",
                       agents, memory::most_agents));
  const auto mesh = config.network.sections.of<memory::MeshConfig>();
  if (config.network.kind == "mesh" && mesh.columns * mesh.rows < config.sm.count)
    refuse("mesh.columns",
           fmt::format("times mesh.rows should be at least the {} SMs, each at a router of its own, but is {}",
                       config.sm.count, mesh.columns * mesh.rows));
}

/// Homes know the copies of SMs and of the host's cores.
void check_host_protocol(const MachineConfig& config) {
  if (!config.device.integrated) return;
  const coherence::Model& sms = *coherence::find_model(config.coherence.protocol);
  if (coherence::common_home(sms, *coherence::find_model(config.coherence.of_host()))) return;
  refuse("coherence.host",
         fmt::format("beside coherence.protocol {} should be one of same, {}, but is {}: no home knows "
                     "the copies of both",
                     sms.name, fmt::join(coherence::names_beside(sms), ", "), config.coherence.host));
}

void check_assist(const MachineConfig& config) {
  const simt::AssistLimits limits = config.assist.limits();
  if (limits.warps && simt::assist_registers(limits, config.sm.register_allocation_unit) >= config.sm.registers)
    refuse("assist.registers",
           fmt::format("should leave registers of the SM's {} (sm.registers) to its blocks, but is {} for each thread "
                       "of assist.warps ({})",
                       config.sm.registers, config.assist.registers, config.assist.warps));
}

void check_sm(const MachineConfig& config) {
  simt::GpuLimits limits;
  limits.warps_per_sm = config.sm.warps;
  if (const std::string why = simt::TimingGpu::refuse(limits, config.sm_timing); !why.empty())
    throw core::UserError(why);
}

void check_memories(const MachineConfig& config) {
  if (config.memory.write_low >= config.memory.write_high || config.memory.write_high > config.memory.write_queue)
    refuse("memory.write_low", "should be less than memory.write_high, and that at most memory.write_queue");
  media::resolved(config.memory);
  const media::HostMemoryConfig& host = config.host_memory;
  const u64 set = u64{host.llc_line} * host.llc_ways;
  if (host.llc.count % set != 0)
    refuse("host_memory.llc", fmt::format("should be a multiple of {} bytes, a set of it (host_memory.llc_line, "
                                          "host_memory.llc_ways), but is {}",
                                          set, host.llc.count));
  if (host.ddio_ways > host.llc_ways)
    refuse("host_memory.ddio_ways",
           fmt::format("should be at most the {} ways of a set (host_memory.llc_ways), but is {}", host.llc_ways,
                       host.ddio_ways));
}

void check_pages(const MachineConfig& config) {
  if (!std::has_single_bit(config.managed.page.count))
    refuse("managed.page", fmt::format("should be a power of two, but is {}", config.managed.page.count));
}

void check_nvm(const MachineConfig& config) {
  const media::NvmConfig& nvm = config.nvm;
  if (!std::has_single_bit(nvm.granule.count))
    refuse("nvm.granule", fmt::format("should be a power of two, but is {}", nvm.granule.count));
  if (nvm.rows && !nvm.near())
    refuse("nvm.rows", "should be false unless nvm.attach is \"near\": only there are the channels the GPU's");
  if (nvm.scheduler && nvm.combine)
    refuse("nvm.scheduler",
           "should be 0 where nvm.combine is on: writes that wait for the rest of a granule are in no order");
  if (nvm.scheduler && (nvm.write_low >= nvm.write_high || nvm.write_high > nvm.scheduler))
    refuse("nvm.write_low", "should be less than nvm.write_high, and that at most nvm.scheduler");
  if (nvm.near() && nvm.granule.count > config.address_map.interleave)
    refuse("nvm.granule", fmt::format("should be at most address_map.interleave ({} bytes), so that it lies in one "
                                      "channel, but is {}",
                                      config.address_map.interleave, nvm.granule.count));
  if (nvm.near() && config.address_map.slices % nvm.channels != 0)
    refuse("nvm.channels", fmt::format("should divide the {} slices (address_map.slices), but is {}",
                                       config.address_map.slices, nvm.channels));
  const u32 line = config.host_memory.llc_line;
  if (!nvm.near() && nvm.ddio && (line > memory::longest_line || !std::has_single_bit(line)))
    refuse("host_memory.llc_line",
           fmt::format("should be a power of two of at most {} bytes where nvm.ddio is on, but is {}",
                       memory::longest_line, line));
}

}  // namespace

std::string why_no_pools(const MachineConfig& config) {
  if (!config.machine.timing()) return {};
  if (config.nvm.none()) return "this machine has no non-volatile memory (nvm.attach is \"none\")";
  if (!persistency::find_model(config.persistency.model)->make ||
      !keeps_written_lines(*coherence::find_model(config.coherence.protocol)))
    return {};
  std::string others;
  for (const coherence::Model& model : coherence::models())
    if (!keeps_written_lines(model)) others += fmt::format("{}{}", others.empty() ? "" : " or ", model.name);
  return fmt::format(
      "coherence.protocol is {}, which keeps written lines in private caches, but persistency.model {} needs one "
      "that writes through ({}); with persistency.model none a pool can be mapped",
      config.coherence.protocol, config.persistency.model, others);
}

u32 copy_ports_of(const MachineConfig& config) {
  return std::max(config.device.copy_engines, 1u) * config.copy.ports;
}

u32 agents_of(const MachineConfig& config) {
  return config.sm.count + config.host_cores() + copy_ports_of(config) + config.storage.drives;
}

void check(const MachineConfig& config) {
  core::Mistakes mistakes;
  mistakes.collect(0, [&] { storage::check(config.storage); });
  mistakes.collect(0, [&] { check_assist(config); });
  mistakes.tell();
  if (config.device.pageable && !config.device.integrated)
    refuse("device.pageable", "should be false where device.integrated is false: the GPU is behind a link");
  if (!config.machine.timing()) return;
  if (config.storage.drives && config.device.integrated)
    refuse("storage.drives", "should be 0 where device.integrated is true: drives stand behind the GPU's link");
  for (u32 number = 0; number < config.storage.drives; ++number)
    if (const std::string& backend = config.storage.drive(number).backend; storage::backend_of(backend).hosted)
      refuse(fmt::format("storage.{}.backend", number),
             fmt::format("should be simulated on a machine with simulated time: {} takes the time of this computer. "
                         "Functional mode takes it: --functional",
                         backend));
  for (const auto part :
       {check_lines, check_places, check_host_protocol, check_nvm, check_sm, check_memories, check_pages})
    mistakes.collect(0, [&] { part(config); });
  mistakes.tell();
  for (const auto part : {check_what_is_told, check_sizes})  // these compute with the figures
    mistakes.collect(0, [&] { part(config); });
  mistakes.tell();
}

void check(const MachineConfig& config, std::string_view name_or_path, const std::vector<std::string>& settings) {
  try {
    check(config);
  } catch (const core::UserError& error) {
    const std::filesystem::path file = core::machine_file(name_or_path);
    core::Mistakes mistakes;
    std::istringstream lines(error.what());
    for (std::string line; std::getline(lines, line);) {
      const std::string key = line.substr(0, line.find_first_of(": "));
      const auto set =
          std::ranges::find_if(settings, [&](const std::string& one) { return one.starts_with(key + "="); });
      const u32 at = file.empty() ? 0 : core::line_of(file, key);
      if (set != settings.end())
        mistakes.add(0, fmt::format("--set {}: {}", *set, line));
      else
        mistakes.add(at, at ? fmt::format("{}:{}: {}", file.string(), at, line) : line);
    }
    mistakes.tell();
  }
}

}  // namespace ew::runtime
