// A journal on a drive: its owner on the host, and the recovery. storage_journal.cuh has the guarantee.
#pragma once

#include <everwarp/storage_journal.cuh>

namespace bam {

struct journal_config {
  uint64_t first_block = 0;  // of the cache's first drive, behind the cached range
  uint32_t entries = 16;     // commits under way together
  uint32_t most_lines = 4;   // of a commit
  uint32_t bugs = 0;         // journal_bug; for tests
};

namespace detail {
static __global__ void replay_entries(cache_view cache, journal_view journal, status* ends) {
  const uint32_t entry = blockIdx.x * blockDim.x + threadIdx.x;
  if (entry < journal.entry_count) ends[entry] = journal.replay(cache, entry);
}
}  // namespace detail

class journal {
 public:
  /// Blocks that a journal needs.
  static uint64_t blocks(const cache& cache, const journal_config& config) {
    const uint32_t block = cache.drives()[0]->what().block_bytes;
    return uint64_t{config.entries} * (uint64_t{config.most_lines} * (cache.config().line / block) + 1);
  }

  /// Recovers: what a crash has cut off behind its commit is where it belongs, durably, when this returns. The cache is
  /// empty then. A new journal's blocks are zero, or hold no entry.
  journal(bam::cache& cache, const journal_config& config) : cache_(&cache) {
    const controller& drive = *cache.drives()[0];
    const uint32_t line = cache.config().line, block = drive.what().block_bytes;
    if (config.entries == 0) drive.fail("a journal has one entry at least");
    if (config.most_lines == 0 || config.most_lines > most_journal_lines)
      drive.fail("a journal's commits have 1 to " + std::to_string(most_journal_lines) + " lines, not " +
                 std::to_string(config.most_lines));
    const uint64_t bytes = uint64_t{config.most_lines} * line + block;
    if (bytes > uint64_t{drive.what().most_blocks} * block)
      drive.fail("an entry of a journal has " + std::to_string(bytes) + " bytes, and a command moves " +
                 std::to_string(uint64_t{drive.what().most_blocks} * block) + ": use fewer or shorter lines");
    if ((bytes + 4095) / 4096 > 64) drive.fail("an entry of a journal has more than 64 pages: use fewer or shorter lines");
    if (uint64_t{config.entries} * config.most_lines > cache.config().slots)
      drive.fail("commits may hold " + std::to_string(config.entries * config.most_lines) + " lines, and the cache has " +
                 std::to_string(cache.config().slots) + " slots");
    const cache_view& c = cache.view();
    const uint64_t lines = c.placement == placement::striped ? (c.lines + c.drives - 1) / c.drives : c.lines;
    const uint64_t many = blocks(cache, config), last = config.first_block + many;
    if (many > drive.what().blocks || config.first_block > drive.what().blocks - many ||
        (config.first_block < c.first_block + lines * c.line_blocks && last > c.first_block))
      drive.fail("the journal's blocks " + std::to_string(config.first_block) + " to " + std::to_string(last) +
                 " are not behind the cached range, or not on the drive");
    view_.entry_count = config.entries, view_.most_lines = config.most_lines, view_.bugs = config.bugs;
    view_.block_bytes = block, view_.first_block = config.first_block;
    view_.entry_blocks = static_cast<uint32_t>(bytes / block), view_.entry_pages = static_cast<uint32_t>((bytes + 4095) / 4096);
    view_.state = more<journal_state>(1);
    view_.entries = more<journal_entry>(config.entries);
    view_.zeros = more<char>(4096);
    view_.staging = more<char>(uint64_t{config.entries} * view_.entry_pages * 4096);
    view_.lists = more<uint64_t>(uint64_t{config.entries} * 64);
    std::vector<uint64_t> lists(uint64_t{config.entries} * 64);
    for (uint32_t entry = 0; entry < config.entries; ++entry)
      for (uint32_t page = 0; page < view_.entry_pages; ++page)
        lists[entry * 64 + page] = reinterpret_cast<uint64_t>(view_.staging) + (uint64_t{entry} * view_.entry_pages + page) * 4096;
    drive.cuda(cudaMemcpy(view_.lists, lists.data(), lists.size() * 8, cudaMemcpyHostToDevice), "lists of pages");
    recover();
  }
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;

  const journal_view& view() const { return view_; }
  journal_state state() const {
    journal_state now;
    cache_->drives()[0]->cuda(cudaMemcpy(&now, view_.state, sizeof now, cudaMemcpyDeviceToHost), "a journal's state");
    return now;
  }

 private:
  void recover() {
    cache_->drop();
    const controller& drive = *cache_->drives()[0];
    status* const ends = more<status>(view_.entry_count);
    detail::replay_entries<<<(view_.entry_count + 31) / 32, 32>>>(cache_->view(), view_, ends);
    std::vector<status> all(view_.entry_count);
    drive.cuda(cudaMemcpy(all.data(), ends, all.size() * sizeof(status), cudaMemcpyDeviceToHost), "a journal's recovery");
    for (const status end : all)
      if (end != ok) drive.fail(std::string("the journal's recovery: ") + text_of(end));
  }
  template <class T>
  T* more(uint64_t count) {
    memory_.push_back(std::make_unique<detail::pages>(*cache_->drives()[0], count * sizeof(T), "memory for a journal"));
    return memory_.back()->as<T>();
  }

  bam::cache* cache_;
  std::vector<std::unique_ptr<detail::pages>> memory_;
  journal_view view_{};
};

}  // namespace bam
