#include "check/crash/recorded_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "check/crash/folder.hpp"
#include "runtime/environment.hpp"

namespace ew::check {

namespace fs = std::filesystem;
using runtime::Environment;

std::string CrashMoment::words() const {
  return fmt::format("{} {}", persist ? "persist" : "cycle", number);
}

process::Variables Recording::environment() const {
  return {{Environment::events_name, events().string()},
          {Environment::durable_log_name, log().string()},
          {Environment::acknowledgements_name, acknowledgements().string()}};
}

u64 Recording::changes() const {
  if (fs::exists(log())) return DurableLog(log().string()).last_number();
  return fs::exists(events()) ? EventFile(events().string()).changes() : 0;
}

RecordedRun::RecordedRun(const Recording& recording, const fs::path& folder) {
  if (!fs::exists(recording.events()) || !fs::exists(recording.log())) return;
  events_ = std::make_unique<EventFile>(recording.events().string());
  log_ = std::make_unique<DurableLog>(recording.log().string());
  acknowledgements_ = runtime::read_acknowledgements(recording.acknowledgements().string());
  pool_paths_ = check::pool_paths(*events_, folder, shares_pools_);
}

u64 RecordedRun::writes_before(const CrashMoment& moment) const {
  const auto& writes = log_->writes();
  const auto end = std::partition_point(writes.begin(), writes.end(), [&](const DurableWrite& write) {
    return moment.persist ? write.number <= moment.number : write.cycle < moment.number;
  });
  return static_cast<u64>(end - writes.begin());
}

std::size_t RecordedRun::pools_before(const CrashMoment& moment) const {
  return static_cast<std::size_t>(std::ranges::count_if(events_->pools(), [&](const EventFile::Pool& pool) {
    return moment.persist ? pool.writes < moment.number : pool.cycle < moment.number;
  }));
}

u64 RecordedRun::acknowledged_before(const CrashMoment& moment) const {
  u64 progress = 0;
  for (const runtime::Acknowledgement& one : acknowledgements_)
    if (moment.persist ? one.writes < moment.number : one.cycle < moment.number)
      progress = std::max(progress, one.progress);
  return progress;
}

std::optional<u64> RecordedRun::writes_at_last_promise(u64 progress) const {
  for (auto one = acknowledgements_.rbegin(); one != acknowledgements_.rend(); ++one)
    if (one->progress > progress) return one->writes;
  return std::nullopt;
}

u64 RecordedRun::last_cycle() const {
  return std::max(log_->last_cycle(), acknowledgements_.empty() ? 0 : acknowledgements_.back().cycle + 1);
}

std::vector<std::string> RecordedRun::empty_files() const {
  constexpr u64 page = 4096;
  std::vector<std::string> files;
  for (const auto& pool : events_->pools()) {
    files.emplace_back(pool.header);
    files.back().resize(pool.header.size() + (pool.size + page - 1) / page * page);
  }
  return files;
}

void RecordedRun::build(u64 writes, std::vector<std::string>& files) const {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& pool = events_->pools()[i];
    char* const content = files[i].data() + pool.header.size();
    std::memcpy(content, pool.content.data(), pool.content.size_bytes());
    for (u64 w = 0; w < writes; ++w) {
      const DurableWrite& write = log_->writes()[w];
      if (write.address < pool.begin() || write.address + write.bytes.size() > pool.end()) continue;
      std::memcpy(content + (write.address - pool.begin()), write.bytes.data(), write.bytes.size());
    }
  }
}

}  // namespace ew::check
