#include "memory/cpu_core.hpp"

#include <algorithm>
#include <cassert>

namespace ew::memory {

void CpuCore::attach(PrivateCache& port, const AddressMap& map, u32 line) {
  port_ = &port;
  map_ = &map;
  line_bytes_ = line;
}

void CpuCore::start(u64 address, u64 bytes, bool store) {
  assert(!busy() && port_);
  at_ = address;
  end_ = address + bytes;
  store_ = store;
  begin_ = wheel_.now();
  ++(store ? statistics_.stores : statistics_.loads);
  next_line();
}

void CpuCore::next_line() {
  const u64 line = at_ & ~(line_bytes_ - 1), stop = std::min(end_, line + line_bytes_);
  const u32 first = static_cast<u32>((at_ - line) / word_bytes),
            last = static_cast<u32>((stop - 1 - line) / word_bytes);
  LineAccess access{.line = line, .words = (~WordMask{0} >> (31 - (last - first))) << first};
  access.kind = store_ ? AccessKind::store : AccessKind::load;
  access.strong = access.at_home = true;
  const AddressMap::Kind kind = map_->kind(line);
  access.host_memory = kind.host;
  access.mmio = kind.mmio;
  access.persistent = map_->persistent(line);
  access.scope = Scope::sys;
  Stall why = Stall::none;
  const Accepted accepted = port_->access(access, why);
  stalled_ = accepted == Accepted::stalled;
  waits_ = true;
  if (accepted == Accepted::performed) complete(0, 0, ServedBy::private_cache);
}

/// Nothing to read here, and nothing written: the bytes are the image's.
ByteMask CpuCore::perform(u32, u32, u8*) {
  return {};
}

/// The next line is asked for from the wheel: a private cache must not be called from complete().
void CpuCore::complete(u32, u32, ServedBy) {
  wheel_.at<&CpuCore::go_on>(wheel_.now(), *this);
}

void CpuCore::wake() {
  if (stalled_) wheel_.at<&CpuCore::go_on>(wheel_.now(), *this);
}

void CpuCore::go_on(u64, u64) {
  if (!stalled_) {
    at_ = std::min(end_, (at_ & ~(line_bytes_ - 1)) + line_bytes_);
    waits_ = false;
    if (at_ == end_) {
      statistics_.cycles += wheel_.now() - begin_;
      return;
    }
  }
  stalled_ = false;
  next_line();
}

}  // namespace ew::memory
