#include "runtime/movers.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace ew::runtime {

namespace {

/// Where the first thread of this process began: field 28 of proc(5), behind the name in parentheses. 0: not known.
u64 stack_end_of_first_thread() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name = text.rfind(')');
  if (name == text.npos) return 0;
  std::istringstream fields(text.substr(name + 1));
  std::string field;
  for (int number = 3; number <= 28; ++number)
    if (!(fields >> field)) return 0;
  return std::strtoull(field.c_str(), nullptr, 10);
}

}  // namespace

Movers::Movers(const MachineConfig& config, const memory::DmaPort::Parts& port, MemoryDevices& devices,
               const memory::DmaEngine::Tell& copy_begins, const memory::DmaEngine::Tell& moved)
    : config_(config),
      port_(port),
      link_(devices.link()),
      host_memory_(devices.of_host_pages()),
      map_(port.map),
      pages_(port.map, stack_end_of_first_thread()),
      engines_(config, port, devices.of_host_pages(), pages_, copy_begins, over(moved)) {
  if (config.device.integrated) return;
  cores_ =
      std::make_unique<host::Cores>(host::Surroundings{.wheel = port.wheel,
                                                       .clock = config.device.clock,
                                                       .config = config.host,
                                                       .payloads = port.payloads,
                                                       .pages = pages_,
                                                       .memory = &devices.of_host_pages(),
                                                       .pools = config.far_pools() ? devices.of_far_pools() : nullptr,
                                                       .durable = devices.durable()},
                                    over(moved));
  if (config.bounces_copies())
    bounced_copies_ = std::make_unique<BouncedCopies>(config.host.bounce.count, engines_, *cores_, copy_begins, moved);
}

/// What an engine or a core has done may be a part of a copy by way of the host.
memory::DmaEngine::Tell Movers::over(const memory::DmaEngine::Tell& moved) {
  return [this, moved](u64 id) {
    if (!bounced_copies_ || !bounced_copies_->piece_done(id)) moved(id);
  };
}

BouncedCopies* Movers::bounces(const memory::DmaTransfer& transfer) {
  if (!bounced_copies_ || !transfer.pattern.empty()) return nullptr;
  const bool of_pool = map_.place(transfer.to.address).persistent ||
                       (transfer.staged.empty() && map_.place(transfer.from.address).persistent);
  return of_pool ? bounced_copies_.get() : nullptr;
}

void Movers::attach(Storage& storage, memory::AddressSpace& space,
                    std::function<void(u64 address, u64 bytes, bool written)> meet_image) {
  if (storage.count() == 0) return;
  memory::DmaPort::Parts port = port_;
  port.id = static_cast<memory::AgentId>(port.id + copy_ports_of(config_));
  drives_ = std::make_unique<TimedDrives>(
      config_, storage,
      TimedDrives::Parts{
          .gpu_link = link_,
          .host_memory = host_memory_,
          .in_host_memory = [this](u64 address) { return pages_.in_device(pages_.place(address)).address; },
          .port = port,
          .space = space,
          .meet_image = std::move(meet_image)});
}

void Movers::add_to(HierarchyStatistics& sum) const {
  engines_.add_to(sum);
  if (cores_) sum.host = cores_->statistics();
  if (drives_) sum.storage = drives_->statistics();
}

std::string Movers::what_is_under_way() const {
  return engines_.what_is_under_way() + (cores_ ? cores_->what_is_under_way() : std::string()) +
         (drives_ ? drives_->what_is_under_way() : std::string());
}

}  // namespace ew::runtime
