// The time of one thread of traced code, and the stack that it runs on: how far it is, and when others come up to it.
// The thread counts instructions, and so runs ahead of the wheel; at each point where others matter it waits until the
// wheel is there. Owned by TracedCore.
#pragma once

#include <algorithm>
#include <span>

#include "core/clock_ratio.hpp"
#include "core/time_wheel.hpp"
#include "host/fiber.hpp"
#include "host/port.hpp"

namespace ew::host {

class TracedTime {
 public:
  /// `resumed(target)`: called from the wheel to let the thread run: it calls resume().
  TracedTime(const Surroundings& parts, std::span<u8> stack, core::TimeWheel::Handler resumed, void* target)
      : wheel_(parts.wheel),
        clock_(parts.clock),
        per_second_(parts.config.clock.count * parts.config.issue_width),
        stack_(stack),
        resumed_(resumed),
        target_(target) {}

  /// The body's first instruction is `wake` later. From the wheel.
  void begin(core::Picoseconds wake, Fiber::Body body) {
    base_ = picoseconds_at(wheel_.now(), clock_) + wake.count;
    base_at_ = issued_;
    look_at_ = issued_ + ahead;
    fiber_.begin(stack_, body, target_);
    wheel_.at(core::cycles_covering(clock_, {base_}), resumed_, target_);
  }
  /// From the wheel: the thread runs until it waits, or is over.
  void resume() { fiber_.resume(); }
  bool over() const { return fiber_.over(); }

  u64 issued() const { return issued_; }
  /// As of the last time that it waited.
  u64 picoseconds() const { return base_; }
  /// So many instructions are issued. True: the thread should look whether it must wait.
  bool issue(u32 count) {
    issued_ += count;
    return issued_ >= look_at_;
  }
  /// It looks when it has issued this one, at the latest.
  void look_at(u64 instruction) { look_at_ = std::min(instruction, base_at_ + ahead); }
  void pass(core::Picoseconds time) { base_ += time.count; }

  /// Other threads, and memory, come up to this thread.
  void until_now() {
    settle();
    const core::Cycle cycle = core::cycles_covering(clock_, {base_});
    if (cycle <= wheel_.now()) return;
    wheel_.at(cycle, resumed_, target_);
    fiber_.pause();
  }
  /// It stands still until done() is so; wake() asks. Answers for how long, in picoseconds.
  template <class Done>
  u64 wait(Done done) {
    settle();
    if (done()) return 0;
    const u64 begun = base_;
    while (!done()) {
      blocked_ = true;
      fiber_.pause();
    }
    base_ = std::max(base_, picoseconds_at(wheel_.now(), clock_));
    return base_ - begun;
  }
  void wake() {
    if (!blocked_) return;
    blocked_ = false;
    wheel_.at(wheel_.now(), resumed_, target_);
  }

 private:
  static constexpr u32 ahead = 1024;  // instructions that a thread may run ahead of the others

  void settle() {
    base_ += (issued_ - base_at_) * 1'000'000'000 / per_second_;
    base_at_ = issued_;
  }

  core::TimeWheel& wheel_;
  const core::Kilohertz clock_;  // of the wheel
  const u64 per_second_;         // thousands of instructions a second
  const std::span<u8> stack_;
  const core::TimeWheel::Handler resumed_;
  void* const target_;
  Fiber fiber_;
  u64 base_ = 0, base_at_ = 0;  // picoseconds when instruction `base_at_` was issued
  u64 issued_ = 0, look_at_ = 0;
  bool blocked_ = false;
};

}  // namespace ew::host
