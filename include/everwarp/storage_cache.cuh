// A software cache of drives in the GPU's memory ("BaM", ASPLOS'23, section 3.4): the part of a kernel.
// storage_cache_owner.cuh makes it; arrays (storage_array.cuh) are on top of it.
//
// The cached range of the drives is cut into lines. Each has a state, one word: valid, busy, dirty, writing, and how many
// threads hold it (its pins). A line that is held does not leave. The lanes of a warp that want the same line together have
// one leader; it probes once for all of them (line_group). One thread asks the drive for a line that misses, and
// any thread that needs it looks whether it has come.
//
// Nothing here waits: step() does what can be done now. The caller repeats it, and lanes that are done use their line and
// let it go before they wait for others. So a warp whose lanes want more lines than there are slots makes progress.
//
// A hand goes round over the slots to find room. A dirty line is written back before it leaves, and threads go on
// meanwhile. The dirty bit is set behind the bytes, and cleared before they are written; so no store is lost between the two. A
// line has at most one write under way.
//
// Statuses of drives reach the caller: a read that failed is not remembered, the next thread asks again. A line whose
// write-back fails stays, dirty. Waits are bounded: bam::all_pinned, or bam::timed_out. The slot of a read that timed
// out is set aside, because the drive may still write it, until cache::recover(). Of a replicated line another drive is asked.
#pragma once

#include <everwarp/storage_cache_state.cuh>

namespace bam {

/// What a kernel needs of a cache: passed by value.
struct cache_view {
  const queue_view* queues;  // drive by drive
  uint32_t *states, *slots;  // by line: its state; its slot
  uint64_t* owners;          // by slot: its line
  slot_command* commands;    // by slot and drive
  char* data;                // slot by slot
  uint64_t* lists;           // by slot: its pages but the first, if there are more than two
  confirmation* confirmations;  // by drive; nullptr: reads are not confirmed
  char* scratch;                // where their data go
  cache_state* state;
  cache_statistics* statistics;
  uint64_t lines, first_block;
  uint32_t slot_count, line_bytes, line_blocks, list_entries;
  uint32_t drives, pairs, patience;
  bam::replacement replacement;
  bam::placement placement;

  __device__ char* at(uint32_t slot) const { return data + uint64_t{slot} * line_bytes; }
  __device__ cache_statistics& counts() const { return statistics[detail::warp_of_grid() % statistics_shards]; }
  __device__ cache_wait wait() const { return cache_wait(state); }
  __device__ poll_count polls() const { return poll_count(state); }

  /// So many threads hold the line: it does not leave. True: its bytes are there.
  __device__ bool pin(uint64_t line, uint32_t pins) const {
    return (detail::add_acquire(states + line, pins) & (line_valid | line_busy)) == line_valid;
  }
  /// So many hold it no longer. What they wrote they have marked before.
  __device__ void unpin(uint64_t line, uint32_t pins) const {
    if ((detail::add_release(states + line, 0u - pins) & line_pins) == pins) tell();
  }
  /// The bytes of a line that is held have changed.
  __device__ void mark_dirty(uint64_t line) const { detail::or_release(states + line, line_dirty); }

  /// What can be done now to have the bytes of a line that the caller holds. bam::again: not there yet.
  __device__ status step(uint64_t line, cache_wait& wait, char*& bytes) const {
    using namespace detail;
    uint32_t* const word = states + line;
    const uint32_t now = load_acquire(word);
    if (now & line_busy) return now & line_pending ? settle(line, wait.tries) : again;
    if (now & line_valid) {
      bytes = at(slots[line]);
      return ok;
    }
    return wait.may_look() && change(word, now, now | line_busy) ? bring(line, wait) : again;
  }
  /// The wait is over without a line: why. A command that was waited for is given up. bam::again: the wait begins anew.
  __device__ status expire(uint64_t line, cache_wait& wait) const {
    return detail::load_acquire(states + line) & line_busy ? give_up(line) : why_no_slot(line, wait);
  }

  /// The line is asked for, if a slot and a place in a ring are free now. bam::again: they are not.
  __device__ status prefetch(uint64_t line) const {
    using namespace detail;
    uint32_t* const word = states + line;
    const uint32_t now = load_acquire(word);
    if (now & (line_valid | line_busy)) return ok;
    if (!change(word, now, now | line_busy)) return again;
    cache_wait once = wait();
    const status end = bring(line, once);
    once.end();
    if (load_acquire(word) & (line_valid | line_pending)) {
      count(&counts().prefetches);
      return ok;
    }
    return end;
  }

  /// What can be done now to have a line that the caller holds on the drives, if it was dirty; it stays.
  __device__ status step_back(uint64_t line, cache_wait& wait) const {
    using namespace detail;
    const uint32_t now = load_acquire(states + line);
    status end = again;
    if (now & line_busy) {
      if (now & line_pending) settle(line, wait.tries);
    } else if (!(now & line_valid) || !(now & (line_dirty | line_writing))) {
      return ok;
    } else if (now & line_writing) {
      end = settle(line, wait.tries);
    } else if (start_write(line, now)) {
      end = settle(line, wait.tries);
    }
    return end;
  }
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
    const uint32_t now = load_acquire(states + line), mine = line_writing | line_settling;
    if (!(now & mine) && change(states + line, now, (now & ~line_dirty) | mine)) return ok;
    if (now & line_writing) settle(line, wait.tries);
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
      const status end = queue_of(drive).execute(c).status;
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
  __device__ uint32_t pair_of(uint32_t drive) const { return drive * pairs + detail::warp_of_grid() % pairs; }
  __device__ const queue_view& queue_of(uint32_t drive) const { return queues[pair_of(drive)]; }
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

  __device__ status fail(uint64_t line, status why) const {
    detail::count(&counts().failures);
    if (atomicAdd(&state->first.count, 1u) == 0) state->first.why = why, state->first.line = line;
    return why;
  }

 private:
  /// A slot may have become free.
  __device__ void tell() const {
    if (*const_cast<volatile uint32_t*>(&state->waiting)) detail::count(&state->progress);
  }

  /// The busy line is asked for. bam::again also when it is: the bit pending says so. Else it is not busy any more.
  __device__ status bring(uint64_t line, cache_wait& wait) const {
    using namespace detail;
    const uint32_t drive = reader_of(line, wait.tries);
    uint32_t slot = 0;
    if (!queue_of(drive).has_place()) {
      // No line leaves for a command that cannot be told now.
    } else if (find_slot(slot, wait)) {
      slot_command& mine = commands[uint64_t{slot} * drives];
      mine.word = 0, mine.queue = pair_of(drive), mine.confirmation = 0;
      slots[line] = slot;
      const command c = bam::read(block_of(line), line_blocks, at(slot), second(slot));
      if (queues[mine.queue].try_submit(c, mine.ticket, &mine.word)) {
        count(&counts().reads);
        owners[slot] = line;
        or_release(states + line, line_pending);
        return again;
      }
      give_back(slot, ok);
    } else {
      wait.found_none();
    }
    and_release(states + line, ~line_busy);
    return wait.refused > slot_count ? write_back_failed : again;
  }
  /// Behind a wait for a slot, or for a place in a ring, that is over. bam::again, once: a lost command may have had the
  /// place, and is given up now.
  __device__ status why_no_slot(uint64_t line, cache_wait& wait) const {
    queue_of(reader_of(line, wait.tries)).unstick();
    if (wait.has_grace()) return again;
    bool lost = *const_cast<volatile uint32_t*>(&state->lost) >= slot_count;
    for (uint32_t slot = 0; slot < slot_count && !lost; ++slot)  // one that is free: it was the ring that had no place
      lost = detail::load_acquire(owners + slot) == slot_free;
    return lost ? timed_out : wait.refused ? write_back_failed : all_pinned;
  }

  /// How the command of a line that is pending or writing has ended, if it has. bam::again: it has not, or well.
  __device__ status settle(uint64_t line, uint32_t& tries) const {
    using namespace detail;
    uint32_t* const word = states + line;
    if (!is_there(line)) return again;
    const uint32_t now = or_release(word, line_settling);
    if (now & line_settling) return again;
    __threadfence();
    status end = again;
    if (now & line_pending && is_there(line)) {
      const uint32_t slot = slots[line];
      const uint32_t told = commands[uint64_t{slot} * drives].word;
      if (result_of(told).status == ok) {
        if (confirmations && !is_confirmed(commands[uint64_t{slot} * drives])) {
          and_release(word, ~line_settling);
          return again;
        }
        atomicXor(word, line_busy | line_pending | line_settling | line_valid);
        count(&state->progress);
        return again;
      }
      end = result_of(told).status;
      give_back(slot, end);
      and_release(word, ~(line_busy | line_pending | line_settling));
      return placement == placement::replicated && ++tries < drives ? again : end;
    }
    if (now & line_writing && is_there(line)) {
      bool not_told = false;
      for (uint32_t i = 0; i < writes(); ++i) {
        const uint32_t told = commands[uint64_t{slots[line]} * drives + i].word;
        if (told == word_not_told) not_told = true;
        else if (result_of(told).status != ok) end = result_of(told).status;
      }
      if (end != again || not_told) or_release(word, line_dirty);
      else count(&counts().write_backs);
      and_release(word, ~(line_writing | line_settling));
      count(&state->progress);
      return end;
    }
    and_release(word, ~line_settling);
    return again;
  }
  /// A command that began behind the read's completion has completed, so the read's data are there (BaM, section 4.4).
  __device__ bool is_confirmed(slot_command& read) const {
    using namespace detail;
    const uint32_t drive = read.queue / pairs;
    confirmation& now = confirmations[drive];
    if (read.confirmation == 0) read.confirmation = load_acquire(&now.begun) + 1;
    if (load_acquire(&now.done) >= read.confirmation) return true;
    if (!try_lock(&now.lock)) return false;
    if (now.begun != now.done) {
      result end{};
      queues[now.queue].poll(now.ticket);
      if (queues[now.queue].is_at(&now.word, end)) store_release(&now.done, now.begun);
    }
    if (now.begun == now.done && now.done < read.confirmation) {
      now.word = 0, now.queue = pair_of(drive);
      if (queues[now.queue].try_submit(bam::read(first_block, 1, scratch), now.ticket, &now.word)) {
        store_release(&now.begun, now.begun + 1);
        count(&counts().confirmations);
      }
    }
    unlock(&now.lock);
    return load_acquire(&now.done) >= read.confirmation;
  }
  /// The results of the line's commands, all of them. Looks for completions if not.
  __device__ bool is_there(uint64_t line) const {
    using namespace detail;
    const slot_command* const all = commands + uint64_t{*const_cast<volatile uint32_t*>(slots + line)} * drives;
    const uint32_t many = load_acquire(states + line) & line_pending ? 1 : writes();
    for (uint32_t i = 0; i < many; ++i) {
      if (load_acquire(&all[i].word)) continue;
      queues[all[i].queue].poll(*const_cast<const volatile uint64_t*>(&all[i].ticket));
      if (!load_acquire(&all[i].word)) return false;
    }
    return true;
  }
  /// The wait for a line that comes is over.
  __device__ status give_up(uint64_t line) const {
    using namespace detail;
    uint32_t* const word = states + line;
    const uint32_t now = or_release(word, line_settling);
    if (now & line_settling) return timed_out;
    __threadfence();
    if (now & line_pending) {
      const uint32_t slot = slots[line];
      slot_command& mine = commands[uint64_t{slot} * drives];
      result end{};
      if (!queues[mine.queue].give_up_at(&mine.word, mine.ticket, end)) {
        atomicOr(&state->deaf, 1u << mine.queue / pairs);
        give_back(slot, timed_out);
        and_release(word, ~(line_busy | line_pending));
      }
    }
    and_release(word, ~line_settling);
    return timed_out;
  }
  /// A slot whose read was not begun, or ended with a status.
  __device__ void give_back(uint32_t slot, status end) const {
    if (end == timed_out) atomicAdd(&state->lost, 1u);
    detail::store_release(owners + slot, end == timed_out ? slot_lost : slot_free);
    tell();
  }

  /// The line's write is under way. `now`: its state: valid, dirty, neither busy nor writing.
  __device__ bool start_write(uint64_t line, uint32_t now) const {
    using namespace detail;
    if (now & line_settling || !change(states + line, now, (now & ~line_dirty) | line_writing | line_settling)) return false;
    const uint32_t slot = slots[line];
    const command c = bam::write(block_of(line), line_blocks, at(slot), second(slot));
    for (uint32_t i = 0; i < writes(); ++i) {
      slot_command& mine = commands[uint64_t{slot} * drives + i];
      mine.word = 0, mine.queue = pair_of(drive_of(line, i));
      if (queues[mine.queue].try_submit(c, mine.ticket, &mine.word)) count(&counts().writes);
      else mine.word = word_not_told;
    }
    and_release(states + line, ~line_settling);
    return true;
  }

  /// Twice round: the first time takes the reference bits away. Nobody else knows the slot then.
  __device__ bool find_slot(uint32_t& slot, cache_wait& wait) const {
    for (uint32_t i = 0; i < 2 * slot_count && wait.refused <= slot_count; ++i) {
      const uint64_t turn = atomicAdd(reinterpret_cast<unsigned long long*>(&state->hand), 1ull);
      slot = static_cast<uint32_t>(turn % slot_count);
      if (take(slot, wait)) return true;
    }
    return false;
  }
  /// The slot is the caller's.
  __device__ bool take(uint32_t slot, cache_wait& wait) const {
    using namespace detail;
    const uint64_t line = load_acquire(owners + slot);
    if (line == slot_free) return change(owners + slot, slot_free, slot_claimed);
    if (line >= lines) return false;
    uint32_t* const word = states + line;
    uint32_t now = load_acquire(word);
    if (now & (line_pending | line_writing)) {
      settle_other(line, wait);
      now = load_acquire(word);
    }
    const auto may_leave = [](uint32_t state) {
      return (state & (line_valid | line_busy | line_writing | line_settling | line_pins)) == line_valid;
    };
    if (!may_leave(now)) return false;
    if (replacement == replacement::clock && now & line_referenced) {
      atomicAnd(word, ~line_referenced);
      return false;
    }
    if (now & line_dirty) {
      if (!queue_of(drive_of(line, 0)).has_place()) return false;
      if (start_write(line, now)) settle_other(line, wait);
      now = load_acquire(word);
      if (!may_leave(now) || now & line_dirty) return false;
    }
    if (!change(word, now, now | line_busy)) return false;
    if (slots[line] != slot) {  // it left, and came back to another slot, meanwhile
      and_release(word, ~line_busy);
      return false;
    }
    store_release(owners + slot, slot_claimed);
    count(&counts().evictions);
    count(&state->progress);
    and_release(word, ~(line_busy | line_valid | line_referenced));
    return true;
  }
  /// Of a line that the caller does not want, but its slot.
  __device__ void settle_other(uint64_t line, cache_wait& wait) const {
    const bool reads = detail::load_acquire(states + line) & line_pending;
    uint32_t tries = drives;
    const status end = settle(line, tries);
    if (end == again || reads) return;  // a read that failed: the thread that wants the line asks again
    ++wait.refused;
    fail(line, end);
  }
};

/// The lanes of a warp that want the same line together.
struct line_group {
  uint32_t mask, leader, count;
  bool leads;

  __device__ explicit line_group(uint64_t line) {
    const uint32_t active = __activemask();
    mask = __match_any_sync(active, line);
    leader = __ffs(mask) - 1;
    count = __popc(mask);
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    leads = lane == leader;
  }

  /// Each lane uses the line's bytes, with use(bytes), and then holds it no longer; or, if `keeps`, goes on to hold it.
  template <class Use>
  __device__ status with(const cache_view& cache, uint64_t line, bool writes, bool keeps, Use use) const {
    cache_wait wait = cache.wait();
    poll_count polls = cache.polls();
    bool hit = false;
    if (leads) {
      hit = cache.pin(line, count);
      if (hit && cache.replacement == replacement::clock && !(detail::load_acquire(cache.states + line) & line_referenced))
        atomicOr(cache.states + line, static_cast<uint32_t>(line_referenced));
    }
    for (;;) {
      status end = ok;
      char* bytes = nullptr;
      const bool over = polls.is_over(cache.patience);
      if (leads) end = cache.step(line, wait, bytes);
      if (over) {
        polls = cache.polls();
        if (leads && end == again) end = cache.expire(line, wait);
      }
      end = __shfl_sync(mask, end, leader);
      if (end == again) continue;
      if (end == ok) {
        bytes = reinterpret_cast<char*>(__shfl_sync(mask, reinterpret_cast<unsigned long long>(bytes), leader));
        __syncwarp(mask);
        use(bytes);
        __syncwarp(mask);
      }
      if (leads) {
        if (end == ok && writes) cache.mark_dirty(line);
        if (end != ok || !keeps) cache.unpin(line, count);
        wait.end();
        cache_statistics& counts = cache.counts();
        detail::count(hit ? &counts.thread_hits : &counts.thread_misses, count);
        detail::count(hit ? &counts.line_hits : &counts.line_misses);
        if (end != ok) cache.fail(line, end);
      }
      return end;
    }
  }
};

}  // namespace bam
