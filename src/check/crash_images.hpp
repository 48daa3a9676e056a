// All crash images of a program under every persistency model and every changed reading of SBRP. Each image stands with
// one execution and one crash that leave it. Internal to persistency_litmus.
#pragma once

#include <map>

#include "check/execution_crashes.hpp"

namespace ew::check {

/// Two stronger forms of SBRP, by which a bug is classified (docs/litmus.md): a bug that `strong_widened` still allows
/// lacks an order; one that only `strong` allows has too narrow a scope.
enum class LatticeStep : u8 { strong_widened, strong };

class CrashImages {
 public:
  struct Crash {
    u32 execution = 0;
    u64 ideal = 0;
    bool latest = false;  // some crash leaves it after every output that these durable persists permit
  };
  using Images = std::map<Image, Crash>;

  /// Keeps a reference to both.
  CrashImages(const Program&, const ImageLayout&);

  const Images& of_model(u32 model) const { return of_[model]; }
  const Images& of_reading(u32 change) const;
  const Images& of_step(LatticeStep) const;
  /// The number of images that `expect images` counts: those whose crash comes as late as possible, after every output
  /// that their durable persists permit.
  u64 count(u32 model) const;
  u64 executions() const { return executions_; }
  const std::vector<std::string>& races() const { return races_; }
  const Execution& execution(u32 number) const { return kept_[number]; }

 private:
  struct States {
    PersistOrder order;
    struct Entry {
      Image image;
      u64 ideal;
      bool latest;
    };
    std::vector<Entry> images;  // each once
  };
  void add(const Execution&);
  const States& states_of(const Execution&, const Relation& happened_before, PersistOrder);

  const Program& program_;
  const ImageLayout& layout_;
  std::vector<Images> of_;       // models, then readings, then steps of the lattice
  std::vector<States> present_;  // of the execution that is being added: one for each different order
  std::vector<Execution> kept_;
  std::vector<std::string> races_;
  u64 executions_ = 0, states_ = 0;
};

}  // namespace ew::check
