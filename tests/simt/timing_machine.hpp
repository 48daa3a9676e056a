// A timing GPU with a stand-in for its hierarchy: lines answer late, in an order of their own, and stall now and then,
// as far as the rules of PrivateCache allow. Accesses to one line are performed in order of acceptance.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "case_file.hpp"
#include "consistency/models.hpp"
#include "simt/timing_gpu.hpp"

namespace ew::test {

struct AskedOrder;

/// What a machine says of itself when it goes.
struct TimingReport {
  simt::TimingStatistics statistics;
  u64 digest = 0, events = 0, acquires = 0, releases = 0, most_under_way = 0;
};

struct TimingSetup {
  simt::SmTimingConfig timing;
  const char* consistency = "ptx";
  u32 line = 128;
  u32 private_latency = 20;
  u32 fastest = 20, slowest = 20;  // of a line that is not a hit; by chance between them
  u32 hits = 0;                    // of 100 parts
  u32 stalls = 0;                  // of 100 parts
  u32 holds = 0;                   // of 100 parts and order operations: their warp is held for a while
  simt::PersistTiming persists;
  u32 seed = 1;
  u64 skew = 0;                 // the GPU's seed
  bool answers = true;          // false: what is late never comes
  bool stores_at_once = false;  // are performed at once, and visible to everyone late
  simt::EventRecorder* recorder = nullptr;
  std::vector<memory::LineAccess>* seen = nullptr;
  std::vector<AskedOrder>* orders = nullptr;  // those that were carried out
  TimingReport* report = nullptr;
};

struct AskedOrder {
  memory::PersistOrder kind;
  Scope scope;
  u64 warps;
  std::size_t accesses;  // seen before it
};

/// The private cache of one SM, straight on the image.
class DelayedLines final : public simt::LinePort {
 public:
  DelayedLines(core::TimeWheel& wheel, simt::TimingGpu& gpu, const TimingSetup& setup, u32 sm)
      : wheel_(wheel),
        agent_(gpu.agent(sm)),
        watch_(gpu.observer_of_homes()),
        setup_(setup),
        sm_(static_cast<u16>(sm)),
        random_(setup.seed * 977 + sm) {}

  memory::Accepted access(const memory::LineAccess&, memory::Stall& why) override;
  void acquire(Scope, core::Account) override { ++acquires; }
  bool release(Scope, u32 token, core::Account, u32 warp) override;
  void begin_kernel(core::Account account) override { acquire(Scope::sys, account); }
  bool end_kernel(u32 token, core::Account account) override { return release(Scope::sys, token, account, 0); }
  bool order(memory::PersistOrder, Scope, u64 warps, core::Account) override;
  void flag(memory::PersistOrder, u64, u32) override {}
  std::string what_is_under_way() const override { return under_way_ ? "  lines that answer late" : ""; }

  u64 acquires = 0, releases = 0, most_under_way = 0;

 private:
  bool chance(u32 of_100) { return of_100 && random_() % 100 < of_100; }
  void arrive(u64 access_and_part, u64 line);
  void arrive_atomic(u64 id_and_number, u64 line);
  void visible(u64 access_and_part, u64);
  void wake(u64, u64) { agent_.wake(); }
  void resume(u64 warps, u64) {
    held_ &= ~warps;
    agent_.resume(warps);
  }
  void released(u64 token, u64) { agent_.released(static_cast<u32>(token)); }

  core::TimeWheel& wheel_;
  memory::Agent& agent_;
  memory::HomeObserver* watch_;
  TimingSetup setup_;
  u16 sm_;
  memory::RecordPool<memory::LineAtomic> atomics_;
  std::mt19937 random_;
  std::vector<core::Cycle> busy_until_ = std::vector<core::Cycle>(4096);  // by line; lines that share one wait, too
  core::Cycle last_store_ = 0;
  u64 under_way_ = 0;
  u64 held_ = 0;
};

/// A Gpu with everything that it stands on.
class TimingMachine final : public simt::Gpu {
 public:
  TimingMachine(const TimingSetup&, const simt::GpuLimits&, memory::AddressSpace&, simt::DeviceServices&);

  ~TimingMachine() override;

  simt::TimingGpu& timing() { return *gpu_; }
  core::TimeWheel& wheel() { return wheel_; }
  DelayedLines& lines(u32 sm) { return *lines_[sm]; }

  std::string refuse(const simt::Launch& launch) const override { return gpu_->refuse(launch); }
  simt::LaunchId start(simt::Launch launch) override { return gpu_->start(std::move(launch)); }
  bool run(u64 n) override { return gpu_->run(n); }
  std::vector<simt::Completion> take_completions() override { return gpu_->take_completions(); }
  void set_instruction_limit(u64 n) override { gpu_->set_instruction_limit(n); }
  void set_crash_point(u64 n, std::function<void()> f) override { gpu_->set_crash_point(n, std::move(f)); }
  void request_stop() override { gpu_->request_stop(); }
  const simt::Counters& totals() const override { return gpu_->totals(); }
  u64 simulated_nanoseconds() const override { return gpu_->simulated_nanoseconds(); }
  void advance_nanoseconds(u64 n) override { gpu_->advance_nanoseconds(n); }

 private:
  TimingSetup setup_;
  core::TimeWheel wheel_;
  std::vector<std::unique_ptr<DelayedLines>> lines_;
  std::unique_ptr<simt::TimingGpu> gpu_;
};

MakeGpu timing_machine(const TimingSetup&);

}  // namespace ew::test
