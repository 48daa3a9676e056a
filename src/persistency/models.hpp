// The table of persistency models: when persists leave an SM, and which warps wait for them. A model is one file, whose
// descriptor says everything that the rest of Everwarp asks about it, its declaration here, and its line in models.cpp.
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

Model none();
Model strict();
Model gpm();
Model epoch();
Model epoch_artifact();
Model sbrp();

template <class Self, class Visitor>
void PersistencyConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  visit("model", self.model, core::Choices{names()}, "", "The model: `ew explain models` says what each does.",
        "GPM: what a GPU does without new hardware");
  visit("buffer", self.buffer, Range{1, 1000}, "per mille",
        "sbrp: entries of the persist buffer, as a share of the L1's lines.", "SBRP, section 7.3: half of the L1");
  visit("window", self.window, Range{1, 65535}, "persists",
        "sbrp: persists of one SM that the buffer has on their way at once.", "SBRP, Table 1");
  visit(
      "policy", self.policy, core::Choices{{"window", "capped", "eager", "lazy"}}, "",
      "sbrp: window: a persist that nobody waits for leaves while fewer than `window` are on their way; capped: any "
      "persist, as in the artifact; eager: as soon as order allows; lazy: when an order operation, a full buffer or a "
      "waiting warp asks for it.",
      "SBRP, section 6.2");
  visit(
      "leaving", self.leaving, core::Choices{{"passing", "head"}}, "",
      "sbrp: passing: a persist leaves past others that wait; head: only the oldest entry leaves, order operations put "
      "all their warps into the FSM, and who waits does so until nothing is in flight (ACTR is zero), as in the "
      "artifact.",
      "SBRP, section 6.1: this is how the FSM avoids stalling unrelated warps");
  visit(
      "merge", self.merge, core::Choices{{"adjacent", "past-others"}}, "",
      "sbrp: an order operation joins the youngest entry of the persist buffer; past-others: an older one of its type, "
      "past persists of other warps, as in the artifact, which loses order between threads.",
      "SBRP, section 6.1: without intervening operations");
  visit(
      "acquires", self.acquires, core::Choices{{"matched", "all", "waiting"}}, "",
      "sbrp: matched: a pAcq orders its warp behind what the pRels of the flags that it read cover; all: behind every "
      "older persist of its SM; waiting: and above block scope it waits until they are durable, in a failed iteration "
      "of a spin, too, as in the artifact.",
      "SBRP, section 5: the variable is an identifier for matching pRel to pAcq");
  visit("fence_cycles", self.fence_cycles, Range{0, 1e6}, "cycles",
        "What a fence above block scope takes besides its waits; with epoch and strict an oFence and a dFence, too.",
        "0: the waits are simulated; the SBRP artifact adds 200 (ptx_opcode_latency_fence)");
}

}  // namespace ew::persistency
