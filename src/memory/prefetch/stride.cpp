// A reference prediction table (T.-F. Chen and J.-L. Baer, "Effective Hardware-Based Data Prefetching for
// High-Performance Processors", IEEE Transactions on Computers 44(5), 1995). It keeps the last address and
// the last stride, and believes a stride that has come twice in a row. The paper's table has a row for each load
// instruction. A private cache is not told which instruction loads, so here a row is a warp's (J. Lee, N.
// Lakshminarayana, H. Kim and R. Vuduc, "Many-Thread Aware Prefetching Mechanisms for GPGPU Applications", MICRO 2010,
// train by warp, too). A warp that loads from several arrays in turn has no stride, then.
#include <array>
#include <utility>

#include "memory/prefetch/prefetchers.hpp"

namespace ew::memory {
namespace {

class Stride final : public Prefetcher {
 public:
  explicit Stride(u32 distance) : distance_(distance) {}

  void seen(const SeenLoad& load, core::FunctionRef<void(u64)> fetch) override {
    Row& row = rows_[load.warp];
    const u64 stride = load.line - row.last;
    if (stride == 0) return;  // another word of the line
    row.last = load.line;
    if (stride == row.stride) {
      row.believed = true;
      fetch(load.line + stride * distance_);
    } else if (!std::exchange(row.believed, false)) {
      row.stride = stride;
    }
  }

 private:
  struct Row {
    u64 last = 0, stride = 0;  // a stride that goes back is a large number: sums wrap around
    bool believed = false;     // it survives one surprise, as the paper's steady state does
  };
  u32 distance_;
  std::array<Row, 256> rows_{};
};

}  // namespace

PrefetcherKind prefetchers::stride() {
  return {.name = "stride",
          .sentence =
              "A table of warps: when a warp's loads have had the same distance twice, the line that follows is asked "
              "for (Chen and Baer 1995, with warps in place of instructions).",
          .make = [](u32, u32 distance) -> std::unique_ptr<Prefetcher> { return std::make_unique<Stride>(distance); }};
}

}  // namespace ew::memory
