#include "cli/machine_differences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/run_settings.hpp"
#include "cli/table.hpp"
#include "runtime/machine_config.hpp"

namespace ew::cli {

namespace {

/// nothing: a word, or several numbers.
std::optional<double> number_of(const core::Field& field) {
  return std::visit(
      [](const auto* value) -> std::optional<double> {
        using T = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, bool>)
          return std::nullopt;
        else if constexpr (std::is_arithmetic_v<T>)
          return static_cast<double>(*value);
        else if constexpr (requires { value->count; })
          return static_cast<double>(value->count);
        else
          return std::nullopt;
      },
      field.target);
}

/// The logarithm of the ratio; of words, and beside 0, more than any of these.
double size_of(const std::vector<std::optional<double>>& numbers) {
  constexpr double of_words = 1e6, beside_zero = 1e3;
  double most = 0;
  for (const auto& number : numbers) {
    if (!number || !numbers[0]) return of_words;
    if (*number == *numbers[0]) continue;
    const bool zero = *number == 0 || *numbers[0] == 0;
    most = std::max(most, zero ? beside_zero : std::abs(std::log(*number / *numbers[0])));
  }
  return most;
}

}  // namespace

MachineDifferences::MachineDifferences(const std::vector<std::string>& machines) : machines_(machines) {
  std::vector<runtime::MachineConfig> configs;
  for (const std::string& name : machines) {
    RunSettings settings;
    settings.machine = name;
    configs.push_back(runtime::effective(settings.resolve()));
  }
  std::vector<std::vector<core::Field>> fields;
  for (runtime::MachineConfig& config : configs) fields.push_back(runtime::fields_of(config));
  for (std::size_t f = 0; f < fields[0].size(); ++f) {
    Row row{.key = fields[0][f].key(), .values = {}, .size = 0};
    std::vector<std::optional<double>> numbers;
    for (const auto& of : fields) {
      const std::string_view unit = core::is_bytes(of[f]) ? "" : core::unit_text(of[f]);
      row.values.push_back(core::value_text(of[f]) + (unit.empty() ? "" : fmt::format(" {}", unit)));
      numbers.push_back(number_of(of[f]));
    }
    if (std::ranges::all_of(row.values, [&](const std::string& value) { return value == row.values[0]; })) {
      ++equal_;
      continue;
    }
    row.size = size_of(numbers);
    rows_.push_back(std::move(row));
  }
  std::ranges::stable_sort(rows_, std::greater{}, &Row::size);
}

std::string MachineDifferences::text() const {
  std::vector<std::string> headings{"field"};
  for (const std::string& machine : machines_) headings.push_back(">" + machine);
  Table table(std::move(headings));
  for (const Row& row : rows_) {
    std::vector<std::string> cells{row.key};
    cells.insert(cells.end(), row.values.begin(), row.values.end());
    table.row(std::move(cells));
  }
  return fmt::format("{}{}{} differ{}, {} are equal. `ew explain KEY` says what one is.\n", table.text(),
                     rows_.empty() ? "" : "\n", rows_.size() == 1 ? "1 field" : fmt::format("{} fields", rows_.size()),
                     rows_.size() == 1 ? "s" : "", equal_);
}

nlohmann::ordered_json MachineDifferences::json() const {
  nlohmann::ordered_json json{
      {"machines", machines_}, {"fields", nlohmann::ordered_json::array()}, {"equal_fields", equal_}};
  for (const Row& row : rows_) json["fields"].push_back({{"key", row.key}, {"values", row.values}});
  return json;
}

}  // namespace ew::cli
