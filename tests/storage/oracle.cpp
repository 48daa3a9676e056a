#include "oracle.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "storage_bench.hpp"

namespace ew::storage {
namespace {

constexpr u8 flush = 0, write = 1, read = 2, compare = 5, write_zeroes = 8, dataset_management = 9;
constexpr u32 block_bytes = 512, most_blocks = 24, namespace_blocks = 600;

/// What a block holds after write `stamp`: 0 is a block of zeros.
u8 byte_of(u64 stamp, u64 block, u32 offset) {
  return stamp == 0 ? 0 : static_cast<u8>(stamp * 31 + block * 7 + offset * 13 + (stamp >> 8) + offset / 256 + 1);
}

struct Submitted {
  u8 opcode = 0;
  u64 first = 0;
  u32 blocks = 0;
  u64 stamp = 0;
  Status expected;                 // when it cannot succeed
  std::vector<u32> places;         // of its blocks, from the start of its first page on
  std::vector<u64> pages;          // to be given back; those of its data first
  std::vector<std::set<u64>> may;  // of a read or comparison: by block, the stamps that it may see
  bool aborts = false;             // an Abort names it
};

class Oracle {
 public:
  explicit Oracle(u64 seed) : seed_(seed), random_(seed) {}

  OracleCounts run(u64 commands) {
    while (counts_.commands < commands && !::testing::Test::HasFailure()) life(commands);
    return counts_;
  }

 private:
  struct Queue {
    HostQueue host;
    std::map<u16, Submitted> under_way;
    u32 completions = 0;  // index into rings_
    u32 unrung = 0;
  };
  struct Ring {
    HostQueue host;  // of which the completion part counts
    u32 untold = 0;
  };

  u64 below(u64 bound) { return random_.below(bound); }
  bool chance(u32 percent) { return below(100) < percent; }

  /// One controller, from its making to its end; a reset now and then.
  void life(u64 commands) {
    BenchConfig config;
    config.seed = random_.next();
    config.controller.blocks = namespace_blocks;
    config.controller.queues = 8;
    config.controller.entries = 65'536;
    config.controller.commands = static_cast<u32>(1 + below(40));
    config.controller.doorbell_stride = static_cast<u32>(below(4));
    config.controller.transfer_pages = 4;
    config.controller.volatile_cache = chance(50);
    config.cached_blocks = config.controller.volatile_cache ? 1 + below(100) : 0;
    bench_ = std::make_unique<Bench>(config);
    may_.assign(namespace_blocks, {0});
    pending_.assign(namespace_blocks, {});
    pages_.clear();
    for (int i = 0; i < 700; ++i) pages_.push_back(bench_->memory.take(4096));
    for (u32 boots = 0; boots < 3 && !::testing::Test::HasFailure(); ++boots) {
      boot();
      const u64 until = counts_.commands + std::min<u64>(3000, commands);
      while (counts_.commands < until && !::testing::Test::HasFailure()) turn();
      if (chance(40)) {
        settle();
        check_all();
        take_down();
      }
      reset();
    }
  }

  void boot() {
    bench_->enable(static_cast<u32>(2 + below(60)));
    if (chance(30)) bench_->admin_outcome({.opcode = 9, .dword10 = 1, .dword11 = static_cast<u32>(below(8))});
    const u32 rings = static_cast<u32>(1 + below(4));
    for (u32 i = 0; i < rings; ++i) {
      const u32 size = shape();
      Ring ring;
      ring.host = {
          .completions = i + 1, .completion_ring = bench_->memory.take(u64{size} * 16, 4096), .completion_size = size};
      EXPECT_EQ(bench_->admin_outcome(bench_->create_completion(i + 1, ring.host.completion_ring, size)),
                status::success);
      rings_.push_back(ring);
    }
    const u32 queues = static_cast<u32>(rings + below(9 - rings));
    for (u32 i = 0; i < queues; ++i) create_queue(i + 1);
  }

  /// Sizes from 2 on, most of them no power of two; a long one now and then.
  u32 shape() {
    switch (below(8)) {
      case 0:
        return 2;
      case 1:
        return 3;
      case 2:
        return 64;
      case 3:
        return chance(3) ? 65'536 : 1000;
      default:
        return static_cast<u32>(2 + below(30));
    }
  }

  void create_queue(u32 id) {
    Queue queue;
    queue.completions = static_cast<u32>(below(rings_.size()));
    queue.host.id = id;
    queue.host.size = shape();
    queue.host.ring = bench_->memory.take(u64{queue.host.size} * 64, 4096);
    EXPECT_EQ(
        bench_->admin_outcome(bench_->create_submission(id, queue.host.ring, queue.host.size, queue.completions + 1)),
        status::success);
    queues_[id] = std::move(queue);
  }

  void turn() {
    for (u64 steps = below(12); steps > 0; --steps) bench_->step();
    switch (below(6)) {
      case 0:
      case 1:
      case 2:
        return submit();
      case 3:
      case 4:
        return poll();
      default:
        if (chance(20)) return abort();
        if (chance(1)) return delete_queue();
        return poll();
    }
  }

  Queue* some_queue() {
    if (queues_.empty()) return nullptr;
    auto chosen = queues_.begin();
    std::advance(chosen, static_cast<long>(below(queues_.size())));
    return &chosen->second;
  }

  void submit() {
    Queue* const queue = some_queue();
    if (!queue) return;
    for (u64 more = 1 + below(6); more > 0; --more) {
      if (bench_->full(queue->host)) {
        ++counts_.full;
        break;
      }
      Submitted submitted;
      Command command;
      if (!make(submitted, command)) break;
      do command.id = static_cast<u16>(random_.next());
      while (queue->under_way.contains(command.id));
      bench_->put(queue->host, command);
      queue->under_way.emplace(command.id, std::move(submitted));
      ++counts_.commands;
      queue->unrung = 1;
    }
    if (queue->unrung && chance(80)) ring(*queue);
  }
  void ring(Queue& queue) {
    bench_->ring(queue.host);
    queue.unrung = 0;
  }

  u64 take_page(Submitted& submitted) {
    const std::size_t chosen = below(pages_.size());
    std::swap(pages_[chosen], pages_.back());
    submitted.pages.push_back(pages_.back());
    pages_.pop_back();
    return submitted.pages.back();
  }

  bool make(Submitted& s, Command& command) {
    if (pages_.size() < 10) return false;
    constexpr u8 opcodes[] = {
        read, read, read, write, write, write, write, compare, flush, write_zeroes, dataset_management};
    s.opcode = opcodes[below(std::size(opcodes))];
    s.blocks = static_cast<u32>(1 + below(chance(70) ? 8 : most_blocks));
    s.first = below(namespace_blocks - s.blocks + 1);
    command = Bench::blocks(s.opcode, s.first, s.blocks);
    if (chance(3)) return make_wrong(s, command);
    if (s.opcode == flush) {
      s.blocks = 0;
      return true;
    }
    if (s.opcode == write || s.opcode == write_zeroes) command.dword12 |= chance(20) << 30;
    if (s.opcode == write) s.stamp = ++stamps_;
    if (s.opcode == dataset_management) {
      const u64 page = take_page(s);
      command = {.opcode = s.opcode, .namespace_id = 1, .prp1 = page, .dword10 = 0, .dword11 = 4};
      bench_->memory.put(page, BlockRange{.blocks = s.blocks, .first = s.first});
    } else if (s.opcode != write_zeroes) {
      place(s, command);
    }
    if (s.opcode == write)
      for (u32 i = 0; i < s.blocks; ++i) put(s, i, s.stamp);
    if (s.opcode == compare)
      for (u32 i = 0; i < s.blocks; ++i) {
        s.stamp = *may_[s.first + i].begin();
        put(s, i, s.stamp);
      }
    begin(s);
    return true;
  }

  bool make_wrong(Submitted& s, Command& command) {
    s.blocks = 0;
    switch (below(5)) {
      case 0:
        command.opcode = 0x55;
        s.expected = status::invalid_opcode;
        break;
      case 1:
        command = Bench::blocks(read, namespace_blocks, 1, take_page(s));
        s.expected = status::lba_out_of_range;
        break;
      case 2:
        command = Bench::blocks(write, 0, 4, take_page(s) + 1);
        s.expected = status::invalid_prp_offset;
        break;
      case 3:
        command = Bench::blocks(write, 0, 33, take_page(s));  // more than four pages
        s.expected = status::invalid_field;
        break;
      default:
        command.namespace_id = 7;
        s.expected = status::invalid_namespace;
    }
    s.opcode = command.opcode;
    return true;
  }

  /// Its data's pages, from an offset on, by PRP1, PRP2 or a list.
  void place(Submitted& s, Command& command) {
    const u32 offset = static_cast<u32>(4 * below(chance(50) ? 1 : 1024)), bytes = s.blocks * block_bytes;
    std::vector<u64> data;
    for (u32 covered = 0; covered < offset + bytes; covered += 4096) data.push_back(take_page(s));
    for (u32 i = 0; i < s.blocks; ++i) s.places.push_back(offset + i * block_bytes);
    command.prp1 = data[0] + offset;
    if (data.size() == 2) command.prp2 = data[1];
    data_[s.pages.front()] = data;
    if (data.size() <= 2) return;
    u64 entry = take_page(s) + 8 * (511 - below(chance(50) ? 4 : 512));
    command.prp2 = entry;
    for (std::size_t i = 1; i < data.size(); ++i) {
      if (entry % 4096 == 4088 && i + 1 < data.size()) {  // the list goes on in another page
        const u64 next = take_page(s);
        bench_->memory.put(entry, next);
        entry = next;
      }
      bench_->memory.put(entry, data[i]);
      entry += 8;
    }
  }
  u8* byte_at(const Submitted& s, u32 block, u32 offset) {
    const std::vector<u64>& pages = data_.at(s.pages.front());
    const u32 at = s.places[block] + offset;
    return bench_->memory.at(pages[at / 4096] + at % 4096);
  }
  void put(const Submitted& s, u32 block, u64 stamp) {
    for (u32 i = 0; i < block_bytes; ++i) *byte_at(s, block, i) = byte_of(stamp, s.first + block, i);
  }
  bool holds(const Submitted& s, u32 block, u64 stamp) {
    for (u32 i = 0; i < block_bytes; ++i)
      if (*byte_at(s, block, i) != byte_of(stamp, s.first + block, i)) return false;
    return true;
  }

  static bool changes(const Submitted& s) {
    return s.opcode == write || s.opcode == write_zeroes || s.opcode == dataset_management;
  }
  /// From now on the block may hold what this command writes; whoever reads it now may see that.
  void begin(Submitted& s) {
    for (u32 i = 0; i < s.blocks; ++i) {
      const u64 block = s.first + i;
      if (changes(s)) {
        pending_[block].insert(s.stamp);
        for (auto& [id, queue] : queues_)
          for (auto& [command, other] : queue.under_way)
            if (!other.may.empty() && block - other.first < other.blocks)
              other.may[block - other.first].insert(s.stamp);
      } else {
        s.may.push_back(may_[block]);
        s.may.back().insert(pending_[block].begin(), pending_[block].end());
      }
    }
  }
  void end(const Submitted& s, bool done, bool perhaps) {
    for (u32 i = 0; i < s.blocks && changes(s); ++i) {
      const u64 block = s.first + i;
      pending_[block].erase(pending_[block].find(s.stamp));
      if (done && pending_[block].empty() && !overlapped_.contains(block)) {
        may_[block] = {s.stamp};
        continue;
      }
      if (done || perhaps) may_[block].insert(s.stamp);
      if (pending_[block].empty())
        overlapped_.erase(block);
      else
        overlapped_.insert(block);
    }
  }

  void poll() {
    if (rings_.empty()) return;
    Ring& ring = rings_[below(rings_.size())];
    const bool tells = chance(70);
    for (u64 most = 1 + below(20); most > 0; --most) {
      const auto completion = bench_->poll(ring.host, true);
      if (!completion) break;
      ++ring.untold;
      take(*completion);
    }
    if (ring.untold && tells) tell(ring);
  }
  void tell(Ring& ring) {
    bench_->tell_head(ring.host);
    ring.untold = 0;
  }

  void take(const Completion& completion) {
    ++counts_.completions;
    const auto found = queues_.find(completion.queue);
    ASSERT_NE(found, queues_.end()) << "seed " << seed_ << ": a completion of queue " << completion.queue;
    Queue& queue = found->second;
    const auto command = queue.under_way.find(completion.id);
    ASSERT_NE(command, queue.under_way.end()) << "seed " << seed_ << ": a completion of no command";
    queue.host.head = completion.queue_head;
    const Status got = Bench::status_of(completion);
    if (got == status::queue_deleted && completion.queue == deleting_) return abandon(queue, completion.id);
    judge(command->second, got);
    give_back(command->second);
    queue.under_way.erase(command);
  }

  void judge(Submitted& s, const Status& got) {
    if (!s.expected.ok()) {
      ++counts_.errors;
      EXPECT_EQ(got, s.expected) << "seed " << seed_;
      return;
    }
    if (got == status::abort_requested) {
      EXPECT_TRUE(s.aborts) << "seed " << seed_ << ": nobody has asked for an abort";
      ++counts_.aborted;
      return end(s, false, false);
    }
    if (s.opcode == compare) {
      const bool may_differ = std::ranges::any_of(s.may, [](const auto& stamps) { return stamps.size() > 1; });
      if (may_differ && got == status::compare_failure) return;
    }
    EXPECT_EQ(got, status::success) << "seed " << seed_ << ", opcode " << int{s.opcode};
    if (s.opcode == read)
      for (u32 i = 0; i < s.blocks; ++i) {
        const auto& may = s.may[i];
        ++counts_.reads_checked;
        EXPECT_TRUE(std::ranges::any_of(may, [&](u64 stamp) { return holds(s, i, stamp); }))
            << "seed " << seed_ << ": block " << s.first + i << " holds none of what " << may.size()
            << " writes have left there";
      }
    end(s, true, false);
  }
  void give_back(Submitted& s) {
    if (!s.pages.empty()) data_.erase(s.pages.front());
    pages_.insert(pages_.end(), s.pages.begin(), s.pages.end());
  }

  void abort() {
    Queue* const queue = some_queue();
    if (!queue || queue->under_way.empty()) return;
    auto chosen = queue->under_way.begin();
    std::advance(chosen, static_cast<long>(below(queue->under_way.size())));
    chosen->second.aborts = true;
    const u16 id = chosen->first;
    const Completion end = admin({.opcode = 8, .dword10 = u32{id} << 16 | queue->host.id});
    EXPECT_EQ(Bench::status_of(end), status::success);
  }
  /// An administrator's command while the I/O queues go on; completions that wait for room are taken away.
  Completion admin(Command command) {
    command.id = 1;
    bench_->put(bench_->admin, command);
    bench_->ring(bench_->admin);
    for (u32 idle = 0; idle < 4; idle = bench_->step() ? 0 : idle + 1) {
      if (const auto completion = bench_->poll(bench_->admin)) return *completion;
      if (idle > 0) poll();
    }
    ADD_FAILURE() << "seed " << seed_ << ": the administrator's command " << int{command.opcode} << " does not end";
    return {};
  }

  void delete_queue() {
    Queue* const queue = some_queue();
    if (!queue || queues_.size() < 2) return;
    const u32 id = deleting_ = queue->host.id;
    EXPECT_EQ(Bench::status_of(admin({.opcode = 0, .dword10 = id})), status::success) << "seed " << seed_;
    // What was completed is in the ring. What was not may have happened or not.
    for (Ring& ring : rings_) {
      while (const auto completion = bench_->poll(ring.host, true)) take(*completion);
      tell(ring);
    }
    deleting_ = 0;
    while (!queue->under_way.empty()) abandon(*queue, queue->under_way.begin()->first);
    queues_.erase(id);
    create_queue(id);
  }
  void abandon(Queue& queue, u16 id) {
    ++counts_.deleted;
    Submitted& s = queue.under_way.at(id);
    if (s.expected.ok()) end(s, false, true);
    give_back(s);
    queue.under_way.erase(id);
  }

  /// Everything that was submitted is completed.
  void settle() {
    for (auto& [id, queue] : queues_) ring(queue);
    for (u32 idle = 0; idle < 3; idle = bench_->step() ? 0 : idle + 1)
      for (Ring& ring : rings_) {
        while (const auto completion = bench_->poll(ring.host, true)) take(*completion);
        tell(ring);
      }
    for (auto& [id, queue] : queues_)
      EXPECT_TRUE(queue.under_way.empty()) << "seed " << seed_ << ": " << queue.under_way.size() << " never completed";
  }
  /// Every block holds what the model says.
  void check_all() {
    if (queues_.empty() || ::testing::Test::HasFailure()) return;
    std::vector<u8> got(block_bytes);
    for (u64 block = 0; block < namespace_blocks; ++block) {
      const MediaCommand command{.kind = MediaCommand::Kind::read, .first = block, .blocks = 1, .data = got};
      ASSERT_TRUE(bench_->contents.perform(command).ok());
      const bool matches = std::ranges::any_of(may_[block], [&](u64 stamp) {
        for (u32 i = 0; i < block_bytes; ++i)
          if (got[i] != byte_of(stamp, block, i)) return false;
        return true;
      });
      EXPECT_TRUE(matches) << "seed " << seed_ << ": block " << block;
    }
  }
  /// Queues deleted one by one, as an orderly host does.
  void take_down() {
    while (!queues_.empty()) {
      const u32 id = queues_.begin()->first;
      EXPECT_EQ(Bench::status_of(admin({.opcode = 0, .dword10 = id})), status::success);
      queues_.erase(id);
    }
    for (const Ring& ring : rings_)
      EXPECT_EQ(Bench::status_of(admin({.opcode = 4, .dword10 = ring.host.completions})), status::success);
  }
  void reset() {
    ++counts_.resets;
    bench_->controller.write(0x14, 4, 0);
    bench_->run();
    EXPECT_EQ(bench_->status(), 0u);
    for (auto& [id, queue] : queues_)
      while (!queue.under_way.empty()) abandon(queue, queue.under_way.begin()->first);
    queues_.clear();
    rings_.clear();
    overlapped_.clear();
  }

  const u64 seed_;
  core::SplitMix64 random_;
  OracleCounts counts_;
  std::unique_ptr<Bench> bench_;
  std::map<u32, Queue> queues_;
  std::vector<Ring> rings_;
  std::vector<u64> pages_;                   // free ones
  std::map<u64, std::vector<u64>> data_;     // by its first page: a command's pages of data, in order
  std::vector<std::set<u64>> may_;           // by block: the writes that it may hold
  std::vector<std::multiset<u64>> pending_;  // by block: writes under way
  std::set<u64> overlapped_;                 // blocks to which several writes were under way at once
  u64 stamps_ = 0;
  u32 deleting_ = 0;  // the submission queue that is being deleted
};

}  // namespace

OracleCounts run_oracle(u64 commands, u64 seed) {
  return Oracle(seed).run(commands);
}

}  // namespace ew::storage
