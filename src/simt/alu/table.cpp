// The clone's whole table: the subjects' tables one after the other, in the order of ptx/forms/all.def.
#include "simt/alu/lanes.hpp"

namespace ew::simt::alu::EW_ALU_CLONE {
namespace {

#undef FORM
#define FORM(pattern, signature, body, ...) +form_count<__VA_ARGS__>

template <const auto&... lists>
constexpr std::size_t form_count = (std::size_t{1} * ... * std::size(lists));

constexpr std::size_t count = 0
#include "ptx/forms/all.def"
    ;

std::array<AluBody, count> table;

}  // namespace

// Filled at the first call: alu_bodies, in another file, may be initialised before anything of this one.
const AluBody* bodies() {
  static const AluBody* const filled = [] {
    auto at = table.begin();
    for (const auto part : {integer_bodies(), video_bodies(), logic_bodies(), compare_bodies(), float_bodies(),
                            half_bodies(), convert_bodies()})
      at = std::copy(part.begin(), part.end(), at);
    return table.data();
  }();
  return filled;
}

}  // namespace ew::simt::alu::EW_ALU_CLONE
