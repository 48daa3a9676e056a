#include "check/crash/drive_campaign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>

#include "check/crash/folder.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/fingerprint.hpp"
#include "process/job_threads.hpp"
#include "process/scratch.hpp"
#include "runtime/environment.hpp"

namespace ew::check {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;

DriveCampaign::DriveCampaign(const CrashPlan& plan, const storage::StorageConfig& config, u64 budget)
    : plan_(plan), config_(config) {
  for (u32 number = 0; number < config.drives; ++number) {
    const storage::DriveConfig& drive = config.drive(number);
    const storage::DriveModel& model = storage::model_of(drive);
    const storage::ImageConfig image = storage::image_of(drive, number);
    if (storage::backend_of(drive.backend).hosted)
      throw UserError(fmt::format("--states model needs storage.backend=simulated, and drive {} has {}", number,
                                  storage::backend_of(drive.backend).name));
    if (fs::path(image.path).is_absolute() || image.path.find("..") != image.path.npos)
      throw UserError(
          fmt::format("--states model needs an image in the trial's folder, and drive {} has {}: name it by a "
                      "relative path",
                      number, image.path));
    facts_.push_back({.block_bytes = image.block,
                      .unit_blocks = std::max<u64>(1, model.atomic.count / image.block),
                      .has_cache = model.volatile_cache});
  }
  const process::Scratch scratch, kept;
  const std::string log = (kept.path() / "log").string();
  copy_named_files(plan.program, scratch.path());
  DriveImages before = images_in(scratch.path());
  run_program(plan, scratch.path(), {{Environment::durable_log_name, log}});
  const DriveImages after = images_in(scratch.path());
  for (u32 number = 0; number < config.drives; ++number) {
    if (after[number].size() > most_image_bytes)
      throw UserError(
          fmt::format("drive {} has {} bytes, and --states model keeps whole images: set a storage.size of at most "
                      "{} bytes",
                      number, after[number].size(), most_image_bytes));
    before[number].resize(after[number].size());
  }
  run_recovery(plan, scratch.path(), {});
  for (const auto& entry : fs::recursive_directory_iterator(scratch.path())) {
    bool known = !entry.is_regular_file();
    for (u32 number = 0; number < config.drives && !known; ++number)
      known = fs::equivalent(entry.path(), image_in(scratch.path(), number));
    if (!known && core::content_of(entry.path()).starts_with("EVERWARP"))
      throw UserError(fmt::format("--states model takes pools or drives, and the program has left both: {}",
                                  entry.path().filename().string()));
  }
  states_ = std::make_unique<DriveStates>(storage::CommandLog::read(log), facts_, std::move(before), budget, plan.seed);
}

fs::path DriveCampaign::image_in(const fs::path& folder, u32 drive) const {
  return folder / storage::image_of(config_.drive(drive), drive).path;
}

/// An image that is not there has no bytes.
DriveImages DriveCampaign::images_in(const fs::path& folder) const {
  DriveImages images(config_.drives);
  for (u32 drive = 0; drive < config_.drives; ++drive) {
    if (!fs::exists(image_in(folder, drive)) || fs::file_size(image_in(folder, drive)) > most_image_bytes) {
      if (fs::exists(image_in(folder, drive))) images[drive].resize(most_image_bytes + 1);
      continue;
    }
    const std::string bytes = core::content_of(image_in(folder, drive));
    images[drive].assign(bytes.begin(), bytes.end());
  }
  return images;
}

void DriveCampaign::put_images(const DriveImages& images, const fs::path& folder) const {
  for (u32 drive = 0; drive < config_.drives; ++drive) {
    std::ofstream file(image_in(folder, drive), std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(images[drive].data()), static_cast<std::streamsize>(images[drive].size()));
    if (!file) throw UserError(fmt::format("{} cannot be written", image_in(folder, drive).string()));
  }
}

process::Outcome DriveCampaign::recover(const DriveImages& images, u64 acknowledged, const std::string& log) const {
  const process::Scratch scratch;
  copy_named_files(plan_.program, scratch.path());
  put_images(images, scratch.path());
  process::Variables more{{Environment::acknowledged_name, std::to_string(acknowledged)}};
  if (!log.empty()) more.emplace_back(Environment::durable_log_name, log);
  return run_in(plan_, plan_.recovery, scratch.path(), more);
}

DriveCampaign::Verdict DriveCampaign::judge(const DriveImages& images, u64 acknowledged) const {
  const process::Scratch kept;
  const std::string log = (kept.path() / "log").string();
  Verdict verdict;
  verdict.outcome = recover(images, acknowledged, plan_.nested > 1 ? log : "");
  if (plan_.nested < 2 || verdict.outcome.status != 0) return verdict;
  const DriveStates states(storage::CommandLog::read(log), facts_, images, plan_.nested_points, plan_.seed);
  const std::vector<std::string> names = plan_.nested_at.empty() ? states.names() : std::vector{plan_.nested_at};
  std::map<u64, bool> known;
  for (const std::string& name : names) {
    const DriveImages crashed = states.images(states.named(name));
    core::Fingerprint digest;
    for (const auto& image : crashed)
      digest.add(std::string_view(reinterpret_cast<const char*>(image.data()), image.size()));
    ++verdict.crashes;
    if (!known.try_emplace(digest.value()).second) continue;
    verdict.outcome = recover(crashed, acknowledged, "");
    verdict.nested = name;
    if (verdict.outcome.status != 0) return verdict;
  }
  verdict.nested.clear();
  return verdict;
}

DriveReport DriveCampaign::run(const std::string& state, unsigned jobs, const Progress& progress) {
  const std::vector<std::string> names = state.empty() ? states_->names() : std::vector{state};
  DriveReport report{.commands = states_->commands(),
                     .states = names.size(),
                     .exhaustive = state.empty() && states_->exhaustive(),
                     .failures = {}};
  std::mutex mutex;
  std::map<u64, Verdict> known;  // by the images and what was acknowledged
  std::vector<DriveFailure> failures(names.size());
  u64 finished = 0;
  process::for_each_number(names.size(), jobs, [&](u64 number) {
    const DriveStates::State one = states_->named(names[number]);
    const DriveImages images = states_->images(one);
    const u64 acknowledged = states_->acknowledged(one);
    core::Fingerprint digest;
    digest.add(acknowledged);
    for (const auto& image : images)
      digest.add(std::string_view(reinterpret_cast<const char*>(image.data()), image.size()));
    std::unique_lock lock(mutex);
    auto found = known.find(digest.value());
    if (found == known.end()) {
      lock.unlock();
      Verdict verdict = judge(images, acknowledged);
      lock.lock();
      found = known.emplace(digest.value(), std::move(verdict)).first;
    }
    const Verdict& verdict = found->second;
    if (verdict.outcome.status != 0) {
      ++report.failed;
      failures[number] = {.state = names[number],
                          .moment = states_->moment(one),
                          .reached = states_->units(one, true),
                          .not_reached = states_->units(one, false),
                          .acknowledged = acknowledged,
                          .outcome = verdict.outcome,
                          .nested = verdict.nested};
    }
    if (progress) progress(++finished, report.failed, names.size());
  });
  report.distinct = known.size();
  for (const auto& [digest, verdict] : known) report.nested += verdict.crashes;
  for (DriveFailure& failure : failures)
    if (!failure.state.empty() && report.failures.size() < most_failures) report.failures.push_back(std::move(failure));
  return report;
}

}  // namespace ew::check
