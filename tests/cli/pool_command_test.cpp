// `ew pool`, and what the killing of a program leaves in its pools on a timing machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "coherence/models.hpp"
#include "core/types.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

const char* const pool_program = R"(
#include <everwarp/gpm.cuh>
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void put(unsigned* pool, unsigned value) {
  pool[threadIdx.x * 64 + blockIdx.x] = value;
  gpm_persist();
}
bool has(char** words, const char* word) {
  for (; *words; ++words)
    if (!strcmp(*words, word)) return true;
  return false;
}
int named(char** words) {
  void* nvm = pm_map(words[0], 1 << 18, has(words, "create"));
  if (!nvm) return 3;
  if (has(words, "alloc")) {
    unsigned* grid = static_cast<unsigned*>(pm_alloc(nvm, "grid", 1 << 14));
    if (!grid || pm_alloc(nvm, "grid", 5)) return 4;
    pm_alloc(nvm, "log", 3000);
    put<<<2, 32>>>(grid, 5);
    cudaDeviceSynchronize();
    return pm_delete(nvm, "log") || !pm_delete(nvm, "log");
  }
  char name[40];
  size_t size = 0;
  for (const char* at = nullptr; pm_list(nvm, at, name) == 0; at = name) {
    const unsigned* region = static_cast<unsigned*>(pm_open(nvm, name, &size));
    printf("%s %zu %u\n", name, size, region[31 * 64 + 1]);
  }
  return pm_open(nvm, "nobody", nullptr) != nullptr;
}
int main(int, char** words) {
  ++words;
  if (has(words, "named")) return named(words);
  unsigned* pool = static_cast<unsigned*>(gpm_map(words[0], 1 << 16, true));
  if (!pool) return 3;
  pool[5] = 9;
  if (has(words, "persist")) gpm_persist_range(pool + 5, 4);
  if (has(words, "region")) gpm_persist_begin();
  if (has(words, "kernel")) put<<<4, 32>>>(pool, 7);
  cudaDeviceSynchronize();
  if (has(words, "region")) gpm_persist_end();
  if (has(words, "unmap")) gpm_unmap(words[0], pool, 1 << 16);
  if (has(words, "kill")) abort();
  return 0;
}
)";

class PoolCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = testing::TempDir() + "/ew-pool-command";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream(folder_ + "/pools.cu") << pool_program;
    const Outcome outcome = call({EW_PROGRAM, "build", "-O2", "pools.cu", "-o", "pools"});
    ASSERT_EQ(outcome.status, 0) << outcome.output;
  }
  static void TearDownTestSuite() { fs::remove_all(folder_); }

  static Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 60, .no_input = true});
  }
  static Outcome on(const std::string& machine, const Words& arguments, const Words& options = {}) {
    Words words{EW_PROGRAM, "run", "--machine", machine};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "./pools"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    return call(words);
  }
  static Outcome pool(Words words) {
    words.insert(words.begin(), {EW_PROGRAM, "pool"});
    return call(words);
  }
  /// A word of a pool's file.
  static u32 word(const std::string& file, u64 index) {
    std::ifstream in(folder_ + "/" + file, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(4096 + index * 4));
    u32 value = ~u32{0};
    in.read(reinterpret_cast<char*>(&value), 4);
    return value;
  }
  static inline std::string folder_;
};

TEST_F(PoolCommand, AKilledProgramLeavesWhatItsHostHadPersisted) {
  for (const char* machine : {"sbrp-pm-near", "sbrp-pm-far", "titan-rtx-optane"}) {
    on(machine, {"a.pool", "kill"});
    EXPECT_EQ(word("a.pool", 5), 0u) << machine << ": killed between the store and its durability";
    on(machine, {"a.pool", "persist", "kill"});
    EXPECT_EQ(word("a.pool", 5), 9u) << machine;
    on(machine, {"a.pool", "kernel", "unmap", "kill"});
    EXPECT_EQ(word("a.pool", 5), 9u) << machine;
    EXPECT_EQ(word("a.pool", 31 * 64 + 3), 7u) << machine;
    EXPECT_EQ(on(machine, {"a.pool", "kernel"}).status, 0);
    EXPECT_EQ(word("a.pool", 5), 9u) << machine << ": a normal exit drains";
    EXPECT_EQ(word("a.pool", 31 * 64 + 3), 7u) << machine;
  }
}

/// GPM, section 3.1: with DDIO a kernel's fence makes nothing durable; gpm_persist_begin() is what does.
TEST_F(PoolCommand, AKernelsPersistIsDurableInsideAPersistRegionAndWithDdioNotOutside) {
  on("titan-rtx-optane", {"a.pool", "kernel", "kill"});
  EXPECT_EQ(word("a.pool", 31 * 64 + 3), 0u);
  on("titan-rtx-optane", {"a.pool", "region", "kernel", "kill"});
  EXPECT_EQ(word("a.pool", 31 * 64 + 3), 7u);
  EXPECT_EQ(word("a.pool", 5), 0u) << "the host's store is its own affair";
  on("titan-rtx-optane", {"a.pool", "kernel", "kill"}, {"--set", "nvm.eadr=true"});
  EXPECT_EQ(word("a.pool", 31 * 64 + 3), 7u) << "eADR needs no region";
  for (const char* machine : {"sbrp-pm-near", "sbrp-pm-far"}) {
    on(machine, {"a.pool", "kernel", "kill"});
    EXPECT_EQ(word("a.pool", 31 * 64 + 3), 7u) << machine << " has no DDIO";
    on(machine, {"a.pool", "kernel", "kill"}, {"--set", "persistency.model=none"});
    EXPECT_EQ(word("a.pool", 31 * 64 + 3), 0u) << machine << ": without a model the L2 keeps it";
  }
}

TEST_F(PoolCommand, OnAFunctionalMachineAStoreIsDurableAtOnce) {
  on("default", {"a.pool", "kernel", "kill"});
  EXPECT_EQ(word("a.pool", 5), 9u);
  EXPECT_EQ(word("a.pool", 31 * 64 + 3), 7u);
}

TEST_F(PoolCommand, AMachineWithoutNonVolatileMemoryRefusesPools) {
  const Outcome outcome = on("sbrp-pm-near", {"a.pool"}, {"--set", "nvm.attach=none"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_EQ(outcome.output, "everwarp: gpm_map: this machine has no non-volatile memory (nvm.attach is \"none\")\n");
}

TEST_F(PoolCommand, AProtocolThatKeepsWrittenLinesIsRefusedWithTheModelThatNeedsThem) {
  const Outcome outcome = on("sbrp-pm-near", {"a.pool"}, {"--set", "coherence.protocol=mesi"});
  EXPECT_EQ(outcome.status, 3);
  std::vector<std::string_view> others;
  for (const coherence::Model& model : coherence::models())
    if (!coherence::keeps_written_lines(model)) others.push_back(model.name);
  EXPECT_EQ(std::ranges::find(others, "mesi"), others.end());
  EXPECT_EQ(
      outcome.output,
      fmt::format("everwarp: gpm_map: coherence.protocol is mesi, which keeps written lines in private caches, but "
                  "persistency.model sbrp needs one that writes through ({}); with persistency.model none a pool "
                  "can be mapped\n",
                  fmt::join(others, " or ")));
  EXPECT_EQ(on("sbrp-pm-near", {"a.pool"}, {"-s", "coherence.protocol=mesi", "-s", "persistency.model=none"}).status,
            0);
}

TEST_F(PoolCommand, RegionsAreFoundByNameAndListed) {
  for (const char* machine : {"default", "sbrp-pm-near"}) {
    Outcome outcome = on(machine, {"gpu.nvm", "named", "create", "alloc"});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_EQ(outcome.output, "everwarp: pool gpu.nvm: the name \"grid\" is taken\n");
    outcome = on(machine, {"gpu.nvm", "named"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_EQ(outcome.output, "grid 16384 5\n");
    outcome = pool({"info", "gpu.nvm"});
    EXPECT_NE(outcome.output.find("1 regions of 16,384 bytes"), std::string::npos) << outcome.output;
    EXPECT_EQ(pool({"check", "gpu.nvm"}).output, "ok   gpu.nvm: 262,144 bytes, 1 regions\n");
    EXPECT_EQ(pool({"rm", "gpu.nvm", "grid"}).status, 0);
    EXPECT_EQ(on(machine, {"gpu.nvm", "named"}).output, "");
    EXPECT_EQ(pool({"rm", "gpu.nvm"}).status, 0);
    EXPECT_FALSE(fs::exists(folder_ + "/gpu.nvm"));
  }
}

/// Killed right after each durable write of the making of a table and of three of its calls: what is left opens, and
/// holds each region or does not.
TEST_F(PoolCommand, TheTableOfNamesSurvivesACrashAfterAnyOfItsDurableWrites) {
  u32 killed = 0, grids = 0;
  for (u32 at = 1;; ++at) {
    setenv("EVERWARP_CRASH_AT_PERSIST", std::to_string(at).c_str(), 1);
    const Outcome outcome = on("sbrp-pm-near", {"n.nvm", "named", "create", "alloc"});
    unsetenv("EVERWARP_CRASH_AT_PERSIST");
    if (outcome.status == 0) break;
    ASSERT_EQ(outcome.status, 128 + SIGKILL) << outcome.output;
    ++killed;
    const Outcome left = on("sbrp-pm-near", {"n.nvm", "named"});
    EXPECT_EQ(left.status, 0) << "after write " << at << ": " << left.output;
    EXPECT_EQ(pool({"check", "n.nvm"}).status, 0);
    grids += left.output.find("grid 16384") != std::string::npos;
    if (killed > 6) break;  // the rest is the kernel's
  }
  EXPECT_GT(killed, 5u);
  EXPECT_GT(grids, 0u);
  EXPECT_LT(grids, killed);
}

TEST_F(PoolCommand, TheSummaryCountsWhatBecameDurable) {
  const Outcome outcome = on("sbrp-pm-near", {"a.pool", "kernel"}, {"--summary"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* line : {"\npersistent memory\n", "  bytes persisted                                      512\n",
                           "  bytes that became durable                            512\n", "  persist   "})
    EXPECT_NE(outcome.output.find(line), std::string::npos) << line << "in\n" << outcome.output;
  const std::string host = on("sbrp-pm-near", {"a.pool"}, {"--summary"}).output;
  EXPECT_NE(host.find("bytes that the host made durable"), std::string::npos) << host;
  EXPECT_EQ(host.find("bytes persisted"), std::string::npos) << host;
}

TEST_F(PoolCommand, MistakesAreSentences) {
  std::ofstream(folder_ + "/foreign") << "not a pool, but long enough to have a header of one";
  std::ofstream(folder_ + "/empty");
  on("default", {"b.pool"});
  fs::copy_file(folder_ + "/b.pool", folder_ + "/c.pool");
  fs::copy_file(folder_ + "/b.pool", folder_ + "/short.pool");
  fs::resize_file(folder_ + "/short.pool", 5000);
  fs::copy_file(folder_ + "/b.pool", folder_ + "/torn.pool");
  std::fstream(folder_ + "/torn.pool", std::ios::in | std::ios::out | std::ios::binary).seekp(17).put('x');
  const Outcome checked = pool({"check", "b.pool", "foreign", "empty", "short.pool", "torn.pool", "c.pool"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_EQ(checked.output,
            "ok   b.pool: 65,536 bytes\n"
            "FAIL pool foreign: is not an Everwarp pool (its first bytes are something else); it is left as it is\n"
            "FAIL pool empty: is not an Everwarp pool (its first bytes are something else); it is left as it is\n"
            "FAIL pool short.pool: is truncated: 5000 bytes, its header promises 69632\n"
            "FAIL pool torn.pool: its header is torn: the checksum does not match\n"
            "ok   c.pool: 65,536 bytes\n"
            "FAIL pools b.pool and c.pool overlap: no process can map both\n");
  const struct {
    Words words;
    const char* sentence;
  } mistakes[] = {
      {{}, "ew: ew pool needs a word: list, info, check or rm; `ew pool --help` has examples\n"},
      {{"info", "nothing"}, "ew: pool nothing: cannot be opened: No such file or directory\n"},
      {{"rm", "nothing"}, "ew: pool nothing: there is no such file\n"},
      {{"rm", "foreign"}, "ew: pool foreign: is not an Everwarp pool; it is left as it is\n"},
      {{"rm", "b.pool", ""},  // as of a variable of a shell that is empty: the pool stays
       "ew: pool b.pool: holds no table of names (its first bytes are something else); it is left as it is\n"},
      {{"rm", "b.pool", "x"},
       "ew: pool b.pool: holds no table of names (its first bytes are something else); it is left as it is\n"},
      {{"list", "nowhere"}, "ew: nowhere is no folder\n"},
  };
  for (const auto& [words, sentence] : mistakes) {
    const Outcome outcome = pool(words);
    EXPECT_EQ(outcome.status, 2) << shell_line(words);
    EXPECT_EQ(outcome.output, sentence);
  }
}

}  // namespace
}  // namespace ew::cli
