// The check of the build that tests/parts makes.
#define EW_CHECK_PARTS
#include "core/machine_part.hpp"

#include <gtest/gtest.h>

namespace ew::core {
namespace {

void serve(u32 home) {
  const InPart here(home_part, home);
}

TEST(MachinePart, IsEnteredFromOutsideAndFromItself) {
  const InPart here(home_part, 3);
  serve(3);
  EXPECT_EQ(running_part, (MachinePart{home_part, 3}));
}

TEST(MachinePart, IsLeft) {
  serve(1);
  EXPECT_EQ(running_part, MachinePart{});
  serve(2);
}

TEST(MachinePart, MayTouchTheWholeMachineIfItSaysSo) {
  const InPart here(sm_part, 0);
  {
    const WholeMachine all;
    serve(0);
  }
  EXPECT_EQ(running_part, (MachinePart{sm_part, 0}));
}

TEST(MachinePartDeathTest, IsNotEnteredFromAnother) {
  const InPart here(sm_part, 5);
  EXPECT_DEATH(serve(2), "home 2: serve\\(\\) was called from within SM 5, past the network");
}

}  // namespace
}  // namespace ew::core
