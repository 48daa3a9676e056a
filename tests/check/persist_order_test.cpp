// The checker of what became durable against what a model promises: logs in order pass, a planted violation is found
// with both places, and what values cannot tell apart is not reported.
#include "check/persist_order.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "check/persist_builder.hpp"
#include "event_writer.hpp"
#include "persistency/models.hpp"

namespace ew::check {
namespace {

using enum EventAction;
constexpr u64 A = EventWriter::pool, B = A + 8, C = A + 128;

struct Write {
  u64 address, value;
  u32 bytes = 8;
};

/// A log with these writes, numbered from 1, ten cycles apart.
DurableLog log_of(const std::vector<Write>& writes) {
  std::vector<u8> content;
  const auto put = [&](const void* bytes, std::size_t count) {
    const u8* at = static_cast<const u8*>(bytes);
    content.insert(content.end(), at, at + count);
  };
  u32 number = 0;
  for (const Write& write : writes) {
    const struct {
      u64 cycle, address;
      u32 bytes, number;
    } record{10 * u64{++number}, write.address, write.bytes, number};
    put(&record, sizeof record);
    put(&write.value, write.bytes);
  }
  return DurableLog(std::move(content));
}

class PersistOrderCheck : public testing::Test {
 protected:
  OrderVerdict verdict(const std::vector<Write>& writes, std::string_view axioms = "sbrp") {
    const EventFile file = events.file();
    const PersistGraph graph = build_persist_graph(file, *persistency::find_axioms(axioms));
    const OrderVerdict result = check_persist_order(file, graph, log_of(writes));
    if (result.violation) said = text_of(file, graph, *result.violation);
    return result;
  }
  EventWriter events{1, 2};
  std::string said;
};

TEST_F(PersistOrderCheck, TheOrderOfAnOfence) {
  events.store({.pc = 5}, A, 1);
  events.order({}, ofence);
  events.store({.pc = 7}, B, 2);
  EXPECT_FALSE(verdict({{A, 1}, {B, 2}}).violation);
  EXPECT_EQ(verdict({{A, 1}, {B, 2}}).told, 2u);
  const OrderVerdict wrong = verdict({{B, 2}, {A, 1}});
  ASSERT_TRUE(wrong.violation);
  EXPECT_EQ(wrong.violation->first, 0u);
  EXPECT_EQ(wrong.violation->second, 1u);
  EXPECT_EQ(wrong.violation->second_cycle, 10u);
  EXPECT_NE(said.find("instruction 5"), std::string::npos) << said;
  EXPECT_NE(said.find("instruction 7"), std::string::npos) << said;
  EXPECT_FALSE(verdict({{B, 2}, {A, 1}}, "gpm-ddio").violation);
}

TEST_F(PersistOrderCheck, WhatNeverBecameDurableIsMissed) {
  events.store({}, A, 1);
  events.order({}, ofence);
  events.store({}, B, 2);
  const OrderVerdict lost = verdict({{B, 2}});
  ASSERT_TRUE(lost.violation);
  EXPECT_EQ(lost.violation->first_number, 0u);
  EXPECT_FALSE(verdict({{A, 1}}).violation);  // the later one may be lost
}

TEST_F(PersistOrderCheck, OrderThroughAReleaseAndABarrier) {
  events.store({0, 0}, A, 1);
  events.arrive({0, 0}, 0);
  events.arrive({0, 1}, 0);
  events.store({0, 1}, C, 2);
  EXPECT_FALSE(verdict({{A, 1}, {C, 2}}).violation);
  EXPECT_TRUE(verdict({{C, 2}, {A, 1}}).violation);
}

TEST_F(PersistOrderCheck, ValuesThatWereOverwrittenAreDurableWithTheirSuccessor) {
  events.store({}, A, 1);
  events.order({}, ofence);
  events.store({}, B, 2);
  events.order({}, ofence);
  events.store({}, A, 3);
  EXPECT_TRUE(verdict({{A, 3}, {B, 2}}).violation);  // 3 before 2
  EXPECT_FALSE(verdict({{A, 1}, {B, 2}, {A, 3}}).violation);
}

TEST_F(PersistOrderCheck, OneValueTwiceIsGivenTheBenefitOfTheDoubt) {
  events.store({}, A, 1);
  events.order({}, ofence);
  events.store({}, B, 2);
  events.order({}, ofence);
  events.store({}, A, 1);
  EXPECT_FALSE(verdict({{A, 1}, {B, 2}}).violation);
  EXPECT_FALSE(verdict({{A, 1}, {B, 2}, {A, 1}}).violation);
}

// More values than are looked at one by one; every third is one that the location has had before.
TEST_F(PersistOrderCheck, ALocationWithManyValues) {
  std::vector<Write> right;
  for (u64 i = 1; i <= 300; ++i) {
    const u64 value = i % 3 ? i : 7;
    events.store({}, A, value);
    events.order({}, ofence);
    events.store({}, B, 1000 + i);
    events.order({}, ofence);
    right.push_back({A, value});
    right.push_back({B, 1000 + i});
  }
  EXPECT_FALSE(verdict(right).violation);
  EXPECT_EQ(verdict(right).persists, 600u);
  std::vector<Write> wrong = right;
  std::swap(wrong[2 * 199], wrong[2 * 199 + 1]);  // store 200, and what must follow it
  ASSERT_TRUE(verdict(wrong).violation);
  EXPECT_EQ(verdict(wrong).violation->first, 2u * 199);
  EXPECT_EQ(verdict(wrong).violation->second, 2u * 199 + 1);
  std::vector<Write> flag = right;
  std::swap(flag[2 * 200], flag[2 * 200 + 1]);  // store 201 stores 7 again, but 200 has been since
  EXPECT_TRUE(verdict(flag).violation);
  right.erase(right.begin() + 2 * 200);
  EXPECT_TRUE(verdict(right).violation);
}

// A flag that goes up and down: what the log shows later says which of its values an earlier write was.
TEST_F(PersistOrderCheck, AFlagThatComesBackIsNoExcuse) {
  for (const u64 value : {1, 0, 1}) {
    events.store({}, A, value);
    events.order({}, ofence);
    events.store({}, B, 10 * value + 5);
    events.order({}, ofence);
  }
  EXPECT_FALSE(verdict({{A, 1}, {B, 15}, {A, 0}, {B, 5}, {A, 1}, {B, 15}}).violation);
  EXPECT_TRUE(verdict({{B, 15}, {A, 1}, {A, 0}, {B, 5}, {A, 1}, {B, 15}}).violation);
  EXPECT_TRUE(verdict({{A, 1}, {B, 15}, {B, 5}, {A, 0}, {A, 1}, {B, 15}}).violation);
}

TEST_F(PersistOrderCheck, HalvesOfAWordAreTwo) {
  events.access({}, simt::EventKind::store, weak, Scope::none, {A, 1}, 4);
  events.order({}, ofence);
  events.access({}, simt::EventKind::store, weak, Scope::none, {A + 4, 2}, 4);
  EXPECT_FALSE(verdict({{A, 1, 4}, {A + 4, 2, 4}}).violation);
  EXPECT_TRUE(verdict({{A + 4, 2, 4}, {A, 1, 4}}).violation);
  EXPECT_FALSE(verdict({{A, 0x200000001}}).violation);  // both at once
}

TEST_F(PersistOrderCheck, AValueThatNobodyIsKnownToHaveWrittenSaysNothing) {
  events.store({}, A, 1);
  events.order({}, ofence);
  events.store({}, B, 2);
  EXPECT_FALSE(verdict({{A, 99}, {B, 2}, {A, 1}}).violation);
}

TEST_F(PersistOrderCheck, WhatTheHostHandsOverStandsBeforeALaterLaunchAndBehindAWait) {
  events.store({.pc = 5}, A, 1);
  events.end_launch();
  events.host(simt::EventKind::waited, {1});
  events.host(simt::EventKind::host_store, {B, 8, 2});
  events.host(simt::EventKind::host_persist, {B, 8});
  events.submit(2, {});
  events.begin_launch(2, 1, 1);
  events.store({.pc = 7}, C, 3);
  EXPECT_FALSE(verdict({{A, 1}, {B, 2}, {C, 3}}).violation);
  EXPECT_TRUE(verdict({{B, 2}, {A, 1}, {C, 3}}).violation);  // behind what the host has waited for
  EXPECT_NE(said.find("by the host"), std::string::npos) << said;
  EXPECT_NE(said.find("instruction 5"), std::string::npos) << said;
  EXPECT_TRUE(verdict({{A, 1}, {C, 3}, {B, 2}}).violation);  // in front of what it launches
  EXPECT_TRUE(verdict({{A, 1}, {C, 3}, {B, 2}}, "gpm").violation);
  EXPECT_TRUE(verdict({{B, 2}, {A, 1}, {C, 3}}, "gpm").violation);
  EXPECT_FALSE(verdict({{B, 2}, {A, 1}, {C, 3}}, "gpm-ddio").violation);  // no fence waits for A
}

TEST_F(PersistOrderCheck, AHostThatHasNotWaitedOrdersNothing) {
  events.store({}, A, 1);
  events.host(simt::EventKind::host_store, {B, 8, 2});
  events.host(simt::EventKind::host_persist, {B, 8});
  EXPECT_FALSE(verdict({{B, 2}, {A, 1}}).violation);
  EXPECT_FALSE(verdict({{A, 1}, {B, 2}}).violation);
}

// What is durable as it stands is not written again, and had counted as never durable.
TEST_F(PersistOrderCheck, WhatTheHostHandsOverMayBeDurableAlready) {
  events.store({}, A, 1);
  events.end_launch();
  events.host(simt::EventKind::waited, {1});
  events.host(simt::EventKind::host_store, {A, 1, 0, A + 4, 4, 9});
  events.host(simt::EventKind::host_persist, {A, 8});
  events.submit(2, {});
  events.begin_launch(2, 1, 1);
  events.store({}, B, 2);
  EXPECT_FALSE(verdict({{A + 4, 9, 4}, {B, 2}}, "gpm-ddio").violation);
  EXPECT_TRUE(verdict({{B, 2}, {A + 4, 9, 4}}, "gpm-ddio").violation);
}

// Behind bytes that somebody has written, those that nobody has were taken for a persist.
TEST_F(PersistOrderCheck, AHandedOverWordMayHaveBeenWrittenInPart) {
  events.access({}, simt::EventKind::store, weak, Scope::none, {A, 1}, 4);
  events.end_launch();
  events.host(simt::EventKind::waited, {1});
  events.host(simt::EventKind::host_store, {A, 8, u64{2} << 32 | 1});
  events.host(simt::EventKind::host_persist, {A, 8});
  EXPECT_FALSE(verdict({{A, 1, 4}, {A + 4, 2, 4}}).violation);
  EXPECT_EQ(verdict({{A, 1, 4}, {A + 4, 2, 4}}).persists, 2u);
}

}  // namespace
}  // namespace ew::check
