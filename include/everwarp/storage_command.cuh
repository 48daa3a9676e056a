// Entries of NVMe queues, how commands end, and the commands that kernels use. Part of <everwarp/storage.cuh>.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

namespace bam {

/// An entry of a submission queue, as NVMe lays it out.
struct alignas(16) command {
  uint32_t opcode_and_id = 0;  // opcode 7:0, identifier 31:16
  uint32_t namespace_id = 0;
  uint64_t reserved = 0, metadata = 0;
  uint64_t prp1 = 0, prp2 = 0;
  uint32_t dword10 = 0, dword11 = 0, dword12 = 0, dword13 = 0, dword14 = 0, dword15 = 0;
};
/// An entry of a completion queue.
struct alignas(16) completion {
  uint32_t result = 0, reserved = 0;
  uint32_t head_and_queue = 0;
  uint32_t id_and_status = 0;  // identifier 15:0, phase 16, status code 24:17, its type 27:25, do not retry 31
};
static_assert(sizeof(command) == 64 && sizeof(completion) == 16, "NVMe Base Specification 1.4, sections 4.2 and 4.6");

/// How a command ended: NVMe's status code type and code as type << 8 | code, or timed_out.
using status = uint32_t;
constexpr status ok = 0, timed_out = 0xffff;  // others of this library: storage_status.cuh

struct result {
  bam::status status;
  bool retry;  // the same command may succeed later
};

__host__ __device__ inline command io(uint32_t opcode, uint64_t first, uint32_t blocks, uint64_t prp1, uint64_t prp2) {
  command c;
  c.opcode_and_id = opcode;
  c.namespace_id = 1;
  c.prp1 = prp1, c.prp2 = prp2;
  c.dword10 = static_cast<uint32_t>(first), c.dword11 = static_cast<uint32_t>(first >> 32);
  c.dword12 = blocks - 1;
  return c;
}
/// Blocks [first, first + blocks) to memory, or from it. The data lie in one page from prp1 on, and, if they cross its
/// end, in the page at prp2, or, if that does not hold the rest, in the pages that a list at prp2 names.
__host__ __device__ inline command read(uint64_t first, uint32_t blocks, const void* prp1, const void* prp2 = nullptr) {
  return io(2, first, blocks, reinterpret_cast<uint64_t>(prp1), reinterpret_cast<uint64_t>(prp2));
}
/// `forced`: durable when it has completed (FUA).
__host__ __device__ inline command write(uint64_t first, uint32_t blocks, const void* prp1, const void* prp2 = nullptr,
                                         bool forced = false) {
  command c = io(1, first, blocks, reinterpret_cast<uint64_t>(prp1), reinterpret_cast<uint64_t>(prp2));
  c.dword12 |= forced ? 1u << 30 : 0;
  return c;
}
/// What was written before is durable.
__host__ __device__ inline command flush() {
  command c;
  c.namespace_id = 1;
  return c;
}

}  // namespace bam
