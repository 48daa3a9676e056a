// Every mistake that a person can make on the command line is status 2 and one sentence: where, what was expected, and
// the nearest valid name. And `ew explain`, which prints what those names are.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "coherence/models.hpp"
#include "process/run.hpp"
#include "ptx/opcodes.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class Mistakes : public testing::Test {
 protected:
  Mistakes() : folder_(testing::TempDir() + "/ew-mistakes") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "folder.toml");
  }
  ~Mistakes() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Outcome ew(Words words) {
    words.insert(words.begin(), EW_PROGRAM);
    return run(words,
               {.capture = Capture::both, .directory = folder_.string(), .timeout_seconds = 60, .no_input = true});
  }
  void expect(const Words& words, const std::string& sentence) {
    const Outcome outcome = ew(words);
    EXPECT_EQ(outcome.status, 2) << shell_line(words);
    EXPECT_EQ(outcome.output, "ew: " + sentence + "\n") << shell_line(words);
  }
  fs::path folder_;
};

TEST_F(Mistakes, MachineFilesAreReadStrictly) {
  const struct {
    const char *text, *sentence;
  } files[] = {
      {"[sm]\n\ncount = \"x\"\n", "m.toml:3: sm.count should be a whole number of SMs, 1 .. 1024, but is x"},
      {"[sm]\ncount = \"4\"\n",
       "m.toml:2: sm.count should be a whole number of SMs, 1 .. 1024, but is the text \"4\": write it without quotes "
       "and "
       "unit"},
      {"[sm]\ncount = 1025\n", "m.toml:2: sm.count should be a whole number of SMs, 1 .. 1024, but is 1025"},
      {"[sm]\ncount = 3.5\n", "m.toml:2: sm.count should be a whole number of SMs, 1 .. 1024, but is 3.5"},
      {"[sm]\ncuont = 3\n", "m.toml:2: unknown key in [sm] \"cuont\" (did you mean \"count\"?)"},
      {"[sn]\ncount = 3\n", "m.toml:1: unknown section \"sn\" (did you mean \"sm\"?)"},
      {"sm = 3\n", "m.toml:1: sm should be a section, [sm]"},
      {"[device]\necc = 1\n", "m.toml:2: device.ecc should be true or false, but is 1"},
      {"[launch]\nblock_limit = [1, 2]\n",
       "m.toml:2: launch.block_limit should be three whole numbers [x, y, z], each 1 .. 1024, but is an array"},
  };
  for (const auto& [text, sentence] : files) {
    write("m.toml", text);
    expect({"run", "--machine", "m.toml", "--", "true"}, sentence);
  }
}

TEST_F(Mistakes, AMachineFilesMistakesAreToldTogetherInOrder) {
  write("m.toml", "[sm]\nwraps = 1\ncount = 0\n[coherence]\nprotocol = \"mesii\"\n[sn]\n");
  expect({"run", "--machine", "m.toml", "--", "true"},
         "m.toml:2: unknown key in [sm] \"wraps\" (did you mean \"warps\"?)\n"
         "m.toml:3: sm.count should be a whole number of SMs, 1 .. 1024, but is 0\n"
         "m.toml:5: unknown protocol \"mesii\" (did you mean \"mesi\"?) (coherence.protocol should be one of \"" +
             fmt::format("{}", fmt::join(coherence::names(), "\", \"")) +
             "\")\n"
             "m.toml:6: unknown section \"sn\" (did you mean \"sm\"?)");
}

TEST_F(Mistakes, FiguresThatCannotStandTogetherNameTheirPlaces) {
  write("m.toml", "[machine]\nmode = \"timing\"\n[managed]\npage = 65537\n[l1]\nline = 96\n");
  expect({"run", "--machine", "m.toml", "--", "true"},
         "m.toml:4: managed.page should be a power of two, but is 65537\n"
         "m.toml:6: l1.line should be 64 or 128 bytes, but is 96");
  expect({"run", "--machine", "m.toml", "--set", "l1.line=72", "--set", "managed.page=65536", "--", "true"},
         "--set l1.line=72: l1.line should be 64 or 128 bytes, but is 72");
}

TEST_F(Mistakes, TomlItselfIsCheckedWithItsLine) {
  for (const char* text : {"[sm]\ncount = 3\ncount = 4\n", "\n\n[sm\n", "a\n\n", "[sm]\ncount = \n"}) {
    write("m.toml", text);
    const Outcome outcome = ew({"run", "--machine", "m.toml", "--", "true"});
    EXPECT_EQ(outcome.status, 2) << text;
    EXPECT_TRUE(outcome.output.starts_with("ew: m.toml:")) << outcome.output;
  }
}

TEST_F(Mistakes, FilesThatAreNone) {
  expect({"run", "--machine", "none.toml", "--", "true"},
         "none.toml: cannot read this machine file: No such file or directory");
  expect({"run", "--machine", "folder.toml", "--", "true"}, "folder.toml: is a folder, not a machine file");
  expect({"explain", "machine", "titan"}, "unknown machine \"titan\" (did you mean \"titan-rtx\"?)");
  expect({"explain", "machine", "nvm.fence_bandwidth"},
         "unknown machine \"nvm.fence_bandwidth\"; it is a field: `ew explain nvm.fence_bandwidth`");
  expect({"explain", "machine", "nvm.fence_bandwith"},
         "unknown machine \"nvm.fence_bandwith\"; `ew explain FIELD` explains a field (did you mean "
         "\"nvm.fence_bandwidth\"?)");
  expect({"pool", "inf", "p.pool"}, "unknown verb of pool inf (did you mean \"info\"?)");
  expect({"reproduce", "x", "--studies", "studes"}, "--studies studes: there is no such folder");
  expect({"reproduce", "x", "--studies", "folder.toml"},
         "--studies folder.toml: no folder in it has a suite.toml, as a study has");
  write("text", "no program");
  expect({"run", "./text"}, "./text may not be executed");
  expect({"run", "."}, ". is a folder, not a program");
  write("app.cu", "");
  expect({"run", "app.cu"}, "app.cu is a source; build it first: ew build app.cu -o app");
  expect({"run", "--stats", "folder.toml", "--", "true"}, "--stats folder.toml: is a folder, not a file");
  expect({"run", "--stats", "/none/s.json", "--", "true"}, "--stats /none/s.json: there is no folder /none");
}

TEST_F(Mistakes, ValuesOfOptions) {
  expect({"run", "--set", "sm.count", "--", "true"},
         "--set should be section.key=value, as in sm.count=4, but is \"sm.count\"");
  expect(
      {"run", "--set", "device.memory=5XB", "--", "true"},
      "--set device.memory=5XB: device.memory should be bytes, as 65536 or \"64 KiB\", 1048576 .. 10000000000000, but "
      "is 5XB");
  expect({"run", "--seed", "-1", "true"}, "--seed should be a whole number from 0, but is \"-1\"");
  expect({"run", "--seed"}, "--seed needs a value; `ew run --help` has examples");
  expect({"run", "--max-instructions", "1e3", "true"},
         "--max-instructions should be a whole number from 0, but is \"1e3\"");
  expect({"demo", "--crashes", "0"}, "--crashes should be a whole number from 1, but is \"0\"");
  expect({"test", "--build", "/none"}, "/none: no such build folder");
  expect({"completion"}, "ew completion needs a shell: bash, zsh or fish");
  expect({"explain", "sm.coutn"},
         "nothing to explain under \"sm.coutn\" (did you mean \"sm.count\"?); `ew explain` lists the topics");
  expect({"explain", "models", "x"}, "ew explain models takes no further word, but \"x\" follows");
}

TEST_F(Mistakes, AProgramThatCannotStartIsNotAProgramThatFailed) {
  write("junk",
        "\x7f"
        "ELF");
  fs::permissions(folder_ / "junk", fs::perms::owner_exec, fs::perm_options::add);
  const Outcome outcome = ew({"run", "./junk"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.output.find("Exec format error"), std::string::npos) << outcome.output;
}

TEST_F(Mistakes, JsonNamesStatusAndSignal) {
  const Outcome outcome = ew({"run", "--json", "sh", "-c", "kill -9 $$"});
  EXPECT_EQ(outcome.status, 128 + 9);
  const auto json = nlohmann::json::parse(outcome.output, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.output;
  EXPECT_EQ(json["status"], 128 + 9);
}

// `ew explain network` said that it lists the networks, and did not.
TEST_F(Mistakes, ASectionIsExplainedWithItsModelsAndAStatisticByItsName) {
  const std::string coherence = ew({"explain", "coherence"}).output, network = ew({"explain", "network"}).output;
  for (const char* model : {"\n  gpu\n", "\n  none-l1\n", "\n  mesi\n"})
    EXPECT_NE(coherence.find(model), std::string::npos) << coherence;
  for (const char* model : {"\n  crossbar\n", "\n  mesh\n", "\n  ideal\n"})
    EXPECT_NE(network.find(model), std::string::npos) << network;
  EXPECT_EQ(network.find("mesi"), std::string::npos) << network;
  EXPECT_EQ(ew({"explain", "l1.load_hits"}).output,
            "  l1.load_hits # accesses\n      Of them: the words were there.\n");
}

TEST_F(Mistakes, ExplainPtxIsTheLoadersTable) {
  const auto json = nlohmann::json::parse(ew({"explain", "ptx", "--json"}).output, nullptr, false);
  EXPECT_EQ(json.size(), ptx::FormTable::instance().forms().size());
  EXPECT_EQ(ew({"explain", "ptx", "add.rn.f32"}).output,
            "add.rn.f32 is executed: add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32\n");
  EXPECT_EQ(ew({"explain", "ptx", "add.rx.f32"}).output,
            "add.rx.f32 is refused when a module loads; the nearest form that is executed: add.rn.f32\n");
  EXPECT_EQ(ew({"explain", "ptx", "wgmma"}).output,
            "wgmma is refused when a module loads: warp-group matrix multiply is not supported\n");
  expect({"explain", "ptx", "addd"},
         "\"addd\" is no opcode that is executed (did you mean \"add\"?); `ew explain ptx` "
         "lists them");
}

TEST_F(Mistakes, ExplainMachineHasUnitDefaultAndSource) {
  const auto json = nlohmann::json::parse(ew({"explain", "machine", "h100", "--json"}).output, nullptr, false);
  ASSERT_GE(json.size(), 30u);
  for (const auto& field : json) {
    for (const char* part : {"key", "value", "default", "unit", "expected", "sentence", "source"})
      EXPECT_TRUE(field.contains(part)) << field.dump();
    EXPECT_NE(field["sentence"], "") << field.dump();
  }
  EXPECT_NE(ew({"explain", "sm.warps"}).output.find("1 .. 128"), std::string::npos);
}

}  // namespace
}  // namespace ew::cli
