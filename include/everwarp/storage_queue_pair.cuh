// A pair of I/O queues with its rings in the GPU's memory: its owner. Part of <everwarp/storage.cuh>.
#pragma once

#include <everwarp/storage_controller.cuh>
#include <everwarp/storage_queue.cuh>
#include <string.h>

#include <string>

namespace bam {

/// A pair of I/O queues with its rings in the GPU's memory. Its owner on the host; kernels get view().
class queue_pair {
 public:
  /// `size`: entries of each ring, from 2 on. `patience`: polls until a wait gives up. `first_ticket`: for tests.
  queue_pair(controller& drive, uint32_t size, uint32_t patience = 20000, uint64_t first_ticket = 0)
      : drive_(&drive), id_(drive) {
    if (size < 2 || size > drive.what().entries)
      drive.fail("a queue of " + std::to_string(size) + " entries; it has 2 to " + std::to_string(drive.what().entries));
    if (first_ticket % size != 0) drive.fail("the first ticket must be a multiple of the queue's size");
    view_.size = size, view_.patience = patience;
    const uint64_t rings = round(uint64_t{size} * sizeof(command)) + round(uint64_t{size} * sizeof(completion));
    drive.cuda(cudaMalloc(&rings_, rings + controller::page), "memory for a queue's rings");
    drive.cuda(cudaMemset(rings_, 0, rings + controller::page), "memory for a queue's rings");
    view_.ring = reinterpret_cast<command*>(controller::aligned(rings_));
    view_.completions = reinterpret_cast<completion*>(controller::aligned(rings_) + round(uint64_t{size} * sizeof(command)));
    drive.cuda(cudaMalloc(&state_, state_bytes()), "memory for a queue's state");
    view_.state = static_cast<queue_state*>(state_);
    view_.turns = reinterpret_cast<uint64_t*>(static_cast<char*>(state_) + 256);
    view_.words = reinterpret_cast<uint32_t**>(view_.turns + size);
    view_.marks = reinterpret_cast<uint32_t*>(view_.words + size);
    view_.results = view_.marks + size, view_.states = view_.results + size;
    view_.tail_doorbell = drive.doorbell(id_, false), view_.head_doorbell = drive.doorbell(id_, true);
    queue_state first{};
    first.ticket = first_ticket;
    start(first);
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
             drive_->drive(), id(), now.first.count, view_.patience, static_cast<unsigned long long>(now.first.ticket),
             what[now.first.where & 3], now.first.id, now.first.tail, now.first.head, now.first.completion_head);
    std::string all = text;
    if (now.lost) all += "; " + std::to_string(now.lost) + " places are used again without a completion";
    if (now.late) all += "; " + std::to_string(now.late) + " completions came later";
    return all + (drive_->fatal() ? "; the controller has failed (CSTS.CFS)" : "");
  }
  /// Ends every command that is still under way, and makes the rings anew: behind waits that gave up. The words of
  /// detached commands that have not completed say "aborted: submission queue deleted" (08h). Waits for kernels.
  void recover() {
    queue_state now = state();
    remove();
    end_detached();
    now.ticket = (now.ticket + view_.size - 1) / view_.size * view_.size;
    start(now);
    create();
  }

 private:
  static uint64_t round(uint64_t bytes) { return (bytes + controller::page - 1) / controller::page * controller::page; }

  uint64_t state_bytes() const { return 256 + uint64_t{view_.size} * (2 * 8 + 3 * 4); }

  /// Empty rings whose next ticket and counts are those of `now`.
  void start(queue_state now) {
    static_assert(sizeof(queue_state) <= 256, "turns stand behind it");
    now.tail_lock = now.tail = now.head = now.completion_lock = now.given_up = now.untold = 0;
    now.completions_at = uint64_t{1} << 32, now.first = diagnosis{};
    std::string image(state_bytes(), '\0');
    memcpy(&image[0], &now, sizeof now);
    uint64_t* const turns = reinterpret_cast<uint64_t*>(&image[256]);
    for (uint32_t i = 0; i < view_.size; ++i) turns[i] = 2 * (now.ticket / view_.size);
    drive_->cuda(cudaMemcpy(state_, image.data(), image.size(), cudaMemcpyHostToDevice), "a queue's state");
    drive_->cuda(cudaMemset(view_.completions, 0, uint64_t{view_.size} * sizeof(completion)), "a queue's ring");
  }
  void end_detached() {
    std::string image(state_bytes(), '\0');
    drive_->cuda(cudaMemcpy(&image[0], state_, image.size(), cudaMemcpyDeviceToHost), "a queue's state");
    const uint64_t* const turns = reinterpret_cast<const uint64_t*>(&image[256]);
    uint32_t* const* const words = reinterpret_cast<uint32_t* const*>(turns + view_.size);
    const uint32_t* const states = reinterpret_cast<const uint32_t*>(words + view_.size) + 2 * view_.size;
    const uint32_t aborted = 1u << 31 | 0x08 << 1;
    for (uint32_t i = 0; i < view_.size; ++i)
      if (turns[i] % 2 && states[i] == place_detached)
        drive_->cuda(cudaMemcpy(words[i], &aborted, sizeof aborted, cudaMemcpyHostToDevice), "the end of a command");
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
  queue_number id_;
  void *rings_ = nullptr, *state_ = nullptr;
  queue_view view_{};
};

}  // namespace bam
