// A litmus test of kind ptx or pm with resolved names, and with jumps instead of branches. Models enumerate it,
// interleavings run it, kernels are generated from it. Registers have slots, thread by thread. The slots of locations
// come behind them. So a slot is a place in a FinalState.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/event_graph.hpp"
#include "check/litmus.hpp"
#include "check/value.hpp"
#include "core/diagnostics.hpp"

namespace ew::check {

/// An expression in postfix order.
struct Code {
  struct Step {
    enum class Kind : u8 { constant, slot, operation };
    Kind kind = Kind::constant;
    Operator op = Operator::add;
    Value value = 0;
    u32 slot = 0;
  };
  std::vector<Step> steps;
};

Value apply(Operator, Value left, Value right);  // a unary operator has its operand in `right`
Value evaluate(const Code&, std::span<const Value> slots);

inline constexpr u32 no_slot = ~u32{0};

struct Instruction {
  enum class Kind : u8 {
    load,
    store,
    atomic,
    await,
    let,
    branch_unless,
    jump,
    fence,
    barrier,
    order_fence,
    durability_fence,
    output
  };
  Kind kind = Kind::load;
  Verb verb = Verb::ld;  // for an atomic: which one
  Order order = Order::weak;
  Scope scope = Scope::none;
  bool sc = false;                      // for a fence
  bool reduction = false;               // for an atomic: it returns nothing (red)
  bool persist_sync = false;            // pRel is a store, pAcq a load or an await
  u32 slot = no_slot;                   // the register that is written
  u32 location = 0;                     // for an output: its number
  Operator relation = Operator::equal;  // for await
  Code value, expected;                 // value: written, compared (await), of let, or condition; expected: for cas
  u32 target = 0;                       // for jumps
  u32 barrier = 0;                      // its number in the program
  bool waits = true;                    // for a barrier: false for `arrive`
  std::string text;                     // the statement, as the test has it

  bool reads() const { return kind == Kind::load || kind == Kind::atomic || kind == Kind::await; }
  bool writes() const { return kind == Kind::store || kind == Kind::atomic; }
  bool accesses() const { return reads() || writes(); }
};

/// The value that an atomic writes when it has read `old`; nothing for a cas that fails.
std::optional<Value> written_by(const Instruction&, Value old, std::span<const Value> slots);

struct Program {
  struct Thread {
    std::string name;  // T0
    Place place;
    u32 warp = 0;  // of its block
    std::vector<std::string> registers;
    u32 first_slot = 0;
    std::vector<Instruction> instructions;
    u32 line = 0;  // of the file
  };
  struct Barrier {
    Place place;
    u32 id = 0;
    std::optional<u32> threads;  // the thread count of the test, a multiple of 32
    u32 arrivals = 0;            // the number of arrivals that completes it
  };
  std::string name;
  core::Place where;  // of the test
  std::vector<Thread> threads;
  std::vector<Barrier> barriers;
  std::vector<std::string> locations;
  std::vector<Value> initial;    // of locations
  std::vector<bool> persistent;  // for each location: a crash leaves it
  std::vector<std::string> outputs;
  u32 register_slots = 0;

  u32 slots() const { return register_slots + static_cast<u32>(locations.size()); }
  u32 slot_of_location(u32 location) const { return register_slots + location; }
  /// T0:r1, x.
  std::string slot_name(u32 slot) const;
  std::string text_of(const FinalState&) const;
  u32 devices() const;
  /// Throws core::UserError: `why` this test cannot be judged, and what to do.
  [[noreturn]] void refuse_as_too_large(std::string_view why) const;
  /// "T0: st A 1".
  std::string text_of(const Event&) const;
};

/// REQUIRES: kind ptx or pm. Throws core::UserError when the test is too large.
Program resolve(const Litmus&, const std::string& file);
/// slot_of gives the slot of a name.
Code compile(const Expression&, const std::function<u32(const std::string& name)>& slot_of);
/// A condition over final states.
Code resolve_condition(const Program&, const Expression&);

}  // namespace ew::check
