// `ew reproduce` on a study of its own: each run once, what failed is told and the rest goes on, an interrupted one
// resumes, and the page draws its charts in a browser.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/configuration.hpp"
#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

const char* const suite = R"(title = "A toy study"
figures = ["1", "2"]
[program.gpKVS]
source = "workloads/sbrp/gpkvs.cu"
run = "--pool kvs.pool {size}"
kernels = ["insert"]
options = ["-DTOY=1"]
size = { small = "--pairs 512 --batches 2", wrong = "--pairs none" }
[configuration.far]
machine = "sbrp-pm-far"
[configuration.no_l1]
from = "far"
set = ["coherence.protocol=none-l1"]
[configuration.same_as_far]
machine = "sbrp-pm-far"
)";
const char* const study = R"(source = "nowhere"
axis = "speedup"
programs = ["gpKVS"]
[[bar]]
name = "far"
run = "same_as_far"
over = "far"
[[bar]]
name = "no_l1"
run = "no_l1"
over = "far"
)";

class Reproduce : public testing::Test {
 protected:
  Reproduce() : folder_(fs::path(testing::TempDir()) / "ew-reproduce") {
    fs::remove_all(folder_);
    for (const char* figure : {"figure-1", "figure-2"}) {
      fs::create_directories(folder_ / "studies/toy" / figure);
      std::ofstream(folder_ / "studies/toy" / figure / "study.toml") << "title = \"" << figure << "\"\n" << study;
      std::ofstream(folder_ / "studies/toy" / figure / "published.csv")
          << "program,far,no_l1\ngpKVS,1,0.5\nmean,1,0.5\n";
    }
    std::ofstream(folder_ / "studies/toy/suite.toml") << suite;
  }
  ~Reproduce() override { fs::remove_all(folder_); }

  Outcome ew(Words words, Capture capture = Capture::both) {
    words.insert(words.begin(), {EW_PROGRAM, "reproduce", "toy", "--studies", "studies", "--out", "out"});
    return run(words, {.capture = capture, .directory = folder_.string(), .timeout_seconds = 300, .no_input = true});
  }
  std::vector<fs::path> run_directories() const {
    std::vector<fs::path> list;
    for (const auto& entry : fs::directory_iterator(folder_ / "out/runs")) list.push_back(entry.path());
    return list;
  }
  std::string text_of(const fs::path& path) const {
    std::ifstream file(folder_ / path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder_;
};

/// The page as a browser leaves it once its scripts have run.
std::string rendered(const fs::path& page, const fs::path& profile) {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    const auto browser = find_program(name);
    if (!browser) continue;
    return run({*browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--log-level=3",
                "--user-data-dir=" + profile.string(), "--virtual-time-budget=20000", "--dump-dom",
                "file://" + page.string()},
               {.capture = Capture::standard_output, .timeout_seconds = 120, .no_input = true})
        .output;
  }
  return {};
}

TEST_F(Reproduce, SaysHowLongTheFullSizeTakesAndHoldsTheMemoryToItsLimit) {
  std::string text = suite;
  text.replace(text.find("title ="), 0, "size = \"small\"\nmost_gib = 0.001\n");
  const std::string size = "small = \"--pairs 512 --batches 2\",";
  text.replace(text.find(size), size.size(), size + " paper = \"--pairs 512 --batches 4\",");
  text.replace(text.find("[configuration.far]"), 0,
               "part = { small = \"1/2\" }\nseconds = { small = 90 }\nmib = { small = 64 }\n");
  std::ofstream(folder_ / "studies/toy/suite.toml") << text;
  const Outcome full = ew({"--full", "--figure", "1", "-j", "1"});
  EXPECT_EQ(full.status, 0) << "the limit is for the suite's own size; " << full.output;
  EXPECT_NE(full.output.find("2 runs of size paper: about 6 minutes of one core"), std::string::npos) << full.output;
  EXPECT_NE(full.output.find("a run of gpKVS needs the most memory, about 0.1 GiB"), std::string::npos) << full.output;
  std::string large = text;
  large.replace(large.find("small = 64"), 10, "small = 4e9");
  std::ofstream(folder_ / "studies/toy/suite.toml") << large;
  const Outcome refused = ew({"--full", "--figure", "1", "-j", "1"});
  EXPECT_NE(refused.status, 0);
  EXPECT_NE(refused.output.find("a run of gpKVS needs about 7812500.0 GiB of memory"), std::string::npos)
      << refused.output;
  EXPECT_NE(refused.output.find("no program of these fits"), std::string::npos) << refused.output;
  std::ofstream(folder_ / "studies/toy/suite.toml") << text;
  const Outcome outcome = ew({"--figure", "1", "-j", "1"});
  EXPECT_EQ(outcome.status, 1) << "no run fits into a MiB";
  EXPECT_NE(outcome.output.find("FAIL gpKVS-sbrp-pm-far"), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("of memory; the suite allows 0.0"), std::string::npos) << outcome.output;
  EXPECT_NE(ew({"--full", "--size", "small"}).status, 0);
  std::ofstream(folder_ / "studies/toy/figure-2/study.toml") << "title = \"figure-2\"\nshows_part = false\n" << study;
  const std::string &shown = outcome.output, hidden = ew({"--figure", "2", "-j", "1"}).output;
  EXPECT_NE(shown.find("gpKVS, 1/2"), std::string::npos) << shown;
  EXPECT_EQ(hidden.find("gpKVS, 1/2"), std::string::npos) << hidden;
  EXPECT_NE(hidden.find("Figure 2"), std::string::npos) << hidden;
}

TEST_F(Reproduce, RunsEachOnceResumesAndDrawsItsCharts) {
  const Outcome first = ew({"--size", "small", "--json"}, Capture::standard_output);
  ASSERT_EQ(first.status, 0) << first.output;
  const auto json = nlohmann::json::parse(first.output);
  EXPECT_EQ(json["runs"].size(), 2u);  // two figures, three configurations, two machines
  EXPECT_EQ(run_directories().size(), 2u);
  for (const auto& bar : json["figures"][0]["bars"]) {
    ASSERT_TRUE(bar["ours"].is_number()) << bar;
    EXPECT_EQ(bar["ours"] == 1.0, bar["bar"] == "far") << bar;
  }
  for (const auto& row : json["runs"]) EXPECT_GT(row["warp_instructions"], 1000);

  // What is there is taken; what is missing or cut off is made again, with the same result.
  const fs::path kept = run_directories()[0], lost = run_directories()[1];
  const auto written = fs::last_write_time(kept / "env.json");
  const std::string result = text_of("out/figures.csv");
  fs::remove(lost / "stats.json");
  fs::create_directories(folder_ / "out/runs/.part-left-behind");
  EXPECT_EQ(ew({"--size", "small", "--resume"}).status, 0);
  EXPECT_EQ(fs::last_write_time(kept / "env.json"), written);
  EXPECT_TRUE(fs::exists(lost / "stats.json"));
  EXPECT_EQ(run_directories().size(), 2u);
  EXPECT_EQ(text_of("out/figures.csv"), result);

  const std::string page = text_of("out/report.html");
  if (page.find("id=no-charts") != page.npos)
    GTEST_SKIP() << "no Chart.js: the report has no charts\n" << page.substr(page.find("id=no-charts"), 300);
  const std::string dom = rendered(folder_ / "out/report.html", folder_ / "profile");
  if (dom.empty()) GTEST_SKIP() << "no Chromium here (Debian: apt-get install chromium): the charts were not looked at";
  EXPECT_NE(dom.find("data-drawn=\"2\" data-failed=\"\""), dom.npos) << dom.substr(0, 3000);
  // Each figure: two bars, of the program and of the mean, the paper's and ours.
  EXPECT_NE(dom.find("data-elements=\"16\""), dom.npos) << dom.substr(0, 3000);
}

TEST_F(Reproduce, ValuesOfTheAxisMayHaveAnotherSizeAndAProgramSettingsAtASize) {
  std::string text = suite;
  const std::string sizes = "size = { ";
  text.replace(text.find(sizes), sizes.size(),
               "set_at = { base = [\"sm.warps=40\"], small = [\"sm.warps=48\"] }\n"
               "part = { base = \"1/8\", small = \"1/4\" }\nsize = { base = \"--pairs 256 --batches 2\", ");
  text.replace(text.find("figures = [\"1\", \"2\"]"), 20, "figures = [\"1\"]\nsize = \"base\"");
  std::ofstream(folder_ / "studies/toy/suite.toml") << text;
  const auto figure = [&](const char* size) {
    std::ofstream(folder_ / "studies/toy/figure-1/study.toml")
        << "title = \"sizes\"\nsource = \"nowhere\"\naxis = \"time\"\nquantity = \"absolute\"\nmean = false\n"
           "programs = [\"gpKVS\"]\n[x]\nname = \"latency\"\nvalues = [300, 400]\nset = [\"nvm.latency={x}\"]\n"
           "[[x.at]]\nvalues = [400]\nsize = \""
        << size << "\"\nset = [\"nvm.latency={x*2}\"]\n[[bar]]\nname = \"far\"\nrun = \"same_as_far\"\n";
    std::ofstream(folder_ / "studies/toy/figure-1/published.csv") << "program,latency,far\n";
  };
  figure("smal");
  EXPECT_NE(ew({}).output.find("study.toml:13: unknown size \"smal\" (did you mean \"small\"?)"), std::string::npos);
  figure("small");
  const auto runs = [&](const Words& words) {
    const Outcome outcome = ew(words);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    std::map<std::string, std::string> machines;  // by size
    for (const fs::path& run : run_directories()) {
      const auto env = nlohmann::json::parse(text_of(run / "env.json"));
      std::string settings;
      for (const auto& setting : env["set"]) settings += setting.get<std::string>() + " ";
      machines[env["size"]] = settings;
    }
    return std::pair(machines, outcome.output);
  };
  const auto [own, output] = runs({});
  EXPECT_EQ(own.at("base"), "sm.warps=40 nvm.latency=300 ");
  EXPECT_EQ(own.at("small"), "sm.warps=48 nvm.latency=400 nvm.latency=800 ");
  EXPECT_NE(output.find("gpKVS, 1/8"), std::string::npos);
  EXPECT_NE(output.find("gpKVS, 1/4"), std::string::npos);
  EXPECT_NE(ew({"--resume"}).output.find("2 runs in"), std::string::npos);
  fs::remove_all(folder_ / "out");
  const auto [small, again] = runs({"--size", "small"});
  EXPECT_EQ(small.size(), 1u) << "--size comes before [[x.at]]";
  EXPECT_EQ(again.find("1/8"), std::string::npos);
}

TEST_F(Reproduce, EverySeedIsARunOfItsOwnAndBarsShowTheRange) {
  const Outcome outcome =
      ew({"--size", "small", "--seeds", "3", "--set", "host_link.bandwidth=8", "--json"}, Capture::standard_output);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const auto json = nlohmann::json::parse(outcome.output);
  EXPECT_EQ(json["seeds"], (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(json["runs"].size(), 6u);
  for (const auto& row : json["runs"]) {
    EXPECT_EQ(row["set"].back(), "host_link.bandwidth=8");
    EXPECT_EQ(row["options"], std::vector<std::string>{"-DTOY=1"});
  }
  EXPECT_NE(text_of("out/runs.csv").find(",settings,options,words,seed,"), std::string::npos);
  EXPECT_NE(text_of("out/runs.csv").find(",-DTOY=1,--pool kvs.pool --pairs 512 --batches 2,0,"), std::string::npos);
  for (const auto& bar : json["figures"][0]["bars"]) EXPECT_EQ(bar["by_seed"].size(), 3u) << bar;
  const auto& none = json["figures"][0]["bars"][1];
  EXPECT_NE(none["by_seed"][1], none["by_seed"][2]);
  EXPECT_NE(text_of("out/report.html").find("over the seeds"), std::string::npos);
}

TEST_F(Reproduce, AFailingRunIsToldWithItsCommandAndTheRestGoesOn) {
  const Outcome outcome = ew({"--size", "wrong"});
  EXPECT_EQ(outcome.status, 1) << outcome.output;
  EXPECT_NE(outcome.output.find("FAIL gpKVS on far ended with status "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("ew run --machine sbrp-pm-far -- "), std::string::npos) << outcome.output;
  EXPECT_NE(outcome.output.find("FAIL: 2 runs failed"), std::string::npos) << outcome.output;
  EXPECT_TRUE(run_directories().empty());
  EXPECT_NE(text_of("out/report.html").find("2 runs failed"), std::string::npos);
}

// The table had "-" for it, without a word, and the status was 0.
TEST_F(Reproduce, ANameThatNoRunHasIsToldWithTheNearestOne) {
  std::ofstream(folder_ / "ranges.cu") << R"(#include <cstring>
#include <nvtx3/nvToolsExt.h>
#include HEADER
__global__ void write_copy() {}
int main(int count, char** words) {
  nvtxRangePushA(count > 2 ? words[2] : "batch");
  write_copy<<<1, 32>>>();
  const bool good = cudaDeviceSynchronize() == cudaSuccess;
  nvtxRangePop();
  return good && strcmp(words[count - 1], "fail") ? 0 : 1;
}
)";
  const auto says = [&](const std::string& names, const std::string& how, const std::string& sentence, int status = 2,
                        const std::string& words = "once other") {
    std::ofstream(folder_ / "studies/toy/suite.toml")
        << "title = \"Ranges\"\nfigures = [\"1\"]\n[program.HIST]\nsource = \"" << (folder_ / "ranges.cu").string()
        << "\"\noptions = [\"-Iworkloads/gpm\", \"-DHEADER=<gpmbench.h>\"]\nprepare = \"{size}\"\nrecover = \"again "
           "recovery\"\nsize = { paper = \"\" }\n"
        << names << "[configuration.a]\nmachine = \"titan-rtx\"\n[configuration.b]\nfrom = \"a\"\n"
        << "words = \"" << words << "\"\n";
    std::ofstream(folder_ / "studies/toy/figure-1/study.toml")
        << "title = \"1\"\nsource = \"nowhere\"\naxis = \"ns\"\nquantity = \"absolute\"\nprograms = [\"HIST\"]\n"
        << how << "[[bar]]\nname = \"a\"\nrun = \"a\"\n[[bar]]\nname = \"b\"\nrun = \"b\"\n";
    std::ofstream(folder_ / "studies/toy/figure-1/published.csv") << "program,a,b\n";
    const Outcome outcome = ew({"--resume"});
    EXPECT_EQ(outcome.status, status) << outcome.output;
    if (sentence.empty())
      EXPECT_EQ(outcome.output.find("no run"), std::string::npos) << outcome.output;
    else
      EXPECT_NE(outcome.output.find("FAIL " + sentence + "\n"), std::string::npos) << outcome.output;
    return text_of("out/report.html");
  };
  const std::string range = "measure = \"range\"\n", sentence = "no run of HIST has a range \"bathc\" ";
  const std::string page = says("range = \"bathc\"\n", range, sentence + "(did you mean \"batch\"?)");
  for (const char* text : {"<li>no run of HIST has a range", "Measured: time of the range &quot;bathc&quot;.",
                           "<td><code>once other</code></td>", "--size paper --studies studies</code>"})
    EXPECT_NE(page.find(text), page.npos) << text;
  says("", range + "range = \"bathc\"\n", sentence + "(did you mean \"batch\"?)");
  says("", "metric = \"range.recovery\"\n", "no run of HIST has a range \"recovery\" (there are: batch, other)");
  says("kernels = [\"writecopy\"]\n", "", "no run of HIST has a kernel \"writecopy\" (did you mean \"write_copy\"?)");
  says("recovery_range = \"recoverry\"\n", range + "phase = \"recovery\"\n",
       "no recovery of HIST has a range \"recoverry\" (did you mean \"recovery\"?)");
  says("range = \"other\"\n", range, "", 0);  // one of the two runs has it
  says("range = \"bathc\"\n", range, "", 1, "once fail");
}

/// Its report spoke of a paper, and told the verdict on its claims twice.
TEST_F(Reproduce, AStudyOfOnesOwnHasClaimsAndNoPaper) {
  std::string text = suite;
  const std::string sizes = "size = { ";
  text.replace(text.find(sizes), sizes.size(), "size = { paper = \"--pairs 256 --batches 2\", ");
  std::ofstream(folder_ / "studies/toy/suite.toml") << text;
  fs::remove(folder_ / "studies/toy/figure-1/published.csv");
  std::ofstream(folder_ / "studies/toy/figure-1/claims.csv")
      << "id,expression,published,kind,tolerance,text,why\n1,\"time(gpKVS, far)\",>0,direction,,it takes time,\n";
  const Outcome small = ew({"--figure", "1", "--size", "small"});
  EXPECT_NE(small.output.find("Size small: nothing is scored. Claims are judged at another size (--size paper)."),
            std::string::npos)
      << small.output;
  EXPECT_EQ(text_of("out/report.html").find("at full size"), std::string::npos);
  const Outcome whole = ew({"--figure", "1"});
  EXPECT_EQ(whole.status, 0);
  const auto held = whole.output.find("claims: 1 of 1 held");
  ASSERT_NE(held, std::string::npos) << whole.output;
  EXPECT_EQ(whole.output.find("claims: 1 of 1 held", held + 1), std::string::npos) << whole.output;
}

TEST_F(Reproduce, MistakesAreStatusTwoAndOneSentence) {
  const auto says = [&](const Words& words, const std::string& sentence) {
    const Outcome outcome = ew(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_NE(outcome.output.find(sentence), std::string::npos) << outcome.output;
  };
  says({"--figure", "3"}, "unknown figure \"3\" (did you mean \"1\"?)");
  says({"--size", "small", "--set", "host_link.bandwith=8"},
       "unknown key in [host_link] \"bandwith\" (did you mean \"bandwidth\"?)");
  says({"--program", "gpKV"}, "unknown program \"gpKV\" (did you mean \"gpKVS\"?)");
  says({"--size", "smal"}, "program gpKVS has no size \"smal\" (did you mean \"small\"?); its sizes are small, wrong");
  std::ofstream(folder_ / "studies/toy/suite.toml", std::ios::app) << "[configuration.far2]\nmachin = \"x\"\n";
  says({}, "suite.toml:17: unknown key in [configuration.far2] \"machin\" (did you mean \"machine\"?)");
  EXPECT_EQ(run({EW_PROGRAM, "reproduce", "--set", "sm.warps=16", "sbrp", "--list"}, {.capture = Capture::both}).status,
            0);
  const Outcome unknown = run({EW_PROGRAM, "reproduce", "sbrq"}, {.capture = Capture::both});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.output.find("unknown study \"sbrq\""), std::string::npos) << unknown.output;
}

}  // namespace
}  // namespace ew::cli
