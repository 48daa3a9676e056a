// The host's side of the link without a GPU: cores, last-level cache, memory and non-volatile memory, with a pool.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>
#include <numeric>
#include <vector>

#include "host/cores.hpp"
#include "media/kinds.hpp"
#include "memory/address_space.hpp"

namespace ew::host {

class HostBench {
 public:
  static constexpr u64 pool_bytes = u64{4} << 20;
  static constexpr core::Kilohertz clock{1'000'000};  // a cycle is a nanosecond

  explicit HostBench(const HostConfig& host = {}, const media::MediaConfig& media = {})
      : config(host),
        host_cache(media.host_memory),
        space(u64{64} << 20),
        map({.slices = 1, .channels = 1, .line = 128}, space),
        pages(map) {
    const media::MediaParts parts{.wheel = wheel,
                                  .clock = clock,
                                  .host_link = &link,
                                  .host_cache = &host_cache,
                                  .payloads = &payloads,
                                  .durable = &durable};
    memory = media::make_medium("host-memory", media, parts);
    nvm = media::make_medium("host-nvm", media, parts);
    const u64 wanted = space.pool_range().first;
    EXPECT_EQ(space.reserve_pool(pool_bytes, wanted), wanted);
    void* const at = reinterpret_cast<void*>(wanted);
    EXPECT_EQ(::mmap(at, pool_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0), at);
    EXPECT_TRUE(space.adopt(memory::Region::pool, wanted, pool_bytes, "pool"));
    pool = static_cast<u8*>(at);
    file.resize(pool_bytes);
    durable.attach(wanted, pool_bytes, file.data());
    map.refresh();
    cores =
        std::make_unique<Cores>(Surroundings{wheel, clock, config, payloads, pages, memory.get(), nvm.get(), &durable},
                                [this](u64 id) { over.push_back(id); });
    source.resize(pool_bytes);
    std::iota(source.begin(), source.end(), u8{1});
  }
  ~HostBench() { durable.detach(reinterpret_cast<u64>(pool)); }

  /// Runs the work alone and answers how long it took, in nanoseconds.
  u64 run(Work work) {
    const u64 begin = wheel.now();
    cores->start(++last, std::move(work));
    go();
    EXPECT_EQ(over.back(), last);
    EXPECT_TRUE(cores->idle());
    EXPECT_EQ(payloads.in_use(), 0u);
    return wheel.now() - begin;
  }
  void go(core::Cycle until = core::never) {
    wheel.run_due();
    while (wheel.next() != core::never && wheel.next() <= until) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
  }
  static Step step(Act act, const void* to, const void* from, u64 bytes, u32 threads = 1) {
    return {.act = act,
            .threads = threads,
            .to = reinterpret_cast<u64>(to),
            .from = reinterpret_cast<u64>(from),
            .bytes = bytes};
  }
  /// Bytes of the pool that are durable as they stand.
  u64 durable_bytes(u64 bytes) const {
    u64 same = 0;
    for (u64 i = 0; i < bytes; ++i) same += file[i] == pool[i];
    return same;
  }

  const HostConfig config;
  core::TimeWheel wheel;
  memory::Payloads payloads;
  memory::DurableImage durable;
  memory::HostLink link{{}, wheel, clock};
  media::LastLevelCache host_cache;
  memory::AddressSpace space;
  memory::AddressMap map;
  memory::HostPages pages;
  std::unique_ptr<memory::Device> memory, nvm;
  std::unique_ptr<Cores> cores;
  u8* pool = nullptr;
  std::vector<u8> file, source;
  std::vector<u64> over;
  u64 last = 0;
};

}  // namespace ew::host
