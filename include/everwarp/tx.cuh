// Transactions on persistent memory for kernels, with helper warps that persist for the others ("Architectural Support
// for NVRAM Persistence in GPUs", TPDS 2020). docs/transactions.md says how to use it and what is promised.
//
//   tx::Options options;                                  // host
//   options.words = 1000;  options.blocks = 8;  options.threads = 256;
//   tx::Space space;
//   if (!tx::create(space, "bank.pool", options)) …       // a sentence on stderr
//   space.in_image(0)[i] = …                              // the first contents
//   tx::start(space);
//   transfer<<<8, space.block_threads(), space.shared_bytes()>>>(space, …);
//   … after a crash: tx::open(space, "bank.pool", options)
//
//   __global__ void transfer(tx::Space space, …) {
//     tx::run(space, [&](tx::Thread& thread) {            // helper warps do not come into it
//       tx::atomically(thread, [&](tx::Transaction& t) {
//         const unsigned from = t.load(space.at(a));
//         t.store(space.at(a), from - 1);
//         …
//       });
//       tx::durable(thread);                              // what this thread has committed survives a crash
//     });
//   }
#pragma once

#if defined(__CUDACC__)

#include "gpm.cuh"
#include "tx_host.cuh"
#include "tx_stm.cuh"

namespace everwarp {
namespace tx {

EVERWARP_DEVICE void end_thread(Thread& thread) {
  Statistics* const all = &thread.space_.shared->statistics;
  if (thread.commits_ != 0) count(&all->commits, thread.commits_);
  if (thread.read_only_ != 0) count(&all->read_only, thread.read_only_);
  if (thread.aborts_ != 0) count(&all->aborts, thread.aborts_);
  if (thread.robbed_ != 0) count(&all->robbed, thread.robbed_);
  if (thread.cancelled_ != 0) count(&all->cancelled, thread.cancelled_);
  if (thread.executing_ != 0) count(&all->executing, thread.executing_);
  if (thread.persisting_ != 0) count(&all->persisting, thread.persisting_);
  if (thread.space_.with_slots() && thread.place_ != no_place) give_place_back(thread.space_, thread.place_);
}

/// Calls body(Thread&) in every thread of a kernel that is no helper, and helps in the others. All threads of the block
/// call it, once, with blocks of block_threads() threads in x, shared_bytes() of dynamic shared memory, and at most
/// Options::blocks blocks in x. No other kernel of the space may run meanwhile. The body must not use barriers of the
/// whole block, since helper warps meet none.
template <class Body>
EVERWARP_DEVICE void run(const Space& space, Body&& body) {
  Ring* const ring = ring_of_block();
  const unsigned thread = threadIdx.x, block = blockIdx.x;
  if (blockDim.x != space.block_threads() || blockDim.y * blockDim.z * gridDim.y * gridDim.z != 1 ||
      gridDim.x > space.options.blocks) {
    report(space, wrong_launch);
    return;
  }
  if (space.timeline != NULL && block == 0 && thread == 0) atomicCAS(&space.timeline->begin, 0ull, now_ns());
  if (space.options.mode != in_memory) {
    if (space.with_ring())
      for (unsigned i = thread; i < space.options.ring; i += blockDim.x) *ring->pair(space, i) = 0;
    if (thread == 0) {
      ring->tail = ring->head = space.block_logs[block].tail;
      ring->freed = space.block_logs[block].freed;
      ring->borrowed = 0;
      ring->running = space.options.threads;
      ring->assist = space.options.mode == assisted ? register_assist(serve_ring, space.in_device) : assist_none;
    }
    __syncthreads();
    if (space.options.mode == assisted && look(&ring->assist) != assist_hardware) {
      report(space, no_assist);
      return;
    }
  }
  if (thread >= space.options.threads) {
    help(space, ring, block, (thread - space.options.threads) / 32, thread % 32);
    return;
  }
  Thread own(space, ring, thread);
  body(own);
  end_thread(own);
  if (space.with_ring()) {
    __threadfence_block();
    atomicSub(&ring->running, 1u);
  }
}

/// Who has lost a record waits until its owner has given it up, and holds nothing meanwhile. Then, as who was robbed, it
/// waits a little more: not all should come at once.
EVERWARP_DEVICE void wait_to_retry(Thread& thread, unsigned tries) {
  if (thread.lost_record_ != NULL)
    for (unsigned ns = 32; look(thread.lost_record_) == thread.lost_to_; ns = min(2 * ns, 4096u)) wait_ns(ns);
  thread.lost_record_ = NULL;
  wait_ns((thread.thread_ * 2654435761u + tries * 40503u) % (64u << min(tries, 8u)));
}

/// Runs body(Transaction&) until it has happened at one moment, as seen by all transactions, or not at all. The body may
/// run many times: it reads and writes the space by the transaction alone, and what it sets outside must be set anew
/// each time. A loop in it looks at Transaction::alive().
template <class Body>
EVERWARP_DEVICE Status atomically(Thread& thread, Body&& body) {
  const Space& space = thread.space_;
  if (thread.inside_) return report(space, nested);
  thread.inside_ = true;
  const long long begin = cycles_now(space);
  const unsigned long long persisted = thread.persisting_;
  Status status = retry_;
  for (unsigned tries = 0; status == retry_; ++tries) {
    if (tries != 0) {
      ++thread.aborts_;
      wait_to_retry(thread, tries);
    }
    if (space.options.mode == adaptive)
      if (TimelineBin* const bin = bin_now(space)) {
        atomicAdd(&bin->starts, 1u);
        if (!thread.with_slot_) atomicAdd(&bin->with_helpers, 1u);
      }
    Transaction transaction(thread);
    body(transaction);
    status = transaction.commit();
  }
  thread.inside_ = false;
  thread.executing_ += (cycles_now(space) - begin) - (thread.persisting_ - persisted);
  if (status == cancelled) ++thread.cancelled_;
  if (status >= nested) report(space, status);
  return status;
}

/// Whether a crash from now on leaves every commit of this thread so far: it, and all with smaller numbers, of whatever
/// block, are logged.
EVERWARP_DEVICE bool is_durable(Thread& thread) {
  const Space& space = thread.space();
  return space.options.mode == in_memory || logged_to(space) >= thread.last_number();
}
/// Waits for that. In memory there is nothing to wait for, and nothing is promised.
EVERWARP_DEVICE void durable(Thread& thread) {
  Pauses pauses(200, longest_pause);
  while (!is_durable(thread)) pauses.pause();
}

}  // namespace tx
}  // namespace everwarp

namespace tx = everwarp::tx;

#endif  // __CUDACC__
