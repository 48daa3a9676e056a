// What comes to a private cache: data, acknowledgements, and what homes ask of its copies. Owned by the cache.
#pragma once

#include "memory/cache/parts.hpp"

namespace ew::memory {

class Answers {
 public:
  explicit Answers(CacheParts& parts) : p_(parts) {}

  void receive(const Request&);

 private:
  void data(const Request&);
  void data_without_line(const Request&);
  void install(Mshr&, const Request&);
  void perform_waiting(u32 mshr, ServedBy);
  void written(const Request&);
  void durable(const Request&);
  void probe(const Request&);
  WordMask forward(const Request&, u32 way);

  CacheParts& p_;
};

}  // namespace ew::memory
