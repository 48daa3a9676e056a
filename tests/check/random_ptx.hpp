// Random programs of kind ptx for the comparison with the model to the letter: everything that the format has, a few
// operations of it.
#pragma once

#include <random>

#include "check/litmus.hpp"

namespace ew::check {

class RandomPtx {
 public:
  explicit RandomPtx(u64 seed) : random_(seed) {}

  Litmus program();

 private:
  u32 below(u32 bound) { return static_cast<u32>(random_() % bound); }
  Scope scope() { return below(3) == 0 ? Scope::cta : below(2) ? Scope::gpu : Scope::sys; }
  Statement access();
  Statement step();
  Statement statement(u32 depth);
  Expression operand(bool may_be_register);
  void add_barriers(Litmus&);

  std::vector<std::string> registers_;  // of the thread, that have a value
  u32 next_register_ = 0;
  std::mt19937_64 random_;
};

}  // namespace ew::check
