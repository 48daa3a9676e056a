// Merges parsed modules: names meet across modules as .visible, .weak, .common and .extern say (PTX ISA, "Linking
// Directives").
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "core/symbol_name.hpp"
#include "ptx/program.hpp"
#include "ptx/source.hpp"

namespace ew::ptx {

namespace {

using ast::Linkage;

constexpr std::string_view system_calls[] = {"vprintf", "malloc", "free", "__assertfail", "__everwarp_assist"};

bool is_dynamic_shared(const ast::Variable& v) {
  return v.space == Space::shared && v.linkage == Linkage::external_declaration && v.unsized;
}

/// How much a definition counts when several modules have one.
enum class Strength : u8 { declared, common, weak, strong };

Strength strength_of(Linkage linkage, bool defined) {
  if (!defined) return Strength::declared;
  if (linkage == Linkage::weak) return Strength::weak;
  return linkage == Linkage::common ? Strength::common : Strength::strong;
}

enum class Kind : u8 { variable, function, alias };

/// One declaration or definition as a module has it.
struct Entity {
  Kind kind = Kind::variable;
  u32 module = 0, index = 0;
  Linkage linkage = Linkage::internal;
  bool defined = false;
};

struct Use {
  u32 module = 0;
  ast::Place place;
};

class Linker {
 public:
  explicit Linker(std::vector<ast::Module> modules) : modules_(std::move(modules)), renames_(modules_.size()) {}
  ast::Module link();

 private:
  using Names = std::unordered_map<std::string_view, std::vector<Entity>>;

  void collect(u32 module, Names&);
  void bind(std::string_view name, const std::vector<Entity>&);
  void choose(std::string_view name, const Entity&);
  void check_kinds(std::string_view name, const Entity&, const Entity&) const;
  void name_internals();
  void follow_aliases();
  std::string fresh_name(std::string_view name);
  void rewrite(u32 module);
  void rewrite(u32 module, ast::Function&);
  void rewrite(u32 module, ast::Operand&, const std::unordered_set<std::string_view>& locals, const ast::Place&);
  void refer(u32 module, std::string& name, const ast::Place&);
  void emit(ast::Module&);
  void emit_variable(ast::Module&, u32 module, u32 index, std::unordered_set<std::string>& dynamic);
  void emit_function(ast::Module&, u32 module, u32 index, std::unordered_set<std::string>& declared);
  void check_signature(const ast::Function& declaration, u32 module) const;
  void check_undefined() const;
  void merge_files(ast::Module&);
  void mark_noreturn(ast::Module&) const;
  std::string where(const Entity&) const;
  std::string where(const Use&) const;
  const ast::Place& place(const Entity&) const;

  std::vector<ast::Module> modules_;
  std::vector<std::unordered_map<std::string, std::string>>
      renames_;                           // module's name -> linked name, where they differ
  std::map<std::string, Entity> chosen_;  // linked name -> definition, or a declaration if there is none
  std::vector<std::pair<std::string, Entity>> internals_;
  std::unordered_map<std::string, std::string> aliases_;  // linked name of an alias -> linked name of its function
  std::unordered_map<std::string, std::vector<Use>> uses_;
};

const ast::Place& Linker::place(const Entity& entity) const {
  const auto& module = modules_[entity.module];
  if (entity.kind == Kind::variable) return module.variables[entity.index].place;
  if (entity.kind == Kind::function) return module.functions[entity.index].place;
  return module.aliases[entity.index].place;
}

std::string Linker::where(const Entity& entity) const {
  return fmt::format("{}:{}", modules_[entity.module].name, place(entity).ptx_line);
}

/// The line of the CUDA source where it is known, else that of the PTX.
std::string Linker::where(const Use& use) const {
  const auto& module = modules_[use.module];
  const auto file = module.files.find(use.place.file);
  if (use.place.file == 0 || file == module.files.end()) return fmt::format("{}:{}", module.name, use.place.ptx_line);
  return fmt::format("{}:{}", file->second, use.place.line);
}

void Linker::collect(u32 id, Names& names) {
  const auto& module = modules_[id];
  for (u32 i = 0; i < module.variables.size(); ++i) {
    const auto& v = module.variables[i];
    names[v.name].push_back({Kind::variable, id, i, v.linkage, v.linkage != Linkage::external_declaration});
  }
  for (u32 i = 0; i < module.functions.size(); ++i) {
    const auto& f = module.functions[i];
    names[f.name].push_back({Kind::function, id, i, f.linkage, f.has_body});
  }
  for (u32 i = 0; i < module.aliases.size(); ++i) {
    names[module.aliases[i].name].push_back({Kind::alias, id, i, Linkage::visible, true});
  }
}

void Linker::check_kinds(std::string_view name, const Entity& a, const Entity& b) const {
  const bool variables = a.kind == Kind::variable;
  if (variables != (b.kind == Kind::variable)) {
    throw Error(fmt::format("{}: '{}' is a variable here and a function in {}", where(variables ? a : b), name,
                            where(variables ? b : a)));
  }
  if (!variables) return;
  const auto& x = modules_[a.module].variables[a.index];
  const auto& y = modules_[b.module].variables[b.index];
  if (x.space != y.space)
    throw Error(fmt::format("{}: '{}' is in another state space in {}", where(a), name, where(b)));
}

/// All that one module says about a name: the definition decides whether it is internal.
void Linker::bind(std::string_view name, const std::vector<Entity>& entities) {
  const Entity* definition = nullptr;
  for (const auto& entity : entities) {
    check_kinds(name, entities.front(), entity);
    if (entity.kind == Kind::alias) definition = &entity;
    if (entity.defined && !definition) definition = &entity;
  }
  if (definition && definition->kind != Kind::alias && definition->linkage == Linkage::internal) {
    // `.visible .func f();` before `.func f() {…}` is one visible function.
    for (const auto& entity : entities) {
      if (entity.linkage == Linkage::internal) continue;
      Entity visible = *definition;
      visible.linkage = entity.linkage == Linkage::external_declaration ? Linkage::visible : entity.linkage;
      return choose(name, visible);
    }
    internals_.emplace_back(name, *definition);
    return;
  }
  if (definition && definition->kind == Kind::variable && definition->linkage == Linkage::common) {
    for (const auto& entity : entities) choose(name, entity);
    return;
  }
  choose(name, definition ? *definition : entities.front());
}

void Linker::choose(std::string_view name, const Entity& entity) {
  const auto [slot, is_new] = chosen_.try_emplace(std::string(name), entity);
  if (is_new) return;
  Entity& before = slot->second;
  check_kinds(name, before, entity);
  const Strength old_strength = strength_of(before.linkage, before.defined);
  const Strength new_strength = strength_of(entity.linkage, entity.defined);
  if (old_strength == Strength::strong && new_strength == Strength::strong) {
    throw Error(fmt::format("{}: '{}' is defined here and in {}", where(entity), name, where(before)));
  }
  if (old_strength == Strength::common && new_strength == Strength::common) {
    auto& a = modules_[before.module].variables[before.index];
    auto& b = modules_[entity.module].variables[entity.index];
    const u32 alignment = std::max(a.alignment, b.alignment);
    a.alignment = b.alignment = alignment;
    if (b.size > a.size) before = entity;
  } else if (new_strength > old_strength) {
    before = entity;
  }
}

std::string Linker::fresh_name(std::string_view name) {
  for (u32 number = 2;; ++number) {
    auto fresh = fmt::format("{}$m{}", name, number);
    if (!chosen_.contains(fresh)) return fresh;
  }
}

void Linker::name_internals() {
  for (const auto& [name, entity] : internals_) {
    if (chosen_.try_emplace(name, entity).second) continue;
    const auto fresh = fresh_name(name);
    chosen_.emplace(fresh, entity);
    renames_[entity.module][name] = fresh;
  }
}

void Linker::follow_aliases() {
  for (const auto& [name, entity] : chosen_) {
    if (entity.kind != Kind::alias) continue;
    std::string target = name;
    const Entity* at = &entity;
    for (std::size_t steps = 0; at->kind == Kind::alias; ++steps) {
      if (steps > chosen_.size()) throw Error(fmt::format("{}: alias '{}' stands for itself", where(entity), name));
      const auto& alias = modules_[at->module].aliases[at->index];
      const auto renamed = renames_[at->module].find(alias.target);
      target = renamed == renames_[at->module].end() ? alias.target : renamed->second;
      const auto found = chosen_.find(target);
      if (found == chosen_.end() || found->second.kind == Kind::variable) {
        throw Error(fmt::format("{}: alias '{}' stands for '{}', which is no function", where(entity), name, target));
      }
      at = &found->second;
    }
    aliases_[name] = target;
  }
}

void Linker::refer(u32 module, std::string& name, const ast::Place& at) {
  if (const auto renamed = renames_[module].find(name); renamed != renames_[module].end()) name = renamed->second;
  if (!aliases_.empty()) {
    if (const auto alias = aliases_.find(name); alias != aliases_.end()) name = alias->second;
  }
  const auto found = chosen_.find(name);
  if (found != chosen_.end() && !found->second.defined) uses_[name].push_back({module, at});
}

void Linker::rewrite(u32 module, ast::Operand& operand, const std::unordered_set<std::string_view>& locals,
                     const ast::Place& at) {
  for (auto& element : operand.elements) rewrite(module, element, locals, at);
  if (operand.kind == ast::Operand::Kind::symbol && !locals.contains(operand.symbol)) refer(module, operand.symbol, at);
}

void Linker::rewrite(u32 module, ast::Function& function) {
  std::unordered_set<std::string_view> locals;
  for (const auto* list : {&function.returns, &function.parameters, &function.variables}) {
    for (const auto& variable : *list) locals.insert(variable.name);
  }
  for (const auto* tables : {&function.branch_targets, &function.call_targets}) {
    for (const auto& [name, targets] : *tables) locals.insert(name);
  }
  for (const auto& [name, prototype] : function.prototypes) locals.insert(name);
  for (auto& instruction : function.body) {
    for (auto& operand : instruction.operands) rewrite(module, operand, locals, instruction.place);
  }
  for (auto& [name, targets] : function.call_targets) {
    for (auto& target : targets) refer(module, target, function.place);
  }
}

void Linker::rewrite(u32 id) {
  auto& module = modules_[id];
  for (auto& function : module.functions) rewrite(id, function);
  for (auto& variable : module.variables) {
    for (auto& relocation : variable.relocations) refer(id, relocation.symbol, variable.place);
  }
}

void Linker::check_undefined() const {
  std::vector<std::string> problems;
  for (const auto& [name, entity] : chosen_) {
    const auto used = uses_.find(name);
    if (entity.defined || used == uses_.end() || is_system_call(name)) continue;
    if (entity.kind == Kind::variable && is_dynamic_shared(modules_[entity.module].variables[entity.index])) continue;
    std::vector<std::string> places;
    u32 last = ~u32{0};
    for (const auto& use : used->second) {
      if (use.module != last) places.push_back(where(use));
      last = use.module;
    }
    std::vector<std::string> defined;
    for (const auto& [other, its] : chosen_) {
      if (its.defined) defined.push_back(core::readable_name(other));
    }
    const std::string wanted = core::readable_name(name);
    const std::vector<std::string_view> names(defined.begin(), defined.end());
    problems.push_back(
        fmt::format("undefined symbol '{}', used at {}{}", wanted, fmt::join(places, ", "), suggestion(wanted, names)));
    if (problems.size() == 20) break;
  }
  if (!problems.empty()) throw Error(fmt::format("{}", fmt::join(problems, "\n")));
}

void Linker::check_signature(const ast::Function& declaration, u32 module) const {
  const auto found = chosen_.find(declaration.name);
  if (found == chosen_.end() || found->second.kind != Kind::function || !found->second.defined) return;
  const auto& definition = modules_[found->second.module].functions[found->second.index];
  const auto same = [](const std::vector<ast::Variable>& a, const std::vector<ast::Variable>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.size == y.size; });
  };
  if (same(declaration.parameters, definition.parameters) && same(declaration.returns, definition.returns)) return;
  throw Error(fmt::format("{}:{}: '{}' is declared here with other parameters than it is defined with in {}",
                          modules_[module].name, declaration.place.ptx_line, declaration.name, where(found->second)));
}

void Linker::emit_variable(ast::Module& linked, u32 module, u32 index, std::unordered_set<std::string>& dynamic) {
  auto& variable = modules_[module].variables[index];
  const auto renamed = renames_[module].find(variable.name);
  if (renamed != renames_[module].end()) variable.name = renamed->second;
  const Entity& entity = chosen_.at(variable.name);
  if (is_dynamic_shared(variable) && !entity.defined) {
    const bool is_new = dynamic.insert(variable.name).second;
    if (is_new) {
      linked.variables.push_back(variable);
    } else {
      for (auto& other : linked.variables) {
        if (other.name == variable.name) other.alignment = std::max(other.alignment, variable.alignment);
      }
    }
  } else if (entity.defined && entity.module == module && entity.index == index) {
    linked.variables.push_back(std::move(variable));
  }
}

void Linker::emit_function(ast::Module& linked, u32 module, u32 index, std::unordered_set<std::string>& declared) {
  auto& function = modules_[module].functions[index];
  const auto renamed = renames_[module].find(function.name);
  if (renamed != renames_[module].end()) function.name = renamed->second;
  const auto found = chosen_.find(function.name);
  if (found == chosen_.end() || found->second.kind != Kind::function) return;
  const Entity& entity = found->second;
  if (entity.defined) {
    if (entity.module == module && entity.index == index) linked.functions.push_back(std::move(function));
  } else if (uses_.contains(function.name) && declared.insert(function.name).second) {
    linked.functions.push_back(std::move(function));
  }
}

void Linker::emit(ast::Module& linked) {
  for (u32 id = 0; id < modules_.size(); ++id) {
    for (const auto& function : modules_[id].functions) {
      if (!function.has_body && !renames_[id].contains(function.name)) check_signature(function, id);
    }
  }
  std::unordered_set<std::string> dynamic, declared;
  for (u32 id = 0; id < modules_.size(); ++id) {
    for (u32 i = 0; i < modules_[id].variables.size(); ++i) emit_variable(linked, id, i, dynamic);
    for (u32 i = 0; i < modules_[id].functions.size(); ++i) emit_function(linked, id, i, declared);
  }
}

/// Each module numbers its source files from 1; the linked one numbers them by name.
void Linker::merge_files(ast::Module& linked) {
  std::unordered_map<std::string, u32> numbers;
  for (auto& module : modules_) {
    std::unordered_map<u32, u32> renumbered{{0, 0}};
    for (const auto& [number, name] : module.files) {
      const auto [slot, is_new] = numbers.try_emplace(name, static_cast<u32>(numbers.size() + 1));
      if (is_new) linked.files[slot->second] = name;
      if (number != 0) renumbered[number] = slot->second;
    }
    const auto renumber = [&](ast::Place& place) {
      const auto found = renumbered.find(place.file);
      place.file = found == renumbered.end() ? 0 : found->second;
    };
    for (auto& variable : module.variables) renumber(variable.place);
    for (auto& function : module.functions) {
      renumber(function.place);
      for (auto& instruction : function.body) renumber(instruction.place);
    }
  }
}

void Linker::mark_noreturn(ast::Module& linked) const {
  std::unordered_set<std::string_view> noreturn;
  for (const auto& function : linked.functions) {
    if (function.noreturn) noreturn.insert(function.name);
  }
  for (auto& function : linked.functions) {
    for (auto& instruction : function.body) {
      if (std::string_view(instruction.opcode) != "call") continue;
      for (const auto& operand : instruction.operands) {
        if (operand.kind != ast::Operand::Kind::symbol) continue;
        const auto prototype = function.prototypes.find(operand.symbol);
        instruction.noreturn |=
            noreturn.contains(operand.symbol) || (prototype != function.prototypes.end() && prototype->second.noreturn);
      }
    }
  }
}

ast::Module Linker::link() {
  for (u32 id = 0; id < modules_.size(); ++id) {
    Names names;
    collect(id, names);
    // In the order of declaration, not of the hash: which definition of several comes first must not depend on it.
    std::vector<std::string_view> order;
    for (const auto& [name, entities] : names) order.push_back(name);
    std::sort(order.begin(), order.end());
    for (const auto name : order) bind(name, names[name]);
  }
  name_internals();
  follow_aliases();
  for (u32 id = 0; id < modules_.size(); ++id) rewrite(id);
  check_undefined();
  ast::Module linked;
  if (!modules_.empty()) {
    linked.name =
        modules_.size() == 1 ? modules_[0].name : fmt::format("{} and {} more", modules_[0].name, modules_.size() - 1);
    linked.version = modules_[0].version;
    linked.target = modules_[0].target;
  }
  merge_files(linked);
  emit(linked);
  mark_noreturn(linked);
  return linked;
}

}  // namespace

bool is_system_call(std::string_view name) {
  return std::find(std::begin(system_calls), std::end(system_calls), name) != std::end(system_calls);
}

ast::Module link(std::vector<ast::Module> modules) {
  return Linker(std::move(modules)).link();
}

}  // namespace ew::ptx
