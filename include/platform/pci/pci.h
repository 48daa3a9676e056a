// libpci, as far as programs need it that switch DDIO off and on: the root port above the GPU, and its register
// perfctrlsts_0. libeverwarp answers; `-lpci` links nothing more.
//
// The machine has one root port: vendor 0x8086, subordinate bus 0x17. Bit 7 (Use_Allocating_Flow_Wr) of its register
// 0x180 is 1: DDIO is on. A write that clears it is gpm_persist_begin(), one that sets it gpm_persist_end(). Of the
// other registers those that say what the device is can be read, the rest are 0, and writes are ignored.
#ifndef EVERWARP_PCI_H
#define EVERWARP_PCI_H

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t pciaddr_t;

#define PCI_VENDOR_ID 0x00
#define PCI_DEVICE_ID 0x02
#define PCI_COMMAND 0x04
#define PCI_STATUS 0x06
#define PCI_CLASS_DEVICE 0x0a
#define PCI_HEADER_TYPE 0x0e
#define PCI_PRIMARY_BUS 0x18
#define PCI_SECONDARY_BUS 0x19
#define PCI_SUBORDINATE_BUS 0x1a

#define PCI_FILL_IDENT 0x0001
#define PCI_FILL_IRQ 0x0002
#define PCI_FILL_BASES 0x0004
#define PCI_FILL_ROM_BASE 0x0008
#define PCI_FILL_SIZES 0x0010
#define PCI_FILL_CLASS 0x0020
#define PCI_FILL_PHYS_SLOT 0x0100
#define PCI_FILL_NUMA_NODE 0x0800

enum pci_lookup_mode { PCI_LOOKUP_VENDOR = 1, PCI_LOOKUP_DEVICE = 2, PCI_LOOKUP_CLASS = 4 };

#ifdef __cplusplus
extern "C" {
#endif

struct pci_dev {
  struct pci_dev* next;
  uint16_t domain_16;
  uint8_t bus, dev, func;
  unsigned int known_fields;
  uint16_t vendor_id, device_id, device_class;
  int irq;
  pciaddr_t base_addr[6];
  pciaddr_t size[6];
  pciaddr_t rom_base_addr;
  int numa_node;
  int domain;
};

struct pci_access {
  struct pci_dev* devices;  // behind pci_scan_bus()
};

struct pci_access* pci_alloc(void);
void pci_init(struct pci_access*);
void pci_cleanup(struct pci_access*);
void pci_scan_bus(struct pci_access*);
/// The device at this place, to be freed with pci_free_dev().
struct pci_dev* pci_get_dev(struct pci_access*, int domain, int bus, int dev, int func);
void pci_free_dev(struct pci_dev*);
int pci_fill_info(struct pci_dev*, int fields);
uint8_t pci_read_byte(struct pci_dev*, int offset);
uint16_t pci_read_word(struct pci_dev*, int offset);
uint32_t pci_read_long(struct pci_dev*, int offset);
/// 1: done. 0: only a part of the register 0x180, without its first byte.
int pci_write_byte(struct pci_dev*, int offset, uint8_t);
int pci_write_word(struct pci_dev*, int offset, uint16_t);
int pci_write_long(struct pci_dev*, int offset, uint32_t);
/// The device's name in words.
char* pci_lookup_name(struct pci_access*, char* text, int bytes, int mode, ...);

#ifdef __cplusplus
}
#endif

#endif
