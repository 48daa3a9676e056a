// What a program must do so that a drive sees its entries, and so that a kernel sees a drive's data. Both mistakes are
// made here, and must show, on a machine whose L1 keeps written lines until a release (l1.drain_after=0):
//
// - Without a release before the doorbell the controller fetches what stood in the ring before: the entry is in the L1
// alone.
// - A copy in an L1 of a line that a drive has written stays old until an acquire of that SM.
//
// machine: --machine titan-rtx --set storage.drives=1 --set l1.drain_after=0
#include "setup.h"

namespace {

constexpr unsigned old_id = 1, new_id = 2, before = 1, on_drive = 7;

/// Tells the controller of one entry, and answers the identifier in the completion: whose entry was fetched?
__global__ void submit(bam::queue_view queue, bam::command c, bool releases, unsigned* id) {
  const uint4* from = reinterpret_cast<const uint4*>(&c);
  for (int i = 0; i < 4; ++i) reinterpret_cast<uint4*>(queue.ring)[i] = from[i];
  if (releases) __threadfence_system();
  bam::detail::ring(queue.tail_doorbell, 1);
  const volatile unsigned* const last = &queue.completions[0].id_and_status;
  for (int polls = 0; polls < 100000; ++polls)
    if (*last >> 16 & 1) break;
  *id = *last & 0xffff;
}

__global__ void write_block(bam::queue_view queue, unsigned* buffer, unsigned* status) {
  *buffer = on_drive;
  *status = queue.execute(bam::write(0, 1, buffer)).status;
  *buffer = before;
}

__device__ unsigned weak_load(const unsigned* from) {
  unsigned value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ void wait_for(unsigned* flag) {
  while (*const_cast<volatile unsigned*>(flag) == 0) continue;
}

/// Block 1 has a copy of the line when block 0 lets the drive write it.
__global__ void read_block(bam::queue_view queue, unsigned* buffer, unsigned* flags, unsigned* seen) {
  if (blockIdx.x == 0) {
    wait_for(flags);
    seen[3] = queue.execute(bam::read(0, 1, buffer)).status;
    __threadfence_system();
    *const_cast<volatile unsigned*>(flags + 32) = 1;
  } else {
    seen[0] = weak_load(buffer);
    *const_cast<volatile unsigned*>(flags) = 1;
    wait_for(flags + 32);
    seen[1] = weak_load(buffer);
    __threadfence_system();
    seen[2] = weak_load(buffer);
  }
}

std::string expect(const char* what, unsigned expected, unsigned found) {
  if (expected == found) return {};
  return std::string(what) + ": expected " + std::to_string(expected) + ", found " + std::to_string(found);
}

}  // namespace

int main() {
  return setup::run("visibility", []() -> std::string {
    bam::controller drive(0);
    unsigned *words = nullptr, *buffers = nullptr;
    cudaMallocManaged(&words, 512);
    cudaMalloc(&buffers, 2 * 4096);
    cudaMemset(buffers, 0, 2 * 4096);
    unsigned* const buffer = reinterpret_cast<unsigned*>(bam::controller::aligned(buffers));

    for (const bool releases : {false, true}) {
      bam::queue_pair queue(drive, 4);
      bam::command c = bam::read(0, 1, buffer);
      c.opcode_and_id |= old_id << 16;
      cudaMemcpy(queue.view().ring, &c, sizeof c, cudaMemcpyHostToDevice);
      c.opcode_and_id = (c.opcode_and_id & 0xffff) | new_id << 16;
      submit<<<1, 1>>>(queue.view(), c, releases, words);
      cudaDeviceSynchronize();
      const std::string why =
          expect(releases ? "the entry that was fetched, behind a release"
                          : "the entry that was fetched, without a release (does the L1 drain by itself?)",
                 releases ? new_id : old_id, words[0]);
      if (!why.empty()) return why;
    }

    bam::queue_pair queue(drive, 4);
    unsigned *flags = nullptr, *seen = nullptr, found[4];
    cudaMalloc(&flags, 64 * sizeof *flags);
    cudaMalloc(&seen, sizeof found);
    cudaMemset(flags, 0, 64 * sizeof *flags);
    write_block<<<1, 1>>>(queue.view(), buffer, seen);
    read_block<<<2, 1>>>(queue.view(), buffer, flags, seen);
    cudaMemcpy(found, seen, sizeof found, cudaMemcpyDeviceToHost);
    for (const std::string& why : {expect("the status of the read", bam::ok, found[3]),
                                   expect("the word before the drive writes it", before, found[0]),
                                   expect("the word behind that, without an acquire", before, found[1]),
                                   expect("the word behind an acquire", on_drive, found[2])})
      if (!why.empty()) return why;
    return "";
  });
}
