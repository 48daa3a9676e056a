// What a paper's text says of a figure, as a row of the figure's claims.csv: an expression over our measurements, what
// was published of it, and how far the two may differ. Plain values, read once and never changed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/claim_expression.hpp"

namespace ew::report {

enum class ClaimKind {
  value,      // of one program
  mean,       // over programs
  maximum,    // the largest or least of several
  direction,  // above or below a number
  equal,      // no difference that matters
};
inline constexpr std::string_view claim_kind_names[] = {"value", "mean", "max", "direction", "equal"};

/// "0.61", a range "0.94..0.96" where the text contradicts itself, or a relation "<1", ">=1".
struct Published {
  double low = 0, high = 0;
  enum class Relation { within, below, at_most, at_least, above } relation = Relation::within;
  std::string text() const;
  bool holds(double ours, double tolerance) const;
};

struct Claim {
  std::string id, text;  // the text says in words what is claimed, and where
  core::Place place;
  std::string why;  // nothing here can tell, without an expression; else, why it does not hold here, as measured
  ClaimKind kind = ClaimKind::value;
  ClaimExpression expression;
  Published published;
  double tolerance = 0;  // how far ours may lie outside of what was published, in its own unit

  bool judged() const { return !expression.text().empty(); }
};

/// Reads claims.csv: the heading "id,expression,published,kind,tolerance,text,why", then a row a claim. A
/// mistake is a core::UserError with file, line, what was expected and the nearest valid name.
std::vector<Claim> read_claims(std::string_view text, const std::string& file, const ClaimNames&);

enum class Verdict { held, broken, undecided, unmeasured, not_judged };
inline constexpr std::string_view verdict_names[] = {"held", "not held", "undecided", "not measured", "not judged"};

struct JudgedClaim {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::not_judged;
  std::vector<double> by_seed;  // in the seeds' order; empty when one has no value
  std::string note;             // of a minimum or maximum: which members do not hold, with the first seed
  /// What stands behind the verdict: the note, and why the claim does not hold or is not judged.
  std::string reason() const;
  std::optional<double> ours() const;  // the mean over the seeds
  /// "0.612", or with several seeds "0.612, 0.590 to 0.640"; "-" for none. Of a direction as many digits as show on
  /// which side of the published value ours lies: "0.9999" is below 1.
  std::string ours_text() const;
};

/// Held under every seed, under none (broken), or under some (undecided). `measures`: one a seed.
JudgedClaim judge(const Claim&, const std::vector<Measure>& measures);

}  // namespace ew::report
