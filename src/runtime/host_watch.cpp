#include "runtime/host_watch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/host_signals.hpp"

namespace ew::runtime {

namespace {

constexpr u32 most_strays = 1000;  // far more than threads can have met the same closing

// The watches of this process, for the signal handler: a Machine each, of which a program has one.
std::array<std::atomic<HostWatch*>, 4> watches;

/// Holds the lock of a watch: a handler may wait for it, so it takes no mutex.
class Guard {
 public:
  explicit Guard(std::atomic_flag& busy) : busy_(busy) {
    while (busy_.test_and_set(std::memory_order_acquire)) continue;
  }
  ~Guard() { busy_.clear(std::memory_order_release); }

 private:
  std::atomic_flag& busy_;
};

void protect(const SharedRange& range, int rights) {
  ::mprotect(reinterpret_cast<void*>(range.begin), range.end - range.begin, rights);
}

}  // namespace

void* HostWatch::operator new(std::size_t bytes) {
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) throw std::bad_alloc();
  return place;
}

void HostWatch::operator delete(void* place, std::size_t bytes) {
  ::munmap(place, bytes);
}

HostWatch::HostWatch(const memory::AddressSpace& space, std::function<void()> noticed)
    : space_(space), noticed_(std::move(noticed)) {
  u32 arena = 0;
  for (const auto& window : space.windows())
    if (window.region == memory::Region::managed || window.region == memory::Region::host ||
        window.region == memory::Region::pool)
      arenas_[arena++] = {window.begin, window.end};
  for (auto& place : watches) {
    HostWatch* none = nullptr;
    if (place.compare_exchange_strong(none, this)) return;
  }
}

HostWatch::~HostWatch() {
  open();
  for (auto& place : watches) {
    HostWatch* self = this;
    place.compare_exchange_strong(self, nullptr);
  }
}

void HostWatch::close(bool everything) {
  const u64 changes = space_.seen_by_host_changes();
  if (closed_ && changes == found_ && (closed_everything_ || !everything)) return;
  if (changes != found_) {
    const SharedRanges fresh = SharedRanges::find(space_);
    const Guard guard(busy_);
    open_locked();
    ranges_ = fresh;
    found_ = changes;
    blind_ = fresh.blind();
  }
  if (!ranges_.all().empty()) catch_faults();
  const Guard guard(busy_);
  if (system_calls_ > 0) return;
  for (const SharedRange& range : ranges_.all())
    if (everything || range.exclusive) protect(range, PROT_NONE);
  closed_ = true;
  closed_everything_ = everything;
}

void HostWatch::open() {
  if (!closed_) return;
  const Guard guard(busy_);
  open_locked();
}

void HostWatch::open_locked() {
  if (!closed_) return;
  for (const SharedRange& range : ranges_.all())
    if (closed_everything_ || range.exclusive) protect(range, PROT_READ | PROT_WRITE);
  closed_ = closed_everything_ = false;
  strays_ = 0;
}

void HostWatch::begin_silence() {
  if (!polls_.has_looked()) return;
  const Guard guard(busy_);
  polls_.forget();
}

bool HostWatch::touch(u64 address, u64 instruction, Access access) {
  bool opened = false;
  {
    const Guard guard(busy_);
    if (!ranges_.on_page(address)) return false;
    if (!closed_) return ++strays_ < most_strays;
    open_locked();
    opened = true;
    if (access == Access::load && ranges_.shares(address)) polls_.note(address, instruction);
    touched_ = true;
  }
  if (opened) noticed_();
  return true;
}

bool HostWatch::any_touched(u64 address, u64 instruction, Access access) {
  return std::ranges::any_of(watches, [&](const std::atomic<HostWatch*>& place) {
    HostWatch* const watch = place.load();
    return watch && watch->touch(address, instruction, access);
  });
}

/// Whether these bytes lie where memory may be closed, now or later.
bool HostWatch::may_close(u64 begin, u64 end) {
  if (std::ranges::any_of(arenas_, [&](const auto& arena) { return begin < arena.second && arena.first < end; }))
    return true;
  const Guard guard(busy_);
  return ranges_.meets(begin, end);
}

void HostWatch::SystemCall::uses(const void* begin, u64 bytes) {
  const u64 address = reinterpret_cast<u64>(begin);
  for (std::size_t i = 0; i < watches.size(); ++i) {
    HostWatch* const watch = watches[i].load(std::memory_order_relaxed);
    if (!watch || bytes == 0 || !watch->may_close(address, address + bytes)) continue;
    if (!std::exchange(held_[i], watch)) ++watch->system_calls_;
    if (watch->closed_) watch->touch(address, 0, Access::load);
    watch->open();  // the first page may be open while the others are not
  }
}

HostWatch::SystemCall::~SystemCall() {
  for (HostWatch* const watch : held_)
    if (watch) --watch->system_calls_;
}

}  // namespace ew::runtime
