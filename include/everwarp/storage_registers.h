// NVMe drives beside the GPU, as a program finds them: how many there are, and where their registers (BAR0) stand. A
// kernel accesses registers with loads and stores of 4 or 8 bytes; the host with the calls below. storage.cuh has queues
// on top of it.
//
// On Everwarp the machine file says which drives there are ([storage]). A host's access waits until kernels and copies
// have ended, takes no simulated time, and at its return the controller has done what follows from it. On a real machine
// the registers are a mapping of the device's BAR0 (a file under /sys), registered with CUDA as cudaHostRegisterIoMemory, and
// the calls are volatile accesses; that port is not written.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Drives are numbered from 0.
int storage_drives(void);
/// The first of a drive's registers, and how many bytes they take. NULL, and a sentence on stderr: no such drive.
volatile void* storage_registers(int drive, size_t* bytes);
/// All ones, or -1, and a sentence on stderr, where no register is.
unsigned storage_read32(const volatile void* address);
unsigned long long storage_read64(const volatile void* address);
int storage_write32(volatile void* address, unsigned value);
int storage_write64(volatile void* address, unsigned long long value);

#ifdef __cplusplus
}
#endif
