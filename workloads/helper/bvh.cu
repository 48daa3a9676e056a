// Bounding volume hierarchy ("Architectural Support for NVRAM Persistence in GPUs", section 6.3): *construction* finds
// each node's parent from sorted Morton codes (Karras, Maximizing Parallelism in the Construction of BVHs, HPG 2012), a
// transaction a node; *reduction* makes the bounding volumes from the leaves to the root, each node once.
//
//   bvh [--faces N] [--levels N] [--model FILE] …    B1, R1: --faces 100000; B2, R2: --faces 187854; FILE: OBJ or PLY
//   bvh --recover FILE
//
// --work N: a thread of the construction waits up to N cycles before each transaction, as if it had to find out more.
//
// A transaction of the construction writes one word, the node's parent (section 7.4: "each thread only writes one
// element"). The parents are the tree. Children and parents side by side, which the reduction walks along, are no state
// of their own: each node stores itself there, outside of transactions, in device memory.
// In a reduction, the second thread that comes to a node makes its volume and goes on to the parent, in one transaction
// as far as `levels` levels, then in another. Checked: the tree against one that the host builds from the top; each
// volume against the host's. A recovered node is only whole, and a volume only there with those below it.
#include "helper.h"
#include "mesh_files.h"

namespace {

constexpr unsigned kMagic = 0x32485642, kInner = 8;  // words of an inner node: mark, one unused, volume

struct Volume {
  float low[3], high[3];
};
struct Children {
  unsigned left, right;  // node + 1; 0: not there yet
};
/// An inner node's neighbours in the tree, in one load.
struct alignas(16) Links {
  unsigned child[2], parent, unused;  // node + 1
};
/// Nodes: inner ones 0 .. leaves - 2, the root is 0; then the leaves. An inner node's mark and volume lie in one sector
/// of 32 bytes.
struct Layout {
  unsigned leaves, threads, levels;
  __host__ __device__ unsigned inner() const { return leaves - 1; }
  __host__ __device__ unsigned nodes() const { return 2 * leaves - 1; }
  __host__ __device__ unsigned touched(unsigned i) const { return helper::shape_words + kInner * i; }
  __host__ __device__ unsigned volume(unsigned i) const { return touched(i) + 2; }
  __host__ __device__ unsigned parent(unsigned node) const { return helper::shape_words + kInner * inner() + node; }
  unsigned words() const { return parent(nodes()); }
};
static_assert(helper::shape_words % kInner == 0, "inner nodes begin at sectors");

__host__ __device__ Volume both(const Volume& a, const Volume& b) {
  Volume sum;
  for (int i = 0; i < 3; ++i) {
    sum.low[i] = a.low[i] < b.low[i] ? a.low[i] : b.low[i];
    sum.high[i] = a.high[i] > b.high[i] ? a.high[i] : b.high[i];
  }
  return sum;
}

/// Leading bits that codes i and j have in common; equal codes are told apart by their index. -1: there is no j.
__device__ int common(const unsigned* codes, int n, int i, int j) {
  if (j < 0 || j >= n) return -1;
  return codes[i] != codes[j] ? __clz(codes[i] ^ codes[j]) : 32 + __clz(i ^ j);
}

/// How far codes from i on, in direction `step`, have more than `least` bits in common with code i: the last of them.
__device__ int end_of(const unsigned* codes, int n, int i, int step, int least) {
  int most = 2;
  while (common(codes, n, i, i + most * step) > least) most *= 2;
  int length = 0;
  for (int t = most / 2; t > 0; t /= 2)
    if (common(codes, n, i, i + (length + t) * step) > least) length += t;
  return i + length * step;
}

/// Leaves of a node, both ends included, and what their codes have in common with the leaf before and the leaf behind.
struct Range {
  int first, last, before, behind;
};
__device__ Range range_of(const unsigned* codes, int n, int node) {
  const int i = node >= n - 1 ? node - (n - 1) : node;
  const int before = common(codes, n, i, i - 1), behind = common(codes, n, i, i + 1);
  if (node >= n - 1) return {i, i, before, behind};
  // An inner node's number is the one end of its range that has less in common with what is beyond.
  if (behind > before) {
    const int last = end_of(codes, n, i, 1, before);
    return {i, last, before, common(codes, n, last, last + 1)};
  }
  const int first = end_of(codes, n, i, -1, behind);
  return {first, i, common(codes, n, first, first - 1), behind};
}

/// The parent splits where the node ends, at the end that has more in common with what is beyond; it reaches from there
/// as far as codes have as much in common. `right`: the node is its right child. REQUIRES: the node is not the root.
__device__ unsigned parent_of(const unsigned* codes, int n, int node, bool& right) {
  const Range range = range_of(codes, n, node);
  right = range.before > range.behind;
  const int first = right ? end_of(codes, n, range.last, -1, range.before - 1) : range.first;
  const int last = right ? range.last : end_of(codes, n, range.first, 1, range.behind - 1);
  const int before = right ? common(codes, n, first, first - 1) : range.before;
  const int behind = right ? range.behind : common(codes, n, last, last + 1);
  return behind > before ? last : first;
}

HELPER_KERNEL construct(tx::Space space, Layout layout, const unsigned* codes, Links* links, unsigned work,
                        unsigned* witnesses) {
  tx::run(space, [&](tx::Thread& thread) {
    unsigned done = 0;
    for (unsigned node = thread.index(); node < layout.nodes(); node += thread.count()) {
      if (node != 0) {
        bool right;
        const unsigned parent = parent_of(codes, static_cast<int>(layout.leaves), static_cast<int>(node), right);
        links[parent].child[right] = node + 1;
        if (node < layout.inner()) links[node].parent = parent + 1;
        if (work != 0) tx::wait_cycles(helper::mix(node) % work);
        tx::atomically(thread, [&](tx::Transaction& t) { t.store(space.at(layout.parent(node)), parent + 1); });
      }
      ++done;
      if (done % 2 == 0) helper::promise(thread, witnesses, done, BUG == 2);
    }
  });
}

HELPER_KERNEL reduce(tx::Space space, Layout layout, const Volume* leaves, const Links* links, unsigned* witnesses) {
  tx::run(space, [&](tx::Thread& thread) {
    unsigned done = 0;
    for (unsigned leaf = thread.index(); leaf < layout.leaves; leaf += thread.count()) {
      // What the construction has made, no transaction of this kernel writes: so it is read outside of them.
      unsigned child = layout.inner() + leaf, node = *space.at(layout.parent(child));
      Volume below = leaves[leaf];  // the child's
      while (node != 0) {
        unsigned next_child = child, next = node;
        Volume next_below = below;
        tx::atomically(thread, [&](tx::Transaction& t) {
          next_child = child;
          next = node;
          next_below = below;
          for (unsigned level = 0; level < layout.levels && next != 0 && t.alive(); ++level) {
            const unsigned i = next - 1;
            unsigned* const touched = space.at(layout.touched(i));
            const unsigned before = t.load(touched);
            t.store(touched, before + 1);
            if (before == 0) {  // its other child comes later
              next = 0;
              break;
            }
            const Links here = links[i];
            const unsigned other = (here.child[0] == next_child + 1 ? here.child[1] : here.child[0]) - 1;
            const Volume volume =
                both(next_below, other >= layout.inner() ? leaves[other - layout.inner()]
                                                         : t.load(space.at<Volume>(layout.volume(other))));
            if (BUG != 3) t.store(space.at<Volume>(layout.volume(i)), volume);
            next_below = volume;
            next_child = i;
            next = here.parent;
            if (BUG == 3) break;
          }
        });
        if (BUG == 3 && next_child != child)
          tx::atomically(thread, [&](tx::Transaction& t) {  // the volume follows in a transaction of its own
            t.store(space.at<Volume>(layout.volume(next_child)), next_below);
          });
        child = next_child;
        node = next;
        below = next_below;
      }
      ++done;
      if (done % 2 == 0) helper::promise(thread, witnesses, 0x10000u + done, BUG == 4);
    }
  });
}

/// The mesh as leaves: in the order of their Morton codes.
struct Leaves {
  std::vector<unsigned> codes;
  std::vector<Volume> volumes;
};

unsigned spread(unsigned bits) {  // 10 bits, two zeros between each
  unsigned wide = 0;
  for (unsigned i = 0; i < 10; ++i) wide |= (bits >> i & 1) << 3 * i;
  return wide;
}

Leaves leaves_of(const mesh::Mesh& mesh) {
  std::vector<Volume> volumes;
  for (const mesh::Face& face : mesh.faces) {
    Volume volume = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (unsigned corner : {face.a, face.b, face.c}) {
      const mesh::Point& p = mesh.points[corner];
      volume = both(volume, {{p.x, p.y, p.z}, {p.x, p.y, p.z}});
    }
    volumes.push_back(volume);
  }
  Volume all = volumes[0];
  for (const Volume& volume : volumes) all = both(all, volume);
  std::vector<std::pair<unsigned, unsigned>> order;
  for (unsigned i = 0; i < volumes.size(); ++i) {
    unsigned code = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const float size = all.high[axis] - all.low[axis];
      const float at = size > 0 ? ((volumes[i].low[axis] + volumes[i].high[axis]) / 2 - all.low[axis]) / size : 0;
      code = code << 1 | spread(std::min(1023u, static_cast<unsigned>(at * 1024)));
    }
    order.push_back({code, i});
  }
  std::sort(order.begin(), order.end());
  Leaves leaves;
  for (const auto& [code, i] : order) {
    leaves.codes.push_back(code);
    leaves.volumes.push_back(volumes[i]);
  }
  return leaves;
}

/// The tree as the host builds it: from the top, by the highest bit in which a range's first and last codes differ.
struct Tree {
  std::vector<Children> children;
  std::vector<unsigned> parent;
  std::vector<Volume> volumes;

  Tree(const Leaves& leaves, const Layout& layout)
      : children(layout.inner()), parent(layout.nodes()), volumes(layout.inner()) {
    struct Range {
      unsigned node, first, last;
    };
    std::vector<Range> open{{0, 0, layout.leaves - 1}}, order;
    const auto key = [&](unsigned i) { return static_cast<unsigned long long>(leaves.codes[i]) << 32 | i; };
    while (!open.empty()) {
      const Range range = open.back();
      open.pop_back();
      order.push_back(range);
      const unsigned long long bit = 1ull << (63 - __builtin_clzll(key(range.first) ^ key(range.last)));
      unsigned split = range.first;
      while (!(key(split + 1) & bit)) ++split;
      const unsigned left = split == range.first ? layout.inner() + split : split;
      const unsigned right = split + 1 == range.last ? layout.inner() + split + 1 : split + 1;
      children[range.node] = {left + 1, right + 1};
      parent[left] = parent[right] = range.node + 1;
      if (left < layout.inner()) open.push_back({left, range.first, split});
      if (right < layout.inner()) open.push_back({right, split + 1, range.last});
    }
    const auto of = [&](unsigned node) {
      return node < layout.inner() ? volumes[node] : leaves.volumes[node - layout.inner()];
    };
    for (size_t i = order.size(); i-- > 0;) {
      const Children& c = children[order[i].node];
      volumes[order[i].node] = both(of(c.left - 1), of(c.right - 1));
    }
  }
};

/// What is there is right, and all that was promised is there. `built(node)`: the node's parent was promised;
/// `reduced(i)`: leaf i was.
template <class Built, class Reduced>
void verify(const tx::Space& space, const Layout& layout, const Tree& tree, bool all_built, bool all_reduced,
            const Built& built, const Reduced& reduced) {
  const auto word = [&](unsigned at) { return *space.in_image(at); };
  for (unsigned node = 0; node < layout.nodes(); ++node) {
    const unsigned is = word(layout.parent(node)), right = tree.parent[node];
    REQUIRE(is == 0 || is == right, "the parent of node %u is %u, but should be %u", node, is, right);
    REQUIRE(is == right || !(all_built || built(node)), "the parent of node %u was promised, but is not there", node);
  }
  for (unsigned i = 0; i < layout.inner(); ++i) {
    const Children right = tree.children[i];
    const unsigned touched = word(layout.touched(i));
    REQUIRE(touched <= 2 && (!all_reduced || touched == 2), "node %u was touched %u times", i, touched);
    unsigned come = 0;
    for (unsigned child : {right.left - 1, right.right - 1}) {
      const bool leaf = child >= layout.inner();
      come += leaf || word(layout.touched(child)) == 2;
      REQUIRE(!leaf || !reduced(child - layout.inner()) || touched != 0,
              "leaf %u was promised, but its node %u is not touched", child - layout.inner(), i);
    }
    REQUIRE(touched <= come, "node %u was touched %u times, but only %u of its children are whole", i, touched, come);
    const Volume volume = *space.in_image<Volume>(layout.volume(i)), wanted = touched == 2 ? tree.volumes[i] : Volume{};
    REQUIRE(memcmp(&volume, &wanted, sizeof volume) == 0, "the volume of node %u, touched %u times, is wrong", i,
            touched);
  }
}

/// The tree as the construction has linked it, against the host's.
void verify_links(const Links* device, const Layout& layout, const Tree& tree) {
  std::vector<Links> links(layout.inner());
  if (cudaMemcpy(links.data(), device, sizeof(Links) * links.size(), cudaMemcpyDeviceToHost) != cudaSuccess) exit(3);
  for (unsigned i = 0; i < layout.inner(); ++i) {
    const Links& is = links[i];
    const Children& right = tree.children[i];
    REQUIRE(is.child[0] == right.left && is.child[1] == right.right && is.parent == tree.parent[i],
            "node %u has children %u and %u and parent %u instead of %u, %u and %u", i, is.child[0], is.child[1],
            is.parent, right.left, right.right, tree.parent[i]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  arguments.numbers["faces"] = 2000;
  arguments.numbers["levels"] = 4;
  arguments.numbers["work"] = 0;
  arguments.texts["model"] = "";
  arguments.parse(argc, argv, {{"blocks", 2}, {"threads", 32}, {"faces", 200}, {"log", 1024}, {"ring", 300}});
  if (arguments.recovers) {
    helper::Recovery recovery(arguments, kMagic);
    const unsigned* const n = recovery.shape.numbers;
    const Layout layout{n[0], recovery.threads(), n[1]};
    if (n[2] != 0)
      REQUIRE(!arguments.texts["model"].empty(), "the space is of a model: --model FILE is needed here, too");
    const mesh::Mesh mesh = n[2] != 0 ? mesh::load(arguments.texts["model"]) : mesh::generate(layout.leaves);
    REQUIRE(mesh.faces.size() == layout.leaves, "the space has %u leaves, the model %zu", layout.leaves,
            mesh.faces.size());
    const Tree tree(leaves_of(mesh), layout);
    const unsigned long long acknowledged = gpm_acknowledged();
    const auto witness = [&](unsigned i) { return recovery.witness(i % layout.threads); };
    verify(
        recovery.space, layout, tree, acknowledged >= 1, acknowledged >= 2,
        [&](unsigned i) { return witness(i) >= 0x10000 || i / layout.threads < witness(i); },
        [&](unsigned i) { return witness(i) >= 0x10000 && i / layout.threads < witness(i) - 0x10000; });
    REQUIRE(tx::close(recovery.space) == 0, "the space should be closed");
    return check::passed(__BASE_FILE__, "the state is whole");
  }
  if (arguments["faces"] < 2 || arguments["faces"] > 20000000 || arguments["levels"] == 0 || arguments["levels"] > 32)
    arguments.refuse(argv[0], "--faces should be from 2 to 20000000, --levels from 1 to 32");
  const bool modelled = !arguments.texts["model"].empty();
  const mesh::Mesh mesh = modelled ? mesh::load(arguments.texts["model"]) : mesh::generate(arguments["faces"]);
  const Layout layout{static_cast<unsigned>(mesh.faces.size()), arguments["blocks"] * arguments["threads"],
                      arguments["levels"]};
  const Leaves leaves = leaves_of(mesh);
  unsigned* codes = nullptr;
  Volume* volumes = nullptr;
  Links* links = nullptr;
  if (cudaMalloc(&codes, 4 * leaves.codes.size()) != cudaSuccess ||
      cudaMalloc(&volumes, sizeof(Volume) * leaves.volumes.size()) != cudaSuccess ||
      cudaMemcpy(codes, leaves.codes.data(), 4 * leaves.codes.size(), cudaMemcpyHostToDevice) != cudaSuccess ||
      cudaMemcpy(volumes, leaves.volumes.data(), sizeof(Volume) * leaves.volumes.size(), cudaMemcpyHostToDevice) !=
          cudaSuccess ||
      cudaMalloc(&links, sizeof(Links) * layout.inner()) != cudaSuccess ||
      cudaMemset(links, 0, sizeof(Links) * layout.inner()) != cudaSuccess)
    return 3;
  helper::Run run(arguments, layout.words(), std::max(4u, 7 * layout.levels), 13 * layout.levels + 8);
  run.start({kMagic, {layout.leaves, layout.levels, modelled}, arguments.audits});
  if (BUG == 1 && arguments.mode != "memory") gpm_acknowledge(1);
  run.launch("construct", construct, layout, static_cast<const unsigned*>(codes), links, arguments["work"],
             run.witnesses());
  if (arguments.mode != "memory") gpm_acknowledge(1);
  printf("bvh: construction took %.1f us\n", run.time_us());
  run.launch("reduce", reduce, layout, static_cast<const Volume*>(volumes), static_cast<const Links*>(links),
             run.witnesses());
  if (arguments.mode != "memory") gpm_acknowledge(2);
  run.settle("bvh");
  const Tree tree(leaves, layout);
  verify_links(links, layout, tree);
  verify(
      run.space, layout, tree, true, true, [](unsigned) { return true; }, [](unsigned) { return true; });
  REQUIRE(tx::close(run.space) == 0, "the space should be closed");
  return check::passed(__BASE_FILE__, "every volume holds its children");
}
