#include "report/study_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "core/files.hpp"
#include "core/nearest.hpp"

namespace ew::report {

using core::Place;
using core::UserError;

toml::table read_document(const std::filesystem::path& path, std::string_view what) {
  const core::FileText file = core::read_file(path);
  if (!file.why.empty()) throw UserError({path.string()}, fmt::format("cannot read this {}: {}", what, file.why));
  try {
    return toml::parse(file.text, path.string());
  } catch (const toml::parse_error& mistake) {
    throw UserError({path.string(), mistake.source().begin.line}, mistake.description());
  }
}

void expect_name(const Place& place, std::string_view what, std::string_view name,
                 std::span<const std::string_view> valid) {
  if (std::find(valid.begin(), valid.end(), name) != valid.end()) return;
  std::string hint = core::did_you_mean(name, valid);
  if (hint.empty() && !valid.empty()) hint = fmt::format(" (one of: {})", fmt::join(valid, ", "));
  throw UserError(place, fmt::format("unknown {} \"{}\"{}", what, name, hint));
}

const toml::table& as_table(const toml::node& node, const std::string& file, std::string_view what) {
  if (!node.is_table())
    throw UserError({file, static_cast<u32>(node.source().begin.line)}, fmt::format("{} should be a table", what));
  return *node.as_table();
}

StudyTable::StudyTable(const toml::table& table, std::string file, std::string what, std::vector<std::string_view> keys)
    : table_(table), file_(std::move(file)), what_(std::move(what)) {
  for (auto&& [key, node] : table_) expect_name(place_of(node), fmt::format("key in {}", what_), key.str(), keys);
}

Place StudyTable::place_of(const toml::node& node) const {
  return {file_, static_cast<u32>(node.source().begin.line)};
}

Place StudyTable::place_of(std::string_view key) const {
  const toml::node* node = table_.get(key);
  return node ? place_of(*node) : place();
}

void StudyTable::refuse(std::string_view key, std::string_view expected) const {
  throw UserError(place_of(key), fmt::format("{} in {} should be {}", key, what_, expected));
}

std::string StudyTable::text(std::string_view key) const {
  if (!has(key)) throw UserError(place(), fmt::format("{} should have \"{}\"", what_, key));
  const auto value = table_.get(key)->value_exact<std::string>();
  if (!value || value->empty()) refuse(key, "a text that is not empty");
  return *value;
}

std::string StudyTable::text_or(std::string_view key, std::string_view otherwise) const {
  return has(key) ? text(key) : std::string(otherwise);
}

std::vector<std::string> StudyTable::texts_or_none(std::string_view key) const {
  std::vector<std::string> texts;
  if (!has(key)) return texts;
  const toml::array* array = table_.get(key)->as_array();
  if (!array) refuse(key, "a list of texts");
  for (const toml::node& node : *array) {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty()) throw UserError(place_of(node), fmt::format("{} should be a list of texts", key));
    texts.push_back(*value);
  }
  return texts;
}

std::vector<std::string> StudyTable::values(std::string_view key) const {
  if (!has(key)) throw UserError(place(), fmt::format("{} should have \"{}\"", what_, key));
  const toml::array* array = table_.get(key)->as_array();
  if (!array || array->empty()) refuse(key, "a list of numbers or texts");
  std::vector<std::string> list;
  for (const toml::node& node : *array) {
    if (const auto text = node.value_exact<std::string>(); text && !text->empty())
      list.push_back(*text);
    else if (const auto whole = node.value_exact<i64>())
      list.push_back(fmt::format("{}", *whole));
    else if (const auto number = node.value_exact<double>())
      list.push_back(fmt::format("{}", *number));
    else
      throw UserError(place_of(node), fmt::format("{} should be a list of numbers or texts", key));
  }
  return list;
}

bool StudyTable::truth_or(std::string_view key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const auto value = table_.get(key)->value_exact<bool>();
  if (!value) refuse(key, "true or false");
  return *value;
}

double StudyTable::positive_or(std::string_view key, double otherwise) const {
  if (!has(key)) return otherwise;
  const auto value = table_.get(key)->value<double>();
  if (!value || !(*value > 0)) refuse(key, "a number above 0");
  return *value;
}

const toml::table& StudyTable::table_or_none(std::string_view key) const {
  static const toml::table none;
  if (!has(key)) return none;
  const toml::table* table = table_.get(key)->as_table();
  if (!table) refuse(key, "a table");
  return *table;
}

std::vector<const toml::table*> StudyTable::tables_or_none(std::string_view key) const {
  std::vector<const toml::table*> tables;
  if (!has(key)) return tables;
  const toml::array* array = table_.get(key)->as_array();
  if (!array) refuse(key, fmt::format("tables, each [[{}]]", key));
  for (const toml::node& node : *array) {
    if (!node.is_table()) throw UserError(place_of(node), fmt::format("{} should be tables, each [[{}]]", key, key));
    tables.push_back(node.as_table());
  }
  return tables;
}

std::size_t StudyTable::choice_or(std::string_view key, std::span<const std::string_view> words,
                                  std::size_t otherwise) const {
  if (!has(key)) return otherwise;
  const std::string word = text(key);
  expect_name(place_of(key), key, word, words);
  return static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
}

}  // namespace ew::report
