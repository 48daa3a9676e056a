// Agents of tests. They have no registers, so they perform an atomic themselves at the moment when the home does.
#pragma once

#include <vector>

#include "memory/home/image.hpp"

namespace ew::memory {

class BenchAgent : public Agent {
 public:
  void ask(u32, u32, LineAtomic&) override {}
  void found(u32, u32, const LineAtomic&) override {}
};

/// For the homes of a bench: hands atomics to the agents.
class BenchObserver final : public HomeObserver {
 public:
  /// By id. `next` sees what is performed; nullptr: nobody does. References outlive it.
  explicit BenchObserver(const std::vector<Agent*>& agents, HomeObserver* next = nullptr)
      : agents_(agents), next_(next) {}
  void performed(const Request& request) override {
    if (next_) next_->performed(request);
  }
  void perform(const Request& request, LineAtomic&, u8* line) override {
    agents_[request.origin]->perform(request.access, request.part, line);
  }

 private:
  const std::vector<Agent*>& agents_;
  HomeObserver* next_;
};

}  // namespace ew::memory
