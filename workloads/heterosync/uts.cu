// UTS: an unbalanced tree search (Sinclair's thesis, 2017, section 2.5.5). Each CU has a queue of tree nodes that its
// blocks share by local synchronisation; all CUs share one more, by global synchronisation. A block takes a front of
// nodes from its CU's queue, or from the shared one when that is empty, and puts their children into its CU's queue,
// and into the shared one what finds no room there. Looks at a queue's length or lock without having the lock are
// relaxed (unpaired in DRFrlx's words), as is the count of open nodes, which ends the search.
//
// The tree has exactly as many nodes as is asked for: a node divides its descendants among its children, unequally and
// by a hash.
//
// copies: who has visited how many nodes
#include "heterosync.h"

namespace {

using namespace heterosync;

constexpr unsigned kChildren = 4;                    // of a node, at most
constexpr unsigned kFront = 32;                      // nodes that a block takes at once
constexpr unsigned kSearchers = kFront * kChildren;  // threads of a block: one for each child that a front may have

struct Node {
  unsigned seed, size;  // size: nodes of its subtree, itself among them
};

__host__ __device__ unsigned hash(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}
__host__ __device__ unsigned children_of(Node node) {
  const unsigned wanted = 1 + hash(node.seed) % kChildren, below = node.size - 1;
  return wanted < below ? wanted : below;
}
__host__ __device__ Node child_of(Node node, unsigned number) {
  const unsigned children = children_of(node);
  unsigned below = node.size - 1;
  for (unsigned child = 0;; ++child) {
    const unsigned seed = hash(node.seed + child + 1), spare = below - (children - child);
    const unsigned size = child + 1 == children ? below : 1 + seed % (spare + 1);
    if (child == number) return {seed, size};
    below -= size;
  }
}

struct Tally {
  unsigned nodes, leaves, sum;
  unsigned local_fronts, global_fronts;
  __host__ __device__ void visit(Node node) {
    ++nodes;
    leaves += node.size == 1;
    sum += node.seed;
  }
};

/// A stack of nodes behind a lock: words[0] is the lock, words[1] how many nodes there are.
template <class Scope>
class Queue {
 public:
  static constexpr unsigned head = kLineWords;
  __device__ Queue(unsigned* words, unsigned capacity)
      : words_(words), nodes_(reinterpret_cast<Node*>(words + head)), capacity_(capacity) {}

  __device__ bool seems_empty() const { return length().load(kRelaxed) == 0; }
  /// Takes the lock if there are nodes.
  __device__ bool lock_if_filled() const {
    if (seems_empty()) return false;
    lock();
    if (length().load(kRelaxed) > 0) return true;
    unlock();
    return false;
  }
  __device__ void lock() const {
    Ref lock(words_[0]);
    for (;;) {
      unsigned expected = 0;
      if (lock.load(kRelaxed) == 0 && lock.compare_exchange_strong(expected, 1, kAcquire)) return;
    }
  }
  __device__ void unlock() const { Ref(words_[0]).exchange(0, kRelease); }

  /// For all threads of a block whose thread 0 has the lock; it is free again behind. Returns how many nodes came.
  __device__ unsigned take(Node* front) const {
    const unsigned filled = length().load(kRelaxed), taken = filled < kFront ? filled : kFront;
    if (threadIdx.x < taken) front[threadIdx.x] = nodes_[filled - 1 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      length().store(filled - taken, kRelaxed);
      unlock();
    }
    return taken;
  }
  /// The same; returns how many found room.
  __device__ unsigned put(const Node* nodes, unsigned count) const {
    const unsigned filled = length().load(kRelaxed), room = capacity_ - filled;
    const unsigned put = count < room ? count : room;
    if (threadIdx.x < put) nodes_[filled + threadIdx.x] = nodes[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      length().store(filled + put, kRelaxed);
      unlock();
    }
    return put;
  }

 private:
  using Ref = typename Scope::template ref<unsigned>;
  __device__ Ref length() const { return Ref(words_[1]); }

  unsigned* words_;
  Node* nodes_;
  unsigned capacity_;
};

struct Shape {
  unsigned nodes, queue, cus, words;  // queue: nodes of a CU's queue; words: of it in memory
};

/// What a block does next, decided by its thread 0. A queue that it names is locked.
enum class Work { from_cu, from_all, none };

__device__ Work find_work(const Queue<LocalScope>& of_cu, const Queue<GlobalScope>& of_all, unsigned* open) {
  for (;;) {
    if (of_cu.lock_if_filled()) return Work::from_cu;
    if (of_all.lock_if_filled()) return Work::from_all;
    if (GlobalScope::ref<unsigned>(*open).load(kRelaxed) == 0) return Work::none;
  }
}

/// queues: that of all CUs behind those of the CUs. open: nodes that nobody has visited yet.
__global__ void search(unsigned* queues, unsigned* open, unsigned* cu_of_block, Tally* tallies, Shape shape) {
  __shared__ Node front[kFront], born[kSearchers];
  __shared__ unsigned births, leaves, sum;
  __shared__ Work work;
  const unsigned cu = this_cu(), t = threadIdx.x;
  if (t == 0) cu_of_block[blockIdx.x] = cu;
  if (cu >= shape.cus) return;
  const Queue<LocalScope> of_cu(queues + cu * shape.words, shape.queue);
  const Queue<GlobalScope> of_all(queues + shape.cus * shape.words, shape.nodes);
  Tally tally = {};
  for (;;) {
    if (t == 0) {
      work = find_work(of_cu, of_all, open);
      births = 0;
    }
    __syncthreads();
    if (work == Work::none) break;
    ++(work == Work::from_cu ? tally.local_fronts : tally.global_fronts);
    const unsigned taken = work == Work::from_cu ? of_cu.take(front) : of_all.take(front);
    if (t / kChildren < taken) {
      const Node node = front[t / kChildren];
      if (t % kChildren == 0) tally.visit(node);
      if (t % kChildren < children_of(node)) born[atomicAdd(&births, 1u)] = child_of(node, t % kChildren);
    }
    __syncthreads();
    const unsigned made = births;
    if (t == 0) {  // the children count as open before anybody can visit them
      GlobalScope::ref<unsigned>(*open).fetch_add(made - taken, kRelaxed);
      if (made > 0) of_cu.lock();
    }
    __syncthreads();
    const unsigned put = made > 0 ? of_cu.put(born, made) : 0;
    if (put == made) continue;
    if (t == 0) of_all.lock();
    __syncthreads();
    of_all.put(born + put, made - put);
  }
  if (t == 0) leaves = sum = 0, births = 0;
  __syncthreads();
  atomicAdd(&births, tally.nodes);
  atomicAdd(&leaves, tally.leaves);
  atomicAdd(&sum, tally.sum);
  __syncthreads();
  if (t == 0) tallies[blockIdx.x] = {births, leaves, sum, tally.local_fronts, tally.global_fronts};
}

Tally search_on_host(Node root) {
  Tally tally = {};
  for (std::vector<Node> open{root}; !open.empty();) {
    const Node node = open.back();
    open.pop_back();
    tally.visit(node);
    for (unsigned i = 0; i < children_of(node); ++i) open.push_back(child_of(node, i));
  }
  return tally;
}

struct UtsSizes {
  unsigned nodes = 2048, blocks_per_cu = 3, queue = 32, cus = 0;
};

void run(const UtsSizes& sizes, const char* variant) {
  const Grid grid = grid_of(search, kSearchers, sizes.blocks_per_cu, sizes.cus);
  const unsigned words = whole_lines(Queue<LocalScope>::head + 2 * sizes.queue);
  const Node root = {58, sizes.nodes};
  std::vector<unsigned> queues(grid.cus * words + Queue<GlobalScope>::head + 2 * sizes.nodes);
  queues[grid.cus * words + 1] = 1;  // the root stands in the queue of all
  memcpy(&queues[grid.cus * words + Queue<GlobalScope>::head], &root, sizeof root);
  const DeviceArray<unsigned> device_queues(queues), open(std::vector<unsigned>{1});
  const DeviceArray<Tally> tallies(grid.blocks, 0);
  const Record record(grid);
  search<<<grid.blocks, kSearchers>>>(device_queues, open, record.device(), tallies,
                                      {sizes.nodes, sizes.queue, grid.cus, words});
  FINISH_KERNEL();
  Tally got = {};
  for (const Tally& tally : tallies.download()) {
    got.nodes += tally.nodes, got.leaves += tally.leaves, got.sum += tally.sum;
    got.local_fronts += tally.local_fronts, got.global_fronts += tally.global_fronts;
  }
  const Tally want = search_on_host(root);
  EXPECT(want.nodes == sizes.nodes, "the tree should have %u nodes, has %u", sizes.nodes, want.nodes);
  EXPECT(got.nodes == want.nodes, "%u nodes should be visited, were %u", want.nodes, got.nodes);
  EXPECT(got.leaves == want.leaves && got.sum == want.sum, "%u leaves and the sum %u should be found, were %u and %u",
         want.leaves, want.sum, got.leaves, got.sum);
  EXPECT(open.download()[0] == 0, "no node should be open, %u are", open.download()[0]);
  unsigned blocks = 0;
  for (unsigned of_cu : record.blocks_of_cu()) blocks += of_cu;
  printf("%s: %u blocks on %u CUs, %u nodes, %u leaves, %u fronts of the CU's queue, %u of the queue of all\n", variant,
         blocks, grid.cus, got.nodes, got.leaves, got.local_fronts, got.global_fronts);
}

}  // namespace

int main(int argc, char** argv) {
  UtsSizes sizes;
  return run_all(parse(argc, argv, {{"UTS", [&sizes](const char* name) { run(sizes, name); }}},
                       {{"--nodes", &sizes.nodes, 1, 1u << 26},
                        {"--blocks-per-cu", &sizes.blocks_per_cu, 1, 32},
                        {"--queue", &sizes.queue, 1, 1u << 20},
                        {"--cus", &sizes.cus, 0, 1024}}));
}
