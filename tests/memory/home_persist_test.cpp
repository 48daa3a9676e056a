// What a home does with lines of pools: requests that persist go on to non-volatile memory at once and are acknowledged
// when it says so; other dirty bytes leave with their line.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <deque>

#include "memory/home/home.hpp"
#include "memory/masks.hpp"

namespace ew::memory {
namespace {

/// What the home sends.
class Outbox final : public Network {
 public:
  void attach(Node, Receiver&, core::Inbox*) override {}
  core::Cycle lookahead() const override { return 1; }
  u32 keep(Node, Node, const Request& request) override {
    sent.push_back(request);
    return 0;
  }
  void go(u32, u32, Traffic) override {}
  u64 in_flight() const override { return 0; }
  const NetworkStatistics& statistics() const override { return statistics_; }
  u64 idle_latency(Node, Node, u32) const override { return 0; }
  std::vector<Request> sent;

 private:
  NetworkStatistics statistics_;
};

/// Serves when the test says so.
class HeldDevice final : public Device {
 public:
  bool serve(const DeviceRequest& request) override {
    asked.push_back(request);
    return true;
  }
  void notify_when_free(bool, core::TimeWheel::Handler, void*, u64) override {}
  u64 in_flight() const override { return asked.size(); }
  const DeviceStatistics& statistics() const override { return statistics_; }
  void serve_first() {
    const DeviceRequest first = asked.front();
    asked.pop_front();
    if (first.client) first.client->served(first.token);
  }
  std::deque<DeviceRequest> asked;

 private:
  DeviceStatistics statistics_;
};

/// Writes through and tracks nobody.
class Through final : public HomePolicy {
 public:
  Through() : HomePolicy(HomeKind::none) {}
  void at_home(const Request& request, LineRecord&, Decision& decision) const override {
    decision.granted = request.words;
  }
};

class HomePersist : public testing::Test {
 protected:
  HomePersist() {
    pool = space.reserve_pool(bytes);
    void* const got = mmap(reinterpret_cast<void*>(pool), bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    EXPECT_NE(got, MAP_FAILED);
    space.adopt(Region::pool, pool, bytes, "pool");
    map = std::make_unique<AddressMap>(AddressMapConfig{.slices = 1, .channels = 1}, space);
    home = std::make_unique<Home>(HomeConfig{.bytes = 512, .ways = 4, .latency = 5, .mshrs = 8},
                                  HomeSurroundings{.wheel = wheel,
                                                   .payloads = payloads,
                                                   .network = network,
                                                   .policy = policy,
                                                   .map = *map,
                                                   .agents = 1,
                                                   .devices = devices,
                                                   .slice = 0});
  }
  ~HomePersist() override { munmap(reinterpret_cast<void*>(pool), bytes); }

  Request request(RequestKind kind, u64 line, u32 ticket, bool persist) {
    Request made{.line = pool + line * 128, .words = 1, .ticket = ticket, .origin = 0, .kind = kind};
    made.place = map->place(made.line);
    made.persist = persist;
    if (kind == RequestKind::atomic ||
        kind == RequestKind::reduction) {  // of one lane: the line's first word, plus one
      made.payload = payloads.atomics.take();
      LineAtomic& adds = payloads.atomics[made.payload];
      adds.form = {.op = AtomicOp::add, .type = CellType::u32};
      adds.lanes = 1;
      adds.offset[0] = 0;
      adds.b[0] = 1;
    }
    return made;
  }
  void write(u64 line, ByteMask mask, u8 value, u32 ticket, bool persist = true) {
    Request made = request(RequestKind::write, line, ticket, persist);
    made.words = touched_words(mask);
    made.payload = payloads.take();
    payloads[made.payload].bytes.fill(value);
    payloads[made.payload].valid = mask;
    home->receive(made);
  }
  void run() {
    wheel.run_due();
    while (wheel.next() != core::never) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
  }
  std::vector<RequestKind> kinds() const {
    std::vector<RequestKind> all;
    for (const Request& one : network.sent) all.push_back(one.kind);
    return all;
  }
  Payload& payload_of(const DeviceRequest& asked) { return payloads[asked.payload]; }

  static constexpr u64 bytes = 4096;
  u64 pool = 0;
  core::TimeWheel wheel;
  Payloads payloads;
  Outbox network;
  HeldDevice memory, host, nvm;
  Through policy;
  std::vector<Device*> devices{&memory, &host, &nvm};
  AddressSpace space{u64{1} << 28};
  std::unique_ptr<AddressMap> map;
  std::unique_ptr<Home> home;
};

TEST_F(HomePersist, IsVisibleAtOnceAndDurableWhenTheDeviceSaysSo) {
  write(0, {{0xff, 0}}, 7, 42);
  run();
  EXPECT_EQ(*reinterpret_cast<u32*>(pool), 0x07070707u);
  EXPECT_EQ(kinds(), std::vector{RequestKind::written});
  ASSERT_EQ(nvm.asked.size(), 1u);
  EXPECT_EQ(payload_of(nvm.asked[0]).valid, (ByteMask{{0xff, 0}}));
  EXPECT_EQ(nvm.asked[0].line, pool);
  EXPECT_FALSE(home->quiescent());
  payloads.give_back(nvm.asked[0].payload);
  nvm.serve_first();
  run();
  EXPECT_EQ(kinds(), (std::vector{RequestKind::written, RequestKind::durable}));
  EXPECT_EQ(network.sent[1].ticket, 42u);
  EXPECT_EQ(network.sent[1].payload, no_payload);
  EXPECT_TRUE(home->quiescent());
  EXPECT_EQ(payloads.in_use(), 0u);
  EXPECT_EQ(home->statistics().persisted_bytes, 8u);
}

TEST_F(HomePersist, PersistsThatTogetherWriteAWholeSectorMakeItValid) {
  write(0, {{0xffff, 0}}, 7, 1);
  write(0, {{0xffff0000, 0}}, 8, 2);
  write(0, {{u64{0xffff} << 32, 0}}, 9, 3);
  run();
  for (HeldDevice* device = &nvm; !device->asked.empty();) {
    payloads.give_back(device->asked[0].payload);
    device->serve_first();
  }
  run();
  for (const u32 words : {0xffu, 0xff00u}) {
    Request read = request(RequestKind::read, 0, words, false);
    read.words = read.content = words;
    home->receive(read);
  }
  run();
  EXPECT_EQ(network.sent.back().kind, RequestKind::data);
  EXPECT_EQ(network.sent.back().words, 0xffu) << "the other sector has bytes that were never written";
  payloads.give_back(network.sent.back().payload);
  ASSERT_EQ(nvm.asked.size(), 1u);
  EXPECT_FALSE(nvm.asked[0].write);
}

TEST_F(HomePersist, SectorsThatDoNotFollowEachOtherAreRequestsOfTheirOwnAndOneAcknowledgement) {
  write(1, {{0xff, 0xff}}, 9, 1);  // the first and the third sector
  run();
  ASSERT_EQ(nvm.asked.size(), 2u);
  EXPECT_EQ(nvm.asked[0].address + 64, nvm.asked[1].address);
  EXPECT_EQ(payload_of(nvm.asked[0]).valid, (ByteMask{{0xff, 0}}));
  EXPECT_EQ(payload_of(nvm.asked[1]).valid, (ByteMask{{0, 0xff}}));
  nvm.serve_first();
  run();
  EXPECT_EQ(kinds(), std::vector{RequestKind::written}) << "half of it is durable";
  nvm.serve_first();
  run();
  EXPECT_EQ(kinds().back(), RequestKind::durable);
}

TEST_F(HomePersist, OfOneLineGoInTheOrderInWhichTheyWerePerformedWithTheBytesOfThatMoment) {
  for (u8 i = 1; i <= 5; ++i) write(0, {{0xf, 0}}, i, i);
  run();
  ASSERT_EQ(nvm.asked.size(), 5u);
  for (u8 i = 1; i <= 5; ++i) EXPECT_EQ(payload_of(nvm.asked[i - 1u]).bytes[0], i);
}

TEST_F(HomePersist, OfAnAtomicCarriesWhatItLeft) {
  *reinterpret_cast<u32*>(pool) = 4;
  home->receive(request(RequestKind::atomic, 0, 3, true));
  ASSERT_EQ(nvm.asked.size(), 1u);  // its sector comes first
  EXPECT_FALSE(nvm.asked[0].write);
  nvm.serve_first();
  run();
  ASSERT_EQ(nvm.asked.size(), 1u);
  EXPECT_TRUE(nvm.asked[0].write);
  EXPECT_EQ(payload_of(nvm.asked[0]).bytes[0], 5);
  EXPECT_EQ(payload_of(nvm.asked[0]).valid.count(), 4u);
  nvm.serve_first();
  run();
  EXPECT_EQ(kinds(), (std::vector{RequestKind::data, RequestKind::durable}));
}

TEST_F(HomePersist, AWriteReadsNothingFromTheMedium) {
  write(0,
        {
            {~u64{0}, ~u64{0}},
        },
        1, 1);
  run();
  ASSERT_EQ(nvm.asked.size(), 1u);
  EXPECT_TRUE(nvm.asked[0].write);
  EXPECT_EQ(nvm.asked[0].bytes, 128u);
  home->receive(request(RequestKind::read, 0, 2, false));
  run();
  EXPECT_EQ(kinds().back(), RequestKind::data) << "the L2 has the whole sector now";
}

TEST_F(HomePersist, WithoutItDirtyBytesLeaveWithTheirLine) {
  write(0, {{0xf0, 0}}, 3, 1, false);
  run();
  EXPECT_TRUE(nvm.asked.empty());
  *reinterpret_cast<u8*>(pool + 5) = 8;  // the host: the image is what leaves
  for (u64 line = 1; line <= 4; ++line) write(line, {{~u64{0}, ~u64{0}}}, 1, 2, false);
  run();
  ASSERT_EQ(nvm.asked.size(), 1u);
  EXPECT_EQ(nvm.asked[0].client, nullptr);
  EXPECT_EQ(payload_of(nvm.asked[0]).valid, (ByteMask{{0xf0, 0}}));
  EXPECT_EQ(payload_of(nvm.asked[0]).bytes[5], 8);
  EXPECT_EQ(home->statistics().evicted_persistent_bytes, 4u);
  EXPECT_EQ(home->statistics().persists, 0u);
}

TEST_F(HomePersist, ClearsOnlyWhatItWritesThrough) {
  write(0, {{0xff, 0}}, 3, 1, false);
  write(0, {{0x0f, 0}}, 4, 2, true);
  nvm.serve_first();
  run();
  home->write_back_all();
  ASSERT_EQ(nvm.asked.size(), 1u);
  EXPECT_EQ(payload_of(nvm.asked[0]).valid, (ByteMask{{0xf0, 0}})) << "the rest of what is dirty";
}

TEST_F(HomePersist, WhatIsDroppedIsNotDirty) {
  write(0, {{~u64{0}, 0}}, 3, 1, false);
  write(1, {{0xff, 0}}, 3, 2, false);
  run();
  home->drop(pool + 8, pool + 128, false);
  home->write_back_all();
  ASSERT_EQ(nvm.asked.size(), 2u);
  EXPECT_EQ(payload_of(nvm.asked[0]).valid, (ByteMask{{0xff, 0}}));
  write(2, {{0xff, 0}}, 3, 2, false);
  home->drop(pool, pool + bytes, true);
  home->write_back_all();
  EXPECT_EQ(nvm.asked.size(), 2u) << "the pool is unmapped";
}

}  // namespace
}  // namespace ew::memory
