// NVMe queues that kernels use by themselves ("BaM", ASPLOS'23, section 3.3): rings in the GPU's memory, submitted to and
// polled by thousands of threads at once, each for a command of its own.
//
//   bam::controller drive(0);                                  // host: resets it, asks what it is
//   bam::queue_pair queue(drive, 1024);                        // host: a pair of rings of 1,024 entries
//   kernel<<<…>>>(queue.view());
//
//   __global__ void kernel(bam::queue_view queue) {            // every thread that calls has a command
//     bam::result r = queue.execute(bam::read(lba, blocks, prp1));
//     if (r.status != bam::ok) …                               // NVMe's status, or bam::timed_out
//
// A thread takes a ticket, waits until its place in the ring is free, writes its entry there, and marks it. Whoever holds
// the tail moves it past all marks that follow each other and rings the doorbell once for all of them. Whoever holds the
// head takes completions away for everybody, hands each to the thread that waits for it, and rings once.
//
// Tickets have 64 bits; a ring has any size from 2 on; an identifier is the number of the entry's place, which is free
// again when the command has completed. A wait ends after `patience` polls during which no command of the queue has
// completed, with bam::timed_out and a record of what was seen (queue_pair::diagnose). A completion that comes later frees
// the place; one that never comes keeps it, and the ring stands still when it comes round to it. Abort, or a reset, helps.
//
// What a thread wrote before execute() is written when the controller reads it, and what a read has brought is seen
// behind execute() (release and acquire at system scope).
#pragma once

#include <cuda_runtime.h>
#include <everwarp/storage_registers.h>
#include <stdint.h>
#include <stdio.h>

#include <stdexcept>
#include <string>

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
constexpr status ok = 0, timed_out = 0xffff;

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

/// What a wait that has ended without success has seen.
struct diagnosis {
  uint32_t count;  // such waits
  uint32_t where;  // the first: 1 for its place, 2 for the tail, 3 for its completion
  uint64_t ticket;
  uint32_t id, tail, head, completion_head;
};

/// In device memory, one for each pair of queues.
struct queue_state {
  uint64_t ticket;            // of the next thread
  uint32_t tail_lock, tail;   // tail: the entry behind the last that the controller was told of
  uint32_t head;              // the entry behind the last that the controller has fetched, as far as known
  uint32_t completion_lock, completion_head, phase;
  uint64_t doorbells, completions;  // rung; taken away
  diagnosis first;
};

namespace detail {

__device__ inline uint32_t load_acquire(const uint32_t* from) {
  uint32_t value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline uint64_t load_acquire(const uint64_t* from) {
  uint64_t value;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
  return value;
}
__device__ inline void store_release(uint32_t* to, uint32_t value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ inline void store_release(uint64_t* to, uint64_t value) {
  asm volatile("st.release.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(value) : "memory");
}
__device__ inline void ring(volatile uint32_t* doorbell, uint32_t value) {
  asm volatile("st.mmio.relaxed.sys.global.u32 [%0], %1;" ::"l"(doorbell), "r"(value) : "memory");
}
__device__ inline bool try_lock(uint32_t* lock) {
  if (atomicExch(lock, 1u) != 0) return false;
  __threadfence();
  return true;
}
__device__ inline void unlock(uint32_t* lock) {
  store_release(lock, 0u);
}

}  // namespace detail

/// Polls of one wait. It is over when so many have seen no completion of the queue; soon, if another has given up.
class patience_of {
 public:
  __device__ patience_of(const queue_state* state, uint32_t polls) : state_(state), polls_(polls) {}
  /// True: go on. `look` now and then: completions may be there for which nobody waits.
  __device__ bool another(bool& look) {
    look = ++count_ % 64 == 0;
    if (!look) return true;
    const uint64_t completions = *const_cast<const volatile uint64_t*>(&state_->completions);
    if (completions != seen_) seen_ = completions, count_ = 0;
    return count_ < (*const_cast<const volatile uint32_t*>(&state_->first.count) ? polls_ / 16 : polls_);
  }

 private:
  const queue_state* state_;
  uint32_t polls_, count_ = 0;
  uint64_t seen_ = 0;
};

/// What a kernel needs of a pair of queues: passed by value.
struct queue_view {
  command* ring;
  completion* completions;
  volatile uint32_t *tail_doorbell, *head_doorbell;
  queue_state* state;
  uint64_t* turns;      // by place: 2 * lap while it is free for that lap, one more while it is taken
  uint32_t* marks;      // by place: its entry is written, and the tail has not passed it
  uint32_t* results;    // by place: 1 << 31 | upper half of the completion's last dword, once it is there
  uint32_t* abandoned;  // by place: nobody waits for its completion any more
  uint32_t size;
  uint32_t patience;

  /// Submits the command and waits for its completion.
  __device__ result execute(command c) const {
    uint64_t ticket;
    if (!submit(c, ticket)) return {timed_out, true};
    return wait(ticket);
  }

  /// The controller has been told of the command. False: it was not, in all patience; the place stays taken.
  __device__ bool submit(command c, uint64_t& ticket) const {
    using namespace detail;
    ticket = atomicAdd(reinterpret_cast<unsigned long long*>(&state->ticket), 1ull);
    const uint32_t place = static_cast<uint32_t>(ticket % size);
    const uint64_t turn = 2 * (ticket / size);
    bool look = false;
    for (patience_of polls(state, patience); load_acquire(turns + place) != turn;) {
      if (!polls.another(look)) return give_up(1, ticket);
      if (look) take_completions();
    }
    results[place] = 0, abandoned[place] = 0;
    c.opcode_and_id = (c.opcode_and_id & 0xffff) | place << 16;
    const uint4* from = reinterpret_cast<const uint4*>(&c);
    uint4* to = reinterpret_cast<uint4*>(ring + place);
    for (int i = 0; i < 4; ++i) to[i] = from[i];
    store_release(turns + place, turn + 1);
    store_release(marks + place, 1u);
    for (patience_of polls(state, patience); load_acquire(marks + place) != 0;) {
      if (!polls.another(look)) return give_up(2, ticket);
      move_tail();
      if (look) take_completions();
    }
    return true;
  }

  /// The end of a command that was submitted. Once for each ticket.
  __device__ result wait(uint64_t ticket) const {
    using namespace detail;
    const uint32_t place = static_cast<uint32_t>(ticket % size);
    bool look = false;
    for (patience_of polls(state, patience);;) {
      if (const uint32_t end = load_acquire(results + place)) {
        free_place(place);
        return {end >> 1 & 0x7ff, !(end >> 15 & 1)};
      }
      if (!polls.another(look)) {
        // Whoever takes its completion away later frees the place; it may have come just now.
        if (atomicExch(abandoned + place, 1u) == 2) continue;
        give_up(3, ticket);
        return {timed_out, true};
      }
      take_completions();
    }
  }

 private:
  __device__ void free_place(uint32_t place) const {
    using namespace detail;
    store_release(turns + place, load_acquire(turns + place) + 1);
  }

  /// The tail passes all entries that are written and follow each other, as far as the ring has room.
  __device__ void move_tail() const {
    using namespace detail;
    if (!try_lock(&state->tail_lock)) return;
    uint32_t tail = state->tail;
    const uint32_t before = tail;
    for (;;) {
      const uint32_t next = tail + 1 == size ? 0 : tail + 1;
      if (load_acquire(marks + tail) == 0 || next == load_acquire(&state->head)) break;
      tail = next;
    }
    if (tail != before) {
      __threadfence_system();  // the entries are in memory before the controller hears of them
      ring_doorbell(tail_doorbell, tail);
      state->tail = tail;
      for (uint32_t i = before; i != tail; i = i + 1 == size ? 0 : i + 1) store_release(marks + i, 0u);
    }
    unlock(&state->tail_lock);
  }

  /// Takes away all completions that are there.
  __device__ void take_completions() const {
    using namespace detail;
    if (!try_lock(&state->completion_lock)) return;
    uint32_t head = state->completion_head, phase = state->phase, taken = 0, fetched = 0;
    for (;;) {
      const completion* const entry = completions + head;
      const uint32_t last = load_acquire(&entry->id_and_status);
      if ((last >> 16 & 1) != phase) break;
      fetched = *const_cast<const volatile uint32_t*>(&entry->head_and_queue) & 0xffff;
      const uint32_t place = last & 0xffff;
      store_release(results + place, 1u << 31 | last >> 16);
      if (atomicExch(abandoned + place, 2u) == 1) free_place(place);
      ++taken;
      if (++head == size) head = 0, phase ^= 1;
    }
    if (taken) {
      state->completion_head = head, state->phase = phase;
      state->completions += taken;
      store_release(&state->head, fetched);
      __threadfence_system();
      ring_doorbell(head_doorbell, head);
    }
    unlock(&state->completion_lock);
  }

  __device__ void ring_doorbell(volatile uint32_t* doorbell, uint32_t value) const {
    detail::ring(doorbell, value);
    atomicAdd(reinterpret_cast<unsigned long long*>(&state->doorbells), 1ull);
  }

  __device__ bool give_up(uint32_t where, uint64_t ticket) const {
    if (atomicAdd(&state->first.count, 1u) == 0) {
      state->first.where = where, state->first.ticket = ticket;
      state->first.id = static_cast<uint32_t>(ticket % size);
      state->first.tail = state->tail, state->first.head = state->head;
      state->first.completion_head = state->completion_head;
    }
    return false;
  }
};

/// What is told of a drive by itself.
struct geometry {
  uint64_t blocks;
  uint32_t block_bytes, most_blocks;  // of one command
  uint32_t queues, entries;           // pairs for I/O, and entries of the longest
  bool volatile_cache;                // what was written is durable when it is flushed, or forced
  bool zero_when_deallocated;
};

/// A drive, as its host sees it: resets it, and creates queues. Every mistake is a std::runtime_error.
class controller {
 public:
  explicit controller(int drive) : drive_(drive) {
    size_t bytes = 0;
    registers_ = static_cast<volatile char*>(storage_registers(drive, &bytes));
    if (!registers_) fail("there is no such drive");
    const uint64_t capabilities = storage_read64(registers_);
    stride_ = 4u << (capabilities >> 32 & 0xf);
    geometry_.entries = static_cast<uint32_t>(capabilities & 0xffff) + 1;
    cuda(cudaHostAlloc(&memory_, 4 * page, cudaHostAllocMapped), "memory for the administrator's queues");
    commands_ = reinterpret_cast<command*>(aligned(memory_));
    completions_ = reinterpret_cast<completion*>(reinterpret_cast<char*>(commands_) + page);
    data_ = reinterpret_cast<char*>(commands_) + 2 * page;
    enable();
    ask();
  }
  ~controller() {
    if (registers_) storage_write32(registers_ + 0x14, 0);
    cudaFreeHost(memory_);
  }
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
  uint32_t next_queue() { return next_queue_++; }
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

  void until(bool ready) const {
    for (int polls = 0; polls < 100000; ++polls)
      if ((storage_read32(registers_ + 0x1c) & 1) == ready) return;
    fail(ready ? "does not become ready" : "does not stop");
  }
  void enable() {
    storage_write32(registers_ + 0x14, 0);
    until(false);
    for (uint32_t i = 0; i < entries; ++i) completions_[i] = completion();
    tail_ = head_ = 0, phase_ = 1, next_queue_ = 1;
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
  uint32_t tail_ = 0, head_ = 0, phase_ = 1, next_queue_ = 1;
  uint32_t id_ = 0;
  geometry geometry_{};
};

/// A pair of I/O queues with its rings in the GPU's memory. Its owner on the host; kernels get view().
class queue_pair {
 public:
  /// `size`: entries of each ring, from 2 on. `patience`: polls until a wait gives up. `first_ticket`: for tests.
  queue_pair(controller& drive, uint32_t size, uint32_t patience = 20000, uint64_t first_ticket = 0)
      : drive_(&drive), id_(drive.next_queue()) {
    if (size < 2 || size > drive.what().entries)
      drive.fail("a queue of " + std::to_string(size) + " entries; it has 2 to " + std::to_string(drive.what().entries));
    if (first_ticket % size != 0) drive.fail("the first ticket must be a multiple of the queue's size");
    view_.size = size, view_.patience = patience;
    const uint64_t rings = round(uint64_t{size} * sizeof(command)) + round(uint64_t{size} * sizeof(completion));
    drive.cuda(cudaMalloc(&rings_, rings + controller::page), "memory for a queue's rings");
    drive.cuda(cudaMemset(rings_, 0, rings + controller::page), "memory for a queue's rings");
    view_.ring = reinterpret_cast<command*>(controller::aligned(rings_));
    view_.completions = reinterpret_cast<completion*>(controller::aligned(rings_) + round(uint64_t{size} * sizeof(command)));
    const uint64_t bytes = 256 + uint64_t{size} * (8 + 4 + 4 + 4);
    drive.cuda(cudaMalloc(&state_, bytes), "memory for a queue's state");
    view_.state = static_cast<queue_state*>(state_);
    view_.turns = reinterpret_cast<uint64_t*>(static_cast<char*>(state_) + 256);
    view_.marks = reinterpret_cast<uint32_t*>(view_.turns + size);
    view_.results = view_.marks + size, view_.abandoned = view_.results + size;
    view_.tail_doorbell = drive.doorbell(id_, false), view_.head_doorbell = drive.doorbell(id_, true);
    start(bytes, first_ticket);
    create();
  }
  ~queue_pair() {
    try {
      remove();
    } catch (const std::exception&) {  // a controller that has failed has no queues
    }
    cudaFree(state_);
    cudaFree(rings_);
  }
  queue_pair(const queue_pair&) = delete;
  queue_pair& operator=(const queue_pair&) = delete;

  const queue_view& view() const { return view_; }
  uint32_t id() const { return id_; }
  /// Counts, and what waits that gave up have seen. Waits for kernels.
  queue_state state() const {
    queue_state now;
    drive_->cuda(cudaMemcpy(&now, view_.state, sizeof now, cudaMemcpyDeviceToHost), "a queue's state");
    return now;
  }
  /// A sentence about the first wait that gave up; empty: none did.
  std::string diagnose() const {
    const queue_state now = state();
    if (now.first.count == 0) return {};
    const char* const what[] = {"", "its place in the ring", "the tail to pass its entry", "its completion"};
    char text[300];
    snprintf(text, sizeof text,
             "bam: drive %d, queue %u: %u waits gave up after %u polls without a completion; the first, of ticket %llu, waited for %s: entry %u, "
             "tail %u, head %u, head of completions %u",
             drive_->drive(), id_, now.first.count, view_.patience, static_cast<unsigned long long>(now.first.ticket),
             what[now.first.where & 3], now.first.id, now.first.tail, now.first.head, now.first.completion_head);
    return std::string(text) + (drive_->fatal() ? "; the controller has failed (CSTS.CFS)" : "");
  }

 private:
  static uint64_t round(uint64_t bytes) { return (bytes + controller::page - 1) / controller::page * controller::page; }

  void start(uint64_t bytes, uint64_t first_ticket) {
    std::string image(bytes, '\0');
    queue_state* const state = reinterpret_cast<queue_state*>(&image[0]);
    state->ticket = first_ticket;
    state->phase = 1;
    uint64_t* const turns = reinterpret_cast<uint64_t*>(&image[256]);
    for (uint32_t i = 0; i < view_.size; ++i) turns[i] = 2 * (first_ticket / view_.size);
    drive_->cuda(cudaMemcpy(state_, image.data(), bytes, cudaMemcpyHostToDevice), "a queue's state");
  }
  void create() {
    command c;
    c.opcode_and_id = 5;
    c.prp1 = reinterpret_cast<uint64_t>(view_.completions);
    c.dword10 = (view_.size - 1) << 16 | id_;
    c.dword11 = 1;
    drive_->must(c, "Create I/O Completion Queue");
    c.opcode_and_id = 1;
    c.prp1 = reinterpret_cast<uint64_t>(view_.ring);
    c.dword11 = id_ << 16 | 1;
    drive_->must(c, "Create I/O Submission Queue");
  }
  void remove() {
    command c;
    c.opcode_and_id = 0;
    c.dword10 = id_;
    drive_->execute(c);
    c.opcode_and_id = 4;
    drive_->execute(c);
  }

  controller* drive_;
  uint32_t id_;
  void *rings_ = nullptr, *state_ = nullptr;
  queue_view view_{};
};

}  // namespace bam
