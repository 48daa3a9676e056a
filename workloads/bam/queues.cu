// What published queues for NVMe get wrong, each shown to be right here: tickets beyond 32 bits, rings of any size,
// lanes of one warp that wait for each other, statuses that reach the caller, completions that never come.
//
// machine: --set storage.drives=2
// machine: --set storage.1.fault=lost-completion:command=5,unrecovered-read:lba=77,lost-completion:lba=500:times=2
#include <cuda_runtime.h>

#include <cstdio>
#include <everwarp/storage.cuh>
#include <memory>
#include <string>
#include <vector>

namespace {

int failures = 0;

void expect(bool holds, const char* what, unsigned long long found) {
  if (holds) return;
  ++failures;
  printf("FAIL queues: %s; found %llu\n", what, found);
}

unsigned *counts, *statuses;
char* buffers;
constexpr int most_threads = 1024;

/// Each thread writes its block, reads it back, and compares.
__global__ void write_and_read(bam::queue_view queue, char* buffers, unsigned* counts, unsigned round) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned* const words = reinterpret_cast<unsigned*>(buffers + thread * 512);
  for (unsigned i = 0; i < 128; ++i) words[i] = thread * 1000 + i + round;
  if (queue.execute(bam::write(thread, 1, words)).status != bam::ok) atomicAdd(counts, 1u);
  for (unsigned i = 0; i < 128; ++i) words[i] = 0;
  if (queue.execute(bam::read(thread, 1, words)).status != bam::ok) atomicAdd(counts, 1u);
  for (unsigned i = 0; i < 128; ++i)
    if (words[i] != thread * 1000 + i + round) atomicAdd(counts + 1, 1u);
}

void pairs(bam::controller& drive, unsigned size, int threads, unsigned long long first_ticket, const char* what) {
  counts[0] = counts[1] = 0;
  bam::queue_pair queue(drive, size, 20000, first_ticket);
  for (unsigned round = 0; round < 2; ++round) {
    write_and_read < <<(threads + 31) / 32, threads<32 ? threads : 32>>>(queue.view(), buffers, counts, round);
    cudaDeviceSynchronize();
  }
  expect(cudaGetLastError() == cudaSuccess, what, 0);
  expect(counts[0] == 0, what, counts[0]);
  expect(counts[1] == 0, what, counts[1]);
  const bam::queue_state state = queue.state();
  expect(state.completions == 4ull * threads, "completions of each command", state.completions);
  expect(state.ticket == first_ticket + 4ull * threads, "tickets of each command", state.ticket);
  const std::string why = queue.diagnose();
  if (!why.empty()) printf("%s\n", why.c_str());
}

__global__ void execute(bam::queue_view queue, bam::command command, unsigned* status, unsigned* retry) {
  const bam::result result = queue.execute(command);
  status[threadIdx.x] = result.status;
  if (retry) *retry = result.retry;
}

bam::status one(const bam::queue_pair& queue, const bam::command& command) {
  statuses[0] = 0xdead;
  execute<<<1, 1>>>(queue.view(), command, statuses, statuses + 1);
  cudaDeviceSynchronize();
  return statuses[0];
}

void statuses_reach_the_caller(bam::controller& drive, bam::controller& failing) {
  bam::queue_pair queue(drive, 8), other(failing, 8);
  const unsigned long long end = drive.what().blocks;
  expect(one(queue, bam::read(end, 1, buffers)) == 0x80, "LBA out of range", statuses[0]);
  expect(statuses[1] == 0, "the same command would fail again", statuses[1]);
  expect(one(queue, bam::read(0, drive.what().most_blocks + 1, buffers)) == 0x02, "invalid field", statuses[0]);
  expect(one(queue, bam::read(0, 1, buffers + 2)) == 0x13, "invalid PRP offset", statuses[0]);
  expect(one(queue, bam::read(0, 1, reinterpret_cast<void*>(4096))) == 0x04, "transfer error", statuses[0]);
  bam::command unknown = bam::read(0, 1, buffers);
  unknown.opcode_and_id = 0x7e;
  expect(one(queue, unknown) == 0x01, "invalid opcode", statuses[0]);
  expect(one(queue, bam::write(3, 1, buffers, nullptr, true)) == bam::ok, "a forced write", statuses[0]);
  expect(one(queue, bam::flush()) == bam::ok, "a flush", statuses[0]);
  expect(one(other, bam::read(70, 8, buffers)) == 0x281, "unrecovered read", statuses[0]);
  expect(one(other, bam::read(70, 7, buffers)) == bam::ok, "blocks beside it", statuses[0]);
}

/// The fifth command of the drive never completes.
void a_lost_completion_ends(bam::controller& failing) {
  bam::queue_pair queue(failing, 4, 500);
  for (int i = 3; i <= 4; ++i)
    expect(one(queue, bam::read(0, 1, buffers)) == bam::ok, "before it is lost", statuses[0]);
  expect(one(queue, bam::read(0, 1, buffers)) == bam::timed_out, "a wait that ends", statuses[0]);
  const std::string why = queue.diagnose();
  expect(why.find("waited for its completion") != why.npos, why.c_str(), 0);
  // Its place is free again when an Abort has made it complete.
  bam::command abort;
  abort.opcode_and_id = 8;
  abort.dword10 = static_cast<unsigned>(queue.state().first.id) << 16 | queue.id();
  unsigned answer = 1;
  expect(failing.execute(abort, &answer) == bam::ok, "an Abort", 0);
  expect(answer == 0, "the Abort has stopped the command", answer);
  for (int i = 0; i < 20; ++i) expect(one(queue, bam::read(0, 1, buffers)) == bam::ok, "after the Abort", statuses[0]);
}

/// Without an Abort: the place is used again under another identifier, once the controller has fetched what follows.
void a_ring_goes_on(bam::controller& failing) {
  bam::queue_pair queue(failing, 4, 500);
  expect(one(queue, bam::read(500, 1, buffers)) == bam::timed_out, "a lost completion", statuses[0]);
  for (int i = 0; i < 40; ++i) expect(one(queue, bam::read(0, 1, buffers)) == bam::ok, "behind it", statuses[0]);
  expect(queue.state().lost == 1, "the place is used again", queue.state().lost);
  expect(queue.diagnose().find("used again") != std::string::npos, queue.diagnose().c_str(), 0);

  // A ring of two entries never hears that its only command was fetched: it stands still until it is made anew.
  bam::queue_pair shorter(failing, 2, 500);
  expect(one(shorter, bam::read(500, 1, buffers)) == bam::timed_out, "a lost completion", statuses[0]);
  expect(one(shorter, bam::read(0, 1, buffers)) == bam::timed_out, "a ring that stands still", statuses[0]);
  shorter.recover();
  for (int i = 0; i < 10; ++i) expect(one(shorter, bam::read(0, 1, buffers)) == bam::ok, "made anew", statuses[0]);
  expect(shorter.diagnose().empty(), shorter.diagnose().c_str(), 0);
}

/// One after the other a program may make more pairs than the drive has. A pair that is older than a reset recovers
/// beside one that is newer.
void numbers_of_queues(bam::controller& drive) {
  const unsigned most = drive.what().queues;
  for (unsigned i = 0; i < most + 3; ++i) bam::queue_pair one(drive, 2);
  std::vector<std::unique_ptr<bam::queue_pair>> all;
  std::string why;
  try {
    for (unsigned i = 0; i <= most; ++i) all.push_back(std::make_unique<bam::queue_pair>(drive, 2));
  } catch (const std::exception& mistake) {
    why = mistake.what();
  }
  expect(all.size() == most, "all pairs of the drive", all.size());
  if (why != "bam: drive 0: it has " + std::to_string(most) + " pairs of queues, and all are taken") {
    ++failures;
    printf("FAIL queues: one pair too many: \"%s\"\n", why.c_str());
  }
  all.resize(1);
  drive.reset();
  bam::queue_pair newer(drive, 8);
  all[0]->recover();
  for (const bam::queue_pair* queue : {&newer, all[0].get()}) {
    counts[0] = counts[1] = 0;
    write_and_read<<<1, 32>>>(queue->view(), buffers, counts, 5);
    cudaDeviceSynchronize();
    expect(counts[0] == 0 && counts[1] == 0, "pairs from before and behind a reset", counts[0]);
  }
}

__global__ void look(volatile unsigned* registers, unsigned* found) {
  found[0] = registers[2];      // VS
  found[1] = registers[7] & 3;  // CSTS
}

}  // namespace

int main() {
  if (storage_drives() < 2) {
    printf("queues: needs two drives, the second of which fails: see the line \"machine:\" of its source\n");
    return 77;
  }
  void* memory = nullptr;
  cudaMalloc(&memory, most_threads * 512 + 4096);
  cudaMallocManaged(&counts, 64);
  statuses = counts + 4;
  buffers = bam::controller::aligned(memory);
  try {
    bam::controller drive(0), failing(1);
    look<<<1, 1>>>(static_cast<volatile unsigned*>(storage_registers(0, nullptr)), counts);
    cudaDeviceSynchronize();
    expect(counts[0] == 0x10400, "a kernel reads the version", counts[0]);
    expect(counts[1] == 1, "a kernel reads the status", counts[1]);

    pairs(drive, 2, 64, 0, "a ring of two entries");
    pairs(drive, 3, 64, 0, "a ring of three");
    pairs(drive, 1000, 512, 0, "a ring of a thousand");
    pairs(drive, drive.what().entries, 512, 0, "the longest ring");
    pairs(drive, 16, 32, 0, "one warp, of which half must wait for the other half");
    pairs(drive, 8, 128, (1ull << 16) - 64, "tickets beyond 16 bits");
    pairs(drive, 8, 128, (1ull << 32) - 64, "tickets beyond 32 bits");
    pairs(drive, 5, 128, ((1ull << 32) - 64) / 5 * 5, "the same, and no power of two");

    statuses_reach_the_caller(drive, failing);
    a_lost_completion_ends(failing);

    a_ring_goes_on(failing);

    failing.reset();
    pairs(failing, 7, 64, 0, "after a reset");

    numbers_of_queues(drive);

    bool refused = false;
    try {
      bam::queue_pair longer(drive, drive.what().entries + 1);
    } catch (const std::exception& mistake) {
      refused = std::string(mistake.what()).find("bam: drive 0: a queue of ") == 0;
    }
    expect(refused, "a ring that is too long is refused", 0);
    refused = false;
    try {
      bam::controller second(0);
    } catch (const std::exception& mistake) {
      refused = std::string(mistake.what()) == "bam: drive 0: it has a controller already; two would reset each other";
    }
    expect(refused, "a second controller of a drive is refused", 0);
    pairs(drive, 4, 32, 0, "the first goes on");

    bam::queue_pair queue(drive, 4);  // managed memory has no address that a drive reaches
    execute<<<1, 1>>>(queue.view(), bam::read(0, 1, counts), statuses, nullptr);
    cudaDeviceSynchronize();
    expect(std::string(bam::text_of(statuses[0])).find("data transfer error") == 0, "the words of a status",
           statuses[0]);
  } catch (const std::exception& mistake) {
    printf("FAIL queues: %s\n", mistake.what());
    return 1;
  }
  if (failures) return 1;
  printf("PASS queues\n");
  return 0;
}
