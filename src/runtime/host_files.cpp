#include "runtime/host_files.hpp"

#include <algorithm>
#include <utility>

namespace ew::runtime {

namespace {

constexpr u64 page_bytes = 4096;

}  // namespace

everwarp_host_file* HostFiles::open(const std::string& path, u64 bytes, bool create) {
  void* const address = persistence_.map(path, bytes, create, PoolUsers::host);
  persistence_.expect_host_work();
  auto file = std::make_unique<everwarp_host_file>();
  file->address = reinterpret_cast<u64>(address);
  file->bytes = persistence_.pools().size_at(file->address);
  file->written.assign((file->bytes + page_bytes - 1) / page_bytes, !create);
  everwarp_host_file* const handle = file.get();
  const std::lock_guard guard(mutex_);
  files_.emplace(handle, std::move(file));
  return handle;
}

everwarp_host_file* HostFiles::find(everwarp_host_file* handle) const {
  const std::lock_guard guard(mutex_);
  const auto found = files_.find(handle);
  return found == files_.end() ? nullptr : found->second.get();
}

void HostFiles::close(everwarp_host_file* handle) {
  persistence_.unmap(reinterpret_cast<void*>(handle->address));
  const std::lock_guard guard(mutex_);
  files_.erase(handle);
}

host::Work HostFiles::write(everwarp_host_file& file, u64 offset, u64 from, u64 bytes) const {
  const std::lock_guard guard(mutex_);
  host::FileRange range{.address = file.address + offset, .bytes = bytes};
  for (u64 page = offset / page_bytes; page * page_bytes < offset + bytes; ++page) {
    if (file.written[page]) continue;
    file.written[page] = true;
    const u64 begin = std::max(offset, page * page_bytes), end = std::min(offset + bytes, (page + 1) * page_bytes);
    if (!range.fresh.empty() && range.fresh.back().address + range.fresh.back().bytes == file.address + begin)
      range.fresh.back().bytes += end - begin;
    else
      range.fresh.push_back({file.address + begin, end - begin});
  }
  file.allocated |= !range.fresh.empty();
  host::Work work = system().write(config_.host.sections, range, from);
  work.asked = host::Asked::by_file_write;
  return work;
}

host::Work HostFiles::read(const everwarp_host_file& file, u64 offset, u64 to, u64 bytes) const {
  return system().read(config_.host.sections, {.address = file.address + offset, .bytes = bytes}, to);
}

host::Work HostFiles::sync(everwarp_host_file& file) const {
  const std::lock_guard guard(mutex_);
  return system().sync(config_.host.sections, std::exchange(file.allocated, false));
}

host::Work HostFiles::look_up(const everwarp_host_file& file) const {
  return read(file, 0, 0, 0);
}

}  // namespace ew::runtime
