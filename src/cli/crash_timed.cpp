#include "cli/crash_timed.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

#include "cli/crash_folder.hpp"
#include "cli/recovery.hpp"
#include "cli/whole_file.hpp"
#include "core/diagnostics.hpp"
#include "runtime/environment.hpp"

namespace ew::cli {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;

}  // namespace

std::string CrashMoment::words() const {
  return fmt::format("{} {}", persist ? "persist" : "cycle", number);
}

TimedCampaign::TimedCampaign(const CrashPlan& plan) : plan_(plan) {
  const Scratch scratch, kept;
  copy_named_files(plan.program, scratch.path());
  const fs::path events = kept.path() / "events", log = kept.path() / "log", told = kept.path() / "acknowledgements";
  RunOptions options{.capture = Capture::both,
                     .environment = plan.settings.environment(),
                     .directory = scratch.path().string(),
                     .timeout_seconds = plan.timeout_seconds,
                     .no_input = true};
  const auto plain = options;
  options.environment.emplace_back(Environment::events_name, events.string());
  options.environment.emplace_back(Environment::durable_log_name, log.string());
  options.environment.emplace_back(Environment::acknowledgements_name, told.string());
  const Outcome outcome = cli::run(in_folder(plan.program, scratch.path()), options);
  if (outcome.status != 0)
    throw UserError(fmt::format("the program should succeed without a crash first, but it {}:\n{}",
                                how_it_ended(outcome), outcome.output));
  if (!fs::exists(events) || !fs::exists(log))
    throw UserError(
        "the program ran nothing under Everwarp, so there is nothing to crash: was it built with `ew build`?");
  events_ = std::make_unique<check::EventFile>(events.string());
  log_ = std::make_unique<check::DurableLog>(log.string());
  acknowledgements_ = runtime::read_acknowledgements(told.string());
  if (events_->pools().empty())
    throw UserError("the program maps no persistent pool (gpm_map), so a crash leaves nothing");
  pool_paths_ = pool_paths(*events_, scratch.path(), shares_pools_);
  const Outcome after = cli::run(in_folder(plan.recovery, scratch.path()), plain);
  if (after.status != 0)
    throw UserError(fmt::format("the recovery should succeed after a run without a crash, but it {}:\n{}",
                                how_it_ended(after), after.output));
}

u64 TimedCampaign::writes_before(const CrashMoment& moment) const {
  const auto& writes = log_->writes();
  const auto end = std::partition_point(writes.begin(), writes.end(), [&](const check::DurableWrite& write) {
    return moment.persist ? write.number <= moment.number : write.cycle < moment.number;
  });
  return static_cast<u64>(end - writes.begin());
}

u64 TimedCampaign::acknowledged_before(const CrashMoment& moment) const {
  u64 progress = 0;
  for (const runtime::Acknowledgement& one : acknowledgements_)
    if (moment.persist ? one.writes < moment.number : one.cycle < moment.number)
      progress = std::max(progress, one.progress);
  return progress;
}

u64 TimedCampaign::last_cycle() const {
  return std::max(log_->last_cycle(), acknowledgements_.empty() ? 0 : acknowledgements_.back().cycle + 1);
}

/// One thread's pool files and means to recover them.
class TimedCampaign::Worker {
 public:
  explicit Worker(TimedCampaign& of) : campaign_(of), recovery_(of.plan_, true) {
    for (const auto& pool : of.events_->pools()) {
      std::string& file = files_.emplace_back(pool.header);
      file.resize(pool.header.size() + (pool.size + 4095) / 4096 * 4096);
    }
  }

  void build(u64 writes) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto& pool = campaign_.events_->pools()[i];
      std::memcpy(files_[i].data() + pool.header.size(), pool.content.data(), pool.content.size_bytes());
      for (u64 w = 0; w < writes; ++w) {
        const check::DurableWrite& write = campaign_.log_->writes()[w];
        if (write.address < pool.begin() || write.address + write.bytes.size() > pool.end()) continue;
        std::memcpy(files_[i].data() + pool.header.size() + (write.address - pool.begin()), write.bytes.data(),
                    write.bytes.size());
      }
    }
  }

  Outcome recover(u64 acknowledged) {
    std::vector<ImageFile> files;
    for (std::size_t i = 0; i < files_.size(); ++i) files.push_back({campaign_.pool_paths_[i], &files_[i]});
    return recovery_.run(files, acknowledged);
  }

  /// The moment for real. REQUIRES: build() has made its image.
  void kill(TimedTrial& trial) {
    const CrashPlan& plan = campaign_.plan_;
    const Scratch scratch;
    copy_named_files(plan.program, scratch.path());
    RunOptions options{.capture = Capture::both,
                       .environment = plan.settings.environment(),
                       .directory = scratch.path().string(),
                       .timeout_seconds = plan.timeout_seconds,
                       .no_input = true};
    auto plain = options;
    const Scratch kept;
    const std::string file = (kept.path() / "acknowledgements").string();
    options.environment.emplace_back(Environment::acknowledgements_name, file);
    options.environment.emplace_back(
        trial.moment.persist ? Environment::crash_at_persist_name : Environment::crash_at_cycle_name,
        std::to_string(trial.moment.number));
    const Outcome crash = cli::run(in_folder(plan.program, scratch.path()), options);
    trial.killed = true;
    if (crash.signal != SIGKILL && crash.status != 0) {
      trial.unlike = fmt::format("the program {} before it could be killed\n{}", how_it_ended(crash), crash.output);
      return;
    }
    if (crash.signal == SIGKILL) {
      for (std::size_t i = 0; i < files_.size(); ++i)
        if (content_of(scratch.path() / campaign_.pool_paths_[i]) != files_[i])
          trial.unlike = fmt::format("the crash left another {} than the log of durable writes says",
                                     campaign_.pool_paths_[i].string());
    }
    u64 told = 0;
    for (const runtime::Acknowledgement& one : runtime::read_acknowledgements(file))
      told = std::max(told, one.progress);
    if (crash.signal == SIGKILL && told != trial.acknowledged)
      trial.unlike =
          fmt::format("the killed program had acknowledged {}, the recorded one {}", told, trial.acknowledged);
    plain.environment.emplace_back(Environment::acknowledged_name, std::to_string(told));
    const Outcome again = cli::run(in_folder(plan.recovery, scratch.path()), plain);
    if (crash.signal == SIGKILL && (again.status == 0) != (trial.status == 0))
      trial.unlike = fmt::format("after the real crash the recovery {}\n{}", how_it_ended(again), again.output);
  }

 private:
  TimedCampaign& campaign_;
  Recovery recovery_;
  std::vector<std::string> files_;
};

std::vector<TimedTrial> TimedCampaign::run(const std::vector<CrashMoment>& moments, std::size_t kills, unsigned jobs,
                                           const Progress& progress) {
  std::vector<TimedTrial> trials(moments.size());
  using Left = std::pair<u64, u64>;   // writes, acknowledged
  std::map<Left, std::size_t> first;  // trial that recovers this image
  for (std::size_t i = 0; i < moments.size(); ++i) {
    trials[i].moment = moments[i];
    trials[i].writes = writes_before(moments[i]);
    trials[i].acknowledged = acknowledged_before(moments[i]);
    first.try_emplace(Left(trials[i].writes, trials[i].acknowledged), i);
  }
  distinct_ = first.size();
  kills = std::min(kills, moments.size());
  std::vector<bool> real(moments.size(), false);
  for (std::size_t k = 0; k < kills; ++k) real[k * moments.size() / kills] = true;
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  u64 finished = 0, failures = 0;
  std::string trouble;
  const auto work = [&] {
    try {
      Worker worker(*this);
      for (std::size_t i; (i = next++) < trials.size();) {
        TimedTrial& trial = trials[i];
        const bool fresh = first.at(Left(trial.writes, trial.acknowledged)) == i;
        if (fresh || real[i]) {
          worker.build(trial.writes);
          const Outcome outcome = worker.recover(trial.acknowledged);
          trial.status = outcome.status;
          trial.output =
              outcome.status ? outcome.output + fmt::format("[the recovery {}]\n", how_it_ended(outcome)) : "";
          if (real[i]) worker.kill(trial);
        }
        const std::lock_guard lock(mutex);
        ++finished;
        failures += !trial.passed();
        if (progress) progress(finished, failures, trials.size());
      }
    } catch (const std::exception& mistake) {
      const std::lock_guard lock(mutex);
      trouble = mistake.what();
      next = trials.size();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned job = 1; job < (shares_pools_ ? 1 : jobs); ++job) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (!trouble.empty()) throw UserError(trouble);
  for (TimedTrial& trial : trials) {
    const TimedTrial& same = trials[first.at(Left(trial.writes, trial.acknowledged))];
    if (trial.status == 0 && same.status != 0) trial.status = same.status, trial.output = same.output;
  }
  return trials;
}

}  // namespace ew::cli
