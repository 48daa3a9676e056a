// Control flow, liveness and rows: cases as text (tests/ptx/flow), and random functions checked against an independent
// judge.
#include "ptx/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <random>
#include <set>
#include <sstream>

#include "ptx/accesses.hpp"
#include "ptx/program.hpp"
#include "sections.hpp"

namespace ew::ptx {
namespace {

ast::Function last_function(const std::string& text) {
  std::vector<ast::Module> modules;
  modules.push_back(parse(text, "case"));
  return link(std::move(modules)).functions.back();
}

/// First row and rows, in one numbering for both files.
std::pair<u32, u32> place_of(const ast::Function& function, const Flow& flow, const std::string& name) {
  for (u32 reg = 0; reg < function.registers.size(); ++reg) {
    if (function.registers[reg].name != name) continue;
    const Type type = function.registers[reg].type;
    return type == Type::pred ? std::pair{100'000u + flow.predicate_of[reg], 1u}
                              : std::pair{u32{flow.row_of[reg]}, rows_of(type)};
  }
  ADD_FAILURE() << "no register " << name;
  return {};
}

void expect_reconvergence(const ast::Function& function, const Flow& flow, const std::string& from,
                          const std::string& to) {
  u32 branch = function.labels.at(from);
  while (function.body[branch].opcode != "bra" && function.body[branch].opcode != "brx") ++branch;
  EXPECT_EQ(flow.reconverge[branch], to == "none" ? no_pc : function.labels.at(to)) << "branch at " << from;
}

void check(const ast::Function& function, const Flow& flow, const std::string& key, const std::string& value) {
  std::istringstream words(value);
  std::string a, b;
  words >> a >> b;
  if (key == "rows") {
    EXPECT_EQ(flow.rows, std::stoul(a));
  } else if (key == "predicates") {
    EXPECT_EQ(flow.predicates, std::stoul(a));
  } else if (key == "reconverge") {
    expect_reconvergence(function, flow, a, b);
  } else if (key == "reachable" || key == "unreachable") {
    EXPECT_EQ(flow.reachable[function.labels.at(a)], key == "reachable") << a;
  } else if (key == "mapped") {
    const auto [row, rows] = place_of(function, flow, a);
    EXPECT_LE(row + rows, flow.rows);
  } else if (key == "share" || key == "apart") {
    const auto [x, x_rows] = place_of(function, flow, a);
    const auto [y, y_rows] = place_of(function, flow, b);
    EXPECT_EQ(x < y + y_rows && y < x + x_rows, key == "share") << a << " in " << x << ", " << b << " in " << y;
  } else {
    ADD_FAILURE() << "unknown expectation " << key;
  }
}

class FlowCase : public testing::TestWithParam<Section> {};

TEST_P(FlowCase, HoldsWhatItSays) {
  const Section& section = GetParam();
  ASSERT_FALSE(section.expectations.empty());
  const auto function = last_function(section.text);
  const Flow flow = analyse(function);
  for (const auto& [key, value] : section.expectations) check(function, flow, key, value);
}

INSTANTIATE_TEST_SUITE_P(Cases, FlowCase, testing::ValuesIn(read_sections(EW_TEST_DATA "/flow")),
                         [](const auto& info) { return test_name(info.param); });

// ---- random functions

/// Text of a function with random jumps, guards and registers of each width; often irreducible, with endless loops and
/// dead code.
std::string random_function(std::mt19937& random, u32 size) {
  const auto pick = [&](u32 n) { return static_cast<u32>(random() % n); };
  const u32 names = 2 + pick(12);
  const auto r = [&] { return "%r" + std::to_string(pick(names)); };
  const auto rd = [&] { return "%rd" + std::to_string(pick(names)); };
  const auto p = [&] { return "%p" + std::to_string(pick(4)); };
  std::string text = std::string(module_head) +
                     " .entry k() { .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .b128 %q<2>;\n"
                     "T: .branchtargets L0, L" +
                     std::to_string(size / 2) + ", L" + std::to_string(size - 1) + ";\n";
  for (u32 i = 0; i < size; ++i) {
    text += "L" + std::to_string(i) + ": ";
    if (pick(5) == 0) text += "@" + std::string(pick(2) ? "!" : "") + p() + " ";
    switch (pick(16)) {
      case 0:
      case 1:
        text += "bra L" + std::to_string(pick(size));
        break;
      case 2:
        text += "add.u64 " + rd() + ", " + rd() + ", " + rd();
        break;
      case 3:
        text += "mov.b64 {" + r() + ", %r15}, " + rd();
        break;
      case 4:
        text += "mov.b64 " + rd() + ", {" + r() + ", " + r() + "}";
        break;
      case 5:
        text += "setp.lt.u32 " + p() + ", " + r() + ", " + r();
        break;
      case 6:
        text += "cvt.u64.u32 " + rd() + ", " + r();
        break;
      case 7:
        text += "st.global.u32 [" + rd() + "], " + r();
        break;
      case 8:
        text += "ld.global.u32 " + r() + ", [" + rd() + "]";
        break;
      case 9:
        text += pick(4) ? "brx.idx " + r() + ", T" : "trap";
        break;
      case 10:
        text += pick(3) ? "shfl.sync.up.b32 " + r() + "|" + p() + ", " + r() + ", 1, 0, -1" : "exit";
        break;
      case 11:
        text += "mov.b128 %q" + std::to_string(pick(2)) + ", {" + rd() + ", " + rd() + "}";
        break;
      case 12:
        text += "mov.b128 {%rd14, %rd15}, %q" + std::to_string(pick(2));
        break;
      default:
        text += "add.u32 " + r() + ", " + r() + ", " + r();
    }
    text += ";\n";
  }
  return text + "ret; }";
}

struct Steps {  // of the control flow, instruction by instruction; `leave` is behind the last one
  std::vector<std::vector<u32>> next;
  u32 leave = 0;
};

Steps steps_of(const ast::Function& function) {
  Steps steps;
  steps.leave = static_cast<u32>(function.body.size());
  steps.next.resize(function.body.size());
  for (u32 i = 0; i < function.body.size(); ++i) {
    const auto& instruction = function.body[i];
    const auto& opcode = instruction.opcode;
    auto& next = steps.next[i];
    bool falls = instruction.guard.has_value();
    if (opcode == "bra") {
      next.push_back(static_cast<u32>(instruction.operands[0].bits));
    } else if (opcode == "brx") {
      for (const auto& label : function.branch_targets.at(instruction.operands[1].symbol))
        next.push_back(function.labels.at(label));
    } else if (opcode == "exit" || opcode == "ret") {
      next.push_back(steps.leave);
    } else if (opcode != "trap") {
      falls = true;
    }
    if (falls) next.push_back(i + 1);
  }
  return steps;
}

/// Walks at random and writes into each row which register was put there last: every read must find its own register's
/// value.
void walk(const ast::Function& function, const Flow& flow, const Steps& steps, std::mt19937& random) {
  std::vector<u32> holder(200'000, no_pc);
  std::set<u32> written;
  Accesses accesses;
  u32 at = 0;
  for (int count = 0; count < 400 && at != steps.leave; ++count) {
    const auto& instruction = function.body[at];
    ASSERT_TRUE(flow.reachable[at]) << at;
    find_accesses(function, instruction, accesses);
    const bool writes = !accesses.guarded || random() % 2;
    const auto rows = [&](u32 reg) {
      const Type type = function.registers[reg].type;
      return type == Type::pred ? std::pair{100'000u + flow.predicate_of[reg], 1u}
                                : std::pair{u32{flow.row_of[reg]}, rows_of(type)};
    };
    for (const auto& access : accesses.list) {
      const auto [row, width] = rows(access.reg);
      ASSERT_EQ(row % width, 0u);
      if (!access.reads || !written.contains(access.reg)) continue;
      for (u32 part = 0; part < width; ++part) {
        ASSERT_EQ(holder[row + part], access.reg) << "instruction " << at << ": " << instruction.text;
      }
    }
    for (const auto& access : accesses.list) {
      if (!access.writes || !writes) continue;
      const auto [row, width] = rows(access.reg);
      for (const auto& other : accesses.list) {
        const auto [other_row, other_width] = rows(other.reg);
        const bool same =
            other.reg == access.reg || (other.reads && !accesses.apart && other_row == row && other_width == width);
        ASSERT_TRUE(same || other_row + other_width <= row || row + width <= other_row)
            << "rows of one instruction overlap: " << instruction.text;
      }
      for (u32 part = 0; part < width; ++part) holder[row + part] = access.reg;
      written.insert(access.reg);
    }
    if (steps.next[at].empty()) return;
    at = steps.next[at][random() % steps.next[at].size()];
  }
}

/// Whether control can leave the function from `from` without passing `without`.
bool leaves(const Steps& steps, u32 from, u32 without) {
  std::vector<bool> seen(steps.leave + 1, false);
  std::vector<u32> waiting{from};
  while (!waiting.empty()) {
    const u32 at = waiting.back();
    waiting.pop_back();
    if (at == without || seen[at]) continue;
    if (at == steps.leave) return true;
    seen[at] = true;
    for (const u32 next : steps.next[at]) waiting.push_back(next);
  }
  return false;
}

/// Without the steps that leave at once where others stay: those who leave are not waited for.
Steps who_stays(const ast::Function& function, Steps steps) {
  const auto leaves = [&](u32 to) {
    if (to == steps.leave) return true;
    const auto& instruction = function.body[to];
    return (instruction.opcode == "ret" || instruction.opcode == "exit") && !instruction.guard;
  };
  for (auto& next : steps.next)
    if (!std::all_of(next.begin(), next.end(), leaves)) std::erase_if(next, leaves);
  return steps;
}

/// Every place behind the branch that no way out avoids, and nothing nearer.
void judge_reconvergence(const Steps& steps, const Steps& staying, const Flow& flow, u32 branch) {
  const auto post_dominates = [&](u32 place, const Steps& among) {
    for (const u32 next : among.next[branch]) {
      if (leaves(among, next, place)) return false;
    }
    return true;
  };
  const u32 found = flow.reconverge[branch];
  bool can_leave = false;
  for (const u32 next : steps.next[branch]) can_leave |= leaves(steps, next, no_pc);
  if (found != no_pc) {
    EXPECT_TRUE(post_dominates(found, steps) || post_dominates(found, staying))
        << "branch " << branch << " to " << found;
  }
  if (!can_leave) return;
  // A nearer one would itself be passed on every way to the one found. Endless loops count as ways out, so they hide
  // some.
  for (u32 place = 0; place < steps.leave; ++place) {
    if (place == branch || place == found || !post_dominates(place, steps)) continue;
    if (found == no_pc) continue;
    EXPECT_TRUE(!leaves(steps, found, place)) << "branch " << branch << ": " << place << " is nearer than " << found;
  }
}

TEST(RandomFunctions, KeepEveryValueUntilItsLastRead) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 300 && !testing::Test::HasFailure(); ++round) {
    const auto text = random_function(random, 6 + static_cast<u32>(random() % 40));
    const auto function = last_function(text);
    const Flow flow = analyse(function);
    EXPECT_LE(flow.need.most, flow.rows);
    const Steps steps = steps_of(function), staying = who_stays(function, steps);
    for (int i = 0; i < 20; ++i) walk(function, flow, steps, random);
    for (u32 i = 0; i < function.body.size(); ++i) {
      const auto& opcode = function.body[i].opcode;
      if (flow.reachable[i] && (opcode == "bra" || opcode == "brx")) judge_reconvergence(steps, staying, flow, i);
    }
    if (testing::Test::HasFailure()) std::printf("round %d\n%s\n", round, text.c_str());
  }
}

// ---- size

/// Processor time: what else the machine does is no matter of this test.
double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(LargeFunctions, FiftyThousandInstructionsTakeSecondsWhateverTheirShape) {
  const std::string head =
      std::string(module_head) + " .entry k() { .reg .pred %p<4>; .reg .b32 %r<60000>; .reg .b64 %rd<60000>;\n";
  std::string chain = head, wide = head, ladder = head, tables = head;
  for (int i = 1; i < 50'000; ++i) {
    const auto n = std::to_string(i), before = std::to_string(i - 1);
    chain += "add.u32 %r" + n + ", %r" + before + ", 1;\n";
    if (i < 25'000) wide += "mov.u32 %r" + n + ", 1;\n";
    if (i < 25'000)
      ladder += "L" + n + ": @%p1 bra L" + std::to_string(1 + i * 7919 % 24'999) + ";\nadd.u32 %r" + n + ", %r" +
                before + ", %r1;\n";
  }
  for (int i = 1; i < 25'000; ++i) wide += "st.global.u32 [0], %r" + std::to_string(i) + ";\n";
  tables += "T: .branchtargets L1";
  for (int i = 2; i < 25'000; ++i) tables += ", L" + std::to_string(i);
  tables += ";\n";
  for (int i = 1; i < 25'000; ++i) tables += "L" + std::to_string(i) + ": brx.idx %r" + std::to_string(i) + ", T;\n";
  for (const auto* text : {&chain, &wide, &ladder, &tables}) {
    const auto function = last_function(*text + "ret; }");
    Flow flow;
    const double spent = seconds([&] { flow = analyse(function); });
    EXPECT_LT(spent, 10.0);
    if (text == &chain) {
      EXPECT_EQ(flow.rows, 1u);
    }
    if (text == &wide) {
      EXPECT_EQ(flow.rows, 24'999u);
    }
  }
}

TEST(LargeFunctions, MoreRowsThanCanBeNamedAreRefused) {
  std::string text = std::string(module_head) + " .entry k() { .reg .b64 %rd<20000>;\n";
  for (int i = 0; i < 17'000; ++i) text += "mov.u64 %rd" + std::to_string(i) + ", 1;\n";
  for (int i = 0; i < 17'000; ++i) text += "st.global.u64 [0], %rd" + std::to_string(i) + ";\n";
  try {
    analyse(last_function(text + "ret; }"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rows of registers: at most 32768 are supported"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace ew::ptx
