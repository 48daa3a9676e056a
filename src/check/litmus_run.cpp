#include "check/litmus_run.hpp"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "check/litmus_kernel.hpp"
#include "check/litmus_pool.hpp"
#include "core/diagnostics.hpp"
#include "core/split_mix.hpp"
#include "memory/address_space.hpp"
#include "ptx/program.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::check {

namespace {

constexpr u64 line_bytes = LitmusPool::line_bytes, lines = LitmusPool::lines;  // the memory of the locations
constexpr u64 until_meeting = 4'000;  // ns: by then the slowest of the earlier loads have completed

/// Litmus kernels use no service of a runtime.
class NoServices final : public simt::DeviceServices {
 public:
  i32 print(const char*, const u8*, const simt::ReadString&) override { return 0; }
  u64 heap_allocate(u64) override { return 0; }
  bool heap_free(u64) override { return false; }
  const simt::TextureObject* texture(u64) override { return nullptr; }
  bool knows_region(std::string_view) override { return true; }
  bool region(std::string_view, LaneMask) override { return false; }
};

/// The parameters that a seed gives to a kernel.
struct Variation {
  std::vector<u64> offsets;  // of locations
  std::vector<u32> delays, warm;
  u64 meeting = 0;  // nanoseconds after the launch
};

/// Chooses the locations that are read beforehand: none, all, a random choice, or (most often) the location that each
/// thread uses last. That copy is stale when its turn comes, while the location that the thread uses first is fetched.
void warm(Variation& v, const LitmusKernel& kernel, core::SplitMix64& random) {
  const u64 kind = random.below(5);
  for (std::size_t bit = 0; bit < kernel.warmable.size(); ++bit) {
    const bool last = bit + 1 == kernel.warmable.size() || kernel.warmable[bit + 1].first != kernel.warmable[bit].first;
    const bool chosen = kind == 0 ? false : kind == 1 ? true : kind == 2 ? random.below(2) != 0 : last;
    if (chosen) v.warm[bit / 32] |= u32{1} << (bit % 32);
  }
}

Variation variation_of(const LitmusKernel& kernel, u64 seed) {
  Variation v;
  v.delays.resize(kernel.delays);
  v.warm.resize(kernel.warming_words());
  if (seed == 0) {
    for (u32 l = 0; l < kernel.locations; ++l) v.offsets.push_back(l * line_bytes);
    return v;
  }
  core::SplitMix64 random(seed);
  const u64 layout = random.below(8), first = random.below(lines);
  std::set<u64> taken;
  for (u32 l = 0; l < kernel.locations; ++l) {
    u64 line = random.below(lines);
    while (!taken.insert(line).second) line = random.below(lines);
    if (layout == 0) v.offsets.push_back(first * line_bytes + 4 * l);
    if (layout == 1) v.offsets.push_back((first * line_bytes + 32 * l) % (lines * line_bytes));
    if (layout >= 2) v.offsets.push_back(line * line_bytes + 4 * random.below(line_bytes / 4));
  }
  // With some seeds threads hardly sleep, so that accesses meet. Others spread accesses over one or more latencies of
  // memory.
  static constexpr u64 longest[] = {1, 20, 100, 400, 1500, 3000};
  const u64 range = longest[random.below(std::size(longest))];
  for (u32& delay : v.delays) delay = random.below(2) ? 0 : static_cast<u32>(random.below(range));
  if (random.below(4)) v.meeting = until_meeting;
  warm(v, kernel, random);
  return v;
}

class Runner {
 public:
  Runner(const Program& program, const LitmusMachine& machine)
      : program_(program),
        machine_(machine),
        kernel_(make_kernel(program)),
        space_(u64{64} << 20),
        pool_(program, space_) {
    std::vector<ptx::ast::Module> modules;
    modules.push_back(ptx::parse(kernel_.ptx, program.name));
    loaded_ = ptx::load(ptx::link(std::move(modules)), [](std::string_view) { return u64{0}; });
    memory_ = space_.allocate(memory::Region::device, lines * line_bytes, line_bytes, "locations");
    results_ = space_.allocate(memory::Region::device, result_bytes(), line_bytes, "results");
    if (!memory_ || !results_) throw core::UserError(fmt::format("{}: no memory for its locations", program.name));
  }

  void run(u64 seed, Histogram& histogram) {
    simulator_.reset();
    simulator_ = machine_.make(space_, services_, seed, pool_.durable());
    const Variation variation = variation_of(kernel_, seed);
    place(variation);
    std::memset(reinterpret_cast<void*>(memory_), 0, lines * line_bytes);
    std::memset(reinterpret_cast<void*>(results_), 0, result_bytes());
    for (u32 l = 0; l < kernel_.locations; ++l) *word(addresses_[l]) = program_.initial[l];
    pool_.begin_run();
    const std::string trouble = launch(variation);
    if (runtime::TimingMachine* const machine = simulator_->timed()) {
      machine->host_touched(memory_, lines * line_bytes, false);
      machine->host_touched(results_, result_bytes(), false);
      machine->close();
    }
    ++histogram.runs;
    if (pool_.used()) pool_.count_crashes(addresses_, outputs(), seed, histogram);
    if (!trouble.empty()) {
      if (histogram.unfinished++ == 0) {
        histogram.unfinished_seed = seed;
        histogram.unfinished_why = trouble;
      }
      return;
    }
    FinalState state;
    for (u32 r = 0; r < program_.register_slots; ++r) state.values.push_back(*word(results_ + 4 * r));
    for (u32 l = 0; l < kernel_.locations; ++l) state.values.push_back(*word(addresses_[l]));
    auto& count = histogram.states[state];
    if (count.runs++ == 0) count.first_seed = seed;
  }

 private:
  static Value* word(u64 address) { return reinterpret_cast<Value*>(address); }
  u64 result_bytes() const { return kernel_.result_bytes(); }

  void place(const Variation& variation) {
    addresses_.clear();
    for (u32 l = 0; l < kernel_.locations; ++l)
      addresses_.push_back((program_.persistent[l] ? pool_.begin() : memory_) + variation.offsets[l]);
  }

  std::vector<LitmusPool::Output> outputs() const {
    std::vector<LitmusPool::Output> happened;
    for (u32 i = 0; i < kernel_.outputs.size(); ++i) {
      const u64 at = results_ + kernel_.first_output + i * LitmusKernel::output_bytes;
      const u64 cycle = *reinterpret_cast<const u64*>(at);
      if (cycle) happened.push_back({cycle, kernel_.outputs[i], *word(at + 8)});
    }
    return happened;
  }

  std::string launch(const Variation& variation) {
    simt::Launch launch;
    launch.kernel = loaded_.kernels.at(0).get();
    launch.grid = {kernel_.blocks, 1, 1};
    launch.block = {kernel_.threads, 1, 1};
    std::vector<u8>& bytes = launch.parameters;
    const auto put = [&](auto value) {
      bytes.resize(bytes.size() + sizeof value);
      std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
    };
    put(results_);
    put(variation.meeting ? simulator_->gpu().simulated_nanoseconds() + variation.meeting : u64{0});
    for (const u64 address : addresses_) put(address);
    for (const u32 delay : variation.delays) put(delay);
    for (const u32 word : variation.warm) put(word);
    bytes.resize(std::max<std::size_t>(bytes.size(), launch.kernel->parameter_bytes));
    simt::Gpu& gpu = simulator_->gpu();
    if (std::string refused = gpu.refuse(launch); !refused.empty()) throw core::UserError(refused);
    gpu.set_instruction_limit(machine_.instruction_limit);
    simulator_->start(std::move(launch));
    while (true) {
      simulator_->run(1'000'000, ~u64{0}, false);
      for (const simt::Completion& completion : simulator_->take_completions())
        return completion.fault ? completion.fault->report : std::string();
    }
  }

  const Program& program_;
  const LitmusMachine& machine_;
  LitmusKernel kernel_;
  memory::AddressSpace space_;
  NoServices services_;
  ptx::Program loaded_;
  LitmusPool pool_;
  u64 memory_ = 0, results_ = 0;
  std::vector<u64> addresses_;  // of locations, in this run
  std::unique_ptr<runtime::Simulator> simulator_;
};

}  // namespace

Histogram run_litmus(const Program& program, const LitmusMachine& machine, u64 first_seed, u64 count) {
  Histogram histogram;
  Runner runner(program, machine);
  for (u64 seed = first_seed; seed < first_seed + count; ++seed) runner.run(seed, histogram);
  return histogram;
}

}  // namespace ew::check
