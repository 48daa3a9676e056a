// A controller over a real file, by io_uring and by threads: what it does is what the simulated medium does.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "core/diagnostics.hpp"
#include "storage/hosted/backends.hpp"
#include "storage/hosted/hosted_drive.hpp"
#include "storage/untimed_medium.hpp"
#include "storage_bench.hpp"

namespace ew::storage {

void PrintTo(const Backend& backend, std::ostream* out) {
  *out << backend.name;
}

namespace {

namespace fs = std::filesystem;
using Kind = MediaCommand::Kind;

constexpr u64 blocks = 256, block_bytes = 512;

class Ends final : public MediumClient {
 public:
  void done(u32 tag, Status status) override { all.emplace_back(tag, status); }
  std::vector<std::pair<u32, Status>> all;
};

class Hosted : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("ew-hosted-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    config = {.path = folder / "drive.img", .bytes = blocks * block_bytes, .block = block_bytes};
  }
  void TearDown() override { fs::remove_all(folder); }
  std::unique_ptr<FileQueue> queue(const Image& image) {
    return make_file_queue(GetParam(), image, 64, false, "drive");
  }

  fs::path folder;
  ImageConfig config;
};
INSTANTIATE_TEST_SUITE_P(Backends, Hosted, ::testing::Values(backend_of("io_uring"), backend_of("threads")),
                         [](const auto& info) { return std::string(info.param.name); });

struct Random {
  MediaCommand command;
  std::vector<u8> data;
  std::vector<BlockRange> ranges;
};

/// A command of any kind. Few blocks, so that many commands meet.
Random any_command(core::SplitMix64& random) {
  Random made;
  MediaCommand& command = made.command;
  command.kind = static_cast<Kind>(std::min<u64>(random.below(12), 11) < 7 ? random.below(2) : random.below(6));
  command.first = random.below(40);
  command.blocks = 1 + random.below(24);
  command.durable = random.below(2);
  command.refuses_deallocated = random.below(4) == 0;
  if (random.below(16) == 0) command.fails = status::write_fault;
  if (random.below(32) == 0) command.late = {1};
  if (command.kind == Kind::read || command.kind == Kind::write || command.kind == Kind::compare)
    made.data.assign(command.blocks * block_bytes, static_cast<u8>(random.below(3)));
  if (command.kind == Kind::deallocate)
    made.ranges = {{.blocks = static_cast<u32>(command.blocks), .first = command.first}};
  return made;
}

TEST_P(Hosted, in_order_each_command_does_what_it_does_on_the_simulated_medium) {
  Image image(config, "drive"), memory({.bytes = config.bytes, .block = block_bytes}, "memory");
  Contents contents(memory, 0);
  UntimedMedium expected(contents);
  FileMedium medium(image, queue(image), {.syncs = true});
  Ends wanted, found;
  expected.use(wanted);
  medium.use(found);
  core::SplitMix64 random(7);
  for (u32 round = 0; round < 40; ++round) {
    std::map<u32, Random> here, there;
    for (u32 tag = 0; tag < 32; ++tag) {
      here[tag] = there[tag] = any_command(random);
      for (auto* both : {&here[tag], &there[tag]}) {
        both->command.data = both->data;
        both->command.ranges = both->ranges;
      }
      medium.start(tag, here[tag].command);
      expected.start(tag, there[tag].command);
    }
    while (expected.step()) continue;
    while (medium.step(true)) continue;
    ASSERT_EQ(found.all, wanted.all) << round;
    for (u32 tag = 0; tag < 32; ++tag) ASSERT_EQ(here[tag].data, there[tag].data) << round << ", " << tag;
    ASSERT_EQ(image.in_use(), memory.in_use());
  }
  std::vector<u8> bytes(config.bytes), there(config.bytes);
  EXPECT_TRUE(image.read(0, bytes).ok());
  EXPECT_TRUE(memory.read(0, there).ok());
  EXPECT_EQ(bytes, there);
}

TEST_P(Hosted, in_any_order_a_read_sees_what_one_write_has_left) {
  Image image(config, "drive");
  FileMedium medium(image, queue(image), {.in_order = false});
  Ends ends;
  medium.use(ends);
  core::SplitMix64 random(3);
  for (u32 round = 0; round < 60; ++round) {
    std::vector<std::vector<u8>> data(32);
    ends.all.clear();
    for (u32 tag = 0; tag < 32; ++tag) {
      data[tag].assign(8 * block_bytes, static_cast<u8>(1 + tag));
      const bool reads = random.below(2);
      medium.start(tag, {.kind = reads ? Kind::read : Kind::write, .first = 0, .blocks = 8, .data = data[tag]});
    }
    while (medium.step(true)) continue;
    std::set<u32> once;
    for (const auto& [tag, status] : ends.all) {
      EXPECT_TRUE(once.insert(tag).second);
      EXPECT_EQ(status, status::success);
    }
    ASSERT_EQ(once.size(), 32u);
    for (const auto& bytes : data)
      for (const u8 byte : bytes) ASSERT_EQ(byte, bytes[0]);
  }
}

TEST_P(Hosted, a_file_that_somebody_cuts_and_a_disk_that_is_full_end_commands_with_their_statuses) {
  // A limit on the size of files stands for a full disk.
  Image image(config, "drive");
  FileMedium medium(image, queue(image), {});
  Ends ends;
  medium.use(ends);
  std::vector<u8> data(4 * block_bytes, 5), got(4 * block_bytes);
  const auto outcome = [&](Kind kind, u64 first, std::vector<u8>& bytes) {
    ends.all.clear();
    medium.start(1, {.kind = kind, .first = first, .blocks = 4, .data = bytes});
    while (medium.step(true)) continue;
    return ends.all.at(0).second;
  };
  EXPECT_EQ(outcome(Kind::write, 8, data), status::success);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 102 * block_bytes;
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(outcome(Kind::write, 200, data), status::capacity_exceeded);
  EXPECT_EQ(outcome(Kind::write, 100, data), status::capacity_exceeded) << "of which a part was written";
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(outcome(Kind::write, 200, data), status::success);
  EXPECT_EQ(outcome(Kind::read, 8, got), status::success);
  EXPECT_EQ(got, data);
  fs::resize_file(config.path, 10 * block_bytes);
  EXPECT_EQ(outcome(Kind::read, 8, got), status::unrecovered_read) << "of which a part is there";
}

TEST_P(Hosted, past_the_cache_it_reads_what_was_written) {
  Image image(config, "drive");
  std::unique_ptr<FileQueue> direct;
  try {
    direct = make_file_queue(GetParam(), image, 8, true, "drive");
  } catch (const core::UserError& error) {
    GTEST_SKIP() << error.what();  // a file system without O_DIRECT
  }
  FileMedium medium(image, std::move(direct), {});
  Ends ends;
  medium.use(ends);
  const auto aligned =
      std::unique_ptr<u8, decltype(&std::free)>(static_cast<u8*>(std::aligned_alloc(4096, 8192)), &std::free);
  const std::span<u8> from(aligned.get(), 4096), to(aligned.get() + 4096, 4096);
  std::ranges::fill(from, u8{9});
  for (const auto& [kind, data] : {std::pair(Kind::write, from), std::pair(Kind::read, to)}) {
    medium.start(0, {.kind = kind, .first = 8, .blocks = 8, .data = data});
    while (medium.step(true)) continue;
    EXPECT_EQ(ends.all.back().second, status::success);
  }
  EXPECT_TRUE(std::ranges::equal(from, to));
}

/// A drive behind its registers, as a program has it.
class Program {
 public:
  Program(const Backend& backend, const ImageConfig& file)
      : image(file, "drive"),
        window(8192),
        memory(static_cast<u8*>(std::aligned_alloc(4096, 1 << 18))),
        drive({.queues = 2, .blocks = blocks, .serial = "S", .model = "M"}, image, space,
              make_file_queue(backend, image, 64, false, "drive"), false, window) {
    std::memset(memory, 0, 1 << 18);
    space.adopt(memory::Region::registered, at(0), 1 << 18, "the program's");
    drive.host_store(registers::admin_sizes, 4, 15 << 16 | 15);
    drive.host_store(registers::admin_submission, 8, at(0));
    drive.host_store(registers::admin_completion, 8, at(4096));
    drive.host_store(registers::configuration, 4, 1 | 6 << 16 | 4 << 20);
  }
  ~Program() { std::free(memory); }

  u64 at(u64 offset) const { return reinterpret_cast<u64>(memory) + offset; }
  /// The statuses of the last completions.
  u16 admin(const Command& command) {
    reinterpret_cast<Command*>(memory)[tail] = command;
    tail = (tail + 1) % 16;
    drive.host_store(registers::doorbells, 4, tail);
    const Completion end = reinterpret_cast<const Completion*>(memory + 4096)[(tail + 15) % 16];
    drive.host_store(registers::doorbells + 4, 4, tail);
    return end.status >> 1;
  }
  u16 create() {
    std::memset(memory + 8192, 0, 4096);
    const u16 first = admin({.opcode = 5, .id = 1, .prp1 = at(8192), .dword10 = 3 << 16 | 1, .dword11 = 1});
    return first ? first
                 : admin({.opcode = 1, .id = 2, .prp1 = at(12'288), .dword10 = 3 << 16 | 1, .dword11 = 1 << 16 | 1});
  }
  u16 remove() {
    const u16 first = admin({.opcode = 0, .id = 3, .dword10 = 1});
    return first ? first : admin({.opcode = 4, .id = 4, .dword10 = 1});
  }
  /// Reads block 8 by the first entry of a new queue.
  bool reads_once() {
    reinterpret_cast<Command*>(memory + 12'288)[0] = {
        .opcode = 2, .id = 9, .namespace_id = 1, .prp1 = at(16'384), .dword10 = 8};
    drive.host_store(registers::doorbells + 8, 4, 1);
    return reinterpret_cast<const Completion*>(memory + 8192)[0].status == 1;
  }

  memory::AddressSpace space{1u << 20};
  Image image;
  std::vector<u8> window;
  u8* const memory;
  HostedDrive drive;
  u32 tail = 0;
};

TEST_P(Hosted, a_doorbell_of_a_queue_that_was_made_again_counts_though_its_value_is_the_same) {
  Program program(GetParam(), config);
  EXPECT_EQ(program.drive.host_load(registers::version, 4), nvme_version);
  EXPECT_EQ(program.drive.host_load(registers::status, 4), 1u);
  EXPECT_TRUE(program.image.write(8, std::vector<u8>(512, 77)).ok());
  for (u32 time = 0; time < 3; ++time) {
    ASSERT_EQ(program.create(), 0);
    program.memory[16'384] = 0;
    ASSERT_TRUE(program.reads_once()) << time;
    EXPECT_EQ(program.memory[16'384], 77);
    ASSERT_EQ(program.remove(), 0);
  }
}

TEST(HostedBackends, without_io_uring_threads_access_the_file_and_a_sentence_says_so) {
  const std::string path = fs::temp_directory_path() / ("ew-no-uring-" + std::to_string(::getpid()));
  Image image({.path = path, .bytes = 4096, .block = 512}, "drive");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit one_more = before;
  ::testing::internal::CaptureStderr();
  const int next = ::dup(image.file());
  ::close(next);
  one_more.rlim_cur = static_cast<rlim_t>(next) + 1;  // the file once more, but no ring
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &one_more), 0);
  std::unique_ptr<FileQueue> queue;
  EXPECT_NO_THROW(queue = make_file_queue(backend_of("io_uring"), image, 8, false, "storage.0"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  const std::string said = ::testing::internal::GetCapturedStderr();
  ASSERT_TRUE(queue);
  EXPECT_EQ(queue->name(), "threads");
  EXPECT_EQ(said.find("everwarp: storage.0: io_uring cannot be used ("), 0u) << said;
  EXPECT_NE(said.find("); threads access the image instead\n"), said.npos) << said;
  fs::remove(path);
}

}  // namespace
}  // namespace ew::storage
