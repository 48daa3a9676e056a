#include "runtime/silent_host.hpp"

#include <algorithm>
#include <utility>

namespace ew::runtime {

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::microseconds shortest_opening = 100us;
constexpr auto longest_opening = 64ms;  // of shared memory that the host has touched
constexpr auto silence = 20ms;  // of the host, behind which pages that it shares with other data are watched, too

}  // namespace

SilentHost::SilentHost(const memory::AddressSpace& space, QueueLock& lock)
    : lock_(lock), watch_(new HostWatch(space, [&lock] { lock.wake.notify_all(); })) {}

void SilentHost::begin(bool watch) {
  watch_->begin_silence();
  early_read_counted_ = false;
  silent_since_ = close_again_ = Clock::now();
  open_for_ = shortest_opening;
  if (watch && !traced_) watch_->close(false);
}

bool SilentHost::silent() const {
  return Clock::now() - silent_since_ >= silence;
}

bool SilentHost::polls(HeldLock& held, bool host_function) {
  const auto now = Clock::now();
  if (watch_->take_touched()) {
    early_reads_ += !traced_ && watch_->has_read() && !std::exchange(early_read_counted_, true);
    open_for_ = std::min<std::chrono::microseconds>(2 * open_for_, longest_opening);
    close_again_ = now + open_for_;
  }
  const bool silent = now - silent_since_ >= silence;
  if (watch_->polled() || (silent && watch_->blind())) {
    ++times_polled_;
    return true;
  }
  if (now >= close_again_ && (silent || (!traced_ && !host_function))) watch_->close(silent);
  const auto next = silent ? now + longest_opening : silent_since_ + silence;
  lock_.wake.wait_until(held, close_again_ > now ? std::min(next, close_again_) : next);
  return false;
}

}  // namespace ew::runtime
