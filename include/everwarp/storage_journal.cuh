// Writes that survive a crash: changes of an array that become durable together or not at all. The part of a kernel;
// storage_journal_owner.cuh makes the journal, and recovers.
//
//   bam::cache cache(…);  bam::array<long> a(cache, …);
//   bam::journal_config where;  where.first_block = …;            // of drives[0], behind the cached range
//   bam::journal journal(cache, where);                            // first finishes what a crash has cut off
//   kernel<<<…>>>(a.view(), journal.view());
//
//   __global__ void kernel(bam::array_view<long> a, bam::journal_view journal) {
//     bam::change<long> both[] = {{from, x - 1}, {to, y + 1}};
//     if (journal.commit(a, both, 2) != bam::ok) …
//
// **The guarantee.** When commit() returns bam::ok, all changes are durable, on every drive that has the line. Whatever a crash cuts,
// behind the recovery either all changes of a commit are there or none. commit() returns another status: none is, and none
// will be; but with bam::in_doubt they are all there, or all come with the recovery, or none does. Two commits that change a
// line in common follow each other. Other stores to a line of a commit may become durable with it, as by any write-back.
//
// **How.** The new bytes of all lines, and a header with a checksum, go to an entry of the journal as one forced write
// (FUA): that it is whole is the commit. Then the lines go where they belong, forced; then the header is overwritten, forced. Only
// then may another commit have the lines. The recovery writes the lines of each whole entry again. It may be cut off, too.
// A journal needs blocks that a crash leaves old or new, as NVMe promises (atomic write unit for power failure).
#pragma once

#include <everwarp/storage_array.cuh>

namespace bam {

template <class T>
struct change {
  uint64_t i;
  T value;
};

constexpr uint32_t most_journal_lines = 8;

/// The block behind an entry's lines.
struct alignas(8) journal_header {
  uint64_t magic, sequence, checksum;
  uint32_t lines, line_bytes;
  uint64_t line[most_journal_lines];
};
constexpr uint64_t journal_magic = 0x6c616e72756f6a62;

/// Steps of a commit done wrongly, on purpose: to show that tests find it.
enum journal_bug : uint32_t {
  entry_not_forced = 1,
  lines_not_forced = 2,
  lines_before_entry = 4,
  cleared_before_lines = 8,
  checksum_ignored = 16,
};

struct journal_state {
  uint64_t sequence;
  uint32_t commits, recovered, in_doubt;
};
/// In device memory, for each entry.
struct journal_entry {
  uint32_t taken, unused;
  slot_command command;
};

struct journal_view {
  journal_state* state;
  journal_entry* entries;
  char* staging;    // entry by entry: its lines, and a page that begins with the header
  char* zeros;      // a page
  uint64_t* lists;  // entry by entry: the pages of its staging
  uint64_t first_block;
  uint32_t entry_count, entry_blocks, entry_pages, most_lines, block_bytes, bugs;

  /// All of the changes, or none. At most `most_lines` lines; an element that spans lines has two. Waits.
  template <class T>
  __device__ status commit(const array_view<T>& a, const change<T>* changes, uint32_t count) const {
    uint64_t lines[most_journal_lines];
    uint32_t many = 0;
    for (uint32_t c = 0; c < count; ++c) {
      if (changes[c].i >= a.count) return a.cache.fail(a.line_of(changes[c].i), out_of_range);
      const uint64_t last = (a.byte_of(changes[c].i) + sizeof(T) - 1) >> a.cache.line_shift;
      for (uint64_t line = a.line_of(changes[c].i); line <= last; ++line)
        if (!insert(lines, many, line)) return a.cache.fail(line, no_entry);
    }
    if (many == 0) return ok;
    return commit_lines(a.cache, lines, many, [&](uint32_t k, char* bytes) {
      for (uint32_t c = 0; c < count; ++c) put(a, changes[c], lines[k], bytes);
    });
  }
  template <class T>
  __device__ status commit(const array_view<T>& a, uint64_t i, const T& value) const {
    const change<T> one{i, value};
    return commit(a, &one, 1);
  }

  /// Of the owner's recovery: an entry that is whole goes where it belongs.
  __device__ status replay(const cache_view& cache, uint32_t entry) const {
    const uint32_t bytes = most_lines * cache.line_bytes + block_bytes;
    status end = perform(cache, entry, 0, bam::read(block_of(entry, cache, most_lines), entry_blocks, stage(entry),
                                                    second(entry, stage(entry), bytes)));
    if (end != ok) return end;
    const journal_header& h = header(entry, cache);
    if (h.magic != journal_magic || h.line_bytes != cache.line_bytes || h.lines == 0 || h.lines > most_lines) return ok;
    if (!(bugs & checksum_ignored) && h.checksum != checksum(entry, cache, h.lines)) return ok;
    for (uint32_t k = 0; k < h.lines; ++k)
      if (h.line[k] >= cache.lines) return ok;
    end = write_lines(cache, entry, h.lines);
    if (end == ok) end = clear(cache, entry);
    if (end == ok) atomicAdd(&state->recovered, 1u);
    return end;
  }

 private:
  /// Ascending, each once.
  __device__ bool insert(uint64_t* lines, uint32_t& many, uint64_t line) const {
    uint32_t at = 0;
    while (at < many && lines[at] < line) ++at;
    if (at < many && lines[at] == line) return true;
    if (many == most_lines) return false;
    for (uint32_t k = many++; k > at; --k) lines[k] = lines[k - 1];
    lines[at] = line;
    return true;
  }
  /// What of the change lies in this line.
  template <class T>
  __device__ static void put(const array_view<T>& a, const change<T>& c, uint64_t line, char* bytes) {
    const uint64_t begin = a.byte_of(c.i), first = line * a.cache.line_bytes, end = first + a.cache.line_bytes;
    const uint64_t from = begin > first ? begin : first, to = begin + sizeof(T) < end ? begin + sizeof(T) : end;
    if (from < to)
      a.copy(bytes + (from - first), reinterpret_cast<const char*>(&c.value) + (from - begin), static_cast<uint32_t>(to - from));
  }

  template <class Put>
  __device__ status commit_lines(const cache_view& cache, const uint64_t* lines, uint32_t many, Put put) const {
    using namespace detail;
    const uint32_t none = entry_count;
    uint32_t entry = none, next = warp_of_grid() % entry_count;
    poll_count polls = cache.polls();
    cache_wait wait = cache.wait();
    status end = again;
    // Each round does what can be done without waiting, so that no lane waits for another of its warp. A lane that is done
    // lets all go within the loop: behind it, it may wait for lanes that want what it holds.
    do {
      if (entry == none) {
        if (detail::change(&entries[next].taken, 0u, 1u)) {
          entry = next;
          for (uint32_t k = 0; k < many; ++k) cache.pin(lines[k], 1);
        } else {
          next = next + 1 == entry_count ? 0 : next + 1;
        }
      }
      if (entry != none) end = step(cache, lines, many, entry, wait, put);
      if (end == again && polls.is_over(cache.patience)) end = entry == none ? no_entry : cache.expire(lines[0], wait);
      if (end != again) {
        wait.end();
        if (entry != none && end != in_doubt) {  // in doubt: entry and lines stay taken until the journal is made anew
          for (uint32_t k = 0; k < many; ++k) cache.unpin(lines[k], 1);
          store_release(&entries[entry].taken, 0u);
        }
        count(&cache.state->progress);
      }
      asm volatile("" : "+r"(end));
    } while (end == again);
    if (end == in_doubt) atomicAdd(&state->in_doubt, 1u);
    return end == ok ? ok : cache.fail(lines[0], end);
  }

  template <class Put>
  __device__ status step(const cache_view& cache, const uint64_t* lines, uint32_t many, uint32_t entry, cache_wait& wait,
                         Put put) const {
    char* bytes[most_journal_lines];
    for (uint32_t k = 0; k < many; ++k)
      if (const status there = cache.step(lines[k], wait)) return there;
    for (uint32_t k = 0; k < many; ++k) bytes[k] = cache.bytes_of(lines[k]);
    for (uint32_t k = 0; k < many; ++k) {
      if (cache.step_own(lines[k], wait) == ok) continue;
      while (k-- > 0) cache.disown(lines[k], true);
      return again;
    }
    // Now nobody else writes these lines to drives.
    journal_header& h = header(entry, cache);
    for (uint32_t k = 0; k < many; ++k) {
      char* const to = line_at(entry, cache, many, k);
      for (uint32_t i = 0; i < cache.line_bytes; i += 16)
        *reinterpret_cast<uint4*>(to + i) = *reinterpret_cast<const uint4*>(bytes[k] + i);
      put(k, to);
      h.line[k] = lines[k];
    }
    h.magic = journal_magic, h.lines = many, h.line_bytes = cache.line_bytes;
    h.sequence = atomicAdd(reinterpret_cast<unsigned long long*>(&state->sequence), 1ull);
    h.checksum = checksum(entry, cache, many);

    status end = ok;
    if (bugs & lines_before_entry) end = write_lines(cache, entry, many);
    if (end == ok) end = write_entry(cache, entry, many);
    if (end != ok) {
      // Nothing is committed if no part of the entry can come back as a whole one.
      const bool sure = end != timed_out && clear(cache, entry) == ok;
      if (!sure) return in_doubt;
      for (uint32_t k = 0; k < many; ++k) cache.disown(lines[k], true);
      return end;
    }
    for (uint32_t k = 0; k < many; ++k) put(k, bytes[k]);
    if (bugs & cleared_before_lines) clear(cache, entry);
    end = write_lines(cache, entry, many);
    if (end == ok) end = clear(cache, entry);
    if (end != ok) return in_doubt;
    for (uint32_t k = 0; k < many; ++k) cache.disown(lines[k], false);
    atomicAdd(&state->commits, 1u);
    return ok;
  }

  __device__ char* stage(uint32_t entry) const { return staging + uint64_t{entry} * entry_pages * 4096; }
  /// Entries with fewer lines end at the same place: their header is always there.
  __device__ char* line_at(uint32_t entry, const cache_view& cache, uint32_t many, uint32_t k) const {
    return stage(entry) + uint64_t{most_lines - many + k} * cache.line_bytes;
  }
  __device__ journal_header& header(uint32_t entry, const cache_view& cache) const {
    return *reinterpret_cast<journal_header*>(line_at(entry, cache, 0, 0));
  }
  __device__ uint64_t block_of(uint32_t entry, const cache_view& cache, uint32_t many) const {
    return first_block + uint64_t{entry} * entry_blocks + uint64_t{most_lines - many} * cache.line_blocks;
  }
  /// NVMe's second address of bytes in the entry's staging.
  __device__ const void* second(uint32_t entry, const char* from, uint32_t bytes) const {
    const uint64_t first = static_cast<uint64_t>(from - stage(entry)) / 4096;
    const uint64_t last = (static_cast<uint64_t>(from - stage(entry)) + bytes - 1) / 4096;
    if (first == last) return nullptr;
    if (first + 1 == last) return stage(entry) + last * 4096;
    return lists + uint64_t{entry} * 64 + first + 1;
  }
  __device__ uint64_t checksum(uint32_t entry, const cache_view& cache, uint32_t many) const {
    const journal_header& h = header(entry, cache);
    uint64_t sum = 0xcbf29ce484222325 ^ h.sequence ^ uint64_t{h.lines} << 32 ^ h.line_bytes;
    const auto fold = [&](uint64_t value) { sum = (sum ^ value) * 0x100000001b3, sum ^= sum >> 29; };
    for (uint32_t k = 0; k < many; ++k) {
      fold(h.line[k]);
      const uint64_t* const words = reinterpret_cast<const uint64_t*>(line_at(entry, cache, many, k));
      for (uint32_t i = 0; i < cache.line_bytes / 8; ++i) fold(words[i]);
    }
    return sum;
  }

  __device__ status write_entry(const cache_view& cache, uint32_t entry, uint32_t many) const {
    const char* const from = line_at(entry, cache, many, 0);
    const uint32_t bytes = many * cache.line_bytes + block_bytes;
    return perform(cache, entry, 0, bam::write(block_of(entry, cache, many), bytes / block_bytes, from,
                                               second(entry, from, bytes), !(bugs & entry_not_forced)));
  }
  __device__ status write_lines(const cache_view& cache, uint32_t entry, uint32_t many) const {
    const journal_header& h = header(entry, cache);
    for (uint32_t k = 0; k < many; ++k) {
      const char* const from = line_at(entry, cache, many, k);
      const command c = bam::write(cache.block_of(h.line[k]), cache.line_blocks, from, second(entry, from, cache.line_bytes),
                                   !(bugs & lines_not_forced));
      for (uint32_t i = 0; i < cache.writes(); ++i)
        if (const status end = perform(cache, entry, cache.drive_of(h.line[k], i), c)) return end;
    }
    return ok;
  }
  __device__ status clear(const cache_view& cache, uint32_t entry) const {
    return perform(cache, entry, 0, bam::write(block_of(entry, cache, 0), 1, zeros, nullptr, true));
  }
  /// One command, to its end.
  __device__ status perform(const cache_view& cache, uint32_t entry, uint32_t drive, const command& c) const {
    const queue_view& queue = cache.queue_of(drive);
    slot_command& mine = entries[entry].command;
    mine.word = 0;
    poll_count polls = cache.polls();
    while (!queue.try_submit(c, mine.ticket, &mine.word))
      if (polls.is_over(cache.patience)) return queue.unstick(), timed_out;
    result end{};
    for (polls = cache.polls(); !queue.is_at(&mine.word, end);) {
      queue.poll(mine.ticket);
      if (polls.is_over(cache.patience) && !queue.give_up_at(&mine.word, mine.ticket, end)) return timed_out;
    }
    return end.status;
  }
};

}  // namespace bam
