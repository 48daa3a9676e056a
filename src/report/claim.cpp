#include "report/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>

#include "report/csv.hpp"
#include "report/study_table.hpp"

namespace ew::report {

namespace {

using core::Place, core::UserError;
using Relation = Published::Relation;

constexpr std::string_view columns[] = {"id", "expression", "published", "kind", "tolerance", "text", "why"};
enum Column { id_cell, expression_cell, published_cell, kind_cell, tolerance_cell, text_cell, why_cell };

constexpr std::pair<std::string_view, Relation> relations[] = {
    {"<=", Relation::at_most}, {">=", Relation::at_least}, {"<", Relation::below}, {">", Relation::above}};

double number_of(std::string_view digits, const Place& place, std::string_view what) {
  while (digits.starts_with(' ')) digits.remove_prefix(1);
  while (digits.ends_with(' ')) digits.remove_suffix(1);
  double value = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || rest != digits.data() + digits.size())
    throw UserError(place, fmt::format("{} should be a number, not \"{}\"", what, digits));
  return value;
}

Published published_of(std::string_view cell, const Place& place) {
  Published result;
  constexpr std::string_view what = "published: what stands in 0.61, 0.94..0.96 or <1";
  for (const auto& [sign, relation] : relations) {
    if (!cell.starts_with(sign)) continue;
    result.relation = relation;
    result.low = result.high = number_of(cell.substr(sign.size()), place, what);
    return result;
  }
  const std::size_t dots = cell.find("..");
  result.low = number_of(cell.substr(0, dots), place, what);
  result.high = dots == cell.npos ? result.low : number_of(cell.substr(dots + 2), place, what);
  if (result.high < result.low)
    throw UserError(place, fmt::format("published: a range goes from the lesser to the greater, not {}", cell));
  return result;
}

Claim claim_of(const CsvLine& line, const ClaimNames& names) {
  if (line.cells.size() != std::size(columns))
    throw UserError(line.place, fmt::format("expected {} cells, found {}; a text with commas stands in double quotes",
                                            std::size(columns), line.cells.size()));
  Claim claim;
  claim.id = line.cells[id_cell];
  claim.text = line.cells[text_cell];
  claim.place = line.place;
  claim.why = line.cells[why_cell];
  if (claim.id.empty() || claim.text.empty()) throw UserError(line.place, "a claim should have an id and a text");
  const std::string& word = line.cells[kind_cell];
  expect_name(line.place, "kind of claim", word, claim_kind_names);
  claim.kind = static_cast<ClaimKind>(std::ranges::find(claim_kind_names, word) - std::begin(claim_kind_names));
  if (line.cells[expression_cell].empty()) {
    if (claim.why.empty())
      throw UserError(line.place,
                      fmt::format("claim {} should have an expression, or say in \"why\" that it has none", claim.id));
    return claim;
  }
  claim.expression = ClaimExpression::read(line.cells[expression_cell], names, line.place);
  claim.published = published_of(line.cells[published_cell], line.place);
  const bool direction = claim.published.relation != Relation::within;
  if (direction != (claim.kind == ClaimKind::direction))
    throw UserError(line.place, fmt::format("a claim of kind \"{}\" has {} as what was published, not \"{}\"", word,
                                            direction ? "a number or a range" : "a relation (<1, >=1)",
                                            line.cells[published_cell]));
  if (direction != line.cells[tolerance_cell].empty())
    throw UserError(line.place, direction ? "a direction holds or it does not: it has no tolerance"
                                          : fmt::format("claim {} should have a tolerance", claim.id));
  if (!direction) claim.tolerance = number_of(line.cells[tolerance_cell], line.place, "tolerance");
  if (claim.tolerance < 0) throw UserError(line.place, "tolerance should be a number from 0");
  return claim;
}

/// With three digits behind the point; of a direction with as many as tell the value from the published one: "0.9999"
/// is below 1, "1.000" is not.
std::string digits_of(double value, const Published& published) {
  int digits = 3;
  if (published.relation != Relation::within && value != published.low)
    while (digits < 12 && fmt::format("{:.{}f}", value, digits) == fmt::format("{:.{}f}", published.low, digits))
      ++digits;
  return fmt::format("{:.{}f}", value, digits);
}

/// Of a minimum or maximum: which member it is, and which ones do not hold where each should.
std::string note_of(const Claim& claim, const Measure& measure, double ours) {
  const auto members = claim.expression.members(measure);
  if (members.empty()) return {};
  const auto found = std::ranges::find(members, ours, &ClaimExpression::Member::value);
  const std::string at = found == members.end() ? "" : fmt::format("at {}", found->name);
  if (claim.kind != ClaimKind::direction && claim.kind != ClaimKind::equal) return at;
  std::string names;
  std::size_t outside = 0;
  for (const ClaimExpression::Member& member : members)
    if (!claim.published.holds(member.value, claim.tolerance) && ++outside <= 4)
      names += fmt::format("{}{} {}", names.empty() ? "" : ", ", member.name, digits_of(member.value, claim.published));
  if (outside == 0 || outside == members.size()) return at;
  return fmt::format("{} of {} do not: {}{}", outside, members.size(), names, outside > 4 ? ", …" : "");
}

}  // namespace

std::string Published::text() const {
  for (const auto& [sign, one] : relations)
    if (one == relation) return fmt::format("{}{}", sign, low);
  return low == high ? fmt::format("{}", low) : fmt::format("{}..{}", low, high);
}

bool Published::holds(double ours, double tolerance) const {
  switch (relation) {
    case Relation::below:
      return ours < low;
    case Relation::at_most:
      return ours <= low;
    case Relation::at_least:
      return ours >= low;
    case Relation::above:
      return ours > low;
    default:
      return ours >= low - tolerance && ours <= high + tolerance;
  }
}

std::vector<Claim> read_claims(std::string_view text, const std::string& file, const ClaimNames& names) {
  const std::vector<CsvLine> lines = csv_lines(text, file);
  const std::string heading = fmt::format("{}", fmt::join(columns, ","));
  if (lines.empty() || !std::ranges::equal(lines[0].cells, columns))
    throw UserError(lines.empty() ? Place{file} : lines[0].place, fmt::format("the heading should be {}", heading));
  std::vector<Claim> claims;
  std::set<std::string> ids;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    claims.push_back(claim_of(lines[i], names));
    if (!ids.insert(claims.back().id).second)
      throw UserError(lines[i].place, fmt::format("claim {} stands twice", claims.back().id));
  }
  return claims;
}

std::optional<double> JudgedClaim::ours() const {
  if (by_seed.empty()) return std::nullopt;
  return std::accumulate(by_seed.begin(), by_seed.end(), 0.0) / static_cast<double>(by_seed.size());
}

std::string JudgedClaim::ours_text() const {
  if (by_seed.empty()) return "-";
  std::string text = digits_of(*ours(), claim->published);
  if (by_seed.size() > 1)
    text += fmt::format(", {} to {}", digits_of(std::ranges::min(by_seed), claim->published),
                        digits_of(std::ranges::max(by_seed), claim->published));
  return text;
}

std::string JudgedClaim::reason() const {
  const bool asks_why = verdict == Verdict::not_judged || verdict == Verdict::broken || verdict == Verdict::undecided;
  const std::string& why = asks_why ? claim->why : std::string();
  return note.empty() || why.empty() ? note + why : fmt::format("{}; {}", note, why);
}

JudgedClaim judge(const Claim& claim, const std::vector<Measure>& measures) {
  JudgedClaim judged;
  judged.claim = &claim;
  if (!claim.judged()) return judged;
  std::size_t held = 0;
  for (const Measure& measure : measures) {
    const auto value = claim.expression.value(measure);
    if (!value) {
      judged.verdict = Verdict::unmeasured;
      judged.by_seed.clear();
      return judged;
    }
    judged.by_seed.push_back(*value);
    held += claim.published.holds(*value, claim.tolerance);
  }
  judged.verdict = held == measures.size() ? Verdict::held : held == 0 ? Verdict::broken : Verdict::undecided;
  judged.note = note_of(claim, measures[0], judged.by_seed[0]);
  return judged;
}

}  // namespace ew::report
