// The NVMe drives beside the GPU: how many there are, and the addresses of their registers (BAR0). A kernel accesses
// registers with loads and stores of 4 or 8 bytes. The host uses the calls below. storage.cuh builds queues on this.
//
// On Everwarp the machine file says which drives there are ([storage]). An access of the host waits until kernels and
// copies have ended, and takes no simulated time. When it returns, the controller has done everything that follows from
// it. On a real machine the registers would be a mapping of the device's BAR0 (a file under /sys), registered with CUDA as
// cudaHostRegisterIoMemory, and the calls would be volatile accesses. That port is not written.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number of drives. They are numbered from 0.
int storage_drives(void);
/// The address of a drive's first register. `bytes` gets the size of its registers. If there is no such drive: NULL, and
/// a sentence on stderr.
volatile void* storage_registers(int drive, size_t* bytes);
/// Accesses of the host. If there is no register at this address, a load returns all ones, a store returns -1, and there
/// is a sentence on stderr.
unsigned storage_read32(const volatile void* address);
unsigned long long storage_read64(const volatile void* address);
int storage_write32(volatile void* address, unsigned value);
int storage_write64(volatile void* address, unsigned long long value);

#ifdef __cplusplus
}
#endif
