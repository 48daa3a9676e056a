#include "simt/event_recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/diagnostics.hpp"

namespace ew::simt {
namespace {

using memory::local_window;
using memory::local_window_bytes;
using memory::parameter_window;
using memory::parameter_window_bytes;
using memory::shared_window;
using memory::shared_window_bytes;
using ptx::MemoryKind;
using ptx::Order;
using ptx::Window;

constexpr std::size_t most_buffered = 1 << 17;  // words

/// Bytes as words, with their number in front.
void pack(std::vector<u64>& to, const void* bytes, std::size_t count) {
  to.push_back(count);
  const std::size_t at = to.size();
  to.resize(at + (count + 7) / 8);
  if (count) std::memcpy(to.data() + at, bytes, count);
}

void pack(std::vector<u64>& to, std::string_view text) {
  pack(to, text.data(), text.size());
}

EventAction action_of(Order order) {
  switch (order) {
    case Order::weak:
      return EventAction::weak;
    case Order::acquire:
      return EventAction::acquire;
    case Order::release:
      return EventAction::release;
    case Order::acq_rel:
      return EventAction::acq_rel;
    case Order::relaxed:
    case Order::is_volatile:
    case Order::mmio:
      return EventAction::relaxed;
  }
  return EventAction::weak;
}

/// Does it show, or may it be part of synchronisation?
bool is_strong(const ptx::MemoryForm& form) {
  return form.order != Order::weak || form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction ||
         form.kind == MemoryKind::update;
}

Scope scope_of(const ptx::MemoryForm& form) {
  if (form.order == Order::is_volatile || form.order == Order::mmio) return Scope::sys;
  // PTX ISA, "atom": without a scope it is .gpu.
  return form.scope == Scope::none ? Scope::gpu : form.scope;
}

u64 bytes_at(u64 address, u32 bytes) {
  u64 value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), std::min(bytes, 8u));
  return value;
}

/// What a lane's store writes, from its registers: another lane may have written the same bytes since.
void stored_bytes(const MemoryOp& op, u32 lane, u8* to) {
  const ptx::MemoryForm& form = *op.form;
  const AccessPlan& plan = *op.plan;
  for (u32 e = 0; e < form.count; ++e) {
    const ptx::Row r = form.data[e];
    const u32* row = r & ptx::constant_row ? op.constants + (r & 0x7fff) * warp_lanes : op.rows() + r * warp_lanes;
    for (u32 part = 0; part < plan.element; part += plan.piece) {
      const u32* cells = row + part / 4 * warp_lanes;
      const u64 value =
          form.register_bytes >= 8 || plan.piece == 8 ? reinterpret_cast<const u64*>(cells)[lane] : u64{cells[lane]};
      std::memcpy(to + e * plan.element + part, &value, plan.piece);
    }
  }
}

/// Where the lane points: an address, an offset in shared memory with shared_address set, or 0 for what is its own.
u64 location_of(const MemoryOp& op, u32 lane) {
  const u64 address = op.address[lane];
  switch (op.form->window) {
    case Window::global:
      return address;
    case Window::shared:
      return address | shared_address;
    case Window::generic:
      if (address - shared_window < shared_window_bytes) return (address - shared_window) | shared_address;
      if (address - local_window < local_window_bytes || address - parameter_window < parameter_window_bytes) return 0;
      return address;
    default:
      return 0;
  }
}

}  // namespace

EventRecorder::EventRecorder(const std::string& file, bool timing)
    : file_(std::fopen(file.c_str(), "wbe")), timing_(timing) {
  if (!file_) throw core::UserError(fmt::format("events: {} cannot be written: {}", file, std::strerror(errno)));
  put(event_magic);
}

EventRecorder::~EventRecorder() {
  try {
    close();
  } catch (const core::UserError& mistake) {
    std::fprintf(stderr, "everwarp: %s\n", mistake.what());
  }
}

void EventRecorder::close() {
  const auto guard = lock();
  if (!file_) return;
  put(EventRecord{.block = changes_});
  write_out();
  const bool lost = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || lost)
    throw core::UserError(fmt::format("events cannot be written: {}", std::strerror(errno)));
}

void EventRecorder::write_out() {
  if (file_) std::fwrite(buffer_.data(), sizeof(u64), buffer_.size(), file_.get());
  buffer_.clear();
}

void EventRecorder::put(const EventRecord& record) {
  const auto words = std::bit_cast<std::array<u64, sizeof record / sizeof(u64)>>(record);
  buffer_.insert(buffer_.end(), words.begin(), words.end());
}

void EventRecorder::begin(EventRecord record) {
  record_begin_ = buffer_.size();
  put(record);
}

void EventRecorder::finish() {
  const std::size_t words = buffer_.size() - record_begin_ - sizeof(EventRecord) / sizeof(u64);
  const u32 count = static_cast<u32>(words);
  std::memcpy(reinterpret_cast<u8*>(buffer_.data() + record_begin_) + offsetof(EventRecord, words), &count,
              sizeof count);
  if (buffer_.size() > most_buffered) write_out();
}

/// The record has changed a pool.
void EventRecorder::finish_change() {
  finish();
  if (++changes_ != crash_at_) return;
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();  // nothing more is written until the signal arrives
}

// --- Kernels and launches

/// A kernel's record: its name, its source files, and for each pc the file's number and the line.
const EventRecorder::KnownKernel& EventRecorder::describe(const ptx::Kernel& kernel) {
  KnownKernel& known = kernels_[&kernel];
  if (known.number && known.name == kernel.name && known.regions.size() == kernel.code.size()) return known;
  known = {++kernel_count_, kernel.name, std::vector<Region>(kernel.code.size())};
  for (ptx::Pc pc = 0; pc < kernel.code.size(); ++pc) {
    if (kernel.code[pc].op != ptx::Op::region) continue;
    const ptx::RegionForm& form = kernel.regions[kernel.code[pc].imm];
    const std::string_view name = form.name;
    Region region;
    if (name == "ofence") region.kind = RegionKind::ofence;
    if (name == "dfence") region.kind = RegionKind::dfence;
    if (name.starts_with("prel_")) region.kind = RegionKind::prel;
    if (name.starts_with("pacq_")) region.kind = RegionKind::pacq;
    region.scope = name.ends_with("_block") ? Scope::cta : name.ends_with("_dev") ? Scope::gpu : Scope::sys;
    for (ptx::Pc inside = pc; inside < form.end; ++inside) known.regions[inside] = region;
  }
  begin({.kind = EventKind::kernel, .launch = known.number});
  pack(buffer_, kernel.name);
  put(kernel.files.size());
  for (const std::string& file : kernel.files) pack(buffer_, file);
  put(kernel.lines.size());
  for (const ptx::SourceLine& line : kernel.lines) put(u64{line.file} << 32 | line.line);
  finish();
  return known;
}

void EventRecorder::began(u64 ticket, LaunchId id, const Launch& launch) {
  const auto guard = lock();
  if (!file_) return;
  ++under_way_;
  if (!timing_) find_all_host_stores();
  const KnownKernel& kernel = describe(*launch.kernel);
  running_[id] = {++launch_count_, &kernel};
  last_grid_ = nullptr;
  begin({.kind = EventKind::launch, .pc = kernel.number, .launch = launch_count_});
  put(ticket);
  put(launch.block.count());
  put(launch.grid.count());
  finish();
}

void EventRecorder::ended(LaunchId id) {
  const auto guard = lock();
  const auto found = running_.find(id);
  if (!file_ || found == running_.end()) return;
  begin({.kind = EventKind::launch_end, .launch = found->second.number});
  finish();
  running_.erase(found);
  last_grid_ = nullptr;
  over();
}

const EventRecorder::Running& EventRecorder::running(const Grid& grid) {
  if (&grid != last_grid_ || grid.id != last_id_) {
    last_ = running_.at(grid.id);
    last_grid_ = &grid;
    last_id_ = grid.id;
  }
  return last_;
}

EventRecord EventRecorder::record_of(EventKind kind, const Origin& origin, ptx::Pc pc, LaneMask lanes) {
  return {.kind = kind,
          .lanes = lanes,
          .pc = pc,
          .launch = running(*origin.grid).number,
          .block = origin.block,
          .warp = origin.warp};
}

// --- Device side

bool EventRecorder::is_persist(const MemoryOp& op, u32 lane) const {
  const Window window = op.form->window;
  return (window == Window::global || window == Window::generic) && in_pool(op.address[lane]);
}

LaneMask EventRecorder::lanes_worth_it(const MemoryOp& op) const {
  const bool strong = is_strong(*op.form);
  LaneMask worth = 0;
  for (LaneMask left = op.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    const bool wanted = strong ? location_of(op, lane) != 0 : op.plan->writes && is_persist(op, lane);
    worth |= LaneMask{wanted} << lane;
  }
  return worth;
}

bool EventRecorder::wants(const MemoryOp& op) const {
  const ptx::MemoryForm& form = *op.form;
  if (form.kind == MemoryKind::prefetch || form.kind == MemoryKind::async_copy || op.texture) return false;
  if (is_strong(form)) return form.window != Window::param && form.window != Window::constant;
  return op.plan->writes && lanes_worth_it(op) != 0;
}

void EventRecorder::performed(const MemoryOp& op, const Origin& origin, u64 bias, u64 old) {
  const LaneMask lanes = lanes_worth_it(op);
  if (!lanes || !file_) return;
  const ptx::MemoryForm& form = *op.form;
  const bool is_atomic = form.kind == MemoryKind::atomic || form.kind == MemoryKind::reduction;
  EventKind kind = form.kind == MemoryKind::load ? EventKind::load : is_atomic ? EventKind::atomic : EventKind::store;
  EventRecord record = record_of(kind, origin, op.pc, lanes);
  record.bytes = static_cast<u8>(op.plan->bytes);
  record.action = action_of(form.order);
  record.scope = scope_of(form);
  if (is_atomic && record.action == EventAction::weak) record.action = EventAction::relaxed;
  if (const Region& region = last_.kernel->regions[op.pc]; region.kind != RegionKind::none) {
    if (region.kind == RegionKind::prel && kind != EventKind::load) record.action = EventAction::prel;
    if (region.kind == RegionKind::pacq && kind == EventKind::load) record.action = EventAction::pacq;
    record.scope = region.scope;
  }
  if (form.kind == MemoryKind::update) {  // an mbarrier: arriving releases, a wait that succeeds acquires
    const bool waits =
        op.mbarrier->kind == ptx::MbarrierKind::test_wait || op.mbarrier->kind == ptx::MbarrierKind::try_wait;
    if (waits && !(op.completed & lanes)) return;
    record.kind = waits ? EventKind::load : EventKind::atomic;
    record.action = waits ? EventAction::acquire : EventAction::acq_rel;
    if (waits) record.lanes = lanes & op.completed;
  }
  begin(record);
  bool changes = false;
  for (LaneMask left = record.lanes; left; left &= left - 1) {
    const u32 lane = static_cast<u32>(std::countr_zero(left));
    const u64 location = location_of(op, lane);
    put(location);
    const u32 bytes = record.bytes;
    if (form.kind == MemoryKind::update) {
      if (record.kind == EventKind::atomic) put(0);
      put(0);  // the order of arrivals decides, not what the word holds
    } else if (kind == EventKind::store) {
      u8 stored[32] = {};
      stored_bytes(op, lane, stored);
      for (u32 at = 0; at < bytes; at += 8) put(bytes_at(reinterpret_cast<u64>(stored) + at, std::min(bytes - at, 8u)));
    } else {
      const bool in_shared = (location & shared_address) != 0;
      const u64 host = in_shared ? reinterpret_cast<u64>(op.warp->block->shared_data()) + (location & ~shared_address)
                                 : op.address[lane] + bias;
      if (kind == EventKind::atomic) put(old);
      for (u32 at = 0; at < bytes; at += 8) put(bytes_at(host + at, std::min(bytes - at, 8u)));
    }
    if (record.kind == EventKind::load || !in_pool(location)) continue;
    changes = true;
    device_wrote(location, bytes);
  }
  changes ? finish_change() : finish();
}

void EventRecorder::order(const SyncOp& op, EventAction action, Scope scope) {
  EventRecord record = record_of(EventKind::order, origin_of(*op.warp), op.pc, op.lanes);
  record.action = action;
  record.scope = scope;
  begin(record);
  finish();
}

void EventRecorder::performed(const SyncOp& op) {
  if (!file_) return;
  if (op.kind == SyncKind::block_barrier) {
    EventRecord record = record_of(EventKind::arrive, origin_of(*op.warp), op.pc, op.lanes);
    const ptx::Kernel& kernel = *op.warp->block->grid->kernel;
    const bool waits = kernel.barriers[kernel.code[op.pc].imm].kind != ptx::BarrierKind::arrive;
    record.action = waits ? EventAction::sync_and_wait : EventAction::sync_only;
    begin(record);
    put(op.barrier);
    finish();
    return;
  }
  if (op.kind != SyncKind::fence) return;
  running(*op.warp->block->grid);
  switch (const Region& region = last_.kernel->regions[op.pc]; region.kind) {
    case RegionKind::ofence:
      return order(op, EventAction::ofence, Scope::none);
    case RegionKind::dfence:
      return order(op, EventAction::dfence, Scope::none);
    case RegionKind::prel:
    case RegionKind::pacq:
      return;  // the region's access says it all
    case RegionKind::none:
      return order(op, EventAction::fence, op.scope);
  }
}

// --- The host

void EventRecorder::submitted(u64 ticket, std::span<const u64> after) {
  const auto guard = lock();
  if (!file_) return;
  begin({.kind = EventKind::submitted});
  put(ticket);
  for (const u64 other : after)
    if (other) put(other);
  finish();
}

void EventRecorder::waited(u64 ticket) {
  const auto guard = lock();
  if (!file_ || !ticket) return;
  begin({.kind = EventKind::waited});
  put(ticket);
  finish();
}

void EventRecorder::waited_for_all(u64 last_ticket) {
  const auto guard = lock();
  if (!file_) return;
  begin({.kind = EventKind::waited, .pc = 1});
  put(last_ticket);
  finish();
}

void EventRecorder::transfer_began(const memory::DmaTransfer& transfer) {
  const auto guard = lock();
  ++under_way_;
  for (u64 z = 0; z < transfer.depth; ++z)
    for (u64 y = 0; y < transfer.height; ++y)
      if (const u64 to = transfer.to.at(0, y, z); in_pool(to) && transfer.width > 0) device_wrote(to, transfer.width);
}

void EventRecorder::dropped() {
  const auto guard = lock();
  running_.clear();
  last_grid_ = nullptr;
  under_way_ = 1;
  over();
}

void EventRecorder::transferred(u64 ticket, const memory::DmaTransfer& transfer) {
  if (!file_) return;
  bool any = false;
  for (u64 z = 0; z < transfer.depth; ++z) {
    for (u64 y = 0; y < transfer.height; ++y) {
      const u64 to = transfer.to.at(0, y, z);
      if (!in_pool(to) || transfer.width == 0) continue;
      if (!any) {
        begin({.kind = EventKind::transfer});
        put(ticket);
        any = true;
      }
      each_piece(to, transfer.width, [&](u64 at, u32 bytes) { put(at), put(bytes), put(bytes_at(at, bytes)); });
      device_wrote(to, transfer.width);
    }
  }
  if (any) finish_change();
  over();
}

void EventRecorder::pool_mapped(const MappedPool& mapped) {
  const auto guard = lock();
  if (!file_) return;
  const auto& [path, address, size, header_bytes, cycle, writes] = mapped;
  Pool pool{address, address + size, {}, {}};
  const u64* words = reinterpret_cast<const u64*>(address);
  const std::size_t count = static_cast<std::size_t>((size + 7) / 8);
  pool.known.assign(words, words + count);
  if (timing_) pool.written.resize((count + 63) / 64);
  begin({.kind = EventKind::pool});
  put(address);
  put(size);
  pack(buffer_, std::filesystem::absolute(path).lexically_normal().string());
  std::string header(header_bytes, '\0');
  std::ifstream(path, std::ios::binary).read(header.data(), static_cast<std::streamsize>(header_bytes));
  pack(buffer_, header);
  pack(buffer_, words, count * 8);
  put(cycle);
  put(writes);
  finish();
  pools_.push_back(std::move(pool));
  low_ = ~u64{0}, high_ = 0;
  for (const Pool& one : pools_) low_ = std::min(low_, one.begin), high_ = std::max(high_, one.end);
}

void EventRecorder::pool_unmapped(u64 address) {
  const auto guard = lock();
  const auto found =
      std::find_if(pools_.begin(), pools_.end(), [&](const Pool& pool) { return pool.begin == address; });
  if (!file_ || found == pools_.end()) return;
  find_host_stores(found->begin, found->end);
  begin({.kind = EventKind::pool_end});
  put(address);
  finish();
  pools_.erase(found);
  low_ = pools_.empty() ? 0 : ~u64{0}, high_ = 0;
  for (const Pool& one : pools_) low_ = std::min(low_, one.begin), high_ = std::max(high_, one.end);
}

void EventRecorder::host_persisted(u64 address, u64 size) {
  const auto guard = lock();
  if (!file_) return;
  find_host_stores(address, address + size);
  begin({.kind = EventKind::host_persist});
  put(address);
  put(size);
  finish();
}

void EventRecorder::drained() {
  const auto guard = lock();
  if (!file_) return;
  find_all_host_stores();  // of all pools first: none waits for another
  for (const Pool& pool : pools_) {
    begin({.kind = EventKind::host_persist});
    put(pool.begin);
    put(pool.end - pool.begin);
    finish();
  }
}

void EventRecorder::acknowledged(u64 progress) {
  const auto guard = lock();
  if (!file_) return;
  if (!timing_) find_all_host_stores();
  begin({.kind = EventKind::acknowledged});
  put(progress);
  finish();
}

// --- Stores of the host

/// A kernel's store or a copy has been performed there. On a timing machine its bytes may still be on their way.
void EventRecorder::device_wrote(u64 address, u64 bytes) {
  for (Pool& pool : pools_) {
    if (address < pool.begin || address >= pool.end) continue;
    const u64 offset = address - pool.begin;
    if (!timing_) {
      std::memcpy(reinterpret_cast<u8*>(pool.known.data()) + offset, reinterpret_cast<const void*>(address), bytes);
      continue;
    }
    for (u64 word = offset / 8; word <= (offset + bytes - 1) / 8; ++word)
      pool.written[word / 64] |= u64{1} << word % 64;
  }
}

void EventRecorder::over() {
  if (timing_ && under_way_ > 0 && --under_way_ == 0) settle();
}

/// Nothing is under way: the pools hold what it has written.
void EventRecorder::settle() {
  for (Pool& pool : pools_) {
    const u64* now = reinterpret_cast<const u64*>(pool.begin);
    for (std::size_t group = 0; group < pool.written.size(); ++group)
      for (u64 left = std::exchange(pool.written[group], 0); left; left &= left - 1) {
        const std::size_t word = group * 64 + static_cast<std::size_t>(std::countr_zero(left));
        pool.known[word] = now[word];
      }
  }
}

/// The bytes in aligned pieces of 8, and less at the ends.
template <class Visit>
void EventRecorder::each_piece(u64 address, u64 bytes, Visit&& visit) {
  for (u64 at = address, end = address + bytes, piece; at < end; at += piece) {
    piece = std::min<u64>(at % 8 ? at & (~at + 1) : 8, std::bit_floor(std::min<u64>(end - at, 8)));
    visit(at, static_cast<u32>(piece));
  }
}

void EventRecorder::find_all_host_stores() {
  for (const Pool& pool : pools_) find_host_stores(pool.begin, pool.end);
}

/// What differs from what is known was stored by the host.
void EventRecorder::find_host_stores(u64 begin_address, u64 end_address) {
  for (Pool& pool : pools_) {
    const u64 from = std::max(begin_address, pool.begin), to = std::min(end_address, pool.end);
    if (from >= to) continue;
    u8* const known = reinterpret_cast<u8*>(pool.known.data());
    if (std::memcmp(reinterpret_cast<const u8*>(from), known + (from - pool.begin), to - from) == 0) continue;
    begin({.kind = EventKind::host_store});
    each_piece(from, to - from, [&](u64 at, u32 bytes) {
      const u64 offset = at - pool.begin, word = offset / 8;
      if (timing_ && (pool.written[word / 64] >> word % 64 & 1)) return;
      if (std::memcmp(reinterpret_cast<const u8*>(at), known + offset, bytes) == 0) return;
      put(at);
      put(bytes);
      put(bytes_at(at, bytes));
      std::memcpy(known + offset, reinterpret_cast<const u8*>(at), bytes);
    });
    finish_change();
  }
}

}  // namespace ew::simt
