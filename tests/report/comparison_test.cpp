// Bars from runs: the arithmetic of each quantity, means, and the claims that are held or broken.
#include "report/comparison.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "report/html_report.hpp"

namespace ew::report {
namespace {

namespace fs = std::filesystem;

/// A suite of two programs on machines a, b and c, and run directories made by hand.
class Comparison : public testing::Test {
 protected:
  Comparison() : folder_(testing::TempDir() + "/ew-comparison") {
    fs::remove_all(folder_);
    for (const char* name : {"P", "Q"}) suite_.programs[name].name = name;
    suite_.title = "A <suite>";
    figure_.id = "1";
    figure_.metric = Metric::time();
    figure_.programs = {"P", "Q"};
    for (const char* name : {"a", "b", "c"}) figure_.configurations[name].name = name;
  }
  ~Comparison() override { fs::remove_all(folder_); }

  void add_run(const std::string& program, const std::string& configuration, double nanoseconds, double misses = 0,
               u64 seed = 0) {
    const fs::path directory = folder_ / name_of(program, configuration, seed);
    fs::create_directories(directory);
    nlohmann::json kernels = nlohmann::json::array();
    // Two kernels that count and one that does not.
    for (const auto& [name, part] : {std::pair("_Z4workPi", 0.25), {"_Z4workPi", 0.75}, {"_Z5setupv", 9.0}})
      kernels.push_back({{"kernel", name},
                         {"nanoseconds_begin", 1000},
                         {"nanoseconds_end", 1000 + part * nanoseconds},
                         {"timing", {{"l1.load_misses", part * misses}, {"l1.stores", 3 * part}}}});
    std::ofstream(directory / "stats.json") << nlohmann::json{{"warp_instructions", 5}, {"kernels", kernels}};
    std::ofstream(directory / "env.json") << nlohmann::json{{"wall_seconds", 2.5}, {"command", "ew run & <x>"}};
    std::ofstream(directory / "resolved.toml") << "[sm]\n";
    runs_.push_back(*FinishedRun::read(directory));
    suite_.programs[program].kernels = {"work"};
  }
  void add_bar(Bar bar, double p, double q) {
    figure_.published["P"][bar.name] = p;
    figure_.published["Q"][bar.name] = q;
    bar.label = bar.name;
    figure_.bars.push_back(std::move(bar));
  }
  ComparedFigure compared(const std::vector<std::string>& programs = {"P", "Q"}, const std::vector<u64>& seeds = {0}) {
    const auto find = [&](const Program& program, const Configuration& configuration, Phase, u64 seed) {
      const FinishedRun* found = nullptr;
      for (const FinishedRun& run : runs_)
        if (run.directory().filename() == name_of(program.name, configuration.name, seed)) found = &run;
      return found;
    };
    return compare(suite_, figure_, programs, seeds, find);
  }
  static std::string name_of(const std::string& program, const std::string& configuration, u64 seed) {
    return program + configuration + (seed ? std::to_string(seed) : "");
  }
  static double ours(const ComparedFigure& figure, const std::string& program, const std::string& bar) {
    return figure.find(program, bar)->ours.value();
  }

  Suite suite_;
  Figure figure_;
  std::vector<FinishedRun> runs_;
  fs::path folder_;
};

TEST_F(Comparison, SpeedupsAndTheirMean) {
  add_run("P", "a", 100), add_run("P", "b", 50), add_run("Q", "a", 100), add_run("Q", "b", 12.5);
  figure_.published["mean"]["b"] = 5;
  add_bar({"b", "", "b", "a", ""}, 2, 8);
  const ComparedFigure result = compared();
  EXPECT_DOUBLE_EQ(ours(result, "P", "b"), 2);
  EXPECT_DOUBLE_EQ(ours(result, "Q", "b"), 8);
  EXPECT_DOUBLE_EQ(ours(result, "mean", "b"), 4);
  EXPECT_DOUBLE_EQ(*result.find("mean", "b")->difference, -20);
  EXPECT_EQ(result.find("P", "b")->runs, (std::vector<std::string>{"Pb", "Pa"}));
  EXPECT_EQ(compared({"P"}).find("mean", "b"), nullptr);  // not of all its programs
}

TEST_F(Comparison, ALaunchCountsWhereItsMachineSaysSo) {
  add_run("P", "a", 100), add_run("P", "b", 50);
  std::ofstream(runs_[0].directory() / "resolved.toml") << "[launch]\nlatency = 10\n";  // of each of two kernels
  std::ofstream(runs_[1].directory() / "resolved.toml") << "[launch]\nlatency = 5\n";
  figure_.configurations["a"].count_launches = figure_.configurations["b"].count_launches = true;
  add_bar({"b", "", "b", "a", ""}, 2, 8);
  EXPECT_DOUBLE_EQ(ours(compared({"P"}), "P", "b"), 120.0 / 60);
  figure_.metric = Metric::read("l1.load_misses", {});
  figure_.quantity = Quantity::ratio;
  add_run("Q", "a", 1, 8), add_run("Q", "b", 1, 2);
  EXPECT_DOUBLE_EQ(ours(compared({"Q"}), "Q", "b"), 0.25) << "a time, not a statistic";
}

TEST_F(Comparison, RatiosOfAStatistic) {
  figure_.metric = Metric::read("l1.load_misses", {});
  figure_.quantity = Quantity::ratio;
  add_run("P", "a", 1, 8), add_run("P", "b", 1, 2), add_run("Q", "a", 1, 0), add_run("Q", "b", 1, 1);
  add_bar({"b", "", "b", "a", ""}, 0.25, 1);
  const ComparedFigure result = compared();
  EXPECT_DOUBLE_EQ(ours(result, "P", "b"), 0.25);
  EXPECT_FALSE(result.find("Q", "b")->ours);  // over nothing
  EXPECT_FALSE(result.find("mean", "b")->ours);
}

TEST_F(Comparison, SharesOfWhatTwoStepsSave) {
  figure_.quantity = Quantity::share;
  add_run("P", "a", 100), add_run("P", "b", 80), add_run("P", "c", 20);
  add_run("Q", "a", 100), add_run("Q", "b", 120), add_run("Q", "c", 90);  // the first step costs
  add_bar({"first", "", "c", "a", "b", Step::first}, 25, 0);
  add_bar({"second", "", "c", "a", "b", Step::second}, 75, 100);
  const ComparedFigure result = compared();
  EXPECT_DOUBLE_EQ(ours(result, "P", "first"), 25);
  EXPECT_DOUBLE_EQ(ours(result, "P", "second"), 75);
  EXPECT_DOUBLE_EQ(ours(result, "Q", "first"), 0);
  EXPECT_DOUBLE_EQ(ours(result, "Q", "second"), 100);
  EXPECT_EQ(result.direction.claims, 0u);
  EXPECT_EQ(result.order.held, 2u);
}

TEST_F(Comparison, ClaimsAreHeldOrBroken) {
  add_run("P", "a", 100), add_run("P", "b", 50), add_run("P", "c", 40);
  add_bar({"a", "", "a", "a", ""}, 1, 1);    // the normal one claims nothing of itself
  add_bar({"b", "", "b", "a", ""}, 1.5, 1);  // holds: faster than a
  add_bar({"c", "", "c", "a", ""}, 0.5, 1);  // broken: slower than a, and than b
  const ComparedFigure result = compared({"P"});
  EXPECT_EQ(result.direction.claims, 2u);
  EXPECT_EQ(result.direction.held, 1u);
  EXPECT_EQ(result.direction.broken, std::vector<std::string>{"P, c: 0.500 in the paper, 2.500 here"});
  EXPECT_EQ(result.order.claims, 3u);
  EXPECT_EQ(result.order.held, 1u);
  Reproduction reproduction;
  reproduction.suite = &suite_;
  reproduction.figures.push_back(result);
  const std::string order =
      "more than 5 % apart: 1 of 3 (P 1 of 3). The others:\n\n- P, a and c: 1.000 and 0.500 in the paper, "
      "1.000 and 2.500 here\n- P, b and c: ";
  EXPECT_NE(figures_markdown(reproduction).find(order), std::string::npos) << figures_markdown(reproduction);
  reproduction.provenance.size = "small";
  EXPECT_EQ(figures_markdown(reproduction).find("apart"), std::string::npos) << "small runs are not judged";
  figure_.published["P"] = {{"a", 1}, {"b", 1.04}, {"c", 1.02}};  // too near each other to be a claim
  EXPECT_EQ(compared({"P"}).order.claims + compared({"P"}).direction.claims, 0u);
}

TEST_F(Comparison, SeedsAreComparedEachWithItselfAndAClaimNeedsThemAll) {
  add_run("P", "a", 100), add_run("P", "b", 50), add_run("P", "c", 200);
  add_run("P", "a", 10, 0, 1), add_run("P", "b", 20, 0, 1), add_run("P", "c", 20, 0, 1);
  add_bar({"a", "", "a", "a", ""}, 1, 1);
  add_bar({"b", "", "b", "a", ""}, 1.5, 1);  // 2, then 0.5
  add_bar({"c", "", "c", "a", ""}, 0.5, 1);  // 0.5 under both
  figure_.programs = {"P"};
  const ComparedFigure result = compared({"P"}, {0, 1});
  const ComparedBar& b = *result.find("P", "b");
  EXPECT_EQ(b.by_seed, (std::vector<double>{2, 0.5}));
  EXPECT_DOUBLE_EQ(*b.ours, 1);
  EXPECT_EQ(b.low(), 0.5);
  EXPECT_EQ(b.high(), 2);
  EXPECT_EQ(b.runs, (std::vector<std::string>{"Pb", "Pa", "Pb1", "Pa1"}));
  EXPECT_EQ(range_text(figure_, b), "0.500 to 2.000");
  EXPECT_DOUBLE_EQ(*result.find("mean", "b")->ours, 1);
  EXPECT_EQ(result.direction.claims, 2u);
  EXPECT_EQ(result.direction.held, 1u);
  EXPECT_TRUE(result.direction.broken.empty());
  EXPECT_EQ(result.direction.undecided,
            std::vector<std::string>{"P, b: 1.500 in the paper, 1.000 here: holds under 1 of 2 seeds"});
  EXPECT_EQ(result.order.claims, 3u);
  EXPECT_EQ(result.order.held, 1u);                            // c below a
  EXPECT_EQ(result.order.undecided.size(), 2u);                // b above a, and above c
  EXPECT_FALSE(compared({"P"}, {0, 2}).find("P", "b")->ours);  // nothing was run with seed 2
}

TEST_F(Comparison, PartsAddUpToTheirBarAndToTheMean) {
  figure_.metric = Metric::read("l1.load_misses + l1.stores", {});
  figure_.parts = {{"misses", Metric::read("l1.load_misses", {})}, {"stores", Metric::read("l1.stores", {})}};
  figure_.quantity = Quantity::ratio;
  figure_.mean = Mean::arithmetic;
  for (const u64 seed : {0, 1}) {
    add_run("P", "a", 1, 8, seed), add_run("P", "b", 1, 2, seed);
    add_run("Q", "a", 1, 4, seed), add_run("Q", "b", 1, 4 + 4 * static_cast<double>(seed), seed);
  }
  add_bar({"b", "", "b", "a", ""}, 1, 1);
  const ComparedFigure result = compared({"P", "Q"}, {0, 1});
  const ComparedBar &p = *result.find("P", "b"), &q = *result.find("Q", "b"), &mean = *result.find("mean", "b");
  EXPECT_DOUBLE_EQ(*p.ours, (2.0 + 3) / (8 + 3));  // three stores everywhere
  ASSERT_EQ(p.parts.size(), 2u);
  EXPECT_DOUBLE_EQ(p.parts[0], 2.0 / 11);
  EXPECT_DOUBLE_EQ(p.parts[1], 3.0 / 11);
  EXPECT_DOUBLE_EQ(q.parts[0] + q.parts[1], *q.ours);
  EXPECT_DOUBLE_EQ(mean.by_seed[1], (5.0 / 11 + 11.0 / 7) / 2) << "arithmetic";
  EXPECT_DOUBLE_EQ(mean.parts[0] + mean.parts[1], *mean.ours);
  Reproduction reproduction;
  reproduction.suite = &suite_;
  reproduction.figures.push_back(compared({"P"}, {0}));
  EXPECT_EQ(parts_csv(reproduction),
            "figure,program,x,bar,part,ours\n1,P,,b,misses,0.181818\n1,P,,b,stores,0.272727\n");
  EXPECT_EQ(to_json(reproduction)["figures"][0]["bars"][0]["parts"]["stores"], 3.0 / 11);
  const auto chart = chart_of(result)["panels"][0];  // per program two stacks, and a gap
  EXPECT_EQ(chart["stacked"], true);
  EXPECT_EQ(chart["sets"][0]["label"], "misses");
  ASSERT_EQ(chart["sets"][0]["values"].size(), chart["labels"].size());
}

/// The toy figure over an axis of 1 and 2.
class Series : public Comparison {
 protected:
  Series() {
    figure_.quantity = Quantity::ratio;
    figure_.x.name = figure_.x.label = "n";
    figure_.x.values = {"1", "2"};
    figure_.x.over = "1";
    for (const char* x : {"1", "2"}) {
      const std::string name = Figure::configuration_at("a", x);
      figure_.configurations[name].name = name;
    }
    add_run("P", "a at 1", 100), add_run("P", "a at 2", 150), add_run("Q", "a at 1", 10), add_run("Q", "a at 2", 10);
    figure_.bars.push_back({"a", "a", "a", "a", ""});
  }
};

TEST_F(Series, AreOverTheirFirstPlace) {
  figure_.published[Figure::row_name("P", "2")]["a"] = 2;
  figure_.mean = Mean::arithmetic;
  const ComparedFigure result = compared();
  EXPECT_DOUBLE_EQ(*result.find("P", "a", "1")->ours, 1);
  EXPECT_DOUBLE_EQ(*result.find("P", "a", "2")->ours, 1.5);
  EXPECT_DOUBLE_EQ(*result.find("P", "a", "2")->difference, -25);
  EXPECT_DOUBLE_EQ(*result.find("mean", "a", "2")->ours, 1.25);
  ASSERT_EQ(result.rows().size(), 6u);
  EXPECT_EQ(result.rows()[1].x, "2");
  const auto panels = chart_of(result)["panels"];  // P, Q, the mean
  ASSERT_EQ(panels.size(), 3u);
  EXPECT_EQ(panels[0]["type"], "line");
  EXPECT_EQ(panels[0]["sets"][0]["source"], "paper");
  EXPECT_EQ(panels[0]["sets"][0]["values"].dump(), "[null,2.0]");
  EXPECT_EQ(panels[0]["sets"][1]["values"].dump(), "[1.0,1.5]");
  Reproduction reproduction;
  reproduction.suite = &suite_;
  reproduction.figures.push_back(result);
  EXPECT_NE(figures_csv(reproduction).find("1,P,2,a,2,1.5,"), std::string::npos) << figures_csv(reproduction);
  EXPECT_NE(figures_markdown(reproduction).find("| P | 2 | 1.500 (2.000) |\n"), std::string::npos)
      << figures_markdown(reproduction);
  figure_.x.over.clear();
  EXPECT_DOUBLE_EQ(*compared().find("P", "a", "2")->ours, 1) << "over itself at the same place";
}

TEST_F(Series, MayBeAbsolute) {
  figure_.quantity = Quantity::absolute;
  figure_.bars[0].over.clear();
  const ComparedFigure result = compared({"P"});
  EXPECT_DOUBLE_EQ(*result.find("P", "a", "2")->ours, 150);
  EXPECT_EQ(value_text(figure_, 150.0), "150");
}

TEST_F(Series, AreWhereClaimsFindTheirNumbers) {
  const ClaimNames names{{"P", "Q"}, {"a"}, {}, figure_.metric, "n", {"1", "2"}};
  figure_.claims = read_claims(
      "id,expression,published,kind,tolerance,text,why\n"
      "1,\"time(P, a, n=2) / time(P, a, n=1)\",1.4,value,0.2,\"P, <slow>\",\n"
      "2,\"mean(p in programs, value(p, a, n=2))\",<10,direction,,Q,\n"
      "3,,,value,,R,no such <machine>\n",
      "claims.csv", names);
  const ComparedFigure result = compared();
  EXPECT_EQ(result.claims[0].verdict, Verdict::held);
  EXPECT_EQ(result.claims[1].verdict, Verdict::broken);
  EXPECT_EQ(result.claims[2].verdict, Verdict::not_judged);
  EXPECT_EQ(claims_sentence({&result}), "claims: 1 of 3 held, 1 not held, 1 not judged");
  runs_.pop_back();  // Q at 2
  EXPECT_EQ(compared().claims[1].verdict, Verdict::unmeasured);
  Reproduction reproduction;
  reproduction.suite = &suite_;
  reproduction.figures.push_back(result);
  const std::string csv = claims_csv(reproduction), page = html_report(reproduction, {"", "none"});
  EXPECT_NE(csv.find("1,1,held,1.5,1.5,1.5,1.4,0.2,value,\"time(P, a, n=2) / time(P, a, n=1)\",\"P, <slow>\",\n"),
            csv.npos)
      << csv;
  EXPECT_NE(csv.find("1,3,not judged,,,,,,value,,R,no such <machine>\n"), csv.npos) << csv;
  EXPECT_NE(page.find("P, &lt;slow&gt;"), page.npos);
  EXPECT_NE(page.find("no such &lt;machine&gt;"), page.npos);
  EXPECT_NE(page.find("claims: 1 of 3 held"), page.npos);
  EXPECT_EQ(to_json(reproduction)["figures"][0]["claims"][0]["verdict"], "held");
  EXPECT_NE(figures_markdown(reproduction).find("| 1 | P, <slow> | 1.4 ± 0.2 | 1.500 | held |\n"), std::string::npos);
}

TEST_F(Comparison, MeasuresTheWholeProgramOrItsCopies) {
  add_run("P", "a", 100);
  std::ofstream(runs_[0].directory() / "stats.json")
      << R"({"warp_instructions": 5, "simulated_nanoseconds": 700, "time": {"copies_nanoseconds": 300}, "kernels": [],
             "timing": {"l1.loads": 9}, "outside_kernels": {"copies": {"l1.loads": 2}}})";
  const FinishedRun run = *FinishedRun::read(runs_[0].directory());
  EXPECT_EQ(run.measure(Metric::time(), Span::program, {}), 700);
  EXPECT_EQ(run.measure(Metric::time(), Span::copies, {}), 300);
  const Metric loads = Metric::read("l1.loads", {}), stores = Metric::read("l1.stores", {});
  EXPECT_EQ(run.measure(loads, Span::program, {}), 9);
  EXPECT_EQ(run.measure(loads, Span::copies, {}), 2);
  EXPECT_EQ(run.measure(stores, Span::copies, {}), 0) << "what is 0 is left out there";
  EXPECT_FALSE(run.measure(loads, Span::kernels, {})) << "there was none";
}

TEST_F(Comparison, MeasuresARangeOfTheHost) {
  add_run("P", "a", 100), add_run("P", "b", 100);
  const auto write = [&](std::size_t run, const char* more) {
    std::ofstream(runs_[run].directory() / "stats.json") << R"({"warp_instructions": 5, "kernels": [], "ranges": [
               {"range": "set up", "nanoseconds_begin": 0, "nanoseconds_end": 40},
               {"range": "recover", "nanoseconds_begin": 50, "nanoseconds_end": 60},
               {"range": "recover", "nanoseconds_begin": 100, "nanoseconds_end": )"
                                                         << more << "}";
    runs_[run] = *FinishedRun::read(runs_[run].directory());
  };
  write(0, "130}]");
  write(1, "110}]");
  EXPECT_EQ(runs_[0].range_time("recover"), 40);
  EXPECT_EQ(runs_[0].range_time("set up"), 40);
  EXPECT_FALSE(runs_[0].range_time("recoverr"));
  figure_.span = Span::range;
  figure_.range = "recover";
  add_bar({"b", "", "b", "a", ""}, 2, 8);
  EXPECT_EQ(compared({"P"}).find("P", "b")->ours, 2) << "40 ns over 20 ns";
  write(1, "110}], \"ranges_left_out\": 1");
  EXPECT_FALSE(compared({"P"}).find("P", "b")->ours) << "some have no row";
}

TEST_F(Comparison, ComputesABarFromTheMachinesOfOthers) {
  add_run("P", "a", 100), add_run("P", "b", 50), add_run("Q", "a", 60), add_run("Q", "b", 30);
  add_bar({"b", "", "b", "a", ""}, 2, 8);
  Bar bar;
  bar.name = "sum";
  ClaimNames names{{"P", "Q"}, {"b"}, {"a"}, Metric::time(), {}, {}, true};
  bar.value = ClaimExpression::read("(time(program, a) + time(program, b)) / time(Q, b)", names, {});
  add_bar(bar, 4, 3);
  const ComparedFigure result = compared();
  EXPECT_DOUBLE_EQ(ours(result, "P", "sum"), 5);
  EXPECT_DOUBLE_EQ(ours(result, "Q", "sum"), 3);
  EXPECT_DOUBLE_EQ(*result.find("P", "sum")->difference, 25);
  EXPECT_EQ(result.find("P", "sum")->runs, (std::vector<std::string>{"Pa", "Pb", "Qb"}));
  EXPECT_EQ(result.direction.claims, 4u) << "a computed bar is not what all are normalised to";
}

TEST_F(Comparison, TakesNumbersThatTheProgramPrints) {
  add_run("P", "a", 100), add_run("Q", "a", 100);
  for (std::size_t run : {0, 1})
    std::ofstream(runs_[run].directory() / "output.txt")
        << "hello\nfigure rate 1\nfigure rate 2.5e3\nfigure ring_7 12\nfigure work.ring_7 34\nfigure\nfigure rate x\n";
  figure_.quantity = Quantity::absolute;
  figure_.metric = Metric::read("printed.rate", {});
  Bar bar{"a", "", "a", "", ""};
  add_bar(bar, 1, 1);
  EXPECT_DOUBLE_EQ(ours(compared(), "P", "a"), 2500) << "the last one";
  figure_.metric = Metric::read("printed.ring_7", {});
  EXPECT_DOUBLE_EQ(ours(compared(), "P", "a"), 34) << "the kernel's own";
  suite_.programs["Q"].kernels.clear();
  EXPECT_DOUBLE_EQ(ours(compared(), "Q", "a"), 12) << "that of all";
  figure_.metric = Metric::read("printed.rates", {});
  EXPECT_FALSE(compared().find("P", "a")->ours);
}

TEST_F(Comparison, KnowsTheOperationsOfARunsSize) {
  add_run("P", "a", 100);
  std::ofstream(runs_[0].directory() / "env.json") << R"({"size": "small"})";
  runs_[0] = *FinishedRun::read(runs_[0].directory());
  Bar bar;
  bar.name = "throughput";
  bar.value =
      ClaimExpression::read("operations(program, a) / time(program, a)", {{"P"}, {}, {"a"}, {}, {}, {}, true}, {});
  add_bar(bar, 1, 1);
  EXPECT_FALSE(compared({"P"}).find("P", "throughput")->ours);
  suite_.programs["P"].operations["small"] = 25;
  EXPECT_DOUBLE_EQ(ours(compared({"P"}), "P", "throughput"), 0.25);
}

TEST_F(Comparison, SaysTheSizeAtEachValueOfTheAxis) {
  figure_.x.name = "n";
  figure_.x.values = {"1", "2", "4"};
  ComparedFigure compared;
  compared.figure = &figure_;
  compared.parts = {{"P at 1", "1"}, {"P at 2", "1/4"}, {"P at 4", "1"}};
  EXPECT_EQ(compared.label("P", "1"), "P, full size");
  EXPECT_EQ(compared.label("P", "2"), "P, 1/4");
  EXPECT_EQ(compared.label("P"), "P, full size or 1/4");
  EXPECT_EQ(compared.label("Q"), "Q");
}

TEST_F(Comparison, SaysTheSizeAndWhichRunTookTooMuchMemory) {
  add_run("P", "a", 100), add_run("P", "b", 50);
  add_bar({"b", "", "b", "a", ""}, 2, 8);
  Reproduction reproduction{
      .suite = &suite_, .provenance = {}, .figures = {compared({"P"})}, .runs = runs_, .failures = {}};
  EXPECT_NE(figures_markdown(reproduction).find("| P |"), std::string::npos);
  reproduction.figures[0].parts["P"] = "1/8";
  EXPECT_NE(figures_markdown(reproduction).find("| P, 1/8 |"), std::string::npos);
  std::ofstream(runs_[1].directory() / "env.json") << R"({"peak_bytes": 3000000000, "command": "ew run x"})";
  reproduction.runs[1] = *FinishedRun::read(runs_[1].directory());
  EXPECT_TRUE(too_large(reproduction).empty()) << "the suite has no limit";
  suite_.most_memory = u64{3} << 30;
  EXPECT_TRUE(too_large(reproduction).empty());
  suite_.most_memory = u64{2} << 30;
  EXPECT_EQ(too_large(reproduction),
            (std::vector<std::string>{"Pb took 2.8 GiB of memory; the suite allows 2.0: ew run x"}));
  suite_.size = "scaled";
  EXPECT_TRUE(too_large(reproduction).empty()) << "the runs are of size paper";
}

TEST_F(Comparison, AMissingRunOrKernelIsNoNumber) {
  add_run("P", "a", 100), add_run("P", "b", 50), add_run("Q", "a", 100);
  add_bar({"b", "", "b", "a", ""}, 2, 8);
  EXPECT_FALSE(compared().find("Q", "b")->ours);
  EXPECT_FALSE(compared().find("mean", "b")->ours);
  suite_.programs["P"].kernels = {"work", "wrok"};
  EXPECT_FALSE(compared().find("P", "b")->ours);
  // The table had "-", and nobody said why.
  Reproduction result{.suite = &suite_, .provenance = {}, .figures = {compared()}, .runs = runs_, .failures = {}};
  EXPECT_EQ(unknown_names(result),
            std::vector<std::string>{"no run of P has a kernel \"wrok\" (did you mean \"work\"?)"});
  suite_.programs["P"].kernels = {"insert"};
  result.figures = {compared()};
  EXPECT_EQ(unknown_names(result),
            std::vector<std::string>{"no run of P has a kernel \"insert\" (there are: setup, work)"});
  suite_.programs["P"].run_name = "P";
  result.figures = {compared()}, result.failures.push_back({"P", "c", "ew run", "", ""});
  EXPECT_EQ(unknown_names(result), std::vector<std::string>()) << "the run that failed might have it";
}

TEST_F(Comparison, ARunDirectoryIsCompleteOrAbsent) {
  add_run("P", "a", 100);
  const fs::path directory = runs_[0].directory();
  EXPECT_EQ(runs_[0].warp_instructions(), 5u);
  EXPECT_EQ(runs_[0].wall_seconds(), 2.5);
  std::ofstream(directory / "stats.json") << "{\"warp_instructions\": 5";  // cut off
  EXPECT_FALSE(FinishedRun::read(directory));
  EXPECT_FALSE(FinishedRun::read(directory / "nowhere"));
}

TEST_F(Comparison, ThePageSaysEverythingAndEscapesIt) {
  add_run("P", "a", 100), add_run("P", "b", 50);
  add_bar({"b", "", "b", "a", ""}, 1.5, 8);
  Reproduction reproduction;
  reproduction.suite = &suite_;
  reproduction.figures.push_back(compared({"P"}));
  reproduction.runs = runs_;
  reproduction.failures.push_back({"Q", "a", "ew run q", "ended with status 3", "says <no>"});
  const std::string without = html_report(reproduction, {"", "Chart.js is missing."});
  EXPECT_NE(without.find("The charts are not drawn: Chart.js is missing."), without.npos);
  EXPECT_EQ(without.find("<script"), without.npos);
  EXPECT_NE(without.find("A &lt;suite&gt;"), without.npos);
  EXPECT_NE(without.find("ew run &amp; &lt;x&gt;"), without.npos);
  EXPECT_NE(without.find("says &lt;no&gt;"), without.npos);
  EXPECT_NE(without.find(">1.500</td><td class=number>2.000</td><td class=number>+33.3</td>"), without.npos);
  const std::string with = html_report(reproduction, {"var a = '</script>';", ""});
  EXPECT_NE(with.find("var a = '<\\/script>';"), with.npos);
  EXPECT_EQ(with.find("id=no-charts"), with.npos);
  EXPECT_NE(figures_csv(reproduction).find("1,P,,b,1.5,2,2,2,33.3333,%,Pb Pa\n"), std::string::npos);
  EXPECT_NE(figures_markdown(reproduction).find("| P | 2.000 (1.500) |\n"), std::string::npos)
      << figures_markdown(reproduction);
}

TEST_F(Comparison, ASmallSizeIsNotScoredAndRunsHaveTheNamesOfTheirConfigurations) {
  add_run("P", "a", 100), add_run("P", "b", 50);
  add_bar({"b", "", "b", "a", ""}, 1.5, 8);
  Reproduction reproduction;
  reproduction.suite = &suite_;
  reproduction.figures.push_back(compared({"P"}));
  reproduction.runs = runs_;
  reproduction.provenance.size = "small";
  const std::string small = html_report(reproduction, {"", "none"});
  EXPECT_NE(small.find(">1.500</td><td class=number>2.000</td><td class=runs>"), small.npos) << small;
  EXPECT_NE(small.find("paper, at full size</th>"), small.npos);
  EXPECT_EQ(small.find("difference"), small.npos);
  EXPECT_EQ(small.find("means: here"), small.npos);  // Q was not run
  EXPECT_NE(small.find("<tr id=\"Pa\"><td>P on a</td>"), small.npos);
  EXPECT_NE(small.find("P on b: resolved machine"), small.npos);

  add_run("Q", "a", 100), add_run("Q", "b", 25);
  reproduction.figures = {compared()};
  EXPECT_NE(html_report(reproduction, {"", "none"}).find("means: here"), std::string::npos);
}

TEST(ShortKernelName, IsTheFunctionsOwn) {
  EXPECT_EQ(short_kernel_name("_ZN12_GLOBAL__N_16insertENS_5StoreEPKNS_7RequestEjjj"), "insert");
  EXPECT_EQ(short_kernel_name("_ZN11recoverable9set_stateEPNS_6HeaderEm"), "set_state");
  EXPECT_EQ(short_kernel_name("_Z4workIiEvPT_"), "work");
  EXPECT_EQ(short_kernel_name("plain"), "plain");
}

}  // namespace
}  // namespace ew::report
