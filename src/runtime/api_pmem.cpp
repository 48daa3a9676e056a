// What include/platform/libpmem.h declares: PMDK's libpmem on the pools of this machine.
#include <fmt/format.h>
#include <platform/libpmem.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "core/files.hpp"
#include "runtime/own_api.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

std::string& last_mistake() {
  static thread_local std::string text;
  return text;
}

/// own_api() as libpmem has it: the mistake is kept for pmem_errormsg(), too, and errno is that of the operating
/// system's call that failed, or EINVAL.
template <class Result, class F>
Result pmem_api(Result otherwise, F&& call) {
  return own_api(otherwise, [&](Machine& machine, ApiLock& lock) {
    const int before = std::exchange(errno, 0);
    try {
      const Result result = call(machine, lock);
      errno = before;
      return result;
    } catch (const std::exception& mistake) {
      last_mistake() = mistake.what();
      if (errno == 0) errno = EINVAL;
      throw;
    }
  });
}

/// The part of [address, address + bytes) that lies in the pool of its first byte; 0 bytes: in none.
u64 bytes_in_pool(const Pools& pools, u64 address, u64 bytes) {
  const auto end = pools.end_of_holder(address);
  return end ? std::min<u64>(bytes, *end - address) : 0;
}

[[noreturn]] void fail_for_good() {
  throw core::UserError("pmem: an earlier failure of the GPU ended this call");
}

void persist(Machine& machine, ApiLock& lock, u64 address, u64 size) {
  const u64 bytes = bytes_in_pool(machine.persistence().pools(), address, size);
  if (bytes != 0 && !flush_by_host(machine, lock, address, bytes)) fail_for_good();
}

/// PMDK's default: shorter copies go through the caches (PMEM_MOVNT_THRESHOLD).
constexpr size_t shortest_stream = 256;

bool overlap(const void* to, const void* from, size_t bytes) {
  const u64 a = reinterpret_cast<u64>(to), b = reinterpret_cast<u64>(from);
  return a < b + bytes && b < a + bytes;
}

/// `from` nullptr: zeros.
void* write(void* to, const void* from, size_t bytes, unsigned flags, const char* who) {
  return pmem_api(to, [&](Machine& machine, ApiLock& lock) -> void* {
    if (flags & ~PMEM_F_MEM_VALID_FLAGS) throw core::UserError(fmt::format("{}: unknown flags {:#x}", who, flags));
    if (bytes == 0) return to;
    const u64 target = reinterpret_cast<u64>(to);
    const bool flush = !(flags & PMEM_F_MEM_NOFLUSH);
    const bool in_pool = bytes_in_pool(machine.persistence().pools(), target, bytes) == bytes;
    const auto source = machine.memory().space().find(reinterpret_cast<u64>(from));
    const bool managed = from && source && source->region == memory::Region::managed;
    // The program's own stores take no time.
    if (!in_pool || managed || !machine.persistence().host_flushes() || (from && overlap(to, from, bytes))) {
      from ? std::memmove(to, from, bytes) : std::memset(to, 0, bytes);
      if (flush) persist(machine, lock, target, bytes);
      return to;
    }
    if (from) check_host_memory(machine, from, bytes, who);
    const bool through_caches = flags & (PMEM_F_MEM_TEMPORAL | PMEM_F_MEM_WB);
    const bool past_caches = flags & (PMEM_F_MEM_NONTEMPORAL | PMEM_F_MEM_WC);
    const bool stream = flush && (past_caches || (!through_caches && bytes >= shortest_stream));
    std::vector<host::Step> steps{{.act = stream ? host::Act::stream : host::Act::copy,
                                   .to = target,
                                   .from = reinterpret_cast<u64>(from),
                                   .bytes = bytes}};
    if (flush && !stream) steps.push_back({.act = host::Act::flush, .to = target, .bytes = bytes});
    const Ticket written = machine.queue().submit(host_work_command({std::move(steps)}), {});
    if (machine.context().wait(written, lock) != cudaSuccess) fail_for_good();
    if (flush) machine.persistence().settle(target, bytes);
    return to;
  });
}

void* set(void* to, int value, size_t bytes, unsigned flags, const char* who) {
  if (static_cast<unsigned char>(value) == 0) return write(to, nullptr, bytes, flags, who);
  return pmem_api(to, [&](Machine& machine, ApiLock& lock) -> void* {
    if (flags & ~PMEM_F_MEM_VALID_FLAGS) throw core::UserError(fmt::format("{}: unknown flags {:#x}", who, flags));
    std::memset(to, value, bytes);
    if (!(flags & PMEM_F_MEM_NOFLUSH)) persist(machine, lock, reinterpret_cast<u64>(to), bytes);
    return to;
  });
}

void* map(Machine& machine, const std::string& path, u64 bytes, int flags) {
  const bool create = flags & PMEM_FILE_CREATE;
  if (flags & PMEM_FILE_TMPFILE)
    throw core::UserError("pmem_map_file: PMEM_FILE_TMPFILE is not supported: a pool has a name");
  if (flags & ~(PMEM_FILE_CREATE | PMEM_FILE_EXCL | PMEM_FILE_SPARSE))
    throw core::UserError(fmt::format("pmem_map_file: unknown flags {:#x}", flags));
  if (!create && (bytes || flags))
    throw core::UserError("pmem_map_file: a size or flags without PMEM_FILE_CREATE: an existing file is mapped whole");
  if (create && bytes == 0) throw core::UserError("pmem_map_file: PMEM_FILE_CREATE needs a size above 0");
  struct stat status {};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  errno = 0;
  if (is_there && (flags & PMEM_FILE_EXCL)) {
    errno = EEXIST;
    throw core::UserError(fmt::format("pmem_map_file: {} exists, and PMEM_FILE_EXCL is set", path));
  }
  // A pool that is there keeps its content, and a damaged one is refused, not replaced.
  const bool fresh = create && (!is_there || (S_ISREG(status.st_mode) && status.st_size == 0));
  return machine.persistence().map(path, bytes, fresh, PoolUsers::host);
}

}  // namespace

extern "C" {

void* pmem_map_file(const char* path, size_t bytes, int flags, mode_t, size_t* mapped, int* is_pmem) {
  return pmem_api<void*>(nullptr, [&](Machine& machine, ApiLock&) {
    if (!path) throw core::UserError("pmem_map_file: the path is a null pointer");
    void* const address = map(machine, path, bytes, flags);
    machine.persistence().expect_host_work();
    if (mapped) *mapped = machine.persistence().pools().size_at(reinterpret_cast<u64>(address));
    if (is_pmem) *is_pmem = 1;
    return address;
  });
}

int pmem_unmap(void* address, size_t) {
  return pmem_api(-1, [&](Machine& machine, ApiLock& lock) {
    machine.context().wait_idle(lock);
    machine.persistence().unmap(address);
    return 0;
  });
}

int pmem_is_pmem(const void* address, size_t bytes) {
  return pmem_api(0, [&](Machine& machine, ApiLock&) {
    return static_cast<int>(
        bytes && bytes_in_pool(machine.persistence().pools(), reinterpret_cast<u64>(address), bytes) == bytes);
  });
}

int pmem_msync(const void* address, size_t bytes) {
  return pmem_api(-1, [&](Machine& machine, ApiLock& lock) {
    persist(machine, lock, reinterpret_cast<u64>(address), bytes);
    return 0;
  });
}
/// The C library's, for programs that take a pool for a mapped file: of a pool it is pmem_msync().
int msync(void* address, size_t bytes, int flags) {
  constexpr u64 page = 4096;
  const bool of_pool = (flags & MS_SYNC) && reinterpret_cast<u64>(address) % page == 0 &&
                       process().existing_machine() && !CallbackThread::inside() && pmem_is_pmem(address, 1);
  return of_pool ? pmem_msync(address, bytes) : core::sync_mapped(address, bytes, flags);
}
void pmem_persist(const void* address, size_t bytes) {
  pmem_msync(address, bytes);
}
void pmem_flush(const void* address, size_t bytes) {
  pmem_msync(address, bytes);
}
void pmem_drain(void) {}
void pmem_deep_flush(const void* address, size_t bytes) {
  pmem_msync(address, bytes);
}
int pmem_deep_drain(const void*, size_t) {
  return 0;
}
int pmem_deep_persist(const void* address, size_t bytes) {
  return pmem_msync(address, bytes);
}

int pmem_has_auto_flush(void) {
  return pmem_api(-1, [](Machine& machine, ApiLock&) { return static_cast<int>(machine.config().nvm.eadr); });
}
int pmem_has_hw_drain(void) {
  return 0;
}

void* pmem_memcpy(void* to, const void* from, size_t bytes, unsigned flags) {
  return write(to, from, bytes, flags, "pmem_memcpy");
}
void* pmem_memmove(void* to, const void* from, size_t bytes, unsigned flags) {
  return write(to, from, bytes, flags, "pmem_memmove");
}
void* pmem_memset(void* to, int value, size_t bytes, unsigned flags) {
  return set(to, value, bytes, flags, "pmem_memset");
}
void* pmem_memcpy_persist(void* to, const void* from, size_t bytes) {
  return pmem_memcpy(to, from, bytes, 0);
}
void* pmem_memmove_persist(void* to, const void* from, size_t bytes) {
  return pmem_memmove(to, from, bytes, 0);
}
void* pmem_memset_persist(void* to, int value, size_t bytes) {
  return pmem_memset(to, value, bytes, 0);
}
void* pmem_memcpy_nodrain(void* to, const void* from, size_t bytes) {
  return pmem_memcpy(to, from, bytes, PMEM_F_MEM_NODRAIN);
}
void* pmem_memmove_nodrain(void* to, const void* from, size_t bytes) {
  return pmem_memmove(to, from, bytes, PMEM_F_MEM_NODRAIN);
}
void* pmem_memset_nodrain(void* to, int value, size_t bytes) {
  return pmem_memset(to, value, bytes, PMEM_F_MEM_NODRAIN);
}

const char* pmem_check_version(unsigned major, unsigned minor) {
  if (major == PMEM_MAJOR_VERSION && minor <= PMEM_MINOR_VERSION) return nullptr;
  static thread_local std::string text;
  text = fmt::format("libpmem {}.{} is needed; this is {}.{}", major, minor, PMEM_MAJOR_VERSION, PMEM_MINOR_VERSION);
  return text.c_str();
}
const char* pmem_errormsg(void) {
  return last_mistake().c_str();
}

}  // extern "C"
