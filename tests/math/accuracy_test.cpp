// The device math functions as host code, the same source that kernels run: none exceeds CUDA's documented error.
#include <gtest/gtest.h>

#include "rows.hpp"

namespace {

struct OnHost {
  template <class Call, class T>
  void operator()(Call call, const std::vector<T> (&a)[4], std::vector<T>& results) const {
    for (std::size_t i = 0; i < results.size(); ++i) results[i] = call(a[0][i], a[1][i], a[2][i], a[3][i]);
  }
};

TEST(MathAccuracy, EveryFunctionStaysWithinItsBound) {
  OnHost evaluate;
  int rows = 0;
  accuracy::measure_all(3000, "", evaluate, [&](const accuracy::Row& row) {
    ++rows;
    EXPECT_TRUE(row.passes()) << row.name << ": difference " << row.result.difference << " ulp, absolute "
                              << row.result.absolute << ", bound " << row.bound << ", at " << row.result.at[0] << ", "
                              << row.result.at[1] << ": got " << row.result.got << ", wanted " << row.result.wanted;
  });
  EXPECT_GT(rows, 100);
}

TEST(MathAccuracy, AWrongResultIsFound) {
  EXPECT_EQ(accuracy::difference(1.0f, std::nextafter(1.0f, 2.0f)), 1);
  EXPECT_EQ(accuracy::difference(-0.0, 0.0), 0);
  EXPECT_EQ(accuracy::difference(std::numeric_limits<double>::denorm_min(), -std::numeric_limits<double>::denorm_min()),
            2);
  EXPECT_TRUE(std::isinf(accuracy::difference(1.0f, NAN)));
  EXPECT_NEAR(accuracy::error_in_ulp(1.0f, Quad(1) + ldexpq(1, -25)), 0.25, 1e-6);
}

}  // namespace
