// The transactions themselves: conflicts, the write log, commit ("Architectural Support for NVRAM Persistence in GPUs",
// figure 2). Included by tx.cuh; tx_space.cuh has the words.
//
// A record is what a transaction owns to read or write a word (several words may share one). It names the owner's thread
// and attempt. The smaller thread wins: it takes the record, after it has turned the owner's status from active to
// robbed. A transaction commits by turning its own status from active to committing, which nobody can undo. So it
// is robbed before it has begun to write back, or not at all. Nobody waits for a record: who loses starts again.
//
// A transaction that has read a word looks whether it is robbed. If it is not, all its records are still its own, and what
// it has read is all current at this moment.
#pragma once

#if defined(__CUDACC__)

#include <cuda/atomic>

#include "tx_assist.cuh"

namespace everwarp {
namespace tx {

enum State : unsigned { idle, active, robbed, committing };

EVERWARP_DEVICE unsigned long long status_of(unsigned attempt, State state) {
  return static_cast<unsigned long long>(attempt) << 32 | state;
}
template <class T>
EVERWARP_DEVICE cuda::atomic_ref<T, cuda::thread_scope_device> ref(T* word) {
  return cuda::atomic_ref<T, cuda::thread_scope_device>(*word);
}

/// What a thread of a kernel has of the library. From run() (tx.cuh).
class Thread {
 public:
  EVERWARP_DEVICE Thread(const Space& space, Ring* ring, unsigned thread)
      : space_(space), ring_(ring), thread_(blockIdx.x * space.options.threads + thread), with_slot_(space.options.mode == strict) {
    if (space.with_slots()) row_ = oldest_row(space, thread);
    if (space.options.mode == adaptive) with_slot_ = !helpers_on(space);
    without_slot();
  }

  /// Its number among the threads of the launch that are no helpers, and their number.
  EVERWARP_DEVICE unsigned index() const { return thread_; }
  EVERWARP_DEVICE unsigned count() const { return gridDim.x * space_.options.threads; }
  /// The number of the last commit of this thread that has written anything; 0: none yet.
  EVERWARP_DEVICE unsigned last_number() const { return last_; }
  EVERWARP_DEVICE const Space& space() const { return space_; }

 private:
  friend class Transaction;
  template <class Body>
  friend EVERWARP_DEVICE Status atomically(Thread& thread, Body&& body);
  friend EVERWARP_DEVICE void end_thread(Thread& thread);
  friend EVERWARP_DEVICE void wait_to_retry(Thread& thread, unsigned tries);

  EVERWARP_DEVICE void take_slot() {
    place_ = take_place(space_, thread_ - blockIdx.x * space_.options.threads, row_, &ring_->borrowed);
    pairs_ = write_of(space_, place_, 0);
  }
  EVERWARP_DEVICE void without_slot() {
    place_ = no_place;
    pairs_ = write_of(space_, space_.spare_row() * space_.all_threads + thread_, 0);
  }

  const Space& space_;
  Ring* ring_;
  unsigned thread_, last_ = 0;
  unsigned row_ = 0, place_ = no_place;  // of its own slots the next, and the slot that it has
  unsigned long long* pairs_ = NULL;     // the write log: that slot's, or one of its own that becomes no frame
  bool with_slot_;                       // a transaction that begins takes a slot
  unsigned commits_ = 0, read_only_ = 0, aborts_ = 0, robbed_ = 0, cancelled_ = 0;
  unsigned long long executing_ = 0, persisting_ = 0;  // cycles
  bool inside_ = false;
  const unsigned long long* lost_record_ = NULL;  // to whom the last attempt has lost, and which record
  unsigned long long lost_to_ = 0;
};

/// One attempt of a transaction: what its body reads and writes with.
class Transaction {
 public:
  EVERWARP_DEVICE explicit Transaction(Thread& thread) : thread_(thread), space_(thread.space_) {
    if (thread_.with_slot_ && thread_.place_ == no_place) {
      const long long begin = cycles_now(space_);
      thread_.take_slot();
      thread_.persisting_ += cycles_now(space_) - begin;
    }
    unsigned long long* const status = space_.status + me();
    const unsigned attempt = static_cast<unsigned>(look(status) >> 32) + 1;
    active_ = status_of(attempt, active);
    self_ = (me() + 1ull) << 32 | attempt;
    ref(status).store(active_, cuda::memory_order_release);
  }

  /// The value of *from as of this transaction. `from` points into the space (Space::at). T: whole words.
  template <class T>
  EVERWARP_DEVICE T load(const T* from) {
    union Words {
      T value;
      unsigned word[sizeof(T) / 4];
      EVERWARP_DEVICE Words() {}
    } words;
    static_assert(sizeof(T) % 4 == 0, "transactions read and write whole 32-bit words");
    load_words<sizeof(T) / 4>(reinterpret_cast<const unsigned*>(from) - space_.data, words.word);
    return words.value;
  }
  /// Writes *to when the transaction commits.
  template <class T>
  EVERWARP_DEVICE void store(T* to, const typename as_is<T>::type& value) {
    union Words {
      T value;
      unsigned word[sizeof(T) / 4];
      EVERWARP_DEVICE Words() {}
    } words;
    static_assert(sizeof(T) % 4 == 0, "transactions read and write whole 32-bit words");
    words.value = value;
    const size_t first = reinterpret_cast<unsigned*>(to) - space_.data;
    unsigned fresh;
    if (own_all<sizeof(T) / 4>(first, fresh)) {
#pragma unroll
      for (unsigned i = 0; i < sizeof(T) / 4; ++i)
        store_word(static_cast<unsigned>(first) + i, words.word[i], (fresh >> i & 1) != 0);
    }
  }
  /// False: this attempt is lost, and the body should return. Until then all loaded values are of one moment. Later loads
  /// give zero.
  EVERWARP_DEVICE bool alive() const { return outcome_ == committed; }
  /// Nothing of this transaction happens, and it is not tried again.
  EVERWARP_DEVICE void cancel() {
    if (alive()) outcome_ = cancelled;
  }

 private:
  template <class Body>
  friend EVERWARP_DEVICE Status atomically(Thread& thread, Body&& body);

  EVERWARP_DEVICE unsigned me() const { return thread_.thread_; }
  EVERWARP_DEVICE unsigned long long* written(unsigned k) const { return thread_.pairs_ + static_cast<size_t>(k) * space_.all_threads; }
  EVERWARP_DEVICE bool is_active() const {
    return ref(space_.status + me()).load(cuda::memory_order_relaxed) == active_;
  }
  EVERWARP_DEVICE bool lost(Status why = retry_) {
    if (alive()) outcome_ = why;
    return false;
  }
  EVERWARP_DEVICE bool lost_to(const unsigned long long* record, unsigned long long owner) {
    thread_.lost_record_ = record;
    thread_.lost_to_ = owner;
    return lost();
  }
  EVERWARP_DEVICE static unsigned long long filter_bit(unsigned word) { return 1ull << (word * 0x9e3779b1u >> 26); }

  /// The records of `count` words from `first` on are this transaction's, or were until it was robbed. All are asked for at
  /// once, as if they were free; what is not is looked at one by one. `fresh`: words that it cannot have written before,
  /// since their records were not its own.
  template <unsigned count>
  EVERWARP_DEVICE bool own_all(size_t first, unsigned& fresh) {
    static_assert(count <= 32, "a load or a store takes at most 32 words");
    fresh = 0;
    if (!alive()) return false;
    if (first >= space_.options.words || count > space_.options.words - first) return lost(no_such_word);
    unsigned long long seen[count];
    const bool fits = held_ + count <= space_.options.records_held;
#pragma unroll
    for (unsigned i = 0; i < count; ++i)
      seen[i] = fits ? atomicCAS(space_.records + record_of(static_cast<unsigned>(first) + i), 0ull, self_)
                     : look(space_.records + record_of(static_cast<unsigned>(first) + i));
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      const unsigned at = record_of(static_cast<unsigned>(first) + i);
      if (seen[i] == self_) continue;
      fresh |= 1u << i;
      if (seen[i] == 0 && fits)
        hold(at);
      else if (alive())
        own(at);
    }
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    return alive();
  }
  /// One record, whoever has it.
  EVERWARP_DEVICE void own(unsigned at) {
    unsigned long long* const record = space_.records + at;
    for (;;) {
      unsigned long long seen = ref(record).load(cuda::memory_order_relaxed);
      if (seen == self_) return;
      if (held_ == space_.options.records_held) {
        lost(is_active() ? too_many_records : retry_);
        return;
      }
      if (seen != 0 && !rob(record, seen)) {
        if (!alive()) return;
        continue;  // its owner has just given it up
      }
      if (!ref(record).compare_exchange_strong(seen, self_, cuda::memory_order_acq_rel)) continue;
      hold(at);
      return;
    }
  }
  EVERWARP_DEVICE void hold(unsigned at) {
    put(space_.held + static_cast<size_t>(held_++) * space_.all_threads + me(), at);
  }
  EVERWARP_DEVICE unsigned record_of(unsigned word) const {
    // Neighbours have different records; what is apart by a power of two has too.
    return (word ^ (word >> 20) * 0x9e3779b1u) & space_.record_mask;
  }
  /// Whether the owner `seen` may be robbed, and is.
  EVERWARP_DEVICE bool rob(const unsigned long long* record, unsigned long long seen) {
    const unsigned owner = static_cast<unsigned>(seen >> 32) - 1, attempt = static_cast<unsigned>(seen);
    if (owner < me()) return lost_to(record, seen);
    unsigned long long found = status_of(attempt, active);
    if (ref(space_.status + owner).compare_exchange_strong(found, status_of(attempt, robbed), cuda::memory_order_acq_rel) ||
        found == status_of(attempt, robbed))
      return true;
    return found == status_of(attempt, committing) && lost_to(record, seen);
  }

  template <unsigned count>
  EVERWARP_DEVICE void load_words(size_t first, unsigned (&values)[count]) {
    unsigned fresh;
    const bool owned = own_all<count>(first, fresh);
#pragma unroll
    for (unsigned i = 0; i < count; ++i)
      values[i] = owned ? ref(space_.data + first + i).load(cuda::memory_order_relaxed) : 0;
    if (!owned) return;
    // The look at the status comes behind the loads. Who robs says so before it writes.
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    if (!is_active()) {
      lost();
#pragma unroll
      for (unsigned i = 0; i < count; ++i) values[i] = 0;
      return;
    }
#pragma unroll
    for (unsigned i = 0; i < count; ++i) {
      const unsigned word = static_cast<unsigned>(first) + i;
      if ((fresh >> i & 1) == 0 && (filter_ & filter_bit(word)) != 0)
        for (unsigned k = 0; k < count_; ++k) {
          const unsigned long long pair = look(written(k));
          if (high_part(pair) == word) values[i] = low_part(pair);
        }
    }
  }
  EVERWARP_DEVICE void store_word(unsigned word, unsigned value, bool fresh) {
    const unsigned long long pair = pair_of(word, value);
    const unsigned long long bit = filter_bit(word);
    if (!fresh && (filter_ & bit) != 0)
      for (unsigned k = 0; k < count_; ++k)
        if (high_part(look(written(k))) == word) {
          put(written(k), pair);
          return;
        }
    if (count_ == space_.options.writes) {
      lost(is_active() ? too_many_words : retry_);  // one that was robbed may have got a record anew, and have the word twice
      return;
    }
    filter_ |= bit;
    put(written(count_++), pair);
  }

  EVERWARP_DEVICE Status commit() {
    unsigned long long expected = active_;
    if (outcome_ == committed && count_ != 0 &&
        !ref(space_.status + me()).compare_exchange_strong(expected, active_ - active + committing, cuda::memory_order_acq_rel))
      outcome_ = retry_;
    if (outcome_ != committed || count_ == 0) {
      if (outcome_ == committed) ++thread_.read_only_;
      give_up();
      return outcome_;
    }
    if (look(&space_.shared->number) >= 0xff000000u) {
      outcome_ = exhausted;
      give_up();
      return outcome_;
    }
    const bool wakes = space_.options.mode == assisted;
    // A thread learns at a commit whether helpers are on, for its next transaction, and waits for the answer only if it has
    // a slot: then they may have been switched on meanwhile.
    const bool switches = space_.options.mode == adaptive;
    const Slice slice(space_, switches);
    const bool on = switches && helpers_on(space_);
    const bool by_ring = space_.options.mode == helper || wakes || (switches && (thread_.place_ == no_place || on));
    const bool in_slot = !by_ring && space_.options.mode != in_memory;
    // A lane that has room publishes before it may wait for lanes of its warp that have none: the helper waits for it. So all
    // stands inside the loop, and the compiler must not know that the loop ends there.
    unsigned waits = 1, tries = 0;
    Pauses pauses(200, longest_pause);
    const long long begin = cycles_now(space_);
    while (waits != 0) {
      unsigned at = 0;
      if (!by_ring || reserve(space_, thread_.ring_, 1 + count_, at, tries++ == 0)) {
        const unsigned number = next_of(&space_.shared->number);
        if (by_ring)
          into_ring(at, number);
        else if (in_slot)
          into_log(number);
        thread_.persisting_ += cycles_now(space_) - begin;
        write_back();
        if (in_slot) thread_.without_slot();
        thread_.last_ = number;
        waits = 0;
      }
      if (wakes) wake_assist();
      asm volatile("" : "+r"(waits)::"memory");
      if (waits != 0) pauses.pause();
    }
    if (switches) {
      turn(space_, slice);
      thread_.with_slot_ = !on;
    }
    ++thread_.commits_;
    if (blockIdx.x == 0)
      if (TimelineBin* const bin = bin_now(space_)) atomicAdd(&bin->commits, 1u);
    return committed;
  }

  EVERWARP_DEVICE void into_ring(unsigned at, unsigned number) {
    Ring* const ring = thread_.ring_;
    for (unsigned k = 0; k < count_; ++k) put(ring->pair(space_, at + 1 + k), look(written(k)));
    put(ring->pair(space_, at), head_of(count_, number));
  }
  EVERWARP_DEVICE void into_log(unsigned number) {
    const unsigned place = thread_.place_;
    unsigned long long* const frame = frame_of(space_, place);
    put(space_.heads + place, head_of(count_, number));
    for (unsigned k = 0; k < count_; ++k) put(frame + 1 + k, look(written(k)));  // @frame
    wait_cycles(space_.options.delay);
    ofence();  // @frame_order
    put(frame, head_of(count_, number));  // @frame_head
    dfence();  // @frame_durable
    mark_logged(space_, number, place);
    persisted(space_, 8 * (1 + count_));
  }
  /// The values to the working copy, then the records to whoever comes.
  EVERWARP_DEVICE void write_back() {
    for (unsigned k = 0; k < count_; ++k) {
      const unsigned long long pair = look(written(k));
      put(space_.data + high_part(pair), low_part(pair));
    }
    for (unsigned k = 0; k < held_; ++k)
      ref(space_.records + held(k)).store(0, cuda::memory_order_release);
    ref(space_.status + me()).store(active_ - active + idle, cuda::memory_order_release);
  }
  EVERWARP_DEVICE void give_up() {
    for (unsigned k = 0; k < held_; ++k) {
      unsigned long long mine = self_;  // unless it was robbed
      ref(space_.records + held(k)).compare_exchange_strong(mine, 0, cuda::memory_order_release);
    }
    unsigned long long expected = active_;
    if (!ref(space_.status + me()).compare_exchange_strong(expected, active_ - active + idle, cuda::memory_order_acq_rel)) {
      if (expected == active_ - active + robbed) ++thread_.robbed_;
      ref(space_.status + me()).store(active_ - active + idle, cuda::memory_order_release);
    }
  }
  EVERWARP_DEVICE unsigned held(unsigned k) const {
    return look(space_.held + static_cast<size_t>(k) * space_.all_threads + me());
  }

  Thread& thread_;
  const Space& space_;
  unsigned long long active_, self_, filter_ = 0;  // filter_: of the words written
  unsigned held_ = 0, count_ = 0;
  Status outcome_ = committed;
};

}  // namespace tx
}  // namespace everwarp

#endif  // __CUDACC__
