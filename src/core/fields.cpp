#include "core/fields.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace ew::core {

namespace {

std::string bytes_text(u64 count) {
  static constexpr std::pair<int, const char*> units[] = {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (auto [shift, name] : units) {
    if (count != 0 && count % (u64{1} << shift) == 0) return fmt::format("\"{} {}\"", count >> shift, name);
  }
  return fmt::format("{}", count);
}

// count / scale in decimal, exactly; scale is a power of ten.
std::string decimal_text(u64 count, u64 scale) {
  std::string text = fmt::format("{}", count / scale);
  if (u64 rest = count % scale) {
    std::string digits = fmt::format("{}", scale + rest).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text;
}

std::string number_text(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value) : fmt::format("{}", value);
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result + "\"";
}

struct ValueText {
  std::string operator()(const u32* v) const { return fmt::format("{}", *v); }
  std::string operator()(const u64* v) const { return fmt::format("{}", *v); }
  std::string operator()(const bool* v) const { return *v ? "true" : "false"; }
  std::string operator()(const std::string* v) const { return in_quotes(*v); }
  std::string operator()(const Dim3* v) const { return fmt::format("[{}, {}, {}]", v->x, v->y, v->z); }
  std::string operator()(const Bytes* v) const { return bytes_text(v->count); }
  std::string operator()(const Kilohertz* v) const { return decimal_text(v->count, 1000); }
  std::string operator()(const Picoseconds* v) const { return decimal_text(v->count, 1000); }
  std::string operator()(const BytesPerSecond* v) const { return decimal_text(v->count, 1'000'000'000); }
  std::string operator()(const Femtojoules* v) const { return decimal_text(v->count, 1000); }
  std::string operator()(const ComputeCapability* v) const { return fmt::format("\"{}.{}\"", v->major, v->minor); }
};

struct BytesText {
  std::string operator()(const u32* v) const { return bytes_text(*v); }
  std::string operator()(const u64* v) const { return bytes_text(*v); }
  std::string operator()(const Bytes* v) const { return bytes_text(v->count); }
  std::string operator()(const auto*) const { return {}; }
};

}  // namespace

bool is_bytes(const Field& field) {
  const bool whole = std::holds_alternative<u32*>(field.target) || std::holds_alternative<u64*>(field.target);
  return std::holds_alternative<Bytes*>(field.target) || (whole && field.unit == "bytes");
}

std::string value_text(const Field& field) {
  if (is_bytes(field)) return std::visit(BytesText{}, field.target);
  return std::visit(ValueText{}, field.target);
}

std::string_view unit_text(const Field& field) {
  if (std::holds_alternative<Bytes*>(field.target)) return "bytes";
  if (std::holds_alternative<Kilohertz*>(field.target)) return "MHz";
  if (std::holds_alternative<Picoseconds*>(field.target)) return "ns";
  if (std::holds_alternative<BytesPerSecond*>(field.target)) return "GB/s";
  if (std::holds_alternative<Femtojoules*>(field.target)) return "pJ";
  return field.unit;
}

std::string expected_text(const Field& field) {
  const std::string range = fmt::format("{} .. {}", number_text(field.range.lowest), number_text(field.range.highest));
  if (std::holds_alternative<bool*>(field.target)) return "true or false";
  if (!field.choices.names.empty()) return fmt::format("one of \"{}\"", fmt::join(field.choices.names, "\", \""));
  if (std::holds_alternative<std::string*>(field.target)) return "a text in quotes";
  if (std::holds_alternative<ComputeCapability*>(field.target)) return "a version such as \"7.5\", " + range;
  if (is_bytes(field)) return "bytes, as 65536 or \"64 KiB\", " + range;
  if (std::holds_alternative<Dim3*>(field.target)) return "three whole numbers [x, y, z], each " + range;
  const bool whole = std::holds_alternative<u32*>(field.target) || std::holds_alternative<u64*>(field.target);
  const std::string_view unit = unit_text(field);
  return fmt::format("a {}number{}{}, {}", whole ? "whole " : "", unit.empty() ? "" : " of ", unit, range);
}

}  // namespace ew::core
