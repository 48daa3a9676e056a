// Trips from a file for taxi.cu: records of New York's Taxi and Limousine Commission as text with commas (CSV).
//
// The first line names the columns. Read are trip_distance, total_amount, improvement_surcharge (or surcharge, or
// extra), ehail_fee, tolls_amount and mta_tax, wherever they stand. Yellow taxis have no ehail_fee: then it is 0. An
// empty field is 0, too. Distances become hundredths of a mile, amounts become cents.
#pragma once

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace trips {

using word = unsigned long long;

inline std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  }
  return fields;
}

/// Where the first of these names stands; -1: nowhere.
inline int place_of(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted)
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == name) return static_cast<int>(i);
  return -1;
}

/// The six columns that the queries read, in their order. Throws a sentence about a file that has none.
inline std::vector<std::vector<word>> read(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw std::runtime_error(name + ": it cannot be opened; expected NAME=VALUE, or a file with trips");
  const std::vector<std::vector<std::string>> wanted = {
      {"trip_distance"}, {"total_amount"}, {"improvement_surcharge", "surcharge", "extra"},
      {"ehail_fee"},     {"tolls_amount"}, {"mta_tax"}};
  std::string text;
  std::getline(file, text);
  const std::vector<std::string> names = fields_of(text);
  std::vector<int> places;
  for (const std::vector<std::string>& each : wanted) {
    places.push_back(place_of(names, each));
    if (places.back() < 0 && each[0] != "ehail_fee")
      throw std::runtime_error(name + ": its first line names no column " + each[0]);
  }
  std::vector<std::vector<word>> columns(wanted.size());
  for (word line = 2; std::getline(file, text); ++line) {
    if (text.empty() || text == "\r") continue;
    const std::vector<std::string> fields = fields_of(text);
    if (fields.size() != names.size())
      throw std::runtime_error(name + ":" + std::to_string(line) + ": expected " + std::to_string(names.size()) +
                               " fields, as in the first line, found " + std::to_string(fields.size()));
    for (size_t c = 0; c < columns.size(); ++c) {
      const std::string field = places[c] < 0 ? "" : fields[places[c]];
      char* end = nullptr;
      const double value = strtod(field.c_str(), &end);
      if (*end != 0 || !(std::abs(value) < 1e12))
        throw std::runtime_error(name + ":" + std::to_string(line) + ": " + names[places[c]] +
                                 ": expected a number, found \"" + field + "\"");
      const long long hundredths = std::llround(value * 100);
      columns[c].push_back(static_cast<word>(c == 0 && hundredths < 0 ? 0 : hundredths));
    }
  }
  if (columns[0].empty()) throw std::runtime_error(name + ": it has no trips");
  return columns;
}

}  // namespace trips
