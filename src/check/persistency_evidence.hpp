// Says why a model allows or forbids a crash image, in sentences with the test's own statements. Internal to
// persistency_litmus.
#pragma once

#include "check/crash_images.hpp"
#include "check/persistency_litmus.hpp"

namespace ew::check {

class EvidenceWriter {
 public:
  EvidenceWriter(const Program&, const ImageLayout&, const CrashImages&);

  /// A crash under `model` whose image fulfils the condition; or the order that forbids it. `asked`: the slots of the
  /// image that the question is about.
  Evidence write(u32 model, const Code& condition, const std::vector<bool>& asked) const;

 private:
  using Crash = CrashImages::Crash;
  const std::pair<const Image, Crash>* find(const CrashImages::Images&, const Code& condition) const;
  std::vector<WitnessStep> steps(const Execution&, EventSet durable, EventSet cut) const;
  std::vector<std::string> missing(u32 model, const Execution&, const ExecutionCrashes&, u64 ideal,
                                   const std::vector<bool>& asked) const;
  std::vector<std::string> obstacles(u32 model, const Execution&, EventSet present, EventSet absent) const;
  std::string would_order(const Execution&, u32 from, u32 to) const;
  std::vector<std::string> path(u32 model, const PersistOrder&, const Execution&, u32 from, u32 to) const;
  std::string reason(u32 model, const Execution&, Axiom, u32 from, u32 to) const;
  std::string text(const Execution& x, u32 event) const { return program_.text_of(x.graph.events[event]); }
  u32 slot(const Event&) const;

  const Program& program_;
  const ImageLayout& layout_;
  const CrashImages& images_;
};

}  // namespace ew::check
