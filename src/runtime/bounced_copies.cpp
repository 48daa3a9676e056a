#include "runtime/bounced_copies.hpp"

#include <algorithm>
#include <new>

namespace ew::runtime {

namespace {

constexpr u32 to_host = 0, to_device = 1, alone = 2;

u64 address_of(const u8* bytes) {
  return reinterpret_cast<u64>(bytes);
}

}  // namespace

BouncedCopies::BouncedCopies(u64 bytes, CopyEngines& engines, host::Cores& cores, Tell begins, Tell done)
    : bytes_(bytes), engines_(engines), cores_(cores), begins_(std::move(begins)), done_(std::move(done)) {}

void BouncedCopies::start(u32 engine, u64 id, memory::DmaTransfer transfer) {
  const bool on_host[] = {transfer.from.host || !transfer.staged.empty(), transfer.to.host};
  const u32 direction = on_host[0] ? (on_host[1] ? alone : to_device) : to_host;
  Direction& here = directions_[direction];
  here.copies.push_back({.id = id, .engine = engine, .transfer = std::move(transfer)});
  if (here.copies.size() == 1) begin(direction);
}

void BouncedCopies::begin(u32 direction) {
  Direction& here = directions_[direction];
  if (!here.memory && direction != alone) here.memory.reset(new (std::align_val_t{4096}) u8[buffers * bytes_]);
  begins_(here.copies.front().id);
  go_on(direction);
}

u8* BouncedCopies::buffer(Direction& direction, u32 number) {
  return direction.memory.get() + number * bytes_;
}

/// The next bytes that follow each other on both sides, at most a buffer; false: there are none left.
bool BouncedCopies::next(Copy& copy, Stretch& stretch) const {
  const memory::DmaTransfer& transfer = copy.transfer;
  if (copy.z == transfer.depth) return false;
  stretch.bytes = std::min(transfer.width - copy.x, bytes_);
  stretch.to = transfer.to.at(copy.x, copy.y, copy.z);
  stretch.from = transfer.staged.empty() ? transfer.from.at(copy.x, copy.y, copy.z)
                                         : address_of(transfer.staged.data()) +
                                               (copy.z * transfer.height + copy.y) * transfer.width + copy.x;
  copy.x += stretch.bytes;
  if (copy.x == transfer.width) copy.x = 0, ++copy.y;
  if (copy.y == transfer.height) copy.y = 0, ++copy.z;
  return true;
}

/// Fills what is free and empties what is full, in turn. A copy whose last buffer is empty is over.
void BouncedCopies::go_on(u32 direction) {
  Direction& here = directions_[direction];
  Copy& copy = here.copies.front();
  while (here.stages[here.fill] == Stage::free && next(copy, here.stretches[here.fill])) {
    const u32 number = here.fill;
    const Stretch& stretch = here.stretches[number];
    if (direction == alone) {  // a core copies from place to place, one stretch at a time
      here.stages[number] = Stage::emptying;
      by_core(direction, number, stretch.to, stretch.from, stretch.bytes);
      break;
    }
    here.stages[number] = Stage::filling;
    here.fill = (number + 1) % buffers;
    const u64 place = address_of(buffer(here, number));
    if (direction == to_host)
      by_engine(direction, number, place, stretch.from, stretch.bytes);
    else
      by_core(direction, number, place, stretch.from, stretch.bytes);
  }
  if (here.stages[here.empty] == Stage::full && here.stages[1 - here.empty] != Stage::emptying) {
    const u32 number = here.empty;
    const Stretch& stretch = here.stretches[number];
    here.stages[number] = Stage::emptying;
    here.empty = (number + 1) % buffers;
    if (direction == to_host)
      by_core(direction, number, stretch.to, address_of(buffer(here, number)), stretch.bytes);
    else
      by_engine(direction, number, stretch.to, address_of(buffer(here, number)), stretch.bytes);
  }
  if (copy.z != copy.transfer.depth ||
      std::ranges::any_of(here.stages, [](Stage stage) { return stage != Stage::free; }))
    return;
  const u64 id = copy.id;
  here.copies.pop_front();
  if (!here.copies.empty()) begin(direction);
  done_(id);
}

void BouncedCopies::by_core(u32 direction, u32 number, u64 to, u64 from, u64 bytes) {
  cores_.start(piece | direction << 1 | number,
               {{{.act = host::Act::copy, .threads = 1, .to = to, .from = from, .bytes = bytes}}});
}

void BouncedCopies::by_engine(u32 direction, u32 number, u64 to, u64 from, u64 bytes) {
  memory::DmaTransfer transfer{
      .to = {.address = to, .pitch = bytes, .slice = bytes, .host = direction == to_host},
      .from = {.address = from, .pitch = bytes, .slice = bytes, .host = direction == to_device},
      .width = bytes};
  engines_.start(directions_[direction].copies.front().engine, piece | direction << 1 | number, std::move(transfer));
}

bool BouncedCopies::piece_done(u64 id) {
  if (!(id & piece)) return false;
  const u32 direction = static_cast<u32>(id & ~piece) >> 1, number = id & 1;
  Stage& stage = directions_[direction].stages[number];
  stage = stage == Stage::filling ? Stage::full : Stage::free;
  go_on(direction);
  return true;
}

bool BouncedCopies::idle() const {
  return std::ranges::all_of(directions_, [](const Direction& one) { return one.copies.empty(); });
}

}  // namespace ew::runtime
