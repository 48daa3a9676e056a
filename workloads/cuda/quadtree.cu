// Builds a quadtree of points in parallel, with a lock in each child link, then counts the points in rectangles by
// walking it. Exercises: locks by atomicCAS on tree links, nodes from a counter, explicit stacks in local memory,
// fences.
//
// deterministic: yes
#include "check.h"

namespace {

constexpr int kEmpty = -1, kLocked = -2;
constexpr int kDeepest = 24;

// A link is kEmpty, kLocked, a point (below n) or a cell (n and above).
struct Tree {
  int* links;  // four a cell
  int* cells;  // number of cells made
  int most;
  const float2* points;
  int n;
};

__device__ int quadrant(float2 p, float2 centre) {
  return (p.x >= centre.x) + 2 * (p.y >= centre.y);
}
__device__ float2 moved(float2 centre, int quadrant, float half) {
  return make_float2(centre.x + (quadrant & 1 ? half : -half), centre.y + (quadrant & 2 ? half : -half));
}

__global__ void insert(Tree tree, int* failures) {
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me >= tree.n) return;
  const float2 p = tree.points[me];
  float2 centre = make_float2(0.5f, 0.5f);
  float half = 0.25f;
  int cell = 0, depth = 0;
  bool placed = false;
  while (!placed) {
    const int q = quadrant(p, centre);
    int* link = &tree.links[4 * cell + q];
    const int seen = *static_cast<volatile int*>(link);
    if (seen >= tree.n) {  // go down
      cell = seen - tree.n;
      centre = moved(centre, q, half);
      half *= 0.5f;
      ++depth;
    } else if (seen != kLocked && atomicCAS(link, seen, kLocked) == seen) {
      int result = me;
      if (seen != kEmpty) {  // a point is there: build cells until the two part
        int fresh = atomicAdd(tree.cells, 1);
        result = tree.n + fresh;
        float2 c = moved(centre, q, half);
        float h = half * 0.5f;
        for (int d = depth;; ++d) {
          if (fresh >= tree.most || d > kDeepest) {
            atomicAdd(failures, 1);
            break;
          }
          const int qa = quadrant(tree.points[seen], c), qb = quadrant(p, c);
          int* links = &tree.links[4 * fresh];
          if (qa != qb) {
            links[qa] = seen;
            links[qb] = me;
            break;
          }
          const int deeper = atomicAdd(tree.cells, 1);
          links[qa] = tree.n + deeper;
          c = moved(c, qa, h);
          h *= 0.5f;
          fresh = deeper;
        }
      }
      __threadfence();  // the cells are whole before the link leads to them
      *static_cast<volatile int*>(link) = result;
      placed = true;
    }
  }
}

// How many points lie within the rectangle, by walking the tree with a stack.
__global__ void count_inside(Tree tree, const float4* rectangles, int* counts, int queries) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queries) return;
  const float4 r = rectangles[i];  // x, y of the lower corner, then of the upper
  struct Entry {
    int cell;
    float x, y, half;
  } stack[3 * kDeepest + 4];
  int depth = 0, count = 0;
  stack[depth++] = {0, 0.5f, 0.5f, 0.25f};
  while (depth > 0) {
    const Entry top = stack[--depth];
    for (int q = 0; q < 4; ++q) {
      const int link = tree.links[4 * top.cell + q];
      if (link == kEmpty) continue;
      if (link < tree.n) {
        const float2 p = tree.points[link];
        count += p.x >= r.x && p.y >= r.y && p.x < r.z && p.y < r.w;
        continue;
      }
      const float2 c = moved(make_float2(top.x, top.y), q, top.half);
      const float side = top.half;
      if (c.x + side < r.x || c.y + side < r.y || c.x - side > r.z || c.y - side > r.w) continue;
      stack[depth++] = {link - tree.n, c.x, c.y, top.half * 0.5f};
    }
  }
  counts[i] = count;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 500, 2, 1 << 18);
  const int queries = size_argument(argc, argv, 2, 32, 1, 1 << 16);
  Random random(70);
  std::vector<float2> points(n);
  for (int i = 0; i < n; ++i) {  // a third of them crowded into a corner
    const float scale = i % 3 ? 1.0f : 0.02f;
    points[i] = make_float2(random.uniform() * scale, random.uniform() * scale);
  }
  std::vector<float4> rectangles(queries);
  std::vector<int> want(queries);
  for (int i = 0; i < queries; ++i) {
    const float x = random.uniform() * (i % 2 ? 0.02f : 0.8f), y = random.uniform() * (i % 2 ? 0.02f : 0.8f);
    rectangles[i] = make_float4(x, y, x + random.uniform() * 0.3f, y + random.uniform() * 0.3f);
    for (const float2& p : points) want[i] += p.x >= x && p.y >= y && p.x < rectangles[i].z && p.y < rectangles[i].w;
  }
  const int most = 8 * n + 64;
  DeviceArray<float2> device_points(points);
  DeviceArray<float4> device_rectangles(rectangles);
  DeviceArray<int> links(4 * most, 0xff), cells(std::vector<int>{1}), failures(1, 0), counts(queries);
  const Tree tree = {links, cells, most, device_points, n};
  insert<<<(n + 63) / 64, 64>>>(tree, failures);
  count_inside<<<(queries + 31) / 32, 32>>>(tree, device_rectangles, counts, queries);
  FINISH_KERNEL();
  EXPECT(failures.download()[0] == 0, "all points should find a place, %d did not", failures.download()[0]);
  EXPECT_SAME(want, counts.download(), "points in rectangle");
  return PASS("points=%d queries=%d", n, queries);
}
