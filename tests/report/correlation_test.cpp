// Published rows, measured files, and what becomes of them beside figures of a machine.
#include "report/correlation.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.hpp"

namespace ew::report {
namespace {

const std::string heading = "machine,device,quantity,value,unit,conditions,figure,per,use,note,source,locator\n";

/// Of a machine of 2 GHz, 500 GB/s, 10 SMs and 20 slices.
const MachineScale scale{2, 500, 10, 20};
const Figures figures{{"latency", {110, "cycles"}}, {"stream", {400, "GB/s"}}, {"l2", {1000, "bytes/cycle"}},
                      {"launch", {1500, "ns"}},     {"knee", {96, "KiB"}},     {"knee_16", {96, "KiB"}},
                      {"knee_near", {96, "KiB"}}};

std::vector<SiliconRow> rows_of(const std::string& lines) {
  return read_published_rows(heading + lines, "rows.csv");
}

Correlation correlated(const std::string& lines) {
  return correlate("m", rows_of(lines), figures, scale);
}

std::string mistake_of(const std::string& lines) {
  try {
    correlated(lines);
  } catch (const core::UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(Correlation, each_row_is_compared_in_its_own_unit) {
  const Correlation result = correlated(
      "m,d,same,100,cycles,,latency,,test,,s,l\n"
      "m,d,cycles as time,50,ns,,latency,,test,,s,l\n"
      "m,d,time,1,us,,launch,,test,,s,l\n"
      "m,d,time as cycles,2000,cycles,,launch,,test,,s,l\n"
      "m,d,rate,1,TB/s,,l2,,test,,s,l\n"
      "m,d,rate a clock,500,B/clk,,l2,,test,,s,l\n"
      "m,d,size,98304,B,,knee,,test,,s,l\n"
      "m,d,part of its peak,800,GB/s,,stream,1000 GB/s,test,,s,l\n"
      "m,d,part of its peak,800,GiB/s,,stream,1000 GB/s,test,,s,l\n"
      "m,d,an SM,80,GB/s,,stream,4 SMs,test,,s,l\n"
      "m,d,a slice,640,B/clk,,l2,16 slices,test,,s,l\n"
      "other,d,same,1,cycles,,latency,,test,,s,l\n");
  const double ours[] = {110, 55, 1.5, 3000, 2, 1000, 98304, 0.8, 0.8, 40, 50};
  const double silicon[] = {100, 50, 1, 2000, 1, 500, 98304, 0.8, 0.8 * 1.073741824, 20, 40};
  ASSERT_EQ(result.rows.size(), std::size(ours));
  for (std::size_t i = 0; i < std::size(ours); ++i) {
    EXPECT_NEAR(result.rows[i].ours, ours[i], 1e-9 * ours[i]) << result.rows[i].row.quantity;
    EXPECT_NEAR(result.rows[i].silicon, silicon[i], 1e-9 * silicon[i]) << result.rows[i].row.quantity;
  }
  EXPECT_NEAR(result.rows[0].difference(), 10, 1e-9);
  EXPECT_NEAR(result.rows[9].difference(), 100, 1e-9);
}

TEST(Correlation, a_mean_over_test_leaves_out_what_the_machine_was_set_from) {
  const Correlation result = correlated(
      "m,d,q,100,cycles,,latency,,test,,s,l\n"  // +10 %
      "m,d,q,220,cycles,,latency,,test,,s,l\n"  // -50 %
      "m,d,q,110,cycles,,latency,,set,,s,l\n"   // 0
      "m,d,q,1,cycles,,latency,,out,wrong,s,l\n");
  EXPECT_EQ(result.count(), 3U);
  EXPECT_EQ(result.count(Use::test), 2U);
  EXPECT_NEAR(*result.mean_error(Use::test), 30, 1e-9);
  EXPECT_NEAR(*result.mean_error(), 20, 1e-9);
  ASSERT_EQ(result.left_out.size(), 1U);
  EXPECT_EQ(result.left_out[0].note, "wrong");
  EXPECT_FALSE(correlated("").mean_error().has_value());
  EXPECT_EQ(mean_sentence(correlated("")), "No published measurement of this board can be compared.");
}

TEST(Correlation, a_figure_is_untold_where_no_row_of_use_set_has_it) {
  const Correlation untold = correlated(
                                 "m,d,q,100,cycles,,latency,,test,,s,l\n"
                                 "m,d,q,110,cycles,,latency,,set,,s,l\n"
                                 "m,d,q,88,KiB,,knee,,set,,s,l\n"
                                 "m,d,q,88,KiB,,knee_16,,test,,s,l\n"
                                 "m,d,q,88,KiB,,knee_near,,test,,s,l\n"
                                 "m,d,other board,1000,ns,,launch,,test,,s,l\n")
                                 .only_untold();
  ASSERT_EQ(untold.count(), 1U);
  EXPECT_EQ(untold.rows[0].row.figure, "launch");
  EXPECT_NEAR(*untold.mean_error(), 50, 1e-9);
}

TEST(Correlation, mistakes_in_rows_are_told_with_their_line) {
  EXPECT_EQ(mistake_of("m,d,q,1,cycles,,latency,,tests,,s,l\n"),
            "rows.csv:2: use: expected set, test or out, found \"tests\" (did you mean \"test\"?)");
  EXPECT_EQ(mistake_of("m,d,q,fast,cycles,,latency,,test,,s,l\n"),
            "rows.csv:2: value: expected a number above 0, found \"fast\"");
  EXPECT_EQ(mistake_of("m,d,q,inf,cycles,,latency,,test,,s,l\n"),
            "rows.csv:2: value: expected a number above 0, found \"inf\"");
  EXPECT_EQ(mistake_of("m,d,q,1,cycles,,latensy,,test,,s,l\n"),
            "d, \"q\": figure: the microbenchmarks print no \"latensy\" (did you mean \"latency\"?)");
  EXPECT_EQ(mistake_of("m,d,q,1,cycles,,latency,,test,,,\n"),
            "rows.csv:2: a row needs a source and a locator: where the value can be read");
  EXPECT_EQ(mistake_of("m,d,q,1,cycles,,,,out,,s,l\n"),
            "rows.csv:2: a row that is not compared (use: out) needs a note that says why");
  EXPECT_EQ(mistake_of("m,d,q,1,cycles\n"), "rows.csv:2: expected 12 cells, found 5");
  EXPECT_EQ(mistake_of("m,d,q,1,GB/s,,latency,,test,,s,l\n"),
            "d, \"q\": latency has the unit cycles, which cannot be told in GB/s");
  EXPECT_EQ(mistake_of("m,d,q,1,GB/s,,stream,624 GB,test,,s,l\n"),
            "d, \"q\": per: expected a peak as \"624 GB/s\" or a number as \"114 SMs\" or \"48 slices\", found "
            "\"624 GB\"");
  EXPECT_THROW(read_published_rows("machine,value\n", "rows.csv"), core::UserError);
}

TEST(Correlation, the_page_and_the_plot_have_every_row) {
  const std::vector<Correlation> all{
      correlated("m,board,first,100,cycles,,latency,,test,,A source,place-1\n"
                 "m,board,second,1,us,,launch,,set,a note,A source,place-2\n"
                 "m,board,third,1,cycles,,latency,,out,not like ours,B source,place-3\n")};
  const std::string page = markdown_of(all, "plot.svg");
  for (const char* part :
       {"| first | board | latency | cycles | 100 | 110 | +10.0 % | test | 1 |",
        "| second | board | launch | us | 1 | 1.5 | +50.0 % | set | 1 |", "- second, board, 1 us: a note.",
        "| third | board | 1 cycles | not like ours | 2 |", "| m | 1 | 10.0 % | 1 | 10.0 % | 2 | 30.0 % |", "![",
        "(plot.svg)", "1. A source\n   - `place-1`\n   - `place-2`\n2. B source\n"})
    EXPECT_NE(page.find(part), std::string::npos) << part << "\n" << page;
  const std::string plot = scatter_plot(all);
  // From 1 to 1000 over 560 points: 100 lies at two thirds.
  EXPECT_NE(plot.find("cx=\"443.3\""), std::string::npos) << plot;
  std::size_t points = 0;
  for (auto at = plot.find("<title>"); at != plot.npos; at = plot.find("<title>", at + 1)) ++points;
  EXPECT_EQ(points, 2U);
  const auto json = to_json(all);
  EXPECT_NEAR(json["machines"][0]["mean_error_percent"]["test"].get<double>(), 10, 1e-9);
  EXPECT_EQ(json["machines"][0]["left_out"][0]["why"], "not like ours");
}

TEST(Correlation, numbers_have_four_digits) {
  EXPECT_EQ(number_text(0.76639), "0.7664");
  EXPECT_EQ(number_text(32), "32");
  EXPECT_EQ(number_text(188.04), "188");
  EXPECT_EQ(number_text(1305.4), "1305");
  EXPECT_EQ(number_text(62976), "62976");
  EXPECT_EQ(number_text(0), "0");
}

TEST(Correlation, a_measured_file_is_read_and_its_mistakes_are_told) {
  const std::string device =
      R"({"format": 1, "device": {"name": "GPU", "driver": "1", "cuda": "12", "sm_clock_mhz": "1410"},)";
  const SiliconMeasurement measured = read_measurement(
      device + R"( "groups": ["g"], "set": ["latency"], "figures": {"latency": {"value": 100, "unit": "cycles"}},
      "programs": {"bfs": {"kernel_ns": 200, "launches": 3}}})",
      "m.json");
  const Correlation result =
      correlate("m", measured, "m.json", {{"latency", {110, "cycles"}}, {"more", {1, "ns"}}}, {{"bfs", {100, 3}}});
  ASSERT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.rows[0].row.use, Use::set);
  EXPECT_NEAR(result.rows[1].difference(), -50, 1e-9);
  EXPECT_EQ(result.missing, std::vector<std::string>{"more"});
  // A difference of two times may be below 0.
  const SiliconMeasurement fence =
      read_measurement(device + R"("figures": {"fence": {"value": -0.1, "unit": "cycles"}}})", "m.json");
  EXPECT_EQ(correlate("m", fence, "m.json", {{"fence", {3, "cycles"}}}, {}).missing, std::vector<std::string>{"fence"});
  const std::string page = markdown_of({result}, "");
  EXPECT_TRUE(page.starts_with("# GPU beside m\n")) << page;
  EXPECT_NE(page.find("the measurement: GPU, driver 1, CUDA 12, SMs at up to 1410 MHz."), std::string::npos) << page;
  const auto mistake = [&](const std::string& text) -> std::string {
    try {
      read_measurement(text, "m.json");
    } catch (const core::UserError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(mistake("{\n\"device\":\n}"), "m.json:3: expected JSON, as tests/silicon/measure writes it");
  EXPECT_NE(mistake("{\"format\": 1, \"device\": 1e999}").find("expected numbers that a double can hold"),
            std::string::npos);
  EXPECT_EQ(mistake("{}"), "m.json: format: expected a whole number above 0, found nothing");
  EXPECT_EQ(mistake("{\"format\": 99}"),
            "m.json: format: expected 1, as this version's tests/silicon/measure writes, found 99");
  EXPECT_EQ(mistake("{\"format\": 1}"), "m.json: device: expected an object, found nothing");
  EXPECT_EQ(mistake(device + R"("figures": {"a": {"value": "1", "unit": "ns"}}})"),
            "m.json: figures.a.value: expected a number, found string");
  EXPECT_EQ(mistake(device + R"("figures": {}, "programs": {"p": {"kernel_ns": -1, "launches": 1}}})"),
            "m.json: programs.p.kernel_ns: expected a number above 0, found -1");
  EXPECT_EQ(mistake(device + R"("figures": {"a": {"value": 1, "unit": "cycle"}}})"),
            "m.json: figures.a.unit: there is no unit \"cycle\" (did you mean \"cycles\"?)");
  EXPECT_EQ(mistake(device + R"("figures": {}, "programs": {"p": {"kernel_ns": 5, "launches": 1.5}}})"),
            "m.json: programs.p.launches: expected a whole number above 0, found number");
  EXPECT_EQ(mistake(device + R"("figures": {}})"),
            "m.json: there is no figure and no program in it: tests/silicon/measure says FAIL and why");
  EXPECT_EQ(mistake(device + R"("figures": {"a": {"value": 1, "unit": "ns"}}, "set": ["x"]})"),
            "m.json: set: there is no figure \"x\"");
}

/// Rows that anybody can check: every one has a source, and is of a machine that there is.
TEST(Correlation, the_published_rows_are_of_machines_that_there_are) {
  const std::string file = std::string(EW_TEST_DATA) + "/../../studies/silicon/published.csv";
  const std::vector<SiliconRow> rows = read_published_rows(core::content_of(file), file);
  ASSERT_GT(rows.size(), 200U);
  for (const SiliconRow& row : rows) {
    EXPECT_EQ(row.source.find("unverified"), std::string::npos) << row.quantity;
    EXPECT_NO_THROW(runtime::load_machine(row.machine)) << row.machine;
  }
}

}  // namespace
}  // namespace ew::report
