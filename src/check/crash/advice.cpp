// Class, lines and plain words of a failure of `ew crash --states model`, from the persists that are to blame.
#include <fmt/format.h>

#include <algorithm>

#include "check/crash/model_failure.hpp"
#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
#include "core/symbol_name.hpp"

namespace ew::check {

std::string_view name_of(FailureClass kind) {
  switch (kind) {
    case FailureClass::recovery_bug:
      return "recovery bug";
    case FailureClass::missing_order:
      return "missing order";
    case FailureClass::scope_bug:
      return "scoped persistency bug";
    case FailureClass::early_acknowledgement:
      return "early acknowledgement";
  }
  return "";
}

namespace {

std::string place_of(const ExplainedRun& run, u32 persist) {
  const Persist& p = run.graph.persist(persist);
  return run.events.place(p.launch, p.pc);
}

/// "8 bytes at kvs.pool+0x80".
std::string words_of(const ExplainedRun& run, u32 persist) {
  const std::string text = text_of(run.events, run.graph.persist(persist));
  const auto begin = text.find(": ") + 2;
  return text.substr(begin, text.find(" = ") - begin);
}

/// "kvs.cu:12 (thread 3 of launch 2)"; another text for a store of the host.
std::string store_of(const ExplainedRun& run, u32 persist) {
  const Persist& p = run.graph.persist(persist);
  if (p.launch == 0) return fmt::format("a store of the host or a copy ({})", words_of(run, persist));
  return fmt::format("{} ({} of launch {})", place_of(run, persist), thread_text(run.events, p), p.launch);
}

std::string kernel_of(const ExplainedRun& run, u32 launch) {
  return core::readable_name(std::string(run.events.kernel_name(launch)));
}

void name_lines(const ExplainedRun& run, std::optional<u32> present, std::optional<u32> absent, ModelFailure& failure) {
  if (present) {
    failure.durable = text_of(run.events, run.graph.persist(*present));
    failure.durable_at = place_of(run, *present);
  }
  if (absent) {
    failure.not_durable = text_of(run.events, run.graph.persist(*absent));
    failure.not_durable_at = place_of(run, *absent);
  }
}

// --- A state that the run itself passes through

void explain_passing(const ExplainedRun& run, const Blame& blame, ModelFailure& failure) {
  failure.kind = FailureClass::recovery_bug;
  const std::string_view who = run.of_recovery ? "the recovery that was crashed" : "the run";
  const std::string_view fails = run.of_recovery ? "another recovery fails there" : "the recovery fails there";
  std::string present = place_of(run, *blame.present);
  if (!blame.absent) {
    failure.happened = fmt::format(
        "{} itself passes through this state, in which {} is the last that is durable; {}, and "
        "nothing that is stored later mends it",
        who, store_of(run, *blame.present), fails);
    failure.advice = run.of_recovery ? "no fence helps: the recovery cannot be run twice from here on"
                                     : "no fence helps: the steps of the program or of its recovery are wrong";
    return;
  }
  std::string absent = place_of(run, *blame.absent);
  const u32 present_launch = run.graph.persist(*blame.present).launch;
  const u32 absent_launch = run.graph.persist(*blame.absent).launch;
  const bool one_launch = present_launch == absent_launch;
  if (absent == present && !one_launch) {
    present += fmt::format(" of launch {}", present_launch);
    absent += fmt::format(" of launch {}", absent_launch);
  }
  failure.happened = fmt::format("{} itself passes through this state: {} is durable before {} is stored; {}", who,
                                 store_of(run, *blame.present), store_of(run, *blame.absent), fails);
  if (blame.mended_by_swap) {
    failure.advice = fmt::format("wrong order: store {} first, then {}", absent, present);
    if (one_launch) failure.advice += fmt::format(", with {} between them", run.axioms.fence);
    if (!one_launch && absent_launch != 0 && present_launch != 0)
      failure.advice += fmt::format(": launch {} ({}) must have ended before launch {} ({}) begins", absent_launch,
                                    kernel_of(run, absent_launch), present_launch, kernel_of(run, present_launch));
  } else {
    failure.advice =
        fmt::format("no fence helps: the recovery must cope with a crash between {} and {}", present, absent);
  }
  if (run.of_recovery)
    failure.advice = fmt::format(
        "in the recovery, {}; a recovery that is cut off there must do no harm when it runs again", failure.advice);
}

// --- Synchronisation between threads

std::string_view name_of(Scope scope) {
  return scope == Scope::cta ? "block" : scope == Scope::sys ? "system" : "device";
}

std::string place_of(const ExplainedRun& run, const Widening::Side& side) {
  return side.launch == 0 ? std::string() : run.events.place(side.launch, side.pc);
}

/// The name of the release or acquire that the program has there now.
std::string_view word_for(const Widening::Side& side, bool releases) {
  switch (side.action) {
    case EventAction::prel:
    case EventAction::release:
      return "release";
    case EventAction::pacq:
    case EventAction::acquire:
      return "acquire";
    case EventAction::fence:
      return "fence";
    default:
      return side.loose ? releases ? "store" : "load" : releases ? "release" : "acquire";
  }
}

/// The call that should stand there.
std::string call_for(const Widening::Side& side, bool releases, bool one_block) {
  if (side.action == EventAction::fence) return one_block ? "__threadfence_block()" : "__threadfence()";
  return fmt::format("{}_{}", releases ? "pRel" : "pAcq", one_block ? "block" : "dev");
}

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " and "));
}

/// Says how both sides of these synchronisations must change. For the first one it also says where they are.
void explain_changes(const ExplainedRun& run, const std::vector<Widening>& changes, ModelFailure& failure) {
  std::vector<std::string> widen, make;
  const auto add = [](std::vector<std::string>& list, std::string text) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(std::move(text));
  };
  for (const Widening& change : changes) {
    for (const bool releases : {true, false}) {
      const Widening::Side& side = releases ? change.release : change.acquire;
      std::string& line = releases ? failure.release_at : failure.acquire_at;
      if (line.empty()) line = place_of(run, side);
      if (side.launch == 0 || !side.changes()) continue;
      const std::string call = call_for(side, releases, change.one_block);
      if (side.loose) {
        add(make, fmt::format("the {} at {} {} ({})", word_for(side, releases), place_of(run, side),
                              releases ? "a release" : "an acquire", call));
        continue;
      }
      add(failure.widen,
          fmt::format("{} at {}: {} -> device", word_for(side, releases), place_of(run, side), name_of(side.scope)));
      add(widen, fmt::format("the {} at {} from {} to device scope ({})", word_for(side, releases), place_of(run, side),
                             name_of(side.scope), call));
    }
  }
  if (!make.empty()) failure.advice = "make " + join(make);
  if (!widen.empty()) failure.advice += (make.empty() ? "widen " : ", and widen ") + join(widen);
}

/// If the state is impossible with every scope widened: says which scopes are too narrow.
bool explain_scope(const ExplainedRun& run, Blame& blame, const Fails& fails, ModelFailure& failure) {
  if (!run.axioms.with_wide_scopes) return false;
  const PersistGraph wide = build_persist_graph(run.events, *run.axioms.with_wide_scopes);
  Reach reach(wide);
  const PersistSet possible = reach.closed(blame.state);
  if (possible == blame.state || fails(possible)) return false;
  const u32 size = blame.state.size();
  for (u32 present = size; !reach.ordered(*blame.absent, *blame.present) && present-- > 0;) {
    if (!blame.state.has(present)) continue;
    PersistSet below(size);
    reach.add_below(present, below);
    u32 absent = size;
    for (u32 p = 0; p < size; ++p)
      if (below.has(p) && !blame.state.has(p)) absent = p;
    if (absent < size) blame.absent = absent, blame.present = present;
  }
  failure.kind = FailureClass::scope_bug;
  if (const auto changes = fewest_changes(wide, *blame.absent, *blame.present)) explain_changes(run, *changes, failure);
  failure.happened = fmt::format(
      "{} is durable and {} is not, although it was released at {} and acquired at {}: the two threads are in "
      "different "
      "blocks, and a scope between them is too narrow to order anything",
      store_of(run, *blame.present), store_of(run, *blame.absent), failure.release_at, failure.acquire_at);
  return true;
}

void explain_order_of_threads(const ExplainedRun& run, const Blame& blame, const StoreEvidence& evidence,
                              ModelFailure& failure) {
  const std::string absent = failure.not_durable_at, present = failure.durable_at;
  if (evidence.release_before) {
    failure.release_at = run.events.place(evidence.release_before->launch, evidence.release_before->pc);
    failure.advice =
        fmt::format("the release at {} comes before the store at {}, which it should publish: move it behind",
                    failure.release_at, absent);
    return;
  }
  constexpr std::size_t most_named = 2;
  if (run.axioms.with_all_synchronising) {
    const auto stronger = build_persist_graph(run.events, *run.axioms.with_all_synchronising);
    const auto changes = fewest_changes(stronger, *blame.absent, *blame.present);
    if (changes && !changes->empty() && changes->size() <= most_named) return explain_changes(run, *changes, failure);
  }
  const Persist &missing = run.graph.persist(*blame.absent), &there = run.graph.persist(*blame.present);
  const std::string_view scope = evidence.same_block ? "block" : "dev";
  if (missing.launch != there.launch)
    failure.advice =
        fmt::format("let launch {} ({}) wait for launch {} ({}): one stream, or an event between two", there.launch,
                    kernel_of(run, there.launch), missing.launch, kernel_of(run, missing.launch));
  else
    failure.advice = fmt::format("release a flag behind {} (pRel_{}) and acquire it before {} (pAcq_{})", absent, scope,
                                 present, scope);
  if (missing.launch == there.launch && evidence.same_block)
    failure.advice += ", or put a __syncthreads() between them";
}

/// Of a store whose kernel ran outside of a region of the host, which the model asks for: what to do; else empty.
/// `before`: what a flush by the host must come before; empty: no flush helps.
std::string advice_of_regions(const ExplainedRun& run, u32 absent, std::string_view before) {
  const u32 launch = run.graph.persist(absent).launch;
  if (launch == 0 || !run.axioms.host_regions || !run.events.launches()[launch].cached) return {};
  const std::string begin = fmt::format(
      "call gpm_persist_begin() before launch {} ({}): outside of it (with DDIO) a kernel's stores rest in the host's "
      "cache, which a crash empties",
      launch, kernel_of(run, launch));
  if (before.empty()) return begin;
  return fmt::format("{}; or let the host flush {} (gpm_persist_range, host_persist) before {}", begin,
                     words_of(run, absent), before);
}

void explain_missing_order(const ExplainedRun& run, const Blame& blame, ModelFailure& failure) {
  failure.kind = FailureClass::missing_order;
  const Persist &missing = run.graph.persist(*blame.absent), &there = run.graph.persist(*blame.present);
  const auto evidence = evidence_of(run.events, run.axioms, *blame.absent, *blame.present);
  failure.happened = fmt::format("{} is durable and {}, which {} before, is not: nothing orders the two",
                                 store_of(run, *blame.present), store_of(run, *blame.absent),
                                 evidence.same_thread ? "the same thread has stored" : "was stored");
  const std::string absent = failure.not_durable_at, present = failure.durable_at;
  const std::string later = missing.launch == there.launch ? ""
                            : there.launch == 0
                                ? "it stores on"
                                : fmt::format("launch {} ({})", there.launch, kernel_of(run, there.launch));
  if (std::string regions = advice_of_regions(run, *blame.absent, later); !regions.empty())
    failure.advice = std::move(regions);
  else if (missing.launch == 0)
    failure.advice = fmt::format("let the host call gpm_persist_range() on {} before {}", words_of(run, *blame.absent),
                                 later.empty() ? "it stores on" : later);
  else if (there.launch == 0)
    failure.advice = fmt::format("end the kernel of {} with {}, and let the host wait for it before it stores", absent,
                                 run.axioms.waiting_fence);
  else if (evidence.same_thread)
    failure.advice = absent == present ? fmt::format("insert {} behind {}, before the same thread stores there again",
                                                     run.axioms.fence, absent)
                                       : fmt::format("insert {} between {} and {}", run.axioms.fence, absent, present);
  else
    explain_order_of_threads(run, blame, evidence, failure);
  if (run.of_recovery) failure.advice = "in the recovery, " + failure.advice;
}

}  // namespace

void explain_blame(const ExplainedRun& run, Blame blame, const Fails& fails, ModelFailure& failure) {
  if (blame.passed_through) {
    if (!run.of_recovery) failure.state = fmt::format("upto:{}", blame.state.count());
    if (run.of_recovery) failure.nested = fmt::format("upto:{}", blame.state.count());
    name_lines(run, blame.present, blame.absent, failure);
    return explain_passing(run, blame, failure);
  }
  sharpen_blame(run.graph, fails, blame);
  if (explain_scope(run, blame, fails, failure)) return name_lines(run, blame.present, blame.absent, failure);
  name_lines(run, blame.present, blame.absent, failure);
  explain_missing_order(run, blame, failure);
}

void explain_early_acknowledgement(const ExplainedRun& run, u32 absent, bool later, ModelFailure& failure) {
  failure.kind = FailureClass::early_acknowledgement;
  name_lines(run, std::nullopt, absent, failure);
  const u32 launch = run.graph.persist(absent).launch;
  const std::string call = fmt::format("gpm_acknowledge({})", failure.acknowledged);
  const std::string where = launch ? fmt::format("launch {} ({})", launch, kernel_of(run, launch)) : "the host's store";
  if (later) {
    failure.happened = fmt::format("{} was called before {} was stored at all", call, store_of(run, absent));
    failure.advice = fmt::format("call {} behind {}, once the host has waited for it", call, where);
    return;
  }
  failure.happened = fmt::format("{} was called after {} was stored, but nothing had made that durable by then", call,
                                 store_of(run, absent));
  if (std::string regions = advice_of_regions(run, absent, call); !regions.empty()) {
    failure.advice = std::move(regions);
  } else if (launch == 0) {
    failure.advice = fmt::format("let the host call gpm_persist_range() on {} before {}", words_of(run, absent), call);
  } else if (evidence_of(run.events, run.axioms, absent, no_persist).dfence_behind) {
    failure.advice = fmt::format("let the host wait for {} (cudaDeviceSynchronize) before {}", where, call);
  } else {
    failure.advice = fmt::format("insert {} behind {}, before {} ends, and let the host wait for it before {}",
                                 run.axioms.waiting_fence, failure.not_durable_at, where, call);
  }
}

}  // namespace ew::check
