// The epoch model as the SBRP artifact ran it (notes on its configuration: pm_model 3): every barrier pays for volatile
// lines, too. What a fence takes besides is the machine file's fence_cycles.
#include "persistency/epoch.hpp"

namespace ew::persistency {

std::unique_ptr<Persistency> make_epoch_artifact(const PersistencyConfig&, u32, PersistMachinery& machinery) {
  return std::make_unique<Epoch>(machinery, Epoch::Barrier::all_lines_always);
}

}  // namespace ew::persistency
