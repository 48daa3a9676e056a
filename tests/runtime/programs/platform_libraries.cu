// libpmem and the register that switches DDIO (include/platform): what a program of the GPM artifact's kind asks of its
// platform.
#include <libpmem.h>
#include <pci/pci.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <everwarp/host.cuh>
#include <string>
#include <vector>

#include "expect.h"

namespace {

constexpr size_t bytes = 64 * 1024;
const std::string name = "platform_libraries." + std::to_string(getpid()) + ".pool";
const char* const path = name.c_str();

__global__ void number(unsigned* words, unsigned first) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  words[i] = first + i;
  __threadfence_system();
}

unsigned* create(size_t* mapped = nullptr, int* is_pmem = nullptr) {
  return static_cast<unsigned*>(pmem_map_file(path, bytes, PMEM_FILE_CREATE, 0666, mapped, is_pmem));
}

void mapping() {
  unlink(path);
  size_t mapped = 0;
  int is_pmem = 0;
  unsigned* words = create(&mapped, &is_pmem);
  EXPECT(words, "the pool is made: %s", pmem_errormsg());
  SAME(bytes, mapped);
  SAME(1, is_pmem);
  SAME(1, pmem_is_pmem(words, bytes));
  SAME(0, pmem_is_pmem(words, bytes + 1));
  SAME(0, pmem_is_pmem(&mapped, sizeof mapped));
  for (size_t i = 0; i < bytes / 4; i += 1000) SAME(0, words[i]);

  void* device = nullptr;
  RETURNS(cudaErrorInvalidValue, cudaHostGetDevicePointer(&device, words, 0));
  RETURNS(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(words));
  RETURNS(cudaErrorInvalidValue, cudaHostRegister(words, bytes + 1, 0));
  RETURNS(cudaSuccess, cudaHostRegister(words, bytes, 0));
  RETURNS(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(words, bytes, 0));
  RETURNS(cudaSuccess, cudaHostGetDevicePointer(&device, words, 0));
  EXPECT(device == words, "one address on both sides");
  number<<<8, 128>>>(words, 5);
  RETURNS(cudaSuccess, cudaDeviceSynchronize());
  RETURNS(cudaSuccess, cudaHostUnregister(words));
  SAME(0, pmem_unmap(words, bytes));

  words = static_cast<unsigned*>(pmem_map_file(path, 0, 0, 0, &mapped, nullptr));
  EXPECT(words, "an existing pool is mapped: %s", pmem_errormsg());
  SAME(bytes, mapped);
  for (unsigned i = 0; i < 1024; i += 100) SAME(5 + i, words[i]);
  SAME(0, pmem_unmap(words, bytes));
  words = create();  // of the same size: the content stays
  SAME(105, words[100]);
  SAME(0, pmem_unmap(words, bytes));
}

void refused(const void* result, const char* why, int want = EINVAL) {
  const int error = errno;
  EXPECT(result == nullptr, "refused: %s", why);
  SAME(want, error);
  EXPECT(std::string(pmem_errormsg()).find(why) != std::string::npos, "\"%s\" should say \"%s\"", pmem_errormsg(), why);
}

void mistakes() {
  refused(pmem_map_file(path, bytes, 0, 0, nullptr, nullptr), "without PMEM_FILE_CREATE");
  refused(pmem_map_file(path, 0, PMEM_FILE_CREATE, 0666, nullptr, nullptr), "needs a size above 0");
  refused(pmem_map_file(path, bytes, PMEM_FILE_CREATE | PMEM_FILE_EXCL, 0666, nullptr, nullptr), "PMEM_FILE_EXCL",
          EEXIST);
  refused(pmem_map_file(path, bytes, PMEM_FILE_CREATE | PMEM_FILE_TMPFILE, 0666, nullptr, nullptr), "TMPFILE");
  refused(pmem_map_file(path, 2 * bytes, PMEM_FILE_CREATE, 0666, nullptr, nullptr), "holds 65536 bytes");
  refused(pmem_map_file("there.is.none", 0, 0, 0, nullptr, nullptr), "cannot be opened", ENOENT);
  refused(pmem_map_file(path, bytes, PMEM_FILE_CREATE | 1 << 20, 0666, nullptr, nullptr), "unknown flags");
  EXPECT(truncate(path, 5000) == 0, "the pool is cut off");
  refused(pmem_map_file(path, bytes, PMEM_FILE_CREATE, 0666, nullptr, nullptr), "is truncated");
  refused(pmem_map_file("/dev/null", bytes, PMEM_FILE_CREATE, 0666, nullptr, nullptr), "is not a plain file");
  SAME(-1, pmem_unmap(&errno, 1));
  EXPECT(pmem_check_version(1, 0) == nullptr, "version 1.0 can run");
  EXPECT(pmem_check_version(2, 0) != nullptr, "version 2.0 cannot");
}

void writes() {
  unlink(path);
  unsigned char* const memory = reinterpret_cast<unsigned char*>(create());
  std::vector<unsigned char> source(bytes);
  for (size_t i = 0; i < bytes; ++i) source[i] = static_cast<unsigned char>(i * 7 + 1);
  const auto holds = [&](size_t at, size_t from, size_t length) {
    EXPECT(std::memcmp(memory + at, source.data() + from, length) == 0, "%zu bytes at %zu", length, at);
  };
  for (const size_t length : {size_t{1}, size_t{63}, size_t{255}, size_t{256}, size_t{5000}}) {
    EXPECT(pmem_memcpy_persist(memory + 3, source.data() + 9, length) == memory + 3, "returns the target");
    holds(3, 9, length);
  }
  for (const unsigned flags : {PMEM_F_MEM_NOFLUSH, PMEM_F_MEM_NODRAIN, PMEM_F_MEM_TEMPORAL, PMEM_F_MEM_NONTEMPORAL}) {
    pmem_memcpy(memory + 10000, source.data() + flags * 11, 777, flags);
    holds(10000, flags * 11, 777);
  }
  pmem_memcpy_persist(memory, source.data(), 3000);
  pmem_memmove_persist(memory + 100, memory, 2000);  // they overlap
  holds(100, 0, 2000);
  pmem_memset_persist(memory, 0xa5, 500);
  pmem_memset_persist(memory + 500, 0, 500);
  SAME(0xa5, memory[499]);
  SAME(0, memory[500]);
  SAME(0, memory[999]);
  unsigned char outside[64] = {1};
  pmem_memcpy_persist(outside + 1, source.data(), 32);  // of no pool: like memcpy
  EXPECT(std::memcmp(outside + 1, source.data(), 32) == 0, "ordinary memory");
  pmem_persist(outside, sizeof outside);
  pmem_persist(memory + bytes - 8, 1000);  // what lies behind the pool is left out
  pmem_flush(memory, 10);
  pmem_drain();
  SAME(0, pmem_msync(memory, bytes));
  SAME(0, pmem_unmap(memory, bytes));
}

// On a timing machine each of these takes a core's time, and a flush of half as much takes half as long.
void time() {
  constexpr size_t size = 1 << 20;
  unlink(path);
  char* const memory = static_cast<char*>(pmem_map_file(path, size, PMEM_FILE_CREATE, 0666, nullptr, nullptr));
  const std::vector<char> source(size, 1);
  const auto takes = [](const char* name, auto&& work) {
    measure_begin(name);
    work();
    measure_end(name);
    return measured(name);
  };
  const double past_caches = takes("past", [&] { pmem_memcpy_persist(memory, source.data(), size); });
  const double in_caches = takes("in", [&] { pmem_memcpy(memory, source.data(), size, PMEM_F_MEM_NOFLUSH); });
  const double dirty = takes("dirty", [&] { pmem_persist(memory, size); });
  const double half = takes("half", [&] { pmem_persist(memory, size / 2); });
  EXPECT(past_caches > 100e3 && in_caches > 50e3 && dirty > 100e3 && half > 0.4 * dirty && half < 0.6 * dirty,
         "1 MiB: %g, %g, %g and %g ns", past_caches, in_caches, dirty, half);
  SAME(0, pmem_unmap(memory, size));
}

void ddio() {
  pci_access* const access = pci_alloc();
  pci_init(access);
  pci_scan_bus(access);
  pci_dev* port = access->devices;
  while (port && pci_read_byte(port, PCI_SUBORDINATE_BUS) != 0x17) port = port->next;
  EXPECT(port, "there is a root port above bus 0x17");
  if (!port) return;
  SAME(0x8086, pci_read_word(port, PCI_VENDOR_ID));
  SAME(port->vendor_id, pci_read_word(port, PCI_VENDOR_ID));
  SAME(0x80, pci_read_long(port, 0x180));
  SAME(1, pci_write_long(port, 0x180, 0x08));
  SAME(0, pci_read_long(port, 0x180));
  SAME(1, pci_write_long(port, 0x180, 0x88));
  SAME(0x80, pci_read_long(port, 0x180));
  SAME(0, pci_write_byte(port, 0x181, 0));  // a part of the register, without the bit
  SAME(0x80, pci_read_long(port, 0x180));
  SAME(1, pci_write_byte(port, 0x180, 0));
  SAME(0, pci_read_byte(port, 0x180));
  SAME(1, pci_write_word(port, 0x180, 0x80));
  SAME(0x80, pci_read_long(port, 0x180));
  pci_dev* const nobody = pci_get_dev(access, 0, 3, 0, 0);
  SAME(0xffff, pci_read_word(nobody, PCI_VENDOR_ID));
  pci_free_dev(nobody);
  pci_cleanup(access);
}

}  // namespace

int main(int count, char**) {
  if (count > 1) time();  // `platform_libraries timed`
  mapping();
  mistakes();
  writes();
  ddio();
  unlink(path);
  return PASS("maps, writes and switches DDIO");
}
