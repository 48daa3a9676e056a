#include "runtime/gpufs.hpp"

#include <everwarp/gpufs_format.h>
#include <fmt/format.h>

#include <cstring>

#include "core/diagnostics.hpp"

namespace ew::runtime {

namespace {

constexpr std::size_t longest_name = 127;
constexpr u64 of_a_call = u64{1} << 62;  // ids

/// What a daemon reads and writes besides the mailbox: a line for the request, and the answer behind it. On a page of
/// its own, so that no result depends on where the host's memory has room.
struct alignas(4096) Scratch {
  u8 request[host::host_line];
  u64 answer;
};
struct Daemon {
  std::unique_ptr<Scratch> scratch = std::make_unique<Scratch>();
  bool busy = false;
};
struct File {
  std::string name;
  everwarp_host_file* file = nullptr;
};

}  // namespace

struct Gpufs::Box {
  everwarp::GpufsMailbox mailbox;
  std::vector<Daemon> daemons;
  std::vector<File> files;
  std::vector<bool> taken;  // by slot
  u32 next = 0;             // where daemons look first
};

Gpufs::Gpufs(const MachineConfig& config, HostFiles& files) : config_(config), files_(files) {}
Gpufs::~Gpufs() = default;

void Gpufs::begin(const everwarp::GpufsMailbox& mailbox, u32 daemons) {
  const std::lock_guard guard(mutex_);
  auto made = std::make_unique<Box>();
  Box& box = *made;
  box.mailbox = mailbox;
  boxes_[reinterpret_cast<u64>(mailbox.memory)] = std::move(made);
  box.daemons.resize(daemons);
  box.taken.resize(mailbox.slots);
  any_ = true;
}

int Gpufs::offer(const everwarp::GpufsMailbox& mailbox, everwarp_host_file* file, const std::string& name) {
  const std::lock_guard guard(mutex_);
  Box& box = box_of(reinterpret_cast<u64>(mailbox.memory));
  if (name.empty() || name.size() > longest_name)
    throw core::UserError(fmt::format("gpufs_offer: the name \"{}\" has {} characters; expected 1 to {}", name,
                                      name.size(), longest_name));
  if (file->bytes > everwarp::gpufs_most_bytes)
    throw core::UserError(
        fmt::format("gpufs_offer: {} has {} bytes; GPUfs supports files up to 2 GB ({} bytes), because its calls give "
                    "offsets as int",
                    name, file->bytes, static_cast<u64>(everwarp::gpufs_most_bytes)));
  if (config_.machine.timing() && config_.nvm.near())
    throw core::UserError(fmt::format(
        "gpufs_offer: {} lies in a pool on the GPU (nvm.attach = near), which the host's cores do not reach", name));
  box.files.push_back({name, file});
  return static_cast<int>(box.files.size()) - 1;
}

void Gpufs::end(const everwarp::GpufsMailbox& mailbox) {
  const std::lock_guard guard(mutex_);
  box_of(reinterpret_cast<u64>(mailbox.memory));
  boxes_.erase(reinterpret_cast<u64>(mailbox.memory));
  any_ = !boxes_.empty();
}

Gpufs::Box& Gpufs::box_of(u64 memory) {
  const auto found = boxes_.find(memory);
  if (found == boxes_.end()) throw core::UserError("gpufs: this is not a mailbox that gpufs_start has made");
  return *found->second;
}

bool Gpufs::posted(const Box& box, u32 slot) {
  const volatile everwarp::GpufsFlags& flags = box.mailbox.flags[slot];
  return !box.taken[slot] && flags.posted != static_cast<u32>(flags.answer >> 32);
}

std::vector<GpufsCall> Gpufs::take() {
  const std::lock_guard guard(mutex_);
  std::vector<GpufsCall> calls;
  for (auto& [memory, pointer] : boxes_) {
    Box& box = *pointer;
    u32 looked = 0;
    for (u32 daemon = 0; daemon < box.daemons.size() && looked < box.mailbox.slots; ++daemon) {
      if (box.daemons[daemon].busy) continue;
      for (; looked < box.mailbox.slots; ++looked) {
        const u32 slot = box.next;
        box.next = (slot + 1) % box.mailbox.slots;
        if (!posted(box, slot)) continue;
        calls.push_back(serve(box, slot, daemon));
        ++looked;
        break;
      }
    }
  }
  return calls;
}

u64 Gpufs::waiting() const {
  const std::lock_guard guard(mutex_);
  u64 count = 0;
  for (const auto& [memory, box] : boxes_)
    for (u32 slot = 0; slot < box->mailbox.slots; ++slot) count += posted(*box, slot);
  return count;
}

/// The daemon loads the request, makes the system call, and stores the answer. The request's words do not change before
/// the answer: what the work is can be said now.
GpufsCall Gpufs::serve(Box& box, u32 slot, u32 daemon) {
  box.taken[slot] = box.daemons[daemon].busy = true;
  Scratch& scratch = *box.daemons[daemon].scratch;
  const u64 request_at = reinterpret_cast<u64>(box.mailbox.slot(slot));
  everwarp::GpufsFlags& flags = box.mailbox.flags[slot];
  everwarp::GpufsRequest request;
  std::memcpy(&request, reinterpret_cast<const void*>(request_at), sizeof request);
  GpufsCall made{.id = of_a_call | calls_++,
                 .mailbox = reinterpret_cast<u64>(box.mailbox.memory),
                 .slot = slot,
                 .daemon = daemon,
                 .work = {.steps = {}, .asked = host::Asked::by_gwrite}};
  std::vector<host::Step>& steps = made.work.steps;
  steps.push_back({.act = host::Act::compute, .picoseconds = config_.host.daemon_call.count});
  steps.push_back({.act = host::Act::copy,
                   .to = reinterpret_cast<u64>(scratch.request),
                   .from = request_at,
                   .bytes = host::host_line});
  const int result = call(box, request, reinterpret_cast<u64>(box.mailbox.data(slot)), made.work);
  scratch.answer = u64{flags.posted} << 32 | static_cast<u32>(result);
  steps.push_back({.act = host::Act::copy,
                   .to = reinterpret_cast<u64>(&flags.answer),
                   .from = reinterpret_cast<u64>(&scratch.answer),
                   .bytes = sizeof flags.answer});
  return made;
}

int Gpufs::call(const Box& box, const everwarp::GpufsRequest& request, u64 data, host::Work& work) {
  const auto append = [&](host::Work part) {
    work.steps.insert(work.steps.end(), part.steps.begin(), part.steps.end());
  };
  if (request.operation == everwarp::gpufs_open) {
    const char* const name = reinterpret_cast<const char*>(data);
    for (std::size_t i = 0; i < box.files.size(); ++i)
      if (std::strncmp(box.files[i].name.c_str(), name, longest_name + 1) == 0) {
        if (everwarp_host_file* const file = files_.find(box.files[i].file)) append(files_.look_up(*file));
        return static_cast<int>(i);
      }
    return everwarp::gpufs_no_file;
  }
  if (request.file < 0 || static_cast<u64>(request.file) >= box.files.size()) return everwarp::gpufs_no_file;
  everwarp_host_file* const file = files_.find(box.files[static_cast<u32>(request.file)].file);
  if (!file) return everwarp::gpufs_no_file;  // the program has closed it
  const u64 offset = static_cast<u32>(request.offset), bytes = static_cast<u32>(request.bytes);
  switch (request.operation) {
    case everwarp::gpufs_sync:
      append(files_.sync(*file));
      return 0;
    case everwarp::gpufs_close:
      append(files_.look_up(*file));
      return 0;
    case everwarp::gpufs_read:
    case everwarp::gpufs_write:
      break;
    default:
      return everwarp::gpufs_no_operation;
  }
  if (request.offset < 0 || request.bytes < 0 || request.bytes > static_cast<int>(box.mailbox.bytes) ||
      offset > file->bytes || bytes > file->bytes - offset)
    return everwarp::gpufs_outside;
  append(request.operation == everwarp::gpufs_write ? files_.write(*file, offset, data, bytes)
                                                    : files_.read(*file, offset, data, bytes));
  return request.bytes;
}

void Gpufs::served(const GpufsCall& made) {
  const std::lock_guard guard(mutex_);
  const auto found = boxes_.find(made.mailbox);
  if (found == boxes_.end()) return;
  found->second->taken[made.slot] = false;
  found->second->daemons[made.daemon].busy = false;
}

}  // namespace ew::runtime
