#include "memory/atomics.hpp"

#include <cstring>

namespace ew::memory {
namespace {

struct OfLine {
  LineAtomic& atomic;
  LaneMask lanes;
  u8* line;

  LaneMask mask() const { return lanes; }
  template <class T>
  T* cell(u32 lane) const {
    return reinterpret_cast<T*>(line + atomic.offset[lane]);
  }
  template <class T>
  T b(u32 lane) const {
    return static_cast<T>(atomic.b[lane]);
  }
  template <class T>
  T c(u32 lane) const {
    return static_cast<T>(atomic.c[lane]);
  }
  template <class T>
  void found(u32 lane, T old) const {
    atomic.found[lane] = old;
  }
};

}  // namespace

void perform(LineAtomic& atomic, LaneMask lanes, u8* line) {
  AtomicUnit(OfLine{atomic, lanes, line}, true).perform(atomic.form);
}

u64 left_behind(const LineAtomic& atomic, u32 lane) {
  LineAtomic again = {.form = atomic.form};
  again.offset[lane] = 0;
  again.b[lane] = atomic.b[lane];
  again.c[lane] = atomic.c[lane];
  alignas(8) std::array<u8, sizeof(u64)> cell;
  std::memcpy(cell.data(), &atomic.found[lane], sizeof(u64));
  AtomicUnit(OfLine{again, LaneMask{1} << lane, cell.data()}, false).perform(again.form);
  u64 left = 0;
  std::memcpy(&left, cell.data(), sizeof(u64));
  return left;
}

}  // namespace ew::memory
