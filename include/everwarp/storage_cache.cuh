// A software cache of drives in the GPU's memory ("BaM", ASPLOS'23, section 3.4): the part of a kernel.
// storage_cache_owner.cuh makes it; arrays (storage_array.cuh) are on top of it.
//
// The cached range of the drives is cut into lines. Each has a state, one word: valid, busy, dirty, writing, and how many
// threads hold it (its pins). A line that is held does not leave. The lanes of a warp that want the same line together have
// one leader; it probes once for all of them (storage_line_group.cuh). One thread asks the drive for a line that misses,
// and any thread that needs it looks whether it has come.
//
// A hit is one atomic: it adds pins, and answers the state and the slot. All that is longer is a function of its own
// that reads the view from device memory (cache_view::here); so a kernel keeps what a hit needs in registers.
//
// Nothing here waits: step() does what can be done now. The caller repeats it, and lanes that are done use their line and
// let it go before they wait for others. So a warp whose lanes want more lines than there are slots makes progress.
//
// A hand goes round over the slots to find room. There are a few spare slots beside those that were asked for. A thread
// takes one when others hold the lines of all slots, and nothing happens. No cursor holds a line there, so it becomes free again.
//
// A dirty line is written back before it leaves, and threads go on meanwhile. The dirty bit is set behind the bytes, and
// cleared before they are written; so no store is lost between the two. A line has at most one write under way.
//
// Statuses of drives reach the caller: a read that failed is not remembered, the next thread asks again. A line whose
// write-back fails stays, dirty. Waits are bounded: bam::all_pinned, or bam::timed_out. The slot of a read that timed
// out is set aside, because the drive may still write it, until cache::recover(). Of a replicated line another drive is asked.
#pragma once

#include <everwarp/storage_cache_state.cuh>

namespace bam {

/// What a kernel needs of a cache: passed by value, and never changed.
struct cache_view {
  uint64_t* states;  // by line: its state, and its slot
  char* data;        // slot by slot
  cache_statistics* statistics;
  cache_state* state;
  const cache_view* here;  // the same in device memory
  uint64_t lines;
  uint32_t line_bytes, line_shift;  // a power of two, and its logarithm
  bam::replacement replacement;
  uint32_t patience;
  // What a hit does not need.
  const queue_view* queues;  // drive by drive; behind them those of confirmations
  uint64_t* owners;          // by slot: its line
  slot_command* commands;    // by slot and drive
  uint64_t* lists;           // by slot: its pages but the first, if there are more than two
  confirmation* confirmations;  // by drive; nullptr: none is shared
  char* scratch;                // where their data go
  uint64_t first_block;
  uint32_t slot_count, spare_slots, line_blocks, list_entries;  // spare slots are behind the others
  uint32_t drives, pairs;
  bam::placement placement;
  bam::confirms confirms;

  __device__ char* at(uint32_t slot) const { return data + (uint64_t{slot} << line_shift); }
  /// A line in a spare slot is not held longer than it is used: it is the room of those who wait.
  __device__ bool may_be_held(uint32_t slot) const { return slot < slot_count; }
  __device__ bool may_be_held(const char* bytes) const { return bytes < at(slot_count); }
  __device__ cache_statistics& counts() const { return statistics[detail::warp_of_grid() % statistics_shards]; }
  __device__ cache_wait wait() const { return cache_wait(state); }
  __device__ poll_count polls() const { return poll_count(state); }

  /// So many threads hold the line: it does not leave. Answers its word as it was (has_bytes(), slot_of()).
  __device__ uint64_t pin(uint64_t line, uint32_t pins) const { return detail::add_acquire(states + line, pins); }
  /// A hit since the hand last passed. `now`: what pin() has answered.
  __device__ void refer(uint64_t line, uint64_t now) const {
    if (replacement == replacement::clock && !(now & line_referenced))
      detail::or_relaxed(states + line, line_referenced);
  }
  /// So many hold it no longer. What they wrote they have marked before. In two halves: the first waits for nothing.
  __device__ void unpin(uint64_t line, uint32_t pins) const { let_gone(let_go(line, pins)); }
  struct leaving {
    uint64_t pins = 1;  // left
    uint32_t waiting = 0;
  };
  __device__ leaving let_go(uint64_t line, uint32_t pins) const {
    leaving now;
    now.pins = detail::add_release(states + line, 0ull - pins) - pins;
    now.waiting = *const_cast<volatile uint32_t*>(&state->waiting);
    return now;
  }
  __device__ void let_gone(const leaving& now) const {
    if ((now.pins & line_pins) == 0 && now.waiting) detail::count(&state->progress);
  }
  /// The bytes of a line that is held have changed.
  __device__ void mark_dirty(uint64_t line) const { detail::or_release(states + line, line_dirty); }

  /// What can be done now to have the bytes of a line that the caller holds. ok: they are there; bam::again: not yet.
  __device__ status step(uint64_t line, cache_wait& wait) const { return step_of(here, line, wait); }
  /// Of a line that is there and held.
  __device__ char* bytes_of(uint64_t line) const { return at(slot_of(detail::load_acquire(states + line))); }
  /// The wait is over without a line: why. A command that was waited for is given up. bam::again: the wait begins anew.
  __device__ status expire(uint64_t line, cache_wait& wait) const { return expire_of(here, line, wait); }
  /// The line is asked for, if a slot and a place in a ring are free now. bam::again: they are not.
  __device__ status prefetch(uint64_t line) const { return prefetch_of(here, line); }
  /// What can be done now to have a line that the caller holds on the drives, if it was dirty; it stays.
  __device__ status step_back(uint64_t line, cache_wait& wait) const { return step_back_of(here, line, wait); }
  /// The same, until it is done.
  __device__ status write_back(uint64_t line) const {
    pin(line, 1);
    cache_wait met = wait();
    poll_count count = polls();
    status end = again;
    while (end == again) {
      end = step_back(line, met);
      if (end == again && count.is_over(patience)) end = timed_out;
    }
    unpin(line, 1);
    return end == ok ? ok : fail(line, end);
  }

  /// What can be done now to have the line, which the caller holds and which is valid, for a write of the caller's own. It is
  /// clean then: a store that comes later makes it dirty again.
  __device__ status step_own(uint64_t line, cache_wait& wait) const {
    using namespace detail;
    const uint64_t now = load_acquire(states + line), mine = line_writing | line_settling;
    if (!(now & mine) && change(states + line, now, (now & ~line_dirty) | mine)) return ok;
    if (now & line_writing) settle(line, now, wait.tries);
    return again;
  }
  /// The end of that. `dirty`: the drives may have older bytes.
  __device__ void disown(uint64_t line, bool dirty) const {
    if (dirty) mark_dirty(line);
    detail::and_release(states + line, ~(line_writing | line_settling));
    tell();
  }

  /// The line's bytes, from anywhere, to its drives; waits. `bytes` begin a page, `rest` is NVMe's second address.
  __device__ status write_all(uint64_t line, const void* bytes, const void* rest, bool forced) const {
    const command c = bam::write(block_of(line), line_blocks, bytes, rest, forced);
    status all = ok;
    for (uint32_t i = 0; i < writes(); ++i) {
      const uint32_t drive = drive_of(line, i);
      const status end = queue_of(drive, line).execute(c).status;
      if (end == timed_out) atomicOr(&state->deaf, 1u << drive);
      if (end != ok && all != timed_out) all = end;
      detail::count(&counts().writes);
    }
    return all;
  }

  __device__ uint64_t block_of(uint64_t line) const {
    return first_block + (placement == placement::striped ? line / drives : line) * line_blocks;
  }
  __device__ uint32_t writes() const { return placement == placement::striped ? 1 : drives; }
  __device__ uint32_t drive_of(uint64_t line, uint32_t i) const {
    return placement == placement::striped ? static_cast<uint32_t>(line % drives) : i;
  }
  /// By the warp and the line: warps that share lines would else take a few of the pairs, for all lines.
  __device__ uint32_t pair_of(uint32_t drive, uint64_t line) const {
    return drive * pairs + static_cast<uint32_t>((detail::warp_of_grid() + line / drives) % pairs);
  }
  __device__ const queue_view& queue_of(uint32_t drive, uint64_t line = 0) const { return queues[pair_of(drive, line)]; }
  /// The drive that a read asks, behind so many that did not have it.
  __device__ uint32_t reader_of(uint64_t line, uint32_t tries) const {
    if (placement == placement::striped) return static_cast<uint32_t>(line % drives);
    uint32_t drive = static_cast<uint32_t>((line + detail::warp_of_grid() + tries) % drives);
    for (uint32_t i = 0; i < drives && state->deaf >> drive & 1; ++i) drive = (drive + 1) % drives;
    return drive;
  }
  /// The second address of a command for the slot.
  __device__ const void* second(uint32_t slot) const {
    if (line_bytes <= 4096) return nullptr;
    return line_bytes == 8192 ? at(slot) + 4096 : static_cast<const void*>(lists + uint64_t{slot} * list_entries);
  }

  __device__ status fail(uint64_t line, status why) const { return fail_of(here, line, why); }

 private:
  // Functions of their own: each loads the view once, from device memory, and keeps it in registers.
  static __device__ __noinline__ status step_of(const cache_view* at, uint64_t line, cache_wait& wait) {
    using namespace detail;
    const cache_view v = *at;
    const uint64_t now = load_acquire(v.states + line);
    if (now & line_busy) return now & line_pending ? v.settle_here(line, now, wait.tries) : again;
    if (now & line_valid) return ok;
    return wait.may_look() && change(v.states + line, now, now | line_busy) ? v.bring_here(line, slot_of(now), wait) : again;
  }
  static __device__ __noinline__ status expire_of(const cache_view* at, uint64_t line, cache_wait& wait) {
    const cache_view v = *at;
    return detail::load_acquire(v.states + line) & line_busy ? v.give_up(line) : v.why_no_slot(line, wait);
  }
  static __device__ __noinline__ status prefetch_of(const cache_view* at, uint64_t line) {
    using namespace detail;
    const cache_view v = *at;
    uint64_t* const word = v.states + line;
    const uint64_t now = load_acquire(word);
    if (now & (line_valid | line_busy)) return ok;
    if (!change(word, now, now | line_busy)) return again;
    cache_wait once = v.wait();
    const status end = v.bring_here(line, slot_of(now), once);
    once.end();
    if (load_acquire(word) & (line_valid | line_pending)) {
      count(&v.counts().prefetches);
      return ok;
    }
    return end;
  }
  static __device__ __noinline__ status step_back_of(const cache_view* at, uint64_t line, cache_wait& wait) {
    using namespace detail;
    const cache_view v = *at;
    const uint64_t now = load_acquire(v.states + line);
    status end = again;
    if (now & line_busy) {
      if (now & line_pending) v.settle(line, now, wait.tries);
    } else if (!(now & line_valid) || !(now & (line_dirty | line_writing))) {
      return ok;
    } else if (now & line_writing) {
      end = v.settle(line, now, wait.tries);
    } else if (v.start_write(line, now)) {
      end = v.settle(line, load_acquire(v.states + line), wait.tries);
    }
    return end == ok ? again : end;  // a read of the line, meanwhile
  }
  static __device__ __noinline__ status fail_of(const cache_view* at, uint64_t line, status why) {
    const cache_view v = *at;
    detail::count(&v.counts().failures);
    if (atomicAdd(&v.state->first.count, 1u) == 0) v.state->first.why = why, v.state->first.line = line;
    return why;
  }
  __device__ bool is_confirmed(slot_command& read) const {
    return confirms == confirms::each ? is_confirmed_alone(here, read) : is_confirmed_of(here, read);
  }
  __device__ status settle(uint64_t line, uint64_t now, uint32_t& tries) const {
    return settle_of(here, line, now, tries);
  }
  __device__ bool start_write(uint64_t line, uint64_t now) const { return start_write_of(here, line, now); }
  __device__ bool take(uint32_t slot, cache_wait& wait) const { return take_of(here, slot, wait); }

  /// A slot may have become free.
  __device__ void tell() const {
    if (*const_cast<volatile uint32_t*>(&state->waiting)) detail::count(&state->progress);
  }

  /// The busy line, whose word named `old` as its slot, is asked for. bam::again also when it is: the bit pending says
  /// so. Else it is not busy any more.
  __device__ __forceinline__ status bring_here(uint64_t line, uint32_t old, cache_wait& wait) const {
    using namespace detail;
    const cache_view& v = *this;
    const uint32_t pair = v.pair_of(v.reader_of(line, wait.tries), line);
    const queue_view queue = v.queues[pair];
    uint32_t slot = 0;
    const queue_view::free_place_of place = queue.next_place();
    if (!place.is_free) {
      // No line leaves for a command that cannot be told now.
    } else if (v.find_slot(slot, wait)) {
      slot_command& mine = v.commands[uint64_t{slot} * v.drives];
      mine.word = 0, mine.queue = pair, mine.confirmation = 0;
      const command c = bam::read(v.block_of(line), v.line_blocks, v.at(slot), v.second(slot));
      uint64_t ticket;
      if (queue.try_submit(c, place, ticket, &mine.word)) {
        mine.ticket = ticket;
        count(&v.counts().reads);
        wait.asked = true;
        v.owners[slot] = line;
        add_release(v.states + line, uint64_t{slot - old} << 32 | line_pending);  // nobody else changes either
        return again;
      }
      v.give_back(slot, ok);
    } else {
      wait.found_none();
    }
    and_release(v.states + line, ~line_busy);
    return wait.refused > v.slot_count ? write_back_failed : again;
  }
  /// Behind a wait for a slot, or for a place in a ring, that is over. bam::again, once: a lost command may have had the
  /// place, and is given up now.
  __device__ status why_no_slot(uint64_t line, cache_wait& wait) const {
    queue_of(reader_of(line, wait.tries), line).unstick();
    if (wait.has_grace()) return again;
    bool lost = *const_cast<volatile uint32_t*>(&state->lost) >= slot_count;
    for (uint32_t slot = 0; slot < slot_count && !lost; ++slot) {  // one that is free: it was the ring that had no place
      const uint64_t owner = detail::load_acquire(owners + slot);
      lost = owner == slot_free || owner == slot_returned;
    }
    return lost ? timed_out : wait.refused ? write_back_failed : all_pinned;
  }

  /// How the command of a line has ended whose word was `now`, pending or writing, if it has. bam::again: it has not, or a
  /// write has ended well; ok: a read has.
  static __device__ __noinline__ status settle_of(const cache_view* at, uint64_t line, uint64_t now, uint32_t& tries) {
    const cache_view v = *at;
    return v.settle_here(line, now, tries);
  }
  __device__ __forceinline__ status settle_here(uint64_t line, uint64_t now, uint32_t& tries) const {
    using namespace detail;
    const cache_view& v = *this;
    uint64_t* const word = v.states + line;
    if (!v.is_there(now)) return again;
    now = or_both(word, line_settling);
    if (now & line_settling) return again;
    slot_command* const all = v.commands + uint64_t{slot_of(now)} * v.drives;
    status end = again;
    bool there = now & (line_pending | line_writing), not_told = false;
    for (uint32_t i = 0; there && i < (now & line_pending ? 1 : v.writes()); ++i) {
      const uint32_t told = load_acquire(&all[i].word);  // the line may have another command by now
      there = told != 0;
      if (now & line_writing && told == word_not_told) not_told = true;
      else if (const status one = result_of(told).status; there && one != ok) end = one;
    }
    if (!there) {
      and_release(word, ~line_settling);
    } else if (now & line_pending) {
      if (end != again) {
        v.give_back(slot_of(now), end);
        and_release(word, ~(line_busy | line_pending | line_settling));
        return v.placement == placement::replicated && ++tries < v.drives ? again : end;
      }
      if (v.confirms != confirms::none && !v.is_confirmed(*all)) {
        and_release(word, ~line_settling);
        return again;
      }
      xor_release(word, line_busy | line_pending | line_settling | line_valid);
      count(&v.state->progress);
      return ok;
    } else {
      if (end != again || not_told) or_release(word, line_dirty);
      else count(&v.counts().write_backs);
      and_release(word, ~(line_writing | line_settling));
      count(&v.state->progress);
      return end;
    }
    return again;
  }
  /// The read has completed. A second command takes its place and its queue, once.
  static __device__ __noinline__ bool is_confirmed_alone(const cache_view* at, slot_command& read) {
    const cache_view v = *at;
    if (read.confirmation) return true;
    const uint32_t told = read.word;
    read.word = 0;
    if (v.queues[read.queue].try_submit(bam::read(v.first_block, 1, v.scratch), read.ticket, &read.word)) {
      read.confirmation = 1;
      detail::count(&v.counts().confirmations);
    } else {
      read.word = told;
    }
    return false;
  }
  /// A command that began behind the read's completion has completed, so the read's data are there (BaM, section 4.4). The
  /// thread that sees its end begins the next at once, if a read wants it.
  static __device__ __noinline__ bool is_confirmed_of(const cache_view* at, slot_command& read) {
    using namespace detail;
    const cache_view v = *at;
    const uint32_t drive = read.queue / v.pairs;
    confirmation& now = v.confirmations[drive];
    uint64_t mine = read.confirmation;
    if (mine == 0) {
      read.confirmation = mine = load_acquire(&now.begun) + 1;
      *const_cast<volatile uint64_t*>(&now.wanted) = mine;  // a larger one may be lost: its own thread knows it
    }
    // Loads that wait for nothing, side by side: most looks find nothing, and only one that can do something takes the lock.
    const uint64_t ticket = glance(&now.ticket), seen = glance(&now.begun);
    const uint32_t word = glance(&now.word), locked = glance(&now.lock);
    if (glance(&now.done) >= mine) return load_acquire(&now.done) >= mine;
    if (locked) return false;
    const queue_view queue = v.queues[v.drives * v.pairs + drive];
    if (seen != glance(&now.done) && word == 0 && !queue.poll(ticket)) return false;
    if (!try_lock(&now.lock)) return false;
    const uint64_t begun = glance(&now.begun), wanted = glance(&now.wanted);
    uint64_t done = glance(&now.done);
    const uint32_t told = load_acquire(&now.word);
    const bool lost = begun != done && told == word_not_told;
    if (begun != done && told && !lost) store_release(&now.done, done = begun);
    if ((begun == done || lost) && done < (mine > wanted ? mine : wanted)) {
      now.word = 0;
      store_release(&now.begun, begun + 1);  // before it begins: a read that completes now waits for the one behind it
      if (queue.try_submit(bam::read(v.first_block, 1, v.scratch), now.ticket, &now.word)) {
        count(&v.counts().confirmations);
      } else {
        now.word = told;
        store_release(&now.begun, begun);
      }
    }
    unlock(&now.lock);
    return done >= mine;
  }
  /// A wait for the drive's confirmation is over: the next one may begin.
  __device__ void give_up_confirmation(uint32_t drive) const {
    using namespace detail;
    confirmation& now = confirmations[drive];
    if (!try_lock(&now.lock)) return;
    result end{};
    if (glance(&now.begun) != glance(&now.done) && glance(&now.word) == 0 &&
        !queues[drives * pairs + drive].give_up_at(&now.word, now.ticket, end))
      store_release(&now.word, word_not_told);
    unlock(&now.lock);
  }
  /// The results of the commands of a line with this word, all of them. Looks for completions if not.
  __device__ bool is_there(uint64_t now) const {
    using namespace detail;
    const slot_command* const all = commands + uint64_t{slot_of(now)} * drives;
    const uint32_t many = now & line_pending ? 1 : writes();
    for (uint32_t i = 0; i < many; ++i) {
      const uint64_t ticket = glance(&all[i].ticket);
      const uint32_t pair = glance(&all[i].queue);
      if (glance(&all[i].word)) continue;
      const queue_view queue = queues[pair];
      if (!queue.poll(ticket) || !glance(&all[i].word)) return false;
    }
    return true;
  }
  /// The wait for a line that comes is over.
  __device__ status give_up(uint64_t line) const {
    using namespace detail;
    uint64_t* const word = states + line;
    const uint64_t now = or_release(word, line_settling);
    if (now & line_settling) return timed_out;
    __threadfence();
    if (now & line_pending) {
      const uint32_t slot = slot_of(now);
      slot_command& mine = commands[uint64_t{slot} * drives];
      result end{};
      if (!queues[mine.queue].give_up_at(&mine.word, mine.ticket, end)) {
        atomicOr(&state->deaf, 1u << mine.queue / pairs);
        give_back(slot, timed_out);
        and_release(word, ~(line_busy | line_pending));
      } else if (confirmations) {
        give_up_confirmation(mine.queue / pairs);
      }
    }
    and_release(word, ~line_settling);
    return timed_out;
  }
  /// The line's write is under way. `now`: its state: valid, dirty, neither busy nor writing.
  static __device__ __noinline__ bool start_write_of(const cache_view* at, uint64_t line, uint64_t now) {
    using namespace detail;
    const cache_view v = *at;
    uint64_t* const word = v.states + line;
    if (now & line_settling || !change(word, now, (now & ~line_dirty) | line_writing | line_settling)) return false;
    const uint32_t slot = slot_of(now);
    const command c = bam::write(v.block_of(line), v.line_blocks, v.at(slot), v.second(slot));
    for (uint32_t i = 0; i < v.writes(); ++i) {
      slot_command& mine = v.commands[uint64_t{slot} * v.drives + i];
      const uint32_t pair = v.pair_of(v.drive_of(line, i), line);
      mine.word = 0, mine.queue = pair;
      const queue_view queue = v.queues[pair];
      if (queue.try_submit(c, mine.ticket, &mine.word)) count(&v.counts().writes);
      else mine.word = word_not_told;
    }
    and_release(word, ~line_settling);
    return true;
  }

  // The hand: storage_cache_slots.cuh.
  static constexpr uint32_t slots_of_a_look = 16;
  __device__ bool find_slot(uint32_t& slot, cache_wait& wait) const;
  static __device__ __noinline__ bool go_round_of(const cache_view* at, uint32_t& slot, cache_wait& wait);
  static __device__ __noinline__ bool take_of(const cache_view* at, uint32_t slot, cache_wait& wait);
  __device__ uint32_t pass_over(uint64_t turn) const;
  __device__ void settle_other(uint64_t line, cache_wait& wait) const;
  __device__ bool take_returned(uint32_t& slot) const;
  __device__ bool take_spare(uint32_t& slot, cache_wait& wait) const;
  __device__ bool are_all_held() const;
  __device__ void give_back(uint32_t slot, status end) const;
};

}  // namespace bam

#include <everwarp/storage_cache_slots.cuh>
