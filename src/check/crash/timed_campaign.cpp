#include "check/crash/timed_campaign.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <tuple>

#include "check/crash/folder.hpp"
#include "check/crash/points.hpp"
#include "check/crash/recovery.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/fingerprint.hpp"
#include "process/job_threads.hpp"
#include "runtime/environment.hpp"

namespace ew::check {

namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::Environment;

}  // namespace

TimedCampaign::TimedCampaign(const CrashPlan& plan) : plan_(plan) {
  const process::Scratch scratch;
  const Recording recording;
  copy_named_files(plan.program, scratch.path());
  const std::set<fs::path> there = files_of(scratch.path());
  with_output(run_program(plan, scratch.path(), recording.environment()), [&] {
    run_ = std::make_unique<RecordedRun>(recording, scratch.path());
    if (!run_->ran())
      throw UserError(
          "the program ran nothing under Everwarp, so there is nothing to crash: was it built with `ew build`?");
    if (run_->pools() == 0) throw UserError("the program maps no persistent pool (gpm_map), so a crash leaves nothing");
    messages_ = other_files(scratch.path(), there, run_->pool_paths());
    run_recovery(plan, scratch.path(), run_->pool_paths());
  });
}

std::vector<CrashMoment> TimedCampaign::random_moments(std::size_t count, u64 seed) const {
  // Some moments are durable writes, since one cycle may have several: the host program's own take no simulated time.
  // Its acknowledgements between them take none either.
  std::vector<CrashMoment> moments;
  const auto writes = random_points(last_write(), count / 4, seed);
  for (const auto cycle : random_points(std::max<u64>(last_cycle(), 1), count - writes.size(), seed))
    moments.push_back({false, cycle});
  for (const auto write : writes) moments.push_back({true, write});
  return moments;
}

/// One thread's pool files, and its Recovery.
class TimedCampaign::Worker {
 public:
  explicit Worker(TimedCampaign& of) : campaign_(of), recovery_(of.plan_, true), files_(of.run_->empty_files()) {}

  void build(const TimedTrial& trial) {
    campaign_.run_->build(trial.writes, files_);
    pools_ = trial.pools;
  }
  process::Outcome recover(u64 acknowledged) { return recovery_.run(image(), acknowledged); }

  /// Kills a process at this moment, and compares. REQUIRES: build() has made the image of the moment.
  void kill(TimedTrial& trial) {
    const CrashPlan& plan = campaign_.plan_;
    const process::Scratch scratch;
    copy_named_files(plan.program, scratch.path());
    const process::Scratch kept;
    const std::string file = (kept.path() / "acknowledgements").string();
    const char* const when =
        trial.moment.persist ? Environment::crash_at_persist_name : Environment::crash_at_cycle_name;
    const process::Outcome crash =
        run_in(plan, plan.program, scratch.path(),
               {{Environment::acknowledgements_name, file}, {when, std::to_string(trial.moment.number)}});
    trial.killed = true;
    if (crash.signal != SIGKILL && crash.status != 0) {
      trial.unlike =
          fmt::format("the program {} before it could be killed\n{}", process::how_it_ended(crash), crash.output);
      return;
    }
    if (crash.signal == SIGKILL) compare(scratch.path(), image(), trial);
    u64 told = 0;
    for (const runtime::Acknowledgement& one : runtime::read_acknowledgements(file))
      told = std::max(told, one.progress);
    if (crash.signal == SIGKILL && told != trial.acknowledged)
      trial.unlike =
          fmt::format("the killed program had acknowledged {}, the recorded one {}", told, trial.acknowledged);
    const process::Outcome again =
        run_in(plan, plan.recovery, scratch.path(), {{Environment::acknowledged_name, std::to_string(told)}});
    if (crash.signal == SIGKILL && (again.status == 0) != (trial.status == 0))
      trial.unlike =
          fmt::format("after the real crash the recovery {}\n{}", process::how_it_ended(again), again.output);
  }

  /// Crashes the recovery of the image behind durable writes of its own, and behind its last acknowledgement. If
  /// `kill`, a process is really killed at one of these moments. REQUIRES: build() has made the image, and its recovery
  /// succeeds.
  void crash_recovery(TimedTrial& trial, bool kill) {
    const PoolFiles before = image();
    const Recording recording;
    const process::Outcome whole = recovery_.run_anew(before, trial.acknowledged, recording.environment());
    if (whole.status != 0) {
      trial.unlike =
          fmt::format("in a process started anew the recovery {}\n{}", process::how_it_ended(whole), whole.output);
      return;
    }
    const RecordedRun run(recording, recovery_.folder());
    if (!run.ran()) return;
    const u64 writes = run.last_write();
    const auto promised = run.writes_at_last_promise(trial.acknowledged);
    if (writes == 0 && !promised) return;
    const u64 seed = core::fingerprint(fmt::format("{} {}", trial.writes, trial.acknowledged));
    auto points = nested_points(campaign_.plan_, writes + promised.has_value(), seed);
    if (promised && campaign_.plan_.nested_at.empty()) points.back() = writes + 1;
    const auto place = [&](u64 point) {
      return point > writes ? std::string("last acknowledgement")
                            : fmt::format("durable write {} of {}", point, writes);
    };
    std::vector<std::string> files = run.empty_files();
    PoolFiles after;
    const auto judge = [&](u64 point) {
      // Behind an acknowledgement is before the next write.
      const bool behind_promise = point > writes;
      const CrashMoment moment{true, behind_promise ? *promised + 1 : point};
      after = overlaid(before, run.pool_paths(), std::span(files).first(run.pools_before(moment)));
      run.build(run.writes_before({true, behind_promise ? *promised : point}), files);
      const u64 acknowledged = std::max(trial.acknowledged, run.acknowledged_before(moment));
      return campaign_.nested_.of(digest_of(after, acknowledged), [&] { return recovery_.run(after, acknowledged); });
    };
    trial.nested = points.size();
    u64 killed_at = points[seed % points.size()];
    for (const u64 point : points) {
      const process::Outcome second = judge(point);
      if (second.status == 0) continue;
      trial.nested_at = killed_at = point;
      trial.status = second.status;
      trial.output = fmt::format("{}[the recovery was crashed right after its {}, the one after that {}]\n",
                                 second.output, place(point), process::how_it_ended(second));
      break;
    }
    if (!kill || killed_at > writes) return;       // a process is killed at a write
    const int expected = judge(killed_at).status;  // also makes the files
    kill_recovery(trial, killed_at, before, after, expected);
  }

 private:
  PoolFiles image() const {
    PoolFiles image;
    for (std::size_t i = 0; i < pools_; ++i) image.push_back({campaign_.run_->pool_paths()[i], &files_[i]});
    return image;
  }

  static void compare(const fs::path& folder, const PoolFiles& expected, TimedTrial& trial) {
    for (const PoolFile& file : expected)
      if (core::content_of(folder / file.path) != *file.bytes)
        trial.unlike = fmt::format("the crash left another {} than the log of durable writes says", file.path.string());
  }

  void kill_recovery(TimedTrial& trial, u64 point, const PoolFiles& before, const PoolFiles& after, int expected) {
    const Recording recording;
    const process::Outcome killed =
        recovery_.run_anew(before, trial.acknowledged,
                           {{Environment::crash_at_persist_name, std::to_string(point)},
                            {Environment::acknowledgements_name, recording.acknowledgements().string()}});
    if (killed.signal != SIGKILL || killed.timed_out) {
      trial.unlike = fmt::format("the recovery {} before it could be killed at its durable write {}\n{}",
                                 process::how_it_ended(killed), point, killed.output);
      return;
    }
    compare(recovery_.folder(), after, trial);
    u64 told = trial.acknowledged;
    for (const runtime::Acknowledgement& one : runtime::read_acknowledgements(recording.acknowledgements().string()))
      told = std::max(told, one.progress);
    const process::Outcome second = recovery_.run_again(told);
    if ((second.status == 0) != (expected == 0))
      trial.unlike = fmt::format("after a real crash of the recovery at its durable write {} the next one {}\n{}",
                                 point, process::how_it_ended(second), second.output);
  }

  TimedCampaign& campaign_;
  Recovery recovery_;
  std::vector<std::string> files_;
  std::size_t pools_ = 0;  // the number of pools in the image (the first ones)
};

std::vector<bool> spread_kills(std::size_t moments, std::size_t kills) {
  std::vector<bool> real(moments, false);
  kills = std::min(kills, moments);
  for (std::size_t k = 0; k < kills; ++k) real[k * moments / kills] = true;
  return real;
}

namespace {

using Left = std::tuple<u64, u64, std::size_t>;  // writes, acknowledged, pools

Left left_by(const TimedTrial& trial) {
  return {trial.writes, trial.acknowledged, trial.pools};
}

}  // namespace

u64 count_once(std::vector<TimedTrial>& trials) {
  std::set<Left> seen;
  for (TimedTrial& trial : trials)
    if (!seen.insert(left_by(trial)).second && !trial.killed) trial.nested = 0;
  return seen.size();
}

std::vector<TimedTrial> TimedCampaign::run(const std::vector<CrashMoment>& moments, const std::vector<bool>& real,
                                           unsigned jobs, const Progress& progress) {
  std::vector<TimedTrial> trials(moments.size());
  std::map<Left, std::size_t> first;  // the trial that recovers this image
  for (std::size_t i = 0; i < moments.size(); ++i) {
    trials[i].moment = moments[i];
    trials[i].writes = run_->writes_before(moments[i]);
    trials[i].pools = run_->pools_before(moments[i]);
    trials[i].acknowledged = run_->acknowledged_before(moments[i]);
    first.try_emplace(left_by(trials[i]), i);
  }
  std::atomic<u64> next = 0;
  std::mutex mutex;
  u64 finished = 0, failures = 0;
  const auto work = [&] {
    Worker worker(*this);
    for (std::size_t i; (i = next++) < trials.size();) {
      TimedTrial& trial = trials[i];
      const bool fresh = first.at(left_by(trial)) == i;
      if (fresh || real[i]) {
        worker.build(trial);
        const process::Outcome outcome = worker.recover(trial.acknowledged);
        trial.status = outcome.status;
        trial.output =
            outcome.status ? outcome.output + fmt::format("[the recovery {}]\n", process::how_it_ended(outcome)) : "";
        if (real[i]) worker.kill(trial);
        if (plan_.nested > 1 && trial.passed()) worker.crash_recovery(trial, real[i]);
      }
      const std::lock_guard lock(mutex);
      ++finished;
      failures += !trial.passed();
      if (progress) progress(finished, failures, trials.size());
    }
  };
  process::run_jobs(run_->shares_pools() ? 1 : jobs, next, trials.size(), work);
  for (TimedTrial& trial : trials) {
    const TimedTrial& same = trials[first.at(left_by(trial))];
    if (trial.status != 0 || same.status == 0) continue;
    trial.status = same.status, trial.output = same.output, trial.nested_at = same.nested_at;
  }
  return trials;
}

}  // namespace ew::check
