#include "storage/admin_commands.hpp"

#include <algorithm>

#include "storage/identify.hpp"

namespace ew::storage {

namespace {

AdminOpcode opcode_of(const Command& command) {
  return static_cast<AdminOpcode>(command.opcode);
}

u64 log_bytes(const Command& command) {
  return ((command.dword10 >> 16 | u64{command.dword11 & 0xffff} << 16) + 1) * 4;
}

u64 log_offset(const Command& command) {
  return command.dword12 | u64{command.dword13} << 32;
}

constexpr u32 submission_entry = 6, completion_entry = 4;  // logarithms of their bytes, as CC has them

}  // namespace

Plan AdminCommands::plan(Slot& slot) {
  switch (opcode_of(slot.command)) {
    case AdminOpcode::identify:
      return plan_identify(slot.command);
    case AdminOpcode::get_log_page:
      return plan_log_page(slot.command);
    case AdminOpcode::delete_submission_queue:
    case AdminOpcode::create_submission_queue:
    case AdminOpcode::delete_completion_queue:
    case AdminOpcode::create_completion_queue:
    case AdminOpcode::abort:
    case AdminOpcode::set_features:
    case AdminOpcode::get_features:
    case AdminOpcode::asynchronous_event_request:
      return {};
  }
  return {status::invalid_opcode};
}

Plan AdminCommands::plan_identify(const Command& command) const {
  const Plan accepted{status::success, Direction::to_host, identify_bytes};
  switch (command.dword10 & 0xff) {
    case 0:
    case 3:
      return command.namespace_id == only_namespace ? accepted : Plan{status::invalid_namespace};
    case 1:
      return accepted;
    case 2:
      return command.namespace_id < 0xffff'fffe ? accepted : Plan{status::invalid_namespace};
  }
  return {status::invalid_field};
}

Plan AdminCommands::plan_log_page(const Command& command) const {
  const std::optional<std::vector<u8>> page = log_page(command.dword10 & 0xff, {});
  if (!page) return {status::invalid_log_page};
  if (log_offset(command) % 4 != 0 || log_offset(command) > page->size()) return {status::invalid_field};
  if (log_bytes(command) > u64{parts_.config.transfer_pages} * smallest_page) return {status::invalid_field};
  return {status::success, Direction::to_host, log_bytes(command)};
}

std::optional<Status> AdminCommands::act(u32 number) {
  Slot& slot = pipeline_->slots()[number];
  switch (opcode_of(slot.command)) {
    case AdminOpcode::identify:
      return identify(slot);
    case AdminOpcode::get_log_page:
      return get_log_page(slot);
    case AdminOpcode::create_submission_queue:
      return create_submission(slot.command);
    case AdminOpcode::create_completion_queue:
      return create_completion(slot.command);
    case AdminOpcode::delete_submission_queue:
      return delete_submission(number);
    case AdminOpcode::delete_completion_queue:
      return delete_completion(slot.command);
    case AdminOpcode::abort:
      return abort(number);
    case AdminOpcode::set_features:
    case AdminOpcode::get_features:
      return features(slot);
    case AdminOpcode::asynchronous_event_request:
      if (!parts_.events.wait(number)) return status::event_limit;
      return {};
  }
  return status::invalid_opcode;
}

Status AdminCommands::identify(Slot& slot) const {
  const auto answer = [&](const std::vector<u8>& bytes) { slot.data.assign(bytes.begin(), bytes.end()); };
  switch (slot.command.dword10 & 0xff) {
    case 0:
      answer(identify_namespace(parts_.config, parts_.medium.blocks_in_use()));
      break;
    case 1:
      answer(identify_controller(parts_.config));
      break;
    case 2:
      answer(identify_namespaces(slot.command.namespace_id));
      break;
    case 3:
      answer(identify_names(parts_.config));
      break;
  }
  return {};
}

Status AdminCommands::get_log_page(Slot& slot) {
  const u8 number = slot.command.dword10 & 0xff;
  Health health = parts_.io.health();
  health.errors = pipeline_->errors();
  const std::vector<u8> page = *log_page(number, health);
  const u64 offset = log_offset(slot.command);
  std::ranges::fill(slot.data, u8{0});
  std::copy_n(page.begin() + static_cast<std::ptrdiff_t>(offset), std::min(slot.data.size(), page.size() - offset),
              slot.data.begin());
  const bool retains = slot.command.dword10 >> 15 & 1;
  if (!retains) parts_.events.read(number);
  return {};
}

/// Whether the ring that a Create command names is valid.
Status AdminCommands::ring_is_valid(const Command& command, u32 entry_bytes) const {
  const u32 last = command.dword10 >> 16;
  if (last == 0 || last >= parts_.config.entries) return status::invalid_queue_size;
  if (!(command.dword11 & 1)) return status::invalid_field;  // the ring must be physically contiguous
  if (command.prp1 % page_ != 0) return status::invalid_prp_offset;
  if (!parts_.dma.reaches(command.prp1, (u64{last} + 1) * entry_bytes)) return status::transfer_error;
  return {};
}

Status AdminCommands::create_submission(const Command& command) {
  const u32 id = command.dword10 & 0xffff, completions = command.dword11 >> 16;
  if (id == 0 || id > parts_.features.submissions() || parts_.queues.has_submission(id))
    return status::invalid_queue_id;
  if (completions == 0 || completions > parts_.features.completions()) return status::invalid_queue_id;
  if (!parts_.queues.has_completion(completions)) return status::queue_invalid;
  if ((entry_sizes_ & 0xf) != submission_entry) return status::invalid_field;
  if (const Status valid = ring_is_valid(command, sizeof(Command)); !valid.ok()) return valid;
  parts_.queues.create_submission(id, command.prp1, (command.dword10 >> 16) + 1, static_cast<u16>(completions));
  return {};
}

Status AdminCommands::create_completion(const Command& command) {
  const u32 id = command.dword10 & 0xffff;
  if (id == 0 || id > parts_.features.completions() || parts_.queues.has_completion(id))
    return status::invalid_queue_id;
  if (command.dword11 >> 1 & 1 && command.dword11 >> 16 >= interrupt_vectors) return status::invalid_vector;
  if (entry_sizes_ >> 4 != completion_entry) return status::invalid_field;
  if (const Status valid = ring_is_valid(command, sizeof(Completion)); !valid.ok()) return valid;
  parts_.queues.create_completion(id, command.prp1, (command.dword10 >> 16) + 1);
  return {};
}

std::optional<Status> AdminCommands::delete_submission(u32 number) {
  const u32 id = pipeline_->slots()[number].command.dword10 & 0xffff;
  if (id == 0 || !parts_.queues.has_submission(id) || parts_.queues.submission(id).deleted_by)
    return status::invalid_queue_id;
  pipeline_->delete_submission(id, number);
  return {};
}

Status AdminCommands::delete_completion(const Command& command) {
  const u32 id = command.dword10 & 0xffff;
  if (id == 0 || !parts_.queues.has_completion(id)) return status::invalid_queue_id;
  if (parts_.queues.completion(id).users != 0) return status::invalid_deletion;
  parts_.queues.remove_completion(id);
  return {};
}

std::optional<Status> AdminCommands::abort(u32 number) {
  Slot& slot = pipeline_->slots()[number];
  if (pipeline_->aborts() == abort_limit) return status::abort_limit;
  const u32 queue = slot.command.dword10 & 0xffff;
  const auto named = pipeline_->slots().find(queue, static_cast<u16>(slot.command.dword10 >> 16));
  slot.completion.result = 1;  // not stopped
  if (!named || *named == number) return status::success;
  if (queue == 0) {
    if (!parts_.events.withdraw(*named)) return status::success;
    pipeline_->finish(*named, status::abort_requested);
    slot.completion.result = 0;
    return status::success;
  }
  if (!pipeline_->abort(*named, number)) return status::success;
  return {};
}

Status AdminCommands::features(Slot& slot) {
  const bool sets = opcode_of(slot.command) == AdminOpcode::set_features;
  const Features::Answer answer =
      sets ? parts_.features.set(slot.command, parts_.queues.any()) : parts_.features.get(slot.command);
  slot.completion.result = answer.result;
  if (sets && answer.status.ok()) parts_.queues.set_burst(parts_.features.burst());
  return answer.status;
}

}  // namespace ew::storage
