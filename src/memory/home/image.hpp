// The moment at which a request is performed: it reads or changes the coherent image. Owned by the home.
#pragma once

#include <span>

#include "memory/agent.hpp"
#include "memory/home/counts.hpp"
#include "memory/home_policy.hpp"
#include "memory/masks.hpp"

namespace ew::memory {

/// Sees what a home performs, in order: contract suites, traces.
class HomeObserver {
 public:
  virtual ~HomeObserver() = default;
  /// The request has read or changed the image just now.
  virtual void performed(const Request&) = 0;
};

/// What a request that was performed answers, and which bytes of its line it wrote.
struct Performance {
  Request answer;
  u32 data_bytes = 0;
  ByteMask written;
  bool answers = true;  // false: the home grants nothing, others answer
};

class ImagePort {
 public:
  ImagePort(Payloads& payloads, std::span<Agent* const> agents, HomeObserver* observer, HomeCounts& counts)
      : payloads_(payloads), agents_(agents), observer_(observer), counts_(counts) {}

  /// What is decided counts for a read or own.
  Performance perform(const Request&, const Decision&) const;

 private:
  Payloads& payloads_;
  std::span<Agent* const> agents_;  // perform lanes of atomics and of uncached loads
  HomeObserver* observer_;
  HomeCounts& counts_;
};

}  // namespace ew::memory
