// A host with memory, a controller and a medium, without time: what waits for memory or the medium goes on one step at
// a time, in an order that a seed chooses. The host's side is written from the specification's text, apart from the
// controller's code.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/split_mix.hpp"
#include "storage/contents.hpp"
#include "storage/controller.hpp"

namespace ew::storage {

/// Memory behind the controller's DMA. Reads end in any order; writes in the order in which they were asked for, unless
/// `relaxed`.
class BenchMemory final : public Dma {
 public:
  static constexpr u64 base = 0x4000'0000;

  explicit BenchMemory(u64 bytes) : size_(bytes), bytes_(static_cast<u8*>(std::calloc(bytes, 1)), &std::free) {}

  bool reaches(u64 address, u64 bytes) const override {
    return address >= base && address - base <= size_ && bytes <= size_ - (address - base);
  }
  void read(u64 address, std::span<u8> to, u32 tag) override { waiting_.push_back({tag, address, to, {}}); }
  void write(u64 address, std::span<const u8> from, u32 tag) override { waiting_.push_back({tag, address, {}, from}); }

  u8* at(u64 address) { return bytes_.get() + (address - base); }
  template <class T>
  T get(u64 address) {
    T value;
    std::memcpy(&value, at(address), sizeof value);
    return value;
  }
  template <class T>
  void put(u64 address, const T& value) {
    std::memcpy(at(address), &value, sizeof value);
  }
  /// Memory of the host's that nothing else uses.
  u64 take(u64 bytes, u64 aligned = 4096) {
    next_ = (next_ + aligned - 1) / aligned * aligned;
    const u64 address = base + next_;
    next_ += bytes;
    EXPECT_LE(next_, size_);
    return address;
  }

  bool step(DmaClient& client, core::SplitMix64& random) {
    if (waiting_.empty()) return false;
    std::size_t chosen = random.below(waiting_.size());
    if (!relaxed && !waiting_[chosen].from.empty())
      for (std::size_t i = 0; i < chosen; ++i)
        if (!waiting_[i].from.empty()) chosen = i;
    const Transfer transfer = waiting_[chosen];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (transfer.from.empty())
      std::memcpy(transfer.to.data(), at(transfer.address), transfer.to.size());
    else
      std::memcpy(at(transfer.address), transfer.from.data(), transfer.from.size());
    client.moved(transfer.tag);
    return true;
  }

  bool relaxed = false;

 private:
  struct Transfer {
    u32 tag;
    u64 address;
    std::span<u8> to;
    std::span<const u8> from;
  };
  const u64 size_;
  const std::unique_ptr<u8, decltype(&std::free)> bytes_;  // pages that nobody touches cost nothing
  std::vector<Transfer> waiting_;
  u64 next_ = 0;
};

/// Commands are performed in any order; none of those that are `held`.
class BenchMedium final : public Medium {
 public:
  explicit BenchMedium(Contents& contents) : contents_(contents) {}

  void start(u32 tag, const MediaCommand& command) override { waiting_.push_back({tag, command}); }
  u64 blocks_in_use() const override { return contents_.blocks_in_use(); }
  bool step(MediumClient& client, core::SplitMix64& random) {
    if (waiting_.empty() || holds) return false;
    const std::size_t chosen = random.below(waiting_.size());
    const Started started = waiting_[chosen];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(chosen));
    client.done(started.tag, contents_.perform(started.command));
    return true;
  }
  std::size_t waiting() const { return waiting_.size(); }

  bool holds = false;

 private:
  struct Started {
    u32 tag;
    MediaCommand command;
  };
  Contents& contents_;
  std::vector<Started> waiting_;
};

/// One submission queue and the completion queue that it uses, as the host keeps them.
struct HostQueue {
  u32 id = 0, completions = 0;
  u64 ring = 0, completion_ring = 0;
  u32 size = 0, completion_size = 0;
  u32 tail = 0, head = 0, completion_head = 0;
  bool phase = true;
};

struct BenchConfig {
  ControllerConfig controller{.blocks = 4096, .serial = "S1", .model = "bench"};
  u64 cached_blocks = 0;
  std::string image;
  u64 seed = 1;
};

class Bench {
 public:
  explicit Bench(const BenchConfig& config = {})
      : config(config),
        image({config.image, config.controller.blocks * config.controller.block, config.controller.block}, "bench"),
        contents(image, config.cached_blocks),
        medium(contents),
        controller(config.controller, memory, medium),
        random(config.seed) {}

  /// One thing happens, if any can.
  bool step() {
    const bool memory_first = random.below(2);
    if (memory_first && memory.step(controller, random)) return true;
    return medium.step(controller, random) || memory.step(controller, random);
  }
  void run() {
    while (step()) continue;
  }

  u32 status() const { return static_cast<u32>(controller.read(0x1c, 4)); }
  void enable(u32 entries = 16, u32 page_shift = 0) {
    admin = {.ring = memory.take(u64{entries} * 64, 65'536),
             .completion_ring = memory.take(u64{entries} * 16, 65'536),
             .size = entries,
             .completion_size = entries};
    for (u32 i = 0; i < entries; ++i) memory.put(admin.completion_ring + 16 * i, Completion{});
    controller.write(0x24, 4, (entries - 1) << 16 | (entries - 1));
    controller.write(0x28, 8, admin.ring);
    controller.write(0x30, 4, admin.completion_ring);
    controller.write(0x34, 4, admin.completion_ring >> 32);
    controller.write(0x14, 4, 1 | page_shift << 7 | 6 << 16 | 4 << 20);
    run();
  }
  u64 doorbell(u32 id, bool head) const {
    return 0x1000 + (2 * u64{id} + head) * (4u << config.controller.doorbell_stride);
  }
  bool full(const HostQueue& queue) const { return (queue.tail + 1) % queue.size == queue.head; }
  /// Puts the command into the ring; ring() tells the controller.
  void put(HostQueue& queue, const Command& command) {
    memory.put(queue.ring + u64{queue.tail} * 64, command);
    queue.tail = (queue.tail + 1) % queue.size;
  }
  void ring(const HostQueue& queue) { controller.write(doorbell(queue.id, false), 4, queue.tail); }
  /// The next completion, if there is one. It is taken away, and the controller told, unless `quietly`.
  std::optional<Completion> poll(HostQueue& queue, bool quietly = false) {
    const Completion entry = memory.get<Completion>(queue.completion_ring + u64{queue.completion_head} * 16);
    if ((entry.status & 1) != queue.phase) return {};
    if (++queue.completion_head == queue.completion_size) {
      queue.completion_head = 0;
      queue.phase = !queue.phase;
    }
    if (entry.queue == queue.id) queue.head = entry.queue_head;
    if (!quietly) tell_head(queue);
    return entry;
  }
  void tell_head(const HostQueue& queue) {
    controller.write(doorbell(queue.completions, true), 4, queue.completion_head);
  }

  /// Submits it, and runs until its completion is there.
  Completion execute(HostQueue& queue, Command command) {
    command.id = next_id_++;
    put(queue, command);
    ring(queue);
    for (;;) {
      if (const auto completion = poll(queue)) {
        EXPECT_EQ(completion->id, command.id);
        return *completion;
      }
      if (!step()) break;
    }
    ADD_FAILURE() << "no completion";
    return {};
  }
  static Status status_of(const Completion& completion) {
    return {static_cast<u8>(completion.status >> 9 & 7), static_cast<u8>(completion.status >> 1)};
  }
  Status outcome(HostQueue& queue, const Command& command) { return status_of(execute(queue, command)); }
  Status admin_outcome(const Command& command) { return outcome(admin, command); }

  Command create_completion(u32 id, u64 ring, u32 size) const {
    return {.opcode = 0x05, .prp1 = ring, .dword10 = (size - 1) << 16 | id, .dword11 = 1};
  }
  Command create_submission(u32 id, u64 ring, u32 size, u32 completions) const {
    return {.opcode = 0x01, .prp1 = ring, .dword10 = (size - 1) << 16 | id, .dword11 = completions << 16 | 1};
  }
  HostQueue create(u32 id, u32 size, u32 completion_size) {
    HostQueue queue{.id = id,
                    .completions = id,
                    .ring = memory.take(u64{size} * 64, 65'536),
                    .completion_ring = memory.take(u64{completion_size} * 16, 65'536),
                    .size = size,
                    .completion_size = completion_size};
    EXPECT_EQ(admin_outcome(create_completion(id, queue.completion_ring, completion_size)), status::success);
    EXPECT_EQ(admin_outcome(create_submission(id, queue.ring, size, id)), status::success);
    return queue;
  }
  /// An enabled controller with one pair of I/O queues.
  HostQueue start(u32 size = 16) {
    enable();
    return create(1, size, size);
  }

  /// Of an I/O command: one that moves `blocks` blocks from `first` on.
  static Command blocks(u8 opcode, u64 first, u32 blocks, u64 prp1 = 0, u64 prp2 = 0) {
    return {.opcode = opcode,
            .namespace_id = 1,
            .prp1 = prp1,
            .prp2 = prp2,
            .dword10 = static_cast<u32>(first),
            .dword11 = static_cast<u32>(first >> 32),
            .dword12 = blocks - 1};
  }

  const BenchConfig config;
  BenchMemory memory{256u << 20};
  Image image;
  Contents contents;
  BenchMedium medium;
  Controller controller;
  core::SplitMix64 random;
  HostQueue admin;

 private:
  u16 next_id_ = 0;
};

}  // namespace ew::storage

/// Printed where a comparison fails.
namespace ew::storage {
inline void PrintTo(const Status& status, std::ostream* out) {
  for (const NamedStatus& named : named_statuses())
    if (named.status == status) *out << named.name;
  *out << " (" << int{status.type} << "/" << int{status.code} << ")";
}
}  // namespace ew::storage
