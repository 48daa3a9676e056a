// A private cache without bytes: lines that a test names, acknowledged when the test says so. Flushes and
// acknowledgements are written to a diary that tests compare.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "persistency/models.hpp"
#include "persistency/sbrp_config.hpp"

namespace ew::persistency {

class MockMachinery final : public PersistMachinery {
 public:
  void flush(u32 way) override {
    dirty_.erase(std::find(dirty_.begin(), dirty_.end(), way));
    left.push_back(way);
    sent_.push_back(way);
  }
  void flush_persistent() override {
    while (!dirty_.empty()) flush(dirty_.front());
  }
  void flush_volatile() override { ++volatile_flushes; }
  void invalidate(bool all) override { ++(all ? full_invalidations : invalidations); }
  u32 in_flight() const override { return static_cast<u32>(sent_.size()); }
  bool when_durable(u64 warps) override {
    if (sent_.empty()) return true;
    marks_.push_back({static_cast<u32>(sent_.size()), warps});
    return false;
  }
  bool take_accessed(u64 warps) override {
    const bool some = accessed & warps;
    accessed &= ~warps;
    return some;
  }
  void resume(u64 warps) override { resumed |= warps; }
  void drained() override { ++drains; }
  void entered(memory::PersistOrder, memory::PersistEntry entry) override { ++entries[static_cast<u32>(entry)]; }
  void window_full(bool full) override { window_is_full = full; }

  /// The oldest persist in flight has become durable.
  void acknowledge(Persistency& model) {
    sent_.pop_front();
    std::vector<u64> over;
    for (Mark& mark : marks_) --mark.before;
    while (!marks_.empty() && marks_.front().before == 0) {
      over.push_back(marks_.front().warps);
      marks_.pop_front();
    }
    for (const u64 warps : over) model.durable_so_far(warps);
    model.on_durable();
  }
  void acknowledge_all(Persistency& model) {
    while (in_flight()) acknowledge(model);
  }
  /// A persist that went past the lines.
  void send_through() { sent_.push_back(~u32{0}); }
  void dirty(u32 way) {
    if (std::find(dirty_.begin(), dirty_.end(), way) == dirty_.end()) dirty_.push_back(way);
  }
  bool is_dirty(u32 way) const { return std::find(dirty_.begin(), dirty_.end(), way) != dirty_.end(); }
  void evict(u32 way) { flush(way); }

  std::vector<u32> left;  // ways, in the order in which they were flushed
  u64 resumed = 0, accessed = 0;
  u32 volatile_flushes = 0, invalidations = 0, full_invalidations = 0, drains = 0;
  bool window_is_full = false;
  std::array<u32, 3> entries{};

 private:
  struct Mark {
    u32 before = 0;
    u64 warps = 0;
  };
  std::vector<u32> dirty_;
  std::deque<u32> sent_;
  std::deque<Mark> marks_;
};

inline PersistencyConfig with(const SbrpConfig& section) {
  PersistencyConfig config;
  config.sections.of<SbrpConfig>() = section;
  return config;
}

/// A model on the mock, in words of a test: a warp stores to lines, orders, and is told to go on.
class Scene {
 public:
  explicit Scene(std::string_view model, const SbrpConfig& config = {}, u32 lines = 16)
      : model(find_model(model)->make(with(config), lines, cache)) {}

  /// Answers why the warp is held; none: the bytes are in the line.
  memory::PersistHold store(u32 warp, u32 way) {
    cache.accessed |= u64{1} << warp;
    const memory::PersistHold hold = model->on_store(way, warp);
    if (hold != memory::PersistHold::none) return hold;
    cache.dirty(way);
    joined = model->stored(way, warp);
    return hold;
  }
  memory::PersistHold through(u32 warp, u32 way) {
    cache.accessed |= u64{1} << warp;
    const memory::PersistHold hold = model->on_through(cache.is_dirty(way) ? way : ~u32{0}, warp);
    if (hold != memory::PersistHold::none) return hold;
    if (cache.is_dirty(way)) cache.evict(way);
    cache.send_through();
    held = model->went_through(warp);
    return hold;
  }
  memory::PersistHold evict(u32 warp, u32 way) {
    const memory::PersistHold hold = model->on_evict(way, warp);
    if (hold == memory::PersistHold::none) cache.evict(way);
    return hold;
  }
  bool order(u32 warp, memory::PersistOrder order, Scope scope = Scope::cta) {
    return model->on_order(order, scope, u64{1} << warp);
  }
  /// A pRel of this flag and what it stores; a pAcq that has read it.
  void release(u32 warp, u64 flag) {
    order(warp, memory::PersistOrder::p_release);
    model->on_flag(memory::PersistOrder::p_release, flag, warp);
  }
  bool acquire(u32 warp, u64 flag, Scope scope = Scope::cta) {
    model->on_flag(memory::PersistOrder::p_acquire, flag, warp);
    return order(warp, memory::PersistOrder::p_acquire, scope);
  }
  void acknowledge() { cache.acknowledge(*model); }
  bool resumed(u32 warp) {
    const bool was = cache.resumed >> warp & 1;
    cache.resumed &= ~(u64{1} << warp);
    return was;
  }

  MockMachinery cache;
  std::unique_ptr<Persistency> model;
  bool joined = false, held = false;
};

}  // namespace ew::persistency
