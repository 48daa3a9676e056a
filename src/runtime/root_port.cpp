#include "runtime/root_port.hpp"

#include "runtime/own_api.hpp"

namespace ew::runtime {

namespace {

bool ddio_is_on() {
  return own_api(true, [](Machine& machine, ApiLock&) { return !machine.persistence().inside_region(); });
}

u8 byte_at(int offset) {
  switch (offset) {
    case 0x00:
      return RootPort::vendor & 0xff;
    case 0x01:
      return RootPort::vendor >> 8;
    case 0x02:
      return RootPort::device & 0xff;
    case 0x03:
      return RootPort::device >> 8;
    case 0x0a:
      return RootPort::bridge & 0xff;
    case 0x0b:
      return RootPort::bridge >> 8;
    case 0x0e:  // the header of a bridge
      return 1;
    case 0x18:
      return RootPort::bus;
    case 0x19:
    case 0x1a:
      return RootPort::below;
    case RootPort::perfctrlsts:
      return ddio_is_on() ? RootPort::allocating_writes : 0;
    default:
      return 0;
  }
}

}  // namespace

u32 RootPort::read(int offset, u32 bytes) {
  u32 value = 0;
  for (u32 i = 0; i < bytes; ++i) value |= u32{byte_at(offset + static_cast<int>(i))} << 8 * i;
  return value;
}

bool RootPort::write_switch(u32 value) {
  const bool on = value & allocating_writes;
  return own_api(false, [&](Machine& machine, ApiLock& lock) {
    machine.context().wait_idle(lock);
    if (on == machine.persistence().inside_region()) machine.persistence().set_inside_region(!on);
    return true;
  });
}

}  // namespace ew::runtime
