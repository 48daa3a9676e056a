// Nothing is allocated while simulating: once a home's queues have their working size, requests wait in them.
#include <cstdlib>
#include <new>

#include "scene.hpp"

namespace {
ew::u64 allocations = 0;
}

// Not inlined: the compiler would see malloc() and free() meet new and delete, and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
// AddressSanitizer has one of its own for this form, which std::stable_sort uses.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes ? bytes : 1);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace ew::memory {
namespace {

class Allocations : public ::testing::TestWithParam<std::string_view> {};
INSTANTIATE_TEST_SUITE_P(Protocols, Allocations, ::testing::ValuesIn(protocol_names()), test_name);

/// Eight SMs ask at once for lines that the L2 slice does not hold, and for more of them than it has MSHRs.
TEST_P(Allocations, none_of_a_home_whose_requests_wait) {
  BenchConfig config;
  config.home.mshrs = 4;
  Scene s(std::string(GetParam()), 8, config);
  const auto allocated_in_a_round = [&](u32 round) {
    for (u32 agent = 0; agent < 8; ++agent)
      for (u32 i = 0; i < 4; ++i) s.load(agent, s.line((round * 4 + i) % 32), strong);
    const u64 before = allocations;
    s.bench.run();
    return allocations - before;
  };
  u64 warm_up = 0, later = 0;
  for (u32 round = 0; round < 50; ++round) warm_up += allocated_in_a_round(round);
  for (u32 round = 0; round < 200; ++round) later += allocated_in_a_round(round);
  EXPECT_GT(warm_up, 0u);
  EXPECT_EQ(later, 0u);
}

}  // namespace
}  // namespace ew::memory
