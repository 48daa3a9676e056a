// What is known of the threads of the host program.
#include "runtime/host_threads.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ew::runtime {
namespace {

// Two runs of one program had different digests when the kernel's numbers began anew between two of its threads.
TEST(HostThreads, AYoungerThreadComesLaterWhateverItsNumber) {
  const auto order = [](HostThreads::Id thread) { return HostThreads::order_of(thread, 32'760); };
  EXPECT_LT(order(32'760), order(32'761));
  EXPECT_LT(order(32'761), order(32'767));
  EXPECT_LT(order(32'767), order(301)) << "the next number behind the last one";
  EXPECT_LT(order(301), order(302));
}

TEST(HostThreads, AThreadHasOneOrder) {
  const HostThreads::Order mine = HostThreads::order();
  HostThreads::Order other = 0;
  std::thread([&] { other = HostThreads::order(); }).join();
  EXPECT_LT(mine, other);
  EXPECT_EQ(mine, HostThreads::order());
}

}  // namespace
}  // namespace ew::runtime
