// The moment at which a request is performed: it reads or changes the coherent image. Owned by the home.
#pragma once

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
  /// Performs an atomic or reduction, and sees what each of its lanes does.
  virtual void perform(const Request&, LineAtomic& atomic, u8* line) { memory::perform(atomic, atomic.lanes, line); }
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
  ImagePort(Payloads& payloads, HomeObserver* observer, HomeCounts& counts)
      : payloads_(payloads), observer_(observer), counts_(counts) {}

  /// What is decided counts for a read or own.
  Performance perform(const Request&, const Decision&) const;

 private:
  Payloads& payloads_;
  HomeObserver* observer_;
  HomeCounts& counts_;
};

}  // namespace ew::memory
