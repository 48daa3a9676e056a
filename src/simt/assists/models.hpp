// The table of assist warps: what assist.model may be. Who runs the code that persists for the warps of a block? A row
// is one file beside this one and one line in models.inc. docs/semantics/assist-warps.md explains them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/types.hpp"

namespace ew::simt {

struct AssistModel {
  std::string_view name, sentence;
  u32 answer = 0;      // what a program is told that asks: everwarp::Assist (include/everwarp/assist.cuh)
  bool slots = false;  // an SM has slots for assist warps: assist.warps of them
};

/// In the order in which they are documented.
std::span<const AssistModel> assist_models();
std::vector<std::string_view> assist_names();
/// nullptr: there is none of that name.
const AssistModel* assist_model(std::string_view name);

namespace assists {
#define MODEL(name) AssistModel name();
#include "simt/assists/models.inc"
#undef MODEL
}  // namespace assists

}  // namespace ew::simt
