// Spaces as the host sees them: made, opened after a crash, settled, closed. Included by tx.cuh; tx_space.cuh has the words.
#pragma once

#if defined(__CUDACC__)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "assist.cuh"
#include "gpm.cuh"
#include "tx_space.cuh"

namespace everwarp {
namespace tx {

inline bool refuse(const char* call, const char* path, const char* what) {
  fprintf(stderr, "tx::%s: %s %s\n", call, path == NULL ? "the space" : path, what);
  return false;
}
inline unsigned power_of_two(unsigned long long least) {
  unsigned power = 1;
  while (power < least) power *= 2;
  return power;
}
inline size_t whole_lines(size_t bytes) {
  return (bytes + pool_line - 1) / pool_line * pool_line;
}

/// What is wrong with the options; NULL: nothing.
inline const char* mistake_in(const Options& o) {
  if (o.words == 0 || o.words >= 1u << 30) return "needs Options::words from 1 to 2^30 - 1";
  if (o.blocks == 0 || o.threads == 0 || o.threads % 32 != 0 || o.threads > 1024)
    return "needs Options::blocks of at least 1, and Options::threads as a multiple of 32 up to 1024";
  if (o.mode > assisted) return "has a mode that is none of in_memory, strict, helper, adaptive, assisted";
  if (o.writes == 0 || o.writes > 254) return "needs Options::writes from 1 to 254";
  if (o.records_held == 0) return "needs Options::records_held of at least 1";
  if ((o.records & (o.records - 1)) != 0) return "needs Options::records as a power of two, or 0";
  if (o.slots == 0 || o.slots > 64) return "needs Options::slots from 1 to 64";
  if ((o.log & (o.log - 1)) != 0 || o.log < 1024) return "needs Options::log as a power of two of at least 1024";
  if (o.mode == helper || o.mode == adaptive) {
    if (o.helpers == 0 || o.helpers > 8 || o.threads + 32 * o.helpers > 1024)
      return "needs Options::helpers from 1 to 8, and room for them: a block has 1024 threads at most";
  }
  if (o.mode == assisted && machine_assist() != assist_hardware)
    return "has the mode assisted, but the machine's SMs have no assist warps: set assist.model = hardware in its file";
  if (o.mode == helper || o.mode == adaptive || o.mode == assisted) {
    if (o.ring <= o.writes || o.ring > o.log) return "needs Options::ring above Options::writes, and not above Options::log";
  }
  if (o.slice == 0) return "needs Options::slice of at least 1 us";
  if (1ull * o.blocks * o.log >= 1ull << 31 || 1ull * o.blocks * o.threads * o.slots >= 1ull << 31)
    return "is too large: blocks * log and blocks * threads * slots must each be below 2^31";
  return NULL;
}

inline TxPoolHeader pool_layout(const Options& o) {
  TxPoolHeader header = {};
  header.version = format_version;
  header.words = o.words;
  header.blocks = o.blocks;
  header.threads = o.threads;
  header.writes = o.writes;
  header.slots = o.slots;
  header.log = o.log;
  header.base = sizeof header;
  header.image = header.base + pool_line;
  header.frames = header.image + whole_lines(4ull * o.words);
  header.logs = header.frames + whole_lines(8ull * (1 + o.writes) * o.slots * o.threads * o.blocks);
  header.bytes = header.logs + block_log_bytes(o.log) * o.blocks;
  return header;
}

/// Points the space to its pool, whose header is whole.
inline void find_pool(Space& space, TxPoolHeader* pool) {
  char* const bytes = reinterpret_cast<char*>(pool);
  const TxPoolHeader layout = pool_layout(space.options);
  space.pool = pool;
  space.base = reinterpret_cast<unsigned long long*>(bytes + layout.base);
  space.image = reinterpret_cast<unsigned*>(bytes + layout.image);
  space.frames = reinterpret_cast<unsigned long long*>(bytes + layout.frames);
  space.logs = bytes + layout.logs;
}

/// Cuts the space's device memory into its arrays; NULL: counts the bytes.
inline size_t cut(Space& space, char* arena) {
  size_t used = 0;
  const auto array = [&](auto*& pointer, size_t count) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(arena + used);
    used += (count * sizeof *pointer + 255) / 256 * 256;
  };
  const Options& o = space.options;
  const bool pool = o.mode != in_memory;
  const size_t window = pool ? space.window_mask + 1ull : 1;
  array(space.shared, 1);  // first: reset() clears from here to `status`
  array(space.logged, window);
  array(space.applied, window);
  array(space.heads, pool ? 1ull * o.slots * space.all_threads : 1);
  array(space.newest, pool ? o.words : 1);
  array(space.mirror, space.with_ring() ? 1ull * o.blocks * o.log : 1);
  array(space.block_logs, o.blocks);
  array(space.monitors, sm_monitors);
  array(space.status, space.all_threads);  // allocate() clears from here to `data`
  array(space.records, space.record_mask + 1ull);
  array(space.timeline, o.timeline != 0 ? 1 : 0);
  array(space.in_device, 1);
  array(space.data, o.words);  // what follows is written before it is read
  array(space.places, window);
  array(space.held, 1ull * o.records_held * space.all_threads);
  array(space.writes, (space.spare_row() + 1ull) * o.writes * space.all_threads);
  return used;
}

/// Sets the space's device memory from `first` to `behind` to zero.
inline bool clear(const void* first, const void* behind) {
  const size_t bytes = static_cast<const char*>(behind) - static_cast<const char*>(first);
  return cudaMemset(const_cast<void*>(first), 0, bytes) == cudaSuccess;
}

/// Numbers begin anew, logs are empty; the working copy stays.
inline bool reset(Space& space, const Statistics& kept) {
  const Options& o = space.options;
  if (!clear(space.shared, space.status)) return false;
  Shared fresh = {};
  fresh.statistics = kept;
  fresh.helpers_on = o.mode == adaptive ? 1 : 0;
  fresh.number = fresh.logged = fresh.claimed = fresh.applied = fresh.base = o.first_number;
  return cudaMemcpy(space.shared, &fresh, sizeof fresh, cudaMemcpyHostToDevice) == cudaSuccess;
}

inline bool allocate(Space& space) {
  const Options& o = space.options;
  space.all_threads = o.blocks * o.threads;
  space.record_mask = (o.records != 0 ? o.records : power_of_two(std::min(o.words, 1u << 20))) - 1;
  const unsigned long long outstanding = 1ull * o.blocks * o.log / 2 + 1ull * space.all_threads * (o.slots + 1);
  space.window_mask = power_of_two(2 * outstanding) - 1;
  const size_t bytes = cut(space, NULL);
  char* arena = NULL;
  if (cudaMalloc(reinterpret_cast<void**>(&arena), bytes) != cudaSuccess) return false;
  cut(space, arena);
  if (o.timeline == 0) space.timeline = NULL;
  if (!reset(space, Statistics()) || !clear(space.status, space.data)) return false;
  if (cudaMemcpy(space.in_device, &space, sizeof space, cudaMemcpyHostToDevice) != cudaSuccess) return false;
  if (o.first_attempt == 0) return true;
  std::vector<unsigned long long> status(space.all_threads, static_cast<unsigned long long>(o.first_attempt) << 32);
  return cudaMemcpy(space.status, status.data(), 8 * status.size(), cudaMemcpyHostToDevice) == cudaSuccess;
}

/// A new space, all zero, in place of what is at `path`; in memory: no path. The contents that it begins with may be
/// written to in_image(); then start(). False, and a sentence on stderr, when it cannot be.
inline bool create(Space& space, const char* path, const Options& options) {
  space = Space();
  space.options = options;
  if (const char* mistake = mistake_in(options)) return refuse("create", path, mistake);
  if (options.mode == in_memory) {
    space.image = static_cast<unsigned*>(calloc(options.words, 4));
    if (space.image == NULL) return refuse("create", path, "has no room in the host's memory");
  } else {
    const TxPoolHeader header = pool_layout(options);
    TxPoolHeader* pool = path == NULL ? NULL : static_cast<TxPoolHeader*>(gpm_map(path, header.bytes, true));
    if (pool == NULL) return refuse("create", path, "cannot be made");
    *pool = header;  // all but the magic
    find_pool(space, pool);
    *space.base = options.first_number;
    if (gpm_persist_range(pool, header.image) != 0) return refuse("create", path, "cannot be made durable");
  }
  return allocate(space) || refuse("create", path, "has no room in device memory");
}

/// The contents of the image are durable, and the space's. Kernels may follow.
inline bool start(Space& space) {
  const size_t bytes = 4ull * space.options.words;
  if (space.pool != NULL) {
    if (gpm_persist_range(space.image, bytes) != 0) return refuse("start", NULL, "cannot be made durable");
    space.pool->magic = pool_magic;
    if (gpm_persist_range(space.pool, 8) != 0) return refuse("start", NULL, "cannot be made durable");
    gpm_persist_begin();
  }
  return cudaMemcpy(space.data, space.image, bytes, cudaMemcpyDefault) == cudaSuccess ||
         refuse("start", NULL, "cannot be copied to device memory");
}

/// A frame in a log: pair k is pairs[(at + k) & mask].
struct FoundFrame {
  unsigned number, count, at, mask;
  const unsigned long long* pairs;
};

inline LogEnds* host_ends(const Space& space, unsigned block) {
  return reinterpret_cast<LogEnds*>(space.logs + block * block_log_bytes(space.options.log));
}

/// The frames behind the base, in the order of their numbers. False: the logs contradict themselves.
inline bool find_frames(const Space& space, std::vector<FoundFrame>& found) {
  const Options& o = space.options;
  const unsigned long long base = *space.base;
  const size_t slots = 1ull * o.blocks * o.threads * o.slots;
  for (size_t i = 0; i < slots; ++i) {
    const unsigned long long* const frame = space.frames + i * (1 + o.writes);
    if (*frame == 0 || low_part(*frame) <= base) continue;
    if (!is_head(*frame) || high_part(*frame) > o.writes) return false;
    found.push_back({low_part(*frame), high_part(*frame), 0, ~0u, frame});
  }
  for (unsigned block = 0; block < o.blocks; ++block) {
    const LogEnds* const ends = host_ends(space, block);
    if (ends->head >= ends->tail) continue;
    if (ends->tail - ends->head > o.log) return false;
    const unsigned long long* const pairs = reinterpret_cast<const unsigned long long*>(ends + 1);
    for (unsigned long long at = ends->head; at < ends->tail;) {
      const unsigned long long head = pairs[at & (o.log - 1)];
      if (!is_head(head) || at + high_part(head) >= ends->tail) return false;
      if (low_part(head) > base)
        found.push_back({low_part(head), high_part(head), static_cast<unsigned>(at & (o.log - 1)), o.log - 1, pairs});
      at += 1 + high_part(head);
    }
  }
  std::sort(found.begin(), found.end(), [](const FoundFrame& a, const FoundFrame& b) { return a.number < b.number; });
  return true;
}

inline char* bytes_of(const Space& space) {
  return reinterpret_cast<char*>(space.pool);
}
/// Makes lines of the pool durable, in stretches: a call takes long, however little it is about. Empties the list.
inline void persist_lines(const Space& space, std::vector<size_t>& lines) {
  std::sort(lines.begin(), lines.end());
  const size_t near = 64;  // lines between two changed ones that are better persisted than left out
  for (size_t i = 0; i < lines.size();) {
    size_t end = i + 1;
    while (end < lines.size() && lines[end] - lines[end - 1] <= near) ++end;
    const size_t first = lines[i] * pool_line, behind = std::min<size_t>((lines[end - 1] + 1) * pool_line, space.pool->bytes);
    gpm_persist_range(bytes_of(space) + first, behind - first);
    i = end;
  }
  lines.clear();
}

/// Makes the image what the logs say, then empties the logs. It may be cut off anywhere and called again. False: the pool
/// contradicts itself. `last`: the number of the last commit that is in the image.
inline bool recover(Space& space, unsigned& last) {
  const Options& o = space.options;
  std::vector<FoundFrame> found;
  if (!find_frames(space, found)) return false;
  last = static_cast<unsigned>(*space.base);
  std::vector<size_t> lines;
  for (const FoundFrame& frame : found) {
    if (frame.number == last) return false;  // two of one number
    if (frame.number != last + 1) break;     // it, and all that follow, did not happen
    for (unsigned k = 1; k <= frame.count; ++k) {
      const unsigned long long pair = frame.pairs[(frame.at + k) & frame.mask];
      if (pair >> 62 != 1 || high_part(pair) >= o.words) return false;
      space.image[high_part(pair)] = low_part(pair);
      lines.push_back((reinterpret_cast<char*>(space.image + high_part(pair)) - bytes_of(space)) / pool_line);
    }
    last = frame.number;
  }
  persist_lines(space, lines);  // @recovered
  *space.base = last;
  gpm_persist_range(space.base, 8);  // @recovered_base
  // What did not happen must not come back when its numbers are used again.
  const size_t frames = 1ull * o.blocks * o.threads * o.slots, pairs = 1 + o.writes;
  for (size_t i = 0; i < frames; ++i)
    if (space.frames[i * pairs] != 0) {
      space.frames[i * pairs] = 0;
      lines.push_back((reinterpret_cast<char*>(space.frames + i * pairs) - bytes_of(space)) / pool_line);
    }
  persist_lines(space, lines);
  // First both ends are equal; while they go back to zero the log is empty as well, since its head is not below its tail.
  for (int step = 0; step < 3; ++step)
    for (unsigned block = 0; block < o.blocks; ++block) {
      LogEnds* const ends = host_ends(space, block);
      unsigned long long* const end = step == 1 ? &ends->tail : &ends->head;
      const unsigned long long to = step == 0 ? ends->tail : 0;
      if (*end == to) continue;
      *end = to;
      gpm_persist_range(end, 8);
    }
  *space.base = o.first_number;
  return gpm_persist_range(space.base, 8) == 0;
}

/// The space that a run, or its crash, has left in `path`: recovered, so that what is there is every commit up to some
/// number and nothing else. `options` says how to go on; what the file says of its shape is taken from there. `last`:
/// how many commits the recovery has found in logs. False, and a sentence on stderr, when there is no whole space.
inline bool open(Space& space, const char* path, const Options& options, unsigned* last = NULL) {
  space = Space();
  if (options.mode == in_memory) return refuse("open", path, "has the mode in_memory: nothing is kept");
  const size_t bytes = path == NULL ? 0 : gpm_size(path);
  if (bytes < sizeof(TxPoolHeader)) return refuse("open", path, bytes == 0 ? "is not there" : "is no space: it is too short");
  TxPoolHeader* const pool = static_cast<TxPoolHeader*>(gpm_map(path, 0, false));
  if (pool == NULL) return refuse("open", path, "cannot be mapped");
  Options& o = space.options;
  o = options;
  o.words = pool->words;
  o.blocks = pool->blocks;
  o.threads = pool->threads;
  o.writes = pool->writes;
  o.slots = pool->slots;
  o.log = pool->log;
  const char* mistake = NULL;
  unsigned found = 0;
  if (pool->magic != pool_magic || pool->version != format_version)
    mistake = "holds no whole space: another file, or one whose start() a crash has cut off";
  else if ((mistake = mistake_in(o)) == NULL && (pool_layout(o).bytes != bytes || pool->bytes != bytes))
    mistake = "is no whole space: its size is not what its header says";
  if (mistake == NULL) {
    find_pool(space, pool);
    if (!recover(space, found)) mistake = "contradicts itself: its logs hold what no crash leaves";
  }
  if (mistake != NULL) {
    gpm_unmap(path, pool, bytes);
    return refuse("open", path, mistake);
  }
  if (last != NULL) *last = found;
  if (!allocate(space) ||
      cudaMemcpy(space.data, space.image, 4ull * o.words, cudaMemcpyDefault) != cudaSuccess)
    return refuse("open", path, "has no room in device memory");
  gpm_persist_begin();
  return true;
}

/// Waits for kernels. False, and a sentence on stderr, when one has failed or a transaction was a mistake.
inline bool check(const Space& space) {
  static const char* const sentences[] = {
      "", "", "atomically() inside of a transaction: transactions do not nest",
      "a transaction writes more words than Options::writes", "a transaction uses more records than Options::records_held",
      "a transaction reads or writes outside of the space: addresses come from Space::at()",
      "2^32 commits since it was opened: close the space, and open it again; a settle() in time begins to count anew",
      "the launch has another shape than the space: blocks of block_threads() threads in x, at most Options::blocks of them",
      "the SMs have no assist warps"};
  Shared shared;
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return refuse("check", "in a kernel:", cudaGetErrorString(error));
  if (cudaMemcpy(&shared.mistake, &space.shared->mistake, 4, cudaMemcpyDeviceToHost) != cudaSuccess)
    return refuse("check", NULL, "cannot be read");
  return shared.mistake < nested || refuse("check", "in a kernel:", sentences[shared.mistake]);
}

/// What has happened since the space was opened.
inline Statistics statistics(const Space& space) {
  Statistics all = {};
  cudaMemcpy(&all, &space.shared->statistics, sizeof all, cudaMemcpyDeviceToHost);
  return all;
}

/// Waits for kernels, then applies all that is logged to the image.
inline bool apply_all(Space& space) {
  if (!check(space)) return false;
  unsigned last;
  if (space.pool != NULL) return recover(space, last) || refuse("settle", NULL, "contradicts itself");
  return cudaMemcpy(space.image, space.data, 4ull * space.options.words, cudaMemcpyDeviceToHost) == cudaSuccess;
}

/// Waits for kernels, then applies all that is logged: the image is the working copy, durable, and the logs are empty.
inline bool settle(Space& space) {
  if (!apply_all(space)) return false;
  return space.pool == NULL || reset(space, statistics(space)) || refuse("settle", NULL, "cannot be reset");
}

/// What has happened over time since the space was opened; all zero without Options::timeline.
inline Timeline timeline(const Space& space) {
  Timeline all = {};
  if (space.timeline != NULL) cudaMemcpy(&all, space.timeline, sizeof all, cudaMemcpyDeviceToHost);
  return all;
}

/// Settles, and ends the space. 0, or -1 and a sentence on stderr.
inline int close(Space& space) {
  bool good = apply_all(space);
  cudaFree(space.shared);
  if (space.pool == NULL) {
    free(space.image);
  } else {
    gpm_persist_end();
    good = gpm_unmap("", space.pool, pool_layout(space.options).bytes) == 0 && good;
  }
  space = Space();
  return good ? 0 : -1;
}

}  // namespace tx
}  // namespace everwarp

#endif  // __CUDACC__
