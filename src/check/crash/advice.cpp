// Class, lines and plain words of a failure of `ew crash --states model`, from the persists that are to blame.
#include <fmt/format.h>

#include <algorithm>

#include "check/crash/model_failure.hpp"
#include "check/persist_builder.hpp"
#include "check/persist_order.hpp"
#include "check/tellings.hpp"
#include "core/symbol_name.hpp"

namespace ew::check {

std::string_view name_of(FailureClass kind) {
  switch (kind) {
    case FailureClass::recovery_bug:
      return "recovery bug";
    case FailureClass::missing_order:
      return "missing order";
    case FailureClass::torn_store:
      return "torn store";
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
  const Persist& p = run.graph.persist(persist);
  return bytes_text(run.events, p.address, p.bytes);
}

bool by_host(const ExplainedRun& run, u32 persist) {
  return run.graph.persist(persist).launch == 0;
}

/// "kvs.cu:12 (thread 3 of launch 2)"; another text for a store of the host.
std::string store_of(const ExplainedRun& run, u32 persist) {
  const Persist& p = run.graph.persist(persist);
  if (p.launch == 0) return fmt::format("the host's {} of {}", run.calls.verb(persist), words_of(run, persist));
  return fmt::format("{} ({} of launch {})", place_of(run, persist), thread_text(run.events, p), p.launch);
}

std::string launch_of(const ExplainedRun& run, u32 launch) {
  return fmt::format("launch {} ({})", launch, core::readable_name(std::string(run.events.kernel_name(launch))));
}

/// What the host does at this persist of its own: "it stores 8 bytes at kvs.pool+0x80".
std::string host_does(const ExplainedRun& run, u32 persist) {
  return fmt::format("it {} {}", run.calls.verb(persist, true), words_of(run, persist));
}

/// The line of a report: a store of the host with the calls around it.
std::string text_of(const ExplainedRun& run, u32 persist) {
  const std::string text = text_of(run.events, run.graph.persist(persist));
  return by_host(run, persist) ? fmt::format("{}, {}", text, run.calls.place(persist)) : text;
}

/// The places of two persists. Where both are one line, each place also says which store of the line is meant.
std::pair<std::string, std::string> places_of(const ExplainedRun& run, u32 first, u32 second) {
  std::pair<std::string, std::string> places{place_of(run, first), place_of(run, second)};
  for (const auto& [place, persist] : {std::pair(&places.first, first), std::pair(&places.second, second)})
    if (by_host(run, persist)) *place = store_of(run, persist);
  if (places.first != places.second) return places;
  const Persist &a = run.graph.persist(first), &b = run.graph.persist(second);
  const auto which = [&](const Persist& p) {
    if (a.launch != b.launch) return fmt::format("launch {}", p.launch);
    if (a.thread != b.thread)
      return fmt::format("{}, {}", thread_text(run.events, p), bytes_text(run.events, p.address, p.bytes));
    return bytes_text(run.events, p.address, p.bytes);
  };
  places.first += a.launch != b.launch ? " of " + which(a) : fmt::format(" ({})", which(a));
  places.second += a.launch != b.launch ? " of " + which(b) : fmt::format(" ({})", which(b));
  return places;
}

/// store_of() both. Where they would read alike, each also says which bytes it has stored.
std::pair<std::string, std::string> stores_of(const ExplainedRun& run, u32 first, u32 second) {
  std::pair<std::string, std::string> stores{store_of(run, first), store_of(run, second)};
  if (by_host(run, first) || by_host(run, second) || place_of(run, first) != place_of(run, second)) return stores;
  for (const auto& [text, persist] : {std::pair(&stores.first, first), std::pair(&stores.second, second)})
    text->insert(text->size() - 1, ", " + words_of(run, persist));
  return stores;
}

void name_lines(const ExplainedRun& run, std::optional<u32> present, std::optional<u32> absent, ModelFailure& failure) {
  if (present) {
    failure.durable = text_of(run, *present);
    failure.durable_at = place_of(run, *present);
  }
  if (absent) {
    failure.not_durable = text_of(run, *absent);
    failure.not_durable_at = place_of(run, *absent);
  }
}

// --- One instruction that has stored both

/// A thread's store of more than 8 bytes: the recovery takes it for one.
void explain_torn_store(const ExplainedRun& run, const Blame& blame, u32 bytes, ModelFailure& failure) {
  const std::string there = words_of(run, *blame.present), missing = words_of(run, *blame.absent);
  failure.kind = FailureClass::torn_store;
  failure.happened = fmt::format(
      "{} stores {} bytes by one instruction; of these {} are durable and {} are not, since only 8 aligned bytes "
      "become durable together",
      store_of(run, *blame.present), bytes, there, missing);
  failure.advice = fmt::format("{}store {} by an instruction of their own, behind the others, with {} between the two",
                               run.of_recovery ? "in the recovery, " : "", there, run.axioms.fence);
}

/// Two lanes of a warp's store. The run passes through no state between them.
void explain_lanes_of_one_store(const ExplainedRun& run, const Blame& blame, ModelFailure& failure) {
  const auto [durable, lost] = stores_of(run, *blame.present, *blame.absent);
  const bool by_releases = run.axioms.across == PersistAxioms::Across::releases;
  failure.kind = FailureClass::missing_order;
  failure.happened = fmt::format(
      "{} is durable and {}, which the same instruction has stored for another lane, is not: nothing orders the two",
      durable, lost);
  failure.advice =
      fmt::format("{}store {} by an instruction of its own, behind the others: {} and a __syncthreads() first",
                  run.of_recovery ? "in the recovery, " : "", words_of(run, *blame.present),
                  by_releases ? run.axioms.fence : run.axioms.waiting_fence);
}

/// False: no instruction has stored both, or this says nothing that matters.
bool explain_one_instruction(const ExplainedRun& run, const Blame& blame, ModelFailure& failure) {
  if (!blame.absent || by_host(run, *blame.present)) return false;
  const auto evidence = evidence_of(run.events, run.axioms, *blame.absent, *blame.present);
  const bool lanes = evidence.one_instruction && !evidence.same_thread && blame.passed_through;
  if (evidence.torn_bytes) explain_torn_store(run, blame, evidence.torn_bytes, failure);
  if (lanes) explain_lanes_of_one_store(run, blame, failure);
  return lanes || evidence.torn_bytes;
}

// --- A state that the run itself passes through

/// One of the two is a store of the host or a copy, and the other order would recover.
void explain_order_of_host(const ExplainedRun& run, const Blame& blame, ModelFailure& failure) {
  const u32 absent = *blame.absent, present = *blame.present;
  const u32 absent_launch = run.graph.persist(absent).launch, present_launch = run.graph.persist(present).launch;
  const std::string first = fmt::format("let the host {} {} first, and make that durable ({})",
                                        absent_launch ? "store" : run.calls.verb(absent), words_of(run, absent),
                                        absent_launch ? "gpm_persist_range" : run.calls.flushes(absent));
  if (absent_launch == 0 && present_launch == 0 && run.calls.found_together(absent, present)) {
    failure.kind = FailureClass::missing_order;
    failure.happened = fmt::format(
        "{} is durable and {} is not: between these two stores the host called nothing that makes the one durable "
        "before the other",
        store_of(run, present), store_of(run, absent));
    failure.advice = fmt::format("{}; only then let it store {}", first, words_of(run, present));
  } else if (absent_launch == 0) {
    failure.advice = fmt::format("wrong order: {}, before {}", first,
                                 present_launch == 0 ? host_does(run, present) : launch_of(run, present_launch));
  } else if (run.calls.submitted_before(absent_launch, present)) {
    failure.kind = FailureClass::missing_order;
    failure.happened = fmt::format("{} is durable and {} is not: the host has not waited for {} before it went on",
                                   store_of(run, present), store_of(run, absent), launch_of(run, absent_launch));
    failure.advice = fmt::format("let the host wait for {} (cudaStreamSynchronize, cudaDeviceSynchronize) before {}",
                                 launch_of(run, absent_launch), host_does(run, present));
  } else {
    failure.advice = fmt::format(
        "wrong order: let {} store {} first; once the host has waited for it, let the host {} {}",
        launch_of(run, absent_launch), place_of(run, absent), run.calls.verb(present), words_of(run, present));
  }
}

/// Two stores of one launch: what orders them if they must be of different threads; else empty.
std::string meeting_between(const ExplainedRun& run, const Blame& blame) {
  const auto evidence = evidence_of(run.events, run.axioms, *blame.absent, *blame.present);
  if (evidence.same_thread) return {};
  return fmt::format(", and {} if a thread's second store needs the first ones of others",
                     evidence.same_block ? "also a __syncthreads()" : "also a flag, or grid.sync(),");
}

void explain_passing(const ExplainedRun& run, const Blame& blame, ModelFailure& failure) {
  failure.kind = FailureClass::recovery_bug;
  const std::string_view who = run.of_recovery ? "the recovery that was crashed" : "the run";
  const std::string_view fails = run.of_recovery ? "another recovery fails there" : "the recovery fails there";
  if (!blame.absent) {
    failure.happened = fmt::format(
        "{} itself passes through this state, in which {} is the last that is durable; {}, and "
        "nothing that is stored later mends it",
        who, store_of(run, *blame.present), fails);
    failure.advice = run.of_recovery ? "no fence helps: the recovery cannot be run twice from here on"
                                     : "no fence helps: the steps of the program or of its recovery are wrong";
    return;
  }
  const auto [present, absent] = places_of(run, *blame.present, *blame.absent);
  const u32 present_launch = run.graph.persist(*blame.present).launch;
  const u32 absent_launch = run.graph.persist(*blame.absent).launch;
  const auto [there, missing] = stores_of(run, *blame.present, *blame.absent);
  failure.happened = fmt::format("{} itself passes through this state: {} is durable before {} is {}; {}", who, there,
                                 missing, absent_launch != 0 ? "stored" : "made", fails);
  if (!blame.mended_by_swap) {
    failure.advice =
        fmt::format("no fence helps: the recovery must cope with a crash between {} and {}", present, absent);
  } else if (present_launch == 0 || absent_launch == 0) {
    explain_order_of_host(run, blame, failure);
  } else {
    failure.advice = fmt::format("wrong order: store {} first, then {}", absent, present);
    if (present_launch == absent_launch)
      failure.advice += fmt::format(", with {} between them{}", run.axioms.fence, meeting_between(run, blame));
    else if (ran_together(run.events, absent_launch, present_launch))
      failure.advice += fmt::format(": {} and {} run at the same time, so one must wait for a flag of the other",
                                    launch_of(run, absent_launch), launch_of(run, present_launch));
    else
      failure.advice += fmt::format(": {} must have ended before {} begins", launch_of(run, absent_launch),
                                    launch_of(run, present_launch));
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
      "different blocks, and a scope between them is too narrow to order anything",
      store_of(run, *blame.present), store_of(run, *blame.absent), failure.release_at, failure.acquire_at);
  return true;
}

void explain_order_of_threads(const ExplainedRun& run, const Blame& blame, const StoreEvidence& evidence,
                              ModelFailure& failure) {
  const auto [present, absent] = places_of(run, *blame.present, *blame.absent);
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
  const bool by_releases = run.axioms.across == PersistAxioms::Across::releases;
  auto telling = telling_between(run.events, run.axioms, *blame.absent, *blame.present);
  const std::string told_at = telling ? run.events.place(telling->access.launch, telling->access.pc) : std::string();
  // Threads that share a counter do not wait for each other.
  if (telling && !telling->waited && telling->atomic) telling.reset();
  const std::string reader =
      missing.launch == there.launch ? thread_text(run.events, there) : launch_of(run, there.launch);
  if (telling && by_releases && !telling->barrier)
    failure.advice = fmt::format("let the flag at {} be released (pRel_{}), and acquired before {} (pAcq_{})", told_at,
                                 scope, present, scope);
  else if (telling && !by_releases)
    failure.advice =
        telling->barrier
            ? fmt::format("insert {} between {} and the barrier at {}, behind which {} stores",
                          run.axioms.waiting_fence, absent, told_at, reader)
            : fmt::format("insert {} between {} and the flag at {}, {}", run.axioms.waiting_fence, absent, told_at,
                          telling->waited ? fmt::format("for which {} waits", reader)
                                          : fmt::format("and let {} wait for this flag before it stores", reader));
  else if (missing.launch != there.launch)
    failure.advice = fmt::format("let {} wait for {}: one stream, or an event between two",
                                 launch_of(run, there.launch), launch_of(run, missing.launch));
  else if (by_releases)
    failure.advice = fmt::format("release a flag behind {} (pRel_{}) and acquire it before {} (pAcq_{})", absent, scope,
                                 present, scope);
  else
    failure.advice = fmt::format("insert {} behind {}, and let {} wait behind it, before {}", run.axioms.waiting_fence,
                                 absent, reader, present);
  if (missing.launch == there.launch && !telling)
    failure.advice += evidence.same_block ? (by_releases ? ", or put a __syncthreads() between them"
                                                         : ": put a __syncthreads() between the two")
                      : by_releases       ? ""
                                          : ": for a flag (a volatile store or an atomic), or in grid.sync()";
}

/// Of a store whose kernel ran outside of a region of the host, which the model asks for: what to do; else empty.
/// `before`: what a flush by the host must come before; empty: no flush helps.
std::string advice_of_regions(const ExplainedRun& run, u32 absent, std::string_view before) {
  const u32 launch = run.graph.persist(absent).launch;
  if (launch == 0 || !run.axioms.host_regions || !run.events.launches()[launch].cached) return {};
  const std::string begin = fmt::format("call gpm_persist_begin() before {}", launch_of(run, launch));
  constexpr std::string_view why =
      "outside of it (with DDIO) a kernel's stores rest in the host's cache, which a crash empties";
  const std::string flush =
      fmt::format("let the host flush {} (host_persist, gpm_persist_range) before {}", words_of(run, absent), before);
  if (!run.calls.flushes_for_kernels())
    return before.empty() ? fmt::format("{}: {}", begin, why) : fmt::format("{}: {}; or {}", begin, why, flush);
  // GPM-NDP: fences of kernels are not meant to persist.
  if (before.empty())
    return fmt::format(
        "no flush of the host comes between two stores of one kernel: let the host, or a kernel behind its flush of "
        "{}, make the second store; or {}",
        words_of(run, absent), begin);
  const auto late = run.calls.flush_of(run.graph.persist(absent), absent);
  return fmt::format("{}: {}; or {}", flush,
                     late ? late->call + " comes too late" : std::string("no flush covers these bytes"), begin);
}

/// A store of the host or a copy is not durable. `before`: what it must come before.
std::string advice_of_flush(const ExplainedRun& run, u32 absent, std::optional<u32> present, std::string_view before) {
  const Persist& missing = run.graph.persist(absent);
  const auto flush = run.calls.flush_of(missing, absent);
  const bool in_time = flush && (!present || flush->issued <= *present);
  if (in_time && flush->queued)
    return fmt::format("let the host wait for {} (cudaStreamSynchronize of its stream) before {}", flush->call, before);
  const bool copy = run.calls.is_copy(absent);
  std::string advice =
      run.calls.is_file_write(absent)
          ? fmt::format("let {} complete, behind the write of {}, before {}", run.calls.flushes(absent),
                        words_of(run, absent), before)
          : fmt::format("let the host call gpm_persist_range(){} on {} before {}",
                        copy ? ", or host_persist() behind the copy," : "", words_of(run, absent), before);
  if (flush && present && flush->covers(run.graph.persist(*present)))
    advice += fmt::format(": {} covers both, and orders nothing between them", flush->call);
  else if (flush)
    advice += fmt::format(": {} comes too late", flush->call);
  return advice;
}

void explain_missing_order(const ExplainedRun& run, const Blame& blame, ModelFailure& failure) {
  failure.kind = FailureClass::missing_order;
  const Persist &missing = run.graph.persist(*blame.absent), &there = run.graph.persist(*blame.present);
  const auto evidence = evidence_of(run.events, run.axioms, *blame.absent, *blame.present);
  const auto [durable, lost] = stores_of(run, *blame.present, *blame.absent);
  failure.happened = fmt::format("{} is durable and {}, which {} before, is not: nothing orders the two", durable, lost,
                                 evidence.same_thread ? "the same thread has stored"
                                 : missing.launch     ? "was stored"
                                                      : "was made");
  const std::string absent = failure.not_durable_at, present = failure.durable_at;
  const std::string later = there.launch == 0                ? host_does(run, *blame.present)
                            : missing.launch == there.launch ? ""
                                                             : launch_of(run, there.launch);
  if (std::string regions = advice_of_regions(run, *blame.absent, later); !regions.empty())
    failure.advice = std::move(regions);
  else if (missing.launch == 0)
    failure.advice = advice_of_flush(run, *blame.absent, *blame.present, later);
  else if (there.launch == 0)
    failure.advice = fmt::format(
        "{}let the host wait for {} (cudaStreamSynchronize, cudaDeviceSynchronize) before {}",
        run.axioms.durable_at_end ? std::string()
                                  : fmt::format("end the kernel of {} with {}, and ", absent, run.axioms.waiting_fence),
        launch_of(run, missing.launch), later);
  else if (evidence.same_thread && evidence.flag && run.axioms.across == PersistAxioms::Across::releases)
    failure.advice = fmt::format("make the store at {} a release (pRel_dev), or insert {} between {} and it", present,
                                 run.axioms.fence, absent);
  else if (evidence.same_thread && absent == present && missing.pc == there.pc)
    failure.advice =
        fmt::format("insert {} behind {}, before the same thread stores there again", run.axioms.fence, absent);
  else if (evidence.same_thread)
    failure.advice = fmt::format("insert {} between {} and {}", run.axioms.fence,
                                 places_of(run, *blame.absent, *blame.present).first,
                                 places_of(run, *blame.absent, *blame.present).second);
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
    if (!explain_one_instruction(run, blame, failure)) explain_passing(run, blame, failure);
    return;
  }
  sharpen_blame(run.graph, fails, blame);
  isolate_blame(run.graph, fails, blame);
  if (blame.alone) {
    std::string& state = run.of_recovery ? failure.nested : failure.state;
    state = fmt::format("upto:{},without:{}", *blame.present + 1, *blame.absent);
  }
  if (explain_scope(run, blame, fails, failure)) return name_lines(run, blame.present, blame.absent, failure);
  name_lines(run, blame.present, blame.absent, failure);
  if (!explain_one_instruction(run, blame, failure)) explain_missing_order(run, blame, failure);
}

void explain_early_acknowledgement(const ExplainedRun& run, u32 absent, bool later, ModelFailure& failure) {
  failure.kind = FailureClass::early_acknowledgement;
  name_lines(run, std::nullopt, absent, failure);
  const u32 launch = run.graph.persist(absent).launch;
  const std::string call = fmt::format("gpm_acknowledge({})", failure.acknowledged);
  if (later) {
    failure.happened =
        fmt::format("{} was called before {} was {} at all", call, store_of(run, absent), launch ? "stored" : "made");
    failure.advice =
        launch ? fmt::format("call {} behind {}, once the host has waited for it", call, launch_of(run, launch))
               : fmt::format("call {} behind {}, once that is durable", call, store_of(run, absent));
  } else {
    failure.happened = fmt::format("{} was called after {} was {}, but nothing had made that durable by then", call,
                                   store_of(run, absent), launch ? "stored" : "made");
    if (std::string regions = advice_of_regions(run, absent, call); !regions.empty())
      failure.advice = std::move(regions);
    else if (launch == 0)
      failure.advice = advice_of_flush(run, absent, std::nullopt, call);
    else if (run.axioms.durable_at_end || evidence_of(run.events, run.axioms, absent, no_persist).dfence_behind)
      failure.advice = fmt::format(
          "let the host wait for {} (cudaDeviceSynchronize) before {}; a flag of a running kernel that the host polls "
          "is not recorded, and does not count",
          launch_of(run, launch), call);
    else
      failure.advice = fmt::format("insert {} behind {}, before {} ends, and let the host wait for it before {}",
                                   run.axioms.waiting_fence, failure.not_durable_at, launch_of(run, launch), call);
  }
  if (run.of_recovery) failure.advice = "in the recovery, " + failure.advice;
}

}  // namespace ew::check
