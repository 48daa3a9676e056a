// One table of a study's TOML file, read by name: every mistake is a core::UserError with file, line and the nearest
// valid name. Owned by whoever reads; the parsed document outlives it.
#pragma once

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"

namespace ew::report {

/// A file as a TOML document; one that cannot be read or parsed is a UserError.
toml::table read_document(const std::filesystem::path& file, std::string_view what = "study");

/// The name among the valid ones, or a UserError that says which was meant.
void expect_name(const core::Place& place, std::string_view what, std::string_view name,
                 std::span<const std::string_view> valid);

/// The node as the table that `what` names, or a UserError.
const toml::table& as_table(const toml::node& node, const std::string& file, std::string_view what);

template <class Map>
std::vector<std::string_view> names_of(const Map& map) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

inline std::vector<std::string_view> views_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

class StudyTable {
 public:
  /// `what` names the table in messages: "[[bar]]". A key that is not among `keys` is refused at once.
  StudyTable(const toml::table& table, std::string file, std::string what, std::vector<std::string_view> keys);

  core::Place place() const { return place_of(table_); }
  core::Place place_of(std::string_view key) const;
  bool has(std::string_view key) const { return table_.contains(key); }

  std::string text(std::string_view key) const;  // REQUIRED to be there
  std::string text_or(std::string_view key, std::string_view otherwise) const;
  std::vector<std::string> texts_or_none(std::string_view key) const;
  bool truth_or(std::string_view key, bool otherwise) const;
  double positive_or(std::string_view key, double otherwise) const;  // a number above 0
  bool is_text(std::string_view key) const { return has(key) && table_.get(key)->is_string(); }
  /// A list of numbers and texts, as they would be typed; REQUIRED to be there, and not empty.
  std::vector<std::string> values(std::string_view key) const;
  /// A table of tables, or of values, by name; empty when it is not there.
  const toml::table& table_or_none(std::string_view key) const;
  /// The tables of [[key]]; empty when there are none.
  std::vector<const toml::table*> tables_or_none(std::string_view key) const;
  /// The word's place in the list; a word that is not in it is refused.
  std::size_t choice_or(std::string_view key, std::span<const std::string_view> words, std::size_t otherwise) const;

 private:
  core::Place place_of(const toml::node& node) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;

  const toml::table& table_;
  std::string file_, what_;
};

}  // namespace ew::report
