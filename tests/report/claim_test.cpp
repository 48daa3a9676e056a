// Claims of a paper's text: their expressions, what each mistake is told, and how they are judged.
#include "report/claim.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/csv.hpp"

namespace ew::report {
namespace {

/// A figure of programs P and Q with bars a and b, a configuration c, and an axis where one is asked for.
ClaimNames names(const std::string& axis = "") {
  ClaimNames names{{"P", "Q"}, {"a", "b"}, {"c"}, Metric::read("energy.l1", {}), axis, {}};
  if (!axis.empty()) names.axis_values = {"1", "2", "8"}, names.axis_over = "4";
  return names;
}

/// Times of the programs: P takes 10 on a, 20 on b, 40 on c; Q three times as long. At x: x times as long.
std::optional<double> table(const Measurement& asked) {
  double value = asked.machine == "a" ? 10 : asked.machine == "b" ? 20 : 40;
  if (asked.program == "Q") value *= 3;
  if (!asked.x.empty()) value *= std::stod(asked.x);
  if (asked.recovery) value += 1;
  if (asked.metric->range() == "flush") value += 1000;
  return asked.metric->is_time() ? value : -value;
}

double value(const std::string& text, const std::string& axis = "") {
  return ClaimExpression::read(text, names(axis), {}).value(table).value();
}

std::string mistake(const std::string& text, const std::string& axis = "") {
  try {
    ClaimExpression::read(text, names(axis), {"claims.csv", 7});
  } catch (const core::UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(ClaimExpressions, AreArithmeticOverMeasurements) {
  EXPECT_DOUBLE_EQ(value("time(P, b) / time(P, a)"), 2);
  EXPECT_DOUBLE_EQ(value("1 + 2 * 3 - 4 / (1 + 1)"), 5);
  EXPECT_DOUBLE_EQ(value("2 - 1 - 1"), 0);
  EXPECT_DOUBLE_EQ(value("time(Q, c)"), 120);
  EXPECT_DOUBLE_EQ(value("value(P, a)"), -10) << "what the figure measures";
  EXPECT_DOUBLE_EQ(value("slots.data_*(P, a)"), -10);
  EXPECT_DOUBLE_EQ(value("network.flit_crossings.*(P, a) *2"), -20);
}

TEST(ClaimExpressions, MayNameRangesRecoveriesAndNamesInQuotes) {
  EXPECT_DOUBLE_EQ(value("range.flush(P, a)"), 1010);
  EXPECT_DOUBLE_EQ(value("time('P', 'a', recovery) / time(P, a)"), 1.1);
  EXPECT_DOUBLE_EQ(value("time(P, a, recovery, cus=8)", "cus"), 81);
  EXPECT_DOUBLE_EQ(value("time(P, b, cus=4)", "cus"), 80) << "the value that bars are measured over";
  ClaimNames strange = names();
  strange.programs = {"gpKVS(95:5)", "P"};
  EXPECT_DOUBLE_EQ(ClaimExpression::read("time('gpKVS(95:5)', a)", strange, {}).value(table).value(), 10);
  EXPECT_NE(mistake("time('P, a)").find("' behind it"), std::string::npos);
  EXPECT_NE(mistake("time(P, a, recover)").find("no axis \"recover\""), std::string::npos);
  EXPECT_NE(mistake("time(P, a, recovery)", "cus").find("since the figure has an axis"), std::string::npos);
  EXPECT_NE(mistake("time(program, a)").find("unknown program"), std::string::npos) << "a claim is of no bar";
}

TEST(ClaimExpressions, OfABarMeanItsProgram) {
  ClaimNames of_a_bar = names();
  of_a_bar.of_a_bar = true;
  const auto expression = ClaimExpression::read("time(program, b) / time(Q, a)", of_a_bar, {});
  EXPECT_DOUBLE_EQ(expression.value(table, "P").value(), 20.0 / 30);
  EXPECT_DOUBLE_EQ(expression.value(table, "Q").value(), 2);
}

TEST(ClaimExpressions, AggregateOverSets) {
  EXPECT_DOUBLE_EQ(value("mean(p in programs, time(p, a))"), 20);
  EXPECT_DOUBLE_EQ(value("geomean(p in programs, time(p, a))"), std::sqrt(300.0));
  EXPECT_DOUBLE_EQ(value("sum(p in [Q], time(p, a))"), 30);
  EXPECT_DOUBLE_EQ(value("max(m in bars, time(P, m))"), 20);
  EXPECT_DOUBLE_EQ(value("min(m in [c, b], time(P, m))"), 20);
  EXPECT_DOUBLE_EQ(value("max(p in programs, max(m in [a, c], time(p, m)) / min(m in [a, c], time(p, m)))"), 4);
  EXPECT_DOUBLE_EQ(value("max(n in cus, time(P, a, cus=n) / time(P, a, cus=1))", "cus"), 8);
  EXPECT_DOUBLE_EQ(value("mean(n in [2, 8], time(P, a, cus=n))", "cus"), 50);
}

TEST(ClaimExpressions, FindWhereALineCrossesOne) {
  // time(P, a, cus=n) is 10 n: 40 over it is 4, 2 and 0.5 at 1, 2 and 8.
  EXPECT_DOUBLE_EQ(value("crossing(n in cus, 40 / time(P, a, cus=n))", "cus"), 4);
  EXPECT_DOUBLE_EQ(value("crossing(n in cus, 100 / time(P, a, cus=n))", "cus"), 8) << "above 1 everywhere: the last";
  EXPECT_DOUBLE_EQ(value("crossing(n in cus, 5 / time(P, a, cus=n))", "cus"), 1) << "nowhere: the first";
  EXPECT_DOUBLE_EQ(value("crossing(n in [2, 8], 40 / time(P, a, cus=n))", "cus"), 4);
  // 2, 1/8 and 120: what is above 1 again behind the crossing is chance.
  EXPECT_DOUBLE_EQ(value("crossing(n in cus, (time(P, a, cus=n) - 18) * (time(P, a, cus=n) - 18) / 32)", "cus"),
                   std::pow(2, 0.25));
  EXPECT_NE(mistake("crossing(p in programs, time(p, a))").find("along an axis of numbers above 0"), std::string::npos);
}

TEST(ClaimExpressions, HaveNoValueWithoutARunOrOverNothing) {
  const auto without_q = [](const Measurement& asked) { return asked.program == "Q" ? std::nullopt : table(asked); };
  const auto of = [&](const char* text) { return ClaimExpression::read(text, names(), {}).value(without_q); };
  EXPECT_TRUE(of("time(P, a)"));
  EXPECT_FALSE(of("time(P, a) + time(Q, a)"));
  EXPECT_FALSE(of("mean(p in programs, time(p, a))"));
  EXPECT_FALSE(of("1 / (time(P, a) - time(P, a))"));
  EXPECT_FALSE(of("geomean(p in [P], value(p, a))")) << "of a negative number";
}

TEST(ClaimExpressions, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(mistake("tiem(P, a)"), "claims.csv:7: unknown metric \"tiem\" (did you mean \"time\"?)");
  EXPECT_EQ(mistake("time(R, a)"), "claims.csv:7: unknown program \"R\" (did you mean \"P\"?)");
  EXPECT_NE(mistake("time(P, d)").find("unknown bar or configuration \"d\""), std::string::npos);
  EXPECT_NE(mistake("l1.load_mises(P, a)").find("(did you mean \"l1.load_misses\"?)"), std::string::npos);
  EXPECT_NE(mistake("nothing*(P, a)").find("no statistic begins with \"nothing\""), std::string::npos);
  EXPECT_EQ(mistake("time(P, a"), "claims.csv:7: time(P, a, column 10: expected \")\", found the end");
  EXPECT_EQ(mistake("time(P, a) time(P, b)"),
            "claims.csv:7: time(P, a) time(P, b), column 12: expected an operator or the end, found \"time(P, b)\"");
  EXPECT_NE(mistake("").find("expected a number, a measurement or an aggregate, found the end"), std::string::npos);
  EXPECT_NE(mistake("time").find("expected \"(\" behind time"), std::string::npos);
  EXPECT_NE(mistake("1.2.3").find("expected a number, found \"1.2.3\""), std::string::npos);
  EXPECT_NE(mistake("mean(p of programs, 1)").find("expected \"in\""), std::string::npos);
  EXPECT_NE(mistake("mean(p in program, 1)").find("unknown set \"program\" (did you mean \"programs\"?)"),
            std::string::npos);
  EXPECT_NE(mistake("mean(p in programs, time(a, p))").find("unknown program \"a\""), std::string::npos);
  EXPECT_NE(mistake("mean(p in programs, time(P, p))").find("p is a program here, and a bar or configuration is"),
            std::string::npos);
  EXPECT_NE(mistake("mean(p in [P, a], 1)").find("unknown program \"a\""), std::string::npos);
  EXPECT_NE(mistake("mean(p in programs, 1) + time(p, a)").find("unknown program \"p\""), std::string::npos)
      << "a variable ends with its aggregate";
}

TEST(ClaimExpressions, NameThePlaceOnTheAxis) {
  EXPECT_NE(mistake("time(P, a, cus=2)").find("this figure has no axis \"cus\""), std::string::npos);
  EXPECT_NE(mistake("time(P, a)", "cus").find("expected \", cus=VALUE\", since the figure has an axis"),
            std::string::npos);
  EXPECT_NE(mistake("time(P, a, cu=2)", "cus").find("unknown axis \"cu\" (did you mean \"cus\"?)"), std::string::npos);
  EXPECT_NE(mistake("time(P, a, cus=3)", "cus").find("unknown value of the axis \"3\""), std::string::npos);
}

TEST(Metrics, AreTimeOrSums) {
  const auto one = [](const std::string&) { return std::optional(1.0); };
  EXPECT_TRUE(Metric::read("time", {}).is_time());
  EXPECT_EQ(Metric::read("l1.loads + l1.stores - l1.atomics", {}).of(one), 1);
  EXPECT_EQ(Metric::read("energy.total", {}).of(one), Metric::read("energy.*", {}).of(one));
  EXPECT_EQ(Metric::read("energy.total - energy.l1", {}).of(one), *Metric::read("energy.*", {}).of(one) - 1);
  const auto refused = [](const char* text) {
    try {
      Metric::read(text, {"study.toml", 3});
    } catch (const core::UserError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(
      refused("l1.hit_rate"),
      "study.toml:3: l1.hit_rate is no sum (100 * l1.load_hits / l1.loads): it cannot be added up over the kernels "
      "of a run");
  EXPECT_EQ(refused("zzz"), "study.toml:3: unknown metric \"zzz\"; `ew explain statistics` lists them");
  EXPECT_NE(refused("l1.loads l1.stores").find("names joined by \" + \" and \" - \""), std::string::npos);
  EXPECT_NE(refused("time + l1.loads").find("\"time\" stands alone"), std::string::npos);
  EXPECT_NE(refused("l1.loads - l1.loads").find("is always 0"), std::string::npos);
  EXPECT_NE(refused("latency.private.p50").find("is no sum"), std::string::npos);
}

const char* const heading = "id,expression,published,kind,tolerance,text,why\n";

std::vector<Claim> claims(const std::string& rows) {
  return read_claims("# a paper\n" + std::string(heading) + rows, "claims.csv", names());
}

std::string refused(const std::string& rows) {
  try {
    claims(rows);
  } catch (const core::UserError& error) {
    return error.what();
  }
  return "none";
}

TEST(Claims, AreReadFromTheirFile) {
  const auto list = claims(
      "1,\"time(P, b) / time(P, a)\",1.9,value,0.2,\"Twice, \"\"nearly\"\"\",\n"
      "2,\"time(P, b) / time(P, a)\",0.94..0.96,mean,0,text,\n"
      "3,\"time(P, a)\",>=10,direction,,text,\n"
      "4,,,value,,text,measured on silicon only\n");
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0].text, "Twice, \"nearly\"");
  EXPECT_EQ(list[0].place.line, 3u);
  EXPECT_EQ(list[1].published.text(), "0.94..0.96");
  EXPECT_EQ(list[2].published.text(), ">=10");
  EXPECT_EQ(list[3].why, "measured on silicon only");
  EXPECT_EQ(judge(list[0], {table}).verdict, Verdict::held);
  EXPECT_EQ(judge(list[1], {table}).verdict, Verdict::broken);
  EXPECT_EQ(judge(list[2], {table}).verdict, Verdict::held);
  EXPECT_EQ(judge(list[3], {table}).verdict, Verdict::not_judged);
}

TEST(Claims, SayWhyTheyDoNotHold) {
  const auto list = read_claims(std::string(heading) +
                                    "1,1,3,value,1,t,the lock moves\n2,1,1,value,1,t,the lock moves\n"
                                    "3,,,value,,t,no such machine\n",
                                "claims.csv", names());
  const auto one = [](const Measurement&) { return std::optional(1.0); };
  JudgedClaim broken = judge(list[0], {one});
  EXPECT_EQ(broken.reason(), "the lock moves");
  broken.note = "at UTS";
  EXPECT_EQ(broken.reason(), "at UTS; the lock moves");
  EXPECT_EQ(judge(list[1], {one}).reason(), "") << "it holds";
  EXPECT_EQ(judge(list[2], {one}).reason(), "no such machine");
}

TEST(Claims, MistakesAreToldWithTheirLine) {
  const auto says = [](const std::string& rows, const std::string& sentence) {
    EXPECT_NE(refused(rows).find(sentence), std::string::npos) << refused(rows);
  };
  says("1,\"time(P, z)\",1,value,1,t,\n", "claims.csv:3: unknown bar or configuration \"z\"");
  says("1,1,1,valu,1,t,\n", "claims.csv:3: unknown kind of claim \"valu\" (did you mean \"value\"?)");
  says("1,1,one,value,1,t,\n", "claims.csv:3: published: what stands in 0.61, 0.94..0.96 or <1 should be a number");
  says("1,1,2..1,value,1,t,\n", "a range goes from the lesser to the greater, not 2..1");
  says("1,1,<1,value,1,t,\n", "a claim of kind \"value\" has a number or a range as what was published, not \"<1\"");
  says("1,1,1,direction,,t,\n", "a claim of kind \"direction\" has a relation (<1, >=1)");
  says("1,1,<1,direction,1,t,\n", "a direction holds or it does not: it has no tolerance");
  says("1,1,1,value,,t,\n", "claim 1 should have a tolerance");
  says("1,1,1,value,-1,t,\n", "tolerance should be a number from 0");
  says("1,,1,value,1,t,\n", "claim 1 should have an expression, or say in \"why\" that it has none");
  says("1,1,1,value,1,,\n", "a claim should have an id and a text");
  says("1,1,1,value,1,t\n", "claims.csv:3: expected 7 cells, found 6; a text with commas stands in double quotes");
  says("1,1,1,value,1,\"t,\n", "claims.csv:3: a quote is opened and not closed on this line");
  says("1,1,1,value,1,t,\n1,1,1,value,1,t,\n", "claims.csv:4: claim 1 stands twice");
  try {
    read_claims("id,text\n", "claims.csv", names());
    ADD_FAILURE();
  } catch (const core::UserError& error) {
    EXPECT_STREQ(error.what(), "claims.csv:1: the heading should be id,expression,published,kind,tolerance,text,why");
  }
}

TEST(Claims, NeedEverySeed) {
  const auto slower = [](double factor) {
    return [factor](const Measurement& asked) { return std::optional(asked.machine == "a" ? 10 : 10 * factor); };
  };
  const Claim claim = claims("1,\"time(P, b) / time(P, a)\",>1,direction,,t,\n")[0];
  const auto verdict = [&](const std::vector<double>& factors) {
    std::vector<Measure> measures;
    for (const double factor : factors) measures.push_back(slower(factor));
    return judge(claim, measures);
  };
  EXPECT_EQ(verdict({2, 1.5}).verdict, Verdict::held);
  EXPECT_EQ(verdict({0.5, 0.9}).verdict, Verdict::broken);
  const JudgedClaim between = verdict({0.5, 1.5});
  EXPECT_EQ(between.verdict, Verdict::undecided);
  EXPECT_EQ(between.ours_text(), "1.000, 0.500 to 1.500");
  EXPECT_EQ(judge(claim, {slower(2), [](const Measurement&) { return std::optional<double>(); }}).verdict,
            Verdict::unmeasured);
}

TEST(Claims, HoldWithinTheRangeAndItsTolerance) {
  const auto verdict = [](const std::string& published, const std::string& tolerance) {
    return judge(claims("1,0.9," + published + ",mean," + tolerance + ",t,\n")[0], {table}).verdict;
  };
  EXPECT_EQ(verdict("0.94..0.96", "0.05"), Verdict::held);
  EXPECT_EQ(verdict("0.94..0.96", "0.03"), Verdict::broken);
  EXPECT_EQ(verdict("0.8..0.91", "0"), Verdict::held);
  EXPECT_EQ(verdict("0.8", "0.05"), Verdict::broken);
}

/// "1.000" was held to be below 1.
TEST(Claims, ADirectionShowsTheDigitThatDecides) {
  const auto shown = [](double value, const std::string& published) {
    const std::vector<Claim> all = claims("1,\"time(P, a)\"," + published + ",t,\n");  // what is judged points to it
    const auto judged = judge(all[0], {[=](const Measurement&) { return std::optional(value); }});
    return judged.ours_text() + " " + std::string(verdict_names[static_cast<int>(judged.verdict)]);
  };
  EXPECT_EQ(shown(0.99994, "<1,direction,"), "0.9999 held");
  EXPECT_EQ(shown(1.0000002, "<1,direction,"), "1.0000002 not held");
  EXPECT_EQ(shown(1, "<1,direction,"), "1.000 not held");
  EXPECT_EQ(shown(0.5, "<1,direction,"), "0.500 held");
  EXPECT_EQ(shown(0.99994, "1,value,0.1"), "1.000 held");
}

TEST(Claims, SayWhichMemberDoesNotHold) {
  const auto note = [](const std::string& row) { return judge(claims(row)[0], {table}).note; };
  EXPECT_EQ(note("1,\"max(p in programs, time(p, a))\",<20,direction,,t,\n"), "1 of 2 do not: Q 30.000");
  EXPECT_EQ(note("1,\"max(p in programs, time(p, a))\",<50,direction,,t,\n"), "at Q");
  EXPECT_EQ(note("1,\"min(p in programs, time(p, a))\",1,max,1,t,\n"), "at P");
  EXPECT_EQ(note("1,\"time(P, a)\",<5,direction,,t,\n"), "");
}

TEST(CsvCells, AreWhatWasWritten) {
  for (const std::string text : {"plain", "with, comma", "a \"quote\"", "\"\"", ""})
    EXPECT_EQ(csv_lines("x," + csv_cell(text) + ",y\n", "f")[0].cells, (std::vector<std::string>{"x", text, "y"}));
}

}  // namespace
}  // namespace ew::report
