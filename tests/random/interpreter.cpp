// Every thread by itself, one instruction after the other; threads meet only at barriers, shuffles and votes. No masks,
// no reconvergence, no liveness, no register rows: nothing that the simulator could have got wrong in the same way.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "program.hpp"

namespace ew::random_ptx {
namespace {

struct Activation {
  const Function* function = nullptr;
  std::vector<u64> registers;
  std::vector<u8> local;
  u32 at = 0;
  const Instruction* call = nullptr;  // in the caller
};

struct Thread {
  std::vector<Activation> stack;
  u32 tid = 0;
  bool ended = false, waits = false;
};

class Block {
 public:
  Block(const Program& program, Memory& memory, u32 index, u64& steps)
      : program_(program), memory_(memory), index_(index), steps_(steps), threads_(program.threads) {
    for (u32 t = 0; t < program.threads; ++t) {
      threads_[t].tid = t;
      threads_[t].stack.push_back(activation(static_cast<int>(program.functions.size()) - 1, nullptr));
    }
    shared_.assign(most_threads * shared_own_bytes, 0);
    for (u32 cell = 0; cell < shared_cells; ++cell) shared_cells_.push_back(first_of_cell(cell, shared_cells));
  }

  bool run() {
    for (;;) {
      bool all_ended = true;
      for (auto& thread : threads_) {
        while (!thread.ended && !thread.waits) {
          if (steps_-- == 0) return false;
          step(thread);
        }
        all_ended &= thread.ended;
      }
      if (all_ended) return true;
      if (!meet()) throw std::logic_error("threads wait for each other: the generator made a wrong kernel");
    }
  }

 private:
  Activation activation(int function, const Instruction* call) const {
    Activation fresh;
    fresh.function = &program_.functions[static_cast<std::size_t>(function)];
    fresh.registers.assign(fresh.function->registers.size(), 0);
    fresh.local.assign(local_bytes, 0);
    fresh.call = call;
    return fresh;
  }

  static u64 value(const Activation& a, const Operand& operand) {
    return operand.immediate ? operand.bits : a.registers[operand.reg];
  }

  void step(Thread& thread) {
    Activation& now = thread.stack.back();
    const Instruction& i = now.function->body[now.at];
    const bool off = i.guard >= 0 && (now.registers[static_cast<u32>(i.guard)] != 0) == i.negated;
    ++now.at;
    if (off) return;
    const auto source = [&](std::size_t n) { return n < i.sources.size() ? value(now, i.sources[n]) : 0; };
    switch (i.kind) {
      case Kind::arithmetic:
        now.registers[i.dst] = i.arithmetic->compute(source(0), source(1), source(2), source(3));
        break;
      case Kind::special:
        now.registers[i.dst] = special(thread, static_cast<Special>(i.offset));
        break;
      case Kind::load:
        load(thread, i, source(0));
        break;
      case Kind::store:
        store(thread, i, source(0), source(1));
        break;
      case Kind::reduce:
        update(*reinterpret_cast<u32*>(place(thread, i, source(0))), static_cast<Update>(i.target), source(1));
        break;
      case Kind::atomic: {
        u32& word = *reinterpret_cast<u32*>(place(thread, i, source(0)));
        const u32 old = word;
        update(word, static_cast<Update>(i.target), source(1));
        now.registers[i.dst] = old;
        break;
      }
      case Kind::branch:
        now.at = now.function->labels[i.target];
        break;
      case Kind::table:
        now.at = now.function->labels[i.targets.at(source(0))];
        break;
      case Kind::call:
        call(thread, i);
        break;
      case Kind::ret:
        ret(thread);
        break;
      case Kind::exit:
        thread.ended = true;
        break;
      case Kind::label:
        break;
      default:
        --now.at;
        thread.waits = true;
    }
  }

  u64 special(const Thread& thread, Special which) const {
    switch (which) {
      case Special::tid:
        return thread.tid;
      case Special::lane:
        return thread.tid % 32;
      case Special::block:
        return index_;
      case Special::threads:
        return program_.threads;
      default:
        return index_ * program_.threads + thread.tid;
    }
  }

  u8* place(Thread& thread, const Instruction& i, u64 at) {
    at += i.offset;
    switch (i.place) {
      case Place::input:
        return reinterpret_cast<u8*>(memory_.input.data()) + at;
      case Place::own:
        return memory_.own.data() + (index_ * program_.threads + thread.tid) * own_bytes + at;
      case Place::cell:
        return reinterpret_cast<u8*>(memory_.cells.data()) + at;
      case Place::shared:
        return shared_.data() + at;
      case Place::shared_cell:
        return reinterpret_cast<u8*>(shared_cells_.data()) + at;
      default:
        return thread.stack.back().local.data() + at;
    }
  }

  void load(Thread& thread, const Instruction& i, u64 at) {
    u64 found = 0;
    std::memcpy(&found, place(thread, i, at), i.bytes);
    if (i.sign && i.bytes < 4 && found >> (8 * i.bytes - 1)) found |= ~u64{0} << 8 * i.bytes & 0xffffffff;
    thread.stack.back().registers[i.dst] = found;
  }

  void store(Thread& thread, const Instruction& i, u64 at, u64 bits) {
    std::memcpy(place(thread, i, at), &bits, i.bytes);
  }

  static void update(u32& word, Update what, u64 by) {
    const u32 x = static_cast<u32>(by);
    switch (what) {
      case Update::add:
        word += x;
        break;
      case Update::bit_xor:
        word ^= x;
        break;
      case Update::bit_or:
        word |= x;
        break;
      case Update::bit_and:
        word &= x;
        break;
      case Update::min:
        word = std::min(word, x);
        break;
      case Update::max:
        word = std::max(word, x);
    }
  }

  void call(Thread& thread, const Instruction& i) {
    Activation& caller = thread.stack.back();
    const bool indirect = i.callee < 0;
    Activation fresh = activation(indirect ? static_cast<int>(value(caller, i.sources[0])) : i.callee, &i);
    for (std::size_t n = 0; n < fresh.function->parameters.size(); ++n)
      fresh.registers[fresh.function->parameter_regs[n]] = value(caller, i.sources[n + (indirect ? 1 : 0)]);
    thread.stack.push_back(std::move(fresh));
  }

  void ret(Thread& thread) {
    const Activation done = std::move(thread.stack.back());
    thread.stack.pop_back();
    if (thread.stack.empty()) {
      thread.ended = true;
      return;
    }
    // The result lies in the register that every ret of the function names first.
    const Instruction& i = done.function->body[done.at - 1];
    thread.stack.back().registers[done.call->dst] = value(done, i.sources[0]);
  }

  const Instruction& waits_at(const Thread& thread) const {
    const Activation& a = thread.stack.back();
    return a.function->body[a.at];
  }

  /// Lets those go on who wait for nobody any more.
  bool meet() {
    bool any = false;
    for (u32 first = 0; first < threads_.size(); first += 32) any |= meet_in_warp(first);
    if (any) return true;
    for (const auto& thread : threads_)
      if (!thread.ended && waits_at(thread).kind != Kind::block_barrier) return false;
    for (auto& thread : threads_)
      if (!thread.ended) go_on(thread);
    return true;
  }

  static void go_on(Thread& thread) {
    thread.waits = false;
    ++thread.stack.back().at;
  }

  u32 members(const Thread& thread) const {
    const Instruction& i = waits_at(thread);
    return static_cast<u32>(value(thread.stack.back(), i.sources[0]));
  }

  bool meet_in_warp(u32 first) {
    const u32 past = std::min<u32>(first + 32, static_cast<u32>(threads_.size()));
    bool any = false;
    for (u32 t = first; t < past; ++t) {
      const Thread& leader = threads_[t];
      if (leader.ended || !leader.waits || waits_at(leader).kind == Kind::block_barrier) continue;
      const Kind kind = waits_at(leader).kind;
      const u32 mask = members(leader);
      bool all = true;
      for (u32 o = first; o < past; ++o)
        if ((mask >> (o - first) & 1) && !threads_[o].ended)
          all &= threads_[o].waits && waits_at(threads_[o]).kind == kind && members(threads_[o]) == mask;
      if (!all) continue;
      exchange(first, past, mask);
      any = true;
    }
    return any;
  }

  void exchange(u32 first, u32 past, u32 mask) {
    u64 given[32] = {};
    for (u32 t = first; t < past; ++t) {
      if (!(mask >> (t - first) & 1) || threads_[t].ended) continue;
      const Instruction& i = waits_at(threads_[t]);
      if (i.sources.size() > 1) given[t - first] = value(threads_[t].stack.back(), i.sources[1]);
    }
    for (u32 t = first; t < past; ++t) {
      Thread& thread = threads_[t];
      if (!(mask >> (t - first) & 1) || thread.ended) continue;
      Activation& now = thread.stack.back();
      const Instruction& i = waits_at(thread);
      if (i.kind == Kind::shuffle) {
        const u32 by = static_cast<u32>(value(now, i.sources[2])) & 31, lane = t - first;
        u32 from = lane;
        if (static_cast<Shuffle>(i.offset) == Shuffle::up && lane >= by) from = lane - by;
        if (static_cast<Shuffle>(i.offset) == Shuffle::down && lane + by < 32) from = lane + by;
        if (static_cast<Shuffle>(i.offset) == Shuffle::butterfly) from = lane ^ by;
        if (static_cast<Shuffle>(i.offset) == Shuffle::index) from = by;
        now.registers[i.dst] = given[from];
      } else if (i.kind == Kind::vote) {
        u32 ballot = 0;
        for (u32 lane = 0; lane < 32; ++lane) ballot |= u32{(mask >> lane & 1) && given[lane]} << lane;
        u32 there = 0;
        for (u32 o = first; o < past; ++o) there |= u32{!threads_[o].ended} << (o - first);
        now.registers[i.dst] = static_cast<Vote>(i.offset) == Vote::ballot ? ballot
                               : static_cast<Vote>(i.offset) == Vote::any  ? ballot != 0
                                                                           : ballot == (mask & there);
      }
    }
    for (u32 t = first; t < past; ++t)
      if ((mask >> (t - first) & 1) && !threads_[t].ended) go_on(threads_[t]);
  }

  const Program& program_;
  Memory& memory_;
  u32 index_;
  u64& steps_;
  std::vector<Thread> threads_;
  std::vector<u8> shared_;
  std::vector<u32> shared_cells_;
};

}  // namespace

Memory::Memory(const Program& program) {
  for (u32 cell = 0; cell < random_ptx::cells; ++cell) cells.push_back(first_of_cell(cell, random_ptx::cells));
  u64 state = 12345;
  for (u32 i = 0; i < input_words; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const u32 word = static_cast<u32>(state >> 33);
    input.push_back(i % 7 == 0 ? 0x7f800000u : i % 11 == 0 ? 0x3f800000u + i : i % 5 == 0 ? word & 255 : word * 2);
  }
  own.resize(u64{program.blocks} * program.threads * own_bytes);
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<u8>(i * 37 + i / 64);
}

bool interpret(const Program& program, Memory& memory, u64 most_steps) {
  for (u32 block = 0; block < program.blocks; ++block) {
    if (!Block(program, memory, block, most_steps).run()) return false;
    if (most_steps + 1 == 0) return false;
  }
  return true;
}

}  // namespace ew::random_ptx
