#include "ptx/scope.hpp"

#include <fmt/format.h>

namespace ew::ptx {

namespace {

constexpr u64 dense_numbers = 1 << 16;  // registers numbered below this are found through an array

/// The number that `digits` spell as PTX numbers a range's registers: no leading zeros.
std::optional<u64> register_number(std::string_view digits) {
  if (digits.empty() || digits.size() > 10 || (digits[0] == '0' && digits.size() > 1)) return std::nullopt;
  u64 number = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace

void ScopeStack::open(std::size_t offset) {
  NameScope scope;
  scope.parent = current_;
  scope.opened_at = offset;
  current_ = static_cast<u32>(scopes_.size());
  scopes_.push_back(std::move(scope));
  ++depth_;
}

void ScopeStack::close() {
  visible_ranges_ -= static_cast<u32>(scopes_[current_].ranges.size());
  current_ = scopes_[current_].parent;
  --depth_;
}

bool ScopeStack::is_free(std::string_view name) const {
  const NameScope& scope = scopes_[current_];
  if (scope.names.find(name)) return false;
  for (const auto& range : scope.ranges) {
    if (!name.starts_with(range.prefix)) continue;
    const auto number = register_number(name.substr(range.prefix.size()));
    if (number && *number < range.count) return false;
  }
  return true;
}

bool ScopeStack::is_free_range(std::string_view prefix, u64 count) const {
  const NameScope& scope = scopes_[current_];
  for (const auto& range : scope.ranges) {
    if (range.prefix == prefix && range.count > 0 && count > 0) return false;
  }
  return true;
}

u32 ScopeStack::make_register(std::string_view name, Type type) {
  registers_.push_back({std::string(name), type});
  return static_cast<u32>(registers_.size() - 1);
}

void ScopeStack::add_register(std::string_view name, Type type) {
  scopes_[current_].names.add(name, {Named::Kind::reg, make_register(name, type)});
}

void ScopeStack::add_range(std::string_view prefix, u64 count, Type type) {
  RegisterRange range;
  range.prefix = prefix;
  range.count = count;
  range.type = type;
  scopes_[current_].ranges.push_back(std::move(range));
  ++visible_ranges_;
}

u32 ScopeStack::unique_name(std::string_view name) {
  std::string unique(name);
  u32& asked = taken_[unique];
  for (u32 number = ++asked; number > 1; ++number) {
    unique = fmt::format("{}${}", name, number);
    if (taken_.emplace(unique, 1).second) {
      taken_[std::string(name)] = number;
      break;
    }
  }
  unique_names_.push_back(std::move(unique));
  return static_cast<u32>(unique_names_.size() - 1);
}

const std::string& ScopeStack::add_variable(std::string_view name) {
  const u32 index = unique_name(name);
  scopes_[current_].names.add(name, {Named::Kind::variable, index});
  return unique_names_[index];
}

void ScopeStack::add_variable(std::string_view name, std::string_view module_name) {
  unique_names_.emplace_back(module_name);
  scopes_[current_].names.add(name, {Named::Kind::variable, static_cast<u32>(unique_names_.size() - 1)});
}

const std::string& ScopeStack::add_local(std::string_view name, Named::Kind kind) {
  const u32 index = unique_name(name);
  scopes_[current_].local.add(name, {kind, index});
  return unique_names_[index];
}

std::optional<u32> ScopeStack::find_in_ranges(NameScope& scope, std::string_view name) {
  for (auto& range : scope.ranges) {
    if (name.size() <= range.prefix.size() || !name.starts_with(range.prefix)) continue;
    const auto number = register_number(name.substr(range.prefix.size()));
    if (!number || *number >= range.count) continue;
    if (*number >= dense_numbers) {
      const auto [slot, is_new] = range.high.try_emplace(*number, 0);
      if (is_new) slot->second = make_register(name, range.type);
      return slot->second;
    }
    if (*number >= range.low.size())
      range.low.resize(std::min<u64>(range.count, std::max<u64>(*number + 1, 16) * 2), 0);
    u32& slot = range.low[*number];
    if (slot == 0) slot = make_register(name, range.type) + 1;
    return slot - 1;
  }
  return std::nullopt;
}

std::optional<u32> ScopeStack::find_register(std::string_view name) {
  for (u32 id = current_;; id = scopes_[id].parent) {
    NameScope& scope = scopes_[id];
    if (const Named* named = scope.names.find(name)) {
      return named->kind == Named::Kind::reg ? std::optional(named->index) : std::nullopt;
    }
    if (const auto found = find_in_ranges(scope, name)) return found;
    if (id == 0) return std::nullopt;
  }
}

const std::string* ScopeStack::find_variable(std::string_view name) const {
  for (u32 id = current_;; id = scopes_[id].parent) {
    if (const Named* named = scopes_[id].names.find(name)) {
      return named->kind == Named::Kind::variable ? &unique_names_[named->index] : nullptr;
    }
    if (id == 0) return nullptr;
  }
}

const std::string* ScopeStack::find_local(u32 scope, std::string_view name, Named::Kind& kind) const {
  for (u32 id = scope;; id = scopes_[id].parent) {
    if (const Named* named = scopes_[id].local.find(name)) {
      kind = named->kind;
      return &unique_names_[named->index];
    }
    if (id == 0) return nullptr;
  }
}

std::vector<std::string> ScopeStack::visible_names(std::string_view meant) const {
  const auto digits = meant.substr(std::min(meant.size(), meant.find_last_not_of("0123456789") + 1));
  const auto number = register_number(digits);
  std::vector<std::string> names;
  for (u32 id = current_;; id = scopes_[id].parent) {
    scopes_[id].names.each([&](std::string_view name, const Named&) { names.emplace_back(name); });
    for (const auto& range : scopes_[id].ranges) {
      if (range.count == 0) continue;
      names.push_back(fmt::format("{}{}", range.prefix, number && *number < range.count ? *number : range.count - 1));
    }
    if (id == 0) return names;
  }
}

std::vector<std::string_view> ScopeStack::local_names(u32 scope, Named::Kind kind) const {
  std::vector<std::string_view> names;
  for (u32 id = scope;; id = scopes_[id].parent) {
    scopes_[id].local.each([&](std::string_view name, const Named& named) {
      if (named.kind == kind) names.push_back(name);
    });
    if (id == 0) return names;
  }
}

}  // namespace ew::ptx
