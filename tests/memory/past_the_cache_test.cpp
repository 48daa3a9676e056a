// Loads that go past the private cache are traffic between SM and L2 as others are.
#include "scene.hpp"

namespace ew::memory {

TEST(PastTheCache, the_sectors_of_a_load_that_keeps_no_copy_are_counted) {
  for (const std::string protocol : {"gpu", "none-l1"}) {
    Scene s(protocol, 1);
    const auto counts = [&] { return s.bench.caches[0]->statistics(); };
    s.read(0, s.line(0));
    EXPECT_EQ(counts().sectors_fetched + counts().sectors_past, 1u) << protocol;
    EXPECT_EQ(counts().sectors_past, u64{protocol == "none-l1"}) << protocol;
    s.read(0, s.line(1), at_home);
    s.read(0, s.line(2) + 24, at_home, 16);
    EXPECT_EQ(counts().sectors_past, 3 + u64{protocol == "none-l1"}) << protocol << ": 16 bytes lie in two sectors";
    EXPECT_EQ(counts().load_misses, 3u);
  }
}

}  // namespace ew::memory
