// The table of coherence protocols: which private copies may exist, one file each. Adding one is a file here and a line
// in models.cpp.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "memory/protocol.hpp"

namespace ew::coherence {

struct Model {
  std::string_view name, sentence;
  std::unique_ptr<memory::Protocol> (*make)();
};

/// In the order in which they are documented.
std::span<const Model> models();
/// nullptr: there is none of that name; the caller says which are near (core/nearest.hpp).
const Model* find_model(std::string_view name);
std::vector<std::string_view> names();
/// Lines that were written may stay in private caches, past releases: no persistency model can say when they leave.
bool keeps_written_lines(const Model&);

std::unique_ptr<memory::Protocol> make_gpu();
std::unique_ptr<memory::Protocol> make_none_l1();
std::unique_ptr<memory::Protocol> make_mesi();

}  // namespace ew::coherence
