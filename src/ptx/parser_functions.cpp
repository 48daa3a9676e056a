// Heads and attributes of functions, their bodies, statements and instructions.
#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ptx/parser.hpp"

namespace ew::ptx {

namespace {

// What follows a head that lacks its body or ';'.
constexpr std::string_view next_directives[] = {"func", "entry",  "visible", "extern",
                                                "weak", "global", "const",   "shared"};

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view cluster_attributes[] = {"explicitcluster", "reqnctapercluster", "maxclusterrank",
                                                   "blocksareclusters"};

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

}  // namespace

// ---- heads

void Parser::parse_function(ast::Linkage linkage) {
  function_ = {};
  scopes_ = std::make_unique<ScopeStack>(function_.registers);
  local_references_.clear();
  in_region_ = false;
  loc_file_ = loc_line_ = 0;
  function_.linkage = linkage;
  function_.place = place_of(now());
  function_.is_entry = now().text == "entry";
  advance();
  while (now().is_dotted("attribute")) skip_attribute(nullptr);
  if (now().is('(')) {
    if (function_.is_entry) fail(now().offset, "an entry returns nothing");
    function_.returns = parse_parameter_list(false);
  }
  const Token name = now();
  function_.name = expect_name(function_.is_entry ? "the name of an entry" : "the name of a function");
  if (now().is('(')) function_.parameters = parse_parameter_list(false);
  parse_function_attributes(function_);
  function_.has_body = now().is('{');
  if (function_.has_body && linkage == ast::Linkage::external_declaration) {
    fail(now().offset, "a function declared .extern cannot have a body");
  }
  declare_in_module(name.text, function_.has_body, name.offset);
  if (function_.has_body) {
    parse_body();
  } else if (!accept(';')) {
    fail_expected("'{' or ';' after the head of a function");
  }
  scopes_.reset();
  module_.functions.push_back(std::move(function_));
}

Dim3 Parser::parse_dimensions(std::string_view what) {
  Dim3 dimensions{1, 1, 1};
  dimensions.x = static_cast<u32>(expect_integer(what, 1, ~u32{0}));
  if (accept(',')) dimensions.y = static_cast<u32>(expect_integer(what, 1, ~u32{0}));
  if (accept(',')) dimensions.z = static_cast<u32>(expect_integer(what, 1, ~u32{0}));
  return dimensions;
}

/// Takes one directive that limits launches; answers false, having taken nothing, when it is none.
bool Parser::parse_limit(ast::Function& function, std::string_view name) {
  if (name == "maxntid") {
    advance();
    function.max_threads = parse_dimensions(".maxntid");
  } else if (name == "reqntid") {
    advance();
    function.required_threads = parse_dimensions(".reqntid");
  } else if (name == "minnctapersm") {
    advance();
    function.min_blocks = static_cast<u32>(expect_integer(".minnctapersm", 0, ~u32{0}));
  } else if (name == "maxnctapersm") {  // deprecated: a wish only
    advance();
    expect_integer(".maxnctapersm", 0, ~u32{0});
  } else if (name == "maxnreg") {
    advance();
    function.max_registers = static_cast<u32>(expect_integer(".maxnreg", 1, ~u32{0}));
  } else {
    return false;
  }
  return true;
}

void Parser::parse_function_attributes(ast::Function& function) {
  for (; now().kind == TokenKind::dotted; accept(',')) {
    const Token word = now();
    if (is_one_of(word.text, next_directives)) return;
    if (is_one_of(word.text, cluster_attributes)) {
      fail(word.offset, fmt::format(".{}: thread block clusters are not supported", word.text));
    }
    if (word.text == "noreturn") {
      advance();
      function.noreturn = true;
    } else if (word.text == "pragma") {
      parse_module_pragma();
    } else if (word.text == "attribute") {
      skip_attribute(nullptr);
    } else if (word.text == "abi_preserve" || word.text == "abi_preserve_control") {
      advance();
      expect_integer("a number of registers", 0, ~u32{0});
    } else if (!parse_limit(function, word.text)) {
      constexpr std::string_view known[] = {".maxntid", ".reqntid",  ".minnctapersm",
                                            ".maxnreg", ".noreturn", ".pragma"};
      const auto name = fmt::format(".{}", word.text);
      fail(word.offset, fmt::format("unknown attribute {} of a function{}", name, suggestion(name, known)));
    }
  }
}

// ---- bodies

void Parser::parse_body() {
  const Token open = now();
  advance();
  for (;;) {
    if (now().kind == TokenKind::end) {
      const bool nested = scopes_->depth() > 0;
      fail(nested ? scopes_->opened_at() : open.offset, "expected '}' to close this brace, found the end of the text");
    }
    if (now().is('{')) {
      if (scopes_->depth() == ScopeStack::deepest) fail(now().offset, "braces are nested too deeply");
      scopes_->open(now().offset);
      advance();
    } else if (now().is('}')) {
      advance();
      if (scopes_->depth() == 0) return finish_body();
      scopes_->close();
    } else {
      parse_statement();
    }
  }
}

void Parser::parse_statement() {
  const Token at = now();
  if (at.kind == TokenKind::identifier) {
    if (lexer_.ahead().is(':')) return parse_label(at);
    return parse_instruction();
  }
  if (at.kind == TokenKind::dotted) return parse_body_directive();
  if (at.is('@')) {
    if (lexer_.ahead().is('@')) return lexer_.skip_line();
    return parse_instruction();
  }
  if (accept(';')) return;
  fail_expected("an instruction, a label or a directive");
}

void Parser::parse_body_directive() {
  const Token word = now();
  if (word.text == "reg") return parse_registers();
  if (word.text == "loc") return parse_loc();
  if (word.text == "pragma") return parse_local_pragma();
  if (word.text == "file") return parse_file();
  if (word.text == "section") return parse_section();
  constexpr std::string_view variables[] = {"param", "local", "shared", "global",
                                            "const", "align", "extern", "attribute"};
  if (is_one_of(word.text, variables)) return parse_local_variables();
  if (parse_limit(function_, word.text)) {
    accept(';');
    return;
  }
  if (word.text == "branchtargets" || word.text == "calltargets" || word.text == "callprototype") {
    fail(word.offset, fmt::format("expected a label before .{}", word.text));
  }
  constexpr std::string_view known[] = {".reg",    ".loc",           ".pragma",      ".param",
                                        ".local",  ".shared",        ".global",      ".const",
                                        ".extern", ".branchtargets", ".calltargets", ".callprototype"};
  const auto name = fmt::format(".{}", word.text);
  fail(word.offset, fmt::format("unknown directive {}{}", name, suggestion(name, known)));
}

void Parser::parse_local_pragma() {
  advance();
  do {
    const Token at = now();
    const auto text = expect_string("a string after .pragma");
    if (!text.starts_with("everwarp.")) continue;
    const auto name = text.substr(9);
    const auto here = static_cast<u32>(function_.body.size());
    if (name == "end") {
      if (!in_region_) fail(at.offset, "\"everwarp.end\" ends nothing: expected \"everwarp.NAME\" before it");
      ast::Region& region = function_.regions.back();
      region.end = here;
      if (region.begin + 1 == region.end)
        fail(region_offset_, fmt::format("\"everwarp.{}\" holds no instruction", region.name));
      in_region_ = false;
    } else {
      if (in_region_) {
        fail(at.offset,
             fmt::format("\"everwarp.{}\" begins inside \"everwarp.{}\"", name, function_.regions.back().name));
      }
      if (name.empty()) fail(at.offset, "expected a name after \"everwarp.\"");
      function_.regions.push_back({name, here, here});
      in_region_ = true;
      region_offset_ = at.offset;
      // Stands before the region's own instructions and becomes Op::region: a machine that does not run the operation
      // itself goes on with them.
      function_.body.push_back(
          {.opcode = "pmevent", .place = place_of(at), .text = fmt::format(".pragma \"everwarp.{}\"", name)});
    }
  } while (accept(','));
  expect(';', "at the end of .pragma");
}

void Parser::parse_label(const Token& name) {
  const Token at = name;
  advance();
  advance();
  if (!scopes_->is_free_local(at.text))
    fail(at.offset, fmt::format("label '{}' is declared twice in this scope", at.text));
  if (now().is_dotted("branchtargets") || now().is_dotted("calltargets") || now().is_dotted("callprototype")) {
    return parse_local_table(at);
  }
  const auto& unique = scopes_->add_local(at.text, Named::Kind::label);
  function_.labels[unique] = static_cast<u32>(function_.body.size());
}

void Parser::parse_local_table(const Token& name) {
  const auto directive = now().text;
  advance();
  if (directive == "callprototype") {
    const auto& unique = scopes_->add_local(name.text, Named::Kind::prototype);
    function_.prototypes[unique] = parse_prototype();
    return expect(';', "at the end of .callprototype");
  }
  const bool branches = directive == "branchtargets";
  const auto& unique =
      scopes_->add_local(name.text, branches ? Named::Kind::branch_targets : Named::Kind::call_targets);
  auto& targets = (branches ? function_.branch_targets : function_.call_targets)[unique];
  do {
    const Token target = now();
    targets.emplace_back(expect_name(branches ? "a label" : "the name of a function"));
    if (branches) {
      table_references_.push_back({unique, static_cast<u32>(targets.size() - 1), scopes_->current(), target.offset});
    } else {
      global_references_.push_back({target.text, target.offset});
    }
  } while (accept(','));
  expect(';', fmt::format("at the end of .{}", directive));
}

ast::Prototype Parser::parse_prototype() {
  ast::Prototype prototype;
  if (now().is('(')) prototype.returns = parse_parameter_list(true);
  expect_name("'_' in place of the function's name");
  if (now().is('(')) prototype.parameters = parse_parameter_list(true);
  ast::Function attributes;
  parse_function_attributes(attributes);
  prototype.noreturn = attributes.noreturn;
  return prototype;
}

void Parser::parse_instruction() {
  const Token start = now();
  ast::Instruction instruction;
  instruction.place = place_of(start);
  if (accept('@')) {
    instruction.guard_negated = accept('!');
    const Token guard = now();
    expect_name("a predicate register after '@'");
    instruction.guard = scopes_->find_register(guard.text);
    if (!instruction.guard) fail_unknown_name(guard);
    if (function_.registers[*instruction.guard].type != Type::pred) {
      fail(guard.offset, fmt::format("expected a predicate after '@', but '{}' is a .{}", guard.text,
                                     name_of(function_.registers[*instruction.guard].type)));
    }
  }
  instruction.opcode = expect_name("an opcode");
  if (now().kind == TokenKind::dotted) instruction.modifiers.reserve(3);
  while (now().kind == TokenKind::dotted) {
    instruction.modifiers.emplace_back(now().text);
    advance();
  }
  has_pending_name_ = false;
  const bool is_call = std::string_view(instruction.opcode) == "call";
  if (!now().is(';')) {
    instruction.operands.reserve(4);
    do {
      instruction.operands.push_back(parse_operand(is_call));
    } while (accept(','));
  }
  if (!now().is(';')) fail_expected(instruction.operands.empty() ? "an operand or ';'" : "',' or ';' after an operand");
  instruction.text = one_line(source_.text().substr(start.offset, now().offset - start.offset));
  advance();
  if (has_pending_name_) {
    local_references_.push_back({static_cast<u32>(function_.body.size()), scopes_->current()});
  }
  check_branch(instruction, start.offset);
  note_carry(instruction);
  function_.body.push_back(std::move(instruction));
}

/// The condition code is a register like any other to the flow analysis: PTX ISA, "Extended-Precision Integer
/// Arithmetic".
void Parser::note_carry(const ast::Instruction& instruction) {
  if (function_.carry) return;
  const std::string_view opcode = instruction.opcode;
  bool carries = opcode == "addc" || opcode == "subc" || opcode == "madc";
  for (const std::string_view modifier : instruction.modifiers) carries |= modifier == "cc";
  if (!carries) return;
  function_.carry = static_cast<u32>(function_.registers.size());
  function_.registers.push_back({"%cc", Type::pred});
}

// ---- names that may be declared below their use

void Parser::finish_body() {
  if (in_region_) {
    fail(region_offset_,
         fmt::format("\"everwarp.{}\" is not closed: expected \"everwarp.end\" before the function's end",
                     function_.regions.back().name));
  }
  for (const auto& reference : table_references_) resolve_table_entry(reference);
  table_references_.clear();
  for (const auto& reference : local_references_) {
    for (auto& operand : function_.body[reference.instruction].operands) resolve(operand, reference);
  }
  local_references_.clear();
}

void Parser::resolve_table_entry(const TableReference& reference) {
  std::string& name = function_.branch_targets[reference.table][reference.entry];
  Named::Kind kind{};
  const std::string* label = scopes_->find_local(reference.scope, name, kind);
  if (!label || kind != Named::Kind::label) {
    fail(reference.offset, fmt::format("label '{}' is not declared{}", name,
                                       suggestion(name, scopes_->local_names(reference.scope, Named::Kind::label))));
  }
  name = *label;
}

/// Symbols marked by parse_symbol_operand: a label, a table, a prototype, or else a name of the module.
void Parser::resolve(ast::Operand& operand, const LocalReference& reference) {
  for (auto& element : operand.elements) resolve(element, reference);
  if (operand.kind != ast::Operand::Kind::symbol || operand.reg == 0) return;
  const std::size_t offset = operand.bits;
  operand.reg = 0;
  operand.bits = 0;
  Named::Kind kind{};
  const std::string* local = scopes_->find_local(reference.scope, operand.symbol, kind);
  const std::string_view opcode = function_.body[reference.instruction].opcode;
  const bool fits =
      local && (opcode == "bra" ? kind == Named::Kind::label : opcode != "brx" || kind == Named::Kind::branch_targets);
  if ((opcode == "bra" || opcode == "brx") && !fits) {
    fail(offset,
         fmt::format("{} '{}' is not declared{}", opcode == "bra" ? "label" : ".branchtargets", operand.symbol,
                     suggestion(operand.symbol,
                                scopes_->local_names(reference.scope, opcode == "bra" ? Named::Kind::label
                                                                                      : Named::Kind::branch_targets))));
  }
  if (!local) {
    global_references_.push_back({source_.text().substr(offset, operand.symbol.size()), offset});
    return;
  }
  operand.symbol = *local;
  if (kind != Named::Kind::label) return;
  operand.kind = ast::Operand::Kind::label;
  operand.bits = function_.labels[*local];
}

/// The shape that control flow relies on; the decoder checks the other instructions.
void Parser::check_branch(ast::Instruction& instruction, std::size_t offset) {
  const std::string_view opcode = instruction.opcode;
  if (opcode != "bra" && opcode != "brx") return;
  using Kind = ast::Operand::Kind;
  auto& operands = instruction.operands;
  const auto names = [&](std::size_t i) {
    return operands[i].kind == Kind::symbol && operands[i].reg == 1 && operands[i].offset == 0;
  };
  if (opcode == "bra" && (operands.size() != 1 || !names(0))) fail(offset, "expected bra and one label");
  if (opcode == "brx" && (operands.size() != 2 || operands[0].kind != Kind::reg || !names(1))) {
    fail(offset, "expected brx.idx, a register and the label of .branchtargets");
  }
}

}  // namespace ew::ptx
