// What the software cache keeps in device memory, and what it counts. Part of <everwarp/storage_cache.cuh>.
#pragma once

#include <everwarp/storage_queue.cuh>

namespace bam {

enum class replacement : uint32_t {
  clock,  // a line that was hit since the hand last passed it stays for one more round
  fifo,   // the hand takes the next line that no thread holds, as the published code does
};
enum class placement : uint32_t {
  striped,     // line n is on drive n % drives
  replicated,  // every line is on every drive: a read asks one, a write-back writes all
};

/// A machine may show a completion before its data ("BaM", section 4.4). A command that began behind the completion of a
/// read has completed: then the read's data are there.
enum class confirms : uint32_t {
  none,    // data are used when their read has completed
  shared,  // a second command confirms all reads of a drive that completed before it began
  each,    // each read has a second command of its own
};

/// The word of a line, changed by atomics alone: the slot above 32 bits, and below it the state.
enum line_state : uint64_t {
  line_valid = 1ull << 31,       // a slot has its bytes
  line_busy = 1ull << 30,        // it comes, or leaves
  line_dirty = 1ull << 29,       // the slot's bytes are newer than the drive's
  line_writing = 1ull << 28,     // a write of the slot's bytes is under way: at most one
  line_referenced = 1ull << 27,  // hit since the hand last passed
  line_pending = 1ull << 26,     // busy, and a read is under way
  line_settling = 1ull << 25,    // a thread looks how the command has ended: nobody else does
  line_pins = (1ull << 24) - 1,  // threads that hold it
};
__device__ inline uint32_t slot_of(uint64_t word) {
  return static_cast<uint32_t>(word >> 32);
}
__device__ inline bool has_bytes(uint64_t word) {
  return (word & (line_valid | line_busy)) == line_valid;
}

/// What has happened. Lines are counted once for all lanes of a warp that want them together.
struct cache_statistics {
  uint64_t thread_hits, thread_misses;  // accesses of threads; their sum does not depend on timing
  uint64_t reused;                      // accesses of threads that held the line already
  uint64_t line_hits, line_misses;      // probes
  uint64_t prefetches;                  // lines asked for and not waited for
  uint64_t reads, writes;               // commands
  uint64_t evictions, write_backs;      // lines that left; lines that were written
  uint64_t failures;                    // probes that ended with a status; write-backs that a drive refused
  uint64_t confirmations;               // commands that confirm reads
  uint64_t not_held;                    // accesses of cursors to lines in spare slots
  uint64_t unused[3];
};

/// The first access that ended with a status.
struct cache_failure {
  uint32_t count;  // all of them
  status why;
  uint64_t line;
};

struct cache_state {
  uint64_t hand;      // of the replacement: slots looked at
  uint64_t progress;  // lines that came, left or were written; while threads wait for a slot, lines let go, too
  uint32_t waiting;   // such threads
  uint32_t deaf;      // bit by drive: a command of it timed out
  uint32_t lost;      // slots that such a command may still write
  uint64_t returned;  // slots that came back unused: one more than the last, and above 32 bits a count of changes
  cache_failure first;
};
constexpr uint32_t statistics_shards = 32;

/// A detached command of a slot; a slot has one for each drive.
struct slot_command {
  uint64_t ticket;
  uint32_t queue, word;
  uint64_t confirmation;  // of a read that has completed: the number of the command that confirms it; 0: not yet. Of one
                          // that has a command of its own: 1 when that stands in its place here
};
/// Of a drive: commands that confirm reads, one at a time, each for all reads that completed before it began.
struct alignas(128) confirmation {
  uint64_t begun, done;  // numbers, from 1
  uint64_t wanted;       // by a read; about the largest
  uint64_t ticket;
  uint32_t lock, word;
};
/// The word of a command for which the ring had no place.
constexpr uint32_t word_not_told = 1u << 31 | 0x7ff << 1;

/// Owners of slots that are no line.
constexpr uint64_t slot_free = ~0ull, slot_claimed = ~0ull - 1, slot_lost = ~0ull - 2;
constexpr uint64_t slot_returned = ~0ull - 3;  // free, in the list of cache_state::returned: its command's ticket is the next
constexpr uint32_t most_drives = 16;
constexpr uint32_t most_slots = 1u << 30;  // twice round they are counted in 32 bits

namespace detail {

__device__ inline uint64_t add_acquire(uint64_t* to, uint64_t value) {
  uint64_t before;
  asm volatile("atom.acquire.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(to), "l"(value) : "memory");
  return before;
}
__device__ inline uint64_t add_release(uint64_t* to, uint64_t value) {
  uint64_t before;
  asm volatile("atom.release.gpu.global.add.u64 %0, [%1], %2;" : "=l"(before) : "l"(to), "l"(value) : "memory");
  return before;
}
__device__ inline uint64_t or_both(uint64_t* to, uint64_t value) {  // acquire and release
  uint64_t before;
  asm volatile("atom.acq_rel.gpu.global.or.b64 %0, [%1], %2;" : "=l"(before) : "l"(to), "l"(value) : "memory");
  return before;
}
__device__ inline uint64_t or_release(uint64_t* to, uint64_t value) {
  uint64_t before;
  asm volatile("atom.release.gpu.global.or.b64 %0, [%1], %2;" : "=l"(before) : "l"(to), "l"(value) : "memory");
  return before;
}
__device__ inline void or_relaxed(uint64_t* to, uint64_t value) {
  asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
__device__ inline void and_relaxed(uint64_t* to, uint64_t value) {
  asm volatile("red.relaxed.gpu.global.and.b64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
__device__ inline uint64_t and_release(uint64_t* to, uint64_t value) {
  uint64_t before;
  asm volatile("atom.release.gpu.global.and.b64 %0, [%1], %2;" : "=l"(before) : "l"(to), "l"(value) : "memory");
  return before;
}
__device__ inline uint64_t xor_release(uint64_t* to, uint64_t value) {
  uint64_t before;
  asm volatile("atom.release.gpu.global.xor.b64 %0, [%1], %2;" : "=l"(before) : "l"(to), "l"(value) : "memory");
  return before;
}
__device__ inline bool change(uint32_t* at, uint32_t from, uint32_t to) {
  uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(before) : "l"(at), "r"(from), "r"(to) : "memory");
  return before == from;
}
__device__ inline bool change(uint64_t* at, uint64_t from, uint64_t to) {
  uint64_t before;
  asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;" : "=l"(before) : "l"(at), "l"(from), "l"(to) : "memory");
  return before == from;
}
__device__ inline uint32_t warp_of_grid() {
  const uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return block * ((blockDim.x * blockDim.y * blockDim.z + 31) / 32) + thread / 32;
}

}  // namespace detail

/// Polls of one wait. It is over when so many have seen the cache do nothing. Its members should live in registers: the
/// simulator sees a loop that counts there, and knows that it ends.
class poll_count {
 public:
  __device__ explicit poll_count(const cache_state* state) : state_(state) {}
  __device__ bool is_over(uint32_t patience) {
    if (count_ % polls_between_looks == polls_between_looks - 1) {  // the first waits for no load
      const uint64_t now = detail::glance(&state_->progress);
      if (now != seen_) seen_ = now, count_ = 0;
    }
    return ++count_ > 16ull * patience;
  }

 private:
  static constexpr uint32_t polls_between_looks = 16;

  const cache_state* state_;
  uint64_t seen_ = 0, count_ = 0;
};

/// What one wait for a line has met.
class cache_wait {
 public:
  uint32_t tries = 0;    // drives that did not have the line
  uint32_t refused = 0;  // lines that their drives did not take
  bool asked = false;    // this thread has asked the drive
  bool stands = false;   // nothing has happened for some polls

  __device__ explicit cache_wait(cache_state* state) : state_(state) {}
  /// Looking for a slot may help: it was not tried yet, or something has happened since.
  __device__ bool may_look() {
    if (looks_ == 0) return true;  // and once more in any case, behind what is seen then
    const uint64_t now = progress();
    // Now and then in any case: a thread that lets a line go may have looked for waiting threads too early, or all lines
    // are held by threads that wait.
    stands = looks_ > 1 && now == looked_;
    if (stands && ++skipped_ % 16) return false;
    looked_ = now;
    return true;
  }
  /// It has not helped. From now on each release is told to this thread; so it looks once more, and then only when told.
  __device__ void found_none() {
    if (looks_++ == 0) atomicAdd(&state_->waiting, 1u);
  }
  __device__ bool has_looked() const { return looks_ != 0; }
  /// True once: the wait may begin anew.
  __device__ bool has_grace() {
    if (graced_) return false;
    if (looks_) looks_ = 1;
    return graced_ = true;
  }
  /// Once, at the end.
  __device__ void end() {
    if (looks_) atomicSub(&state_->waiting, 1u);
    looks_ = 0;
  }

 private:
  __device__ uint64_t progress() const { return detail::load_acquire(&state_->progress); }

  cache_state* state_;
  uint64_t looked_ = 0;
  uint32_t looks_ = 0, skipped_ = 0;
  bool graced_ = false;
};

}  // namespace bam
