#include "check/litmus_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>

namespace ew::check {

namespace {

std::string_view scope_text(Scope scope) {
  return scope == Scope::cta ? ".cta" : scope == Scope::gpu ? ".gpu" : scope == Scope::sys ? ".sys" : "";
}

std::string order_text(const Instruction& i) {
  switch (i.order) {
    case Order::weak:
      return ".weak";
    case Order::is_volatile:
      return ".volatile";
    case Order::relaxed:
      return fmt::format(".relaxed{}", scope_text(i.scope));
    case Order::acquire:
      return fmt::format(".acquire{}", scope_text(i.scope));
    case Order::release:
      return fmt::format(".release{}", scope_text(i.scope));
    case Order::acq_rel:
      return fmt::format(".acq_rel{}", scope_text(i.scope));
  }
  return "";
}

class KernelWriter {
 public:
  explicit KernelWriter(const Program& program) : program_(program) {
    kernel_.locations = u32(program.locations.size());
    kernel_.first_output = (program.register_slots * 4 + 15) / 8 * 8;
  }

  LitmusKernel write() {
    place();
    for (u32 t = 0; t < program_.threads.size(); ++t) thread(t);
    line("PADDING:");
    line("  ret;");
    kernel_.ptx = head() + body_ + "}\n";
    return std::move(kernel_);
  }

 private:
  void line(std::string_view text) { (body_ += text) += '\n'; }
  template <class... Arguments>
  void emit(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    body_ += "  ";
    fmt::format_to(std::back_inserter(body_), format, std::forward<Arguments>(arguments)...);
    body_ += '\n';
  }

  std::string parameters() const {
    std::string text = "  .param .u64 results,\n  .param .u64 meeting";
    for (u32 l = 0; l < kernel_.locations; ++l) text += fmt::format(",\n  .param .u64 location_{}", l);
    for (u32 d = 0; d < kernel_.delays; ++d) text += fmt::format(",\n  .param .u32 delay_{}", d);
    for (u32 w = 0; w < kernel_.warming_words(); ++w) text += fmt::format(",\n  .param .u32 warm_{}", w);
    return text;
  }

  /// The declarations, and the branches from a thread's indices to its label.
  std::string head() const {
    std::string text = fmt::format(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry litmus(\n{})\n{{\n  .reg .b64 %results, "
        "%location<{}>, %now, %meeting;\n  .reg .b32 %slot<{}>, %temporary<{}>, %block, %thread, %delay, %warm, "
        "%copy, %warp, %lane;\n"
        "  .reg .pred %here, %go, %lead;\n  ld.param.u64 %results, [results];\n",
        parameters(), kernel_.locations + 1, program_.register_slots + 1, temporaries_ + 1);
    for (u32 l = 0; l < kernel_.locations; ++l)
      text += fmt::format("  ld.param.u64 %location{}, [location_{}];\n", l, l);
    text +=
        "  mov.u32 %block, %ctaid.x;\n  mov.u32 %thread, %tid.x;\n  shr.u32 %warp, %thread, 5;\n"
        "  and.b32 %lane, %thread, 31;\n  setp.eq.u32 %lead, %lane, 0;\n";
    return text + dispatch_ + "  bra PADDING;\n";
  }

  /// Blocks and warps keep the order of their numbers. The threads of one warp get lanes in the order of the test.
  void place() {
    std::map<u32, std::map<u32, u32>> lanes;  // block -> warp -> lanes taken
    for (const auto& thread : program_.threads) lanes[thread.place.block][thread.warp] = 0;
    std::size_t most_warps = 1;
    for (const auto& [block, warps] : lanes) most_warps = std::max(most_warps, warps.size());
    kernel_.blocks = static_cast<u32>(lanes.size());
    // For the simulated GPU a barrier that counts all threads of a block waits only for those that have not ended. One
    // more warp makes sure that no count here is that of all threads.
    const bool counts = std::ranges::any_of(program_.barriers, [](const auto& b) { return b.threads.has_value(); });
    kernel_.threads = static_cast<u32>(most_warps + counts) * warp_lanes;
    for (u32 t = 0; t < program_.threads.size(); ++t) {
      const auto& thread = program_.threads[t];
      auto& warps = lanes[thread.place.block];
      const auto block = std::distance(lanes.begin(), lanes.find(thread.place.block));
      const auto warp = std::distance(warps.begin(), warps.find(thread.warp));
      const u32 index = static_cast<u32>(warp) * warp_lanes + warps[thread.warp]++;
      dispatch_ += fmt::format("  setp.eq.u32 %here, %block, {};\n  setp.eq.and.u32 %here, {}, {}, %here;\n", block,
                               whole_warp(thread) ? "%warp" : "%thread", whole_warp(thread) ? warp : index);
      dispatch_ += fmt::format("  @%here bra THREAD{};\n", t);
    }
  }

  /// A barrier with a thread count counts whole warps. So all lanes of the warp run the thread's code, and the first
  /// lane alone accesses memory.
  bool whole_warp(const Program::Thread& thread) const {
    return std::ranges::any_of(thread.instructions, [&](const Instruction& i) {
      return i.kind == Instruction::Kind::barrier && program_.barriers[i.barrier].threads;
    });
  }

  void delay() {
    emit("ld.param.u32 %delay, [delay_{}];", kernel_.delays++);
    emit("setp.ne.u32 %go, %delay, 0;");
    emit("@%go nanosleep.u32 %delay;");
  }

  /// Sleeps until the time at which all threads meet, if that is still to come.
  void meet() {
    emit("ld.param.u64 %meeting, [meeting];");
    emit("mov.u64 %now, %globaltimer;");
    emit("setp.gt.u64 %go, %meeting, %now;");
    emit("sub.u64 %now, %meeting, %now;");
    emit("cvt.u32.u64 %delay, %now;");
    emit("@%go nanosleep.u32 %delay;");
  }

  void warm(u32 number) {
    std::vector<u32> seen;
    for (const Instruction& i : program_.threads[number].instructions) {
      if (!i.accesses() || std::ranges::find(seen, i.location) != seen.end()) continue;
      seen.push_back(i.location);
      const std::size_t bit = kernel_.warmable.size();
      kernel_.warmable.emplace_back(number, i.location);
      emit("ld.param.u32 %warm, [warm_{}];", bit / 32);
      emit("and.b32 %warm, %warm, {};", u32{1} << (bit % 32));
      emit("setp.ne.u32 %go, %warm, 0;");
      emit("@%go ld.weak.global.u32 %copy, [%location{}];", i.location);
    }
  }

  void thread(u32 number) {
    const Program::Thread& thread = program_.threads[number];
    whole_warp_ = whole_warp(thread);
    lead_ = whole_warp_ ? "@%lead " : "";
    body_ += fmt::format("THREAD{}:\n", number);
    for (u32 r = 0; r < thread.registers.size(); ++r) emit("mov.b32 %slot{}, 0;", thread.first_slot + r);
    warm(number);
    meet();
    for (u32 at = 0; at < thread.instructions.size(); ++at) {
      body_ += fmt::format("T{}_{}:\n", number, at);
      instruction(thread.instructions[at], number, at);
    }
    body_ += fmt::format("T{}_{}:\n", number, thread.instructions.size());
    for (u32 r = 0; r < thread.registers.size(); ++r)
      emit("{}st.global.u32 [%results+{}], %slot{};", lead_, 4 * (thread.first_slot + r), thread.first_slot + r);
    emit("ret;");
  }

  std::string temporary() { return fmt::format("%temporary{}", temporaries_++); }

  /// Emits code for the value. Returns the register or constant that holds it.
  std::string value(const Code& code) {
    std::vector<std::string> stack;
    for (const Code::Step& step : code.steps) {
      if (step.kind == Code::Step::Kind::constant) {
        stack.push_back(std::to_string(step.value));
      } else if (step.kind == Code::Step::Kind::slot) {
        stack.push_back(fmt::format("%slot{}", step.slot));
      } else {
        std::string right = std::move(stack.back());
        stack.pop_back();
        const bool unary = step.op == Operator::negate || step.op == Operator::logical_not;
        std::string left = "0";
        if (!unary) {
          left = std::move(stack.back());
          stack.pop_back();
        }
        stack.push_back(operation(step.op, left, right));
      }
    }
    return stack.back();
  }

  std::string truth(const std::string& operand) {
    std::string result = temporary();
    emit("setp.ne.s32 %go, {}, 0;", operand);
    emit("selp.b32 {}, 1, 0, %go;", result);
    return result;
  }

  std::string operation(Operator op, const std::string& left, const std::string& right) {
    static constexpr std::pair<Operator, std::string_view> arithmetic[] = {
        {Operator::add, "add.s32"},   {Operator::subtract, "sub.s32"}, {Operator::multiply, "mul.lo.s32"},
        {Operator::bit_or, "or.b32"}, {Operator::bit_xor, "xor.b32"},  {Operator::bit_and, "and.b32"},
        {Operator::negate, "sub.s32"}};
    static constexpr std::pair<Operator, std::string_view> comparisons[] = {
        {Operator::equal, "eq"},      {Operator::not_equal, "ne"}, {Operator::less, "lt"},
        {Operator::less_equal, "le"}, {Operator::greater, "gt"},   {Operator::greater_equal, "ge"},
        {Operator::logical_not, "eq"}};
    if (op == Operator::logical_and || op == Operator::logical_or) {
      const std::string a = truth(left), b = truth(right), result = temporary();
      emit("{}.b32 {}, {}, {};", op == Operator::logical_and ? "and" : "or", result, a, b);
      return result;
    }
    std::string result = temporary();
    for (const auto& [meaning, opcode] : arithmetic)
      if (meaning == op) emit("{} {}, {}, {};", opcode, result, left, right);
    for (const auto& [meaning, comparison] : comparisons) {
      if (meaning != op) continue;
      emit("setp.{}.s32 %go, {}, {};", comparison, left, right);
      emit("selp.b32 {}, 1, 0, %go;", result);
    }
    return result;
  }

  void instruction(const Instruction& i, u32 thread, u32 at) {
    if (i.accesses()) delay();
    switch (i.kind) {
      case Instruction::Kind::load:
        if (i.persist_sync) return acquire(i);
        emit("{}ld{}.global.u32 %slot{}, [%location{}];", lead_, order_text(i), i.slot, i.location);
        break;
      case Instruction::Kind::store:
        if (i.persist_sync) return release(i);
        store(i);
        break;
      case Instruction::Kind::atomic:
        return atomic(i);
      case Instruction::Kind::await:
        return await(i, thread, at);
      case Instruction::Kind::let:
        emit("mov.b32 %slot{}, {};", i.slot, value(i.value));
        break;
      case Instruction::Kind::branch_unless:
        emit("setp.eq.s32 %go, {}, 0;", agreed(value(i.value)));
        emit("@%go bra T{}_{};", thread, i.target);
        break;
      case Instruction::Kind::jump:
        emit("bra T{}_{};", thread, i.target);
        break;
      case Instruction::Kind::fence:
        emit("fence.{}{};", i.sc ? "sc" : "acq_rel", scope_text(i.scope));
        break;
      case Instruction::Kind::barrier:
        barrier(i);
        break;
      case Instruction::Kind::order_fence:
        return region("ofence", {"membar.sys;"});
      case Instruction::Kind::durability_fence:
        return region("dfence", {"membar.sys;"});
      case Instruction::Kind::output:
        return output(i, thread);
    }
  }

  void store(const Instruction& i) {
    const std::string operand = value(i.value);
    emit("{}st{}.global.u32 [%location{}], {};", lead_, order_text(i), i.location, operand);
  }

  /// The first lane's value, in every lane.
  std::string agreed(const std::string& operand) {
    if (!whole_warp_) return operand;
    const std::string result = temporary();
    emit("shfl.sync.idx.b32 {}, {}, 0, 31, 0xffffffff;", result, operand);
    return result;
  }

  void barrier(const Instruction& i) {
    const Program::Barrier& b = program_.barriers[i.barrier];
    if (b.threads)
      emit("barrier.{} {}, {};", i.waits ? "sync" : "arrive", b.id, *b.threads);
    else
      emit("barrier.sync {};", b.id);
  }

  /// A region of pragmas, like those of include/everwarp/persist.cuh.
  void region(std::string_view name, std::initializer_list<std::string> instructions) {
    emit(".pragma \"everwarp.{}\";", name);
    for (const std::string& text : instructions) emit("{}", text);
    emit(".pragma \"everwarp.end\";");
  }
  static std::string region_name(std::string_view operation, Scope scope) {
    return fmt::format("{}_{}", operation, scope == Scope::cta ? "block" : scope == Scope::gpu ? "dev" : "sys");
  }
  void release(const Instruction& i) {
    const std::string operand = temporary();
    emit("mov.b32 {}, {};", operand, value(i.value));
    region(region_name("prel", i.scope), {"membar.sys;", fmt::format("st.relaxed{}.global.u32 [%location{}], {};",
                                                                     scope_text(i.scope), i.location, operand)});
  }
  void acquire(const Instruction& i) {
    region(region_name("pacq", i.scope),
           {fmt::format("ld.acquire{}.global.u32 %slot{}, [%location{}];", scope_text(i.scope), i.slot, i.location)});
  }

  /// Stores the time, then the value. Before that, everything that the thread has loaded has arrived: a branch needs
  /// it.
  void output(const Instruction& i, u32 number) {
    const Program::Thread& thread = program_.threads[number];
    const std::string here = fmt::format("OUTPUT{}", kernel_.outputs.size()), loaded = temporary();
    const u32 at = kernel_.first_output + LitmusKernel::output_bytes * static_cast<u32>(kernel_.outputs.size());
    kernel_.outputs.push_back(i.location);
    emit("mov.b32 {}, 0;", loaded);
    for (u32 r = 0; r < thread.registers.size(); ++r)
      emit("xor.b32 {}, {}, %slot{};", loaded, loaded, thread.first_slot + r);
    emit("setp.eq.u32 %go, {}, 1;", loaded);
    emit("@%go bra {};", here);
    body_ += here + ":\n";
    emit("mov.u64 %now, %clock64;");
    emit("st.volatile.global.u64 [%results+{}], %now;", at);
    emit("st.volatile.global.u32 [%results+{}], {};", at + 8, value(i.value));
  }

  void atomic(const Instruction& i) {
    const std::string_view operation = i.verb == Verb::add      ? "add.u32"
                                       : i.verb == Verb::bit_or ? "or.b32"
                                       : i.verb == Verb::max    ? "max.s32"
                                       : i.verb == Verb::cas    ? "cas.b32"
                                                                : "exch.b32";
    std::string operands = value(i.value);
    if (i.verb == Verb::cas) operands = fmt::format("{}, {}", value(i.expected), operands);
    if (i.reduction)
      return emit("{}red{}.global.{} [%location{}], {};", lead_, order_text(i), operation, i.location, operands);
    const std::string result = i.slot == no_slot ? temporary() : fmt::format("%slot{}", i.slot);
    emit("{}atom{}.global.{} {}, [%location{}], {};", lead_, order_text(i), operation, result, i.location, operands);
  }

  void await(const Instruction& i, u32 thread, u32 at) {
    const std::string wanted = value(i.value);
    body_ += fmt::format("AWAIT{}_{}:\n", thread, at);
    if (i.persist_sync)
      acquire(i);
    else
      emit("{}ld{}.global.u32 %slot{}, [%location{}];", lead_, order_text(i), i.slot, i.location);
    const std::string result = agreed(operation(i.relation, fmt::format("%slot{}", i.slot), wanted));
    emit("setp.eq.s32 %go, {}, 0;", result);
    // A functional machine does not see that a loop around a weak load waits. The sleep gives other warps their turn.
    if (i.order == Order::weak && !i.persist_sync) emit("@%go nanosleep.u32 1;");
    emit("@%go bra AWAIT{}_{};", thread, at);
  }

  const Program& program_;
  LitmusKernel kernel_;
  std::string body_, dispatch_;
  u32 temporaries_ = 0;
  bool whole_warp_ = false;  // of the thread that is written
  std::string_view lead_;    // before its accesses
};

}  // namespace

std::string cannot_run(const Program& program) {
  for (const auto& thread : program.threads)
    if (thread.place.device != 0) return "needs two devices";
  return {};
}

LitmusKernel make_kernel(const Program& program) {
  return KernelWriter(program).write();
}

}  // namespace ew::check
