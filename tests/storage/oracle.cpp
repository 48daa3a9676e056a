#include "oracle.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "command_pages.hpp"

namespace ew::storage {
namespace {

constexpr u8 flush = 0, write = 1, read = 2, compare = 5, write_zeroes = 8, dataset_management = 9;
constexpr u32 most_blocks = 32, namespace_blocks = 600;

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
    model_ = BlockModel(namespace_blocks);
    pages_.begin(bench_->memory);
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
        if (chance(20)) return ring_wrongly();
        if (chance(20)) return repeat_identifier();
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

  /// Doorbells whose value no ring can have, or that belong to no queue, change nothing.
  void ring_wrongly() {
    const Queue* const queue = some_queue();
    if (!queue) return;
    const Ring& ring = rings_[queue->completions];
    const u32 beyond = static_cast<u32>(below(3));
    if (chance(50)) bench_->controller.write(bench_->doorbell(queue->host.id, false), 4, queue->host.size + beyond);
    if (chance(50)) bench_->controller.write(bench_->doorbell(77, false), 4, beyond);
    const bool rests = ring.untold == 0 && std::ranges::none_of(queues_, [&](const auto& other) {
                         return other.second.completions == queue->completions && !other.second.under_way.empty();
                       });
    const u32 size = ring.host.completion_size, next = (ring.host.completion_head + 1) % size;
    const u32 head = rests ? next : size + beyond;  // while nothing is posted, no entry can be taken
    bench_->controller.write(bench_->doorbell(ring.host.completions, true), 4, head);
  }

  /// The identifier of a command that the medium works on is used again: the second command is refused.
  void repeat_identifier() {
    Queue* const queue = some_queue();
    if (!queue || queue->unrung) return;
    std::size_t under_way = 2;
    for (const auto& [id, other] : queues_) under_way += other.under_way.size();
    if (under_way > bench_->config.controller.commands) return;  // one might not be fetched before another has ended
    Command command{.opcode = flush, .namespace_id = 1};
    do command.id = static_cast<u16>(random_.next());
    while (queue->under_way.contains(command.id));
    bench_->medium.holds = true;
    for (u32 i = 0; i < 2 && !bench_->full(queue->host); ++i) {
      bench_->put(queue->host, command);
      ring(*queue);
      if (i == 0)
        queue->under_way[command.id].opcode = flush;
      else
        repeated_ = {queue->host.id, command.id};
      bench_->run();
    }
    for (u32 idle = 0; repeated_ && idle < 2; bench_->run()) {  // it may wait for room
      const u64 before = counts_.completions;
      for (Ring& ring : rings_) {
        while (const auto completion = bench_->poll(ring.host, true)) take(*completion);
        tell(ring);
      }
      idle = counts_.completions == before ? idle + 1 : 0;
    }
    EXPECT_FALSE(repeated_) << "seed " << seed_ << ": an identifier under way was taken twice";
    repeated_.reset();
    bench_->medium.holds = false;
  }

  bool make(Submitted& s, Command& command) {
    if (!pages_.enough()) return false;
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
    s.forced = (s.opcode == write || s.opcode == write_zeroes) && chance(20);
    if (s.forced) command.dword12 |= 1u << 30;
    if (s.opcode == write) s.stamp = ++stamps_;
    if (s.opcode == dataset_management) {
      const u64 page = pages_.take_page(s);
      command = {.opcode = s.opcode, .namespace_id = 1, .prp1 = page, .dword10 = 0, .dword11 = 4};
      bench_->memory.put(page, BlockRange{.blocks = s.blocks, .first = s.first});
    } else if (s.opcode != write_zeroes) {
      pages_.place(s, command);
    }
    if (s.opcode == write)
      for (u32 i = 0; i < s.blocks; ++i) pages_.put(s, i, s.stamp);
    if (s.opcode == compare)
      for (u32 i = 0; i < s.blocks; ++i) {
        s.stamp = *model_.may(s.first + i).begin();
        pages_.put(s, i, s.stamp);
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
        command = Bench::blocks(read, namespace_blocks, 1, pages_.take_page(s));
        s.expected = status::lba_out_of_range;
        break;
      case 2:
        command = Bench::blocks(write, 0, 4, pages_.take_page(s) + 1);
        s.expected = status::invalid_prp_offset;
        break;
      case 3:
        command = Bench::blocks(write, 0, 33, pages_.take_page(s));  // more than four pages
        s.expected = status::invalid_field;
        break;
      default:
        command.namespace_id = 7;
        s.expected = status::invalid_namespace;
    }
    s.opcode = command.opcode;
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
        model_.begin_write(block, s.stamp);
        for (auto& [id, queue] : queues_)
          for (auto& [command, other] : queue.under_way)
            if (!other.may.empty() && block - other.first < other.blocks)
              other.may[block - other.first].insert(s.stamp);
      } else {
        s.may.push_back(model_.may_now(block));
      }
    }
  }
  void end(const Submitted& s, bool done, bool perhaps) {
    for (u32 i = 0; i < s.blocks && changes(s); ++i) {
      model_.end_write(s.first + i, s.stamp, done, perhaps);
      if (done && s.forced && model_.may(s.first + i).size() == 1 && model_.settled(s.first + i))
        EXPECT_TRUE(is_durable(s.first + i, s.stamp)) << "seed " << seed_ << ": block " << s.first + i;
    }
  }
  /// The image has what the write left.
  bool is_durable(u64 block, u64 stamp) {
    std::vector<u8> bytes(oracle_block);
    if (!bench_->image.read(block, bytes).ok()) return false;
    for (u32 i = 0; i < oracle_block; ++i)
      if (bytes[i] != BlockModel::byte_of(stamp, block, i)) return false;
    return true;
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
    if (got == status::id_conflict && repeated_ == std::pair{u32{completion.queue}, completion.id}) {
      ++counts_.errors;
      return repeated_.reset();
    }
    if (got == status::queue_deleted && completion.queue == deleting_) return abandon(queue, completion.id);
    judge(command->second, got);
    pages_.give_back(command->second);
    queue.under_way.erase(command);
  }

  void judge(Submitted& s, const Status& got) {
    if (!s.expected.ok()) {
      ++counts_.errors;
      EXPECT_EQ(got, s.expected) << "seed " << seed_;
      return;
    }
    const bool stopped = got == status::abort_requested;
    if (s.said) EXPECT_EQ(*s.said, stopped) << "seed " << seed_ << ": an Abort said otherwise";
    if (s.asks) stopped_ = stopped;
    if (stopped) {
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
        EXPECT_TRUE(std::ranges::any_of(may, [&](u64 stamp) { return pages_.holds(s, i, stamp); }))
            << "seed " << seed_ << ": block " << s.first + i << " holds none of what " << may.size()
            << " writes have left there";
      }
    end(s, true, false);
  }
  void abort() {
    Queue* const queue = some_queue();
    if (!queue || queue->under_way.empty()) return;
    auto chosen = queue->under_way.begin();
    std::advance(chosen, static_cast<long>(below(queue->under_way.size())));
    if (chosen->second.aborts) return;  // one Abort for each: its word is compared with the command's end
    chosen->second.aborts = chosen->second.asks = true;
    const u16 id = chosen->first;
    stopped_.reset();
    const Completion end = admin({.opcode = 8, .dword10 = u32{id} << 16 | queue->host.id});
    EXPECT_EQ(Bench::status_of(end), status::success);
    const bool said = (end.result & 1) == 0;
    if (const auto still = queue->under_way.find(id); still != queue->under_way.end() && still->second.asks)
      still->second.said = said, still->second.asks = false;
    else if (stopped_)
      EXPECT_EQ(*stopped_, said) << "seed " << seed_ << ": an Abort said otherwise";
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
    pages_.give_back(s);
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
    std::vector<u8> got(oracle_block);
    for (u64 block = 0; block < namespace_blocks; ++block) {
      const MediaCommand command{.kind = MediaCommand::Kind::read, .first = block, .blocks = 1, .data = got};
      ASSERT_TRUE(bench_->contents.perform(command).ok());
      const bool matches = std::ranges::any_of(model_.may(block), [&](u64 stamp) {
        for (u32 i = 0; i < oracle_block; ++i)
          if (got[i] != BlockModel::byte_of(stamp, block, i)) return false;
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
    model_.forget_overlaps();
  }

  const u64 seed_;
  core::SplitMix64 random_;
  OracleCounts counts_;
  std::unique_ptr<Bench> bench_;
  std::map<u32, Queue> queues_;
  std::vector<Ring> rings_;
  CommandPages pages_{random_};
  BlockModel model_{0};
  u64 stamps_ = 0;
  std::optional<bool> stopped_;  // how the command ended that an Abort names, if it ended before the Abort
  std::optional<std::pair<u32, u16>> repeated_;  // queue and identifier of a command that is to be refused
  u32 deleting_ = 0;                             // the submission queue that is being deleted
};

}  // namespace

OracleCounts run_oracle(u64 commands, u64 seed) {
  return Oracle(seed).run(commands);
}

}  // namespace ew::storage
