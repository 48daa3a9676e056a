#include "runtime/pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/checked.hpp"
#include "core/diagnostics.hpp"
#include "core/files.hpp"
#include "core/fingerprint.hpp"
#include "memory/address_map.hpp"

namespace ew::runtime {

namespace {

/// When the library was loaded.
const std::filesystem::path& started_in() {
  static const std::filesystem::path folder = [] {
    std::error_code error;
    return std::filesystem::current_path(error);
  }();
  return folder;
}
[[gnu::constructor]] void note_folder() {
  started_in();
}

bool lies_outside(const std::string& path) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(path, error);
  const auto folder = std::filesystem::weakly_canonical(started_in(), error);
  const auto relative = whole.lexically_relative(folder);
  return relative.empty() || *relative.begin() == "..";
}

core::Checked file_bytes(const PoolHeader& header) {
  return core::Checked(header.size).rounded_up(4096) + header.header_bytes;
}

/// REQUIRES: the size of a pool that was accepted.
u64 whole_pages(u64 size) {
  return core::Checked(size).rounded_up(4096).value();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw core::UserError(fmt::format("pool {}: {}", path, why));
}

[[noreturn]] void refuse_system(const std::string& path, const char* what) {
  refuse(path, fmt::format("{}: {}", what, std::strerror(errno)));
}

/// A descriptor that closes itself unless released.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Opened without waiting for the other end of a FIFO; refuses what is no plain file. -1, and errno: cannot be opened.
int open_plain(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0644);
  struct stat status {};
  if (file < 0) return file;
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) return file;
  ::close(file);
  refuse(path, "is not a plain file");
}

/// Every block of the file has room on the disk from now on: a store to the mapping then never fails. An errno, or 0.
int reserve_blocks(int descriptor, u64 bytes) {
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(descriptor, 0, static_cast<off_t>(bytes));
  return error;
}

void lock_or_refuse(const std::string& path, int descriptor) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    refuse(path, "it is mapped by another process or a second time in this one");
}

/// The header of an open file, checked; refuses what is no pool of this version.
PoolHeader read_header(const std::string& path, int descriptor) {
  PoolHeader header{};
  const ssize_t got = ::pread(descriptor, &header, sizeof header, 0);
  if (got < 0) refuse_system(path, "cannot be read");
  if (got < static_cast<ssize_t>(sizeof header.magic) ||
      std::memcmp(header.magic, pool_magic.data(), sizeof header.magic) != 0)
    refuse(path, "is not an Everwarp pool (its first bytes are something else); it is left as it is");
  if (got < static_cast<ssize_t>(sizeof header)) refuse(path, "its header is torn: the file ends inside it");
  if (header.version != pool_version)
    refuse(path, fmt::format("has pool version {}, this library reads version {}", header.version, pool_version));
  if (header.checksum != pool_checksum(header)) refuse(path, "its header is torn: the checksum does not match");
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) refuse_system(path, "cannot be examined");
  const core::Checked promised = file_bytes(header);
  if (header.header_bytes != pool_header_bytes || header.size == 0 || !promised.fits())
    refuse(path, fmt::format("its header makes no sense: {} bytes behind {}", header.size, header.header_bytes));
  if (!promised.at_most(static_cast<u64>(status.st_size)))
    refuse(path, fmt::format("is truncated: {} bytes, its header promises {}", status.st_size, promised.value()));
  return header;
}

}  // namespace

u64 pool_checksum(const PoolHeader& header) {  // over everything before the checksum
  const char* bytes = reinterpret_cast<const char*>(&header);
  return core::fingerprint({bytes, offsetof(PoolHeader, checksum)});
}

Pools::~Pools() {
  while (!pools_.empty()) unmap(reinterpret_cast<void*>(pools_.begin()->first));
}

void* Pools::map(const std::string& path, u64 size, bool create, PoolUsers users) {
  if (!create) {
    Descriptor file(open_plain(path, O_RDWR));
    if (file.get() < 0) refuse_system(path, "cannot be opened");
    const PoolHeader header = read_header(path, file.get());
    if (size != 0 && header.size != size)
      refuse(path, fmt::format("holds {} bytes, the program asks for {}", header.size, size));
    lock_or_refuse(path, file.get());
    if ((errno = reserve_blocks(file.get(), file_bytes(header).value())) != 0)
      refuse_system(path, "cannot have all of its blocks on the disk");
    void* address = attach(path, file.get(), header, users);
    file.release();
    return address;
  }
  if (size == 0) refuse(path, "cannot be created with a size of 0");
  if (size > memory_.pool_range().second) refuse(path, fmt::format("no room for {} bytes in the arena of pools", size));
  if (Descriptor old(open_plain(path, O_RDWR)); old.get() >= 0) {
    char magic[8] = {};
    const ssize_t got = ::pread(old.get(), magic, sizeof magic, 0);
    if (got != 0 && (got != sizeof magic || std::memcmp(magic, pool_magic.data(), sizeof magic) != 0))
      refuse(path, "exists and is not an Everwarp pool; it is left as it is");
    lock_or_refuse(path, old.get());
  } else if (errno != ENOENT) {
    refuse_system(path, "cannot be opened");
  }
  const u64 place = choose_address(path, whole_pages(size));
  // Made under another name and renamed when complete, so that a crash leaves the old pool or the new one, never a
  // part.
  const std::string fresh = path + ".new";
  Descriptor file(open_plain(fresh, O_RDWR | O_CREAT | O_TRUNC));
  if (file.get() < 0) refuse_system(fresh, "cannot be created");
  lock_or_refuse(fresh, file.get());
  PoolHeader header{};
  std::memcpy(header.magic, pool_magic.data(), sizeof header.magic);
  header.version = pool_version;
  header.header_bytes = pool_header_bytes;
  header.size = size;
  header.address = place;
  header.checksum = pool_checksum(header);
  const bool written = (errno = reserve_blocks(file.get(), file_bytes(header).value())) == 0 &&
                       ::pwrite(file.get(), &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
                       ::fsync(file.get()) == 0 && ::rename(fresh.c_str(), path.c_str()) == 0;
  if (!written) {
    const int error = errno;
    ::unlink(fresh.c_str());
    errno = error;
    refuse_system(path, "cannot be created");
  }
  void* address = attach(path, file.get(), header, users);
  file.release();
  return address;
}

/// Where a new pool lives: a place that its file name picks, or the next free one behind it.
u64 Pools::choose_address(const std::string& path, u64 bytes) {
  constexpr u64 place = memory::pool_frame;
  const auto [begin, size] = memory_.pool_range();
  const u64 places = size / place;
  const auto slash = path.rfind('/');
  u64 next = core::fingerprint(std::string_view(path).substr(slash == path.npos ? 0 : slash + 1)) % places;
  for (u64 tried = 0; tried < places; ++tried, next = (next + 1) % places) {
    const u64 address = begin + next * place;
    if (memory_.reserve_pool(bytes, address) != address) continue;
    memory_.unreserve_pool(address, bytes);
    return address;
  }
  refuse(path, fmt::format("no room for {} bytes in the arena of pools", bytes));
}

void* Pools::attach(const std::string& path, int descriptor, const PoolHeader& header, PoolUsers users) {
  const u64 bytes = whole_pages(header.size);
  if (memory_.reserve_pool(bytes, header.address) != header.address)
    refuse(path,
           fmt::format("must be mapped at its own address {:#x}, which is taken (by another pool?)", header.address));
  void* wanted = reinterpret_cast<void*>(header.address);
  const auto offset = static_cast<off_t>(header.header_bytes);
  void* const got = ::mmap(wanted, bytes, PROT_READ | PROT_WRITE, (durable_ ? MAP_PRIVATE : MAP_SHARED) | MAP_FIXED,
                           descriptor, offset);
  void* const second = durable_ && got != MAP_FAILED
                           ? ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset)
                           : nullptr;
  if (got == MAP_FAILED || second == MAP_FAILED ||
      !memory_.adopt(memory::Region::pool, header.address, header.size, path)) {
    const int error = errno;
    if (second && second != MAP_FAILED) ::munmap(second, bytes);
    memory_.unreserve_pool(header.address, bytes);
    errno = error;
    refuse_system(path, "cannot be mapped");
  }
  pools_[header.address] = {path, header.size, descriptor, static_cast<u8*>(second), users};
  outside_ |= lies_outside(path);
  if (users == PoolUsers::host) memory_.give_to_kernels(header.address, false);
  if (durable_) durable_->attach(header.address, header.size, static_cast<u8*>(second));
  low_ = std::min(low_.load(), header.address);
  high_ = std::max(high_.load(), header.address + header.size);
  return wanted;
}

void Pools::unmap(void* address) {
  const auto found = pools_.find(reinterpret_cast<u64>(address));
  if (found == pools_.end())
    throw core::UserError(fmt::format("unmap: {} is not the first byte of a mapped pool or file", fmt::ptr(address)));
  const Pool& pool = found->second;
  const u64 bytes = whole_pages(pool.size);
  if (durable_) durable_->copy(found->first, pool.size, static_cast<const u8*>(address));
  memory_.release(found->first);
  core::sync_mapped(pool.durable ? pool.durable : address, bytes, MS_SYNC);
  if (durable_) {
    durable_->detach(found->first);
    ::munmap(pool.durable, bytes);
  }
  memory_.unreserve_pool(found->first, bytes);
  ::close(pool.descriptor);
  pools_.erase(found);
}

void Pools::drain() {
  if (!durable_) return;
  for (const auto& [begin, pool] : pools_) durable_->copy(begin, pool.size, reinterpret_cast<const u8*>(begin));
  durable_->flush_log();
}

std::pair<const u64, Pools::Pool>& Pools::holding(u64 address, u64 size) {
  const auto next = pools_.upper_bound(address);
  const bool inside = next != pools_.begin() && size <= std::prev(next)->second.size &&
                      address - std::prev(next)->first <= std::prev(next)->second.size - size;
  if (!inside) throw core::UserError(fmt::format("gpm_persist_range: no pool holds {} bytes at {:#x}", size, address));
  return *std::prev(next);
}

void Pools::make_durable(u64 address, u64 size) {
  holding(address, size);
  if (durable_) durable_->copy(address, size, reinterpret_cast<const u8*>(address));
  settle(address, size);
}

void Pools::settle(u64 address, u64 size) {
  const auto& [begin, pool] = holding(address, size);
  const u64 page = (address - begin) / 4096 * 4096;
  u8* const medium = (pool.durable ? pool.durable : reinterpret_cast<u8*>(begin)) + page;
  if (core::sync_mapped(medium, address - begin + size - page, MS_SYNC) != 0)
    refuse_system(pool.path, "cannot be written");
}

u64 Pools::size_at(u64 address) const {
  const auto found = pools_.find(address);
  return found == pools_.end() ? 0 : found->second.size;
}

std::string Pools::path_at(u64 address) const {
  const auto found = pools_.find(address);
  return found == pools_.end() ? std::string() : found->second.path;
}

PoolHeader read_pool_header(const std::string& path) {
  const Descriptor file(open_plain(path, O_RDONLY));
  if (file.get() < 0) refuse_system(path, "cannot be opened");
  return read_header(path, file.get());
}

bool pool_is_mapped(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  return file.get() >= 0 && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

u64 Pools::size_of(const std::string& path) {
  try {
    const Descriptor file(open_plain(path, O_RDONLY));
    return file.get() < 0 ? 0 : read_header(path, file.get()).size;
  } catch (const core::UserError&) {
    return 0;
  }
}

std::map<u64, Pools::Pool>::const_iterator Pools::holder(u64 address) const {
  const auto next = pools_.upper_bound(address);
  if (next == pools_.begin()) return pools_.end();
  const auto found = std::prev(next);
  return address < found->first + found->second.size ? found : pools_.end();
}

bool Pools::holds(u64 address) const {
  return holder(address) != pools_.end();
}

std::optional<u64> Pools::end_of_holder(u64 address) const {
  const auto found = holder(address);
  return found == pools_.end() ? std::nullopt : std::optional(found->first + found->second.size);
}

bool Pools::register_host(u64 address, u64 size) {
  const auto found = holder(address);
  if (found == pools_.end() || size > found->first + found->second.size - address || registered(address)) return false;
  pools_.at(found->first).registered_at = address;
  memory_.give_to_kernels(found->first, true);
  return true;
}

bool Pools::unregister_host(u64 address) {
  const auto found = holder(address);
  if (found == pools_.end() || found->second.registered_at != address) return false;
  pools_.at(found->first).registered_at = 0;
  memory_.give_to_kernels(found->first, found->second.users == PoolUsers::host_and_kernels);
  return true;
}

bool Pools::registered(u64 address) const {
  const auto found = holder(address);
  return found != pools_.end() &&
         (found->second.users == PoolUsers::host_and_kernels || found->second.registered_at != 0);
}

}  // namespace ew::runtime
