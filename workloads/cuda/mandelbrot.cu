// The Mandelbrot set by recursive subdivision (Mariani-Silver): a square whose border has one depth is filled, others
// are split. Exercises: dynamic work from a shared counter, a growing work list in global memory, divergent escape
// loops.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kDepth = 60;
constexpr int kSmallest = 4;

struct Square {
  short x, y, side;
};

// Whole-number arithmetic (24 fractional bits), so that host and device agree exactly.
__host__ __device__ int escape_time(int px, int py, int size) {
  const long long cr = (3ll << 24) * px / size - (2ll << 24), ci = (3ll << 24) * py / size - (3ll << 23);
  long long re = 0, im = 0;
  for (int i = 0; i < kDepth; ++i) {
    const long long rr = re * re >> 24, ii = im * im >> 24;
    if (rr + ii > (4ll << 24)) return i;
    im = (re * im >> 23) + ci;
    re = rr - ii + cr;
  }
  return kDepth;
}

// Every block takes squares until the list is empty and no block can add to it any more.
__global__ void draw(int* picture, int size, Square* list, int* head, volatile int* tail, int* pending) {
  __shared__ Square square;
  __shared__ bool finished;
  for (;;) {
    if (threadIdx.x == 0) {
      const int ticket = atomicAdd(head, 1);
      while (*tail <= ticket && atomicAdd(pending, 0) > 0) __nanosleep(100);
      __threadfence();
      finished = *tail <= ticket;
      if (!finished) {
        volatile Square* slot = &list[ticket];
        while (slot->side == 0) continue;  // the slot is taken, but not written yet
        __threadfence();
        square.x = slot->x, square.y = slot->y, square.side = slot->side;
      }
    }
    __syncthreads();
    if (finished) return;
    const int side = square.side;
    const int first = escape_time(square.x, square.y, size);
    bool same = true;
    for (int i = threadIdx.x; i < 4 * side; i += blockDim.x) {
      const int k = i % side, edge = i / side;
      const int x = edge == 0 ? k : edge == 1 ? side - 1 : edge == 2 ? side - 1 - k : 0;
      const int y = edge == 0 ? 0 : edge == 1 ? k : edge == 2 ? side - 1 : side - 1 - k;
      same &= escape_time(square.x + x, square.y + y, size) == first;
    }
    const bool uniform = __syncthreads_and(same);
    if (uniform || side <= kSmallest) {
      for (int i = threadIdx.x; i < side * side; i += blockDim.x) {
        const int x = square.x + i % side, y = square.y + i / side;
        picture[y * size + x] = uniform ? first : escape_time(x, y, size);
      }
    } else if (threadIdx.x < 4) {
      const short half = static_cast<short>(side / 2);
      atomicAdd(pending, 1);
      const int at = atomicAdd(const_cast<int*>(tail), 1);
      volatile Square* slot = &list[at];
      slot->x = static_cast<short>(square.x + (threadIdx.x & 1) * half);
      slot->y = static_cast<short>(square.y + (threadIdx.x >> 1) * half);
      __threadfence();
      slot->side = half;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicSub(pending, 1);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int size = 1 << size_argument(argc, argv, 1, 6, 2, 12);
  std::vector<int> want(size * size);
  for (int i = 0; i < size * size; ++i) want[i] = escape_time(i % size, i / size, size);
  // Where the border is uniform but the inside is not, the method itself errs: the reference must follow it.
  const auto subdivide = [&](const auto& self, int x0, int y0, int side) -> void {
    bool uniform = true;
    for (int k = 0; k < side; ++k) {
      const int border[] = {y0 * size + x0 + k, (y0 + side - 1) * size + x0 + k, (y0 + k) * size + x0,
                            (y0 + k) * size + x0 + side - 1};
      for (int at : border) uniform &= want[at] == want[y0 * size + x0];
    }
    if (uniform) {
      for (int y = y0; y < y0 + side; ++y)
        for (int x = x0; x < x0 + side; ++x) want[y * size + x] = want[y0 * size + x0];
    } else if (side > kSmallest) {
      for (int q = 0; q < 4; ++q) self(self, x0 + (q & 1) * side / 2, y0 + (q >> 1) * side / 2, side / 2);
    }
  };
  subdivide(subdivide, 0, 0, size);

  std::vector<Square> list(2 * size * size / (kSmallest * kSmallest) + 64);
  list[0] = {0, 0, static_cast<short>(size)};
  DeviceArray<Square> device_list(list);
  DeviceArray<int> picture(want.size(), 0xff), counters(std::vector<int>{0, 1, 1});
  draw<<<6, 64>>>(picture, size, device_list, counters, counters + 1, counters + 2);
  FINISH_KERNEL();
  EXPECT_SAME(want, picture.download(), "escape time");
  return PASS("%dx%d", size, size);
}
