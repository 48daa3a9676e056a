#include "runtime/transfer.hpp"

#include <cstring>

#include "runtime/host_range.hpp"

namespace ew::runtime {

namespace {

struct Side {
  bool known = false;   // in simulated or registered memory
  bool device = false;  // only the device may use it
  bool host = true;     // its bytes lie behind the host link
  bool inside = true;   // all of the bytes lie in that allocation
};

Side examine(Machine& machine, u64 address, core::Checked span) {
  const auto found = machine.memory().space().find(address);
  using memory::Region;
  Side side;
  if (!found) {
    side.inside = !machine.memory().space().reserved(address) && is_mapped(address, span);
    return side;
  }
  side.known = true;
  side.device =
      found->region == Region::device || found->region == Region::constant || found->region == Region::internal;
  const bool registered = found->region == Region::registered || found->region == Region::mmio;
  side.host = found->region == Region::host || registered;
  // Memory around a registered range may well be the program's: its bounds are not the program's buffer.
  side.inside = registered ? is_mapped(address, span) : core::lies_within(address, span, found->begin, found->size);
  return side;
}

bool goes(const Side& to, const Side& from, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return !to.device && !from.device;
    case cudaMemcpyHostToDevice:
      return to.known && !from.device;
    case cudaMemcpyDeviceToHost:
      return !to.device && from.known;
    case cudaMemcpyDeviceToDevice:
      return to.known && from.known;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

Engine engine_of(const Side& to, const Side& from) {
  if (to.device) return from.device ? Engine::inside_device : Engine::to_device;
  return from.device  ? Engine::to_host
         : to.known   ? Engine::to_device
         : from.known ? Engine::to_host
                      : Engine::inside_device;
}

core::PageBytes take_bytes(const CopyWork& copy) {
  core::PageBytes bytes(copy.width * copy.height * copy.depth);
  CopyWork staging = copy;
  staging.to = {reinterpret_cast<u64>(bytes.data()), copy.width, copy.width * copy.height};
  memory::perform(staging.transfer());
  return bytes;
}

/// Lines that overlap their neighbours are no shape; with none that do, the bytes of a transfer fit its span.
bool lines_are_apart(const Place3D& place, core::Checked width, u64 height, u64 depth) {
  return (height == 1 || width.at_most(place.pitch)) &&
         (depth == 1 || place.span(width, height, 1).at_most(place.slice));
}

}  // namespace

cudaError_t check_transfer(Machine& machine, CopyWork& copy, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  if (copy.to.address == 0 || copy.from.address == 0) return cudaErrorInvalidValue;
  for (const Place3D& place : {copy.to, copy.from})
    if (!lines_are_apart(place, copy.width, copy.height, copy.depth)) return cudaErrorInvalidPitchValue;
  const Side to = examine(machine, copy.to.address, copy.to.span(copy.width, copy.height, copy.depth));
  const Side from = examine(machine, copy.from.address, copy.from.span(copy.width, copy.height, copy.depth));
  if (!to.inside || !from.inside || !goes(to, from, kind)) return cudaErrorInvalidValue;
  copy.engine = engine_of(to, from);
  copy.to.host = to.host;
  copy.from.host = from.host;
  return cudaSuccess;
}

cudaError_t transfer(Machine& machine, ApiLock& lock, CUstream_st& stream, CopyWork copy, cudaMemcpyKind kind,
                     Waiting waiting) {
  if (const cudaError_t error = check_transfer(machine, copy, kind)) return error;
  if (copy.width == 0 || copy.height == 0 || copy.depth == 0) return cudaSuccess;
  if (waiting == Waiting::no && !stream.capture) {
    // CUDA stages pageable memory: a source may change when the call returns, a destination is complete by then.
    if (!machine.memory().space().find(copy.to.address)) waiting = Waiting::yes;
    if (waiting == Waiting::no && !machine.memory().space().find(copy.from.address)) {
      // What comes before the copy may write the source.
      if (const cudaError_t error = machine.context().wait(machine.work().last_of(stream), lock)) return error;
      copy.staged = take_bytes(copy);
    }
  } else if (waiting == Waiting::yes && stream.capture) {
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (const cudaError_t error = machine.work().enqueue(stream, std::move(copy))) return error;
  return waiting == Waiting::yes ? machine.context().wait(stream.last, lock) : cudaSuccess;
}

cudaError_t check_fill(Machine& machine, SetWork& set) {
  if (set.width == 0 || set.height == 0 || set.depth == 0) return cudaSuccess;
  if (set.to.address == 0) return cudaErrorInvalidValue;
  const core::Checked line = core::Checked(set.width) * set.element;
  if (!lines_are_apart(set.to, line, set.height, set.depth)) return cudaErrorInvalidValue;
  const Side to = examine(machine, set.to.address, set.to.span(line, set.height, set.depth));
  set.to.host = to.host;
  return to.known && to.inside ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t fill(Machine& machine, ApiLock& lock, CUstream_st& stream, SetWork set, Waiting waiting) {
  if (const cudaError_t error = check_fill(machine, set)) return error;
  if (set.width == 0 || set.height == 0 || set.depth == 0) return cudaSuccess;
  if (waiting == Waiting::yes && stream.capture) {
    stream.capture->invalidated = true;
    return cudaErrorStreamCaptureUnsupported;
  }
  if (const cudaError_t error = machine.work().enqueue(stream, set)) return error;
  return waiting == Waiting::yes ? machine.context().wait(stream.last, lock) : cudaSuccess;
}

CopyWork linear_copy(void* to, const void* from, u64 count, cudaMemcpyKind kind) {
  CopyWork copy;
  copy.to = {reinterpret_cast<u64>(to), count, count};
  copy.from = {reinterpret_cast<u64>(from), count, count};
  copy.width = count;
  copy.parameters.dstPtr = {to, count, count, 1};
  copy.parameters.srcPtr = {const_cast<void*>(from), count, count, 1};
  copy.parameters.extent = {count, 1, 1};
  copy.parameters.kind = kind;
  return copy;
}

Place3D place_in(const cudaArray& array, u64 x, u64 y, u64 z) {
  return {array.address + z * array.slice() + y * array.pitch() + x, array.pitch(), array.slice()};
}

cudaError_t describe(Machine& machine, const cudaMemcpy3DParms& parameters, CopyWork& copy) {
  const cudaArray* to = parameters.dstArray ? machine.memory().textures().find(parameters.dstArray) : nullptr;
  const cudaArray* from = parameters.srcArray ? machine.memory().textures().find(parameters.srcArray) : nullptr;
  if ((parameters.dstArray && !to) || (parameters.srcArray && !from)) return cudaErrorInvalidResourceHandle;
  if ((to != nullptr) == (parameters.dstPtr.ptr != nullptr)) return cudaErrorInvalidValue;
  if ((from != nullptr) == (parameters.srcPtr.ptr != nullptr)) return cudaErrorInvalidValue;
  // With an array on either side the extent's width and the positions' x count texels, else bytes.
  const u64 unit = to ? to->texel : from ? from->texel : 1;
  if (to && from && to->texel != from->texel) return cudaErrorInvalidValue;
  const core::Checked width = core::Checked(parameters.extent.width) * unit;
  if (!width.fits()) return cudaErrorInvalidValue;
  const auto place = [&](const cudaArray* array, const cudaPos& pos, const cudaPitchedPtr& pointer, Place3D& result) {
    if (!array)
      return place_3d(reinterpret_cast<u64>(pointer.ptr), pointer.pitch, pointer.ysize, core::Checked(pos.x) * unit,
                      pos.y, pos.z, result);
    if (!core::lies_within(pos.x, parameters.extent.width, 0, array->extent.width) ||
        !core::lies_within(pos.y, parameters.extent.height, 0, array->rows()) ||
        !core::lies_within(pos.z, parameters.extent.depth, 0, array->planes()))
      return false;
    result = place_in(*array, pos.x * unit, pos.y, pos.z);
    return true;
  };
  if (!place(to, parameters.dstPos, parameters.dstPtr, copy.to) ||
      !place(from, parameters.srcPos, parameters.srcPtr, copy.from))
    return cudaErrorInvalidValue;
  copy.width = width.value();
  copy.height = parameters.extent.height;
  copy.depth = parameters.extent.depth;
  copy.parameters = parameters;
  if (copy.depth > 1 &&
      ((!to && parameters.dstPtr.ysize < copy.height) || (!from && parameters.srcPtr.ysize < copy.height)))
    return cudaErrorInvalidPitchValue;
  return cudaSuccess;
}

cudaError_t symbol_place(Machine& machine, const void* symbol, u64 offset, u64 count, void*& address) {
  Symbol found;
  if (const cudaError_t error = machine.modules().symbol(symbol, found)) return error;
  if (offset > found.size || count > found.size - offset) return cudaErrorInvalidValue;
  address = reinterpret_cast<void*>(found.address + offset);
  return cudaSuccess;
}

}  // namespace ew::runtime
