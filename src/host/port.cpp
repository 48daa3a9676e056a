#include "host/port.hpp"

#include <bit>
#include <cassert>
#include <cstring>

#include "memory/masks.hpp"

namespace ew::host {

void Port::send(memory::DeviceRequest request) {
  const memory::Place place = parts_.pages.place(request.address);
  request.address = parts_.pages.in_device(place).address;
  request.account = core::nobody;
  (request.write ? statistics_.bytes_written : statistics_.bytes_read) += request.bytes;
  memory::Device* const device = place.persistent ? parts_.pools : parts_.memory;
  assert(device);
  waiting_.send(*device, request);
}

void Port::fetch(u64 line, u64 token, memory::DeviceClient& client) {
  send({.address = line,
        .bytes = host_line,
        .token = token,
        .client = &client,
        .line = line,
        .host = memory::HostAccess::load});
}

void Port::flush(u64 line, u64 token, memory::DeviceClient& client) {
  send({.address = line,
        .bytes = host_line,
        .write = true,
        .token = token,
        .client = &client,
        .payload = not_durable(line),
        .line = line,
        .host = memory::HostAccess::flush});
}

void Port::stream(u64 line, u64 bytes, u64 token, memory::DeviceClient& client) {
  const u32 first = static_cast<u32>(std::countr_zero(bytes)), end = 64 - static_cast<u32>(std::countl_zero(bytes));
  const memory::PayloadId payload = payload_of(line, reinterpret_cast<const u8*>(line), host_line);
  if (payload != memory::no_payload) parts_.payloads[payload].valid.bits[0] = bytes;
  send({.address = line + first,
        .bytes = end - first,
        .write = true,
        .token = token,
        .client = &client,
        .payload = payload,
        .line = line,
        .host = memory::HostAccess::stream});
}

void Port::write_back(u64 line) {
  const memory::PayloadId payload = not_durable(line);
  if (payload == memory::no_payload && parts_.pages.place(line).persistent) return;
  ++statistics_.own_write_backs;
  send({.address = line,
        .bytes = host_line,
        .write = true,
        .payload = payload,
        .line = line,
        .host = memory::HostAccess::write_back});
}

memory::PayloadId Port::payload_of(u64 to, const u8* bytes, u32 count) const {
  if (!parts_.pages.place(to).persistent) return memory::no_payload;
  const memory::PayloadId id = parts_.payloads.take();
  memory::Payload& payload = parts_.payloads[id];
  const u32 offset = static_cast<u32>(to - line_of(to));
  std::memcpy(payload.bytes.data() + offset, bytes, count);
  payload.valid.bits[0] = (count == host_line ? ~u64{0} : (u64{1} << count) - 1) << offset;
  return id;
}

memory::PayloadId Port::not_durable(u64 line) const {
  if (!parts_.durable || !parts_.pages.place(line).persistent) return memory::no_payload;
  const memory::ByteMask differs = parts_.durable->differs(line, reinterpret_cast<const u8*>(line), host_line);
  if (!differs.any()) return memory::no_payload;
  const memory::PayloadId id = parts_.payloads.take();
  memory::Payload& payload = parts_.payloads[id];
  std::memcpy(payload.bytes.data(), reinterpret_cast<const u8*>(line), host_line);
  payload.valid = differs;
  return id;
}

}  // namespace ew::host
