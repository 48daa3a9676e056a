// `ew litmus`: its table, its statuses, its replays.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "coherence/models.hpp"
#include "persistency/models.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class LitmusCommandTest : public testing::Test {
 protected:
  LitmusCommandTest() : folder_(testing::TempDir() + "/ew-litmus") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~LitmusCommandTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  Outcome ew(Words words) {
    words.insert(words.begin(), {EW_PROGRAM, "litmus"});
    return run(words,
               {.capture = Capture::both, .directory = folder_.string(), .timeout_seconds = 60, .no_input = true});
  }
  fs::path folder_;
};

const char* const message_passing =
    "test MP ptx\nT0@b0: st x 1 ; st.rel.dev y 1\nT1@b1: ld.acq.dev r y ; ld s x\n"
    "expect final T1:r==1 && T1:s==0 :: ptx=F\nexpect final T1:r==1 && T1:s==1 :: ptx=A\n";

TEST_F(LitmusCommandTest, JudgesAndRuns) {
  write("a.glt", message_passing);
  const Outcome outcome = ew({"a.glt", "--seeds", "40"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("MP    T1:r == 1 && T1:s == 0  ptx    forbidden  forbidden     0  ok"),
            std::string::npos)
      << outcome.output;
  EXPECT_NE(
      outcome.output.find("1 tests, 2 questions, 0 that the axioms answer otherwise; 40 runs: 0 ended as is forbidden"),
      std::string::npos)
      << outcome.output;
}

TEST_F(LitmusCommandTest, AWrongRowFailsWithStatusOne) {
  write("a.glt", std::string(message_passing) + "expect final T1:r==0 :: ptx=F\n");
  const Outcome outcome = ew({"a.glt", "--axioms"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.output.find("FAIL MP: T1:r == 0 is allowed by the axioms of ptx"), std::string::npos)
      << outcome.output;
}

TEST_F(LitmusCommandTest, ASeedOfTheHistogramRepeats) {
  write("a.glt", message_passing);
  const auto json = nlohmann::json::parse(ew({"a.glt", "--json", "--seeds", "60"}).output);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["runs"], 60);
  ASSERT_GE(json[0]["states"].size(), 2u);
  for (const auto& state : json[0]["states"]) {
    const auto again = nlohmann::json::parse(
        ew({"a.glt", "--json", "--seeds", "1", "--seed", std::to_string(state["first_seed"].get<int>())}).output);
    ASSERT_EQ(again[0]["states"].size(), 1u);
    EXPECT_EQ(again[0]["states"][0]["state"], state["state"]);
  }
}

TEST_F(LitmusCommandTest, TheDefaultMachineShowsWhatTheCommittedTestsSay) {
  for (const char* protocol : {"gpu", "mesi", "none-l1"}) {
    const Outcome outcome =
        ew({EW_LITMUS "/ptx.glt", "--protocol", protocol, "--filter", "^(SB|R|MP[+]rlx.flag|MP[+]rel[+]acq.dev)$"});
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("0 ended as is forbidden"), std::string::npos) << outcome.output;
  }
}

/// The same seeds show weak ends of most of these without it.
TEST_F(LitmusCommandTest, SequentialConsistencyShowsNothingWeakUnderAnyProtocol) {
  for (const char* protocol : {"gpu", "mesi", "none-l1"})
    for (const bool strict : {true, false}) {
      const Outcome outcome =
          ew({EW_LITMUS "/ptx.glt", "--protocol", protocol, "--filter", "^(MP|SB|LB|2[+]2W|R|S|IRIW)$", "--seeds", "60",
              "--json", "--set", strict ? "consistency.model=sc" : "consistency.model=ptx"});
      ASSERT_EQ(outcome.status, 0) << outcome.output;
      const auto tests = nlohmann::json::parse(outcome.output);
      ASSERT_EQ(tests.size(), 7u);
      unsigned weak = 0;
      for (const auto& test : tests) weak += test["weak_runs"].get<unsigned>();
      EXPECT_EQ(weak == 0, strict) << protocol << ": " << weak;
    }
}

TEST_F(LitmusCommandTest, AMachineIsHeldToTheAxiomsOfItsConsistencyModel) {
  write("a.glt",
        "test SB ptx\nT0@b0: st.rlx.dev x 1 ; ld.rlx.dev r y\nT1@b1: st.rlx.dev y 1 ; ld.rlx.dev r x\n"
        "expect final T0:r==0 && T1:r==0 :: ptx=A hrf=F\nexpect shown gpu\n");
  const Outcome outcome = ew({"a.glt", "--protocol", "gpu", "--set", "consistency.model=drf0", "--seeds", "200"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;  // what ptx must show is nobody's business here
  for (const char* part : {"ptx    allowed    allowed       -  ok\n", "hrf    forbidden  forbidden     -  ok\n",
                           "drf0   forbidden  -             0  ok\n", "1 tests, 3 questions"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\nin\n" << outcome.output;
  write("a.glt",
        "test SB ptx\nT0@b0: st x 1 ; ld r y\nT1@b1: st y 1 ; ld r x\n"
        "expect final T0:r==0 && T1:r==0 :: drf0=A\nexpect shown gpu under drf0\n");
  EXPECT_EQ(ew({"a.glt", "--protocol", "gpu", "--set", "consistency.model=drf0"}).status, 0);
  write("a.glt", "test A ptx\nT0@b0: st x 1\nexpect final x==1 :: ptx=A hrf=F\n");
  const Outcome wrong = ew({"a.glt", "--axioms"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.output.find("FAIL A: x == 1 is allowed by the axioms of hrf"), std::string::npos) << wrong.output;
}

const char* const scope_bug =
    "test P pm\npm A B\nT0@b0: st A 1 ; prel.blk f 1\nT1@b1: pawait.blk r f ==1 ; st B 1\n"
    "expect crash B==1 && A==0 :: sbrp=A sbrp-sys=F strict=F\nexpect images sbrp=4 strict=3\n";

TEST_F(LitmusCommandTest, PersistencyTestsAreJudgedWithEveryModel) {
  write("p.glt", scope_bug);
  const Outcome outcome = ew({"p.glt", "--witness"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  // A column for each model of the table, whatever it answers.
  std::string answers;
  for (std::size_t i = 0; i < persistency::all_axioms().size(); ++i)
    answers += persistency::all_axioms()[i]->litmus ? " +[(]?[AF][)]?" : "";
  for (const std::string& pattern :
       {"P +B == 1 && A == 0" + answers + " +scope +A3 +ok\n",
        std::string(
            "p.glt:5: P: B == 1 && A == 0 under .*sbrp, sbrp-lit.*: allowed [(]A[)]\n    a crash leaves A=0 B=1:\n")})
    EXPECT_TRUE(std::regex_search(outcome.output, std::regex(pattern))) << pattern << "\nin\n" << outcome.output;
  for (const char* part :
       {"line 3    T0: st A 1              lost\n", "line 4    T1: st B 1              durable\n",
        "no pmo edge from \"T0: st A 1\" to \"T1: st B 1\"; the scopes of \"T0: prel.blk f 1\" and "
        "\"T1: pawait.blk r f ==1\" do not hold both threads",
        "\"T0: st A 1\" is before \"T1: st B 1\": [Inter] through \"T0: prel.blk f 1\"",
        "  A3    a pRel is visible only when", "1 persistency tests, 1 executions: 5 of 5 answers agree\n"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\nin\n" << outcome.output;
  const auto json = nlohmann::json::parse(ew({"p.glt", "--json"}).output)[0]["persistency"];
  const auto& row = json["crashes"][0];
  EXPECT_EQ(row["class"], "scope");
  EXPECT_EQ(row["readings"][0]["id"], "A3");
  EXPECT_EQ(row["models"]["sbrp"]["found"], "A");
  EXPECT_EQ(row["models"]["sbrp"]["witness"]["steps"][0]["fate"], "lost");
  EXPECT_EQ(row["models"]["strict"]["obstacle"]["image"], "A=0 B=1");
  EXPECT_EQ(json["images"][0]["models"]["sbrp"]["found"], 4);
}

TEST_F(LitmusCommandTest, AMachineThatPromisesNothingIsNamedWithOneThatDoes) {
  write("p.glt", scope_bug);
  const auto warned = [&](const Words& words) {
    Words all{"p.glt", "--seeds", "1"};
    all.insert(all.end(), words.begin(), words.end());
    return ew(all).output.find(" orders nothing on it; -m sbrp-pm-near names") != std::string::npos;
  };
  EXPECT_TRUE(warned({"--persistency", "sbrp"}));
  EXPECT_FALSE(warned({"--persistency", "none"})) << "it promises nothing anywhere";
  EXPECT_FALSE(warned({"--persistency", "sbrp", "--machine", "sbrp-pm-near"}));
  EXPECT_FALSE(warned({"--persistency", "sbrp", "--set", "nvm.eadr=true"}));
}

TEST_F(LitmusCommandTest, CrashesOfAMachineAreJudgedToo) {
  write("p.glt", scope_bug);
  const Outcome outcome = ew({"p.glt", "--machine", "sbrp-pm-near", "--persistency", "gpm", "--seeds", "20"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find("crashes of 20 runs: 0 forbidden images\n"), std::string::npos) << outcome.output;
  const auto json = nlohmann::json::parse(
      ew({"p.glt", "--machine", "sbrp-pm-near", "--persistency", "gpm", "--seeds", "20", "--json"}).output);
  const auto& runs = json[0]["persistency"]["runs"];
  EXPECT_EQ(runs["axioms"], "gpm");
  EXPECT_EQ(runs["allowed"], 3);
  EXPECT_GE(runs["shown"], 2);
  EXPECT_TRUE(runs["forbidden"].empty());
}

TEST_F(LitmusCommandTest, AWrongPersistencyRowIsNamedWithItsLine) {
  write("p.glt", std::string(scope_bug) + "expect crash A==0 :: epoch=F\nexpect images epoch=7\n");
  const Outcome outcome = ew({"p.glt"});
  EXPECT_EQ(outcome.status, 1);
  for (const char* part : {"FAIL p.glt:7: P: A == 0 under epoch: expected forbidden (F), found allowed (A)\n",
                           "FAIL p.glt:8: P: images under epoch: expected 7, found 3\n", "5 of 7 answers agree"})
    EXPECT_NE(outcome.output.find(part), std::string::npos) << part << "\nin\n" << outcome.output;
}

// Its number did not reach the machine.
TEST_F(LitmusCommandTest, MaxInstructionsEndsARun) {
  write("a.glt", "test W ptx\nT0: await.rlx r x ==1\nT1: st.rlx x 1 ; st.rlx x 2\nexpect final x==2 :: ptx=A\n");
  const Outcome outcome = ew({"a.glt", "--max-instructions", "777", "--seeds", "50"});
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_NE(outcome.output.find(" wait for ever, as they may\n"), std::string::npos) << outcome.output;
  write("b.glt", "test W ptx\nT0: await.rlx r x ==1\nT1: add.rlx _ x 1\nexpect final x==1 :: ptx=A\n");
  const Outcome short_of = ew({"b.glt", "--max-instructions", "20", "--seeds", "20"});
  EXPECT_EQ(short_of.status, 1) << short_of.output;
  EXPECT_NE(short_of.output.find("limit reached: 20 warp instructions"), std::string::npos) << short_of.output;
}

TEST_F(LitmusCommandTest, MistakesAreStatusTwoAndOneSentence) {
  write("a.glt", message_passing);
  write("bad.glt", "test A ptx\nT0: sst x 1\n");
  write("drf.glt", "test A drf\nT0: st X 1\nexpect drf0=legal\n");
  write("volatile.glt", "test A pm\npm X\nT0: st X 1 ; st f 1\nexpect crash f==1 :: sbrp=A\n");
  write("register.glt", "test A pm\npm X\nT0: ld r X\nexpect crash T0:r==1 :: sbrp=A\n");
  write("empty.glt", "");
  write("endless.glt", "# waits\ntest B ptx\nT0: await.rlx r x ==1\nT1: await.rlx r y ==1 ; st x 1\n");
  const std::pair<Words, std::string> mistakes[] = {
      {{}, "ew litmus needs a file: ew litmus litmus/ptx.glt; `ew litmus --help` has examples"},
      {{"none.glt"}, "cannot read none.glt: No such file or directory"},
      {{"."}, "cannot read .: it is a folder"},
      {{"bad.glt"}, "bad.glt:2: expected a statement, found \"sst\" (did you mean \"st\"?)"},
      {{"empty.glt"}, "there is no test in these files"},
      {{"endless.glt"},
       "endless.glt:2: B has no final state: in every execution that the axioms allow, some thread waits for ever"},
      {{"a.glt", "--filter", "Z"}, "no test's name matches --filter"},
      {{"a.glt", "--filter", "("}, "--filter ( is no regular expression"},
      {{"drf.glt"}, "1 of 1 tests are left out: tests of kind drf are read, but not executed yet"},
      {{"volatile.glt"}, "volatile.glt:4: f is volatile: a crash leaves the locations behind pm, and outputs"},
      {{"register.glt"}, "register.glt:4: T0:r is a register: a crash leaves persistent locations and outputs"},
      {{"a.glt", "--protocol", "mess"},
       fmt::format("--protocol mess: there is functional, {} (did you mean \"mesi\"?)",
                   fmt::join(coherence::names(), ", "))},
      {{"a.glt", "--persistency", "srbp"},
       fmt::format("--persistency srbp: there is {} (did you mean \"sbrp\"?)", fmt::join(persistency::names(), ", "))},
      {{"a.glt", "--persistency", "sbrp", "--set", "nvm.attach=none"},
       "this machine has no non-volatile memory (nvm.attach is \"none\")"},
      {{"a.glt", "--seeds", "x"}, "--seeds should be a whole number from 0, but is \"x\""},
  };
  for (const auto& [words, sentence] : mistakes) {
    const Outcome outcome = ew(words);
    EXPECT_EQ(outcome.status, 2) << sentence;
    EXPECT_EQ(outcome.output, "ew: " + sentence + "\n");
  }
}

}  // namespace
}  // namespace ew::cli
