// Persistent pools as files: what is created, reopened, refused.
#include "runtime/pool.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/diagnostics.hpp"

namespace ew::runtime {
namespace {

namespace fs = std::filesystem;

class PoolFile : public testing::Test {
 protected:
  PoolFile() {
    folder_ = testing::TempDir() + "/ew-pool-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~PoolFile() override { fs::remove_all(folder_); }
  std::string path(const std::string& name = "a.pool") const { return folder_ + "/" + name; }
  std::string refusal(const std::string& file, u64 size, bool create) {
    try {
      pools_.map(file, size, create);
    } catch (const core::UserError& mistake) {
      return mistake.what();
    }
    return "";
  }
  static std::string bytes_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string folder_;
  memory::AddressSpace memory_{u64{1} << 30};
  Pools pools_{memory_};
};

TEST_F(PoolFile, AStoreIsInTheFileAtOnce) {
  char* pool = static_cast<char*>(pools_.map(path(), 10'000, true));
  EXPECT_EQ(pool[0], 0);
  EXPECT_EQ(pool[9'999], 0);
  std::strcpy(pool + 5'000, "durable");
  EXPECT_STREQ(bytes_of(path()).c_str() + pool_header_bytes + 5'000, "durable");  // still mapped: nothing was flushed
}

TEST_F(PoolFile, ReopensAtItsAddressWithItsBytes) {
  char* pool = static_cast<char*>(pools_.map(path(), 10'000, true));
  std::strcpy(pool + 8'190, "across a page");
  pools_.unmap(pool);
  EXPECT_FALSE(pools_.holds(reinterpret_cast<u64>(pool)));
  EXPECT_EQ(pools_.map(path(), 10'000, false), pool);
  EXPECT_STREQ(pool + 8'190, "across a page");
  pools_.unmap(pool);
  EXPECT_EQ(pools_.map(path(), 0, false), pool);  // whatever size it has
}

TEST_F(PoolFile, PoolsOfDifferentProgramsOpenTogether) {
  void *a = nullptr, *b = nullptr;
  {
    memory::AddressSpace memory(u64{1} << 30);  // the arenas' next slot, but the places within it are the same
    Pools first(memory_);
    a = first.map(path("a.pool"), 4096, true);
  }
  {
    Pools second(memory_);
    b = second.map(path("b.pool"), 4096, true);
  }
  EXPECT_NE(a, b);
  EXPECT_EQ(pools_.map(path("a.pool"), 4096, false), a);
  EXPECT_EQ(pools_.map(path("b.pool"), 4096, false), b);
}

TEST_F(PoolFile, CreatingAgainReplacesAnOldPool) {
  char* pool = static_cast<char*>(pools_.map(path(), 100, true));
  pool[0] = 1;
  pools_.unmap(pool);
  pool = static_cast<char*>(pools_.map(path(), 200, true));
  EXPECT_EQ(pool[0], 0);
  EXPECT_EQ(Pools::size_of(path()), 200u);
  EXPECT_FALSE(fs::exists(path() + ".new"));
}

TEST_F(PoolFile, SizesAndBounds) {
  EXPECT_EQ(Pools::size_of(path()), 0u);
  char* pool = static_cast<char*>(pools_.map(path(), 5'000, true));
  const u64 begin = reinterpret_cast<u64>(pool);
  EXPECT_EQ(Pools::size_of(path()), 5'000u);
  EXPECT_TRUE(pools_.holds(begin + 4'999));
  EXPECT_FALSE(pools_.holds(begin + 5'000));
  EXPECT_EQ(memory_.find(begin + 10)->region, memory::Region::pool);
  EXPECT_EQ(memory_.find(begin + 10)->label, path());
  pools_.make_durable(begin + 1, 4'999);
  EXPECT_THROW(pools_.make_durable(begin + 1, 5'000), core::UserError);
  EXPECT_THROW(pools_.make_durable(begin + 5'000, 1), core::UserError);
  EXPECT_THROW(pools_.make_durable(16, 1), core::UserError);
  EXPECT_THROW(pools_.unmap(pool + 1), core::UserError);
}

TEST_F(PoolFile, Refusals) {
  EXPECT_NE(refusal(path(), 100, false).find("cannot be opened: No such file"), std::string::npos);
  EXPECT_NE(refusal(path(), 0, true).find("size of 0"), std::string::npos);
  EXPECT_NE(refusal(folder_ + "/none/a.pool", 100, true).find("cannot be"), std::string::npos);
  EXPECT_NE(refusal(path(), u64{1} << 60, true).find("no room for"), std::string::npos);
  EXPECT_FALSE(fs::exists(path() + ".new")) << "what was not made leaves nothing behind";

  std::ofstream(path("text")) << "a user's own file, of some length";
  EXPECT_NE(refusal(path("text"), 100, true).find("is not an Everwarp pool; it is left as it is"), std::string::npos);
  EXPECT_NE(refusal(path("text"), 100, false).find("is not an Everwarp pool"), std::string::npos);
  EXPECT_EQ(bytes_of(path("text")), "a user's own file, of some length");

  void* pool = pools_.map(path(), 5'000, true);
  EXPECT_NE(refusal(path(), 5'000, false).find("mapped by another process or a second time"), std::string::npos);
  EXPECT_NE(refusal(path(), 5'000, true).find("mapped by another process or a second time"), std::string::npos);
  pools_.unmap(pool);
  EXPECT_NE(refusal(path(), 6'000, false).find("holds 5000 bytes, the program asks for 6000"), std::string::npos);

  fs::resize_file(path(), 8'000);
  EXPECT_NE(refusal(path(), 5'000, false).find("is truncated: 8000 bytes, its header promises 12288"),
            std::string::npos);
  fs::resize_file(path(), 20);
  EXPECT_NE(refusal(path(), 5'000, false).find("its header is torn: the file ends inside it"), std::string::npos);
}

TEST_F(PoolFile, ATornOrForeignHeaderIsRefused) {
  pools_.unmap(pools_.map(path(), 5'000, true));
  std::string bytes = bytes_of(path());
  bytes[offsetof(PoolHeader, size)] ^= 1;
  std::ofstream(path("torn"), std::ios::binary) << bytes;
  EXPECT_NE(refusal(path("torn"), 0, false).find("checksum does not match"), std::string::npos);
  bytes = bytes_of(path());
  bytes[offsetof(PoolHeader, version)] = 9;
  std::ofstream(path("later"), std::ios::binary) << bytes;
  EXPECT_NE(refusal(path("later"), 0, false).find("has pool version 9, this library reads version 1"),
            std::string::npos);
  EXPECT_EQ(Pools::size_of(path("torn")), 0u);

  fs::copy_file(path(), path("copy"));  // two files that want one address
  pools_.map(path(), 5'000, false);
  EXPECT_NE(refusal(path("copy"), 5'000, false).find("which is taken (by another pool?)"), std::string::npos);
}

// --- Timing mode: two mappings

class TimedPoolFile : public PoolFile {
 protected:
  u32 durable(u64 word) {
    u32 value = 0;
    std::memcpy(&value, bytes_of(path()).data() + pool_header_bytes + word * 4, 4);
    return value;
  }
  memory::DurableImage image_;
  Pools timed_{memory_, &image_};
};

TEST_F(TimedPoolFile, AStoreIsNotInTheFileUntilItIsMadeDurable) {
  u32* pool = static_cast<u32*>(timed_.map(path(), 10'000, true));
  pool[1] = 11;
  pool[17] = 17;
  EXPECT_EQ(durable(1), 0u);
  timed_.make_durable(reinterpret_cast<u64>(pool + 17), 4);
  EXPECT_EQ(durable(17), 17u);
  EXPECT_EQ(durable(1), 0u) << "another line";
  EXPECT_EQ(image_.statistics().host_writes, 1u);
  EXPECT_EQ(image_.statistics().host_bytes, 4u);
  timed_.unmap(pool);
  EXPECT_EQ(durable(1), 11u);
}

TEST_F(TimedPoolFile, WhatTheDomainAcceptsIsInTheFileAndNoOtherByte) {
  u8* pool = static_cast<u8*>(timed_.map(path(), 10'000, true));
  const u64 line = reinterpret_cast<u64>(pool) + 4096 + 128;
  std::array<u8, memory::longest_line> bytes;
  for (u32 i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<u8>(i + 1);
  std::memset(pool + 4096, 0xff, 512);  // the program has written all of it
  image_.write(line, bytes.data(), {{0xf0, u64{1} << 63}}, 7);
  const std::string file = bytes_of(path()).substr(pool_header_bytes);
  for (u32 i = 0; i < 10'000; ++i) {
    const bool written = (i >= 4224 + 4 && i < 4224 + 8) || i == 4224 + 127;
    ASSERT_EQ(static_cast<u8>(file[i]), written ? i - 4224 + 1 : 0) << i;
  }
  EXPECT_EQ(pool[4224 + 4], 0xff) << "the coherent image is the program's own";
  EXPECT_EQ(image_.statistics().bytes, 5u);
  EXPECT_EQ(image_.number(), 1u);
  image_.write(line + (1 << 20), bytes.data(), {{1, 0}}, 8);  // in no pool
  EXPECT_EQ(image_.number(), 1u);
}

TEST_F(TimedPoolFile, ReopenedItShowsTheDurableBytes) {
  u32* pool = static_cast<u32*>(timed_.map(path(), 10'000, true));
  pool[3] = 33;
  timed_.drain();
  EXPECT_EQ(durable(3), 33u);
  pool[3] = 34;  // and lost: the process is killed
  {
    memory::AddressSpace other(u64{1} << 30);
    memory::DurableImage image;
    std::filesystem::copy_file(path(), path("left.pool"));
    Pools pools(other, &image);
    std::string why;
    void* again = nullptr;
    try {
      again = pools.map(path("left.pool"), 0, false);
    } catch (const core::UserError& mistake) {
      why = mistake.what();  // the second address space may have no arena at that address
    }
    if (again) {
      EXPECT_EQ(static_cast<u32*>(again)[3], 33u);
    } else {
      EXPECT_NE(why.find("must be mapped at its own address"), std::string::npos);
    }
  }
  timed_.unmap(pool);
}

/// From the log and the first bytes, the file at every point is made again.
TEST_F(TimedPoolFile, TheLogRebuildsTheFile) {
  u8* pool = static_cast<u8*>(timed_.map(path(), 8192, true));
  ASSERT_TRUE(image_.log_to(path("log")));
  std::array<u8, memory::longest_line> bytes;
  std::vector<std::string> images;
  for (u32 i = 0; i < 200; ++i) {
    bytes.fill(static_cast<u8>(i + 1));
    const u64 random = (i + 1) * 0x9e3779b97f4a7c15;
    const u64 line = i * 37 % 64 * 128;
    if (i % 10 == 9) {
      std::memset(pool + line, static_cast<int>(i), std::min<u64>(200, 8192 - line));
      timed_.make_durable(reinterpret_cast<u64>(pool) + line, std::min<u64>(200, 8192 - line));
    } else {
      image_.write(reinterpret_cast<u64>(pool) + line, bytes.data(), {{random, i % 3 ? ~u64{0} : random >> 7}}, i);
    }
    image_.flush_log();
    images.push_back(bytes_of(path()).substr(pool_header_bytes, 8192));
  }
  const std::string log = bytes_of(path("log"));
  std::string rebuilt(8192, 0);
  std::size_t at = 0, seen = 0;
  u32 number = 0;
  while (at < log.size()) {
    memory::DurableRecord record;
    std::memcpy(&record, log.data() + at, sizeof record);
    EXPECT_TRUE(record.number == number || record.number == number + 1);
    number = record.number;
    std::memcpy(rebuilt.data() + (record.address - reinterpret_cast<u64>(pool)), log.data() + at + sizeof record,
                record.bytes);
    at += sizeof record + record.bytes;
    while (seen < images.size() && rebuilt == images[seen]) ++seen;
  }
  EXPECT_EQ(seen, images.size());
  EXPECT_EQ(number, image_.number());
  timed_.unmap(pool);
}

TEST_F(TimedPoolFile, TheProcessDiesRightAfterTheDurableWriteThatWasAskedFor) {
  u32* pool = static_cast<u32*>(timed_.map(path(), 8192, true));
  const auto run = [&] {
    image_.crash_at(3);
    for (u32 i = 0; i < 5; ++i) {
      pool[i * 16] = i + 1;
      timed_.make_durable(reinterpret_cast<u64>(pool + i * 16), 4);
    }
  };
  EXPECT_EXIT(run(), testing::KilledBySignal(SIGKILL), "");
  for (u32 i = 0; i < 5; ++i) EXPECT_EQ(durable(i * 16), i < 3 ? i + 1 : 0) << i;
  timed_.unmap(pool);
}

}  // namespace
}  // namespace ew::runtime
