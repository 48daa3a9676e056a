// Functions whose declarations differ in their execution space: __host__ __device__ stands on the definition alone, or
// on the declaration alone. nvcc takes the words of all declarations together. Free functions, templates, members,
// constructors, destructors, operators and friends. Exercises: __host__, __device__ on redeclarations.
//
// deterministic: yes
#include "check.h"

namespace {

// No word here, both words on the definition; and one of the two words here.
int twice(int a);
__device__ int half(int a);
__host__ int negated(int a);
int* moved(int* at, int by);
template <class T>
T squared(T a);
int twice(int a);  // a second declaration

// The other way round: words on the declaration alone.
__host__ __device__ int cubed(int a);

class Fraction {
 public:
  Fraction(int over, int under);
  ~Fraction();
  int whole() const;
  static int count_of_parts();
  explicit operator int() const;
  Fraction operator*(const Fraction& other) const;
  Fraction& operator+=(int add);
  template <class T>
  T scaled(T by) const;
  __host__ __device__ int rest() const;
  friend bool operator==(const Fraction& a, const Fraction& b);

 private:
  int over_, under_;
};

template <class T, int kSize>
struct Row {
  T cells[kSize];
  T sum() const;
  struct Place {
    int at;
    int mirrored() const;
  };
};

__host__ __device__ int twice(int a) {
  return 2 * a;
}
__host__ __device__ int half(int a) {
  return a / 2;
}
__host__ __device__ int negated(int a) {
  return -a;
}
__host__ __device__ int* moved(int* at, int by) {
  return at + by;
}
template <class T>
__host__ __device__ T squared(T a) {
  return a * a;
}
int cubed(int a) {
  return a * a * a;
}

__host__ __device__ Fraction::Fraction(int over, int under) : over_(over), under_(under) {}
__host__ __device__ Fraction::~Fraction() {}
__host__ __device__ int Fraction::whole() const {
  return over_ / under_;
}
__host__ __device__ int Fraction::count_of_parts() {
  return 2;
}
__host__ __device__ Fraction::operator int() const {
  return whole();
}
__host__ __device__ Fraction Fraction::operator*(const Fraction& other) const {
  return Fraction(over_ * other.over_, under_ * other.under_);
}
__host__ __device__ Fraction& Fraction::operator+=(int add) {
  over_ += add * under_;
  return *this;
}
template <class T>
__host__ __device__ T Fraction::scaled(T by) const {
  return by * over_ / under_;
}
int Fraction::rest() const {
  return over_ % under_;
}
__host__ __device__ bool operator==(const Fraction& a, const Fraction& b) {
  return a.over_ * b.under_ == b.over_ * a.under_;
}

template <class T, int kSize>
__host__ __device__ T Row<T, kSize>::sum() const {
  T all = 0;
  for (T cell : cells) all += cell;
  return all;
}
template <class T, int kSize>
__host__ __device__ int Row<T, kSize>::Place::mirrored() const {
  return kSize - 1 - at;
}

constexpr int kResults = 14;

__host__ __device__ void all(int a, int* out) {
  int numbers[4] = {a, a + 1, a + 2, a + 3};
  Fraction f(a, 3);
  f += 4;
  const Fraction g = f * Fraction(2, 5);
  const Row<int, 4> row{{a, 2 * a, 3, 4}};
  const int results[kResults] = {twice(a),
                                 half(a),
                                 negated(a),
                                 *moved(numbers, 2),
                                 squared(a),
                                 squared<short>(7) + cubed(a),
                                 f.whole(),
                                 Fraction::count_of_parts(),
                                 static_cast<int>(g),
                                 g.scaled(10),
                                 f.rest(),
                                 f == Fraction(2 * (a + 12), 6),
                                 row.sum(),
                                 Row<int, 4>::Place{1}.mirrored()};
  for (int k = 0; k < kResults; ++k) out[k] = results[k];
}

__global__ void run(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all(i + 1, out + i * kResults);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 100, 1, 1 << 16);
  DeviceArray<int> out(static_cast<size_t>(n) * kResults);
  run<<<(n + 63) / 64, 64>>>(out, n);
  FINISH_KERNEL();
  std::vector<int> want(out.size());
  for (int i = 0; i < n; ++i) all(i + 1, want.data() + static_cast<size_t>(i) * kResults);
  EXPECT(want[2] == -1 && want[4] == 1 && want[10] == 1 && want[11] == 1, "the host's own results should be right");
  EXPECT_SAME(want, out.download(), "results");
  return PASS("values=%d functions=%d", n, kResults);
}
