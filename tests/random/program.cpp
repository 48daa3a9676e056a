// A module's text, and the drawing of a whole module.
#include <fmt/format.h>

#include "writer.hpp"

namespace ew::random_ptx {
namespace {

std::string with_guard(const Instruction& i, const Function& function) {
  std::string text;
  for (const char c : i.text) {
    if (c != '\1')
      text += c;
    else if (i.guard >= 0)
      text += fmt::format("@{}{} ", i.negated ? "!" : "",
                          name_of(function.registers[static_cast<u32>(i.guard)], static_cast<u32>(i.guard)));
  }
  const bool pack = i.arithmetic && i.arithmetic->pack;
  const bool ends = (text.ends_with('}') && !pack) || text.ends_with(':') || text.ends_with(';');
  return "  " + text + (ends ? "\n" : ";\n");
}

std::string text_of(const Function& function, bool kernel) {
  std::string text;
  if (kernel) {
    text += ".visible .entry kernel(.param .u64 pown)\n{\n";
  } else {
    text += head_of(function) + "\n{\n";
  }
  for (const Class c : {'r', 'l', 'h', 'f', 'd', 'p'})
    text += fmt::format("  .reg .{} {}<{}>;\n", type_of(c), name_of(c, 0).substr(0, name_of(c, 0).size() - 1),
                        function.registers.size() + 1);
  if (function.local_bytes) text += fmt::format("  .local .align 8 .b8 loc[{}];\n", local_bytes);
  for (const auto& i : function.body) text += with_guard(i, function);
  return text + "}\n";
}

}  // namespace

std::string head_of(const Function& function) {
  std::string formals;
  for (u32 n = 0; n < function.parameters.size(); ++n)
    formals += fmt::format("{}.param .{} {}_p{}", n ? ", " : "", type_of(function.parameters[n]), function.name, n);
  return fmt::format(".func (.param .{0} {1}_r) {1}({2})", type_of(function.result), function.name, formals);
}

std::string Program::text() const {
  std::string text = ".version 8.3\n.target sm_80\n.address_size 64\n";
  text += fmt::format(
      ".visible .global .align 8 .b8 input[{}];\n.visible .global .align 8 .b8 cells[{}];\n"
      ".shared .align 16 .b8 places[{}];\n.shared .align 16 .b8 scells[{}];\n",
      input_words * 4, cells * 4, most_threads * shared_own_bytes, shared_cells * 4);
  for (std::size_t f = 0; f + 1 < functions.size(); ++f) text += head_of(functions[f]) + ";\n";
  for (std::size_t f = 0; f < functions.size(); ++f) text += text_of(functions[f], f + 1 == functions.size());
  return text;
}

Program generate(u64 seed, u32 budget) {
  Program program;
  u64 state = seed * 0x9e3779b97f4a7c15 + 1;
  const auto draw = [&](u32 below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<u32>((state >> 33) % below);
  };
  program.blocks = 1 + draw(3);
  static constexpr u32 sizes[] = {32, 64, 96, 7, 33, 128, 32, 48, 64, 160};
  program.threads = sizes[draw(10)];
  const u32 ordinary = 2 + draw(4), meeting = 2 + draw(2);
  for (u32 f = 0; f < ordinary + meeting; ++f) {
    Function function;
    function.name = f < ordinary ? fmt::format("f{}", f) : fmt::format("m{}", f - ordinary);
    function.parameters = {'r', 'l'};
    const bool like_first = f > 0 && draw(2);
    if (like_first) {
      function.parameters = program.functions[0].parameters;
      function.result = program.functions[0].result;
    } else {
      for (u32 n = 1 + draw(4); n > 0; --n) function.parameters.push_back("rlfdr"[draw(5)]);
      function.result = "rlfd"[draw(4)];
    }
    function.local_bytes = draw(3) == 0;
    program.functions.push_back(function);
  }
  for (u32 f = 0; f < ordinary + meeting; ++f)
    program.functions[f] =
        Writer(program, seed * 64 + f, budget, false, f >= ordinary).write(Function(program.functions[f]));
  Function kernel;
  kernel.name = "kernel";
  kernel.local_bytes = draw(2);
  program.functions.push_back(Writer(program, seed * 64 + 63, 3 * budget, true, false).write(kernel));
  return program;
}

}  // namespace ew::random_ptx
