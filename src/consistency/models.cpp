#include "consistency/models.hpp"

#include "consistency/tables.hpp"

namespace ew::consistency {
namespace {

const std::array<memory::Consistency, 2>& table() {
  static const std::array<memory::Consistency, 2> all{ptx(), sc()};
  return all;
}

}  // namespace

std::span<const memory::Consistency> models() {
  return table();
}

const memory::Consistency* model(std::string_view name) {
  for (const memory::Consistency& one : table())
    if (one.name == name) return &one;
  return nullptr;
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> list;
  for (const memory::Consistency& one : table()) list.push_back(one.name);
  return list;
}

}  // namespace ew::consistency
