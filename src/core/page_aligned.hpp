// Bytes that begin at a page of the host. Where in a line and in a page malloc puts an object depends on what else the
// process has allocated, such as copies of its environment; where simulated time depends on the place, bytes lie so.
#pragma once

#include <new>
#include <vector>

#include "core/types.hpp"

namespace ew::core {

template <class T>
struct PageAligned {
  using value_type = T;
  static constexpr std::align_val_t page{4096};

  PageAligned() = default;
  template <class U>
  PageAligned(const PageAligned<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), page)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, page); }
  bool operator==(const PageAligned&) const = default;
};

using PageBytes = std::vector<u8, PageAligned<u8>>;

}  // namespace ew::core
