// Texture and surface instructions. A fetch is one MemoryOp for each texel that its filter weighs; the filter runs when
// the last has been read. A surface access is one MemoryOp. Owned by an Executor.
#pragma once

#include <memory>
#include <vector>

#include "simt/operation.hpp"
#include "simt/reports.hpp"

namespace ew::simt {

class TextureUnit {
 public:
  /// All outlive it.
  TextureUnit(Performer&, DeviceServices&, const memory::AddressSpace&, FaultReports&);
  ~TextureUnit();

  /// True: it has been performed. False: a fault, or the current split waits for it.
  bool execute(Warp&, const ptx::Instr&, LaneMask);
  /// One of its texels has been read. True: it was the last, and the registers are written.
  bool finish_texel(TextureAccess&);
  /// The grid has failed: its texels will not come.
  void forget(const Grid&);

 private:
  bool fetch(Warp&, const ptx::TextureForm&, LaneMask);
  bool query(Warp&, const ptx::TextureForm&, LaneMask);
  TextureAccess& take(Warp&, const ptx::TextureForm&, LaneMask);
  void release(TextureAccess&);
  const TextureObject* object_of(Warp&, const ptx::TextureForm&, u32 lane);
  bool find_taps(TextureAccess&);
  bool read_texels(TextureAccess&);
  // surface.cpp
  bool surface(Warp&, const ptx::TextureForm&, LaneMask);
  bool find_surface_addresses(Warp&, const ptx::TextureForm&, LaneMask, LaneMask& outside);

  Performer& performer_;
  DeviceServices& services_;
  const memory::AddressSpace& space_;
  FaultReports& faults_;
  MemoryOp op_;  // of the instruction at hand
  std::vector<std::unique_ptr<TextureAccess>> accesses_;
  std::vector<TextureAccess*> free_accesses_;
};

}  // namespace ew::simt
