// The interface by which a controller accesses memory. In tests and in functional mode the memory itself is behind it;
// on a timing machine, the link and the homes.
#pragma once

#include <span>

#include "core/types.hpp"

namespace ew::storage {

/// The object that asks for reads and writes. moved() is called once for each, and never from within the asking call.
class DmaClient {
 public:
  virtual ~DmaClient() = default;
  /// For a read: the bytes are there. For a write: the bytes have left, and `from` may change. Writes leave in the
  /// order of the calls.
  virtual void moved(u32 tag) = 0;
};

class Dma {
 public:
  virtual ~Dma() = default;
  /// True if these bus addresses can be read and written. The controller asks this before it moves anything.
  virtual bool reaches(u64 address, u64 bytes) const = 0;
  /// REQUIRES: reaches(); `to` and `from` are valid until moved().
  virtual void read(u64 address, std::span<u8> to, u32 tag) = 0;
  virtual void write(u64 address, std::span<const u8> from, u32 tag) = 0;
};

}  // namespace ew::storage
