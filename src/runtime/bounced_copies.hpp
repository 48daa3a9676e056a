// Copies between the device and a mapped file of the host's persistent memory: a copy engine and a core of the host,
// with two pinned buffers between them ("GPM", ASPLOS'22, section 3: cudaMemcpy does not move such data directly).
// While the core copies one buffer to the file, the engine fills the other; from the file to the device the other way
// round. Where neither side is the device, the core copies alone. What the core writes is in its caches afterwards, and
// durable only when it is flushed or evicted.
//
// Owned by MemoryHierarchy. Copies of one direction follow each other: each direction has one pair of buffers.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <new>

#include "host/cores.hpp"
#include "memory/dma_transfer.hpp"
#include "runtime/copy_engines.hpp"

namespace ew::runtime {

class BouncedCopies {
 public:
  using Tell = std::function<void(u64 id)>;
  /// `bytes`: of a buffer. `begins`: the copy's first piece begins; `done`: its last byte has arrived.
  BouncedCopies(u64 bytes, CopyEngines&, host::Cores&, Tell begins, Tell done);

  /// REQUIRES: no fill. `engine`: what its other half goes through.
  void start(u32 engine, u64 id, memory::DmaTransfer);
  /// A piece is over: of an engine's or a core's. True: it was one of these.
  bool piece_done(u64 id);
  bool idle() const;

 private:
  /// Ids of pieces have this bit; tickets of commands never do.
  static constexpr u64 piece = u64{1} << 63;
  static constexpr u32 buffers = 2;

  /// A stretch of bytes of the copy.
  struct Stretch {
    u64 to = 0, from = 0, bytes = 0;
  };
  struct Copy {
    u64 id;
    u32 engine;
    memory::DmaTransfer transfer;
    u64 x = 0, y = 0, z = 0;  // where the next stretch begins
  };
  struct Free {
    void operator()(u8* memory) const { ::operator delete[](memory, std::align_val_t{4096}); }
  };
  enum class Stage : u8 { free, filling, full, emptying };
  struct Direction {
    std::deque<Copy> copies;  // front: under way
    std::unique_ptr<u8[], Free> memory;
    std::array<Stage, buffers> stages{};
    std::array<Stretch, buffers> stretches;
    u32 fill = 0, empty = 0;  // the buffer that is filled, and emptied, next
  };

  bool next(Copy&, Stretch&) const;
  void begin(u32 direction);
  void go_on(u32 direction);
  void by_core(u32 direction, u32 buffer, u64 to, u64 from, u64 bytes);
  void by_engine(u32 direction, u32 buffer, u64 to, u64 from, u64 bytes);
  u8* buffer(Direction&, u32 number);

  const u64 bytes_;
  CopyEngines& engines_;
  host::Cores& cores_;
  Tell begins_, done_;
  // To the host, to the device, and copies of a core alone.
  std::array<Direction, 3> directions_;
};

}  // namespace ew::runtime
