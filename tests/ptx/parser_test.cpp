// What the parser makes of valid text.
#include <gtest/gtest.h>

#include <bit>

#include "ptx/program.hpp"
#include "sections.hpp"

namespace ew::ptx {
namespace {

using Kind = ast::Operand::Kind;

ast::Module module_of(const std::string& text) {
  return parse(std::string(module_head) + "\n" + text, "case");
}

ast::Function body_of(const std::string& text) {
  return module_of(std::string(body_head) + "\n" + text + "\n}").functions.at(0);
}

ast::Instruction instruction_of(const std::string& text) {
  return body_of(text).body.at(0);
}

ast::Operand operand_of(const std::string& text) {
  return instruction_of("op %r0, " + text + ";").operands.at(1);
}

u64 integer(const std::string& text) {
  const auto operand = operand_of(text);
  EXPECT_EQ(operand.kind, Kind::immediate) << text;
  EXPECT_FALSE(operand.is_float) << text;
  return operand.bits;
}

double real(const std::string& text) {
  const auto operand = operand_of(text);
  EXPECT_EQ(operand.kind, Kind::immediate) << text;
  EXPECT_TRUE(operand.is_float) << text;
  return std::bit_cast<double>(operand.bits);
}

// ---- module

TEST(Module, HeadIsKept) {
  const auto module = parse(".version 7.8\n.target sm_80, debug\n.address_size 64\n", "m.ptx");
  EXPECT_EQ(module.name, "m.ptx");
  EXPECT_EQ(module.version, "7.8");
  EXPECT_EQ(module.target, "sm_80");
  EXPECT_EQ(module.address_size, 64u);
}

TEST(Module, TargetMayBeArchitectureSpecific) {
  EXPECT_EQ(parse(".version 8.6 .target sm_90a", "m").target, "sm_90a");
}

TEST(Module, CommentsAndDebugSectionsAreSkipped) {
  const auto module = module_of(
      "// one\n/* two\nlines */ .section .debug_str {\n$L__info_string0:\n.b8 103,\"}\",0 // { \n}\n"
      ".section .debug_loc { }\n@@DWARF .byte 0x12 'odd \n.global .u32 x;");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].place.ptx_line, 10u);
}

TEST(Module, FilesWithAndWithoutTimes) {
  const auto module = module_of(".file 1 \"a.cu\"\n.file 2 \"b.h\", 1700000000, 4096\n");
  EXPECT_EQ(module.files.at(1), "a.cu");
  EXPECT_EQ(module.files.at(2), "b.h");
}

TEST(Module, LocGivesTheInlinedPlaceItself) {
  const auto function = body_of(
      " .loc 1 12 3\n mov.u32 %r1, 1;\n .loc 2 7 9, function_name $L__info_string0, inlined_at 1 12 3\n mov.u32 %r2, "
      "1;\n"
      " .loc 2 8 9, function_name $L__info_string0+16, inlined_at 1 12 3\n ret;");
  EXPECT_EQ(function.body[0].place.line, 12u);
  EXPECT_EQ(function.body[1].place.file, 2u);
  EXPECT_EQ(function.body[1].place.line, 7u);
  EXPECT_EQ(function.body[2].place.line, 8u);
  EXPECT_EQ(function.body[0].place.ptx_line, 4u);
  EXPECT_EQ(function.body[0].place.ptx_column, 2u);
}

TEST(Module, Alias) {
  const auto module = module_of(".visible .func f() { ret; }\n.visible .func g();\n.alias g, f;\n");
  ASSERT_EQ(module.aliases.size(), 1u);
  EXPECT_EQ(module.aliases[0].name, "g");
  EXPECT_EQ(module.aliases[0].target, "f");
}

// ---- variables

ast::Variable variable_of(const std::string& text) {
  return module_of(text).variables.back();
}

TEST(Variables, LinkageSpaceAlignmentTypeInAnyOrder) {
  const auto v = variable_of(".visible .global .align 16 .b8 x[24];");
  EXPECT_EQ(v.linkage, ast::Linkage::visible);
  EXPECT_EQ(v.alignment, 16u);
  EXPECT_EQ(v.size, 24u);
  const auto w = variable_of(".weak .const .f64 .align 32 y;");
  EXPECT_EQ(w.linkage, ast::Linkage::weak);
  EXPECT_EQ(w.space, Space::constant);
  EXPECT_EQ(w.alignment, 32u);
  EXPECT_EQ(w.size, 8u);
}

TEST(Variables, VectorsManagedCommonTexture) {
  const auto v = variable_of(".global .v4 .f32 x[3];");
  EXPECT_EQ(v.size, 48u);
  EXPECT_EQ(v.alignment, 16u);
  EXPECT_TRUE(variable_of(".visible .global .attribute(.managed) .u32 m;").managed);
  EXPECT_EQ(variable_of(".common .global .u32 c;").linkage, ast::Linkage::common);
  EXPECT_EQ(variable_of(".global .texref t;").type, Type::texref);
  EXPECT_EQ(variable_of(".tex .u32 t;").type, Type::texref);
}

TEST(Variables, DynamicSharedMemoryIsUnsized) {
  const auto v = variable_of(".extern .shared .align 16 .b8 s[];");
  EXPECT_TRUE(v.unsized);
  EXPECT_EQ(v.size, 0u);
  EXPECT_EQ(v.alignment, 16u);
}

TEST(Variables, SeveralInOneDeclaration) {
  const auto module = module_of(".global .u32 a, b[2], c = 7;");
  ASSERT_EQ(module.variables.size(), 3u);
  EXPECT_EQ(module.variables[1].size, 8u);
  EXPECT_EQ(module.variables[2].data, (std::vector<u8>{7, 0, 0, 0}));
}

TEST(Initialisers, BytesAndWords) {
  EXPECT_EQ(variable_of(".global .b8 x[4] = {1, 255, 0x7f};").data, (std::vector<u8>{1, 255, 127}));
  EXPECT_EQ(variable_of(".global .s16 x[2] = {-1, 2};").data, (std::vector<u8>{255, 255, 2, 0}));
  EXPECT_EQ(variable_of(".global .u32 x = 1+2*3;").data, (std::vector<u8>{7, 0, 0, 0}));
}

TEST(Initialisers, Reals) {
  const auto f = variable_of(".global .f32 x[3] = {0f3F800000, 1.5, 2};").data;
  EXPECT_EQ(f, (std::vector<u8>{0, 0, 0x80, 0x3f, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0x40}));
  EXPECT_EQ(variable_of(".global .f64 x = 0d3FF0000000000000;").data, (std::vector<u8>{0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
  EXPECT_EQ(variable_of(".global .f32 x = 0f7FA00001;").data,
            (std::vector<u8>{1, 0, 0xa0, 0x7f}));  // a signalling NaN stays one
}

TEST(Initialisers, NestedBracesFillRows) {
  EXPECT_EQ(variable_of(".global .b8 x[2][3] = {{1}, {2, 3}};").data, (std::vector<u8>{1, 0, 0, 2, 3}));
  EXPECT_EQ(variable_of(".global .b8 x[2][2] = {1, 2, 3, 4};").data, (std::vector<u8>{1, 2, 3, 4}));
  EXPECT_EQ(variable_of(".global .v2 .b8 x[2] = {{1, 2}, {3, 4}};").data, (std::vector<u8>{1, 2, 3, 4}));
}

TEST(Initialisers, OpenArrayTakesItsLength) {
  const auto v = variable_of(".global .u32 x[] = {1, 2, 3};");
  EXPECT_EQ(v.size, 12u);
  EXPECT_FALSE(v.unsized);
  EXPECT_EQ(variable_of(".global .b8 x[][4] = {{1}, {2}};").size, 8u);
}

TEST(Initialisers, Addresses) {
  const auto v = variable_of(".global .u32 y[4]; .func f() { ret; } .global .u64 x[4] = {y, y+8, generic(y)+4, f};");
  ASSERT_EQ(v.relocations.size(), 4u);
  EXPECT_EQ(v.relocations[1].symbol, "y");
  EXPECT_EQ(v.relocations[1].addend, 8);
  EXPECT_EQ(v.relocations[1].offset, 8u);
  EXPECT_FALSE(v.relocations[1].generic);
  EXPECT_TRUE(v.relocations[2].generic);
  EXPECT_EQ(v.relocations[2].addend, 4);
  EXPECT_EQ(v.relocations[3].symbol, "f");
}

TEST(Initialisers, MaskedAddresses) {
  const auto v = variable_of(
      ".global .u32 y; .global .b8 x[3] = {0xFF(y), 0xFF00(generic(y+4)), 0xFF000000000000(generic(y)-1)};");
  ASSERT_EQ(v.relocations.size(), 3u);
  EXPECT_EQ(v.relocations[0].shift, 0u);
  EXPECT_EQ(v.relocations[0].size, 1u);
  EXPECT_EQ(v.relocations[1].shift, 1u);
  EXPECT_TRUE(v.relocations[1].generic);
  EXPECT_EQ(v.relocations[1].addend, 4);
  EXPECT_EQ(v.relocations[2].shift, 6u);
  EXPECT_EQ(v.relocations[2].addend, -1);
  EXPECT_EQ(v.relocations[2].offset, 2u);
}

TEST(Initialisers, MayNameWhatComesLater) {
  const auto module = module_of(".global .u64 x[1] = {later}; .global .u32 later;");
  EXPECT_EQ(module.variables[0].relocations[0].symbol, "later");
}

// ---- functions

TEST(Functions, ParametersOfAnEntry) {
  const auto f = module_of(
                     ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 b[20], .param .f32 c,"
                     " .param .u64 .ptr .align 1 d, .param .u64 .ptr .shared e)\n"
                     ".maxntid 128, 2, 1\n.minnctapersm 3\n.maxclusterrank 8\n.maxnreg 40\n.pragma \"x\";\n{ ret; }")
                     .functions[0];
  EXPECT_TRUE(f.is_entry);
  EXPECT_TRUE(f.has_body);
  ASSERT_EQ(f.parameters.size(), 5u);
  EXPECT_EQ(f.parameters[1].size, 20u);
  EXPECT_EQ(f.parameters[1].alignment, 8u);
  EXPECT_EQ(f.parameters[2].type, Type::f32);
  EXPECT_EQ(f.max_threads, (Dim3{128, 2, 1}));
  EXPECT_EQ(f.min_blocks, 3u);
  EXPECT_EQ(f.max_registers, 40u);
}

TEST(Functions, RequiredThreadsOfOneDimension) {
  EXPECT_EQ(module_of(".entry k() .reqntid 64 { ret; }").functions[0].required_threads, (Dim3{64, 1, 1}));
}

TEST(Functions, NoParenthesesNoParameters) {
  EXPECT_TRUE(module_of(".entry k { ret; }").functions[0].parameters.empty());
}

TEST(Functions, ReturnValuesAndNoreturn) {
  const auto module = module_of(
      ".func (.param .b32 r) f(.param .b64 p) { ret; }\n.extern .func (.param .b32 r) g(.param .b32 a)\n;\n"
      ".extern .func stop()\n.noreturn\n;");
  EXPECT_EQ(module.functions[0].returns.at(0).name, "r");
  EXPECT_FALSE(module.functions[1].has_body);
  EXPECT_EQ(module.functions[1].linkage, ast::Linkage::external_declaration);
  EXPECT_TRUE(module.functions[2].noreturn);
}

TEST(Functions, RegisterParameters) {
  const auto f = module_of(".func (.reg .u32 r) f(.reg .u32 a) { add.u32 r, a, 1; ret; }").functions[0];
  EXPECT_EQ(f.parameters[0].space, Space::reg);
  EXPECT_EQ(f.registers.size(), 2u);
}

TEST(Functions, UnifiedAttribute) {
  EXPECT_EQ(module_of(".visible .func .attribute(.unified(12, 34)) f() { ret; }").functions[0].name, "f");
}

TEST(Functions, VariablesOfScopesGetNamesOfTheirOwn) {
  const auto f = body_of(
      "{ .param .b32 param0; st.param.b32 [param0], %r1; } { .param .b64 param0; st.param.b64 [param0+0], %rd1; }"
      " { .param .b32 param0; }");
  ASSERT_EQ(f.variables.size(), 3u);
  EXPECT_EQ(f.variables[0].name, "param0");
  EXPECT_NE(f.variables[1].name, f.variables[0].name);
  EXPECT_NE(f.variables[2].name, f.variables[1].name);
  EXPECT_EQ(f.body[0].operands[0].elements[0].symbol, f.variables[0].name);
  EXPECT_EQ(f.body[1].operands[0].elements[0].symbol, f.variables[1].name);
}

TEST(Functions, StaticVariablesInsideMoveToTheModule) {
  const auto module = module_of(
      ".entry a() { .global .u32 count = 1; .shared .b8 s[4]; .reg .u64 r; mov.u64 r, count; }"
      ".entry b() { .const .u32 count = 2; .reg .u64 r; mov.u64 r, count; }");
  ASSERT_EQ(module.variables.size(), 2u);
  EXPECT_NE(module.variables[0].name, module.variables[1].name);
  EXPECT_EQ(module.functions[0].body[0].operands[1].symbol, module.variables[0].name);
  EXPECT_EQ(module.functions[1].body[0].operands[1].symbol, module.variables[1].name);
  ASSERT_EQ(module.functions[0].variables.size(), 1u);
  EXPECT_EQ(module.functions[0].variables[0].space, Space::shared);
}

TEST(Functions, RegionsBetweenPragmas) {
  const auto f = body_of(
      ".pragma \"nounroll\"; mov.u32 %r1, 1; .pragma \"everwarp.ofence\"; membar.gl; membar.sys; .pragma "
      "\"everwarp.end\"; ret;");
  ASSERT_EQ(f.regions.size(), 1u);
  EXPECT_EQ(f.regions[0].name, "ofence");
  EXPECT_EQ(f.regions[0].begin, 1u);
  EXPECT_EQ(f.regions[0].end, 4u);
}

// ---- scopes and labels

TEST(Scopes, InnerRegistersHideOuterOnes) {
  const auto f = body_of(".reg .u32 t; mov.u32 t, 1; { .reg .u64 t; mov.u64 t, 2; } mov.u32 t, 3;");
  EXPECT_EQ(f.body[0].operands[0].reg, f.body[2].operands[0].reg);
  EXPECT_NE(f.body[0].operands[0].reg, f.body[1].operands[0].reg);
  EXPECT_EQ(f.registers[f.body[1].operands[0].reg].type, Type::u64);
}

TEST(Scopes, InnerRangesHideOuterOnes) {
  const auto f = body_of("{ .reg .f64 %r<2>; mov.f64 %r1, %fd0; mov.u32 %r2, 1; } mov.u32 %r1, 1;");
  EXPECT_EQ(f.registers[f.body[0].operands[0].reg].type, Type::f64);
  EXPECT_EQ(f.registers[f.body[1].operands[0].reg].type, Type::b32);
  EXPECT_EQ(f.registers[f.body[2].operands[0].reg].type, Type::b32);
}

TEST(Scopes, ARangeWhosePrefixEndsInADigit) {
  const auto f = body_of(".reg .u64 %x1<3>; .reg .u16 %x<5>; mov.u64 %x12, 1; mov.u16 %x4, 1;");
  EXPECT_EQ(f.registers[f.body[0].operands[0].reg].type, Type::u64);
  EXPECT_EQ(f.registers[f.body[1].operands[0].reg].type, Type::u16);
}

TEST(Scopes, TheSameLabelInTwoScopes) {
  const auto f = body_of("{ L: @%p1 bra L; } mov.u32 %r1, 1; { mov.u32 %r1, 2; L: @%p1 bra L; bra DONE; } DONE: ret;");
  EXPECT_EQ(f.body[0].operands[0].kind, Kind::label);
  EXPECT_EQ(f.body[0].operands[0].bits, 0u);
  EXPECT_EQ(f.body[3].operands[0].bits, 3u);
  EXPECT_EQ(f.body[4].operands[0].bits, 5u);
}

TEST(Scopes, ALabelAtTheEnd) {
  const auto f = body_of("@%p1 bra END; mov.u32 %r1, 1; END:");
  EXPECT_EQ(f.body[0].operands[0].bits, 2u);
}

TEST(Tables, BranchTargets) {
  const auto f = body_of("$L_T: .branchtargets A, B, A; brx.idx %r1, $L_T; A: mov.u32 %r1, 1; B: ret;");
  ASSERT_EQ(f.branch_targets.size(), 1u);
  EXPECT_EQ(f.branch_targets.begin()->second, (std::vector<std::string>{"A", "B", "A"}));
  EXPECT_EQ(f.body[0].operands[1].symbol, f.branch_targets.begin()->first);
  EXPECT_EQ(f.labels.at("B"), 2u);
}

TEST(Tables, PrototypesAndCallTargets) {
  const auto f = module_of(
                     ".func f(.param .b32 a) { ret; }"
                     ".entry k() { .reg .b64 %rd<2>; .param .b32 p;"
                     "P: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16], .param .b32 _) .noreturn;"
                     "T: .calltargets f; call %rd1, (p), T; call %rd1, P; ret; }")
                     .functions[1];
  const auto& prototype = f.prototypes.at("P");
  EXPECT_EQ(prototype.returns.size(), 1u);
  EXPECT_EQ(prototype.parameters[0].size, 16u);
  EXPECT_TRUE(prototype.noreturn);
  EXPECT_EQ(f.call_targets.at("T"), std::vector<std::string>{"f"});
}

// ---- instructions and operands

TEST(Instructions, OpcodeModifiersGuardText) {
  const auto i = instruction_of("@!%p1 ld.global.L1::no_allocate.L2::128B.v2.f32\t{%f1, %f2}, // why\n  [%rd1+-16];");
  EXPECT_EQ(i.opcode, "ld");
  EXPECT_EQ(i.modifiers, (std::vector<std::string>{"global", "L1::no_allocate", "L2::128B", "v2", "f32"}));
  EXPECT_TRUE(i.guard.has_value());
  EXPECT_TRUE(i.guard_negated);
  EXPECT_EQ(i.text, "@!%p1 ld.global.L1::no_allocate.L2::128B.v2.f32 {%f1, %f2}, [%rd1+-16]");
  EXPECT_EQ(i.operands[1].offset, -16);
}

TEST(Instructions, WithoutOperands) {
  EXPECT_TRUE(instruction_of("ret;").operands.empty());
  EXPECT_TRUE(instruction_of("bar.warp.sync -1;").operands.size() == 1);
}

TEST(Instructions, CarryIsARegister) {
  const auto f = body_of("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, %r6;");
  ASSERT_TRUE(f.carry.has_value());
  EXPECT_EQ(f.registers[*f.carry].type, Type::pred);
  EXPECT_FALSE(body_of("add.u32 %r1, %r2, %r3;").carry.has_value());
}

TEST(Operands, Integers) {
  EXPECT_EQ(integer("0"), 0u);
  EXPECT_EQ(integer("42"), 42u);
  EXPECT_EQ(integer("0x1F"), 31u);
  EXPECT_EQ(integer("0XfF"), 255u);
  EXPECT_EQ(integer("017"), 15u);
  EXPECT_EQ(integer("0b101"), 5u);
  EXPECT_EQ(integer("7U"), 7u);
  EXPECT_EQ(integer("0xFFFFFFFFU"), 0xffffffffu);
  EXPECT_EQ(integer("-1"), ~u64{0});
  EXPECT_EQ(integer("+5"), 5u);
  EXPECT_EQ(integer("~0"), ~u64{0});
  EXPECT_EQ(integer("!5"), 0u);
  EXPECT_EQ(integer("!0"), 1u);
  EXPECT_EQ(integer("18446744073709551615"), ~u64{0});
  EXPECT_EQ(integer("-9223372036854775808"), u64{1} << 63);
  EXPECT_EQ(integer("WARP_SZ"), 32u);
}

TEST(Operands, ConstantExpressions) {
  EXPECT_EQ(integer("(1+2)*3"), 9u);
  EXPECT_EQ(integer("2+3*4"), 14u);
  EXPECT_EQ(integer("10-4-3"), 3u);
  EXPECT_EQ(integer("1<<4|3"), 19u);
  EXPECT_EQ(integer("-8>>1"), static_cast<u64>(-4));
  EXPECT_EQ(integer("0xF000000000000000U>>60"), 15u);
  EXPECT_EQ(integer("(.s64)0xF000000000000000>>60"), ~u64{0});
  EXPECT_EQ(integer("-7/2"), static_cast<u64>(-3));
  EXPECT_EQ(integer("-7%3"), static_cast<u64>(-1));
  EXPECT_EQ(integer("(.u64)-1/2"), ~u64{0} / 2);
  EXPECT_EQ(integer("(.s64)-9223372036854775808/-1"), u64{1} << 63);
  EXPECT_EQ(integer("-1<1"), 1u);
  EXPECT_EQ(integer("(.u64)-1<1"), 0u);
  EXPECT_EQ(integer("3>=3"), 1u);
  EXPECT_EQ(integer("3==4"), 0u);
  EXPECT_EQ(integer("3!=4"), 1u);
  EXPECT_EQ(integer("6&3^1"), 3u);
  EXPECT_EQ(integer("2&&0"), 0u);
  EXPECT_EQ(integer("2||0"), 1u);
  EXPECT_EQ(integer("1?2:3"), 2u);
  EXPECT_EQ(integer("0?2:1?4:5"), 4u);
  EXPECT_EQ(integer("1<<64"), 0u);
  EXPECT_EQ(integer("1.5<2"), 1u);
  EXPECT_EQ(integer("WARP_SZ-1"), 31u);
  EXPECT_EQ(real("1.0+0.5*2"), 2.0);
  EXPECT_EQ(real("-1.5"), -1.5);
}

TEST(Operands, Reals) {
  EXPECT_EQ(real("0f3F800000"), 1.0);
  EXPECT_EQ(real("0Fbf800000"), -1.0);
  EXPECT_EQ(real("0d4000000000000000"), 2.0);
  EXPECT_EQ(real("1.5"), 1.5);
  EXPECT_EQ(real("2.5e3"), 2500.0);
  EXPECT_EQ(real("1e-2"), 0.01);
  EXPECT_EQ(real("3."), 3.0);
  EXPECT_EQ(operand_of("0f7F800001").bits, 0x7ff0000020000000u);
  EXPECT_EQ(operand_of("0fFFC00000").bits, 0xfff8000000000000u);
}

TEST(Operands, SpecialRegisters) {
  EXPECT_EQ(operand_of("%tid.x").special, Special::tid_x);
  EXPECT_EQ(operand_of("%nctaid.z").special, Special::nctaid_z);
  EXPECT_EQ(operand_of("%clock64").special, Special::clock64);
  EXPECT_EQ(operand_of("%lanemask_gt").special, Special::lanemask_gt);
  EXPECT_EQ(operand_of("%envreg31").special, Special::envreg31);
  EXPECT_EQ(operand_of("%globaltimer_hi").special, Special::globaltimer_hi);
}

TEST(Operands, Addresses) {
  const auto at = [](const std::string& text) { return instruction_of("ld.b32 %r0, " + text + ";").operands.at(1); };
  EXPECT_EQ(at("[%rd1]").elements[0].kind, Kind::reg);
  EXPECT_EQ(at("[%rd1+8]").offset, 8);
  EXPECT_EQ(at("[%rd1-8]").offset, -8);
  EXPECT_EQ(at("[ %rd1 + 0x10 ]").offset, 16);
  EXPECT_EQ(at("[%rd1+-4+12]").offset, 8);
  EXPECT_EQ(at("[out]").elements[0].symbol, "out");
  EXPECT_EQ(at("[out+4]").offset, 4);
  EXPECT_EQ(at("[out+4]").elements[0].offset, 0);
  EXPECT_EQ(at("[0x1000]").elements[0].bits, 0x1000u);
  EXPECT_EQ(at("[16+16]").elements[0].bits, 32u);
}

TEST(Operands, TextureAddresses) {
  const auto tex = instruction_of("tex.2d.v4.f32.f32 {%f0, %f1, _, %f3}|%p1, [%rd1, {%f4, %f5}];");
  EXPECT_EQ(tex.operands[0].kind, Kind::pair);
  EXPECT_EQ(tex.operands[0].elements[0].kind, Kind::vector);
  EXPECT_EQ(tex.operands[0].elements[0].elements[2].kind, Kind::sink);
  EXPECT_EQ(tex.operands[1].elements.size(), 2u);
  EXPECT_EQ(tex.operands[1].elements[1].kind, Kind::vector);
  const auto sampled = instruction_of("tex.1d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, %rd2, {%f4}];");
  EXPECT_EQ(sampled.operands[1].elements.size(), 3u);
}

TEST(Operands, VectorsPairsPartsSinks) {
  const auto mov = instruction_of("mov.b64 {%r1, _}, %rd1;");
  EXPECT_EQ(mov.operands[0].kind, Kind::vector);
  const auto shfl = instruction_of("shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1;");
  EXPECT_EQ(shfl.operands[0].kind, Kind::pair);
  EXPECT_EQ(shfl.operands[0].elements[1].reg, shfl.operands[0].elements[1].reg);
  EXPECT_EQ(instruction_of("setp.lt.and.u32 _|%p1, %r1, %r2, !%p2;").operands[0].elements[0].kind, Kind::sink);
  EXPECT_TRUE(instruction_of("setp.lt.and.u32 %p1, %r1, %r2, !%p2;").operands[3].negated);
  EXPECT_EQ(instruction_of("vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1;").operands[1].part, "b3");
}

TEST(Operands, SymbolsAndElements) {
  const auto f =
      body_of(".local .align 4 .b32 a[4]; mov.u64 %rd1, a; mov.u64 %rd1, a+8; mov.u64 %rd1, a[3]; mov.u64 %rd1, out;");
  EXPECT_EQ(f.body[0].operands[1].kind, Kind::symbol);
  EXPECT_EQ(f.body[1].operands[1].offset, 8);
  EXPECT_EQ(f.body[2].operands[1].offset, 12);
  EXPECT_EQ(f.body[3].operands[1].symbol, "out");
}

TEST(Operands, CallsInEveryForm) {
  const auto f = module_of(
                     ".func (.param .b32 r) f(.param .b32 a, .param .b32 b);\n.func g();\n"
                     ".func (.param .b32 r) f(.param .b32 a, .param .b32 b) { ret; }\n.func g() { ret; }\n"
                     ".entry k() { .reg .b64 %rd<2>; .reg .b32 %r<3>; .param .b32 x, y, z;\n"
                     " call.uni (x), f, (y, z); call g; call g, (); call (%r1), f, (%r2, 5); call f, (y, z);\n"
                     "P: .callprototype (.param .b32 _) _ (.param .b32 _);\n call (x), %rd1, (y), P; }")
                     .functions.back();
  const auto& full = f.body[0].operands;
  EXPECT_EQ(full[0].kind, Kind::list);
  EXPECT_EQ(full[1].symbol, "f");
  EXPECT_EQ(full[2].elements.size(), 2u);
  EXPECT_EQ(f.body[1].operands.size(), 1u);
  EXPECT_TRUE(f.body[2].operands[1].elements.empty());
  EXPECT_EQ(f.body[3].operands[2].elements[1].bits, 5u);
  EXPECT_EQ(f.body[5].operands[3].symbol, "P");
}

TEST(Types, NamesAndSizes) {
  EXPECT_EQ(size_of(Type::b128), 16u);
  EXPECT_EQ(size_of(Type::pred), 1u);
  EXPECT_EQ(size_of(Type::bf16x2), 4u);
  EXPECT_EQ(name_of(Type::f16x2), "f16x2");
  for (u32 i = 1; i <= static_cast<u32>(Type::surfref); ++i)
    EXPECT_EQ(type_named(name_of(static_cast<Type>(i))), static_cast<Type>(i));
  EXPECT_FALSE(type_named("none"));
  EXPECT_FALSE(type_named(""));
  EXPECT_FALSE(type_named("u33"));
}

}  // namespace
}  // namespace ew::ptx
