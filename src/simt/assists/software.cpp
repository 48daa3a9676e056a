// Chen et al., Architectural Support for NVRAM Persistence in GPUs (TPDS 2020), section 4.1.
#include "simt/assists/models.hpp"

namespace ew::simt {

AssistModel assists::software() {
  return {.name = "software",
          .sentence =
              "A program that asks launches helper warps of its own in each block; they are ordinary warps that poll.",
          .answer = 1};
}

}  // namespace ew::simt
