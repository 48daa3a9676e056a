// Image files: what is refused, what survives, what is a hole.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/diagnostics.hpp"
#include "storage/contents.hpp"
#include "storage_bench.hpp"

namespace ew::storage {
namespace {

namespace fs = std::filesystem;

class ImageFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("ew-image-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    path = folder / "drive.img";
  }
  void TearDown() override {
    fs::permissions(path, fs::perms::owner_all, ec);
    fs::remove_all(folder, ec);
  }
  std::string refusal(u64 bytes, u32 block = 512) {
    try {
      Image image({path, bytes, block}, "storage.0");
    } catch (const core::UserError& error) {
      std::string text = error.what();
      const auto at = text.find(path.string());
      if (at != text.npos) text.replace(at, path.string().size(), "FILE");
      return text;
    }
    return "";
  }
  void write(u64 bytes) { std::ofstream(path) << std::string(bytes, 'x'); }

  std::error_code ec;
  fs::path folder, path;
};

TEST_F(ImageFile, refused_with_one_sentence_and_left_as_it_is) {
  EXPECT_EQ(refusal(0), "storage.0: image FILE: there is none, and no size for a new one");
  EXPECT_FALSE(fs::exists(path));
  write(1000);
  EXPECT_EQ(refusal(0), "storage.0: image FILE: 1000 bytes are not a whole number of blocks of 512");
  write(512 * 9);
  EXPECT_EQ(refusal(0, 4096), "storage.0: image FILE: 4608 bytes are not a whole number of blocks of 4096");
  EXPECT_EQ(refusal(8192), "storage.0: image FILE: has 4608 bytes, and size says 8192");
  EXPECT_EQ(fs::file_size(path), 4608u);
  {
    Image image({path, 0, 512}, "first");
    EXPECT_EQ(refusal(0), "storage.0: image FILE: another process or another drive of this one uses it");
  }
  EXPECT_EQ(refusal(0), "");
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_EQ(refusal(0), "storage.0: image FILE: cannot be opened to be read and written: Is a directory");
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(refusal(0), "storage.0: image FILE: is not a plain file");
  fs::remove(path);
  if (::geteuid() == 0) return;  // root may write what is read-only
  write(512);
  fs::permissions(path, fs::perms::owner_read);
  EXPECT_EQ(refusal(0), "storage.0: image FILE: cannot be opened to be read and written: Permission denied");
}

TEST_F(ImageFile, without_a_file_it_needs_a_size) {
  EXPECT_THROW(Image({"", 0, 512}, "storage.0"), core::UserError);
  EXPECT_THROW(Image({"", 1000, 512}, "storage.0"), core::UserError);
}

TEST_F(ImageFile, a_new_one_is_all_holes_and_what_is_written_survives) {
  std::vector<u8> data(512, 7), got(512);
  {
    Image image({path, 1 << 20, 512}, "new");
    EXPECT_EQ(image.blocks(), 2048u);
    EXPECT_EQ(image.in_use(), 0u);
    EXPECT_TRUE(image.write(100, data).ok());
    EXPECT_EQ(image.in_use(), 1u);
    EXPECT_FALSE(image.deallocated(100));
    EXPECT_TRUE(image.deallocated(101));
  }
  Image image({path, 0, 512}, "again");
  EXPECT_TRUE(image.read(100, got).ok());
  EXPECT_EQ(got, data);
  EXPECT_FALSE(image.deallocated(100));
  EXPECT_GE(image.in_use(), 1u) << "a file system keeps whole pages";
  EXPECT_LE(image.in_use(), 128u);
  EXPECT_TRUE(image.deallocated(1500));
  EXPECT_TRUE(image.deallocate(0, 2048).ok());
  EXPECT_EQ(image.in_use(), 0u);
  EXPECT_TRUE(image.read(100, got).ok());
  EXPECT_EQ(got, std::vector<u8>(512));
}

TEST_F(ImageFile, one_that_somebody_cuts_gives_errors_of_the_medium) {
  Image image({path, 1 << 20, 512}, "new");
  std::vector<u8> data(512, 7);
  fs::resize_file(path, 512);
  EXPECT_EQ(image.read(100, data), status::unrecovered_read);
}

TEST_F(ImageFile, a_disk_that_is_full_ends_writes_with_capacity_exceeded_and_keeps_cached_blocks) {
  // A limit on the size of files stands for a full disk.
  Image image({path, 1 << 20, 512}, "new");
  Contents contents(image, 4);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 51'200;
  const auto old = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::vector<u8> data(512, 7), got(512);
  const auto command = [&](MediaCommand::Kind kind, bool durable) {
    return MediaCommand{.kind = kind, .durable = durable, .first = 1000, .blocks = 1, .data = data};
  };
  EXPECT_EQ(contents.perform(command(MediaCommand::Kind::write, true)), status::capacity_exceeded);
  EXPECT_EQ(contents.perform(command(MediaCommand::Kind::write, false)), status::success);
  EXPECT_EQ(contents.perform({.kind = MediaCommand::Kind::flush}), status::capacity_exceeded);
  EXPECT_EQ(contents.cached(), 1u);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old);
  EXPECT_EQ(contents.perform({.kind = MediaCommand::Kind::flush}), status::success);
  EXPECT_TRUE(image.read(1000, got).ok());
  EXPECT_EQ(got, data);
}

TEST_F(ImageFile, a_crash_leaves_what_was_flushed) {
  const pid_t child = ::fork();
  if (child == 0) {
    BenchConfig config{.cached_blocks = 64, .image = path};
    config.controller.volatile_cache = true;
    Bench bench(config);
    HostQueue queue = bench.start();
    const u64 from = bench.memory.take(4096);
    std::memset(bench.memory.at(from), 1, 4096);
    bench.outcome(queue, Bench::blocks(1, 0, 8, from));
    bench.outcome(queue, {.opcode = 0, .namespace_id = 1});
    std::memset(bench.memory.at(from), 2, 4096);
    bench.outcome(queue, Bench::blocks(1, 4, 8, from));
    ::_exit(0);
  }
  int ended = 0;
  ASSERT_EQ(::waitpid(child, &ended, 0), child);
  ASSERT_EQ(ended, 0);
  Image image({path, 0, 512}, "again");
  std::vector<u8> got(512);
  for (u64 block = 0; block < 12; ++block) {
    EXPECT_TRUE(image.read(block, got).ok());
    EXPECT_EQ(got[0], block < 8 ? 1 : 0) << block;
  }
}

TEST_F(ImageFile, a_loss_of_power_leaves_cached_blocks_old_or_new) {
  std::set<u64> kept;
  for (u64 seed = 1; seed <= 30; ++seed) {
    Image image({"", 512 * 64, 512}, "memory");
    Contents contents(image, 64);
    std::vector<u8> data(512 * 64, 1), got(512 * 64);
    const auto write = [&](u8 value, bool durable) {
      std::ranges::fill(data, value);
      EXPECT_EQ(contents.perform(
                    {.kind = MediaCommand::Kind::write, .durable = durable, .first = 0, .blocks = 64, .data = data}),
                status::success);
    };
    write(1, true);
    write(2, false);
    contents.lose_power(seed);
    EXPECT_TRUE(image.read(0, got).ok());
    u64 newer = 0;
    for (u64 block = 0; block < 64; ++block) {
      const u8 value = got[block * 512];
      EXPECT_TRUE(value == 1 || value == 2);
      for (u64 i = 0; i < 512; ++i) ASSERT_EQ(got[block * 512 + i], value) << "a block is old or new as a whole";
      newer += value == 2;
    }
    kept.insert(newer);
  }
  EXPECT_TRUE(kept.contains(0)) << "a cache that was lost";
  EXPECT_GE(kept.size(), 5u) << "and others of which some blocks had been written back";
  EXPECT_FALSE(kept.contains(64));
}

}  // namespace
}  // namespace ew::storage
