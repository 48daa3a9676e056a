#include "storage/io_commands.hpp"

#include <algorithm>

namespace ew::storage {

namespace {

u64 first_block(const Command& command) {
  return command.dword10 | u64{command.dword11} << 32;
}

u64 block_count(const Command& command) {
  return (command.dword12 & 0xffff) + u64{1};
}

bool within(u64 first, u64 blocks, u64 size) {
  return first <= size && blocks <= size - first;
}

constexpr u32 forced = 1u << 30;         // FUA
constexpr u32 protection = 0x3c00'0000;  // PRINFO
constexpr u32 deallocates = 1u << 2;     // AD of Dataset Management

}  // namespace

Plan IoCommands::plan_blocks(const Command& command) {
  const u64 blocks = block_count(command);
  if (command.dword12 & protection) return {status::invalid_field};
  if (!within(first_block(command), blocks, config_.blocks)) return {status::lba_out_of_range};
  if (static_cast<IoOpcode>(command.opcode) == IoOpcode::write_zeroes) return {};
  const u64 bytes = blocks * config_.block;
  if (bytes > u64{config_.transfer_pages} * smallest_page) return {status::invalid_field};
  const bool reads = static_cast<IoOpcode>(command.opcode) == IoOpcode::read;
  return {status::success, reads ? Direction::to_host : Direction::from_host, bytes};
}

Plan IoCommands::plan(Slot& slot) {
  const Command& command = slot.command;
  switch (static_cast<IoOpcode>(command.opcode)) {
    case IoOpcode::flush:
      if (command.namespace_id != only_namespace && command.namespace_id != every_namespace)
        return {status::invalid_namespace};
      return with_fault(slot, {}, 0, 0);
    case IoOpcode::read:
    case IoOpcode::write:
    case IoOpcode::compare:
    case IoOpcode::write_zeroes:
      if (command.namespace_id != only_namespace) return {status::invalid_namespace};
      return with_fault(slot, plan_blocks(command), first_block(command), block_count(command));
    case IoOpcode::dataset_management:
      if (command.namespace_id != only_namespace) return {status::invalid_namespace};
      return with_fault(
          slot, {status::success, Direction::from_host, ((command.dword10 & 0xff) + u64{1}) * sizeof(BlockRange)}, 0,
          0);
  }
  return {status::invalid_opcode};
}

Plan IoCommands::with_fault(Slot& slot, Plan plan, u64 first, u64 blocks) {
  if (!plan.status.ok()) return plan;
  const Fault* const fault = faults_.next(first, blocks, slot.command.opcode);
  if (!fault) return plan;
  switch (fault->kind) {
    case Fault::Kind::status:
      slot.fails = fault->status;
      break;
    case Fault::Kind::lost:
      slot.loses = true;
      break;
    case Fault::Kind::late:
      slot.late_picoseconds = fault->late.count;
      break;
    case Fault::Kind::fatal:
      plan.fatal = true;
      break;
  }
  return plan;
}

std::optional<Status> IoCommands::deallocate(u32 number, MediaCommand& media) {
  const Slot& slot = pipeline_->slots()[number];
  media.ranges = {reinterpret_cast<const BlockRange*>(slot.data.data()), slot.data.size() / sizeof(BlockRange)};
  for (const BlockRange& range : media.ranges)
    if (!within(range.first, range.blocks, config_.blocks)) return status::lba_out_of_range;
  if (!(slot.command.dword11 & deallocates)) return status::success;  // only hints, which have no effect here
  return {};
}

void IoCommands::count(const Slot& slot, u64 blocks) {
  const u64 units = blocks * config_.block / 512;
  const bool writes = slot.direction == Direction::from_host;
  (writes ? health_.blocks_written : health_.blocks_read) += units;
  ++(writes ? health_.writes : health_.reads);
}

std::optional<Status> IoCommands::act(u32 number) {
  Slot& slot = pipeline_->slots()[number];
  const Command& command = slot.command;
  MediaCommand media{.first = first_block(command),
                     .blocks = block_count(command),
                     .data = slot.data,
                     .fails = slot.fails,
                     .late = {slot.late_picoseconds}};
  media.durable = command.dword12 & forced || !features_.write_cache();
  switch (static_cast<IoOpcode>(command.opcode)) {
    case IoOpcode::flush:
      media.kind = MediaCommand::Kind::flush;
      break;
    case IoOpcode::read:
      media.kind = MediaCommand::Kind::read;
      media.refuses_deallocated = features_.refuses_deallocated();
      count(slot, media.blocks);
      break;
    case IoOpcode::write:
      media.kind = MediaCommand::Kind::write;
      count(slot, media.blocks);
      break;
    case IoOpcode::compare:
      media.kind = MediaCommand::Kind::compare;
      break;
    case IoOpcode::write_zeroes:
      media.kind = MediaCommand::Kind::write_zeroes;
      break;
    case IoOpcode::dataset_management:
      media.kind = MediaCommand::Kind::deallocate;
      if (const auto ended = deallocate(number, media)) return ended;
      break;
  }
  medium_.start(number, media);
  return {};
}

}  // namespace ew::storage
