// Non-temporal stores of a core of the host that wait to leave together: of one line, until another line's come, the
// line is whole, or a fence. Owned by TracedCore.
#pragma once

#include <utility>

#include "host/port.hpp"

namespace ew::host {

class CombinedStores {
 public:
  bool any() const { return bytes_ != 0; }
  bool whole() const { return bytes_ == ~u64{0}; }
  u64 line() const { return line_; }
  /// REQUIRES: none, or of the same line; the bytes lie in one.
  void add(u64 address, u32 count) {
    line_ = line_of(address);
    bytes_ |= (count == host_line ? ~u64{0} : (u64{1} << count) - 1) << (address - line_);
  }
  /// Which bytes of the line; none are left.
  u64 take() { return std::exchange(bytes_, 0); }

 private:
  u64 line_ = 0, bytes_ = 0;
};

}  // namespace ew::host
