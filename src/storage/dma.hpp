// How a controller reaches memory. Implemented by what stands between the controller and the memory: in tests and in
// functional mode memory itself, on a timing machine the link and the homes.
#pragma once

#include <span>

#include "core/types.hpp"

namespace ew::storage {

/// Who asked. `moved` is called once for each read and write, never from within the call that asked.
class DmaClient {
 public:
  virtual ~DmaClient() = default;
  /// A read: the bytes are there. A write: they have left, in the order of the calls; `from` may change.
  virtual void moved(u32 tag) = 0;
};

class Dma {
 public:
  virtual ~Dma() = default;
  /// Can this stretch of bus addresses be read and written? The controller asks before it moves anything.
  virtual bool reaches(u64 address, u64 bytes) const = 0;
  /// REQUIRES: the stretch is reached; `to` and `from` stay until `moved`.
  virtual void read(u64 address, std::span<u8> to, u32 tag) = 0;
  virtual void write(u64 address, std::span<const u8> from, u32 tag) = 0;
};

}  // namespace ew::storage
