#include "runtime/work.hpp"

namespace ew::runtime {

void** KernelWork::parameter_pointers() {
  pointers.clear();
  for (const auto& parameter : function->kernel->parameters) pointers.push_back(parameters.data() + parameter.offset);
  return pointers.data();
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
