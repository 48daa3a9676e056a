// Declarations inside a function: registers, variables, parameters.
#include <fmt/format.h>

#include "ptx/function_parser.hpp"

namespace ew::ptx {

void FunctionParser::parse_variables() {
  const Token start = tokens_.now();
  const Declaration declaration = parse_declaration_head(tokens_);
  if (declaration.space == Space::reg) tokens_.fail(start.offset, "'.reg' comes first in a declaration of registers");
  do {
    const Token name = tokens_.now();
    Declarator declarator = parse_declarator(tokens_, declaration, debug_.place_of(name));
    if (!scopes_.is_free(name.text)) {
      tokens_.fail(name.offset, fmt::format("'{}' is declared twice in this scope", name.text));
    }
    if (tokens_.accept('=')) initialisers_.parse(declarator, &scopes_);
    add_variable(std::move(declarator.variable), declaration, name);
  } while (tokens_.accept(','));
  tokens_.expect(';', "at the end of a declaration");
}

void FunctionParser::add_variable(ast::Variable variable, const Declaration& declaration, const Token& name) {
  const bool is_static = variable.space == Space::global || variable.space == Space::constant;
  const bool outlives = is_static || (variable.space == Space::shared && variable.unsized);
  if (outlives) {
    // Lives as long as the module: known there under a name of its own, or under its own if it is external.
    if (variable.linkage == ast::Linkage::external_declaration)
      names_.declare_external(variable.name, name.offset);
    else
      variable.name = names_.declare_hidden(fmt::format("{}${}", function_.name, name.text), name.offset);
    scopes_.add_variable(name.text, variable.name);
  } else {
    variable.name = scopes_.add_variable(name.text);
  }
  names_.set_element_bytes(variable.name, declaration.element_bytes());
  (outlives ? module_.variables : function_.variables).push_back(std::move(variable));
}

void FunctionParser::parse_registers() {
  const Declaration declaration = parse_declaration_head(tokens_);
  if (declaration.vector != 1)
    tokens_.fail(tokens_.now().offset, "vector registers are not supported: declare each element");
  if (is_opaque(declaration.type)) tokens_.fail(tokens_.now().offset, "a register cannot have this type");
  do {
    const Token name = tokens_.now();
    tokens_.expect_name("the name of a register");
    if (tokens_.accept('<')) {
      const u64 count = tokens_.expect_integer("the number of registers", 0, ~u32{0});
      tokens_.expect('>', "after the number of registers");
      if (!scopes_.is_free_range(name.text, count)) {
        tokens_.fail(name.offset, fmt::format("registers {}<> are declared twice in this scope", name.text));
      }
      if (scopes_.visible_ranges() == ScopeStack::most_ranges) {
        tokens_.fail(name.offset,
                     fmt::format("more than {} ranges of registers are not supported", ScopeStack::most_ranges));
      }
      scopes_.add_range(name.text, count, declaration.type);
    } else {
      if (!scopes_.is_free(name.text))
        tokens_.fail(name.offset, fmt::format("'{}' is declared twice in this scope", name.text));
      scopes_.add_register(name.text, declaration.type);
    }
  } while (tokens_.accept(','));
  tokens_.expect(';', "at the end of a declaration");
}

ast::Variable FunctionParser::parse_parameter(bool in_prototype) {
  Declaration declaration;
  if (!tokens_.now().is_dotted("param") && !tokens_.now().is_dotted("reg")) tokens_.fail_expected("'.param'");
  while (tokens_.now().kind == TokenKind::dotted) {
    const Token word = tokens_.now();
    if (word.text == "ptr") {
      tokens_.advance();
      // .ptr.space says where the pointer points: nothing that the value depends on.
      while (tokens_.now().kind == TokenKind::dotted &&
             (space_named(tokens_.now().text) || tokens_.now().text == "align")) {
        tokens_.now().text == "align" ? static_cast<void>(parse_alignment(tokens_)) : tokens_.advance();
      }
    } else if (!parse_declaration_part(tokens_, declaration)) {
      tokens_.fail(word.offset, fmt::format("'.{}' is not a type or a part of a parameter", word.text));
    }
  }
  if (declaration.type == Type::none) tokens_.fail_expected("a type such as .b32");
  if (declaration.type == Type::pred && declaration.space != Space::reg)
    tokens_.fail(tokens_.now().offset, "a parameter cannot be a predicate");
  const Token name = tokens_.now();
  ast::Variable variable = parse_declarator(tokens_, declaration, debug_.place_of(name)).variable;
  if (in_prototype) return variable;
  if (!scopes_.is_free(name.text)) tokens_.fail(name.offset, fmt::format("'{}' is declared twice", name.text));
  if (declaration.space == Space::reg) {
    scopes_.add_register(name.text, declaration.type);
  } else {
    variable.name = scopes_.add_variable(name.text);
    names_.set_element_bytes(variable.name, declaration.element_bytes());
  }
  return variable;
}

std::vector<ast::Variable> FunctionParser::parse_parameter_list(bool in_prototype) {
  std::vector<ast::Variable> parameters;
  tokens_.expect('(', "before parameters");
  while (!tokens_.now().is(')')) {
    parameters.push_back(parse_parameter(in_prototype));
    if (!tokens_.accept(',')) break;
  }
  tokens_.expect(')', "or ',' after a parameter");
  return parameters;
}

}  // namespace ew::ptx
