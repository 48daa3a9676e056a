// The name and the idea of a warp that the SM itself starts on an event: Vijaykumar et al., A Case for Core-Assisted
// Bottleneck Acceleration in GPUs (ISCA 2015), who let assist warps compress data. For persistence nobody has published
// such hardware.
#include "simt/assists/models.hpp"

namespace ew::simt {

AssistModel assists::hardware() {
  return {.name = "hardware",
          .sentence =
              "An SM has slots for assist warps: it starts the routine that the block has registered when a "
              "thread of the block asks, and none of the block's own warps runs it.",
          .answer = 2,
          .slots = true};
}

}  // namespace ew::simt
