#include "memory/dma_engine.hpp"

#include <algorithm>
#include <cstring>

namespace ew::memory {

namespace {

constexpr u64 host_stretch = u64{1} << 28;  // anonymous host pages repeat after so many bytes

}  // namespace

/// One port: the agent that a private cache sees. Accesses are numbered by slot.
class DmaEngine::Port final : public Agent {
 public:
  explicit Port(DmaEngine& engine) : engine_(engine) {}
  void attach(PrivateCache& cache) { cache_ = &cache; }

  void submit(u32 slot) {
    waiting_.push_back(slot);
    go_on_soon();
  }

  ByteMask perform(u32 access, u32, u8* bytes) override {
    Slot& slot = engine_.slots_[access];
    const u64 address = slot.writing ? slot.to : slot.from;
    const u32 offset = static_cast<u32>(address % engine_.parts_.line);
    ByteMask mask;
    if (slot.writing) {
      std::memcpy(bytes + offset, slot.content.data(), slot.bytes);
      for (u32 i = offset; i < offset + slot.bytes; ++i) mask.bits[i / 64] |= u64{1} << (i % 64);
    } else {
      std::memcpy(slot.content.data(), bytes + offset, slot.bytes);
    }
    return mask;
  }
  void complete(u32 access, u32, ServedBy) override { engine_.soon(access); }
  void wake() override { go_on_soon(); }
  void released(u32) override {}

 private:
  LineAccess access_of(u32 number) const {
    const Slot& slot = engine_.slots_[number];
    const u64 address = slot.writing ? slot.to : slot.from, line = engine_.parts_.line;
    const u32 first = static_cast<u32>(address % line) / word_bytes;
    const u32 last = static_cast<u32>(address % line + slot.bytes - 1) / word_bytes;
    LineAccess access;
    access.line = address - address % line;
    access.words = static_cast<WordMask>(((u64{2} << last) - 1) & ~((u64{1} << first) - 1));
    access.access = number;
    access.kind = slot.writing ? AccessKind::store : AccessKind::load;
    access.strong = access.at_home = access.streaming = true;
    access.persistent = engine_.parts_.map.persistent(access.line);
    access.scope = Scope::sys;
    access.account = core::copies;
    return access;
  }

  void go_on(u64, u64) {
    asked_ = false;
    while (!waiting_.empty()) {
      const u32 slot = waiting_.front();
      Stall why = Stall::none;
      const Accepted accepted = cache_->access(access_of(slot), why);
      if (accepted == Accepted::stalled) {
        if (why == Stall::bank) go_on_at(engine_.parts_.wheel.now() + 1);  // nobody wakes for a bank
        return;
      }
      waiting_.pop_front();
      if (accepted == Accepted::performed) engine_.soon(slot);
    }
  }
  // The cache may be the caller: it must not be called back before it is done.
  void go_on_soon() { go_on_at(engine_.parts_.wheel.now()); }
  void go_on_at(core::Cycle when) {
    if (asked_) return;
    asked_ = true;
    engine_.parts_.wheel.at<&Port::go_on>(when, *this);
  }

  DmaEngine& engine_;
  PrivateCache* cache_ = nullptr;
  std::deque<u32> waiting_;
  bool asked_ = false;
};

DmaEngine::DmaEngine(const DmaConfig& config, const Parts& parts, Tell begins, Tell done)
    : config_(config), parts_(parts), begins_(std::move(begins)), done_(std::move(done)), slots_(config.outstanding) {
  for (u32 i = 0; i < config.ports; ++i) {
    ports_.push_back(std::make_unique<Port>(*this));
    agents_.push_back(ports_.back().get());
  }
  for (u32 i = config.outstanding; i-- > 0;) free_.push_back(i);
}

DmaEngine::~DmaEngine() = default;

std::span<Agent* const> DmaEngine::agents() const {
  return agents_;
}

void DmaEngine::attach(std::span<PrivateCache* const> caches) {
  for (std::size_t i = 0; i < ports_.size(); ++i) ports_[i]->attach(*caches[i]);
}

void DmaEngine::start(u64 id, DmaTransfer transfer) {
  queue_.push_back({id, std::move(transfer)});
  if (!running_) begin_next();
}

bool DmaEngine::idle() const {
  return queue_.empty();
}

void DmaEngine::begin_next() {
  running_ = true;
  x_ = y_ = z_ = 0;
  all_begun_ = queue_.front().transfer.bytes() == 0;
  begun_ = parts_.wheel.now();
  ++statistics_.transfers;
  begins_(queue_.front().id);
  parts_.wheel.at<&DmaEngine::pump>(begun_ + config_.start_cycles, *this);
}

/// The next stretch that lies inside one line on both sides; false when there is none left.
bool DmaEngine::next_piece(Slot& slot) {
  if (all_begun_) return false;
  const DmaTransfer& transfer = queue_.front().transfer;
  const bool has_source_lines = transfer.staged.empty() && transfer.pattern.empty();
  slot.to = transfer.to.at(x_, y_, z_);
  slot.from = has_source_lines ? transfer.from.at(x_, y_, z_) : 0;
  u64 bytes = std::min(transfer.width - x_, parts_.line - (transfer.to.host ? 0 : slot.to % parts_.line));
  if (has_source_lines && !transfer.from.host) bytes = std::min(bytes, parts_.line - slot.from % parts_.line);
  slot.bytes = static_cast<u32>(bytes);
  slot.writing = false;
  if (!transfer.pattern.empty()) transfer.fill(x_, slot.content.data(), bytes);
  if (!transfer.staged.empty())
    std::memcpy(slot.content.data(), transfer.staged.data() + (z_ * transfer.height + y_) * transfer.width + x_, bytes);
  x_ += bytes;
  if (x_ == transfer.width) x_ = 0, ++y_;
  if (y_ == transfer.height) y_ = 0, ++z_;
  all_begun_ = z_ == transfer.depth;
  return true;
}

void DmaEngine::pump(u64, u64) {
  if (pumping_) return;  // a piece that was done at once: the loop below goes on with its slot
  pumping_ = true;
  while (!free_.empty()) {
    const u32 slot = free_.back();
    if (!next_piece(slots_[slot])) break;
    free_.pop_back();
    read(slot);
  }
  pumping_ = false;
  if (all_begun_ && free_.size() == slots_.size()) {
    statistics_.busy_cycles += parts_.wheel.now() - begun_;
    const u64 id = queue_.front().id;
    queue_.pop_front();
    running_ = false;
    if (!queue_.empty()) begin_next();
    done_(id);
  }
}

void DmaEngine::read(u32 slot) {
  const DmaTransfer& transfer = queue_.front().transfer;
  if (!transfer.pattern.empty()) return write(slot);
  statistics_.bytes_read += slots_[slot].bytes;
  if (transfer.from.host || !transfer.staged.empty()) return ask_host(slot);
  to_port(slot);
}

void DmaEngine::write(u32 slot) {
  slots_[slot].writing = true;
  statistics_.bytes_written += slots_[slot].bytes;
  if (queue_.front().transfer.to.host) return ask_host(slot);
  to_port(slot);
}

void DmaEngine::to_port(u32 slot) {
  if (slots_[slot].writing) statistics_.bytes_to_homes += slots_[slot].bytes;
  ports_[next_port_]->submit(slot);
  next_port_ = (next_port_ + 1) % config_.ports;
}

void DmaEngine::ask_host(u32 slot) {
  const bool write = slots_[slot].writing;
  waiting_for_host_[write].push_back(slot);
  if (!asked_host_[write]) serve_host(write);
}

void DmaEngine::serve_host(bool write) {
  asked_host_[write] = false;
  auto& waiting = waiting_for_host_[write];
  while (!waiting.empty()) {
    const u32 slot = waiting.front();
    // Host pages of the program have no simulated address of their own: they follow each other as they are copied.
    const u64 address = parts_.host_begin + host_next_ % host_stretch;
    if (!parts_.host.serve({.address = address,
                            .bytes = slots_[slot].bytes,
                            .write = write,
                            .token = slot,
                            .client = this,
                            .account = core::copies})) {
      asked_host_[write] = true;
      const auto again = [](void* target, u64 a, u64) { static_cast<DmaEngine*>(target)->serve_host(a != 0); };
      parts_.host.notify_when_free(write, again, this, write);
      return;
    }
    host_next_ += parts_.line;
    (write ? statistics_.host_bytes_written : statistics_.host_bytes_read) += slots_[slot].bytes;
    waiting.pop_front();
  }
}

void DmaEngine::served(u64 token) {
  const u32 number = static_cast<u32>(token);
  Slot& slot = slots_[number];
  if (slot.writing) {
    std::memcpy(reinterpret_cast<u8*>(slot.to), slot.content.data(), slot.bytes);
    return written(number);
  }
  if (queue_.front().transfer.staged.empty())
    std::memcpy(slot.content.data(), reinterpret_cast<const u8*>(slot.from), slot.bytes);
  write(number);
}

void DmaEngine::soon(u32 slot) {
  parts_.wheel.at<&DmaEngine::done_at_port>(parts_.wheel.now(), *this, slot);
}

void DmaEngine::done_at_port(u64 slot, u64) {
  if (slots_[slot].writing)
    written(static_cast<u32>(slot));
  else
    write(static_cast<u32>(slot));
}

void DmaEngine::written(u32 slot) {
  free_.push_back(slot);
  pump();
}

std::string DmaEngine::what_is_under_way() const {
  std::string text;
  if (queue_.empty()) return text;
  const DmaTransfer& transfer = queue_.front().transfer;
  text = "copy engine: " + std::to_string(slots_.size() - free_.size()) + " lines under way of a copy of " +
         std::to_string(transfer.bytes()) + " bytes, " +
         std::to_string(waiting_for_host_[0].size() + waiting_for_host_[1].size()) +
         " of them wait for the host link; " + std::to_string(queue_.size() - 1) + " copies wait\n";
  return text;
}

}  // namespace ew::memory
