// The page of `ew demo`, from a story made by hand: what went well is told, and so is what did not.
#include "report/demo_page.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace ew::report {
namespace {

class DemoPage : public testing::Test {
 protected:
  DemoPage() : source_(testing::TempDir() + "/ew-demo-page.cu") {
    std::ofstream file(source_);
    for (int line = 1; line <= 40; ++line) file << "line<" << line << ">;\n";
    figure_.id = "6";
    study_.figures.push_back({.figure = &figure_});
    story_.study = &study_;
    story_.study_page = "figure-6.html";
    for (const char* place : {"far", "near"}) {
      DemoConfiguration one;
      one.model = "SBRP", one.place = place, one.name = std::string("sbrp_") + place;
      one.microseconds = 1.5, one.persisted_bytes = 1234567;
      one.crashes = 1000, one.recovered = 1000;
      story_.configurations.push_back(one);
    }
    story_.bug.source = source_;
    story_.bug.without = {2000, 0};
    story_.bug.with = {1500, 100};
    DemoBlame blame;
    blame.kind = "missing order", blame.durable_at = "x.cu:10", blame.not_durable_at = "x.cu:30";
    blame.advice = "insert <ofence>", blame.alike = 100;
    story_.bug.blames.push_back(blame);
  }
  ~DemoPage() override { std::filesystem::remove(source_); }
  std::string page() const { return demo_page(story_, {"", "none"}); }
  void has(const std::string& part) const { EXPECT_NE(page().find(part), std::string::npos) << part << "\n" << page(); }
  void has_no(const std::string& part) const {
    EXPECT_EQ(page().find(part), std::string::npos) << part << "\n" << page();
  }

  std::filesystem::path source_;
  Figure figure_;
  Reproduction study_;
  DemoStory story_;
};

TEST_F(DemoPage, TellsTimesCrashesAndTheBug) {
  has("<li class=good>Timed: 2 of 2 configurations.");
  has("<li class=good>Crashed: 2,000 times, 2,000 recovered.");
  has("<li class=good>The planted bug was found: missing order, x.cu:10 before x.cu:30.");
  has("<td class=number>1.5</td><td class=number>-</td><td class=number>-</td><td class=number>1,234,567</td>");
  has("<td>with the bug</td><td class=number>1,500</td><td class=number>1,400</td><td class=number>100</td>");
  has("insert &lt;ofence&gt;");
  has_no("class=bad");
  has_no("what happened");  // the checker said nothing of it: no empty row
}

TEST_F(DemoPage, ShowsTheBlamedLinesAndTwoAroundEach) {
  has("<pre>    8  line&lt;8&gt;;\n    9  line&lt;9&gt;;\n   10  <mark>line&lt;10&gt;;</mark>  ◄ durable\n"
      "   11  line&lt;11&gt;;\n   12  line&lt;12&gt;;\n…\n   28  line&lt;28&gt;;\n");
  has("   30  <mark>line&lt;30&gt;;</mark>  ◄ not durable\n");
  has("   32  line&lt;32&gt;;\n</pre>");
}

TEST_F(DemoPage, SaysWhatFailed) {
  story_.configurations[0].recovered = 999;
  story_.configurations[0].failures = {"after warp instruction 7:\n<torn>"};
  story_.configurations[1].microseconds.reset();
  study_.failures.push_back({"gpKVS", "sbrp_near", "ew run", "ended with status 3", ""});
  story_.bug.with.failed = 0;
  story_.bug.blames.clear();
  has("<li class=bad>Timed: 1 of 2 configurations.");
  has("<p class=bad>1 run failed. <a href=\"figure-6.html\">");
  has("<li class=bad>Crashed: 2,000 times, 1,999 recovered.");
  has("<li>SBRP, far<pre>after warp instruction 7:\n&lt;torn&gt;</pre></li>");
  has("<li class=bad>The planted bug was not found.");
  story_.bug.without.failed = 1;
  has("<li class=bad>The program fails in crash states without the planted bug, too.");
}

TEST_F(DemoPage, ConfigurationsThatWereNotCrashedHaveNoRow) {
  story_.configurations[0].crashes = story_.configurations[0].recovered = 0;
  story_.configurations[1].crashes = story_.configurations[1].recovered = 1;
  has("Crashed 1 time, recovered 1 time");
  const std::string text = page(), crashes = text.substr(text.find("<section id=crashes>"));
  EXPECT_EQ(crashes.substr(0, crashes.find("</section>")).find("SBRP, far"), std::string::npos);
}

}  // namespace
}  // namespace ew::report
