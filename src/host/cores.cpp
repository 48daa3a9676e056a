#include "host/cores.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ew::host {

Cores::Cores(const Surroundings& parts, Tell done)
    : parts_(parts), done_(std::move(done)), works_of_(parts.config.cores) {
  for (u32 core = 0; core < parts.config.cores; ++core)
    cores_.push_back(std::make_unique<Core>(
        parts, statistics_, core, [](void* cores, u32 number) { static_cast<Cores*>(cores)->over(number); }, this));
}

void Cores::start(u64 id, Work work) {
  ++statistics_.works;
  works_.emplace(id, Running{.work = std::move(work)});
  parts_.wheel.at<&Cores::go_on>(parts_.wheel.now(), *this, id);
}

/// Begins the present step, or ends the work if there is none left.
void Cores::go_on(u64 id, u64) {
  Running& running = works_.at(id);
  if (running.step == running.work.steps.size()) {
    works_.erase(id);
    return done_(id);
  }
  const Step& step = running.work.steps[running.step];
  if (step.act == Act::errand)
    return step.errand->begin(step.from, parts_.wheel,
                              {[](void* cores, u64 done) { static_cast<Cores*>(cores)->step_over(done); }, this, id});
  running.shares = step.threads;
  for (u32 thread = 0; thread < running.shares; ++thread) tasks_.push_back({id, thread});
  dispatch();
}

void Cores::dispatch() {
  for (u32 core = 0; core < cores_.size() && !tasks_.empty(); ++core) {
    if (!idle(core)) continue;
    const Task task = tasks_.front();
    tasks_.pop_front();
    works_of_[core] = task.id;
    const Running& running = works_.at(task.id);
    const Step& step = running.work.steps[running.step];
    const core::Picoseconds wake{step.threads > 1 ? parts_.config.wake.count : 0};
    if (step.act == Act::traced)
      traced()[core].start(step, task.thread, wake);
    else
      cores_[core]->start(step, share_of(step, task.thread), wake);
  }
}

TracedCores& Cores::traced() {
  if (!traced_)
    traced_ = std::make_unique<TracedCores>(
        parts_, statistics_, [](void* cores, u32 number) { static_cast<Cores*>(cores)->over(number); }, this);
  return *traced_;
}

void Cores::over(u32 core) {
  const u64 id = works_of_[core];
  if (--works_.at(id).shares == 0) step_over(id);
  dispatch();
}

void Cores::step_over(u64 id) {
  ++works_.at(id).step;
  parts_.wheel.at<&Cores::go_on>(parts_.wheel.now(), *this, id);
}

std::string Cores::what_is_under_way() const {
  std::string text;
  for (const auto& core : cores_) text += core->what_is_under_way();
  if (traced_) text += traced_->what_is_under_way();
  if (!tasks_.empty()) text += fmt::format("{} shares of the host's work wait for a core\n", tasks_.size());
  return text;
}

}  // namespace ew::host
