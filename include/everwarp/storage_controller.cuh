// A drive, as its host sees it. Part of <everwarp/storage.cuh>.
#pragma once

#include <everwarp/storage_command.cuh>
#include <everwarp/storage_registers.h>
#include <stdio.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace bam {

/// What is told of a drive by itself.
struct geometry {
  uint64_t blocks;
  uint32_t block_bytes, most_blocks;  // of one command
  uint32_t queues, entries;           // pairs for I/O, and entries of the longest
  bool volatile_cache;                // what was written is durable when it is flushed, or forced
  bool zero_when_deallocated;
};

/// A drive, as its host sees it: resets it, and creates queues. A drive has one in a program. Every mistake is a std::runtime_error.
class controller {
 public:
  explicit controller(int drive) : drive_(drive) {
    size_t bytes = 0;
    registers_ = static_cast<volatile char*>(storage_registers(drive, &bytes));
    if (!registers_) fail("there is no such drive");
    if (storage_read32(registers_ + 0x14) & 1) fail("it has a controller already; two would reset each other");
    const uint64_t capabilities = storage_read64(registers_);
    stride_ = 4u << (capabilities >> 32 & 0xf);
    geometry_.entries = static_cast<uint32_t>(capabilities & 0xffff) + 1;
    cuda(cudaHostAlloc(&memory_, 4 * page, cudaHostAllocMapped), "memory for the administrator's queues");
    commands_ = reinterpret_cast<command*>(aligned(memory_));
    completions_ = reinterpret_cast<completion*>(reinterpret_cast<char*>(commands_) + page);
    data_ = reinterpret_cast<char*>(commands_) + 2 * page;
    try {
      enable();
      ask();
    } catch (...) {
      stop();
      throw;
    }
  }
  ~controller() { stop(); }
  controller(const controller&) = delete;
  controller& operator=(const controller&) = delete;

  int drive() const { return drive_; }
  const geometry& what() const { return geometry_; }
  volatile uint32_t* doorbell(uint32_t queue, bool head) const {
    return reinterpret_cast<volatile uint32_t*>(const_cast<char*>(registers_) + 0x1000 + (2 * queue + head) * stride_);
  }
  /// A fault has stopped it (CSTS.CFS): only a reset helps.
  bool fatal() const { return storage_read32(registers_ + 0x1c) >> 1 & 1; }
  /// Ends every command and queue, and enables it again.
  void reset() { enable(); }

  /// An administrator's command; its status, and what it answers in `answer`.
  status execute(command c, uint32_t* answer = nullptr) {
    c.opcode_and_id = (c.opcode_and_id & 0xff) | uint32_t{id_++ & 0x7fff} << 16;
    commands_[tail_] = c;
    tail_ = (tail_ + 1) % entries;
    storage_write32(doorbell(0, false), tail_);
    for (int polls = 0; polls < 1000; ++polls) {
      const volatile completion* const entry = completions_ + head_;
      const uint32_t last = entry->id_and_status;
      if ((last >> 16 & 1) != phase_) {
        if (fatal()) fail("the controller has failed (CSTS.CFS); reset() starts it again");
        continue;
      }
      if (answer) *answer = entry->result;
      if (++head_ == entries) head_ = 0, phase_ ^= 1;
      storage_write32(doorbell(0, true), head_);
      return last >> 17 & 0x7ff;
    }
    fail("an administrator's command does not complete");
  }
  void must(const command& c, const char* what) {
    if (const status got = execute(c)) {
      char text[100];
      snprintf(text, sizeof text, "%s ends with status %u/%02xh", what, got >> 8, got & 0xff);
      fail(text);
    }
  }
  /// The number of a pair of queues that nobody has. Its owner gives it back. A reset leaves it to its owner.
  uint32_t take_queue() {
    for (uint32_t id = 1; id <= geometry_.queues; ++id) {
      if (id > queues_.size()) queues_.resize(id);
      if (queues_[id - 1]) continue;
      queues_[id - 1] = true;
      return id;
    }
    fail("it has " + std::to_string(geometry_.queues) + " pairs of queues, and all are taken");
  }
  void give_back_queue(uint32_t id) { queues_[id - 1] = false; }
  static char* aligned(void* memory) {
    return reinterpret_cast<char*>((reinterpret_cast<uint64_t>(memory) + page - 1) / page * page);
  }
  static constexpr uint64_t page = 4096;

  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("bam: drive " + std::to_string(drive_) + ": " + why);
  }
  void cuda(cudaError_t error, const char* what) const {
    if (error != cudaSuccess) fail(std::string(what) + ": " + cudaGetErrorString(error));
  }

 private:
  static constexpr uint32_t entries = 32;  // of the administrator's queues

  void stop() {
    storage_write32(registers_ + 0x14, 0);
    cudaFreeHost(memory_);
  }
  void until(bool ready) const {
    for (int polls = 0; polls < 100000; ++polls)
      if ((storage_read32(registers_ + 0x1c) & 1) == ready) return;
    fail(ready ? "does not become ready" : "does not stop");
  }
  void enable() {
    storage_write32(registers_ + 0x14, 0);
    until(false);
    for (uint32_t i = 0; i < entries; ++i) completions_[i] = completion();
    tail_ = head_ = 0, phase_ = 1;
    storage_write32(registers_ + 0x24, (entries - 1) << 16 | (entries - 1));
    storage_write64(registers_ + 0x28, reinterpret_cast<uint64_t>(commands_));
    storage_write64(registers_ + 0x30, reinterpret_cast<uint64_t>(completions_));
    storage_write32(registers_ + 0x14, 1 | 6 << 16 | 4 << 20);
    if (fatal()) fail("cannot be enabled");
    until(true);
  }
  void ask() {
    command identify;
    identify.opcode_and_id = 6;
    identify.prp1 = reinterpret_cast<uint64_t>(data_);
    identify.dword10 = 1;
    must(identify, "Identify Controller");
    const unsigned char* const told = reinterpret_cast<const unsigned char*>(data_);
    const uint64_t most_bytes = told[77] ? page << told[77] : 1u << 30;
    geometry_.volatile_cache = told[525] & 1;
    identify.namespace_id = 1, identify.dword10 = 0;
    must(identify, "Identify Namespace");
    geometry_.blocks = *reinterpret_cast<const uint64_t*>(data_);
    geometry_.block_bytes = 1u << (*reinterpret_cast<const uint32_t*>(data_ + 128) >> 16 & 0xff);
    geometry_.most_blocks = static_cast<uint32_t>(most_bytes / geometry_.block_bytes);
    geometry_.zero_when_deallocated = (told[33] & 7) == 1;
    command queues;
    queues.opcode_and_id = 9, queues.dword10 = 7, queues.dword11 = 0xfffe << 16 | 0xfffe;
    uint32_t got = 0;
    if (const status refused = execute(queues, &got)) fail("it says no number of queues");
    geometry_.queues = ((got & 0xffff) < got >> 16 ? got & 0xffff : got >> 16) + 1;
  }

  int drive_;
  volatile char* registers_ = nullptr;
  uint32_t stride_ = 4;
  void* memory_ = nullptr;
  command* commands_ = nullptr;
  completion* completions_ = nullptr;
  char* data_ = nullptr;
  uint32_t tail_ = 0, head_ = 0, phase_ = 1;
  uint32_t id_ = 0;
  std::vector<bool> queues_;  // by number, from 1: taken
  geometry geometry_{};
};

/// The number of a pair of queues, while it lives.
class queue_number {
 public:
  explicit queue_number(controller& drive) : drive_(&drive), id_(drive.take_queue()) {}
  ~queue_number() { drive_->give_back_queue(id_); }
  queue_number(const queue_number&) = delete;
  queue_number& operator=(const queue_number&) = delete;

  operator uint32_t() const { return id_; }

 private:
  controller* drive_;
  uint32_t id_;
};

}  // namespace bam
