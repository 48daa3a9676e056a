#include "simt/executor.hpp"

namespace ew::simt {

bool Executor::texture(Warp& warp, const ptx::TextureForm&, LaneMask mask) {
  return refuse(warp, FaultKind::texture, mask, "texture operations are not there yet");
}

}  // namespace ew::simt
