#include "core/nearest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace ew::core {
namespace {

TEST(EditDistance, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("cuont", "count"), 1u) << "neighbours swapped are one edit";
}

TEST(Nearest, PrefersTheFirstOfEquals) {
  constexpr std::array<std::string_view, 3> words{"cat", "bat", "dog"};
  EXPECT_EQ(nearest("rat", words), "cat");
  EXPECT_EQ(nearest("dig", words), "dog");
  EXPECT_FALSE(nearest("x", {}).has_value());
}

TEST(DidYouMean, StaysSilentWhenNothingIsNear) {
  constexpr std::array<std::string_view, 2> words{"machine", "seed"};
  EXPECT_EQ(did_you_mean("machin", words), " (did you mean \"machine\"?)");
  EXPECT_EQ(did_you_mean("wxyzabcd", words), "");
}

TEST(DidYouMean, TheBeginningOfOneNameOnlyIsMeant) {
  constexpr std::array<std::string_view, 3> words{"titan-rtx", "h100", "h200"};
  EXPECT_EQ(did_you_mean("titan", words), " (did you mean \"titan-rtx\"?)");
  EXPECT_EQ(did_you_mean("t", words), "");
}

}  // namespace
}  // namespace ew::core
