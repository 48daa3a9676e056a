// The host reads and writes drives itself, into its own memory or the GPU's (GPUDirect Storage): the way that BaM is
// compared with ("BaM", section 5.1). Each call is work of a stream and takes the time of the host's cores, the drive and
// the links.
//
//   bam::controller drive(0);
//   bam::host_queue queue(drive);
//   queue.read(first_block, bytes, device_or_pinned, stream);   // returns at once
//   cudaStreamSynchronize(stream);
//   queue.must();                                               // throws if a command has failed
#pragma once

#include <everwarp/storage_controller.cuh>
#include <everwarp/storage_host_calls.h>
#include <string.h>

#include <algorithm>
#include <string>
#include <vector>

namespace bam {

/// A pair of I/O queues with its rings in the host's memory. A call is one system call of one thread: streams are the
/// threads. Memory is that of cudaMalloc or cudaMallocHost, from a multiple of 4 bytes on.
class host_queue {
 public:
  explicit host_queue(controller& drive, uint32_t size = 256) : drive_(&drive), id_(drive) {
    size = std::min(size, drive.what().entries);
    const uint64_t commands = round(uint64_t{size} * sizeof(command));
    const uint64_t bytes = commands + round(uint64_t{size} * sizeof(completion));
    drive.cuda(cudaMallocHost(&rings_, bytes + controller::page), "memory for a queue's rings");
    memset(rings_, 0, bytes + controller::page);
    char* const ring = controller::aligned(rings_);
    create(ring, ring + commands, size);
    queue_ = host_queue_open(ring, ring + commands, size, drive.doorbell(id_, false), drive.doorbell(id_, true));
    if (!queue_) drive.fail("a queue of the host cannot be made");
  }
  ~host_queue() {
    host_queue_close(queue_);
    command c;
    c.dword10 = id_;
    try {
      c.opcode_and_id = 0, drive_->execute(c);
      c.opcode_and_id = 4, drive_->execute(c);
    } catch (const std::exception&) {  // a controller that has failed has no queues
    }
    for (void* const list : lists_) cudaFreeHost(list);
    cudaFreeHost(rings_);
  }
  host_queue(const host_queue&) = delete;
  host_queue& operator=(const host_queue&) = delete;

  /// `bytes` from block `first` on, in as many commands as the drive needs, which are under way together.
  void read(uint64_t first, uint64_t bytes, void* to, cudaStream_t stream = NULL) { call(2, first, bytes, to, stream); }
  void write(uint64_t first, uint64_t bytes, const void* from, cudaStream_t stream = NULL) {
    call(1, first, bytes, const_cast<void*>(from), stream);
  }
  /// Waits for all work. Throws std::runtime_error when a command has failed since the last must().
  void must() {
    unsigned first = 0;
    used_ = 0;
    if (const unsigned long long failed = host_queue_failures(queue_, &first)) {
      char text[120];
      snprintf(text, sizeof text, "%llu commands of the host have failed; the first ended with status %u/%02xh", failed,
               first >> 8, first & 0xff);
      drive_->fail(text);
    }
  }

 private:
  static constexpr uint64_t list_bytes = 2048, lists_each = 512;  // room for 1 MiB of pages in a list
  static uint64_t round(uint64_t bytes) { return (bytes + controller::page - 1) / controller::page * controller::page; }

  void create(void* commands, void* completions, uint32_t size) {
    command c;
    c.opcode_and_id = 5;
    c.prp1 = reinterpret_cast<uint64_t>(completions);
    c.dword10 = (size - 1) << 16 | id_;
    c.dword11 = 1;
    drive_->must(c, "Create I/O Completion Queue");
    c.opcode_and_id = 1;
    c.prp1 = reinterpret_cast<uint64_t>(commands);
    c.dword11 = id_ << 16 | 1;
    drive_->must(c, "Create I/O Submission Queue");
  }
  /// Room for a list of pages. Lists stay until must().
  uint64_t* list() {
    if (used_ == lists_.size() * lists_each) {
      void* more = nullptr;
      drive_->cuda(cudaMallocHost(&more, list_bytes * lists_each + controller::page), "memory for lists of pages");
      lists_.push_back(more);
    }
    const uint64_t number = used_++;
    return reinterpret_cast<uint64_t*>(controller::aligned(lists_[number / lists_each]) + number % lists_each * list_bytes);
  }
  void call(uint32_t opcode, uint64_t first, uint64_t bytes, void* memory, cudaStream_t stream) {
    const uint64_t block = drive_->what().block_bytes;
    if (bytes % block != 0 || reinterpret_cast<uint64_t>(memory) % 4 != 0)
      drive_->fail("a call of " + std::to_string(bytes) + " bytes; expected whole blocks of " + std::to_string(block) +
                   ", at a multiple of 4");
    const uint64_t most = std::min<uint64_t>(uint64_t{drive_->what().most_blocks} * block, 1 << 20) / block;
    std::vector<command> commands;
    uint64_t at = reinterpret_cast<uint64_t>(memory);
    for (uint64_t done = 0; done < bytes / block;) {
      const uint64_t some = std::min(bytes / block - done, most);
      commands.push_back(one(opcode, first + done, static_cast<uint32_t>(some), at, some * block));
      done += some, at += some * block;
    }
    if (host_queue_call(queue_, commands.data(), static_cast<unsigned>(commands.size()), stream) != 0)
      drive_->fail("a call cannot be submitted");
  }
  command one(uint32_t opcode, uint64_t first, uint32_t blocks, uint64_t at, uint64_t bytes) {
    const uint64_t page = controller::page, second = (at / page + 1) * page, end = at + bytes;
    if (end <= second) return io(opcode, first, blocks, at, 0);
    if (end <= second + page) return io(opcode, first, blocks, at, second);
    uint64_t* const pages = list();
    uint64_t count = 0;
    for (uint64_t next = second; next < end; next += page) pages[count++] = next;
    return io(opcode, first, blocks, at, reinterpret_cast<uint64_t>(pages));
  }

  controller* drive_;
  queue_number id_;
  void* rings_ = nullptr;
  host_queue_t queue_ = nullptr;
  std::vector<void*> lists_;
  uint64_t used_ = 0;
};

}  // namespace bam
