// What include/platform/pci/pci.h declares: the configuration space of the root port above the GPU. Its register
// perfctrlsts_0 switches DDIO ("GPM", ASPLOS'22, section 5.1; Intel, Xeon Scalable Datasheet, volume 2, 2019).
#include <fmt/format.h>
#include <platform/pci/pci.h>

#include "runtime/root_port.hpp"

namespace {

using ew::runtime::RootPort;

/// The device, as a list of one.
pci_dev root_port() {
  pci_dev device{};
  device.bus = RootPort::bus;
  device.vendor_id = RootPort::vendor;
  device.device_id = RootPort::device;
  device.device_class = RootPort::bridge;
  return device;
}

struct Access : pci_access {
  pci_dev found;
};

bool is_root_port(int domain, int bus, int dev, int func) {
  return domain == 0 && bus == RootPort::bus && dev == 0 && func == 0;
}

/// All bits of a device that is not there.
template <class Word>
Word read(const pci_dev* device, int offset) {
  if (!device || !is_root_port(device->domain, device->bus, device->dev, device->func)) return static_cast<Word>(~0U);
  return static_cast<Word>(RootPort::read(offset, sizeof(Word)));
}

int write(const pci_dev* device, int offset, int bytes, uint32_t value) {
  if (!device || !is_root_port(device->domain, device->bus, device->dev, device->func)) return 1;
  if (offset == RootPort::perfctrlsts) return RootPort::write_switch(value);  // the bit is in the first byte
  return !RootPort::holds_switch(offset, bytes);
}

}  // namespace

extern "C" {

pci_access* pci_alloc(void) {
  return new Access{};
}
void pci_init(pci_access*) {}
void pci_cleanup(pci_access* access) {
  delete static_cast<Access*>(access);
}
void pci_scan_bus(pci_access* access) {
  if (!access) return;
  static_cast<Access*>(access)->found = root_port();
  access->devices = &static_cast<Access*>(access)->found;
}

pci_dev* pci_get_dev(pci_access*, int domain, int bus, int dev, int func) {
  pci_dev device{};
  if (is_root_port(domain, bus, dev, func)) device = root_port();
  device.domain = domain;
  device.domain_16 = static_cast<uint16_t>(domain);
  device.bus = static_cast<uint8_t>(bus);
  device.dev = static_cast<uint8_t>(dev);
  device.func = static_cast<uint8_t>(func);
  return new pci_dev(device);
}
void pci_free_dev(pci_dev* device) {
  delete device;
}

int pci_fill_info(pci_dev* device, int fields) {
  if (device) device->known_fields |= static_cast<unsigned>(fields);
  return fields;
}

uint8_t pci_read_byte(pci_dev* device, int offset) {
  return read<uint8_t>(device, offset);
}
uint16_t pci_read_word(pci_dev* device, int offset) {
  return read<uint16_t>(device, offset);
}
uint32_t pci_read_long(pci_dev* device, int offset) {
  return read<uint32_t>(device, offset);
}

int pci_write_byte(pci_dev* device, int offset, uint8_t value) {
  return write(device, offset, 1, value);
}
int pci_write_word(pci_dev* device, int offset, uint16_t value) {
  return write(device, offset, 2, value);
}
int pci_write_long(pci_dev* device, int offset, uint32_t value) {
  return write(device, offset, 4, value);
}

char* pci_lookup_name(pci_access*, char* text, int bytes, int, ...) {
  if (!text || bytes <= 0) return text;
  const auto written = fmt::format_to_n(text, bytes - 1, "Root Port of the simulated GPU");
  *written.out = '\0';
  return text;
}

}  // extern "C"
