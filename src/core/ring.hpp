// A first-in, first-out queue in one array that grows to the working size of a run and stays there.
#pragma once

#include <cassert>
#include <vector>

#include "core/types.hpp"

namespace ew::core {

template <class T>
class Ring {
 public:
  /// Room for so many items at first: 0 or a power of two.
  explicit Ring(u32 room = 0) : items_(room), mask_(room - 1) {}
  bool empty() const { return size_ == 0; }
  u32 size() const { return size_; }
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  T& back() { return (*this)[size_ - 1]; }
  T& operator[](u32 i) { return items_[(first_ + i) & mask_]; }
  const T& operator[](u32 i) const { return items_[(first_ + i) & mask_]; }
  void push_back(const T& item) {
    if (size_ == mask_ + 1) grow();
    items_[(first_ + size_++) & mask_] = item;
  }
  void pop_front() {
    assert(size_);
    first_ = (first_ + 1) & mask_;
    --size_;
  }

 private:
  void grow() {
    std::vector<T> larger(items_.empty() ? 8 : items_.size() * 2);
    for (u32 i = 0; i < size_; ++i) larger[i] = (*this)[i];
    items_.swap(larger);
    mask_ = static_cast<u32>(items_.size()) - 1;
    first_ = 0;
  }

  std::vector<T> items_;  // their number is a power of two
  u32 mask_;              // … less one
  u32 first_ = 0, size_ = 0;
};

}  // namespace ew::core
