// Watches for a host that polls: memory which host and kernels share (managed, mapped, registered, pools) is closed to
// the host (page protection) while work is queued that nobody has asked to be simulated yet. The first access opens it
// again and sees the bytes as they are. Soon after, it is closed once more; a host that comes back to the same word
// with the same instruction polls, and the machine must go on. A program that only fills or reads such memory meanwhile
// changes nothing.
//
// Closed by threads that submit and by the machine's thread; opened by the same, by any thread's access (SIGSEGV), and
// by system calls that are given such memory (host_calls.cpp). Nothing is simulated while memory is closed. Owned by
// SilentHost, in pages of its own: a program may have registered the rest of any page of the heap. Its lock is held for
// a few mprotect() calls and never while another is taken.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>

#include "memory/address_space.hpp"
#include "runtime/poll_finder.hpp"
#include "runtime/shared_ranges.hpp"

namespace ew::runtime {

class HostWatch {
 public:
  /// `noticed` is called by a signal handler, when the host has touched closed memory.
  HostWatch(const memory::AddressSpace&, std::function<void()> noticed);
  ~HostWatch();
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;
  static void* operator new(std::size_t bytes);
  static void operator delete(void*, std::size_t bytes);

  /// Closes memory whose pages hold nothing else; `everything`: also pages that it shares with the program's own data.
  /// Memory that is shared since the last time is found. One thread at a time.
  void close(bool everything);
  void open();
  bool closed() const { return closed_.load(std::memory_order_relaxed); }
  /// There is shared memory that cannot be watched (SharedRanges::blind).
  bool blind() const { return blind_; }

  /// The host has called CUDA: what it touched before is forgotten.
  void begin_silence();
  /// In this silence the host has read shared memory, or performed an atomic operation on it; has come back to it.
  bool has_read() const { return polls_.has_looked(); }
  bool polled() const { return polls_.polls(); }
  /// Something was touched since the last look.
  bool take_touched() { return touched_.exchange(false); }

  enum class Access : u8 { store, load };
  /// For the signal handler. False: not memory that this watch has closed.
  static bool any_touched(u64 address, u64 instruction, Access);
  /// While it lives, the bytes that it is told of stay open for a system call, which would fail with EFAULT otherwise.
  class SystemCall {
   public:
    SystemCall() = default;
    ~SystemCall();
    SystemCall(const SystemCall&) = delete;
    SystemCall& operator=(const SystemCall&) = delete;
    void uses(const void* begin, u64 bytes);

   private:
    std::array<HostWatch*, 4> held_{};
  };

 private:
  bool may_close(u64 begin, u64 end);
  void open_locked();
  bool touch(u64 address, u64 instruction, Access);

  const memory::AddressSpace& space_;
  const std::function<void()> noticed_;
  std::array<std::pair<u64, u64>, 3> arenas_{};  // where shared memory is allocated
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<u32> system_calls_{0};
  SharedRanges ranges_;
  u64 found_ = ~u64{0};  // at this change of the address space
  std::atomic<bool> closed_{false}, closed_everything_{false}, touched_{false}, blind_{false};
  PollFinder polls_;
  u32 strays_ = 0;  // accesses since the last opening: late, or of memory that is not ours to open
};

}  // namespace ew::runtime
