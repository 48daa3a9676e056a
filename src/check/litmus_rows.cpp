#include "check/litmus_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "check/litmus_words.hpp"
#include "check/persistency_model.hpp"
#include "consistency/models.hpp"
#include "core/nearest.hpp"

namespace ew::check {

namespace {

void must_be_models(const LineLexer& lexer, const Litmus& test, std::string_view first) {
  if (test.kind != TestKind::drf)
    lexer.fail(
        fmt::format("expect {}=… belongs to tests of kind drf; kind {} asks {}", first, text_of(test.kind),
                    test.kind == TestKind::pm ? "expect crash COND :: MODEL=A|F" : "expect final COND :: MODEL=A|F"));
}

void check_column(const LineLexer& lexer, Expectation::Kind kind, const std::string& column) {
  if (kind == Expectation::Kind::models) return;  // names of data-race models contain settings: not checked here
  std::vector<std::string_view> names = consistency::names();
  if (kind != Expectation::Kind::final) {
    names.clear();
    for (const PersistAxioms* axioms : persistency_columns()) names.push_back(axioms->name);
  }
  if (std::ranges::find(names, column) == names.end())
    lexer.fail(fmt::format("unknown model \"{}\"{}; there is {}", column, core::did_you_mean(column, names),
                           fmt::join(names, " ")));
}

std::string parse_cell_value(LineLexer& lexer, Expectation::Kind kind) {
  if (kind == Expectation::Kind::images) return fmt::format("{}", lexer.expect_count("a number of images", 0x7fffffff));
  if (kind != Expectation::Kind::models) {
    if (lexer.text() != "A" && lexer.text() != "F") lexer.fail_expected("A (allowed) or F (forbidden)");
    return lexer.expect_name("A or F");
  }
  std::vector<std::string> races;
  do {
    if (std::ranges::find(race_words, lexer.text()) == race_words.end())
      lexer.fail_expected("legal, or races joined by +", race_words);
    races.push_back(lexer.expect_name("a race"));
  } while (lexer.accept("+"));
  return fmt::format("{}", fmt::join(races, "+"));
}

void parse_cells(LineLexer& lexer, Expectation& row, std::string first) {
  do {
    Expectation::Cell cell;
    cell.column = first.empty() ? lexer.expect_dashed("MODEL=…") : std::move(first);
    first.clear();
    check_column(lexer, row.kind, cell.column);
    for (const auto& other : row.cells)
      if (other.column == cell.column) lexer.fail(fmt::format("the row has {} twice", cell.column));
    lexer.expect("=");
    cell.value = parse_cell_value(lexer, row.kind);
    row.cells.push_back(std::move(cell));
  } while (lexer.kind() != LineLexer::Kind::end);
}

/// PROTOCOL,… [under MODEL]
void parse_shown(LineLexer& lexer, Litmus& test) {
  auto& rows = test.expectations;
  if (rows.empty() || rows.back().kind != Expectation::Kind::final)
    lexer.fail("expect shown says that the final state of the row above is seen; there is no expect final above it");
  Expectation& row = rows.back();
  std::vector<std::string> protocols;
  do protocols.push_back(lexer.expect_dashed("a protocol"));
  while (lexer.accept(","));
  std::string model(usual_model);
  if (lexer.kind() == LineLexer::Kind::name && lexer.text() == "under") {
    lexer.advance();
    model = lexer.expect_dashed("a consistency model");
    check_column(lexer, row.kind, model);
  }
  if (row.cell(model) == "F") lexer.fail("expect shown: the final state of the row above is forbidden");
  if (row.cell(model).empty()) lexer.fail(fmt::format("expect shown: the row above does not say {}=A", model));
  for (std::string& protocol : protocols) {
    Expectation::Shown shown{std::move(protocol), model};
    if (std::ranges::find(row.shown, shown) != row.shown.end())
      lexer.fail(fmt::format("the row has {} twice", shown.protocol));
    row.shown.push_back(std::move(shown));
  }
  lexer.expect_end();
}

}  // namespace

void parse_row(LineLexer& lexer, Litmus& test, const std::function<Expression()>& condition) {
  const std::string first = lexer.expect_dashed("crash, images, final, shown or MODEL=…");
  if (first == "shown" && !lexer.at("=")) return parse_shown(lexer, test);
  Expectation row;
  row.line = {lexer.line()};
  const auto must_be = [&](TestKind kind) {
    if (test.kind != kind)
      lexer.fail(fmt::format("expect {} belongs to tests of kind {}, and this is one of kind {}", first, text_of(kind),
                             text_of(test.kind)));
  };
  if (lexer.at("=")) {
    must_be_models(lexer, test, first);
    row.kind = Expectation::Kind::models;
    parse_cells(lexer, row, first);
  } else if (first == "crash" || first == "final") {
    must_be(first == "crash" ? TestKind::pm : TestKind::ptx);
    row.kind = first == "crash" ? Expectation::Kind::crash : Expectation::Kind::final;
    row.condition = condition();
    lexer.expect("::");
    parse_cells(lexer, row, {});
  } else if (first == "images") {
    must_be(TestKind::pm);
    row.kind = Expectation::Kind::images;
    parse_cells(lexer, row, {});
  } else {
    static constexpr std::string_view words[] = {"crash", "images", "final", "shown"};
    lexer.fail(fmt::format("expected crash, images, final, shown or MODEL=… after expect, found \"{}\"{}", first,
                           core::did_you_mean(first, words)));
  }
  test.expectations.push_back(std::move(row));
}

}  // namespace ew::check
