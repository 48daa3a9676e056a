// The table of persistency models: when persists leave an SM, and which warps wait for them. A model is one file, whose
// descriptor says everything that the rest of Everwarp asks about it, and its line in models.inc.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "memory/persistency.hpp"
#include "persistency/axioms.hpp"
#include "persistency/config.hpp"

namespace ew::persistency {

using memory::Persistency;
using memory::PersistMachinery;

struct Model {
  std::string_view name, sentence;
  /// For a private cache of so many lines. nullptr: persistent lines are as any other, and no operation is asked about.
  std::unique_ptr<Persistency> (*make)(const PersistencyConfig&, u32 lines, PersistMachinery&) = nullptr;
  memory::PersistencyTraits traits;
  /// What the model promises, and behind that the rows that are made from it.
  std::span<const PersistAxioms* const> axioms;
  core::ModelSection section;  // of its own keys

  const PersistAxioms& promises() const { return *axioms.front(); }
};

/// In the order in which they are documented.
std::span<const Model> models();
/// nullptr: there is none of that name.
const Model* find_model(std::string_view name);
std::vector<std::string_view> names();
/// The rows of all models, each once; the last model's first, as litmus tests have their columns.
std::vector<const PersistAxioms*> all_axioms();
/// nullptr: there are none of that name.
const PersistAxioms* find_axioms(std::string_view name);

#define MODEL(name) Model name();
#include "persistency/models.inc"
#undef MODEL

template <class Self, class Visitor>
void PersistencyConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  visit("model", self.model, core::model_choices(names()), "", "The model: `ew explain models` says what each does.",
        "GPM: what a GPU does without new hardware");
  visit("fence_cycles", self.fence_cycles, Range{0, 1e6}, "cycles",
        "What a fence above block scope takes besides its waits; an oFence and a dFence, too, where order operations "
        "wait until persists are durable.",
        "0: the waits are simulated; the SBRP artifact adds 200 (ptx_opcode_latency_fence)");
}

}  // namespace ew::persistency
