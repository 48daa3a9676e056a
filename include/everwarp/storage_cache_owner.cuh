// A software cache of drives: its owner on the host. storage_cache.cuh says what it does.
//
//   bam::controller drive0(0), drive1(1);
//   bam::cache_config config;
//   config.bytes = 1 << 30;                                     // of the drives, from block first_block on
//   config.slots = 1024;                                        // lines in the GPU's memory
//   bam::cache cache({&drive0, &drive1}, config);               // makes queues, allocates all memory
//   kernel<<<…>>>(cache.view());
//   cache.flush();                                              // dirty lines are on the drives, and durable
//   cache.must();                                               // throws if an access of a kernel has failed
//
// Every mistake is a std::runtime_error. A call waits for kernels. The destructor flushes, and says on stderr what failed.
#pragma once

#include <everwarp/storage_line_group.cuh>
#include <everwarp/storage_queue_pair.cuh>

#include <memory>
#include <string>
#include <vector>

namespace bam {

struct cache_config {
  uint64_t bytes = 0;        // that are cached: whole lines
  uint64_t first_block = 0;  // of each drive, of those bytes
  uint32_t line = 4096;      // bytes of a line: a power of two, from a block to what one command may move
  uint32_t slots = 256;      // lines that the cache holds; a few more if threads hold all of them
  bam::replacement replacement = bam::replacement::clock;
  bam::placement placement = bam::placement::striped;
  uint32_t pairs = 2, entries = 64;  // of queues, for each drive; entries of each ring
  uint32_t patience = 20000;         // polls without progress, until a wait gives up
  bam::confirms confirms = bam::confirms::none;  // data are used when a second command has shown that they have come
  uint64_t first_turn = 0;           // of the hand, and of tickets: for tests
};

namespace detail {

/// Lines that a kernel of the host's could not move, and why one of them.
struct unmoved {
  unsigned long long count, why;

  __device__ void add(status end) {
    atomicAdd(&count, 1ull);
    atomicExch(&why, static_cast<unsigned long long>(end));
  }
};
/// Dirty lines to the drives.
static __global__ void flush_lines(cache_view cache, unmoved* failed) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (uint32_t slot = thread; slot < cache.slot_count + cache.spare_slots; slot += threads) {
    const uint64_t line = load_acquire(cache.owners + slot);
    if (line >= cache.lines) continue;
    if (const status end = cache.write_back(line)) failed->add(end);
  }
}
/// Lines from memory to the drives, or back, past the cache.
static __global__ void move_lines(cache_view cache, uint64_t first, uint64_t count, char* bytes, const uint64_t* lists,
                                  bool writes, unmoved* failed) {
  const uint64_t thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (uint64_t i = thread; i < count; i += threads) {
    char* const at = bytes + i * cache.line_bytes;
    const void* const second = cache.line_bytes <= 4096   ? nullptr
                               : cache.line_bytes == 8192 ? at + 4096
                                                          : static_cast<const void*>(lists + i * cache.list_entries);
    const uint64_t line = first + i;
    const status end =
        writes ? cache.write_all(line, at, second, false)
               : cache.queue_of(cache.reader_of(line, 0), line).execute(read(cache.block_of(line), cache.line_blocks, at, second)).status;
    if (end != ok) cache.fail(line, end), failed->add(end);
  }
}

/// Memory of the GPU that starts at a page.
class pages {
 public:
  pages(const controller& drive, uint64_t bytes, const char* what) {
    drive.cuda(cudaMalloc(&memory_, bytes + controller::page), what);
    drive.cuda(cudaMemset(memory_, 0, bytes + controller::page), what);
  }
  ~pages() { cudaFree(memory_); }
  pages(const pages&) = delete;
  pages& operator=(const pages&) = delete;
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(controller::aligned(memory_));
  }

 private:
  void* memory_ = nullptr;
};

}  // namespace detail

class cache {
 public:
  cache(std::vector<controller*> drives, const cache_config& config) : drives_(std::move(drives)), config_(config) {
    check();
    view_.drives = static_cast<uint32_t>(drives_.size()), view_.pairs = config.pairs, view_.patience = config.patience;
    view_.replacement = config.replacement, view_.placement = config.placement, view_.confirms = config.confirms;
    view_.lines = config.bytes / config.line, view_.first_block = config.first_block;
    view_.slot_count = config.slots, view_.line_bytes = config.line;
    view_.spare_slots = std::min(std::max(config.slots / 8, 1u), 16u);
    while (config.line >> view_.line_shift > 1) ++view_.line_shift;
    view_.line_blocks = config.line / drives_[0]->what().block_bytes;
    view_.list_entries = config.line > 8192 ? config.line / 4096 : 0;
    make_queues();
    view_.states = more<uint64_t>(view_.lines, "states of lines");
    view_.owners = more<uint64_t>(all_slots(), "owners of slots");
    view_.commands = more<slot_command>(uint64_t{all_slots()} * drives_.size(), "commands of slots");
    view_.state = more<cache_state>(1, "the cache's state");
    view_.statistics = more<cache_statistics>(statistics_shards, "the cache's counts");
    view_.data = more<char>(uint64_t{all_slots()} * config.line, "lines of the cache");
    if (config.confirms == confirms::shared) view_.confirmations = more<confirmation>(drives_.size(), "confirmations");
    view_.scratch = more<char>(4096, "a page");
    view_.lists = lists_of(view_.data, all_slots());
    cuda(cudaMemset(view_.owners, 0xff, all_slots() * sizeof(uint64_t)), "owners of slots");
    cuda(cudaMemcpy(&view_.state->hand, &config.first_turn, 8, cudaMemcpyHostToDevice), "the cache's state");
    cache_view* const here = more<cache_view>(1, "the cache's view");
    view_.here = here;
    cuda(cudaMemcpy(here, &view_, sizeof view_, cudaMemcpyHostToDevice), "the cache's view");
  }
  ~cache() {
    try {
      flush();
    } catch (const std::exception& mistake) {
      fprintf(stderr, "%s\n", mistake.what());
    }
  }
  cache(const cache&) = delete;
  cache& operator=(const cache&) = delete;

  const cache_view& view() const { return view_; }
  const cache_config& config() const { return config_; }
  const std::vector<controller*>& drives() const { return drives_; }

  /// Dirty lines are on the drives, and, if `durable`, in what a loss of power leaves.
  void flush(bool durable = true) {
    all_moved("written back", [&](detail::unmoved* failed) { detail::flush_lines<<<blocks(), 128>>>(view_, failed); });
    if (!durable) return;
    for (uint32_t drive = 0; drive < view_.drives; ++drive)
      if (drives_[drive]->what().volatile_cache) execute(drive, bam::flush(), "Flush");
  }
  /// No line is in the cache any more; dirty ones have been flushed.
  void drop() {
    flush(false);
    cuda(cudaMemset(view_.states, 0, view_.lines * sizeof(uint64_t)), "states of lines");
    std::vector<uint64_t> owners = copy(view_.owners, all_slots());
    for (uint64_t& owner : owners)
      if (owner != slot_lost) owner = slot_free;
    cuda(cudaMemset(&view_.state->returned, 0, 8), "the cache's state");
    cuda(cudaMemcpy(view_.owners, owners.data(), owners.size() * 8, cudaMemcpyHostToDevice), "owners of slots");
  }
  /// Bytes of the cached range, from the host to the drives, from a line on. What follows in the last line stays as it is.
  void upload(uint64_t first_line, const void* bytes, uint64_t size) { move(first_line, const_cast<void*>(bytes), size, true); }
  /// And from the drives to the host. Dirty lines are written back before.
  void download(uint64_t first_line, void* bytes, uint64_t size) { move(first_line, bytes, size, false); }

  /// Behind waits that gave up: ends what drives still do, and takes the slots and lines into use again that were set
  /// aside. A line whose write-back timed out is dirty again.
  void recover() {
    for (const auto& queue : queues_) queue->recover();
    std::vector<uint64_t> states = copy(view_.states, view_.lines);
    for (uint64_t& state : states) {
      if (state & line_writing) state |= line_dirty;
      state &= ~(line_writing | line_settling | line_pins);  // no kernel runs: a thread that held it has ended
      if (state & line_busy) state = 0;      // a prefetch that nobody waited for, or that was cut off
    }
    std::vector<uint64_t> owners = copy(view_.owners, all_slots());
    for (uint64_t& owner : owners)
      if (owner >= view_.lines || !(states[owner] & line_valid)) owner = slot_free;
    if (view_.confirmations)
      cuda(cudaMemset(view_.confirmations, 0, drives_.size() * sizeof(confirmation)), "confirmations");
    cache_state state = copy(view_.state, 1)[0];
    state.deaf = state.lost = 0, state.returned = 0;
    cuda(cudaMemcpy(view_.states, states.data(), states.size() * 8, cudaMemcpyHostToDevice), "states of lines");
    cuda(cudaMemcpy(view_.owners, owners.data(), owners.size() * 8, cudaMemcpyHostToDevice), "owners of slots");
    cuda(cudaMemcpy(view_.state, &state, sizeof state, cudaMemcpyHostToDevice), "the cache's state");
  }

  cache_statistics statistics() const {
    cache_statistics sum{};
    for (const cache_statistics& each : copy(view_.statistics, statistics_shards))
      for (uint32_t i = 0; i < sizeof sum / 8; ++i)
        reinterpret_cast<uint64_t*>(&sum)[i] += reinterpret_cast<const uint64_t*>(&each)[i];
    return sum;
  }
  void reset_statistics() {
    cuda(cudaMemset(view_.statistics, 0, statistics_shards * sizeof(cache_statistics)), "the cache's counts");
  }
  cache_failure failure() const { return copy(view_.state, 1)[0].first; }
  void forget_failures() { cuda(cudaMemset(&view_.state->first, 0, sizeof(cache_failure)), "the cache's state"); }
  /// Which access failed first, and what waits saw; empty: none.
  std::string diagnose() const {
    std::string all;
    if (const cache_failure first = failure(); first.count) {
      char text[300];
      snprintf(text, sizeof text, "bam: %u accesses failed; the first, of line %llu: %s (%xh)", first.count,
               static_cast<unsigned long long>(first.line), text_of(first.why), first.why);
      all = text;
    }
    for (const auto& queue : queues_)
      if (const std::string why = queue->diagnose(); !why.empty()) all += (all.empty() ? "" : "\n") + why;
    return all;
  }
  void must() const {
    if (const std::string why = diagnose(); !why.empty()) throw std::runtime_error(why);
  }
  /// A command of the host's, by a kernel of one thread.
  void execute(uint32_t drive, const command& c, const char* what);

 private:
  [[noreturn]] void fail(const std::string& why) const { throw std::runtime_error("bam: cache: " + why); }
  void cuda(cudaError_t error, const char* what) const { drives_[0]->cuda(error, what); }

  uint32_t all_slots() const { return view_.slot_count + view_.spare_slots; }

  void check() const {
    if (drives_.empty() || drives_.size() > most_drives)
      fail(std::to_string(drives_.size()) + " drives; it has 1 to " + std::to_string(most_drives));
    const geometry& first = drives_[0]->what();
    uint64_t most = uint64_t{first.most_blocks} * first.block_bytes;
    for (const controller* drive : drives_) {
      if (drive->what().block_bytes != first.block_bytes) fail("drives with blocks of different sizes");
      most = std::min(most, uint64_t{drive->what().most_blocks} * first.block_bytes);
    }
    const uint32_t line = config_.line;
    if (line < first.block_bytes || line & (line - 1) || line > most)
      fail("lines of " + std::to_string(line) + " bytes; they have a power of two, from " +
           std::to_string(first.block_bytes) + " to " + std::to_string(most));
    if (config_.bytes == 0 || config_.bytes % line)
      fail(std::to_string(config_.bytes) + " bytes; they are whole lines of " + std::to_string(line));
    if (config_.slots == 0 || config_.slots > most_slots)
      fail(std::to_string(config_.slots) + " slots; it has 1 to " + std::to_string(most_slots));
    if (config_.pairs == 0) fail("it needs one pair of queues at least");
    if (config_.patience == 0) fail("a patience of 0 polls; it has one at least");
    for (size_t i = 0; i < drives_.size(); ++i)
      for (size_t k = 0; k < i; ++k)
        if (drives_[i]->drive() == drives_[k]->drive())
          fail("drive " + std::to_string(drives_[i]->drive()) + " stands twice in its list");
    const uint64_t lines = config_.bytes / line;
    const uint64_t each = config_.placement == placement::striped ? (lines + drives_.size() - 1) / drives_.size() : lines;
    const uint64_t many = each * (line / first.block_bytes);
    for (const controller* drive : drives_)
      if (many > drive->what().blocks || config_.first_block > drive->what().blocks - many)
        drive->fail("it has " + std::to_string(drive->what().blocks) + " blocks, and the cached range takes " +
                    std::to_string(many) + " from block " + std::to_string(config_.first_block) + " on");
  }
  void make_queues() {
    std::vector<queue_view> views;
    const auto make = [&](controller* drive, uint32_t entries) {
      queues_.push_back(
          std::make_unique<queue_pair>(*drive, entries, config_.patience, config_.first_turn / entries * entries));
      views.push_back(queues_.back()->view());
    };
    for (controller* drive : drives_)
      for (uint32_t i = 0; i < config_.pairs; ++i) make(drive, config_.entries);
    // Confirmations have a pair of their own: in another they would wait for the entries before them.
    if (config_.confirms == confirms::shared)
      for (controller* drive : drives_) make(drive, 4);
    queue_view* const all = more<queue_view>(views.size(), "queues of the cache");
    cuda(cudaMemcpy(all, views.data(), views.size() * sizeof(queue_view), cudaMemcpyHostToDevice), "queues of the cache");
    view_.queues = all;
  }
  template <class T>
  T* more(uint64_t count, const char* what) {
    memory_.push_back(std::make_unique<detail::pages>(*drives_[0], count * sizeof(T), what));
    return memory_.back()->as<T>();
  }
  template <class T>
  std::vector<T> copy(const T* from, uint64_t count) const {
    std::vector<T> all(count);
    cuda(cudaMemcpy(all.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "the cache's state");
    return all;
  }
  /// NVMe's lists of the pages behind the first, of lines that lie one behind the other.
  uint64_t* lists_of(char* data, uint64_t count) {
    if (!view_.list_entries) return nullptr;
    std::vector<uint64_t> all(count * view_.list_entries);
    for (uint64_t i = 0; i < count; ++i)
      for (uint32_t page = 1; page < view_.list_entries; ++page)
        all[i * view_.list_entries + page - 1] = reinterpret_cast<uint64_t>(data + i * config_.line + page * 4096);
    uint64_t* const lists = more<uint64_t>(all.size(), "lists of pages");
    cuda(cudaMemcpy(lists, all.data(), all.size() * 8, cudaMemcpyHostToDevice), "lists of pages");
    return lists;
  }
  int blocks() const { return static_cast<int>(std::min<uint64_t>((view_.slot_count + 127) / 128, 64)); }
  template <class Launch>
  void all_moved(const char* what, Launch launch) {
    const detail::pages memory(*drives_[0], sizeof(detail::unmoved), "a count");
    launch(memory.as<detail::unmoved>());
    cuda(cudaDeviceSynchronize(), "a kernel of the cache");
    const detail::unmoved failed = copy(memory.as<detail::unmoved>(), 1)[0];
    if (failed.count)
      fail(std::to_string(failed.count) + " lines could not be " + what + ": " + text_of(static_cast<status>(failed.why)));
  }
  void move(uint64_t first, void* bytes, uint64_t size, bool writes) {
    drop();
    const uint64_t lines = size / config_.line + (size % config_.line != 0);
    if (first > view_.lines || lines > view_.lines - first)
      fail(std::to_string(size) + " bytes from line " + std::to_string(first) + " on, and it has " +
           std::to_string(view_.lines) + " lines of " + std::to_string(config_.line));
    // Through slots of the cache, which is empty: they have lists already.
    const uint64_t chunk = view_.slot_count;
    for (uint64_t done = 0; done < lines; done += chunk) {
      const uint64_t some = std::min(chunk, lines - done);
      char* const host = static_cast<char*>(bytes) + done * config_.line;
      const uint64_t part = std::min(size - done * config_.line, some * config_.line);
      if (writes) {
        if (part % config_.line) move_some(first + done + some - 1, 1, some - 1, false);  // the rest of it stays
        cuda(cudaMemcpy(view_.data, host, part, cudaMemcpyHostToDevice), "lines of the cache");
      }
      move_some(first + done, some, 0, writes);
      if (!writes) cuda(cudaMemcpy(host, view_.data, part, cudaMemcpyDeviceToHost), "lines of the cache");
    }
  }

  /// Lines from slots to the drives, or back.
  void move_some(uint64_t first, uint64_t count, uint64_t slot, bool writes) {
    all_moved(writes ? "written" : "read", [&](detail::unmoved* failed) {
      detail::move_lines<<<blocks(), 128>>>(view_, first, count, view_.data + slot * config_.line,
                                            view_.lists + slot * view_.list_entries, writes, failed);
    });
  }

  std::vector<controller*> drives_;
  cache_config config_;
  std::vector<std::unique_ptr<queue_pair>> queues_;
  std::vector<std::unique_ptr<detail::pages>> memory_;
  cache_view view_{};
};

namespace detail {
static __global__ void execute_one(const queue_view* queue, command c, status* end) {
  *end = queue->execute(c).status;
}
}  // namespace detail

inline void cache::execute(uint32_t drive, const command& c, const char* what) {
  const detail::pages memory(*drives_[0], 8, "a status");
  detail::execute_one<<<1, 1>>>(view_.queues + drive * view_.pairs, c, memory.as<status>());
  cuda(cudaDeviceSynchronize(), what);
  if (const status end = copy(memory.as<status>(), 1)[0])
    drives_[drive]->fail(std::string(what) + " ends with \"" + text_of(end) + "\"");
}

}  // namespace bam
