// Pages of a host's file in the GPU's memory, which warps find by themselves and ask GPUfs for ("ActivePointers: A Case
// for Software Address Translation on GPUs", Shahar, Bergman and Silberstein, ISCA'16): what BaM's cache is compared
// with
// ("BaM", section 5.1). A lane's pointer is linked to a page as long as it stays inside: then an access needs a check
// alone. When lanes come to another page, the warp leaves the old one and links to the new one together: one lane
// counts the reference. If the page is not there the whole warp calls gread().
//
// What is left out: eviction (the GPU's memory holds the whole file, as in BaM's measurement), writing, and pages that
// two warps of one block ask for (a block is one warp, because a call of GPUfs is a block's).
#pragma once

#include <everwarp/gpufs.cuh>

namespace active_pointers {

using word = unsigned long long;

/// A file's pages on the device. Kernels get it by value.
struct pages {
  gpufs fs{};
  int file = 0;
  unsigned page = 0;           // bytes: a power of two
  unsigned* states = nullptr;  // for each page of the file: 0 it is away, 1 it comes, 2 it is there
  unsigned* links = nullptr;   // for each page, how many warps use it
  char* frames = nullptr;
};

/// A pointer of each lane to words of the file. All lanes of the warp make each access together.
class pointer {
 public:
  __device__ explicit pointer(const pages& all) : all_(all) {}
  __device__ ~pointer() { leave(); }
  pointer(const pointer&) = delete;
  pointer& operator=(const pointer&) = delete;

  __device__ word operator[](word i) {
    const word at = i * sizeof(word), page = at / all_.page;
    if (__any_sync(~0u, page != page_)) link(page);
    return *reinterpret_cast<const word*>(frame_ + at % all_.page);
  }

 private:
  static constexpr word no_page = ~word{0};

  /// Page by page of those that lanes want.
  __device__ void link(word page) {
    leave();
    for (unsigned left = ~0u; left != 0;) {
      const int leader = __ffs(static_cast<int>(left)) - 1;
      const word wanted = __shfl_sync(~0u, page, leader);
      const unsigned same = __ballot_sync(~0u, page == wanted);
      if (threadIdx.x % 32 == static_cast<unsigned>(leader)) atomicAdd(all_.links + wanted, 1u), counts_ = true;
      bring(wanted, leader);
      left &= ~same;
    }
    page_ = page, frame_ = all_.frames + page * all_.page;
  }
  __device__ void leave() {
    if (counts_) atomicSub(all_.links + page_, 1u);
    counts_ = false;
  }
  __device__ void bring(word page, int leader) {
    unsigned state = 0;
    if (threadIdx.x % 32 == static_cast<unsigned>(leader)) state = atomicCAS(all_.states + page, 0u, 1u);
    state = __shfl_sync(~0u, state, leader);
    if (state == 0) {
      char* const frame = all_.frames + page * all_.page;
      if (gread(all_.fs, all_.file, static_cast<int>(page * all_.page), static_cast<int>(all_.page), frame) !=
          static_cast<int>(all_.page))
        __trap();
      __threadfence();
      __syncwarp();
      if (threadIdx.x % 32 == static_cast<unsigned>(leader)) atomicExch(all_.states + page, 2u);
    }
    while (*reinterpret_cast<const volatile unsigned*>(all_.states + page) != 2) continue;
    __threadfence();
    __syncwarp();
  }

  const pages& all_;
  word page_ = no_page;
  const char* frame_ = nullptr;
  bool counts_ = false;
};

}  // namespace active_pointers
