// Persistent pools (gpm_map): a file that host and kernels use as memory. Owned by PersistentMemory; guarded by the
// Machine's mutex.
//
// The file is one page of header, then the pool's bytes. In functional mode the program's mapping is shared with the
// file: a store is durable the moment it is performed (strict order). In timing mode the program's mapping is the
// coherent image, private to the process and filled from the file; a second mapping, which only the durable image
// writes, is the file. Pages of the first that were never written show the file as it is; a byte of the file changes
// only after it was written in the first, so both agree there. What gpm_persist_range, gpm_unmap and a normal exit
// cover is copied; a killed process leaves exactly what was durable.
//
// A pool lives at one address for ever, so that pointers inside it stay valid; it is reopened there or refused. The
// address follows from the file's name, so that pools made by different programs seldom collide. While mapped, the file
// is locked against other processes. The header carries a checksum: one that does not match is a torn creation.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "core/types.hpp"
#include "memory/address_space.hpp"
#include "memory/durable_image.hpp"

namespace ew::runtime {

struct PoolHeader {
  char magic[8];
  u32 version;
  u32 header_bytes;
  u64 size;      // bytes of the pool, as asked for
  u64 address;   // of the pool's first byte in every process
  u64 checksum;  // of the fields above
};

inline constexpr std::string_view pool_magic{"EWPOOL\0\1", 8};
inline constexpr u32 pool_version = 1;
inline constexpr u64 pool_header_bytes = 4096;
u64 pool_checksum(const PoolHeader&);

/// The header of a pool's file. Throws core::UserError for what is none, of another version, torn or truncated.
PoolHeader read_pool_header(const std::string& path);
/// A process has it mapped.
bool pool_is_mapped(const std::string& path);

/// How kernels may use a pool: gpm_map() gives it to them, a mapping of the host only cudaHostRegister().
enum class PoolUsers : u8 { host, host_and_kernels };

class Pools {
 public:
  /// durable: of a timing machine; nullptr: durable is what is performed.
  explicit Pools(memory::AddressSpace& memory, memory::DurableImage* durable = nullptr)
      : memory_(memory), durable_(durable) {}
  ~Pools();

  /// Maps the pool in `path`. create: makes it first, all zero; an Everwarp pool that is there already is replaced, any
  /// other file is refused. Otherwise it must exist with this size (0: whatever size it has). Throws core::UserError
  /// with one sentence.
  void* map(const std::string& path, u64 size, bool create, PoolUsers = PoolUsers::host_and_kernels);
  /// Throws core::UserError unless `address` is what map() gave. Everything of it is durable first.
  void unmap(void* address);
  /// Everything of every pool is durable: before the program ends.
  void drain();
  /// The host's stores to [address, address + size) are durable at return: in the file's medium, not only in its pages.
  /// Throws core::UserError unless one pool holds them all.
  void make_durable(u64 address, u64 size);
  /// What is durable of [address, address + size) is in the file's medium, not only in its pages. Throws likewise.
  void settle(u64 address, u64 size);
  /// Bytes of the pool that begins at this address; 0: none does.
  u64 size_at(u64 address) const;
  std::string path_at(u64 address) const;
  /// The end of the pool that holds this address; nothing: none does.
  std::optional<u64> end_of_holder(u64 address) const;
  /// cudaHostRegister() of bytes of a pool. False: they are registered, or gpm_map() gave them to kernels, or no pool
  /// holds them all.
  bool register_host(u64 address, u64 size);
  /// False: nothing was registered at this address.
  bool unregister_host(u64 address);
  /// Whether cudaHostRegister() or gpm_map() has given this address to kernels.
  bool registered(u64 address) const;
  /// Bytes of the pool in a file; 0 when there is none.
  static u64 size_of(const std::string& path);
  bool holds(u64 address) const;
  /// [lowest, highest) of all pools mapped so far.
  std::pair<u64, u64> range() const { return {low_, high_}; }
  /// A pool has lain outside of the folder that the program was started in.
  bool outside_of_folder() const { return outside_; }

 private:
  struct Pool {
    std::string path;
    u64 size = 0;
    int descriptor = -1;
    u8* durable = nullptr;  // the second mapping, in timing mode
    PoolUsers users = PoolUsers::host_and_kernels;
    u64 registered_at = 0;  // by the program; 0: it is not
  };
  std::pair<const u64, Pool>& holding(u64 address, u64 size);
  std::map<u64, Pool>::const_iterator holder(u64 address) const;  // pools_.end(): none
  u64 choose_address(const std::string& path, u64 bytes);
  void* attach(const std::string& path, int descriptor, const PoolHeader&, PoolUsers);

  memory::AddressSpace& memory_;
  memory::DurableImage* const durable_;
  std::map<u64, Pool> pools_;
  bool outside_ = false;
  std::atomic<u64> low_ = ~u64{0}, high_ = 0;  // read without the mutex by range()
};

}  // namespace ew::runtime
