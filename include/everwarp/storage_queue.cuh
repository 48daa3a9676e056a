// NVMe queues that kernels use by themselves ("BaM", ASPLOS'23, section 3.3): the part of a kernel. Part of
// <everwarp/storage.cuh>; storage_queue_pair.cuh makes them.
//
// A thread takes a ticket, waits until its place in the ring is free, writes its entry there, and marks it. The holder of
// the tail's lock moves the tail past all marks that follow each other, and rings the doorbell once for all of them. The
// holder of the head's lock takes completions away for everybody, hands each to the thread that waits for it, and rings
// when a quarter of the ring has been taken.
//
// Tickets have 64 bits. A ring has any size from 2 on. A command's identifier is the number of its place, plus a multiple of
// the ring's size that grows when a completion is lost. A wait ends after `patience` polls during which no command of the
// queue has completed, with bam::timed_out and a record of what was seen (queue_pair::diagnose).
//
// A completion that never comes: the place is used again, under another identifier, once the controller has said that it
// has fetched the entry. A completion that comes after all is counted (queue_state::late) and thrown away. The buffer of
// such a command may still be written: do not use it before queue_pair::recover(). A ring whose controller says nothing any
// more stands still, and each call ends with bam::timed_out; recover() makes the ring anew.
//
// What a thread wrote before submit() is written when the controller reads it. What a read has brought is seen behind
// wait() (release and acquire at system scope).
#pragma once

#include <everwarp/region.cuh>
#include <everwarp/storage_command.cuh>

namespace bam {

/// What a wait that has ended without success has seen.
struct diagnosis {
  uint32_t count;  // such waits
  uint32_t where;  // the first: 1 for its place, 2 for the tail, 3 for its completion
  uint64_t ticket;
  uint32_t id, tail, head, completion_head;
};

/// In device memory, one for each pair of queues.
struct queue_state {
  uint64_t ticket;            // of the next thread
  uint32_t tail_lock, tail;   // tail: the entry behind the last that the controller was told of
  uint32_t head;              // the entry behind the last that the controller has fetched, as far as known
  uint32_t completion_lock;
  uint64_t completions_at;          // head of the completions, and above 32 bits the phase of new entries there
  uint64_t doorbells, completions;  // rung; taken away
  uint32_t untold;                  // completions that were taken since the controller was told
  uint64_t lost, late;              // places used again without a completion; completions that came after that
  uint32_t given_up;                // there may be places in that state
  diagnosis first;
};

/// Of a place of the ring, once it is taken.
enum place_state : uint32_t {
  place_awaited = 0,   // a thread waits for the completion
  place_given_up = 1,  // no thread waits any more
  place_completed = 2,
  place_lost = 3,      // given up, and used again
  place_detached = 4,  // the completion goes to a word, and frees the place
};

namespace detail {

__device__ inline uint32_t load_acquire(const uint32_t* from) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
/// The same without the order: for polls that mostly find nothing.
__device__ inline uint32_t glance(const uint32_t* from) {
  return *const_cast<const volatile uint32_t*>(from);
}
__device__ inline uint64_t glance(const uint64_t* from) {
  return *const_cast<const volatile uint64_t*>(from);
}
/// Both words of a completion that the controller writes for the host: the upper one is id_and_status.
__device__ inline uint64_t load_acquire(const completion* from) {
  uint64_t value;
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(&from->head_and_queue) : "memory");
  return value;
}
__device__ inline uint64_t load_acquire(const uint64_t* from) {
  uint64_t value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline void store_release(uint32_t* to, uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ inline void store_release(uint64_t* to, uint64_t value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
__device__ inline void ring(volatile uint32_t* doorbell, uint32_t value) {
  asm volatile("st.mmio.relaxed.sys.global.u32 [%0], %1;" ::"l"(doorbell), "r"(value) : "memory");
}
__device__ inline bool try_lock(uint32_t* lock) {
  uint32_t before;
  asm volatile("atom.acquire.gpu.global.exch.b32 %0, [%1], 1;" : "=r"(before) : "l"(lock) : "memory");
  return before == 0;
}
__device__ inline void unlock(uint32_t* lock) {
  store_release(lock, 0u);
}
__device__ inline void count(uint64_t* counter, uint64_t more = 1) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(counter), "l"(more) : "memory");
}

}  // namespace detail

/// Polls of one wait. It is over when so many have seen no completion of the queue; soon, if another has given up. The
/// first polls follow each other at once. Then come pauses, each about a quarter of those before it, up to a bound. A
/// microsecond of a pause counts as a poll.
class patience_of {
 public:
  __device__ patience_of(const queue_state* state, uint32_t polls) : state_(state), polls_(polls) {}
  /// True: go on. `look` now and then: completions may be there for which nobody waits.
  __device__ bool another(bool& look) {
    if (pause_ >= shortest_pause) everwarp::wait_ns(pause_);
    pause_ = pause_ < longest_pause ? pause_ + (pause_ >> 2) + 1 : longest_pause;
    const uint32_t before = count_;
    count_ += 1 + (pause_ >> 10);
    look = (before ^ count_) >= 64;
    if (!look) return true;
    const uint64_t completions = *const_cast<const volatile uint64_t*>(&state_->completions);
    if (completions != seen_) seen_ = completions, count_ = 0;
    return count_ < (*const_cast<const volatile uint32_t*>(&state_->first.count) ? polls_ / 16 : polls_);
  }

 private:
  static constexpr uint32_t shortest_pause = 64, longest_pause = 65536;  // nanoseconds

  const queue_state* state_;
  uint32_t polls_, count_ = 0, pause_ = 0;
  uint64_t seen_ = 0;
};

/// The status of a result word, as queues write it: bit 31 says that it is there.
__device__ inline result result_of(uint32_t word) {
  return {word >> 1 & 0x7ff, !(word >> 15 & 1)};
}

/// What a kernel needs of a pair of queues: passed by value.
struct queue_view {
  command* ring;
  completion* completions;
  volatile uint32_t *tail_doorbell, *head_doorbell;
  queue_state* state;
  uint64_t* turns;    // by place: 2 * lap while it is free for that lap, one more while it is taken; above, lost commands
  uint32_t** words;   // by place: of a detached command, where its result goes
  uint32_t* marks;    // by place: its entry is written, and the tail has not passed it
  uint32_t* results;  // by place: 1 << 31 | upper half of the completion's last dword, once it is there
  uint32_t* states;   // by place: place_state
  uint32_t size;
  uint32_t patience;

  /// Submits the command and waits for its completion.
  __device__ result execute(command c) const {
    const queue_view here = *this;  // in registers: polls load nothing else
    uint64_t ticket;
    if (!here.submit(c, ticket)) return {timed_out, true};
    return here.wait(ticket);
  }

  /// The controller has been told of the command. False: it was not, in all patience; the place stays taken.
  __device__ bool submit(const command& c, uint64_t& ticket) const {
    using namespace detail;
    ticket = atomicAdd(reinterpret_cast<unsigned long long*>(&state->ticket), 1ull);
    const uint32_t place = static_cast<uint32_t>(ticket % size);
    bool look = false;
    uint64_t turn = 0;
    for (patience_of polls(state, patience); !is_free(ticket, turn);) {
      if (!polls.another(look)) return give_up(1, ticket);
      if (look) take_completions();
    }
    put(c, ticket, turn, nullptr);
    move_tail();
    for (patience_of polls(state, patience); detail::glance(marks + place) != 0;) {
      if (!polls.another(look)) return give_up(2, ticket);
      move_tail();
      if (look) take_completions();
    }
    return true;
  }
  /// The next ticket, while its place is free.
  struct free_place_of {
    uint64_t ticket = 0, turn = 0;
    bool is_free = false;
  };
  __device__ __forceinline__ free_place_of next_place() const {
    free_place_of next;
    next.ticket = next_ticket();
    for (bool polled = false;;) {
      if ((next.is_free = is_free(next.ticket, next.turn))) return next;
      // Another thread may have taken this ticket meanwhile: that is no full ring.
      if (const uint64_t now = next_ticket(); now != next.ticket) {
        next.ticket = now;
        continue;
      }
      if (polled) return next;
      poll(next.ticket);  // the command that has the place may not have been told
      polled = true;
    }
  }
  /// Waits for nothing. False: the next place is not free now. The command is detached: its result goes to `word`, which is
  /// in device memory and 0, and frees the place. Whoever waits for the word calls poll(). `place`: what next_place() has
  /// answered; another thread may have it by now.
  __device__ __forceinline__ bool try_submit(const command& c, free_place_of place, uint64_t& ticket, uint32_t* word) const {
    for (; place.is_free; place = next_place()) {
      const unsigned long long mine = place.ticket;
      if (atomicCAS(reinterpret_cast<unsigned long long*>(&state->ticket), mine, mine + 1) != mine) continue;
      ticket = place.ticket;
      put(c, place.ticket, place.turn, word);
      tell();
      return true;
    }
    return false;
  }
  __device__ __forceinline__ bool try_submit(const command& c, uint64_t& ticket, uint32_t* word) const {
    return try_submit(c, next_place(), ticket, word);
  }

  /// The end of a command that was submitted. Once for each ticket.
  __device__ result wait(uint64_t ticket) const {
    using namespace detail;
    const uint32_t place = static_cast<uint32_t>(ticket % size);
    uint64_t at = completions_at();
    bool look = true;
    for (patience_of polls(state, patience);;) {
      // Completions are taken in order. While none is at the head, nobody has taken this command's. (An entry that was
      // written twice meanwhile has its old phase: `look` finds that.)
      const bool any = is_there(at);
      if (any || look) {
        const uint64_t now = completions_at();
        if (any && now == at) take_completions_now();
        at = now;
        if (glance(results + place)) {
          const uint32_t end = load_acquire(results + place);
          free_place(place, load_acquire(turns + place));
          return result_of(end);
        }
      }
      if (!polls.another(look) && abandon(ticket, place_awaited)) return {timed_out, true};
    }
  }

  /// The end of a detached command. True: it is there, in `end`. False: not yet.
  __device__ bool is_at(const uint32_t* word, result& end) const {
    const uint32_t there = detail::load_acquire(word);
    if (there) end = result_of(there);
    return there != 0;
  }
  /// Looks for completions, and moves the tail if the command still waits for that. True: it has found something.
  __device__ __forceinline__ bool poll(uint64_t ticket) const {
    using namespace detail;
    // Loads that wait for nothing, side by side: most polls find nothing.
    const uint32_t mark = glance(marks + ticket % size), tail = glance(&state->tail);
    const uint64_t at = completions_at();
    const uint32_t next = glance(marks + tail);  // an entry that found the ring full
    const bool any = is_there(at);
    if (any) take_completions_now();
    if (mark | next | any) tell();
    return any;
  }
  /// Nobody waits for the detached command any more. True, with its end: it has completed.
  __device__ bool give_up_at(const uint32_t* word, uint64_t ticket, result& end) const {
    if (abandon(ticket, place_detached)) return is_at(word, end);
    for (uint32_t polls = 0; polls < patience; ++polls)  // another thread is about to store it
      if (is_at(word, end)) return true;
    return false;
  }
  /// Behind refusals of try_submit(): the command whose place is next, if it is a detached one, is given up. True: it was.
  __device__ bool unstick() const {
    const uint64_t next = next_ticket();
    return next >= size && abandon(next - size, place_detached);
  }

  /// Takes away all completions that are there.
  __device__ void take_completions() const {
    if (is_there(completions_at())) take_completions_now();
  }

 private:
  __device__ __forceinline__ void take_completions_now() const {
    using namespace detail;
    if (!try_lock(&state->completion_lock)) return;
    const uint64_t at = completions_at();
    const uint32_t before = glance(&state->head), untold = glance(&state->untold);
    uint32_t head = static_cast<uint32_t>(at), phase = static_cast<uint32_t>(at >> 32), taken = 0, fetched = 0;
    for (;;) {
      const uint64_t last = load_acquire(completions + head);
      if ((last >> 48 & 1) != phase) break;
      fetched = last & 0xffff;
      // Behind the completion: one that is late finds this set.
      const uint32_t checks = glance(&state->given_up);
      complete(last >> 32 & 0xffff, static_cast<uint32_t>(1u << 31 | last >> 48), checks);
      ++taken;
      if (++head == size) head = 0, phase ^= 1;
    }
    if (taken) {
      *const_cast<volatile uint64_t*>(&state->completions_at) = head | static_cast<uint64_t>(phase) << 32;
      count(&state->completions, taken);
      store_release(&state->head, fetched);
      __threadfence();  // a thread that gives up now sees this head, or is seen by what follows
      // The entries were read: the controller may write them again. It is told of a quarter of the ring at once.
      const bool tells = 4 * (untold + taken) >= size;
      *const_cast<volatile uint32_t*>(&state->untold) = tells ? 0 : untold + taken;
      if (tells) ring_doorbell(head_doorbell, head);
      if (glance(&state->given_up))
        for (uint32_t i = before; i != fetched; i = i + 1 == size ? 0 : i + 1) use_again(i);
    }
    unlock(&state->completion_lock);
  }

  // A word of `turns`: 56 bits of the turn, and above them how many commands of the place were lost.
  static constexpr uint32_t lost_shift = 56;
  static constexpr uint64_t turn_bits = (1ull << lost_shift) - 1;

  /// `turn`: the place's word.
  __device__ bool is_free(uint64_t ticket, uint64_t& turn) const {
    turn = detail::load_acquire(turns + ticket % size);
    return (turn & turn_bits) == 2 * (ticket / size);
  }
  __device__ uint64_t next_ticket() const { return *const_cast<const volatile uint64_t*>(&state->ticket); }
  __device__ uint64_t completions_at() const { return *const_cast<const volatile uint64_t*>(&state->completions_at); }
  /// A completion is there that had not been taken when the head was `at`.
  __device__ bool is_there(uint64_t at) const {
    const uint32_t last = detail::glance(&completions[static_cast<uint32_t>(at)].id_and_status);
    return (last >> 16 & 1) == static_cast<uint32_t>(at >> 32);
  }
  __device__ uint32_t id_of(uint32_t place, uint64_t turn) const {
    return place + size * static_cast<uint32_t>(turn >> lost_shift);
  }
  /// The entry of a ticket whose place is free, marked.
  __device__ __forceinline__ void put(command c, uint64_t ticket, uint64_t turn, uint32_t* word) const {
    using namespace detail;
    const uint32_t place = static_cast<uint32_t>(ticket % size);
    results[place] = 0;
    states[place] = word ? place_detached : place_awaited;
    if (word) words[place] = word;
    c.opcode_and_id = (c.opcode_and_id & 0xffff) | id_of(place, turn) << 16;
    const uint4* from = reinterpret_cast<const uint4*>(&c);
    uint4* to = reinterpret_cast<uint4*>(ring + place);
    for (int i = 0; i < 4; ++i) to[i] = from[i];
    *const_cast<volatile uint64_t*>(turns + place) = turn + 1;  // whoever must see it has seen the mark, or what follows from it
    store_release(marks + place, 1u);
  }
  __device__ void free_place(uint32_t place, uint64_t turn) const { detail::store_release(turns + place, turn + 1); }

  __device__ __forceinline__ void complete(uint32_t id, uint32_t end, bool checks) const {
    using namespace detail;
    const uint32_t place = checks ? id % size : id;
    if (checks && id_of(place, load_acquire(turns + place)) != id) {
      ++state->late;
      return;
    }
    // Neither changes before this thread frees the place.
    const uint64_t turn = glance(turns + place);
    uint32_t* const word = *const_cast<uint32_t* const volatile*>(words + place);
    const uint32_t before = atomicExch(states + place, static_cast<uint32_t>(place_completed));
    if (before == place_awaited) store_release(results + place, end);
    if (before == place_detached) store_release(word, end);
    if (before == place_detached || before == place_given_up) free_place(place, turn);
  }

  /// Given up, and fetched: free, under another identifier. Without one left the place stays taken.
  __device__ __forceinline__ void use_again(uint32_t place) const {
    const uint64_t turn = detail::load_acquire(turns + place);
    if (*const_cast<volatile uint32_t*>(states + place) != place_given_up) return;
    if (id_of(place, turn) + size > 0xfffe || turn >> lost_shift == 255) return;
    if (atomicCAS(states + place, static_cast<uint32_t>(place_given_up), static_cast<uint32_t>(place_lost)) !=
        place_given_up)
      return;
    detail::count(&state->lost);
    free_place(place, turn + (1ull << lost_shift));
  }

  /// No thread waits for it any more. False: it has completed just now.
  __device__ bool abandon(uint64_t ticket, place_state as) const {
    using namespace detail;
    const uint32_t place = static_cast<uint32_t>(ticket % size);
    const uint64_t turn = load_acquire(turns + place);
    // A place that has gone on: its command completed, and its word is there; or another thread has given it up.
    if ((turn & turn_bits) != 2 * (ticket / size) + 1) return true;
    atomicExch(&state->given_up, 1u);
    __threadfence();
    const uint32_t before =
        atomicCAS(states + place, static_cast<uint32_t>(as), static_cast<uint32_t>(place_given_up));
    if (before != as) return before != place_completed;
    give_up(3, ticket);
    __threadfence();
    if (load_acquire(marks + place) != 0) return true;  // the controller was not told yet: it frees the place one day
    const uint32_t head = load_acquire(&state->head), tail = *const_cast<volatile uint32_t*>(&state->tail);
    if ((place + size - head) % size >= (tail + size - head) % size) use_again(place);
    return true;
  }

  /// Of detached commands nobody may be waiting: moves the tail until no entry is left that it could pass.
  __device__ __forceinline__ void tell() const {
    using namespace detail;
    for (;;) {
      const uint32_t tail = glance(&state->tail), head = glance(&state->head), locked = glance(&state->tail_lock);
      const uint32_t next = tail + 1 == size ? 0 : tail + 1;
      // Locked: its holder passes the entry, or the next poll.
      if (locked || next == head || glance(marks + tail) == 0 || !try_lock(&state->tail_lock)) return;
      move_locked_tail();
    }
  }
  /// The tail passes all entries that are written and follow each other, as far as the ring has room.
  __device__ void move_tail() const {
    if (detail::glance(&state->tail_lock) == 0 && detail::try_lock(&state->tail_lock)) move_locked_tail();
  }
  __device__ __forceinline__ void move_locked_tail() const {
    using namespace detail;
    const uint32_t head = glance(&state->head), before = glance(&state->tail);
    uint32_t tail = before;
    for (;;) {
      const uint32_t next = tail + 1 == size ? 0 : tail + 1;
      if (next == head || glance(marks + tail) == 0) break;
      tail = next;
    }
    if (tail != before) {
      // Cleared before the doorbell: a detached command may complete, and its place be marked again, right behind it.
      for (uint32_t i = before; i != tail; i = i + 1 == size ? 0 : i + 1) *const_cast<volatile uint32_t*>(marks + i) = 0;
      *const_cast<volatile uint32_t*>(&state->tail) = tail;
      __threadfence_system();  // behind the marks: the entries are in memory before the controller hears of them
      ring_doorbell(tail_doorbell, tail);
    }
    unlock(&state->tail_lock);
  }

  __device__ void ring_doorbell(volatile uint32_t* doorbell, uint32_t value) const {
    detail::ring(doorbell, value);
    detail::count(&state->doorbells);
  }

  __device__ bool give_up(uint32_t where, uint64_t ticket) const {
    if (atomicAdd(&state->first.count, 1u) == 0) {
      state->first.where = where, state->first.ticket = ticket;
      state->first.id = id_of(static_cast<uint32_t>(ticket % size), turns[ticket % size]);
      state->first.tail = state->tail, state->first.head = state->head;
      state->first.completion_head = static_cast<uint32_t>(state->completions_at);
    }
    return false;
  }
};

}  // namespace bam
