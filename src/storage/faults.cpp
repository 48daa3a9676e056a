#include "storage/faults.hpp"

#include <fmt/format.h>

#include <charconv>

#include "core/diagnostics.hpp"
#include "core/nearest.hpp"

namespace ew::storage {

namespace {

constexpr std::string_view lost = "lost-completion", late = "late-completion", fatal = "fatal";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Takes the text up to `mark` off the front, and `mark` with it. Returns it.
std::string_view up_to(std::string_view& text, char mark) {
  const auto end = text.find(mark);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return trimmed(part);
}

u64 number(std::string_view text, std::string_view condition, std::string_view key) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw core::UserError(fmt::format("{}: \"{}\" must be a whole number after \"=\"", key, condition));
  return value;
}

void add_condition(Fault& fault, std::string_view condition, std::string_view key) {
  std::string_view rest = condition;
  const std::string_view name = up_to(rest, '=');
  const u64 value = number(trimmed(rest), condition, key);
  const bool counts = name == "command" || name == "every" || name == "times";
  if (counts && value == 0) throw core::UserError(fmt::format("{}: \"{}\": commands count from 1", key, condition));
  if (name == "lba") {
    fault.lba = value;
  } else if (name == "opcode") {
    fault.opcode = value;
  } else if (name == "command") {
    fault.command = value;
  } else if (name == "every") {
    fault.every = value;
  } else if (name == "times") {
    fault.times = value;
  } else if (name == "ms" && fault.kind == Fault::Kind::late && value <= 1'000'000) {
    fault.late = {value * 1'000'000'000};
  } else {
    throw core::UserError(fmt::format(
        "{}: \"{}\" is no condition; there are lba, opcode, command, every, times, and ms (up to 1000000) of {}", key,
        condition, late));
  }
}

Fault parse_fault(std::string_view text, std::string_view key) {
  const std::string_view name = up_to(text, ':');
  Fault fault;
  if (name == lost) {
    fault.kind = Fault::Kind::lost;
  } else if (name == late) {
    fault.kind = Fault::Kind::late;
  } else if (name == fatal) {
    fault.kind = Fault::Kind::fatal;
  } else if (const NamedStatus* const status = find_status(name); status && !status->status.ok()) {
    fault.status = status->status;
  } else {
    std::vector<std::string_view> names{lost, late, fatal};
    for (const NamedStatus& each : named_statuses())
      if (!each.status.ok()) names.push_back(each.name);
    throw core::UserError(fmt::format("{}: no fault is called \"{}\"{}", key, name, core::did_you_mean(name, names)));
  }
  while (!text.empty()) add_condition(fault, up_to(text, ':'), key);
  return fault;
}

}  // namespace

std::vector<Fault> parse_faults(std::string_view text, std::string_view key) {
  std::vector<Fault> faults;
  text = trimmed(text);
  while (!text.empty()) faults.push_back(parse_fault(up_to(text, ','), key));
  return faults;
}

const Fault* Faults::next(u64 lba, u64 blocks, u8 opcode) {
  ++commands_;
  for (Fault& fault : all_) {
    if (fault.times == 0) continue;
    if (fault.lba && (*fault.lba < lba || *fault.lba - lba >= blocks)) continue;
    if (fault.opcode && *fault.opcode != opcode) continue;
    if (fault.command && *fault.command != commands_) continue;
    if (fault.every && commands_ % *fault.every != 0) continue;
    --fault.times;
    return &fault;
  }
  return nullptr;
}

}  // namespace ew::storage
