// The persistent memory of a litmus run: a pool without a file, and the log of durable writes to it. Every crash of the
// run is rebuilt from this log.
#pragma once

#include <string>

#include "check/litmus_run.hpp"
#include "memory/address_space.hpp"

namespace ew::check {

class LitmusPool {
 public:
  static constexpr u64 line_bytes = 128, lines = 512;

  /// Makes no pool for a program without persistent locations and outputs.
  LitmusPool(const Program&, memory::AddressSpace&);
  ~LitmusPool();
  LitmusPool(const LitmusPool&) = delete;
  LitmusPool& operator=(const LitmusPool&) = delete;

  bool used() const { return begin_ != 0; }
  u64 begin() const { return begin_; }
  memory::DurableImage& durable() { return durable_; }

  /// Makes everything durable that stands in the pool now.
  void begin_run();
  struct Output {
    u64 cycle;
    u32 output;
    Value value;
  };
  /// Adds the images that crashes of the last run leave. `addresses` are those of the locations.
  void count_crashes(const std::vector<u64>& addresses, std::vector<Output> happened, u64 seed, Histogram&);

 private:
  struct Write {
    u64 cycle;
    u32 number, slot;
    Value value;
  };
  std::vector<Write> new_writes(const std::vector<u64>& addresses);

  const Program& program_;
  memory::AddressSpace& space_;
  ImageLayout layout_;
  memory::DurableImage durable_;
  u64 begin_ = 0;
  std::vector<u8> bytes_;  // the durable content
  std::string log_;
  long log_at_ = 0;
};

}  // namespace ew::check
