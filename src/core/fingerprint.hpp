// FNV-1a (Fowler, Noll, Vo), 64 bits, over bytes as they come: tells files, texts and runs apart, and guards against
// nobody. A value.
#pragma once

#include <string_view>

#include "core/types.hpp"

namespace ew::core {

class Fingerprint {
 public:
  void add(u64 unit) { value_ = (value_ ^ unit) * 0x100000001b3; }
  void add(std::string_view bytes) {
    for (const char c : bytes) add(u64{static_cast<u8>(c)});
  }
  u64 value() const { return value_; }

 private:
  u64 value_ = 0xcbf29ce484222325;
};

inline u64 fingerprint(std::string_view bytes) {
  Fingerprint of;
  of.add(bytes);
  return of.value();
}

}  // namespace ew::core
