// What comes to a private cache: data and acknowledgements; what homes ask of its copies goes on to Asked. Owned by the
// cache.
#pragma once

#include "memory/cache/asked.hpp"

namespace ew::memory {

class Answers {
 public:
  explicit Answers(CacheParts& parts) : p_(parts) {}

  void receive(const Request&);
  /// Requests of others that wait for this agent's own.
  u64 held() const { return asked_.waiting(); }

 private:
  void data(const Request&);
  void data_without_line(const Request&);
  void found(const Request&);
  void install(Mshr&, const Request&);
  void held(const LineAccess&, PayloadId poll);
  void perform_waiting(u32 mshr, ServedBy);
  void over(u32 mshr);
  void registered(Mshr&, u32 part, u32 before);
  void prefetched(u32 mshr);
  void prefetches_over();
  void owned(Mshr&);
  void written(const Request&);
  void durable(const Request&);

  CacheParts& p_;
  Asked asked_{p_};
};

}  // namespace ew::memory
