#include "core/configuration.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/nearest.hpp"

namespace ew::core {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void reject(const Place& place, const Field& field, std::string_view found) {
  throw UserError(place, fmt::format("{} should be {}, but is {}", field.key(), expected_text(field), found));
}

// "64 KiB" -> 65536; nothing when it is not of that shape.
std::optional<double> bytes_in(std::string_view text) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"TiB", 0x1p40}, {"GiB", 0x1p30}, {"MiB", 0x1p20}, {"KiB", 0x1p10}, {"TB", 1e12},
      {"GB", 1e9},     {"MB", 1e6},     {"KB", 1e3},     {"kB", 1e3},     {"B", 1}};
  for (auto [suffix, scale] : units) {
    if (!text.ends_with(suffix)) continue;
    std::string digits(text.substr(0, text.size() - suffix.size()));
    while (!digits.empty() && digits.back() == ' ') digits.pop_back();
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (digits.empty() || *end != 0 || value * scale != std::floor(value * scale)) return std::nullopt;
    return value * scale;
  }
  return std::nullopt;
}

/// Writes one TOML value into the field's target, or rejects it.
class Assign {
 public:
  Assign(const toml::node& node, const Place& place, const Field& field) : node_(node), place_(place), field_(field) {}

  void operator()(u32* target) const { *target = static_cast<u32>(size_or_whole()); }
  void operator()(u64* target) const { *target = size_or_whole(); }
  void operator()(bool* target) const {
    const auto value = node_.value_exact<bool>();
    if (!value) refuse();
    *target = *value;
  }
  void operator()(std::string* target) const {
    const auto value = node_.value_exact<std::string>();
    if (!value) refuse();
    const auto& names = field_.choices.names;
    if (!names.empty() && std::find(names.begin(), names.end(), *value) == names.end())
      throw UserError(place_, fmt::format("unknown {} \"{}\"{} ({} should be {})", field_.name, *value,
                                          did_you_mean(*value, names), field_.key(), expected_text(field_)));
    *target = *value;
  }
  void operator()(Dim3* target) const {
    const toml::array* array = node_.as_array();
    if (!array || array->size() != 3) refuse();
    *target = Dim3{static_cast<u32>(whole(*array->get(0))), static_cast<u32>(whole(*array->get(1))),
                   static_cast<u32>(whole(*array->get(2)))};
  }
  void operator()(Bytes* target) const { target->count = size_or_whole(); }
  void operator()(Kilohertz* target) const { target->count = scaled(1000); }
  void operator()(Picoseconds* target) const { target->count = scaled(1000); }
  void operator()(BytesPerSecond* target) const { target->count = scaled(1'000'000'000); }
  void operator()(Femtojoules* target) const { target->count = scaled(1000); }
  void operator()(ComputeCapability* target) const {
    std::string text;
    if (const auto value = node_.value_exact<std::string>()) text = *value;
    if (const auto value = node_.value_exact<double>()) text = fmt::format("{:.1f}", *value);
    unsigned major = 0, minor = 0;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%u.%u%c", &major, &minor, &rest) != 2 || minor > 9) refuse();
    in_range(major + minor / 10.0);
    *target = {major, minor};
  }

 private:
  [[noreturn]] void refuse() const {
    std::ostringstream text;
    node_.visit([&](const auto& value) {
      if constexpr (toml::is_value<decltype(value)>)
        text << *value;
      else
        text << (value.is_table() ? "a table" : "an array");
    });
    const bool quoted = place_.line && node_.is_string() && !std::holds_alternative<std::string*>(field_.target);
    const std::string written = text.str();
    if (quoted && !is_bytes(field_) && !written.empty() && written[0] >= '0' && written[0] <= '9')
      reject(place_, field_, fmt::format("the text \"{}\": write it without quotes and unit", written));
    reject(place_, field_, text.str());
  }
  double in_range(double value) const {
    if (!(value >= field_.range.lowest && value <= field_.range.highest)) refuse();
    return value;
  }
  u64 size_or_whole() const {
    const auto text = is_bytes(field_) ? node_.value_exact<std::string>() : std::nullopt;
    if (!text) return static_cast<u64>(whole(node_));
    const auto bytes = bytes_in(*text);
    if (!bytes) refuse();
    return static_cast<u64>(in_range(*bytes));
  }
  i64 whole(const toml::node& node) const {
    const auto value = node.value_exact<i64>();
    if (!value) refuse();
    in_range(static_cast<double>(*value));
    return *value;
  }
  // A decimal number in the file's unit as a whole number of the smallest unit; refuses what would have to be rounded.
  u64 scaled(u64 scale) const {
    if (const auto value = node_.value_exact<i64>()) {
      in_range(static_cast<double>(*value));
      return static_cast<u64>(*value) * scale;
    }
    const auto value = node_.value_exact<double>();
    if (!value) refuse();
    in_range(*value);
    const double count = std::round(*value * static_cast<double>(scale));
    if (std::abs(count / static_cast<double>(scale) - *value) > 1e-12 * std::abs(*value)) refuse();
    return static_cast<u64>(count);
  }

  const toml::node& node_;
  const Place& place_;
  const Field& field_;
};

std::string unknown_name(std::string_view what, std::string_view name, const std::vector<std::string>& valid) {
  const std::vector<std::string_view> views(valid.begin(), valid.end());
  std::string list = did_you_mean(name, views);
  if (list.empty() && !valid.empty()) list = fmt::format(" (one of: {})", fmt::join(valid, ", "));
  return fmt::format("unknown {} \"{}\"{}", what, name, list);
}

std::vector<std::string> section_names(const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const Field& field : fields) {
    if (names.empty() || names.back() != field.section) names.push_back(field.section);
  }
  return names;
}

/// A key that stands in another section is named with that, unless one of this section is near.
std::string unknown_key(std::string_view section, std::string_view name, const std::vector<Field>& fields) {
  std::vector<std::string> valid, elsewhere;
  for (const Field& field : fields) {
    if (field.section == section) valid.push_back(field.name);
    if (field.name == name) elsewhere.push_back(fmt::format("\"{}\"", field.key()));
  }
  const std::string what = fmt::format("key in [{}]", section);
  const std::vector<std::string_view> views(valid.begin(), valid.end());
  if (elsewhere.empty() || !did_you_mean(name, views).empty()) return unknown_name(what, name, valid);
  return fmt::format("unknown {} \"{}\" (did you mean {}?)", what, name, fmt::join(elsewhere, " or "));
}

/// One key of a section.
void assign(std::string_view section, std::string_view name, const toml::node& value, const Place& place,
            const std::vector<Field>& fields) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.section == section && field.name == name; });
  if (found == fields.end()) throw UserError(place, unknown_key(section, name, fields));
  std::visit(Assign(value, place, *found), found->target);
}

/// All mistakes are told together, in the order of the lines.
void assign(const toml::table& root, const std::string& file, const std::vector<Field>& fields) {
  const std::vector<std::string> sections = section_names(fields);
  Mistakes mistakes;
  for (auto&& [section, node] : root) {
    const Place place{file, node.source().begin.line};
    mistakes.collect(place.line, [&] {
      if (std::find(sections.begin(), sections.end(), section.str()) == sections.end())
        throw UserError(place, unknown_name("section", section.str(), sections));
      const toml::table* table = node.as_table();
      if (!table) throw UserError(place, fmt::format("{} should be a section, [{}]", section.str(), section.str()));
      for (auto&& [name, value] : *table) {
        const Place at{file, value.source().begin.line};
        if (const toml::table* const part = value.as_table())  // [section.name]
          for (auto&& [key, inner] : *part) {
            const Place inside{file, inner.source().begin.line};
            mistakes.collect(inside.line, [&] {
              assign(section.str(), fmt::format("{}.{}", name.str(), key.str()), inner, inside, fields);
            });
          }
        else
          mistakes.collect(at.line, [&] { assign(section.str(), name.str(), value, at, fields); });
      }
    });
  }
  mistakes.tell();
}

/// The text of a machine file; a file that cannot be read is a UserError that says why.
std::string contents(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw UserError({path.string()}, "is a folder, not a machine file");
  FileText file = read_file(path);
  if (!file.why.empty()) throw UserError({path.string()}, fmt::format("cannot read this machine file: {}", file.why));
  return std::move(file.text);
}

}  // namespace

fs::path home_directory() {
  Dl_info info{};
  std::error_code error;
  if (dladdr(reinterpret_cast<const void*>(&home_directory), &info) && info.dli_fname) {
    const fs::path library = fs::weakly_canonical(info.dli_fname, error);
    const fs::path installed = library.parent_path().parent_path() / "share" / "everwarp";
    if (fs::is_directory(installed / "machines", error)) return installed;
    // A build tree may have moved together with its sources: build/release/src/libeverwarp.so
    fs::path folder = library.parent_path();
    for (int up = 0; up < 5 && folder.has_relative_path(); ++up, folder = folder.parent_path()) {
      if (fs::is_regular_file(folder / "machines" / "default.toml", error)) return folder;
    }
  }
  return EW_SOURCE_DIRECTORY;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(home_directory() / "machines", error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path machine_file(std::string_view name_or_path) {
  if (name_or_path.find('/') != name_or_path.npos || name_or_path.ends_with(".toml")) return name_or_path;
  const fs::path path = home_directory() / "machines" / (std::string(name_or_path) + ".toml");
  std::error_code error;
  if (fs::exists(path, error)) return path;
  if (name_or_path == "default") return {};
  throw UserError(unknown_name("machine", name_or_path, machine_names()));
}

void read_toml_file(const fs::path& path, const std::vector<Field>& fields) {
  read_toml(contents(path), path.string(), fields);
}

void read_toml(std::string_view text, const std::string& file, const std::vector<Field>& fields) {
  try {
    assign(toml::parse(text, file), file, fields);
  } catch (const toml::parse_error& error) {
    throw UserError({file, error.source().begin.line}, std::string(error.description()));
  }
}

u32 line_of(const fs::path& path, std::string_view key) {
  const auto dot = key.find('.');
  try {
    const toml::table table = toml::parse(contents(path), path.string());
    const toml::node* node = table[key.substr(0, dot)][key.substr(dot + 1)].node();
    return node ? node->source().begin.line : 0;
  } catch (const toml::parse_error&) {
    return 0;
  }
}

void apply_setting(std::string_view setting, const std::vector<Field>& fields) {
  const auto equals = setting.find('=');
  const std::string_view key = setting.substr(0, equals);
  const auto dot = key.find('.');
  if (equals == setting.npos || dot == key.npos || dot == 0 || dot + 1 == key.size())
    throw UserError(fmt::format("--set should be section.key=value, as in sm.count=4, but is \"{}\"", setting));
  std::string value(setting.substr(equals + 1));
  const auto line = [&](std::string_view text) { return fmt::format("{} = {}\n", key, text); };
  try {
    toml::table table;
    try {
      table = toml::parse(line(value));
    } catch (const toml::parse_error&) {
      table = toml::parse(line("'" + value + "'"));  // a bare word
    }
    assign(table, "", fields);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("--set {}: {}", setting, error.description()));
  } catch (const UserError& error) {
    throw UserError(fmt::format("--set {}: {}", setting, error.what()));
  }
}

std::string to_toml(const std::vector<Field>& fields, const SectionSentence& sentence) {
  std::string text, section;
  for (const Field& field : fields) {
    if (field.section != section) {
      section = field.section;
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", section);
      if (sentence) text += fmt::format("# {}\n", sentence(section));
    }
    if (sentence) {
      text += fmt::format("\n# {}\n# {}.", field.sentence,
                          field.choices.models ? "a model: `ew explain models` lists them" : expected_text(field));
      if (!field.source.empty()) text += fmt::format(" Source: {}.", field.source);
      text += '\n';
    }
    text += fmt::format("{} = {}\n", field.name, value_text(field));
  }
  return text;
}

}  // namespace ew::core
