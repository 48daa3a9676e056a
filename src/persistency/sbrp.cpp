// Scoped buffered release persistency (SBRP paper): what it promises, and its section of machine files. The hardware is
// sbrp_hardware.hpp; docs/litmus.md has the axioms in words.
#include <array>

#include "persistency/models.hpp"
#include "persistency/sbrp_hardware.hpp"

namespace ew::persistency {
namespace {

using memory::PersistOrder;

constexpr PersistOrders fences_and_barriers{PersistOrder::ofence, PersistOrder::dfence, PersistOrder::fence,
                                            PersistOrder::barrier};

/// The paper to the letter, so that tests can tell what the settled reading adds.
constexpr PersistAxioms literal{
    .name = "sbrp-lit",
    .sentence =
        "SBRP as Box 2 of the paper has it to the letter: fences inside a thread, and one pRel read by one pAcq of "
        "the same scope; no order from barriers, flags, conventional synchronisation or a location's coherence.",
    .orders = {PersistOrder::ofence, PersistOrder::dfence, PersistOrder::fence},
    .across = PersistAxioms::Across::releases,
    .coherence = false,
    .durable = {PersistOrder::dfence},
    .releases = {.flag_after = false, .equal_scopes = true, .cumulative = false, .conventional = false},
    .recorded = false};

/// The other end: what no reading of the paper orders is a mistake of the program.
constexpr PersistAxioms strong{
    .name = "sbrp-strong",
    .sentence =
        "SBRP where every open question is answered by the stronger order, and a pRel is visible only when what "
        "precedes it is durable, as the paper's prose says; scopes then matter no more.",
    .orders = fences_and_barriers,
    .across = PersistAxioms::Across::releases,
    .durable = {PersistOrder::dfence, PersistOrder::p_release},  // A3
    .releases = {.flag_before = true, .acquired_durable = true},
    .recorded = false};

/// For what it forbids: an image that sbrp allows and this row does not comes from a scope that is too narrow.
constexpr PersistAxioms wide_scopes{
    .name = "sbrp-sys",
    .sentence = "SBRP with every scope widened to sys: what it forbids and sbrp allows is a scoped persistency bug.",
    .orders = fences_and_barriers,
    .across = PersistAxioms::Across::releases,
    .durable = {PersistOrder::dfence},
    .releases = {.widened = true}};

/// For advice: of accesses that order nothing as they are written, which could?
constexpr PersistAxioms all_synchronising{
    .name = "sbrp-synced",
    .sentence = "sbrp-sys where every strong access releases and acquires: no model of a machine.",
    .orders = fences_and_barriers,
    .across = PersistAxioms::Across::releases,
    .durable = {PersistOrder::dfence},
    .releases = {.widened = true, .synced = true},
    .litmus = false};

}  // namespace

template <class Self, class Visitor>
void SbrpConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  visit("buffer", self.buffer, Range{1, 1000}, "per mille",
        "Entries of the persist buffer, as a share of the L1's lines.", "SBRP, section 7.3: half of the L1");
  visit("window", self.window, Range{1, 65535}, "persists",
        "Persists of one SM that the buffer has on their way at once.", "SBRP, Table 1");
  visit(
      "policy", self.policy, core::Choices{{"window", "capped", "eager", "lazy"}}, "",
      "window: a persist that nobody waits for leaves while fewer than `window` are on their way; capped: any "
      "persist, as in the artifact; eager: as soon as order allows; lazy: when an order operation, a full buffer or a "
      "waiting warp asks for it.",
      "SBRP, section 6.2");
  visit("leaving", self.leaving, core::Choices{{"passing", "head"}}, "",
        "passing: a persist leaves past others that wait; head: only the oldest entry leaves, order operations put "
        "all their warps into the FSM, and who waits does so until nothing is in flight (ACTR is zero), as in the "
        "artifact.",
        "SBRP, section 6.1: this is how the FSM avoids stalling unrelated warps");
  visit("merge", self.merge, core::Choices{{"adjacent", "past-others"}}, "",
        "adjacent: an order operation joins the youngest entry of the persist buffer; past-others: an older one of its "
        "type, "
        "past persists of other warps, as in the artifact, which loses order between threads.",
        "SBRP, section 6.1: without intervening operations");
  visit(
      "acquires", self.acquires, core::Choices{{"matched", "all", "waiting"}}, "",
      "matched: a pAcq orders its warp behind what the pRels of the flags that it read cover; all: behind every "
      "older persist of its SM; waiting: and above block scope it waits until they are durable, in a failed iteration "
      "of a spin, too, as in the artifact.",
      "SBRP, section 5: the variable is an identifier for matching pRel to pAcq");
}

constinit const PersistAxioms sbrp_axioms{
    .name = "sbrp",
    .sentence =
        "Scoped buffered release persistency, its axioms as docs/litmus.md settles them: a fence of the thread "
        "orders its persists; a release orders the persists before it before those that follow its acquire, if "
        "both scopes hold both threads.",
    .orders = fences_and_barriers,
    .across = PersistAxioms::Across::releases,
    .durable = {PersistOrder::dfence},
    .with_wide_scopes = &wide_scopes,
    .with_all_synchronising = &all_synchronising};

Model sbrp() {
  static constexpr std::array rows{&sbrp_axioms, &literal, &strong, &wide_scopes, &all_synchronising};
  return {.name = "sbrp",
          .sentence =
              "Scoped buffered release persistency: a persist buffer an SM keeps the order of persists per warp; "
              "ofence() and operations of block scope wait for nothing, dfence() and releases at device scope "
              "until what is before them is durable.",
          .make = [](const PersistencyConfig& config, u32 lines,
                     PersistMachinery& machinery) -> std::unique_ptr<Persistency> {
            return std::make_unique<Sbrp>(config.sections.of<SbrpConfig>(), lines, machinery);
          },
          .traits = {.buffered = true},
          .axioms = rows,
          .section = core::section_of<SbrpConfig>("Timing: the persist buffer of persistency.model sbrp, one an SM.")};
}

}  // namespace ew::persistency
