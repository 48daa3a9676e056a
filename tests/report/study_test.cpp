// Studies as files: what is read, and what each mistake is told.
#include "report/study.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "core/configuration.hpp"

namespace ew::report {
namespace {

namespace fs = std::filesystem;

const char* const suite_text = R"(title = "A suite"
figures = ["1"]
[program.gpKVS]
source = "workloads/sbrp/gpkvs.cu"
run = "--pool p {size}"
kernels = ["insert"]
size = { small = "--small" }
[configuration.slow]
from = "fast"
set = ["sm.count=2"]
[configuration.fast]
machine = "sbrp-pm-far"
)";
const char* const study_text = R"(title = "A figure"
source = "a paper"
axis = "speedup"
programs = ["gpKVS"]
[[bar]]
name = "slow"
run = "slow"
over = "fast"
)";
const char* const published_text = "# a paper\nprogram,slow\ngpKVS,0.5\nmean,0.5\n";

class Studies : public testing::Test {
 protected:
  Studies() : folder_(testing::TempDir() + "/ew-studies") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "toy/figure-1");
    write("suite.toml", suite_with_order());
    write("figure-1/study.toml", study_text);
    write("figure-1/published.csv", published_text);
  }
  ~Studies() override { fs::remove_all(folder_); }

  // [configuration.slow] starts from one that must stand above it.
  static std::string suite_with_order() {
    std::string text = suite_text;
    const std::string fast = "[configuration.fast]\nmachine = \"sbrp-pm-far\"\n";
    text.erase(text.find(fast), fast.size());
    return text.insert(text.find("[configuration.slow]"), fast);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / "toy" / name) << text; }
  void replace(const std::string& name, std::string text, const std::string& what, const std::string& with) {
    ASSERT_NE(text.find(what), text.npos) << what;
    write(name, text.replace(text.find(what), what.size(), with));
  }
  std::string mistake() {
    try {
      read_suite(folder_, "toy");
    } catch (const core::UserError& error) {
      return error.what();
    }
    return "none";
  }
  fs::path folder_;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(Studies, AreRead) {
  const Suite suite = read_suite(folder_, "toy");
  ASSERT_EQ(suite.figures.size(), 1u);
  const Figure& figure = suite.figures[0];
  EXPECT_EQ(figure.id, "1");
  EXPECT_EQ(figure.bars[0].label, "slow");
  EXPECT_EQ(figure.configuration("slow").machine, "sbrp-pm-far");
  EXPECT_EQ(figure.configuration("slow").settings, std::vector<std::string>{"sm.count=2"});
  EXPECT_EQ(figure.paper("gpKVS", "slow"), 0.5);
  EXPECT_FALSE(figure.paper("gpKVS", "fast"));
  EXPECT_EQ(suite.programs.at("gpKVS").sizes.at("small"), "--small");
}

TEST_F(Studies, MayStartFromAnother) {
  fs::create_directories(folder_ / "other");
  std::ofstream(folder_ / "other/suite.toml") << "title = \"Another\"\nfrom = \"toy\"\n[configuration.fast]\n"
                                                 "machine = \"sbrp-pm-near\"\n";
  const Suite suite = read_suite(folder_, "other");
  EXPECT_EQ(suite.title, "Another");
  ASSERT_EQ(suite.figures.size(), 1u);
  EXPECT_EQ(suite.figures[0].configuration("fast").machine, "sbrp-pm-near");
  EXPECT_EQ(suite.figures[0].configuration("slow").machine, "sbrp-pm-near");  // starts from the one that is replaced
  EXPECT_EQ(suite.figures[0].configuration("slow").settings, std::vector<std::string>{"sm.count=2"});
  EXPECT_EQ(suite.figures[0].paper("gpKVS", "slow"), 0.5);
}

TEST_F(Studies, MayCountLaunches) {
  EXPECT_FALSE(read_suite(folder_, "toy").figures[0].configuration("slow").count_launches);
  const std::string fast = "machine = \"sbrp-pm-far\"\n";
  replace("suite.toml", suite_with_order(), fast, fast + "count_launches = true\n");
  EXPECT_TRUE(read_suite(folder_, "toy").figures[0].configuration("slow").count_launches) << "it starts from fast";
  replace("suite.toml", suite_with_order(), fast, fast + "count_launches = 1\n");
  EXPECT_SAYS(mistake(), "suite.toml:10: count_launches in [configuration.fast] should be true or false");
}

TEST_F(Studies, MistakesAreNamedWithFileLineAndTheNearestName) {
  replace("figure-1/study.toml", study_text, "axis", "axes");
  EXPECT_SAYS(mistake(), "figure-1/study.toml:3: unknown key in a study \"axes\" (did you mean \"axis\"?)");
  replace("figure-1/study.toml", study_text, "run = \"slow\"", "run = \"slov\"");
  EXPECT_SAYS(mistake(), "figure-1/study.toml:7: unknown configuration \"slov\" (did you mean \"slow\"?)");
  replace("figure-1/study.toml", study_text, "axis", "metric = \"l1.load_mises\"\naxis");
  EXPECT_SAYS(mistake(), "study.toml:3: unknown metric \"l1.load_mises\" (did you mean \"l1.load_misses\"?)");
  replace("figure-1/study.toml", study_text, "[\"gpKVS\"]", "[\"gpkvs\"]");
  EXPECT_SAYS(mistake(), "study.toml:4: unknown program \"gpkvs\" (one of: gpKVS)");
  replace("figure-1/study.toml", study_text, "axis", "phase = \"recovery\"\naxis");
  EXPECT_SAYS(mistake(), "study.toml:5: program gpKVS has no \"recover\" to measure");
  replace("figure-1/study.toml", study_text, "over = \"fast\"", "over = \"fast\"\nvia = \"fast\"");
  EXPECT_SAYS(mistake(), "\"via\" and \"step\" are for bars of quantity \"share\"");
  replace("figure-1/study.toml", study_text, "title = \"A figure\"", "title = ");
  EXPECT_SAYS(mistake(), "study.toml:1: ");
}

TEST_F(Studies, MistakesInTheSuiteToo) {
  write("suite.toml", suite_text);  // slow stands above fast
  EXPECT_SAYS(mistake(), "suite.toml:9: unknown configuration \"fast\"");
  replace("suite.toml", suite_with_order(), "sm.count=2", "sm.cuont=2");
  EXPECT_SAYS(mistake(), "configuration slow: --set sm.cuont=2: ");
  EXPECT_SAYS(mistake(), "did you mean \"count\"?");
  replace("suite.toml", suite_with_order(), "sbrp-pm-far", "sbrp-pm-fra");
  EXPECT_SAYS(mistake(), "did you mean \"sbrp-pm-far\"?");
  replace("suite.toml", suite_with_order(), "gpkvs.cu", "gpkvz.cu");
  EXPECT_SAYS(mistake(), "suite.toml:4: ");
  EXPECT_SAYS(mistake(), "gpkvz.cu: there is no such program");
  replace("suite.toml", suite_with_order(), "{size}", "{sizes}");
  EXPECT_SAYS(mistake(), "suite.toml:5: run may leave open \"{size}\" and nothing else");
  try {
    read_suite(folder_, "toi");
    ADD_FAILURE();
  } catch (const core::UserError& error) {
    EXPECT_STREQ(error.what(), "unknown study \"toi\" (did you mean \"toy\"?)");
  }
}

TEST_F(Studies, PublishedNumbersAreHeldToTheFigure) {
  write("figure-1/published.csv", "program,slo\ngpKVS,0.5\n");
  EXPECT_SAYS(mistake(), "published.csv:1: unknown bar \"slo\" (did you mean \"slow\"?)");
  write("figure-1/published.csv", "program,slow\ngpKVS,fast\n");
  EXPECT_SAYS(mistake(), "published.csv:2: expected a number from 0, found \"fast\"");
  write("figure-1/published.csv", "program,slow\ngpKVS,1,2\n");
  EXPECT_SAYS(mistake(), "published.csv:2: expected 2 cells, found 3");
  const PublishedTable table = read_published("program, a ,b\r\nX,,2\n", "t");
  EXPECT_EQ(table.bars, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(table.values.at("X").count("a"), 0u);
  EXPECT_EQ(table.values.at("X").at("b"), 2);
}

TEST_F(Studies, HaveBarsAndClaims) {
  write("figure-1/claims.csv",
        "id,expression,published,kind,tolerance,text,why\n"
        "1,\"time(gpKVS, slow) / time(gpKVS, fast)\",>1,direction,,t,\n");
  EXPECT_EQ(read_suite(folder_, "toy").figures[0].claims.size(), 1u);
  fs::remove(folder_ / "toy/figure-1/published.csv");
  EXPECT_TRUE(read_suite(folder_, "toy").figures[0].published.empty()) << "claims alone will do";
  write("figure-1/claims.csv",
        "id,expression,published,kind,tolerance,text,why\n"
        "1,\"time(gpKVS, slov)\",>1,direction,,t,\n");
  EXPECT_SAYS(mistake(), "claims.csv:2: unknown bar or configuration \"slov\" (did you mean \"slow\"?)");
  fs::remove(folder_ / "toy/figure-1/claims.csv");
  EXPECT_SAYS(mistake(), "published.csv: cannot read the paper's numbers");
}

const std::string parts_text = R"(metric = "energy.l1 + energy.l2"
quantity = "ratio"
mean = "arithmetic"
[[part]]
label = "L1"
metric = "energy.l1"
[[part]]
label = "L2"
metric = "energy.l2"
[[bar]])";

TEST_F(Studies, PartsAddUpToTheMetric) {
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string parts = parts_text;
    if (!what.empty()) parts.replace(parts.find(what), what.size(), by);
    replace("figure-1/study.toml", study_text, "[[bar]]", parts);
  };
  with("", "");
  const Figure figure = read_suite(folder_, "toy").figures[0];
  EXPECT_EQ(figure.parts.size(), 2u);
  EXPECT_EQ(figure.mean, Mean::arithmetic);
  with("energy.l1 + energy.l2", "energy.l1 + energy.l2 + energy.core");
  EXPECT_SAYS(mistake(), "study.toml:8: the parts do not add up to energy.l1 + energy.l2 + energy.core: energy.core");
  with("metric = \"energy.l2\"\n[[bar]]", "metric = \"energy.*\"\n[[bar]]");
  EXPECT_SAYS(mistake(), "energy.core (too often)");
  with("mean = \"arithmetic\"", "mean = true");
  EXPECT_SAYS(mistake(), "parts of bars do not add up to a geometric mean");
  with("\"energy.l1 + energy.l2\"", "\"time\"");
  EXPECT_SAYS(mistake(), "time has no parts; the issue slots (\"slots.*\") have");
  with("\"ratio\"", "\"speedup\"");
  EXPECT_SAYS(mistake(), "only bars of quantity \"ratio\" or \"absolute\" have parts");
}

TEST_F(Studies, AnAxisRunsEachProgramAtEachValue) {
  const std::string axis = "[x]\nname = \"n\"\nvalues = [1, 2.5, \"many\"]\nwords = \"--n {x}\"\nover = \"1\"\n[[bar]]";
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string text = axis;
    if (!what.empty()) text.replace(text.find(what), what.size(), by);
    replace("figure-1/study.toml", study_text, "[[bar]]", text);
  };
  write("figure-1/published.csv", "program,n,slow\ngpKVS,2.5,0.5\n");
  with("", "");
  const Figure figure = read_suite(folder_, "toy").figures[0];
  EXPECT_EQ(figure.x.values, (std::vector<std::string>{"1", "2.5", "many"}));
  EXPECT_FALSE(figure.x.numeric);
  EXPECT_EQ(figure.configuration("slow", "2.5").words, "--n 2.5");
  EXPECT_EQ(figure.configuration("slow", "2.5").settings, std::vector<std::string>{"sm.count=2"});
  EXPECT_EQ(figure.paper("gpKVS", "slow", "2.5"), 0.5);
  EXPECT_FALSE(figure.paper("gpKVS", "slow", "1"));
  with("words = \"--n {x}\"", "set = [\"sm.warps={x}\"]");
  EXPECT_SAYS(mistake(), "configuration fast at 2.5: --set sm.warps=2.5");
  with("[1, 2.5, \"many\"]", "[1, 2]");
  EXPECT_SAYS(mistake(), "published.csv:2: unknown program \"gpKVS at 2.5\" (did you mean \"gpKVS at 2\"?)");
  with("over = \"1\"", "over = \"3\"");
  const Figure elsewhere = read_suite(folder_, "toy").figures[0];  // `over` at a value that is not shown
  EXPECT_EQ(elsewhere.x.values.size(), 3u);
  EXPECT_EQ(elsewhere.configuration("fast", "3").words, "--n 3");
  with("--n {x}", "--n 1");
  EXPECT_SAYS(mistake(), "[x] should have \"words\" or \"set\" with \"{x}\" where the value stands");
  with("2.5", "1");
  EXPECT_SAYS(mistake(), "a value stands twice on the axis");
}

TEST_F(Studies, SomeValuesOfTheAxisHaveAnotherSizeAndMachine) {
  const std::string axis =
      "[x]\nname = \"n\"\nvalues = [1, 2, 4]\nset = [\"sm.warps={x*8}\"]\n"
      "[[x.at]]\nvalues = [2, 4]\nsize = \"small\"\nset = [\"sm.warps={x*16}\"]\n[[bar]]";
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string text = axis;
    if (!what.empty()) text.replace(text.find(what), what.size(), by);
    replace("figure-1/study.toml", study_text, "[[bar]]", text);
  };
  write("figure-1/published.csv", "program,n,slow\n");
  with("", "");
  const Suite suite = read_suite(folder_, "toy");
  const Figure& figure = suite.figures[0];
  EXPECT_EQ(figure.configuration("fast", "1").size, "");
  EXPECT_EQ(figure.configuration("fast", "4").size, "small");
  EXPECT_EQ(figure.configuration("fast", "4").settings, (std::vector<std::string>{"sm.warps=32", "sm.warps=64"}));
  EXPECT_EQ(suite.size_on(figure.configuration("fast", "4"), suite.size), "small");
  EXPECT_EQ(suite.size_on(figure.configuration("fast", "4"), "tiny"), "tiny") << "--size asks for it";
  with("size = \"small\"", "size = \"smal\"");
  EXPECT_SAYS(mistake(), "unknown size \"smal\" (did you mean \"small\"?)");
  with("[2, 4]\nsize", "[2, 5]\nsize");
  EXPECT_SAYS(mistake(), "unknown value \"5\"");
  with("[[bar]]", "[[x.at]]\nvalues = [4]\n[[bar]]");
  EXPECT_SAYS(mistake(), "4 stands in two [[x.at]]");
  with("size = \"small\"", "sizes = \"small\"");
  EXPECT_SAYS(mistake(), "unknown key in [[x.at]] \"sizes\" (did you mean \"size\"?)");
  with("{x*16}", "{x+16}");
  EXPECT_SAYS(mistake(), "a value stands as {x}, {x*2} or {x/2}, not as \"{x+16}\"");
}

TEST_F(Studies, AProgramMayHaveSettingsAtASize) {
  const auto with = [&](const std::string& line) {
    const std::string program = "[program.gpKVS]\n";
    replace("suite.toml", suite_with_order(), program, program + line + "\n");
  };
  with("set_at = { small = [\"sm.count=3\"] }");
  EXPECT_EQ(read_suite(folder_, "toy").programs.at("gpKVS").settings_at.at("small"),
            std::vector<std::string>{"sm.count=3"});
  with("set_at = { small = [\"sm.cont=3\"] }");
  EXPECT_SAYS(mistake(), "[program.gpKVS]: --set sm.cont=3");
  with("set_at = { small = \"sm.count=3\" }");
  EXPECT_SAYS(mistake(), "small in [program.gpKVS].set_at should be");
  with("set_at = { smal = [\"sm.count=3\"] }");
  EXPECT_SAYS(mistake(), "unknown size \"smal\" (did you mean \"small\"?)");
}

TEST_F(Studies, ValuesOfTheAxisMayBeMultipliedAndKeptOut) {
  EXPECT_EQ(with_value("a={x}, b={x/14}, c={x*3}", "7"), "a=7, b=0.5, c=21");
  const auto with = [&](const std::string& lines) {
    write("figure-1/study.toml", study_text + ("[x]\nname = \"n\"\nvalues = [2, 4]\n" + lines + "\n"));
    write("figure-1/published.csv", "program,n,slow\n");
  };
  with("set = [\"sm.count={x/2}\", \"sm.warps={x*8}\"]");
  const Figure figure = read_suite(folder_, "toy").figures[0];
  EXPECT_EQ(figure.configuration("fast", "4").settings, (std::vector<std::string>{"sm.count=2", "sm.warps=32"}));
  EXPECT_EQ(figure.configuration("slow", "4").settings.back(), "sm.count=2") << "slow's own word is the last";
  for (const char* wrong : {"{x+2}", "{x/}", "{x/0}", "{xy}"}) {
    with("set = [\"sm.count=" + std::string(wrong) + "\"]");
    EXPECT_SAYS(mistake(), "a value stands as {x}, {x*2} or {x/2}, not as \"" + std::string(wrong) + "\"");
  }
  std::string text = study_text + std::string("[x]\nname = \"n\"\nvalues = [2, \"b\"]\nset = [\"sm.count={x/2}\"]\n");
  write("figure-1/study.toml", text);
  EXPECT_SAYS(mistake(), "only numbers can be multiplied or divided");
  replace("figure-1/study.toml", text, "set = [\"sm.count={x/2}\"]\n", "");  // the metric alone has the place
  replace("figure-1/study.toml", study_text + std::string("[x]\nname = \"n\"\nvalues = [2, \"b\"]\n"), "axis",
          "metric = \"printed.rate_{x}\"\naxis");
  EXPECT_EQ(read_suite(folder_, "toy").figures[0].configuration("fast", "b").words, "");
}

TEST_F(Studies, AProgramMayBeAnotherPartOfARun) {
  write("suite.toml", suite_with_order() + "[program.rest]\nsame_run_as = \"gpKVS\"\nkernels = [\"get\"]\n");
  const Suite suite = read_suite(folder_, "toy");
  const Program &rest = suite.programs.at("rest"), &whole = suite.programs.at("gpKVS");
  EXPECT_EQ(rest.run_name, "gpKVS");
  EXPECT_EQ(whole.run_name, "gpKVS");
  EXPECT_EQ(rest.run, whole.run);
  EXPECT_EQ(rest.kernels, std::vector<std::string>{"get"});
  write("suite.toml", suite_with_order() + "[program.rest]\nsame_run_as = \"gpKV\"\n");
  EXPECT_SAYS(mistake(), "unknown program \"gpKV\" (did you mean \"gpKVS\"?)");
  write("suite.toml", suite_with_order() + "[program.rest]\nsame_run_as = \"gpKVS\"\nrun = \"x\"\n");
  EXPECT_SAYS(mistake(), "unknown key in [program.rest] \"run\"");
}

TEST_F(Studies, BarsMayBeComputed) {
  const auto with = [&](const std::string& bar) {
    write("figure-1/study.toml", study_text + ("[[bar]]\nname = \"more\"\n" + bar + "\n"));
    write("figure-1/published.csv", published_text);
  };
  with("value = \"time(program, fast) / (time(program, slow) - range.flush(program, slow))\"");
  const Figure figure = read_suite(folder_, "toy").figures[0];
  EXPECT_TRUE(figure.bars[1].is_computed());
  EXPECT_FALSE(figure.bars[0].is_computed());
  EXPECT_EQ(figure.bars_with_a_machine(), (std::vector<std::string>{"slow"}));
  with("value = \"time(program, more)\"");
  EXPECT_SAYS(mistake(), "study.toml:11: unknown bar or configuration \"more\"");
  with("value = \"time(program, slow)\"\nover = \"fast\"");
  EXPECT_SAYS(mistake(), "a bar with a \"value\" has no \"over\"");
  with("value = \"time(program, slow, recovery)\"");
  EXPECT_SAYS(mistake(), "study.toml:11: program gpKVS has no \"recover\" to measure");
  with("value = \"time(program, slow)\"\n[x]\nname = \"n\"\nvalues = [1]\nwords = \"{x}\"");
  EXPECT_SAYS(mistake(), "stands in a figure without [x]");
}

TEST_F(Studies, SayWhichPartOfThePapersSizeASizeIs) {
  const std::string size = "size = { small = \"--small\" }";
  replace("suite.toml", suite_with_order(), size, size + "\npart = { small = \"1/8\" }\nseconds = { small = 2.5 }");
  const Suite suite = read_suite(folder_, "toy");
  const Program& program = suite.programs.at("gpKVS");
  EXPECT_EQ(program.parts.at("small"), "1/8");
  EXPECT_EQ(Program::part_of(program.parts.at("small")), 0.125);
  EXPECT_EQ(Program::part_of("0.3"), 0.3);
  EXPECT_EQ(program.seconds.at("small"), 2.5);
  for (const char* part : {"1/0", "eighth", "1/8 of it", "-1", "/8"}) {
    replace("suite.toml", suite_with_order(), size, size + "\npart = { small = \"" + part + "\" }");
    EXPECT_SAYS(mistake(), "should be a number or a fraction");
  }
  replace("suite.toml", suite_with_order(), size, size + "\npart = { smal = \"1/8\" }");
  EXPECT_SAYS(mistake(), "unknown size \"smal\" (did you mean \"small\"?)");
  replace("suite.toml", suite_with_order(), "title =", "most_gib = 1.5\ntitle =");
  EXPECT_EQ(read_suite(folder_, "toy").most_memory, u64{3} << 29);
  replace("suite.toml", suite_with_order(), "title =", "most_gib = 0\ntitle =");
  EXPECT_SAYS(mistake(), "a number above 0");
  const std::string other = "\n[program.gpDB]\nsource = \"workloads/gpm/gpdb.cu\"\n" + size;
  replace("suite.toml", "size = \"small\"\n" + suite_with_order(), size, size + "\nmib = { small = 20 }" + other);
  EXPECT_SAYS(mistake(), "should have \"mib.small\", the memory of a run, as [program.gpKVS] has");
  replace("suite.toml", suite_with_order(), "title =", "full = \"toy\"\ntitle =");
  EXPECT_EQ(read_suite(folder_, "toy").full, "toy");
  replace("suite.toml", suite_with_order(), "title =", "full = \"toyy\"\ntitle =");
  EXPECT_SAYS(mistake(), "unknown study \"toyy\" (did you mean \"toy\"?)");
}

TEST_F(Studies, HaveTablesAndConfigurationsWithWords) {
  fs::rename(folder_ / "toy/figure-1", folder_ / "toy/table-4");
  std::string text = suite_with_order();
  text.replace(text.find("\"1\""), 3, "\"table-4\"");
  write("suite.toml", text + "words = \"--quick\"\n");
  const Figure figure = read_suite(folder_, "toy").figures[0];
  EXPECT_EQ(figure.heading(), "Table 4");
  EXPECT_EQ(figure.configuration("slow").words, "--quick");
  EXPECT_EQ(figure.configuration("fast").words, "");
}

TEST_F(Studies, BarsMayHaveWordsAndBeAbsolute) {
  replace("figure-1/study.toml", study_text, "over = \"fast\"", "over = \"fast\"\nwords = \"--local\"");
  Figure figure = read_suite(folder_, "toy").figures[0];
  EXPECT_EQ(figure.configuration(figure.bars[0].run).words, "--local");
  EXPECT_EQ(figure.machine("slow", "").words, "--local") << "claims mean the bar";
  EXPECT_EQ(figure.configuration("slow").words, "");
  std::string text = study_text;
  text.insert(text.find("[[bar]]"), "quantity = \"absolute\"\nmeasure = \"program\"\n");
  write("figure-1/study.toml", text);
  EXPECT_SAYS(mistake(), "study.toml:10: bars of quantity \"absolute\" are over nothing");
  replace("figure-1/study.toml", text, "over = \"fast\"\n", "");
  write("figure-1/published.csv", published_text);
  figure = read_suite(folder_, "toy").figures[0];
  EXPECT_EQ(figure.span, Span::program);
  EXPECT_EQ(figure.mean, Mean::none);
}

TEST_F(Studies, MayMeasureARangeOfTheHost) {
  const auto with = [&](const std::string& lines) {
    std::string text = study_text;
    text.insert(text.find("[[bar]]"), lines);
    write("figure-1/study.toml", text);
  };
  with("measure = \"range\"\nrange = \"recover\"\n");
  const Figure figure = read_suite(folder_, "toy").figures[0];
  EXPECT_EQ(figure.span, Span::range);
  EXPECT_EQ(figure.range, "recover");
  with("measure = \"range\"\n");
  EXPECT_SAYS(mistake(), "a study that measures a range should have \"range\", or program");
  with("range = \"recover\"\n");
  EXPECT_SAYS(mistake(), "a study with a \"range\" has measure = \"range\"");
  with("measure = \"range\"\nrange = \"recover\"\nmetric = \"l1.loads\"\n");
  EXPECT_SAYS(mistake(), "of a range its time is known");
}

// What is committed can be read, and every bar of the paper has its number.
TEST(CommittedStudies, AreWhole) {
  const fs::path studies = core::home_directory() / "studies";
  const std::vector<std::string> names = suite_names(studies);
  EXPECT_EQ(names, (std::vector<std::string>{"bam", "denovo", "gpm", "helper-warps", "helper-warps-full", "sbrp",
                                             "sbrp-artifact", "sbrp-choices"}));
  // The thesis's text has no values of bars: it makes claims, and every figure has some.
  const Suite of_claims = read_suite(studies, "denovo");
  EXPECT_EQ(of_claims.figures.size(), 11u);
  std::size_t claims = 0;
  for (const Figure& figure : of_claims.figures) {
    EXPECT_GT(figure.claims.size(), 0u) << figure.id;
    EXPECT_TRUE(figure.published.empty()) << figure.id;
    claims += figure.claims.size();
  }
  EXPECT_GE(claims, 150u);
  // Of GPM every figure has published bars, and every program says which part of the paper's data is run.
  const Suite gpm = read_suite(studies, "gpm");
  EXPECT_EQ(gpm.figures.size(), 17u);
  EXPECT_EQ(gpm.size, "scaled");
  EXPECT_EQ(gpm.most_memory, u64{8} << 30);
  for (const Figure& figure : gpm.figures) {
    EXPECT_FALSE(figure.published.empty()) << figure.id;
    EXPECT_EQ(figure.claims.empty(), figure.id == "12-link" || figure.id == "table-4-others");
  }
  for (const auto& [name, program] : gpm.programs) {
    EXPECT_TRUE(program.sizes.contains("paper")) << name;
    EXPECT_TRUE(program.seconds.contains("scaled")) << name;
    EXPECT_TRUE(program.works.contains("scaled")) << name;
  }
  // Of BaM each figure has published bars, or claims of the text.
  const Suite bam = read_suite(studies, "bam");
  EXPECT_EQ(bam.figures.size(), 16u);
  for (const Figure& figure : bam.figures) EXPECT_FALSE(figure.published.empty() && figure.claims.empty()) << figure.id;
  // The figures of the helper-warps paper are pictures: its text makes claims.
  const Suite helpers = read_suite(studies, "helper-warps");
  EXPECT_EQ(helpers.figures.size(), 25u);
  std::size_t of_the_text = 0;
  for (const Figure& figure : helpers.figures) of_the_text += figure.claims.size();
  EXPECT_GE(of_the_text, 45u);
  // At the paper's sizes they run on the whole machine, which is another suite.
  EXPECT_EQ(helpers.full, "helper-warps-full");
  const Suite full = read_suite(studies, helpers.full);
  EXPECT_EQ(full.figures.size(), 2u);
  for (const Figure& figure : full.figures)
    for (const std::string& name : figure.programs) {
      EXPECT_TRUE(full.programs.at(name).sizes.contains("paper")) << name;
      EXPECT_TRUE(full.programs.at(name).seconds.contains("paper")) << name;
    }
  for (const std::string name : {"sbrp", "sbrp-artifact", "sbrp-choices"}) {
    const Suite suite = read_suite(studies, name);
    EXPECT_EQ(suite.figures.size(), 8u);
    for (const Figure& figure : suite.figures)
      for (const Bar& bar : figure.bars) {
        for (const std::string& program : figure.programs)
          EXPECT_TRUE(figure.paper(program, bar.name)) << figure.id << program << bar.name;
        EXPECT_EQ(figure.mean != Mean::none, figure.paper("mean", bar.name).has_value()) << figure.id;
      }
  }
}

// docs/results/denovo-bars.md is figures.md of a run: each claim that does not hold there gives the reason of its
// claims.csv.
TEST(CommittedStudies, SayWhyAClaimOfTheThesisDoesNotHold) {
  const Suite suite = read_suite(core::home_directory() / "studies", "denovo");
  std::map<std::string, std::string> why;
  for (const Figure& figure : suite.figures)
    for (const Claim& claim : figure.claims) why[claim.id] = claim.why;
  std::ifstream document(core::home_directory() / "docs/results/denovo-bars.md");
  std::size_t not_held = 0;
  for (std::string row; std::getline(document, row);) {
    if (row.find("| not held") == row.npos) continue;
    ++not_held;
    const std::string id = row.substr(2, row.find(" |", 2) - 2);
    EXPECT_FALSE(row.ends_with("| not held |")) << row;
    EXPECT_FALSE(why[id].empty()) << id;
    EXPECT_TRUE(row.ends_with(why[id] + " |")) << row << "\nclaims.csv says: " << why[id];
  }
  EXPECT_GT(not_held, 0u);
}

}  // namespace
}  // namespace ew::report
