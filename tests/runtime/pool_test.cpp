// Persistent pools as files: what is created, reopened, refused.
#include "runtime/pool.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace ew::runtime
