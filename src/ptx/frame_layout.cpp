#include "ptx/frame_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ew::ptx {
namespace {

// CUDA C++ Programming Guide, "Technical Specifications": at most 512 KiB of local memory a thread.
constexpr u64 most_frame_bytes = u64{512} << 10;

/// First and last instruction that names a variable, when every use is a whole ld/st/call operand.
struct Extent {
  u32 first = ~0u, last = 0;
  bool escapes = false;
};

/// Of the .param variables of the function's calls.
std::unordered_map<std::string_view, Extent> call_parameter_extents(const ast::Function& source) {
  std::unordered_map<std::string_view, Extent> extents;
  for (const auto& variable : source.variables)
    if (variable.space == Space::param) extents[variable.name];
  for (u32 i = 0; i < source.body.size(); ++i) {
    const auto& instruction = source.body[i];
    for (const auto& operand : instruction.operands)
      visit_symbols(operand, [&](const std::string& name) {
        const auto found = extents.find(name);
        if (found == extents.end()) return;
        found->second.first = std::min(found->second.first, i);
        found->second.last = i;
        found->second.escapes |= instruction.opcode == "mov" || instruction.opcode == "cvta";
      });
  }
  return extents;
}

}  // namespace

FrameLayout::FrameLayout(const KernelBuild& build, const ast::Function& source, Function& function) : source_(source) {
  if (source_.is_entry) {
    for (u32 i = 0; i < source_.parameters.size(); ++i)
      names_[source_.parameters[i].name] = {Symbol::Kind::parameter, build.kernel.parameters[i].offset, Space::param,
                                            source_.parameters[i].size};
  } else {
    place_formals(source_.returns, function.return_offsets, function.return_sizes);
    place_formals(source_.parameters, function.parameter_offsets, function.parameter_sizes);
  }
  place_variables(build);
  place_call_parameters();
  function.frame_bytes = bytes_within(most_frame_bytes, align_up(bytes_, 16), source_.name, "local variables");
}

u64 FrameLayout::place(const ast::Variable& variable, u64 at) {
  const u64 offset = align_up(at, std::max(variable.alignment, 1u));
  names_[variable.name] = {Symbol::Kind::frame, offset, variable.space, variable.size};
  frame_variables_[variable.name] = &variable;
  return offset;
}

void FrameLayout::place_formals(const std::vector<ast::Variable>& list, std::vector<u32>& offsets,
                                std::vector<u32>& sizes) {
  for (const auto& variable : list) {
    if (variable.space == Space::reg)
      throw Error(fmt::format("function {} (PTX line {}): formals in registers are not supported; use .param",
                              source_.name, variable.place.ptx_line));
    const u64 offset = place(variable, bytes_);
    offsets.push_back(static_cast<u32>(offset));
    sizes.push_back(static_cast<u32>(variable.size));
    bytes_ = offset + variable.size;
  }
}

void FrameLayout::place_variables(const KernelBuild& build) {
  for (const auto& variable : source_.variables) {
    if (variable.space == Space::shared)
      names_[variable.name] = {Symbol::Kind::shared, build.shared_offset.at(source_.name + '\n' + variable.name),
                               Space::shared, variable.size};
    if (variable.space == Space::local) bytes_ = place(variable, bytes_) + variable.size;
  }
}

void FrameLayout::place_call_parameters() {
  auto extents = call_parameter_extents(source_);
  const u64 start = bytes_;
  u64 cursor = bytes_, busy_until = 0;
  for (const auto& variable : source_.variables) {
    if (variable.space != Space::param) continue;
    const auto& extent = extents[variable.name];
    if (extent.escapes || extent.first == ~0u) continue;
    if (extent.first > busy_until) cursor = start;
    busy_until = std::max<u64>(busy_until, extent.last);
    cursor = place(variable, cursor) + variable.size;
    bytes_ = std::max(bytes_, cursor);
  }
  for (const auto& variable : source_.variables)
    if (variable.space == Space::param && !names_.contains(variable.name))
      bytes_ = place(variable, bytes_) + variable.size;
}

const Symbol* FrameLayout::find(const std::string& name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

const ast::Variable* FrameLayout::find_in_frame(const std::string& name) const {
  const auto found = frame_variables_.find(name);
  return found == frame_variables_.end() ? nullptr : found->second;
}

}  // namespace ew::ptx
