// How fast the controller over a file is (src/storage/hosted): one thread, fed from queues that were filled before.
// Prints accesses, seconds of the clock, seconds of the processor, and accesses for each second of the processor.
//
//   ew_controller_rate FILE io_uring|threads [BYTES of an access] [ACCESSES] [COMMANDS under way] [direct]
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/diagnostics.hpp"
#include "core/split_mix.hpp"
#include "storage/hosted/backends.hpp"
#include "storage/hosted/hosted_controller.hpp"

namespace {

using namespace ew;
using namespace ew::storage;

constexpr u32 pairs = 4, entries = 1024;

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + time.tv_usec / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Memory as the GPU's would be: rings, doorbells and the pages of each entry.
struct Memory {
  explicit Memory(memory::AddressSpace& space, u64 bytes)
      : begin(static_cast<u8*>(std::aligned_alloc(65'536, bytes))), next(begin) {
    std::memset(begin, 0, bytes);
    space.adopt(memory::Region::registered, reinterpret_cast<u64>(begin), bytes, "the test's");
  }
  ~Memory() { std::free(begin); }
  u8* take(u64 bytes) { return std::exchange(next, next + (bytes + 4095) / 4096 * 4096); }
  u8* begin;
  u8* next;
};

struct Pair {
  Command* ring = nullptr;
  const Completion* completions = nullptr;
  u32 tail = 0, head = 0;
  bool phase = true;
};

/// The host of the controller: it makes queues, fills them, and says again and again that they are full.
class Host {
 public:
  Host(Image& image, std::unique_ptr<FileQueue> queue, u32 bytes, u32 commands)
      : config_{.queues = pairs,
                .entries = entries,
                .commands = commands,
                .transfer_pages = 32,
                .block = image.block_bytes(),
                .blocks = image.blocks()},
        memory_(space_, (u64{pairs} * entries * (bytes + 4096 + 128) + (8u << 20)) & ~u64{65'535}),
        doorbells_(reinterpret_cast<u32*>(memory_.take(4096)), 1024),
        controller_(config_, image, space_, std::move(queue), {.in_order = false}, doorbells_) {
    Command* const admin = reinterpret_cast<Command*>(memory_.take(16 * sizeof(Command)));
    const u64 ends = address(memory_.take(16 * sizeof(Completion)));
    controller_.write(registers::admin_sizes, 4, 15 << 16 | 15);
    controller_.write(registers::admin_submission, 8, address(admin));
    controller_.write(registers::admin_completion, 8, ends);
    controller_.write(registers::configuration, 4, 1 | 6 << 16 | 4 << 20);
    for (u32 id = 1; id <= pairs; ++id) {
      Pair& pair = pairs_[id - 1];
      pair.ring = reinterpret_cast<Command*>(memory_.take(entries * sizeof(Command)));
      pair.completions = reinterpret_cast<const Completion*>(memory_.take(entries * sizeof(Completion)));
      admin[2 * id - 2] = {
          .opcode = 5, .id = 1, .prp1 = address(pair.completions), .dword10 = (entries - 1) << 16 | id, .dword11 = 1};
      admin[2 * id - 1] = {.opcode = 1,
                           .id = 2,
                           .prp1 = address(pair.ring),
                           .dword10 = (entries - 1) << 16 | id,
                           .dword11 = id << 16 | 1};
      for (u32 entry = 0; entry < entries; ++entry) fill(pair.ring[entry], entry, bytes);
    }
    for (u32 tail = 1; tail <= 2 * pairs; ++tail) {
      doorbells_[0] = tail;
      while (controller_.step(true)) continue;
    }
  }

  /// Seconds of the clock.
  double run(u64 accesses) {
    const auto begin = std::chrono::steady_clock::now();
    u64 done = 0;
    for (u32 id = 1; id <= pairs; ++id) doorbells_[2 * id] = pairs_[id - 1].tail = entries - 1;
    while (done < accesses) {
      if (!controller_.step(true)) {
        std::fprintf(stderr, "the controller has nothing to do after %llu accesses\n",
                     static_cast<unsigned long long>(done));
        std::exit(1);
      }
      for (u32 id = 1; id <= pairs; ++id) done += take(id);
    }
    while (controller_.step(true))
      for (u32 id = 1; id <= pairs; ++id) stop(id);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  u64 failed() const { return failed_; }

 private:
  static u64 address(const void* at) { return reinterpret_cast<u64>(at); }

  void fill(Command& command, u32 id, u32 bytes) {
    command = {.opcode = 2,
               .id = static_cast<u16>(id),
               .namespace_id = 1,
               .prp1 = address(memory_.take(bytes)),
               .dword12 = bytes / config_.block - 1};
    if (bytes > 4096) command.prp2 = command.prp1 + 4096;
    names_other_blocks(command);
  }
  void names_other_blocks(Command& command) {
    const u64 blocks = command.dword12 + 1, first = random_.below(config_.blocks / blocks) * blocks;
    command.dword10 = static_cast<u32>(first), command.dword11 = static_cast<u32>(first >> 32);
  }
  /// Takes completions away; each makes room for the entry behind the tail, which names other blocks now.
  u64 take(u32 id) {
    Pair& pair = pairs_[id - 1];
    u64 taken = 0;
    for (; (pair.completions[pair.head].status & 1) == pair.phase; ++taken) {
      failed_ += (pair.completions[pair.head].status >> 1) != 0;
      if (++pair.head == entries) pair.head = 0, pair.phase = !pair.phase;
      names_other_blocks(pair.ring[pair.tail]);
      pair.tail = pair.tail + 1 == entries ? 0 : pair.tail + 1;
    }
    if (taken) doorbells_[2 * id] = pair.tail, doorbells_[2 * id + 1] = pair.head;
    return taken;
  }
  void stop(u32 id) {
    Pair& pair = pairs_[id - 1];
    while ((pair.completions[pair.head].status & 1) == pair.phase)
      if (++pair.head == entries) pair.head = 0, pair.phase = !pair.phase;
    doorbells_[2 * id + 1] = pair.head;
  }

  const ControllerConfig config_;
  memory::AddressSpace space_{1u << 20};
  core::SplitMix64 random_{1};
  Memory memory_;
  const std::span<u32> doorbells_;
  HostedController controller_;
  Pair pairs_[pairs];
  u64 failed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "expected: ew_controller_rate FILE io_uring|threads [BYTES] [ACCESSES] [COMMANDS] [direct]\n");
    return 2;
  }
  const u32 bytes = argc > 3 ? static_cast<u32>(std::atoi(argv[3])) : 4096;  // at most 8192: two pages
  const u64 accesses = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1'000'000;
  const u32 commands = argc > 5 ? static_cast<u32>(std::atoi(argv[5])) : 128;
  try {
    Image image({.path = argv[1], .bytes = 0, .block = 512, .written = true}, "the drive");
    auto queue = make_file_queue(backend_of(argv[2]), image, commands + admin_commands, argc > 6, "the drive");
    const std::string way(queue->name());
    Host host(image, std::move(queue), bytes, commands);
    const double before = processor_seconds();
    const double seconds = host.run(accesses), processor = processor_seconds() - before;
    std::printf("%s: %llu accesses, %.3f s, %.3f s of the processor, %.0f a second of the processor, %llu failed\n",
                way.c_str(), static_cast<unsigned long long>(accesses), seconds, processor,
                static_cast<double>(accesses) / processor, static_cast<unsigned long long>(host.failed()));
    return host.failed() != 0;
  } catch (const core::UserError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
