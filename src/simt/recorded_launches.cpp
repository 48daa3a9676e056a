#include "simt/recorded_launches.hpp"

#include "simt/everwarp_regions.hpp"

namespace ew::simt {

namespace {

RegionKind kind_of(memory::PersistOrder operation) {
  switch (operation) {
    case memory::PersistOrder::ofence:
      return RegionKind::ofence;
    case memory::PersistOrder::dfence:
      return RegionKind::dfence;
    case memory::PersistOrder::p_release:
      return RegionKind::prel;
    case memory::PersistOrder::p_acquire:
      return RegionKind::pacq;
    default:
      return RegionKind::none;
  }
}

}  // namespace

/// A kernel's record: its name, its source files, and for each pc the file's number and the line.
const RecordedKernel& RecordedLaunches::describe(const ptx::Kernel& kernel) {
  RecordedKernel& known = kernels_[&kernel];
  if (known.number && known.name == kernel.name && known.regions.size() == kernel.code.size()) return known;
  known = {++kernel_count_, kernel.name, std::vector<RecordedRegion>(kernel.code.size())};
  for (ptx::Pc pc = 0; pc < kernel.code.size(); ++pc) {
    if (kernel.code[pc].op != ptx::Op::region) continue;
    const ptx::RegionForm& form = kernel.regions[kernel.code[pc].imm];
    const EverwarpRegion& found = *find_region(form.name);
    const RecordedRegion region{.kind = kind_of(found.operation), .scope = found.scope};
    for (ptx::Pc inside = pc; inside < form.end; ++inside) known.regions[inside] = region;
  }
  writer_.begin({.kind = EventKind::kernel, .launch = known.number});
  writer_.put_packed(kernel.name);
  writer_.put(kernel.files.size());
  for (const std::string& file : kernel.files) writer_.put_packed(file);
  writer_.put(kernel.lines.size());
  for (const ptx::SourceLine& line : kernel.lines) writer_.put(u64{line.file} << 32 | line.line);
  writer_.finish();
  return known;
}

void RecordedLaunches::begin(u64 ticket, LaunchId id, const Launch& launch, bool cached) {
  const RecordedKernel& kernel = describe(*launch.kernel);
  running_[id] = {++launch_count_, &kernel};
  last_grid_ = nullptr;
  writer_.begin({.kind = EventKind::launch, .pc = kernel.number, .launch = launch_count_});
  writer_.put(ticket);
  writer_.put(launch.block.count());
  writer_.put(launch.grid.count());
  if (cached) writer_.put(1);
  writer_.finish();
}

bool RecordedLaunches::end(LaunchId id) {
  const auto found = running_.find(id);
  if (found == running_.end()) return false;
  writer_.begin({.kind = EventKind::launch_end, .launch = found->second.number});
  writer_.finish();
  running_.erase(found);
  last_grid_ = nullptr;
  return true;
}

void RecordedLaunches::drop() {
  running_.clear();
  last_grid_ = nullptr;
}

const RecordedLaunch& RecordedLaunches::of(const Grid& grid) {
  if (&grid != last_grid_ || grid.id != last_id_) {
    last_ = running_.at(grid.id);
    last_grid_ = &grid;
    last_id_ = grid.id;
  }
  return last_;
}

}  // namespace ew::simt
