#include "memory/managed/page_places.hpp"

#include <utility>

namespace ew::memory {

/// A window keeps the places of its pages while it lives; it ends with what is allocated now.
void PagePlaces::refresh() {
  const Seen now{space_.adoptions(), space_.generation(), space_.used(Region::managed)};
  if (std::exchange(seen_, now) == now) return;
  std::vector<Window> windows;
  for (const auto& found : space_.windows()) {
    if (found.region != Region::managed) continue;
    const auto old = std::ranges::find(windows_, found.begin, &Window::begin);
    windows.push_back(old == windows_.end() ? Window{found.begin, 0, {}, {}} : std::move(*old));
    // An arena is far larger than what lies in it: the places reach as far as its last allocation.
    const u64 used = found.number == 0 ? space_.used(Region::managed) : found.end - found.begin;
    Window& window = windows.back();
    u64 end = found.begin + used;
    if (used == 0) continue;
    const auto last = space_.neighbours(found.end - 1).below;
    if (last && last->region == Region::managed) end = std::max(end, last->end());
    window.bytes = std::max(window.bytes, (std::min(end, found.end) - found.begin + page_ - 1) / page_ * page_);
    window.places.resize(window.bytes / page_, PagePlace::on_host);
    window.read_mostly.resize(window.bytes / page_);
  }
  windows_ = std::move(windows);
}

PagePlaces::Window* PagePlaces::window_of(u64 address) {
  for (Window& window : windows_)
    if (address - window.begin < window.bytes) return &window;
  return nullptr;
}

void PagePlaces::advise(u64 begin, u64 bytes, ManagedAdvice advice) {
  each_page(begin, bytes, [&](PagePlace& place, u8& read_mostly, u64 page_address) {
    const bool shared = page_address < begin;  // with an older allocation
    if (advice == ManagedAdvice::fresh && shared) return;
    if (advice == ManagedAdvice::fresh && place != PagePlace::coming) place = PagePlace::on_host;
    read_mostly = advice == ManagedAdvice::read_mostly;
    if (!read_mostly && place == PagePlace::on_both)
      place = advice == ManagedAdvice::one_copy_on_host ? PagePlace::on_host : PagePlace::here;
  });
}

}  // namespace ew::memory
