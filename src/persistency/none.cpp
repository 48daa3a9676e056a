// No model: what a pool is to hardware that knows nothing of persistence. Order operations run as the instructions that
// stand in their regions.
#include "persistency/models.hpp"

namespace ew::persistency {

std::unique_ptr<Persistency> make_none(const PersistencyConfig&, u32, PersistMachinery&) {
  return nullptr;
}

}  // namespace ew::persistency
