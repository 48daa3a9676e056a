// All crash images of a program under every model and every reading, each with one execution and crash that leave it.
// Internal to persistency_litmus.
#pragma once

#include <map>

#include "check/execution_crashes.hpp"

namespace ew::check {

/// A model, a reading changed, or a step of the lattice by which bugs are classified.
enum class LatticeStep : u8 { strong_widened, strong };

class CrashImages {
 public:
  struct Crash {
    u32 execution = 0;
    u64 ideal = 0;
    bool latest = false;  // some crash leaves it after all outputs that its persists let happen
  };
  using Images = std::map<Image, Crash>;

  /// Keeps a reference to both.
  CrashImages(const Program&, const ImageLayout&);

  const Images& of_model(u32 model) const { return of_[model]; }
  const Images& of_reading(u32 change) const;
  const Images& of_step(LatticeStep) const;
  /// The images of a model that `expect images` counts: a crash may always be earlier, so that outputs are those that
  /// may have happened by then, all of them.
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
  std::vector<States> present_;  // of the execution that is being added, one an order
  std::vector<Execution> kept_;
  std::vector<std::string> races_;
  u64 executions_ = 0, states_ = 0;
};

}  // namespace ew::check
