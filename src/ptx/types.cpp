// Names and sizes of PTX's fundamental types.
#include <array>

#include "ptx/ast.hpp"

namespace ew::ptx {

namespace {

struct TypeEntry {
  std::string_view name;
  u32 bytes;
};

// In the order of enum Type.
constexpr TypeEntry types[] = {{"none", 0}, {"pred", 1},  {"b8", 1},     {"b16", 2},        {"b32", 4},
                               {"b64", 8},  {"b128", 16}, {"u8", 1},     {"u16", 2},        {"u32", 4},
                               {"u64", 8},  {"s8", 1},    {"s16", 2},    {"s32", 4},        {"s64", 8},
                               {"f16", 2},  {"f16x2", 4}, {"bf16", 2},   {"bf16x2", 4},     {"tf32", 4},
                               {"f32", 4},  {"f64", 8},   {"texref", 8}, {"samplerref", 8}, {"surfref", 8}};
static_assert(std::size(types) == static_cast<std::size_t>(Type::surfref) + 1);

}  // namespace

u32 size_of(Type type) {
  return types[static_cast<std::size_t>(type)].bytes;
}

std::string_view name_of(Type type) {
  return types[static_cast<std::size_t>(type)].name;
}

std::optional<Type> type_named(std::string_view name) {
  if (name.size() < 2) return std::nullopt;
  for (std::size_t i = 1; i < std::size(types); ++i) {
    if (types[i].name == name) return static_cast<Type>(i);
  }
  return std::nullopt;
}

}  // namespace ew::ptx
