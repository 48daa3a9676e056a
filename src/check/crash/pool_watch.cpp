#include "check/crash/pool_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/diagnostics.hpp"
#include "runtime/pool.hpp"

namespace ew::check {

namespace {

namespace fs = std::filesystem;

bool is_pool(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error) && runtime::Pools::size_of(file.string()) != 0;
}

/// "a.pool", "a.pool or b.pool", "a.pool, b.pool, c.pool or 4 more".
std::string one_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  const std::size_t shown = names.size() > most ? most : names.size() - 1;
  const std::string last = names.size() > most ? fmt::format("{} more", names.size() - most) : names.back();
  if (shown == 0) return last;
  return fmt::format("{} or {}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                     last);
}

}  // namespace

PoolWatch::PoolWatch(const fs::path& folder, const std::vector<fs::path>& pools)
    : folder_(folder), watch_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
  for (const fs::path& pool : pools)
    if (is_pool(folder / pool)) pools_.push_back(pool);
  if (pools_.empty()) return;
  const auto add = [&](const fs::path& path, std::uint32_t what) {
    return watch_ < 0 ? -1 : ::inotify_add_watch(watch_, path.c_str(), what);
  };
  for (const fs::path& pool : pools_) {
    const int number = add(folder / pool, IN_OPEN);
    opened_ |= number < 0;
    numbers_.insert(number);
  }
  const auto add_folder = [&](const fs::path& path) {
    folders_.emplace_back(add(path, IN_OPEN | IN_MOVED_TO), path.lexically_relative(folder));
  };
  add_folder(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_directory()) add_folder(entry.path());
}

PoolWatch::~PoolWatch() {
  if (watch_ >= 0) ::close(watch_);
}

void PoolWatch::read_events() {
  alignas(inotify_event) char bytes[16384];
  for (ssize_t got; watch_ >= 0 && (got = ::read(watch_, bytes, sizeof bytes)) > 0;) {
    for (ssize_t at = 0; at < got;) {
      inotify_event event;
      std::memcpy(&event, bytes + at, sizeof event);
      opened_ |= numbers_.contains(event.wd) || (event.mask & IN_Q_OVERFLOW) != 0;
      const auto there = std::ranges::find(folders_, event.wd, &std::pair<int, fs::path>::first);
      if (there != folders_.end() && event.len != 0)
        others_.insert((there->second / (bytes + at + sizeof event)).lexically_normal());
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

bool PoolWatch::one_opened() {
  read_events();
  return pools_.empty() || opened_;
}

void PoolWatch::expect_one_opened() {
  if (one_opened()) return;
  std::vector<std::string> expected, found;
  for (const fs::path& pool : pools_) expected.push_back(pool.string());
  for (const fs::path& other : others_)
    if (is_pool(folder_ / other)) found.push_back(other.string());
  throw core::UserError(fmt::format(
      "the recovery after a run without a crash opened no pool of the program: expected {}, but it opened {}",
      one_of(expected), found.empty() ? "no pool in the trial's folder" : fmt::format("{}", fmt::join(found, ", "))));
}

std::vector<fs::path> pools_left(const fs::path& folder, const std::vector<std::string>& words) {
  std::vector<fs::path> pools;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && is_pool(entry.path())) pools.push_back(entry.path().lexically_relative(folder));
  std::ranges::sort(pools);
  for (const std::string& word : words) {
    const fs::path path = (folder / word).lexically_normal();
    const bool outside = path.lexically_relative(folder).string().starts_with("..");
    if (outside && is_pool(path)) pools.push_back(path);
  }
  return pools;
}

}  // namespace ew::check
