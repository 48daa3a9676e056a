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

/// How a command ended: NVMe's status code type and code as type << 8 | code, or one of this library's.
using status = uint32_t;
constexpr status ok = 0;
constexpr status timed_out = 0xffff;          // a wait gave up; the buffer of the command may still be written
constexpr status all_pinned = 0xfffe;         // no line of the cache could leave: threads hold all of them
constexpr status write_back_failed = 0xfffd;  // no line of the cache could leave: its drive takes none of them
constexpr status out_of_range = 0xfffc;       // no such element, or line
constexpr status spans_lines = 0xfffb;        // an element in two lines has no reference
constexpr status no_entry = 0xfffa;           // of a journal: too many lines, or no entry free
constexpr status in_doubt = 0xfff9;           // committed, but not yet where it belongs: recovery writes it there
constexpr status not_begun = 0xfff8;          // a ticket that stands for nothing
constexpr status again = 0xfff7;              // not yet: call it once more

/// A sentence's part that says what a status means.
inline const char* text_of(status s) {
  switch (s) {
    case ok: return "ok";
    case timed_out: return "a wait gave up";
    case all_pinned: return "all lines of the cache are held by threads (all_pinned): use more slots, or hold fewer";
    case write_back_failed: return "no line of the cache can be written back (write_back_failed)";
    case out_of_range: return "out of range";
    case spans_lines: return "an element that spans two lines has no reference";
    case no_entry: return "the journal has no entry for it";
    case in_doubt: return "committed, but the drive did not take the lines";
    case not_begun: return "a ticket that stands for nothing";
    case again: return "not yet";
    case 0x01: return "invalid opcode";
    case 0x02: return "invalid field";
    case 0x04: return "data transfer error: the drive does not reach this memory";
    case 0x06: return "internal error";
    case 0x07: return "aborted";
    case 0x08: return "aborted: submission queue deleted";
    case 0x13: return "invalid offset of a data pointer";
    case 0x80: return "LBA out of range";
    case 0x81: return "capacity exceeded";
    case 0x82: return "namespace not ready";
    case 0x280: return "write fault";
    case 0x281: return "unrecovered read error";
    case 0x285: return "compare failure";
    case 0x287: return "deallocated block";
    default: return "an NVMe status";
  }
}

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
