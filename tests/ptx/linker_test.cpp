// Modules meet by linkage.
#include <gtest/gtest.h>

#include "ptx/program.hpp"
#include "sections.hpp"

namespace ew::ptx {
namespace {

ast::Module link_all(const std::vector<std::string>& texts) {
  std::vector<ast::Module> modules;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    modules.push_back(parse(std::string(module_head) + "\n" + texts[i], std::string(1, static_cast<char>('a' + i))));
  }
  return link(std::move(modules));
}

std::string error_of(const std::vector<std::string>& texts) {
  try {
    link_all(texts);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

const ast::Function& function(const ast::Module& module, const std::string& name) {
  for (const auto& f : module.functions) {
    if (f.name == name) return f;
  }
  throw std::runtime_error("no function " + name);
}

const ast::Variable& variable(const ast::Module& module, const std::string& name) {
  for (const auto& v : module.variables) {
    if (v.name == name) return v;
  }
  throw std::runtime_error("no variable " + name);
}

TEST(Linking, AFunctionOfAnotherModule) {
  const auto m = link_all({".extern .func f(); .visible .entry k() { call f; ret; }", ".visible .func f() { ret; }"});
  ASSERT_EQ(m.functions.size(), 2u);
  EXPECT_TRUE(function(m, "f").has_body);
}

TEST(Linking, AVariableOfAnotherModule) {
  const auto m =
      link_all({".extern .global .u32 x[]; .entry k() { .reg .u64 r; mov.u64 r, x; }", ".visible .global .u32 x[3];"});
  ASSERT_EQ(m.variables.size(), 1u);
  EXPECT_EQ(m.variables[0].size, 12u);
}

TEST(Linking, DeclarationsOfOneModuleFoldIntoTheDefinition) {
  const auto m = link_all({".func f(); .func f(); .func f() { ret; } .func f(); .entry k() { call f; }"});
  EXPECT_EQ(m.functions.size(), 2u);
}

TEST(Linking, InternalNamesStayApart) {
  const auto m =
      link_all({".global .u32 x = 1; .func f() { ret; } .visible .entry k() { .reg .u64 r; mov.u64 r, x; call f; }",
                ".global .u32 x = 2; .func f() { exit; } .visible .entry l() { .reg .u64 r; mov.u64 r, x; call f; }"});
  ASSERT_EQ(m.variables.size(), 2u);
  ASSERT_EQ(m.functions.size(), 4u);
  const auto& k = function(m, "k").body;
  const auto& l = function(m, "l").body;
  EXPECT_EQ(variable(m, k[0].operands[1].symbol).data[0], 1);
  EXPECT_EQ(variable(m, l[0].operands[1].symbol).data[0], 2);
  EXPECT_EQ(function(m, k[1].operands[0].symbol).body[0].opcode, "ret");
  EXPECT_EQ(function(m, l[1].operands[0].symbol).body[0].opcode, "exit");
}

TEST(Linking, AnInternalNameGivesWayToAVisibleOne) {
  const auto m = link_all({".global .u32 x = 1; .visible .entry k() { .reg .u64 r; mov.u64 r, x; }",
                           ".visible .global .u32 x = 2; .global .u64 p[1] = {x};",
                           ".extern .global .u32 x; .visible .entry l() { .reg .u64 r; mov.u64 r, x; }"});
  EXPECT_EQ(variable(m, "x").data[0], 2);
  EXPECT_EQ(function(m, "l").body[0].operands[1].symbol, "x");
  EXPECT_EQ(variable(m, function(m, "k").body[0].operands[1].symbol).data[0], 1);
  EXPECT_EQ(variable(m, "p").relocations[0].symbol, "x");
}

TEST(Linking, ALocalNameIsNotRenamed) {
  const auto m = link_all(
      {".global .u32 x = 1;", ".global .u32 x = 2; .entry k(.param .u32 x) { .reg .u32 r; ld.param.u32 r, [x]; }"});
  EXPECT_EQ(function(m, "k").body[0].operands[1].elements[0].symbol, "x");
}

TEST(Linking, WeakDefinitionsFold) {
  const auto m = link_all({".weak .func f() { ret; } .weak .entry k() { call f; }",
                           ".weak .func f() { exit; } .weak .entry k() { call f; }"});
  EXPECT_EQ(m.functions.size(), 2u);
  EXPECT_EQ(function(m, "f").body[0].opcode, "ret");
}

TEST(Linking, AVisibleDefinitionBeatsAWeakOne) {
  for (const bool first : {true, false}) {
    std::vector<std::string> texts{".weak .func f() { ret; }", ".visible .func f() { exit; }"};
    if (first) std::swap(texts[0], texts[1]);
    EXPECT_EQ(function(link_all(texts), "f").body[0].opcode, "exit");
  }
}

TEST(Linking, CommonTakesTheLargest) {
  const auto m = link_all(
      {".common .global .align 4 .b8 c[4];", ".common .global .align 16 .b8 c[2];", ".common .global .b8 c[8];"});
  ASSERT_EQ(m.variables.size(), 1u);
  EXPECT_EQ(m.variables[0].size, 8u);
  EXPECT_EQ(m.variables[0].alignment, 16u);
}

TEST(Linking, DynamicSharedMemoryIsOne) {
  const auto m = link_all({".extern .shared .align 4 .b8 s[]; .visible .entry k() { .reg .u32 r; mov.u32 r, s; }",
                           ".extern .shared .align 16 .b8 s[]; .visible .entry l() { .reg .u32 r; mov.u32 r, s; }"});
  ASSERT_EQ(m.variables.size(), 1u);
  EXPECT_EQ(m.variables[0].alignment, 16u);
}

TEST(Linking, AnAliasIsItsFunction) {
  const auto m =
      link_all({".visible .func f() { ret; } .visible .func g(); .alias g, f; .visible .func h(); .alias h, g;",
                ".extern .func h(); .entry k() { call h; }"});
  EXPECT_EQ(function(m, "k").body[0].operands[0].symbol, "f");
  EXPECT_TRUE(m.aliases.empty());
}

TEST(Linking, SystemCallsStayUndefined) {
  const auto m =
      link_all({".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a); .entry k() { .param .b32 r; "
                ".param .b64 f, a;"
                " call (r), vprintf, (f, a); }"});
  EXPECT_FALSE(function(m, "vprintf").has_body);
}

TEST(Linking, UnusedDeclarationsVanish) {
  const auto m = link_all({".extern .func f(); .extern .global .u32 x; .entry k() { ret; }"});
  EXPECT_EQ(m.functions.size(), 1u);
  EXPECT_TRUE(m.variables.empty());
}

TEST(Linking, CallsOfFunctionsThatDoNotReturnAreMarked) {
  const auto m = link_all(
      {".extern .func __assertfail() .noreturn; .func f() { ret; } .entry k() { call __assertfail; call f; }"});
  EXPECT_TRUE(function(m, "k").body[0].noreturn);
  EXPECT_FALSE(function(m, "k").body[1].noreturn);
}

TEST(Linking, SourceFilesAreNumberedByName) {
  const auto m =
      link_all({".file 1 \"a.cu\" .file 2 \"x.h\" .visible .entry k() { .loc 2 5 1 ret; }",
                ".file 1 \"x.h\" .file 2 \"b.cu\" .visible .entry l() { .loc 2 6 1 ret; .loc 1 7 1 ret; ret; }"});
  EXPECT_EQ(m.files.at(function(m, "k").body[0].place.file), "x.h");
  EXPECT_EQ(m.files.at(function(m, "l").body[0].place.file), "b.cu");
  EXPECT_EQ(m.files.at(function(m, "l").body[1].place.file), "x.h");
}

TEST(Linking, NothingIsNothing) {
  EXPECT_TRUE(link({}).functions.empty());
}

TEST(LinkErrors, UndefinedNamesEveryUser) {
  const auto error =
      error_of({".extern .func sqare(); .visible .entry k() {\n call sqare; }",
                ".extern .func sqare(); .visible .entry l() { call sqare; }", ".visible .func square() { ret; }"});
  EXPECT_EQ(error, "undefined symbol 'sqare', used at a:3, b:2 (did you mean \"square\"?)");
}

TEST(LinkErrors, EveryUndefinedSymbolIsNamed) {
  const auto error =
      error_of({".extern .func f(); .extern .global .u32 x; .global .u64 p[1] = {x}; .entry k() { call f; }"});
  EXPECT_NE(error.find("'f'"), std::string::npos);
  EXPECT_NE(error.find("'x'"), std::string::npos);
}

TEST(LinkErrors, TwoDefinitions) {
  EXPECT_EQ(error_of({".visible .func f() { ret; }", "\n.visible .func f() { ret; }"}),
            "b:3: 'f' is defined here and in a:2");
}

TEST(LinkErrors, AVariableAndAFunction) {
  EXPECT_EQ(error_of({".extern .func f(); .entry k() { call f; }", ".visible .global .u32 f;"}),
            "b:2: 'f' is a variable here and a function in a:2");
}

TEST(LinkErrors, AnotherStateSpace) {
  EXPECT_EQ(error_of({".extern .const .u32 x;", ".visible .global .u32 x;"}),
            "a:2: 'x' is in another state space in b:2");
}

TEST(LinkErrors, OtherParameters) {
  EXPECT_EQ(
      error_of({".extern .func f(.param .b32 a); .entry k() { ret; }", ".visible .func f(.param .b64 a) { ret; }"}),
      "a:2: 'f' is declared here with other parameters than it is defined with in b:2");
}

TEST(LinkErrors, AnAliasOfItself) {
  EXPECT_NE(error_of({".visible .func f(); .visible .func g(); .alias f, g; .alias g, f;"}).find("stands for itself"),
            std::string::npos);
}

TEST(LinkErrors, AnAliasOfAVariable) {
  EXPECT_NE(error_of({".global .u32 x; .visible .func g(); .alias g, x;"}).find("which is no function"),
            std::string::npos);
}

}  // namespace
}  // namespace ew::ptx
