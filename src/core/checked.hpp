// Arithmetic on sizes that a program or a file gives. A sum or product that does not fit 64 bits stays marked, whatever
// is computed with it, and is below no bound: one test at the end of a formula is enough. Every call that takes sizes,
// pitches, extents or offsets computes with it.
#pragma once

#include "core/types.hpp"

namespace ew::core {

class Checked {
 public:
  constexpr Checked(u64 value) : value_(value) {}  // NOLINT: a plain number takes part in a formula
  constexpr bool fits() const { return fits_; }
  constexpr bool at_most(u64 bound) const { return fits_ && value_ <= bound; }
  /// The largest number there is when it does not fit.
  constexpr u64 value() const { return fits_ ? value_ : ~u64{0}; }

  friend constexpr Checked operator+(Checked a, Checked b) {
    Checked sum(0);
    sum.fits_ = !__builtin_add_overflow(a.value_, b.value_, &sum.value_) && a.fits_ && b.fits_;
    return sum;
  }
  friend constexpr Checked operator*(Checked a, Checked b) {
    Checked product(0);
    product.fits_ = !__builtin_mul_overflow(a.value_, b.value_, &product.value_) && a.fits_ && b.fits_;
    return product;
  }
  /// The next multiple of `unit`.
  constexpr Checked rounded_up(u64 unit) const {
    Checked result = *this + (unit - 1);
    result.value_ -= result.value_ % unit;
    return result;
  }

 private:
  u64 value_ = 0;
  bool fits_ = true;
};

/// Do `bytes` from `begin` on lie in the `size` bytes from `low` on?
constexpr bool lies_within(u64 begin, Checked bytes, u64 low, u64 size) {
  return begin >= low && (Checked(begin - low) + bytes).at_most(size);
}

}  // namespace ew::core
