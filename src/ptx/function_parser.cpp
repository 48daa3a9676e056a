#include "ptx/function_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace ew::ptx {
namespace {

// What follows a head that lacks its body or ';'.
constexpr std::string_view next_directives[] = {"func", "entry",  "visible", "extern",
                                                "weak", "global", "const",   "shared"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view cluster_attributes[] = {"explicitcluster", "reqnctapercluster", "blocksareclusters"};

/// White space in a row, line breaks and comments become one blank.
std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  bool gap = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*')) {
      const std::size_t end = text[i + 1] == '/' ? text.find('\n', i) : text.find("*/", i + 2);
      if (end == std::string_view::npos) break;
      i = text[i + 1] == '/' ? end : end + 1;
      gap = true;
    } else if (static_cast<unsigned char>(text[i]) <= ' ') {
      gap = true;
    } else {
      if (gap && !line.empty()) line += ' ';
      gap = false;
      line += text[i];
    }
  }
  return line;
}

Dim3 parse_dimensions(TokenReader& tokens, std::string_view what) {
  Dim3 dimensions{1, 1, 1};
  dimensions.x = static_cast<u32>(tokens.expect_integer(what, 1, ~u32{0}));
  if (tokens.accept(',')) dimensions.y = static_cast<u32>(tokens.expect_integer(what, 1, ~u32{0}));
  if (tokens.accept(',')) dimensions.z = static_cast<u32>(tokens.expect_integer(what, 1, ~u32{0}));
  return dimensions;
}

/// Takes one directive that limits launches; answers false, having taken nothing, when it is none.
bool parse_limit(TokenReader& tokens, ast::Function& function, std::string_view name) {
  if (name == "maxntid") {
    tokens.advance();
    function.max_threads = parse_dimensions(tokens, ".maxntid");
  } else if (name == "reqntid") {
    tokens.advance();
    function.required_threads = parse_dimensions(tokens, ".reqntid");
  } else if (name == "minnctapersm") {
    tokens.advance();
    function.min_blocks = static_cast<u32>(tokens.expect_integer(".minnctapersm", 0, ~u32{0}));
  } else if (name == "maxnctapersm") {  // deprecated: a wish only
    tokens.advance();
    tokens.expect_integer(".maxnctapersm", 0, ~u32{0});
  } else if (name ==
             "maxclusterrank") {  // the third number of __launch_bounds__: a launch without clusters keeps to it
    tokens.advance();
    tokens.expect_integer(".maxclusterrank", 1, ~u32{0});
  } else if (name == "maxnreg") {
    tokens.advance();
    function.max_registers = static_cast<u32>(tokens.expect_integer(".maxnreg", 1, ~u32{0}));
  } else {
    return false;
  }
  return true;
}

void parse_attributes(TokenReader& tokens, ast::Function& function) {
  for (; tokens.now().kind == TokenKind::dotted; tokens.accept(',')) {
    const Token word = tokens.now();
    if (is_one_of(word.text, next_directives)) return;
    if (is_one_of(word.text, cluster_attributes)) {
      tokens.fail(word.offset, fmt::format(".{}: thread block clusters are not supported", word.text));
    }
    if (word.text == "noreturn") {
      tokens.advance();
      function.noreturn = true;
    } else if (word.text == "pragma") {
      parse_pragma(tokens);
    } else if (word.text == "attribute") {
      parse_attribute(tokens, nullptr);
    } else if (word.text == "abi_preserve" || word.text == "abi_preserve_control") {
      tokens.advance();
      tokens.expect_integer("a number of registers", 0, ~u32{0});
    } else if (!parse_limit(tokens, function, word.text)) {
      constexpr std::string_view known[] = {".maxntid", ".reqntid",  ".minnctapersm",
                                            ".maxnreg", ".noreturn", ".pragma"};
      const auto name = fmt::format(".{}", word.text);
      tokens.fail(word.offset, fmt::format("unknown attribute {} of a function{}", name, suggestion(name, known)));
    }
  }
}

/// The shape that control flow relies on; the decoder checks the other instructions.
void check_branch(const TokenReader& tokens, const ast::Instruction& instruction, std::size_t offset) {
  const std::string_view opcode = instruction.opcode;
  if (opcode != "bra" && opcode != "brx") return;
  using Kind = ast::Operand::Kind;
  const auto& operands = instruction.operands;
  const auto names = [&](std::size_t i) {
    return operands[i].kind == Kind::symbol && operands[i].reg == 1 && operands[i].offset == 0;
  };
  if (opcode == "bra" && (operands.size() != 1 || !names(0))) tokens.fail(offset, "expected bra and one label");
  if (opcode == "brx" && (operands.size() != 2 || operands[0].kind != Kind::reg || !names(1))) {
    tokens.fail(offset, "expected brx.idx, a register and the label of .branchtargets");
  }
}

/// The condition code is a register like any other to the flow analysis: PTX ISA, "Extended-Precision Integer
/// Arithmetic".
void note_carry(ast::Function& function, const ast::Instruction& instruction) {
  if (function.carry) return;
  const std::string_view opcode = instruction.opcode;
  bool carries = opcode == "addc" || opcode == "subc" || opcode == "madc";
  for (const std::string_view modifier : instruction.modifiers) carries |= modifier == "cc";
  if (!carries) return;
  function.carry = static_cast<u32>(function.registers.size());
  function.registers.push_back({"%cc", Type::pred});
}

}  // namespace

FunctionParser::FunctionParser(TokenReader& tokens, ast::Module& module, ModuleNames& names, DebugDirectives& debug,
                               InitialiserParser& initialisers)
    : tokens_(tokens),
      module_(module),
      names_(names),
      debug_(debug),
      initialisers_(initialisers),
      scopes_(function_.registers),
      operands_(tokens, scopes_, function_.registers, names),
      late_names_(tokens, names, scopes_) {}

ast::Function FunctionParser::parse(ast::Linkage linkage) {
  debug_.forget_loc();
  function_.linkage = linkage;
  function_.place = debug_.place_of(tokens_.now());
  function_.is_entry = tokens_.now().text == "entry";
  tokens_.advance();
  while (tokens_.now().is_dotted("attribute")) parse_attribute(tokens_, nullptr);
  if (tokens_.now().is('(')) {
    if (function_.is_entry) tokens_.fail(tokens_.now().offset, "an entry returns nothing");
    function_.returns = parse_parameter_list(false);
  }
  const Token name = tokens_.now();
  function_.name = tokens_.expect_name(function_.is_entry ? "the name of an entry" : "the name of a function");
  if (tokens_.now().is('(')) function_.parameters = parse_parameter_list(false);
  parse_attributes(tokens_, function_);
  function_.has_body = tokens_.now().is('{');
  if (function_.has_body && linkage == ast::Linkage::external_declaration) {
    tokens_.fail(tokens_.now().offset, "a function declared .extern cannot have a body");
  }
  names_.declare(name.text, function_.has_body, name.offset);
  if (function_.has_body) {
    parse_body();
  } else if (!tokens_.accept(';')) {
    tokens_.fail_expected("'{' or ';' after the head of a function");
  }
  return std::move(function_);
}

void FunctionParser::parse_body() {
  const Token open = tokens_.now();
  tokens_.advance();
  for (;;) {
    if (tokens_.now().kind == TokenKind::end) {
      const bool nested = scopes_.depth() > 0;
      tokens_.fail(nested ? scopes_.opened_at() : open.offset,
                   "expected '}' to close this brace, found the end of the text");
    }
    if (tokens_.now().is('{')) {
      if (scopes_.depth() == ScopeStack::deepest) tokens_.fail(tokens_.now().offset, "braces are nested too deeply");
      scopes_.open(tokens_.now().offset);
      tokens_.advance();
    } else if (tokens_.now().is('}')) {
      tokens_.advance();
      if (scopes_.depth() == 0) return finish_body();
      scopes_.close();
    } else {
      parse_statement();
    }
  }
}

void FunctionParser::parse_statement() {
  const Token at = tokens_.now();
  if (at.kind == TokenKind::identifier) {
    if (tokens_.ahead().is(':')) return parse_label(at);
    return parse_instruction();
  }
  if (at.kind == TokenKind::dotted) return parse_directive();
  if (at.is('@')) {
    if (tokens_.ahead().is('@')) return tokens_.skip_line();
    return parse_instruction();
  }
  if (tokens_.accept(';')) return;
  tokens_.fail_expected("an instruction, a label or a directive");
}

void FunctionParser::parse_directive() {
  const Token word = tokens_.now();
  if (word.text == "reg") return parse_registers();
  if (word.text == "loc") return debug_.parse_loc();
  if (word.text == "pragma") return parse_local_pragma();
  if (word.text == "file") return debug_.parse_file();
  if (word.text == "section") return debug_.parse_section();
  constexpr std::string_view variables[] = {"param", "local", "shared", "global",
                                            "const", "align", "extern", "attribute"};
  if (is_one_of(word.text, variables)) return parse_variables();
  if (parse_limit(tokens_, function_, word.text)) {
    tokens_.accept(';');
    return;
  }
  if (word.text == "branchtargets" || word.text == "calltargets" || word.text == "callprototype") {
    tokens_.fail(word.offset, fmt::format("expected a label before .{}", word.text));
  }
  constexpr std::string_view known[] = {".reg",    ".loc",           ".pragma",      ".param",
                                        ".local",  ".shared",        ".global",      ".const",
                                        ".extern", ".branchtargets", ".calltargets", ".callprototype"};
  const auto name = fmt::format(".{}", word.text);
  tokens_.fail(word.offset, fmt::format("unknown directive {}{}", name, suggestion(name, known)));
}

void FunctionParser::parse_local_pragma() {
  tokens_.advance();
  do {
    const Token at = tokens_.now();
    const auto text = tokens_.expect_string("a string after .pragma");
    if (!text.starts_with("everwarp.")) continue;
    const auto name = text.substr(9);
    if (name == "end")
      end_region(at);
    else
      begin_region(name, at);
  } while (tokens_.accept(','));
  tokens_.expect(';', "at the end of .pragma");
}

void FunctionParser::begin_region(const std::string& name, const Token& at) {
  if (region_offset_) {
    tokens_.fail(at.offset,
                 fmt::format("\"everwarp.{}\" begins inside \"everwarp.{}\"", name, function_.regions.back().name));
  }
  if (name.empty()) tokens_.fail(at.offset, "expected a name after \"everwarp.\"");
  const auto here = static_cast<u32>(function_.body.size());
  function_.regions.push_back({name, here, here});
  region_offset_ = at.offset;
  // Stands before the region's own instructions and becomes Op::region: a machine that does not run the operation
  // itself goes on with them.
  function_.body.push_back(
      {.opcode = "pmevent", .place = debug_.place_of(at), .text = fmt::format(".pragma \"everwarp.{}\"", name)});
}

void FunctionParser::end_region(const Token& at) {
  if (!region_offset_) tokens_.fail(at.offset, "\"everwarp.end\" ends nothing: expected \"everwarp.NAME\" before it");
  ast::Region& region = function_.regions.back();
  region.end = static_cast<u32>(function_.body.size());
  if (region.begin + 1 == region.end)
    tokens_.fail(*region_offset_, fmt::format("\"everwarp.{}\" holds no instruction", region.name));
  region_offset_.reset();
}

void FunctionParser::parse_label(const Token& name) {
  const Token at = name;
  tokens_.advance();
  tokens_.advance();
  if (!scopes_.is_free_local(at.text))
    tokens_.fail(at.offset, fmt::format("label '{}' is declared twice in this scope", at.text));
  if (tokens_.now().is_dotted("branchtargets") || tokens_.now().is_dotted("calltargets") ||
      tokens_.now().is_dotted("callprototype")) {
    return parse_local_table(at);
  }
  const auto& unique = scopes_.add_local(at.text, Named::Kind::label);
  function_.labels[unique] = static_cast<u32>(function_.body.size());
}

void FunctionParser::parse_local_table(const Token& name) {
  const auto directive = tokens_.now().text;
  tokens_.advance();
  if (directive == "callprototype") {
    const auto& unique = scopes_.add_local(name.text, Named::Kind::prototype);
    function_.prototypes[unique] = parse_prototype();
    return tokens_.expect(';', "at the end of .callprototype");
  }
  const bool branches = directive == "branchtargets";
  const auto& unique = scopes_.add_local(name.text, branches ? Named::Kind::branch_targets : Named::Kind::call_targets);
  auto& targets = (branches ? function_.branch_targets : function_.call_targets)[unique];
  do {
    const Token target = tokens_.now();
    targets.emplace_back(tokens_.expect_name(branches ? "a label" : "the name of a function"));
    if (branches) {
      late_names_.add_table_entry(unique, static_cast<u32>(targets.size() - 1), target.offset);
    } else {
      names_.refer(target.text, target.offset);
    }
  } while (tokens_.accept(','));
  tokens_.expect(';', fmt::format("at the end of .{}", directive));
}

ast::Prototype FunctionParser::parse_prototype() {
  ast::Prototype prototype;
  if (tokens_.now().is('(')) prototype.returns = parse_parameter_list(true);
  tokens_.expect_name("'_' in place of the function's name");
  if (tokens_.now().is('(')) prototype.parameters = parse_parameter_list(true);
  ast::Function attributes;
  parse_attributes(tokens_, attributes);
  prototype.noreturn = attributes.noreturn;
  return prototype;
}

void FunctionParser::parse_instruction() {
  const Token start = tokens_.now();
  ast::Instruction instruction;
  instruction.place = debug_.place_of(start);
  if (tokens_.accept('@')) {
    instruction.guard_negated = tokens_.accept('!');
    instruction.guard = operands_.parse_guard();
  }
  instruction.opcode = tokens_.expect_name("an opcode");
  if (tokens_.now().kind == TokenKind::dotted) instruction.modifiers.reserve(3);
  while (tokens_.now().kind == TokenKind::dotted) {
    instruction.modifiers.emplace_back(tokens_.now().text);
    tokens_.advance();
  }
  const bool is_call = std::string_view(instruction.opcode) == "call";
  const bool negatable = std::string_view(instruction.opcode) == "vmad";
  if (!tokens_.now().is(';')) {
    instruction.operands.reserve(4);
    do {
      instruction.operands.push_back(operands_.parse(is_call, negatable));
    } while (tokens_.accept(','));
  }
  if (!tokens_.now().is(';'))
    tokens_.fail_expected(instruction.operands.empty() ? "an operand or ';'" : "',' or ';' after an operand");
  instruction.text = one_line(tokens_.text().substr(start.offset, tokens_.now().offset - start.offset));
  tokens_.advance();
  if (operands_.take_unresolved()) late_names_.add_instruction(static_cast<u32>(function_.body.size()));
  check_branch(tokens_, instruction, start.offset);
  note_carry(function_, instruction);
  function_.body.push_back(std::move(instruction));
}

void FunctionParser::finish_body() {
  if (region_offset_) {
    tokens_.fail(*region_offset_,
                 fmt::format("\"everwarp.{}\" is not closed: expected \"everwarp.end\" before the function's end",
                             function_.regions.back().name));
  }
  late_names_.resolve(function_);
}

}  // namespace ew::ptx
