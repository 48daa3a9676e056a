#include "storage/storage_config.hpp"

#include <fmt/format.h>

#include "core/diagnostics.hpp"
#include "storage/controller.hpp"

namespace ew::storage {

namespace {

/// A FieldCollector for the section of one drive.
class NumberedCollector {
 public:
  NumberedCollector(std::vector<core::Field>& fields, u32 number) : fields_(fields, "storage"), number_(number) {}
  template <class T, class... Rest>
  void operator()(std::string_view name, T& member, Rest&&... rest) {
    fields_(fmt::format("{}.{}", number_, name), member, std::forward<Rest>(rest)...);
  }

 private:
  core::FieldCollector fields_;
  u32 number_;
};

}  // namespace

void collect_own(StorageConfig& config, std::vector<core::Field>& fields) {
  for (auto& [number, drive] : config.own) DriveConfig::fields(drive, NumberedCollector(fields, number));
}

void settle_own(StorageConfig& config, const DriveConfig& all, std::string_view key) {
  if (const auto dot = key.find('.'); dot != key.npos) {
    config.said.emplace(key);
    config.own.try_emplace(static_cast<u32>(std::stoul(std::string(key.substr(0, dot)))), config.all);
    return;
  }
  const auto to = [](std::vector<const void*>& members) {
    return [&members](std::string_view, const auto& member, auto&&...) { members.push_back(&member); };
  };
  std::vector<const void*> before, now;
  DriveConfig::fields(all, to(before));
  DriveConfig::fields(config.all, to(now));
  for (auto& [number, drive] : config.own) {
    std::size_t i = 0;
    DriveConfig::fields(drive, [&, at = number](std::string_view name, auto& member, auto&&...) {
      using Member = std::remove_cvref_t<decltype(member)>;
      const bool inherits =
          member == *static_cast<const Member*>(before[i]) && !config.said.contains(fmt::format("{}.{}", at, name));
      if (inherits) member = *static_cast<const Member*>(now[i]);
      ++i;
    });
  }
}

const DriveModel& model_of(const DriveConfig& drive) {
  return *find_drive_model(drive.model);
}

ImageConfig image_of(const DriveConfig& drive, u32 number) {
  ImageConfig image{.path = drive.image, .bytes = drive.size.count, .block = drive.block, .written = drive.written};
  if (const auto at = image.path.find("{}"); at != image.path.npos) image.path.replace(at, 2, std::to_string(number));
  return image;
}

ControllerConfig controller_of(const DriveConfig& drive, u32 number, u64 blocks) {
  const DriveModel& model = model_of(drive);
  return {.queues = drive.queues ? drive.queues : model.queues,
          .entries = drive.entries ? drive.entries : model.entries,
          .doorbell_stride = drive.doorbell_stride,
          .commands = drive.commands ? drive.commands : model.commands,
          .transfer_pages = static_cast<u32>(model.transfer.count / smallest_page),
          .block = drive.block,
          .blocks = blocks,
          .atomic_blocks = static_cast<u32>(std::max<u64>(1, model.atomic.count / drive.block)),
          .volatile_cache = model.volatile_cache,
          .serial = fmt::format("EVERWARP{:04}", number),
          .model = std::string(model.name),
          .faults = parse_faults(drive.fault, fmt::format("storage.{}.fault", number))};
}

void check(const StorageConfig& config) {
  const Switches switches = parse_switches(config.switches, "storage.switches");
  for (u32 number = 0; number < config.drives; ++number) {
    const std::string section = fmt::format("storage.{}", number);
    const DriveConfig& drive = config.drive(number);
    check(controller_of(drive, number, 1), section);
    if (drive.image.empty() && (drive.size.count == 0 || drive.size.count % drive.block != 0))
      throw core::UserError(fmt::format("{}.size should be a multiple of {} bytes where there is no image, but is {}",
                                        section, drive.block, drive.size.count));
    if (drive.below != 0 && !switches.contains(drive.below))
      throw core::UserError(fmt::format("{}.switch should be 0, or a switch of storage.switches (\"{}\"), but is {}",
                                        section, config.switches, drive.below));
    if (backend_of(drive.backend).hosted && drive.image.empty())
      throw core::UserError(fmt::format("{}.backend {} is a controller over a file: {}.image should name it", section,
                                        drive.backend, section));
  }
  for (const auto& [number, drive] : config.own)
    if (number >= config.drives)
      throw core::UserError(
          fmt::format("storage.drives should be more than {}, as [storage.{}] describes one, but is {}", number, number,
                      config.drives));
}

}  // namespace ew::storage
