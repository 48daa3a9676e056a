// Commands of the host to an NVMe drive, as work of a stream that takes time: storage_host.cuh is the class that programs
// use. A call costs a core of the host [host] io_submit, then its commands cross to the drive, and when all of them have
// completed a core spends [host] io_complete. Meanwhile the thread sleeps, and occupies no core.
//
// Only Everwarp has these calls. On a real machine they would be io_uring for the host's memory, and cuFile (GPUDirect
// Storage) for the GPU's. That port is not written.
#pragma once

#include <driver_types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct everwarp_host_queue* host_queue_t;

/// A pair of I/O queues that the drive has, with rings of so many entries in the host's memory. NULL, and a sentence on
/// stderr, when that cannot be.
host_queue_t host_queue_open(void* commands, void* completions, unsigned entries, volatile void* tail_doorbell,
                             volatile void* head_doorbell);
/// One call of these commands (64 bytes each; identifiers are filled in) in the order of the stream. They are under way
/// together. 0, or -1 and a sentence on stderr.
int host_queue_call(host_queue_t queue, const void* commands, unsigned count, cudaStream_t stream);
/// Waits for all work. How many commands have failed since the last question, and the status of the first of them
/// (type << 8 | code; ffffh: it never completed).
unsigned long long host_queue_failures(host_queue_t queue, unsigned* first);
/// Waits for all work. The drive keeps its queues.
int host_queue_close(host_queue_t queue);

#ifdef __cplusplus
}
#endif
