// Where each page of managed memory lies: on the host, on the device, or on both sides (a page that is mostly read).
// Only where, not how it moves (managed_pages.hpp). Owned by ManagedPages.
#pragma once

#include <algorithm>
#include <vector>

#include "memory/address_space.hpp"
#include "memory/managed/managed_advice.hpp"

namespace ew::memory {

enum class PagePlace : u8 { on_host, coming, here, on_both };

class PagePlaces {
 public:
  PagePlaces(const AddressSpace& space, u64 page_bytes) : space_(space), page_(page_bytes) {}

  /// Takes in what was allocated since; cheap when nothing was. Between launches.
  void refresh();
  /// May a kernel's access go on? True for every address that is not managed.
  bool resident(u64 address, bool writes) const {
    for (const Window& window : windows_) {
      if (address - window.begin >= window.bytes) continue;
      const PagePlace place = window.places[(address - window.begin) / page_];
      return place == PagePlace::here || (place == PagePlace::on_both && !writes);
    }
    return true;
  }
  /// visit(place, read_mostly, page's address) for each page of these bytes; both may be changed.
  template <class Visit>
  void each_page(u64 begin, u64 bytes, Visit&& visit) {
    Window* const window = window_of(begin);
    if (!window || bytes == 0) return;
    const u64 end = std::min(begin + bytes, window->begin + window->bytes);
    for (u64 number = (begin - window->begin) / page_; window->begin + number * page_ < end; ++number)
      visit(window->places[number], window->read_mostly[number], window->begin + number * page_);
  }
  void advise(u64 begin, u64 bytes, ManagedAdvice);

 private:
  struct Window {
    u64 begin = 0, bytes = 0;
    std::vector<PagePlace> places;  // by page; as long as pages have been asked for
    std::vector<u8> read_mostly;    // likewise
  };
  /// What changes when managed memory is allocated, adopted or released.
  struct Seen {
    u64 adoptions = ~u64{0}, generation = 0, used = 0;
    bool operator==(const Seen&) const = default;
  };
  Window* window_of(u64 address);

  const AddressSpace& space_;
  const u64 page_;
  std::vector<Window> windows_;
  Seen seen_;  // at the last refresh
};

}  // namespace ew::memory
