#include "form_case.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <regex>
#include <vector>

#include "ptx/flow.hpp"
#include "ptx/program.hpp"
#include "simt/alu.hpp"

namespace ew::test {
namespace {

using Wide = std::array<u32, 4>;

struct Case {
  std::map<std::string, Wide> inputs, outputs;
};

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t at; (at = text.find(separator)) != std::string_view::npos; text.remove_prefix(at + separator.size()))
    parts.push_back(trimmed(text.substr(0, at)));
  parts.push_back(trimmed(text));
  return parts;
}

u64 number(std::string text) {
  const bool is_negative = text.starts_with('-');
  const std::string plain = text.substr(is_negative);
  const bool is_float = text.ends_with('f') && !plain.starts_with("0x");
  const bool is_named = plain == "inf" || plain == "inff" || plain == "nan" || plain == "nanf";
  if (is_named || text.find('.') != std::string::npos || text.find('p') != std::string::npos) {
    const bool single = is_named ? plain.size() == 4 : text.ends_with('f');
    if (single) text.pop_back();
    const double value = std::strtod(text.c_str(), nullptr);
    if (std::isnan(value)) return single ? 0x7fffffff : 0xfff8000000000000;
    if (!single) return std::bit_cast<u64>(value);
    return std::bit_cast<u32>(std::strtof(text.c_str(), nullptr));
  }
  if (is_float) return std::bit_cast<u32>(std::strtof(text.c_str(), nullptr));
  const u64 value = std::strtoull(plain.c_str(), nullptr, 0);
  return is_negative ? 0 - value : value;
}

Wide value_of(const std::string& text) {
  const auto parts = split(text, ":");
  const u64 low = number(parts.back()), high = parts.size() > 1 ? number(parts[0]) : 0;
  return {static_cast<u32>(low), static_cast<u32>(low >> 32), static_cast<u32>(high), static_cast<u32>(high >> 32)};
}

std::map<std::string, Wide> assignments(const std::string& text) {
  std::map<std::string, Wide> result;
  for (const auto& word : split(text, " ")) {
    if (word.empty()) continue;
    const auto parts = split(word, "=");
    result["%" + parts[0]] = value_of(parts.at(1));
  }
  return result;
}

std::string_view type_of(std::string_view name) {
  if (name.starts_with("%rs")) return "b16";
  if (name.starts_with("%rd")) return "b64";
  if (name.starts_with("%rq")) return "b128";
  if (name.starts_with("%fd")) return "f64";
  if (name.starts_with("%p")) return "pred";
  if (name.starts_with("%f")) return "f32";
  return "b32";
}

std::string module_around(const std::string& instructions) {
  std::map<std::string, int> names;
  static const std::regex pattern("%(rs|rd|rq|r|fd|f|p)[0-9]+");
  for (std::sregex_iterator at(instructions.begin(), instructions.end(), pattern), end; at != end; ++at)
    names[at->str()];
  std::string text = ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry test()\n{\n";
  for (const auto& [name, unused] : names) text += fmt::format("  .reg .{} {};\n", type_of(name), name);
  text += "  " + instructions + (instructions.ends_with(';') ? "" : ";") + "\n";
  // Of one instruction the results may take the rows of its sources; of several all must live to the end.
  if (instructions.find(';') != std::string::npos)
    for (const auto& [name, unused] : names)
      text += type_of(name) == "pred" ? fmt::format("  @{} trap;\n", name)
                                      : fmt::format("  st.global.{} [0], {};\n", type_of(name), name);
  return text + "  ret;\n}\n";
}

/// A register file whose every word is random, and the kernel that runs on it.
class Bench {
 public:
  explicit Bench(const std::string& instructions) {
    module_ = ptx::parse(module_around(instructions), "test.ptx");
    program_ = ptx::load(module_, [](std::string_view) { return u64{0x1000}; });
    flow_ = ptx::analyse(module_.functions[0]);
  }

  std::string run(const std::vector<Case>& cases, const simt::AluBody* bodies, LaneMask mask, u32 seed) {
    std::mt19937 random(seed);
    for (auto& row : rows_)
      for (auto& word : row) word = static_cast<u32>(random());
    for (auto& word : predicates_) word = static_cast<u32>(random());
    alignas(64) std::array<u32, warp_lanes> blend{};
    for (u32 lane = 0; lane < warp_lanes; ++lane) {
      blend[lane] = mask >> lane & 1 ? ~0u : 0;
      if (!blend[lane]) continue;
      for (const auto& [name, value] : cases[(lane + seed) % cases.size()].inputs)
        if (!write(name, lane, value)) return name + " is not a register of the instruction";
    }
    const auto before = rows_;
    const auto predicates_before = predicates_;
    simt::Lanes lanes{rows_[0].data(), constants(), predicates_.data(), mask, blend.data(), program_.kernels[0].get()};
    for (const auto& instr : program_.kernels[0]->code) {
      if (instr.op < ptx::Op::alu) {
        if (&instr == program_.kernels[0]->code.data()) return "not an ALU instruction";
        break;
      }
      bodies[static_cast<u32>(instr.op) - static_cast<u32>(ptx::Op::alu)](instr, lanes);
    }
    return compare(cases, mask, seed, before, predicates_before);
  }

 private:
  using Rows = std::array<std::array<u32, warp_lanes>, 64>;

  const u32* constants() {
    const auto& pool = program_.kernels[0]->constants;
    constants_.resize(pool.size() / warp_lanes + 1);
    if (!pool.empty()) std::memcpy(constants_.data(), pool.data(), pool.size() * sizeof(u32));
    return constants_[0].words.data();
  }

  u32 index_of(const std::string& name) const {
    const auto& registers = module_.functions[0].registers;
    for (u32 i = 0; i < registers.size(); ++i)
      if (registers[i].name == name) return i;
    return ~0u;
  }

  u32* cell(u32 reg, u32 lane, u32 word) {
    const u32 bytes = size_of(module_.functions[0].registers[reg].type);
    const u32 row = flow_.row_of[reg];
    if (bytes <= 4) return &rows_[row][lane];
    return rows_[row + word / 2 * 2].data() + 2 * lane + word % 2;  // u64[32] over two rows
  }

  u32 words_of(u32 reg) const { return std::max(size_of(module_.functions[0].registers[reg].type) / 4, 1u); }

  bool write(const std::string& name, u32 lane, const Wide& value) {
    const u32 reg = index_of(name);
    if (reg == ~0u) return false;
    const auto type = module_.functions[0].registers[reg].type;
    if (type == ptx::Type::pred) {
      u32& word = predicates_[flow_.predicate_of[reg]];
      word = (word & ~(1u << lane)) | (value[0] & 1) << lane;
      return true;
    }
    for (u32 w = 0; w < words_of(reg); ++w) *cell(reg, lane, w) = size_of(type) == 2 ? value[w] & 0xffff : value[w];
    return true;
  }

  Wide read(u32 reg, u32 lane) {
    Wide value{};
    if (module_.functions[0].registers[reg].type == ptx::Type::pred) {
      value[0] = predicates_[flow_.predicate_of[reg]] >> lane & 1;
      return value;
    }
    for (u32 w = 0; w < words_of(reg); ++w) value[w] = *cell(reg, lane, w);
    return value;
  }

  std::string compare(const std::vector<Case>& cases, LaneMask mask, u32 seed, const Rows& before,
                      const std::array<u32, 16>& predicates_before) {
    for (u32 lane = 0; lane < warp_lanes; ++lane) {
      if (!(mask >> lane & 1)) continue;
      for (const auto& [name, expected] : cases[(lane + seed) % cases.size()].outputs) {
        const u32 reg = index_of(name);
        if (reg == ~0u) return name + " is not a register of the instruction";
        const u32 bytes = size_of(module_.functions[0].registers[reg].type);
        Wide wanted = expected;
        if (bytes == 2) wanted[0] &= 0xffff;
        for (u32 w = std::max(bytes / 4, 1u); w < 4; ++w) wanted[w] = 0;
        const auto got = read(reg, lane);
        if (got != wanted)
          return fmt::format(
              "case {}: {} is {:08x}{:08x}{:08x}{:08x}, expected {:08x}{:08x}{:08x}{:08x} (mask {:08x}, lane {})",
              (lane + seed) % cases.size() + 1, name, got[3], got[2], got[1], got[0], wanted[3], wanted[2], wanted[1],
              wanted[0], mask, lane);
      }
    }
    return lanes_kept(mask, before, predicates_before);
  }

  std::string lanes_kept(LaneMask mask, const Rows& before, const std::array<u32, 16>& predicates_before) {
    for (u32 p = 0; p < predicates_.size(); ++p)
      if ((predicates_[p] ^ predicates_before[p]) & ~mask)
        return fmt::format("predicate {} changed outside the mask", p);
    std::array<bool, 64> is_wide{};
    const auto& registers = module_.functions[0].registers;
    for (u32 reg = 0; reg < registers.size(); ++reg)
      if (registers[reg].type != ptx::Type::pred)
        for (u32 w = 0; words_of(reg) > 1 && w < words_of(reg); ++w) is_wide[flow_.row_of[reg] + w] = true;
    for (u32 row = 0; row < rows_.size(); ++row) {
      for (u32 i = 0; i < warp_lanes; ++i) {
        const u32 lane = is_wide[row] ? (row % 2 * warp_lanes + i) / 2 : i;
        if (!(mask >> lane & 1) && rows_[row][i] != before[row][i])
          return fmt::format("row {} of lane {} changed outside the mask {:08x}", row, lane, mask);
      }
    }
    return {};
  }

  struct alignas(64) ConstantRow {
    std::array<u32, warp_lanes> words;
  };

  ptx::ast::Module module_;
  ptx::Program program_;
  ptx::Flow flow_;
  alignas(64) Rows rows_;
  std::array<u32, 16> predicates_{};
  std::vector<ConstantRow> constants_;
};

std::string run_cases(const std::string& instructions, const std::vector<Case>& cases) {
  Bench bench(instructions);
  u32 seed = 0;
  for (const auto* bodies : {simt::alu::baseline::bodies(), simt::alu::v3::bodies()}) {
    if (bodies == simt::alu::v3::bodies() && simt::alu_clone() != "x86-64-v3") continue;
    const auto clone = bodies == simt::alu::v3::bodies() ? "x86-64-v3: " : "x86-64: ";
    for (u32 turn = 0; turn * warp_lanes <= cases.size(); ++turn)
      for (const LaneMask mask : {0xffffffffu, 1u, 0x80000000u, 0xaaaaaaaau, 0x00ff0ff1u})
        if (auto report = bench.run(cases, bodies, mask, seed++); !report.empty()) return clone + report;
  }
  return {};
}

}  // namespace

std::string run_form_line(std::string_view line, u32* cases) {
  const bool is_refused = line.starts_with('!');
  const auto bar = line.find(is_refused ? " | " : "| ");
  if (bar == std::string_view::npos) return "a line needs '|'";
  const auto instructions = trimmed(line.substr(is_refused ? 1 : 0, bar - (is_refused ? 1 : 0)));
  const auto rest = trimmed(line.substr(bar + 2));
  try {
    if (is_refused) {
      ++*cases;
      try {
        Bench bench(instructions);
      } catch (const ptx::Error& error) {
        return std::string_view(error.what()).find(rest.starts_with("| ") ? rest.substr(2) : rest) !=
                       std::string_view::npos
                   ? ""
                   : std::string("another report: ") + error.what();
      }
      return "it was not refused";
    }
    std::vector<Case> list;
    for (const auto& text : split(rest, ";")) {
      if (text.empty()) continue;
      const auto sides = split(text, "->");
      if (sides.size() != 2) return "a case needs '->'";
      list.push_back({assignments(sides[0]), assignments(sides[1])});
    }
    *cases += static_cast<u32>(list.size());
    return list.empty() ? "no cases" : run_cases(instructions, list);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace ew::test
