// The recursive-descent parser behind ptx::parse. One object a module; its parts stand in files by subject:
//   parser.cpp (module directives), parser_functions.cpp (heads, bodies, instructions), parser_operands.cpp,
//   parser_variables.cpp (declarations and initialisers), expression.cpp (constant expressions).
// Private to this folder: the door is program.hpp.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/expression.hpp"
#include "ptx/lexer.hpp"
#include "ptx/scope.hpp"

namespace ew::ptx {

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : source_(name, text), lexer_(source_) { module_.name = name; }
  ast::Module parse();

 private:
  /// A name of the function's or the module's that may be declared further down.
  struct LocalReference {
    u32 instruction = 0, scope = 0;
  };
  struct TableReference {
    std::string table;
    u32 entry = 0, scope = 0;
    std::size_t offset = 0;
  };
  struct GlobalReference {
    std::string_view name;
    std::size_t offset = 0;
  };
  /// What stands before a name in a declaration, in any order.
  struct Declaration {
    Space space = Space::global;
    Type type = Type::none;
    u32 vector = 1;     // .v2 .v4
    u32 alignment = 0;  // 0: natural
    bool managed = false;
    ast::Linkage linkage = ast::Linkage::internal;
  };
  /// Where the initialiser of an array is being filled.
  struct Initialiser {
    ast::Variable* variable = nullptr;
    std::vector<u64> extents;  // of each dimension, outermost first; the outermost of x[] is as long as its list
    u64 element_bytes = 1;
  };

  // Tokens.
  const Token& now() const { return lexer_.current(); }
  void advance() { lexer_.advance(); }
  bool accept(char punctuation);
  void expect(char punctuation, std::string_view where);
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail(std::size_t offset, std::string_view sentence) const { source_.fail(offset, sentence); }
  std::string_view expect_name(std::string_view what);
  u64 expect_integer(std::string_view what, u64 least, u64 most);
  std::string expect_string(std::string_view what);
  std::string found() const;
  static std::optional<ast::Linkage> linkage_named(std::string_view);

  // Module directives (parser.cpp).
  void parse_header();
  void parse_module_directive();
  void parse_target();
  void parse_file();
  void parse_section();
  void parse_loc();
  void parse_alias();
  void parse_module_pragma();
  void skip_attribute(Declaration*);
  void declare_in_module(std::string_view name, bool is_definition, std::size_t offset);
  void check_global_references();
  ast::Place place_of(const Token&) const;

  // Variables (parser_variables.cpp).
  Declaration parse_declaration_head();
  bool parse_declaration_part(Declaration&);
  u32 parse_alignment();
  void parse_module_variables();
  void parse_local_variables();
  void parse_registers();
  ast::Variable parse_declarator(const Declaration&, std::vector<u64>& extents);
  void parse_extents(ast::Variable&, std::vector<u64>& extents);
  void parse_initialiser(ast::Variable&, std::vector<u64> extents);
  void parse_braces(Initialiser&, std::size_t dimension, u64 first_element);
  u64 stride_of(const Initialiser&, std::size_t dimension) const;
  void parse_element(Initialiser&, u64 element);
  void parse_address_element(Initialiser&, u64 element, std::optional<u32> mask_shift);
  void put(Initialiser&, u64 byte, u64 size, u64 bits, std::size_t offset);
  ast::Variable parse_parameter(bool in_prototype);
  std::vector<ast::Variable> parse_parameter_list(bool in_prototype);

  // Functions (parser_functions.cpp).
  void parse_function(ast::Linkage);
  void parse_function_attributes(ast::Function&);
  bool parse_limit(ast::Function&, std::string_view name);
  Dim3 parse_dimensions(std::string_view what);
  void parse_body();
  void parse_statement();
  void parse_body_directive();
  void parse_local_pragma();
  void parse_label(const Token& name);
  void parse_local_table(const Token& name);
  ast::Prototype parse_prototype();
  void parse_instruction();
  void finish_body();
  void resolve_table_entry(const TableReference&);
  void resolve(ast::Operand&, const LocalReference&);
  void note_carry(const ast::Instruction&);
  void check_branch(ast::Instruction&, std::size_t offset);

  // Operands (parser_operands.cpp).
  ast::Operand parse_operand(bool in_call);
  ast::Operand parse_simple_operand();
  ast::Operand parse_named_operand();
  ast::Operand parse_symbol_operand(const Token& name);
  ast::Operand parse_vector();
  ast::Operand parse_address();
  ast::Operand parse_list();
  ast::Operand parse_immediate();
  ast::Operand parse_pair(ast::Operand first, const Token& at);
  ast::Operand parse_special_operand(const Token& name);
  i64 parse_offset();
  [[noreturn]] void fail_unknown_name(const Token& name);

  // Constant expressions (expression.cpp).
  Constant parse_constant() { return parse_ternary(0); }
  i64 parse_constant_integer(std::string_view what);
  Constant parse_ternary(u32 depth);
  Constant parse_binary(u32 lowest, u32 depth);
  Constant parse_unary(u32 depth);
  Constant parse_primary(u32 depth);

  Source source_;
  Lexer lexer_;
  ast::Module module_;
  std::unordered_map<std::string_view, bool> global_names_;  // name -> defined (not only declared)
  std::unordered_map<std::string, u64> element_sizes_;       // of variables, for x[3]
  std::deque<std::string> made_names_;                       // of variables moved out of functions
  std::vector<GlobalReference> global_references_;
  u64 initialised_bytes_ = 0;

  // Of the function being parsed.
  ast::Function function_;
  std::unique_ptr<ScopeStack> scopes_;
  std::vector<LocalReference> local_references_;
  std::vector<TableReference> table_references_;
  u32 loc_file_ = 0, loc_line_ = 0;
  std::size_t region_offset_ = 0;
  bool in_region_ = false;
  bool has_pending_name_ = false;  // of the instruction being parsed
};

}  // namespace ew::ptx
