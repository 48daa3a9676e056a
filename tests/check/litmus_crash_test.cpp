// Persistency tests on machines: whatever crashes of a run leave, the axioms of the machine's model allow; and a model
// that keeps less than it promises is found out.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "check/litmus_parser.hpp"
#include "check/persistency_litmus.hpp"
#include "persistency/models.hpp"
#include "runtime/gpu_limits.hpp"
#include "runtime/timing_machine.hpp"

namespace ew::check {
namespace {

LitmusMachine machine_with(const std::string& model, bool near) {
  runtime::MachineConfig config = runtime::load_machine(near ? "sbrp-pm-near" : "sbrp-pm-far");
  config.sm.count = 4;
  config.persistency.model = model;
  config.network.jitter = 64;
  LitmusMachine machine;
  machine.make = [config, results = std::make_shared<runtime::RunResults>()](
                     memory::AddressSpace& space, simt::DeviceServices& services, u64 seed,
                     memory::DurableImage& durable) -> std::unique_ptr<runtime::Simulator> {
    return std::make_unique<runtime::TimingMachine>(config, runtime::gpu_limits(config), seed, space, services,
                                                    *results, runtime::TimingMachine::Observation{}, &durable);
  };
  machine.instruction_limit = 20'000;
  return machine;
}

std::vector<PersistencyVerdict> verdicts(const std::string& column, const LitmusMachine& machine, u64 seeds,
                                         const std::string& name = "pm.glt") {
  std::ifstream file(std::string(EW_LITMUS "/") + name);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<PersistencyVerdict> all;
  for (const Litmus& test : parse_litmus(text, name)) {
    const bool two_devices =
        std::ranges::any_of(test.threads, [](const ThreadText& t) { return t.placement && t.placement->device != 0; });
    if (two_devices) continue;
    const PersistencyRunPlan plan{column,
                                  [&](const Program& program) { return run_litmus(program, machine, 0, seeds); }};
    all.push_back(judge_persistency(test, name, plan));
  }
  return all;
}

class LitmusCrashes : public testing::TestWithParam<bool> {};

TEST_P(LitmusCrashes, LeaveWhatTheAxiomsAllow) {
  for (const persistency::Model& entry : persistency::models()) {
    const std::string model(entry.name), column(entry.promises().name);
    u64 shown = 0, crashes = 0, weak = 0;
    for (const PersistencyVerdict& v : verdicts(column, machine_with(model, GetParam()), 5)) {
      EXPECT_FALSE(v.broken()) << model << ": " << v.runs->forbidden[0].text << " with seed "
                               << v.runs->forbidden[0].first_seed;
      shown += v.runs->shown;
      crashes += v.runs->crashes;
      weak += v.runs->weak;
    }
    EXPECT_GT(shown, entry.make ? 50u : 20u) << model;  // of about 80
    EXPECT_GT(crashes, 110u) << model;
    EXPECT_TRUE(entry.promises().across != PersistAxioms::Across::performance || weak == 0) << model;
    EXPECT_TRUE(!entry.promises().unordered() || !entry.make || weak > 0) << model;
  }
}

// They were judged, and no machine ran them.
TEST_P(LitmusCrashes, OfTheLaterTestsToo) {
  for (const std::string model : {"sbrp", "epoch"}) {
    u64 shown = 0, crashes = 0;
    for (const PersistencyVerdict& v : verdicts(model, machine_with(model, GetParam()), 3, "pm-more.glt")) {
      EXPECT_FALSE(v.broken()) << model << ": " << v.runs->forbidden[0].text << " with seed "
                               << v.runs->forbidden[0].first_seed;
      shown += v.runs->shown;
      crashes += v.runs->crashes;
    }
    EXPECT_GT(shown, 120u) << model;
    EXPECT_GT(crashes, 400u) << model;
  }
}

TEST_P(LitmusCrashes, OfAModelThatKeepsLessAreFoundOut) {
  const auto broken = [](const PersistencyVerdict& v) { return v.broken(); };
  EXPECT_TRUE(std::ranges::any_of(verdicts("sbrp", machine_with("none", GetParam()), 5), broken));
  EXPECT_TRUE(std::ranges::any_of(verdicts("strict", machine_with("gpm", GetParam()), 5), broken));
}

INSTANTIATE_TEST_SUITE_P(NearAndFar, LitmusCrashes, testing::Bool(),
                         [](const auto& info) { return info.param ? "near" : "far"; });

}  // namespace
}  // namespace ew::check
