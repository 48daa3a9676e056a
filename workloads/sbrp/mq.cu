// MQ: persistent queues, one a block, each with a batch of entries removed and a batch inserted in every transaction.
// After "SBRP" (ASPLOS'23, section 7.1): a thread has its share of the batch's entries, the block's leader logs the
// queue's ends before the transaction, moves them when all threads are done, and then marks the transaction complete.
//
//   mq [--queues N] [--batches N] [--entries N] [--threads N] [--launches N] [--pool FILE]
//                         create the pool, run all transactions of so many entries in so many kernels, check
//   mq --recover FILE [--resume]            undo transactions under way, check; then run the missing ones
//   --stop-before-commit: the last transaction of every queue is not marked complete
//
// How a transaction becomes atomic. A queue's state is 2b while b transactions are complete and none is under way,
// 2b + 1 during transaction b. In persist order: ends logged, state odd, ends moved, state even (ofence by the leader);
// entries before the even state that counts them in (block-scope releases up a tree to the leader); and the even state
// before any entry of the next transaction, which lands on the slots that this one freed (a block-scope release by the
// leader to all). Two log records take turns, so that writing one spoils no other that recovery could need.
// deterministic: yes
#ifdef ARTIFACT
#include "artifact/mq.cu"
#else
#include "recoverable.h"

namespace {

using recoverable::Header;

constexpr uint64_t kMagic = 0x534252504d513031ull;
constexpr uint32_t kBatchesHeld = 3;  // a queue has room for so many; two are in it between transactions
using Word = unsigned long long;

struct Ends {
  Word head, tail;  // counts of entries ever removed and inserted
};
struct Log {
  Ends before[2];  // of transaction b in record b % 2
  Word state;
  Word padding[11];
};
struct Queue {
  Ends ends;
  Word padding[14];
};
static_assert(sizeof(Log) == 128 && sizeof(Queue) == 128, "a queue's log and its ends have a line each");

struct Shape {
  uint32_t queues, batches, entries, threads, launches;  // batches of a queue; entries of a batch; kernels
  uint32_t batches_after(uint32_t launch) const {
    return static_cast<uint32_t>(uint64_t(batches) * (launch + 1) / launches);
  }
  uint32_t capacity() const { return kBatchesHeld * entries; }
  size_t bytes() const { return queues * (sizeof(Log) + sizeof(Queue) + size_t(capacity()) * sizeof(Word)); }
};
constexpr recoverable::Presets<Shape> kPresets = {{64, 32, 256, 256, 1}, {120, 10, 2048, 128, 1}, {2, 5, 4, 4, 2}};
using Options = recoverable::Options<Shape>;

// The parts of a pool: header, logs, queues, entries. A value; the pool outlives it.
struct Queues {
  Header* header;
  Log* logs;
  Queue* queues;
  Word* entries;
};
Queues queues_in(Header* header, const Shape& shape) {
  char* at = reinterpret_cast<char*>(header + 1);
  return {header, reinterpret_cast<Log*>(at), reinterpret_cast<Queue*>(at + shape.queues * sizeof(Log)),
          reinterpret_cast<Word*>(at + shape.queues * (sizeof(Log) + sizeof(Queue)))};
}

__host__ __device__ Word entry_of(uint32_t queue, Word number) {
  return recoverable::mix((Word(queue) + 1) << 32 | (number + 1));
}
// The first transactions fill the queue.
__host__ __device__ uint32_t removed_in(uint32_t batch, uint32_t entries) {
  return batch < kBatchesHeld - 1 ? 0 : entries;
}

// Brings what the threads have persisted in order before what the leader persists: a tree of block-scope releases. Its
// last levels are within a warp, whose lanes meet before they acquire, so that none spins for a lane of its own warp.
__device__ void gather(uint32_t* arrived, uint32_t round) {
  const uint32_t t = threadIdx.x;
  for (uint32_t stride = blockDim.x / 2; stride > 0 && 2 * stride > t / warpSize * warpSize; stride /= 2) {
    if (t >= stride && t < 2 * stride) pRel_block(&arrived[t], round);
    __syncwarp();
    if (t >= stride) continue;
    while (pAcq_block(&arrived[t + stride]) < round) {
    }
  }
}

__device__ void begin_transaction(Log* log, const Ends& ends, uint32_t batch) {
  if (BUG == 1) log->state = 2 * batch + 1;  // @begin_early
  log->before[batch % 2].head = ends.head;   // @old_head
  log->before[batch % 2].tail = ends.tail;   // @old_tail
  if (BUG != 2) ofence();
  if (BUG != 1) log->state = 2 * batch + 1;  // @begin
  if (BUG != 3) ofence();
}

__device__ void move_ends(Queue* queue, const Ends& ends) {
  queue->ends.head = ends.head;  // @head
  queue->ends.tail = ends.tail;  // @tail
}

// `taken`: what each thread has removed, mixed.
__global__ void transact(Queues all, uint32_t batches, uint32_t size, Word* taken, bool commit) {
  extern __shared__ uint32_t arrived[];
  __shared__ uint32_t complete;
  const uint32_t q = blockIdx.x, t = threadIdx.x, threads = blockDim.x, capacity = kBatchesHeld * size;
  Log* log = &all.logs[q];
  Queue* queue = &all.queues[q];
  Word* entries = all.entries + size_t(q) * capacity;
  const uint32_t first = static_cast<uint32_t>(log->state / 2);
  Ends ends = queue->ends;
  Word mixed = 0;
  arrived[t] = 0;
  if (t == 0) complete = 0;
  __syncthreads();
  for (uint32_t batch = first; batch < batches; ++batch) {
    const uint32_t round = batch - first + 1;
    if (t == 0) begin_transaction(log, ends, batch);
    const uint32_t removed = removed_in(batch, size);
    for (uint32_t i = t; i < removed; i += threads) mixed = mixed * 31 + entries[(ends.head + i) % capacity];
    for (uint32_t i = t; i < size; i += threads)
      entries[(ends.tail + i) % capacity] = entry_of(q, ends.tail + i);  // @entry
    ends = {ends.head + removed, ends.tail + size};
    if (BUG == 5)
      __syncwarp();
    else
      gather(arrived, round);
    if (t == 0) {
      if (BUG == 4) log->state = 2 * batch + 2;  // @complete_early
      move_ends(queue, ends);
      if (BUG != 6) ofence();
      if (BUG != 4 && (commit || batch + 1 < batches)) log->state = 2 * batch + 2;  // @complete
      if (BUG == 8)
        *static_cast<volatile uint32_t*>(&complete) = round;  // @plain_go
      else
        pRel_block(&complete, round);
    }
    if (BUG == 7) {
      while (*static_cast<volatile uint32_t*>(&complete) < round) {  // @plain_wait
      }
    } else {
      while (pAcq_block(&complete) < round) {
      }
    }
  }
  taken[q * threads + t] = mixed;
}

__global__ void undo(Queues all, uint32_t queues, int* undone) {
  const uint32_t q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queues) return;
  Log* log = &all.logs[q];
  const Word state = log->state;
  if (state % 2 == 0) return;
  const Ends before = log->before[state / 2 % 2];
  if (BUG == 10) {
    log->state = state - 1;  // @undone_early
    ofence();
  }
  all.queues[q].ends.tail = before.tail;  // @restore
  if (BUG != 9) all.queues[q].ends.head = before.head;
  dfence();
  log->state = state - 1;
  ofence();
  atomicAdd(undone, 1);
}

// `taken`: of each launch.
void transact_all(const Queues& all, const Shape& shape, Word* taken, bool commit) {
  for (uint32_t launch = 0; launch < shape.launches; ++launch) {
    const bool complete = commit || launch + 1 < shape.launches;
    transact<<<static_cast<int>(shape.queues), static_cast<int>(shape.threads), shape.threads * sizeof(uint32_t)>>>(
        all, shape.batches_after(launch), shape.entries, taken + size_t(launch) * shape.queues * shape.threads,
        complete);
    FINISH_KERNEL();
    if (complete) recoverable::settle_and_acknowledge(all.header, shape.batches_after(launch));
  }
}

// Every queue against the transactions that its state says are complete: both ends, and each entry between them.
Word check_queues(const Queues& all, const Shape& shape) {
  Word complete = 0;
  for (uint32_t q = 0; q < shape.queues; ++q) {
    const Word state = all.logs[q].state, head = all.queues[q].ends.head, tail = all.queues[q].ends.tail;
    EXPECT(state % 2 == 0 && state <= 2 * shape.batches,
           "queue %u should have completed whole transactions, state %llu", q, state);
    Word want_head = 0;
    for (uint32_t batch = 0; batch < state / 2; ++batch) want_head += removed_in(batch, shape.entries);
    EXPECT(head == want_head && tail == state / 2 * shape.entries,
           "queue %u after %llu transactions should reach from %llu to %llu, reaches from %llu to %llu", q, state / 2,
           want_head, state / 2 * shape.entries, head, tail);
    for (Word number = head; number < tail; ++number) {
      const Word entry = all.entries[size_t(q) * shape.capacity() + number % shape.capacity()];
      EXPECT(entry == entry_of(q, number), "entry %llu of queue %u should be %#llx, is %#llx", number, q,
             entry_of(q, number), entry);
    }
    complete += state / 2;
  }
  return complete;
}

int run(const Options& options) {
  const Shape& shape = options.shape;
  const Queues all = queues_in(recoverable::create_pool(options, kMagic), shape);
  const size_t threads = size_t(shape.queues) * shape.threads;
  const DeviceArray<Word> taken(threads * shape.launches);
  transact_all(all, shape, taken, !options.stop_before_commit);
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the last transactions were complete");
  const Word complete = check_queues(all, shape);
  EXPECT(complete == Word(shape.queues) * shape.batches, "all transactions should be complete, %llu are", complete);
  const std::vector<Word> got = taken.download();
  for (uint32_t i = 0; i < got.size(); ++i) {
    const uint32_t launch = static_cast<uint32_t>(i / threads), thread = static_cast<uint32_t>(i % threads);
    Word want = 0, head = 0;
    for (uint32_t batch = 0; batch < shape.batches_after(launch); ++batch) {
      const uint32_t removed = removed_in(batch, shape.entries);
      if (launch == 0 || batch >= shape.batches_after(launch - 1))
        for (uint32_t k = thread % shape.threads; k < removed; k += shape.threads)
          want = want * 31 + entry_of(thread / shape.threads, head + k);
      head += removed;
    }
    EXPECT(got[i] == want, "thread %u of launch %u should have taken %#llx, took %#llx", thread, launch, want, got[i]);
  }
  return PASS("queues=%u transactions=%llu entries=%llu", shape.queues, complete, complete * shape.entries);
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  const Queues all = queues_in(header, shape);
  DeviceArray<int> undone(1, 0);
  undo<<<recoverable::blocks_for(shape.queues, 128), 128>>>(all, shape.queues, undone);
  FINISH_KERNEL();
  const Word complete = check_queues(all, shape);
  Word durable = shape.batches;
  for (uint32_t q = 0; q < shape.queues; ++q) durable = std::min(durable, all.logs[q].state / 2);
  recoverable::expect_acknowledged(durable, "transactions of every queue");
  const Word transactions = Word(shape.queues) * shape.batches;
  const int count = undone.download()[0];
  if (!options.resume)
    return PASS("recovered: %llu of %llu transactions complete, %d undone", complete, transactions, count);
  const DeviceArray<Word> taken(size_t(shape.queues) * shape.threads * shape.launches);
  transact_all(all, shape, taken, true);
  EXPECT(check_queues(all, shape) == transactions, "all %llu transactions should be complete", transactions);
  return PASS("recovered after %llu of %llu transactions, %d undone, then finished", complete, transactions, count);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(argc, argv, "mq.pool", kPresets,
                                                    {{"--queues", &Shape::queues, 1 << 16},
                                                     {"--batches", &Shape::batches, 1 << 20},
                                                     {"--entries", &Shape::entries, 1 << 20},
                                                     {"--threads", &Shape::threads, 1024},
                                                     {"--launches", &Shape::launches, 1024}});
  if (options.recovered.empty() && (options.shape.threads & (options.shape.threads - 1)) != 0) {
    fprintf(stderr, "--threads: a power of two is expected, got %u\n", options.shape.threads);
    return 2;
  }
  return options.recovered.empty() ? run(options) : recover(options);
}
#endif
