// Objects with virtual functions, built on the device by placement new and by new, called through base pointers by
// lanes of the same warp with different types. Exercises: vtables in device memory, divergent indirect calls, virtual
// destructors.
//
// deterministic: yes
#include <new>

#include "check.h"

namespace {

__device__ int destroyed;

class Shape {
 public:
  __host__ __device__ Shape() {}
  __host__ __device__ virtual ~Shape() {
#ifdef __CUDA_ARCH__
    atomicAdd(&destroyed, 1);
#endif
  }
  __host__ __device__ virtual int area() const = 0;
  __host__ __device__ virtual int scaled(int factor) const {
    return area() * factor;
  }
};

class Rectangle : public Shape {
 public:
  __host__ __device__ Rectangle(int width, int height) : width_(width), height_(height) {}
  __host__ __device__ int area() const override { return width_ * height_; }

 protected:
  int width_, height_;
};

class Square : public Rectangle {
 public:
  __host__ __device__ explicit Square(int side) : Rectangle(side, side) {}
  __host__ __device__ int scaled(int factor) const override { return Rectangle::scaled(factor) + 1; }
};

class Pair : public Shape {  // holds other shapes: calls itself through the table again
 public:
  __host__ __device__ Pair(const Shape* a, const Shape* b) : a_(a), b_(b) {}
  __host__ __device__ int area() const override { return a_->area() + b_->scaled(2); }

 private:
  const Shape *a_, *b_;
};

constexpr int kRoom = 32;  // bytes an object may take

__host__ __device__ Shape* make(void* room, int i, Shape* const* earlier) {
  switch (i % 3) {
    case 0:
      return new (room) Rectangle(i + 1, i % 7);
    case 1:
      return new (room) Square(i % 11);
    default:
      return new (room) Pair(earlier[i - 2], earlier[i - 1]);
  }
}

static_assert(sizeof(Rectangle) <= kRoom && sizeof(Pair) <= kRoom, "objects must fit into their rooms");

__global__ void build(char* rooms, Shape** shapes, int n) {
  const int i = 3 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = i; k < min(i + 3, n); ++k) shapes[k] = make(rooms + k * kRoom, k, shapes);
}

__global__ void measure(Shape* const* shapes, int* areas, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Shape* own = i % 2 ? static_cast<Shape*>(new Square(i)) : new Rectangle(i, 2);
  areas[i] = shapes[i]->area() + 1000 * shapes[i]->scaled(3) + own->scaled(5);
  delete own;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 300, 1, 1 << 13);
  std::vector<char> rooms(n * kRoom + 16);
  std::vector<Shape*> shapes(n);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    shapes[i] = make(&rooms[i * kRoom], i, shapes.data());
    const int own = i % 2 ? i * i * 5 + 1 : 2 * i * 5;
    want[i] = shapes[i]->area() + 1000 * shapes[i]->scaled(3) + own;
  }
  DeviceArray<char> device_rooms(n * kRoom);
  DeviceArray<Shape*> device_shapes(n);
  DeviceArray<int> areas(n);
  build<<<(n + 95) / 96, 32>>>(device_rooms, device_shapes, n);
  measure<<<(n + 63) / 64, 64>>>(device_shapes, areas, n);
  FINISH_KERNEL();
  EXPECT_SAME(want, areas.download(), "area");
  int gone = 0;
  CUDA(cudaMemcpyFromSymbol(&gone, destroyed, sizeof(int)));
  EXPECT(gone == n, "%d objects should be destroyed, were %d", n, gone);
  return PASS("shapes=%d last area=%d", n, want.back());
}
