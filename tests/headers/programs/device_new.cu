// Device code makes and deletes objects with new and delete, in every standard of C++ (CMakeLists.txt builds it for several).
#include <new>

#include "test.h"

namespace {

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};

__global__ void make_and_delete() {
  const int i = static_cast<int>(threadIdx.x);
  const Shape* shape = new Square(i);
  EXPECT(shape->area() == i * i);
  delete shape;
  int* row = new int[4]{i, i + 1, i + 2, i + 3};
  EXPECT(row[3] == i + 3);
  delete[] row;
  alignas(Square) char place[sizeof(Square)];
  EXPECT((new (place) Square(3))->area() == 9);
}

}  // namespace

int main() {
  make_and_delete<<<1, 32>>>();
  return finish();
}
