#include "memory/agent_port.hpp"

#include <fmt/format.h>

#include <bit>
#include <cassert>

namespace ew::memory {
namespace {

Traffic traffic_of(RequestKind kind) {
  switch (kind) {
    case RequestKind::own:
      return Traffic::own;
    case RequestKind::write:
      return Traffic::write;
    case RequestKind::write_back:
    case RequestKind::clean:
      return Traffic::write_back;
    case RequestKind::atomic:
    case RequestKind::reduction:
      return Traffic::atomic;
    default:
      return Traffic::read;
  }
}

}  // namespace

void AgentPort::send(Request& message, Node to, u32 data_bytes, core::Account account) {
  message.account = account;
  parts_.network.send(static_cast<Node>(parts_.id), to, message, data_bytes, message.traffic);
}

void AgentPort::send_home(Request message, u32 data_bytes, core::Account account) {
  assert(message.place == parts_.map.place(message.line));
  message.origin = parts_.id;
  message.slice = parts_.map.slice_of(message.place);
  message.traffic = parts_.dma ? Traffic::dma : message.persist ? Traffic::persist : traffic_of(message.kind);
  send(message, static_cast<Node>(parts_.agents + message.slice), data_bytes, account);
}

void AgentPort::answer_home(Request message, u16 slice, u32 data_bytes, core::Account account) {
  message.kind = RequestKind::probe_answer;
  message.target = parts_.id;
  message.traffic = parts_.dma ? Traffic::dma : Traffic::probe;
  send(message, static_cast<Node>(parts_.agents + slice), data_bytes, account);
}

void AgentPort::answer_agent(Request message, AgentId to, u32 data_bytes, core::Account account) {
  send(message, static_cast<Node>(to), data_bytes, account);
}

void AgentPort::settle(u32 of) {
  --open_stores_[of % generations];
  --open_total_;
  fire_releases();
}

void AgentPort::fire_releases() {
  while (!releases_.empty()) {
    while (oldest_ != generation_ && !open_stores_[oldest_ % generations]) ++oldest_;
    if (releases_.front().generation == generation_) {  // the array of generations was full when it came
      if (oldest_ == generation_ - (generations - 1)) return;
      ++generation_;
      continue;
    }
    if (static_cast<i32>(releases_.front().generation - oldest_) >= 0) return;
    const Release done = releases_.front();
    releases_.pop_front();
    parts_.agent->released(done.token);
  }
}

bool AgentPort::release(u32 token) {
  if (!open_total_) return true;
  releases_.push_back({token, generation_});
  if (generation_ - oldest_ < generations - 1) ++generation_;
  return false;
}

void AgentPort::mmio_went(const LineAccess& a) {
  const u64 warp = u64{1} << a.warp;
  if (!(mmio_.warps & warp)) mmio_.parts[a.warp] = 0;
  mmio_.warps |= warp;
  mmio_.access[a.warp] = a.access;
  mmio_.parts[a.warp] |= u32{1} << a.part;
}

void AgentPort::mmio_over(u32 access, u32 part) {
  for (u64 left = mmio_.warps; left; left &= left - 1) {
    const u32 warp = static_cast<u32>(std::countr_zero(left));
    if (mmio_.access[warp] != access) continue;
    mmio_.parts[warp] &= ~(u32{1} << part);
    if (!mmio_.parts[warp]) mmio_.warps &= ~(u64{1} << warp);
  }
}

std::string AgentPort::what_is_under_way() const {
  std::string result;
  for (u32 i = 0; i < releases_.size(); ++i)
    result += fmt::format("agent {}: release {} waits for older stores\n", parts_.id, releases_[i].token);
  return result;
}

}  // namespace ew::memory
