#include "simt/assists/models.hpp"

namespace ew::simt {

AssistModel assists::none() {
  return {.name = "none",
          .sentence = "Nobody persists for a warp: a program that asks persists each transaction in its own thread."};
}

}  // namespace ew::simt
