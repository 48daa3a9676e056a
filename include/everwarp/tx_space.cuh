// What the files of the transaction library share: the shape of a space, its memory, and the layout of its pool.
// Included by tx.cuh; docs/transactions.md explains the whole.
//
// A *space* is an array of 32-bit words that transactions read and write. Its working copy lies in device memory. Its
// durable side is a pool: the *image* (the words as of some transaction), and logs of what was committed since.
// A *pair* is 8 bytes of a log: a word's index and its new value, or the head of a frame. A *frame* is what one
// transaction has written: a head, then a pair a word. The *number* of a frame is its place in the one order of all
// commits, from 1.
//
// The pool: TxPoolHeader; `base`, on a line of its own; the image; frames of fixed size, `slots` times as many as threads,
// in which the threads of a block write theirs (strict: a *slot* is room for one frame);
// for each block the line of its log's two ends and the log, a ring of pairs (helper). Offsets count bytes from the
// first byte of the pool. No address is ever stored.
#pragma once

#include <stddef.h>

namespace everwarp {
namespace tx {

/// How commits become durable.
enum Mode : unsigned {
  in_memory,  // not at all: there is no pool
  strict,     // the thread that commits persists its frame
  helper,     // it puts its frame into a ring in shared memory; a helper warp persists it
  adaptive,   // one or the other, by the bandwidth at which the GPU persists
  assisted,   // as helper, but an assist warp of the SM empties the ring: on machines that have them (assist.cuh)
};

/// What a transaction has come to. From `nested` on: mistakes, which the host's check() reports too.
enum Status : unsigned {
  committed,
  cancelled,     // by the body, with cancel()
  nested,        // atomically() inside of a transaction
  too_many_words,    // the body writes more words than Options::writes
  too_many_records,  // the body reads or writes more records than Options::records_held
  no_such_word,      // an address outside of the space
  exhausted,         // 2^32 commits: close the space and open it again
  wrong_launch,      // the kernel has another shape than the space
  no_assist,         // the SMs have no assist warps (assisted)
  retry_,            // for the library alone
};

struct Options {
  unsigned words = 0;         // of 32 bits; less than 2^30
  unsigned blocks = 1;        // of the largest launch
  unsigned threads = 256;     // of a block, without helpers: a multiple of 32
  Mode mode = helper;
  unsigned helpers = 1;       // helper warps of a block
  unsigned ring = 1280;       // pairs of a block's ring
  unsigned writes = 16;       // words that a transaction may write, at most 254
  unsigned records = 0;       // ownership records, a power of two; 0: one a word, 2^20 at most
  unsigned records_held = 64; // by one transaction
  unsigned slots = 4;         // frames of a block for each of its threads, which share them (strict)
  unsigned log = 4096;        // pairs of a block's log, a power of two (helper)
  unsigned threshold = 200;   // MB/s: above it helpers are on (adaptive)
  unsigned slice = 10;        // us: the time over which bandwidth is measured (adaptive)
  unsigned delay = 0;         // cycles that each persist waits before it: the paper's emulation of a slower medium
  unsigned timeline = 0;      // ns of a bin of the Timeline; 0: none is kept
  unsigned first_number = 0;  // for tests: commits are counted from here, and the attempts of a thread
  unsigned first_attempt = 0; // … from here
};

constexpr unsigned long long pool_magic = 0x315854504d504745ull;  // "EGPMPTX1"
enum : unsigned { format_version = 1, pool_line = 128, slices_below = 5, occupancy_bins = 32, timeline_bins = 4096 };

struct TxPoolHeader {
  unsigned long long magic;
  unsigned version, words, blocks, threads, writes, slots, log, unused;
  unsigned long long base, image, frames, logs, bytes;  // offsets; bytes: of the whole pool
  char free[48];
};
static_assert(sizeof(TxPoolHeader) == pool_line, "a header is one line");

/// The two ends of a block's log, in pairs since the pool was made: what lies between them is there.
struct LogEnds {
  unsigned long long tail;
  char free_tail[120];
  unsigned long long head;
  char free_head[120];
};

/// Both sides of a pair. Zero is none, so that one store of 8 bytes writes a pair and says that it is there.
__host__ __device__ inline unsigned long long pair_of(unsigned word, unsigned value) {
  return 1ull << 62 | static_cast<unsigned long long>(word) << 32 | value;
}
__host__ __device__ inline unsigned long long head_of(unsigned count, unsigned number) {
  return 2ull << 62 | static_cast<unsigned long long>(count) << 32 | number;
}
__host__ __device__ inline bool is_head(unsigned long long pair) {
  return pair >> 62 == 2;
}
__host__ __device__ inline unsigned high_part(unsigned long long pair) {  // a word's index, or a frame's count
  return static_cast<unsigned>(pair >> 32) & 0x3fffffff;
}
__host__ __device__ inline unsigned low_part(unsigned long long pair) {  // a value, or a frame's number
  return static_cast<unsigned>(pair);
}

/// Where a block's log stands, between launches. In device memory; during a launch the block's helpers have it.
struct BlockLog {
  unsigned tail, freed;  // pairs since the space was opened
};

/// The persistence bandwidth of one multiprocessor. Bytes of the slice that runs, and of the last one.
struct SmMonitor {
  unsigned slice, running, last;
  unsigned free;
};

struct Statistics {
  unsigned long long commits, read_only, aborts, robbed, cancelled, ring_full, log_full, slot_waits, pairs, runs, switched_on,
      switched_off, largest_rate;
  unsigned long long executing, persisting;  // cycles of all threads in transactions; kept with a timeline
  unsigned long long occupancy[occupancy_bins];  // of the ring, when a helper looks: one in 32 of its size a bin
};

/// What happens over time since the first launch, in bins of Options::timeline nanoseconds.
struct TimelineBin {
  unsigned bytes;             // persisted, by all blocks
  unsigned commits;           // of block 0
  unsigned looks, occupancy;  // of helpers at their rings, and the sum of pairs that they have seen there
  unsigned starts, with_helpers;  // of transactions (adaptive), and those that began while helpers were on
};
struct Timeline {
  unsigned long long begin;  // ns; 0: nothing has begun
  TimelineBin bins[timeline_bins];
};

/// What all threads share, each on a line of its own where many write.
struct Shared {
  alignas(128) unsigned number;      // the last commit's
  alignas(128) unsigned logged;      // all frames up to it are in logs
  alignas(128) unsigned claimed;     // all frames up to it are applied, or somebody is at it
  alignas(128) unsigned applied;     // all frames up to it are durable in the image
  alignas(128) unsigned base;        // the same, and the pool says so: their logs may be used again
  alignas(128) unsigned base_lock;
  alignas(128) unsigned rate;        // bytes that all multiprocessors have persisted in their last slice
  unsigned helpers_on, switch_lock, last_above;
  alignas(128) unsigned mistake;     // the first Status that is one
  alignas(128) Statistics statistics;
};

constexpr unsigned sm_monitors = 1024;

/// An open space: a value that kernels take as their argument.
struct Space {
  Options options;
  unsigned record_mask, window_mask, all_threads;
  unsigned* data;              // the working copy
  unsigned long long* records; // thread + 1 in the upper half, its attempt in the lower; 0: free
  unsigned long long* status;  // one a thread: attempt << 32 | State
  unsigned* held;              // indices of records, [k][thread]
  unsigned long long* writes;  // pairs, [row][k][thread]
  unsigned long long* heads;   // of the frame in a slot, [slot][thread]
  unsigned* logged;            // [number & window_mask] == number: the frame is in a log
  unsigned* applied;           // … it is durable in the image
  unsigned* places;            // … where its pairs are: in `writes`, or (in_mirror) in `mirror`
  unsigned long long* newest;  // one a word: number << 32 | value that the image has or is about to have
  unsigned long long* mirror;  // the blocks' logs, in device memory
  BlockLog* block_logs;
  SmMonitor* monitors;
  Shared* shared;
  Timeline* timeline;          // null: none is kept
  Space* in_device;            // a copy of this, for assist warps
  TxPoolHeader* pool;          // null: in memory
  unsigned long long* base;    // in the pool, as the rest
  unsigned* image;
  unsigned long long* frames;  // [thread][slot][1 + writes]
  char* logs;                  // a block: LogEnds, then pairs

  __host__ __device__ bool with_ring() const { return options.mode == helper || options.mode == adaptive || options.mode == assisted; }
  __host__ __device__ bool with_slots() const { return options.mode == strict || options.mode == adaptive; }
  /// Rows of `writes`: a row a slot of each thread, and one for transactions without a slot.
  __host__ __device__ unsigned spare_row() const { return with_slots() ? options.slots : 0; }
  __host__ __device__ unsigned helpers() const {
    return options.mode == helper || options.mode == adaptive ? options.helpers : 0;
  }
  /// What a launch needs: threads of a block, and bytes of dynamic shared memory.
  __host__ __device__ unsigned block_threads() const { return options.threads + 32 * helpers(); }
  __host__ __device__ size_t shared_bytes() const { return with_ring() ? 64 + 8ull * options.ring : 64; }
  /// The object at word `word` of the working copy.
  template <class T = unsigned>
  __host__ __device__ T* at(size_t word) const {
    return reinterpret_cast<T*>(data + word);
  }
  /// The same in the image: for the host, before start() and after settle().
  template <class T = unsigned>
  T* in_image(size_t word) const {
    return reinterpret_cast<T*>(image + word);
  }
};

constexpr unsigned in_mirror = 0x80000000u;

inline size_t block_log_bytes(unsigned log) {
  return sizeof(LogEnds) + 8ull * log;
}

}  // namespace tx
}  // namespace everwarp
