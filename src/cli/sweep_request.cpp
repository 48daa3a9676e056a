#include "cli/sweep_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "core/diagnostics.hpp"
#include "report/study_table.hpp"

namespace ew::cli {

using namespace process;

namespace {

using core::Mistakes, core::Place, core::UserError;

std::string trimmed(std::string text) {
  while (text.starts_with(' ')) text.erase(0, 1);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// A value of the file as it would be typed behind --set; nothing for what is no value.
std::optional<std::string> typed_value(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto whole = node.value_exact<i64>()) return fmt::format("{}", *whole);
  if (const auto number = node.value_exact<double>()) return fmt::format("{}", *number);
  if (const auto truth = node.value_exact<bool>()) return *truth ? "true" : "false";
  const toml::array* const array = node.as_array();
  if (!array) return std::nullopt;
  std::string text;
  for (const toml::node& one : *array) {
    const auto part = typed_value(one);
    if (!part) return std::nullopt;
    text += (text.empty() ? "[" : ", ") + *part;
  }
  return text + "]";
}

class SweepFile {
 public:
  explicit SweepFile(std::string path) : path_(std::move(path)), document_(report::read_document(path_, "sweep")) {}

  SweepRequest read() {
    for (auto&& [key, node] : document_) collect(node, [&, name = std::string(key.str())] { read_key(name, node); });
    mistakes_.tell();
    return std::move(request_);
  }

 private:
  u32 line_of(const toml::node& node) const { return static_cast<u32>(node.source().begin.line); }
  Place place_of(const toml::node& node) const { return {path_, line_of(node)}; }
  template <class Work>
  void collect(const toml::node& node, Work&& work) {
    mistakes_.collect(line_of(node), std::forward<Work>(work));
  }

  void read_key(const std::string& key, const toml::node& node) {
    static constexpr std::string_view keys[] = {"program", "machines", "settings", "arguments",       "seeds",
                                                "metrics", "x",        "lines",    "max_instructions"};
    report::expect_name(place_of(node), "key of a sweep", key, keys);
    if (key == "program") {
      std::istringstream words(text(node, key));
      for (std::string word; words >> word;) request_.program.push_back(word);
    } else if (key == "machines") {
      request_.machines = axis(node, key, "");
    } else if (key == "settings") {
      read_settings(node, "");
    } else if (key == "arguments") {
      for (auto&& [name, values] : report::as_table(node, path_, "[arguments]"))
        collect(values, [&, argument = std::string(name.str())] {
          request_.arguments.push_back(axis(values, argument, argument));
        });
    } else if (key == "seeds") {
      for (const std::string& value : axis(node, key, "").values) request_.seeds.push_back(whole(node, key, value));
    } else if (key == "metrics") {
      request_.metrics = axis(node, key, "").values;
    } else if (key == "max_instructions") {
      request_.max_instructions = whole(node, key, typed_value(node).value_or(""));
    } else {
      (key == "x" ? request_.x : request_.lines) = text(node, key);
    }
  }

  /// "l1.bytes" = [...], [settings.l1] bytes = [...], or l1.bytes = [...] are the same.
  void read_settings(const toml::node& node, const std::string& prefix) {
    for (auto&& [name, values] : report::as_table(node, path_, "[settings]")) {
      const std::string key = prefix + std::string(name.str());
      if (values.is_table())
        read_settings(values, key + ".");
      else
        collect(values, [&] { request_.settings.push_back(axis(values, key, key == "configuration" ? "" : key)); });
    }
  }

  /// One value, or a list of them.
  AskedAxis axis(const toml::node& node, const std::string& what, std::string key) const {
    AskedAxis axis{std::move(key), {}, fmt::format("{}:{}: ", path_, line_of(node)), line_of(node)};
    const auto add = [&](const toml::node& one) {
      const auto value = typed_value(one);
      if (!value || value->empty()) throw UserError(place_of(one), fmt::format("{} should be a list of values", what));
      axis.values.push_back(*value);
    };
    if (const toml::array* const array = node.as_array())
      for (const toml::node& one : *array) add(one);
    else
      add(node);
    if (axis.values.empty()) throw UserError(place_of(node), fmt::format("{} has no value", what));
    return axis;
  }

  std::string text(const toml::node& node, std::string_view key) const {
    const auto value = node.value_exact<std::string>();
    if (!value || value->empty()) throw UserError(place_of(node), fmt::format("{} should be a text", key));
    return *value;
  }

  u64 whole(const toml::node& node, std::string_view key, const std::string& value) const {
    u64 number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      throw UserError(place_of(node), fmt::format("{} should be whole numbers, but one is \"{}\"", key, value));
    return number;
  }

  std::string path_;
  toml::table document_;
  SweepRequest request_;
  Mistakes mistakes_;
};

}  // namespace

std::vector<std::string> split_values(std::string_view text, std::string_view what) {
  std::vector<std::string> values;
  std::string open, value;  // brackets that wait for their ends; a quote is the last of them
  const auto end_value = [&] {
    value = trimmed(value);
    if (value.empty())
      throw UserError(fmt::format("{}: value {} is empty; values are parted by commas", what, values.size() + 1));
    values.push_back(std::exchange(value, {}));
  };
  for (const char c : text) {
    const bool quoted = !open.empty() && (open.back() == '"' || open.back() == '\'');
    if (quoted ? c == open.back() : !open.empty() && c == open.back())
      open.pop_back();
    else if (!quoted && (c == '"' || c == '\''))
      open += c;
    else if (!quoted && c == '[')
      open += ']';
    if (c == ',' && open.empty())
      end_value();
    else
      value += c;
  }
  if (!open.empty())
    throw UserError(fmt::format("{}: {} is missing: a comma inside of brackets or quotes does not part values", what,
                                open.back() == ']' ? "a closing ]" : fmt::format("a closing {}", open.back())));
  end_value();
  return values;
}

AskedAxis read_axis(const std::string& word, std::string_view option) {
  const auto equals = word.find('=');
  const bool named = equals == word.npos && option == "--set";
  if (!named && (equals == word.npos || equals == 0))
    throw UserError(fmt::format("{} should be NAME=VALUE,VALUE, but is \"{}\"", option, word));
  AskedAxis axis;
  if (!named) axis.key = word.substr(0, equals);
  axis.values = split_values(std::string_view(word).substr(named ? 0 : equals + 1),
                             fmt::format("{} {}", option, named ? word : axis.key));
  return axis;
}

SweepRequest read_sweep_file(const std::string& path) {
  return SweepFile(path).read();
}

void replace_axis(std::vector<AskedAxis>& axes, AskedAxis axis) {
  const auto found = std::ranges::find(axes, axis.key, &AskedAxis::key);
  if (found == axes.end())
    axes.push_back(std::move(axis));
  else if (found->line)
    *found = std::move(axis);
  else
    throw UserError(fmt::format("{} is given twice; put its values into one list: {}={},{}",
                                axis.key.empty() ? "a named setting" : axis.key, axis.key,
                                fmt::join(found->values, ","), fmt::join(axis.values, ",")));
}

}  // namespace ew::cli
