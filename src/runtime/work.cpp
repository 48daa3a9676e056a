#include "runtime/work.hpp"

namespace ew::runtime {

void** KernelWork::parameter_pointers() {
  pointers.clear();
  for (const auto& parameter : function->kernel->parameters) pointers.push_back(parameters.data() + parameter.offset);
  return pointers.data();
}

/// REQUIRES: height and depth are not 0.
core::Checked Place3D::span(core::Checked width, u64 height, u64 depth) const {
  return core::Checked(depth - 1) * slice + core::Checked(height - 1) * pitch + width;
}

bool place_3d(u64 base, core::Checked pitch, core::Checked rows, core::Checked x, u64 y, u64 z, Place3D& place) {
  const core::Checked slice = pitch * rows;
  const core::Checked first = core::Checked(base) + (z ? slice * z : core::Checked(0)) + pitch * y + x;
  place = {first.value(), pitch.value(), slice.value()};
  return first.fits();
}

memory::DmaTransfer CopyWork::transfer() const {
  memory::DmaTransfer transfer;
  transfer.to = {to.address, to.pitch, to.slice, to.host};
  transfer.from = {from.address, from.pitch, from.slice, from.host};
  transfer.width = width, transfer.height = height, transfer.depth = depth;
  transfer.staged = staged;
  return transfer;
}

memory::DmaTransfer SetWork::transfer() const {
  memory::DmaTransfer transfer;
  transfer.to = {to.address, to.pitch, to.slice, to.host};
  transfer.width = width * element, transfer.height = height, transfer.depth = depth;
  for (u32 i = 0; i < element; ++i) transfer.pattern.push_back(static_cast<u8>(value >> (8 * i)));
  return transfer;
}

}  // namespace ew::runtime
