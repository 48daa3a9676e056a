#include "check/drive_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/diagnostics.hpp"
#include "core/split_mix.hpp"

namespace ew::check {

using core::UserError;
using Kind = storage::MediaCommand::Kind;

namespace {

constexpr u64 most_of_a_list = 20;  // open units of which every subset is listed

bool meet(u64 first, u64 blocks, u64 other, u64 others) {
  return first < other + others && other < first + blocks;
}

std::string blocks_in_words(u64 first, u64 blocks) {
  return blocks == 1 ? fmt::format("block {}", first) : fmt::format("blocks {} to {}", first, first + blocks - 1);
}

}  // namespace

DriveStates::DriveStates(storage::CommandLog::Content log, std::vector<DriveFacts> facts, DriveImages before,
                         u64 budget, u64 seed)
    : log_(std::move(log)), facts_(std::move(facts)), before_(std::move(before)) {
  choose(budget, seed);
}

bool DriveStates::is_write(u64 command) const {
  return log_.commands[command].kind == Kind::write || log_.commands[command].kind == Kind::write_zeroes;
}

void DriveStates::split(u64 number, std::vector<Open>& open) const {
  const storage::LoggedCommand& command = log_.commands[number];
  const u64 unit = facts_[command.drive].unit_blocks;
  for (u64 done = 0; done < command.blocks; done += unit)
    open.push_back({number, command.first + done, std::min(unit, command.blocks - done)});
}

void DriveStates::put(const Open& open, DriveImages& images) const {
  const storage::LoggedCommand& command = log_.commands[open.command];
  const u64 bytes = facts_[command.drive].block_bytes;
  u8* const to = images[command.drive].data() + open.first * bytes;
  if (command.data.empty())
    std::memset(to, 0, open.blocks * bytes);
  else
    std::memcpy(to, command.data.data() + (open.first - command.first) * bytes, open.blocks * bytes);
}

std::vector<DriveStates::Open> DriveStates::open_at(u64 after, DriveImages* durable) const {
  std::vector<Open> open;
  const auto of_drive = [&](const Open& one, u32 drive) { return log_.commands[one.command].drive == drive; };
  for (u64 number = 0; number < after; ++number) {
    const storage::LoggedCommand& command = log_.commands[number];
    if (command.kind == Kind::flush) {
      if (durable)
        for (const Open& one : open)
          if (of_drive(one, command.drive)) put(one, *durable);
      std::erase_if(open, [&](const Open& one) { return of_drive(one, command.drive); });
      continue;
    }
    if (is_write(number) && facts_[command.drive].has_cache && !command.forced) {
      split(number, open);
      continue;
    }
    // Durable now. What stood in the cache of these blocks is older.
    if (durable) put({number, command.first, command.blocks}, *durable);
    std::vector<Open> left;
    for (const Open& one : open) {
      if (!of_drive(one, command.drive) || !meet(one.first, one.blocks, command.first, command.blocks)) {
        left.push_back(one);
        continue;
      }
      for (u64 block = one.first; block < one.first + one.blocks; ++block)
        if (block < command.first || block >= command.first + command.blocks) left.push_back({one.command, block, 1});
    }
    open.swap(left);
  }
  if (after < log_.commands.size() && is_write(after)) split(after, open);
  return open;
}

void DriveStates::choose(u64 budget, u64 seed) {
  std::vector<u64> open;  // by moment
  u64 all = 0;
  for (u64 after = 0; after <= commands(); ++after) {
    open.push_back(open_at(after, nullptr).size());
    all += u64{1} << std::min(open.back(), most_of_a_list);
  }
  exhaustive_ = all <= budget;
  if (exhaustive_) {
    for (u64 after = 0; after <= commands(); ++after)
      for (u64 bits = 0; bits < u64{1} << open[after]; ++bits)
        names_.push_back(fmt::format("{}:subset:{:x}", after, bits));
    return;
  }
  // A quarter of the budget: moments, spread over the run, with nothing open there, and with all.
  const u64 moments = std::min<u64>(open.size(), std::max<u64>(1, budget / 8));
  for (u64 i = 0; i < moments; ++i) {
    const u64 after = i * open.size() / moments;
    names_.push_back(fmt::format("{}:none", after));
    if (open[after]) names_.push_back(fmt::format("{}:all", after));
  }
  // Then one unit with and without the others, and subsets by chance.
  std::vector<u64> with;
  for (u64 after = 0; after < open.size(); ++after)
    if (open[after]) with.push_back(after);
  core::SplitMix64 chance(seed);
  while (!with.empty() && names_.size() < budget) {
    const u64 after = with[chance.below(with.size())], unit = chance.below(open[after]);
    names_.push_back(fmt::format("{}:with:{}", after, unit));
    names_.push_back(fmt::format("{}:without:{}", after, unit));
    if (open[after] > 2) names_.push_back(fmt::format("{}:random:{}", after, chance.below(1'000'000)));
  }
}

DriveStates::State DriveStates::named(const std::string& name) const {
  const auto no = [&] {
    return UserError(fmt::format(
        "there is no state \"{}\": a state is AFTER:none, AFTER:all, AFTER:with:K, AFTER:without:K, AFTER:random:N or "
        "AFTER:subset:BITS, and AFTER is 0 to {}",
        name, commands()));
  };
  const auto number = [&](std::string_view text, int base) {
    u64 value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) throw no();
    return value;
  };
  const auto colon = name.find(':');
  if (colon == name.npos) throw no();
  State state;
  state.after = number(std::string_view(name).substr(0, colon), 10);
  if (state.after > commands()) throw no();
  const u64 open = open_at(state.after, nullptr).size();
  const std::string_view rest = std::string_view(name).substr(colon + 1);
  const auto second = rest.find(':');
  const std::string_view kind = rest.substr(0, second),
                         argument = second == rest.npos ? std::string_view() : rest.substr(second + 1);
  state.reached.assign(open, kind == "all" || kind == "without");
  if (kind == "none" || kind == "all") {
    if (second != rest.npos) throw no();
  } else if (kind == "with" || kind == "without") {
    const u64 unit = number(argument, 10);
    if (unit >= open) throw no();
    state.reached[unit] = kind == "with";
  } else if (kind == "random") {
    core::SplitMix64 chance(number(argument, 10));
    for (u64 unit = 0; unit < open; ++unit) state.reached[unit] = chance.below(2) != 0;
  } else if (kind == "subset" && open <= 63) {
    const u64 bits = number(argument, 16);
    if (bits >> open) throw no();
    for (u64 unit = 0; unit < open; ++unit) state.reached[unit] = bits >> unit & 1;
  } else {
    throw no();
  }
  return state;
}

DriveImages DriveStates::images(const State& state) const {
  DriveImages images = before_;
  const std::vector<Open> open = open_at(state.after, &images);
  for (u64 unit = 0; unit < open.size(); ++unit)
    if (state.reached[unit]) put(open[unit], images);
  return images;
}

u64 DriveStates::acknowledged(const State& state) const {
  u64 most = 0;
  for (const storage::LoggedProgress& one : log_.progress)
    if (one.commands <= state.after) most = std::max(most, one.progress);
  return most;
}

std::string DriveStates::units(const State& state, bool reached) const {
  constexpr u64 most = 6;
  const std::vector<Open> open = open_at(state.after, nullptr);
  std::string text;
  u64 listed = 0, all = 0;
  for (u64 unit = 0; unit < open.size(); ++unit) {
    if (state.reached[unit] != reached || ++all > most) continue;
    const storage::LoggedCommand& command = log_.commands[open[unit].command];
    text += fmt::format("{}{} of drive {}, by command {}", listed++ ? "; " : "",
                        blocks_in_words(open[unit].first, open[unit].blocks), command.drive, open[unit].command + 1);
  }
  if (all > most) text += fmt::format("; and {} more", all - most);
  return text;
}

std::string DriveStates::moment(const State& state) const {
  if (state.after == commands()) return fmt::format("all {} commands had completed", commands());
  const storage::LoggedCommand& next = log_.commands[state.after];
  const char* const kind = next.kind == Kind::flush        ? "a Flush"
                           : next.kind == Kind::deallocate ? "a deallocation"
                           : next.forced                   ? "a forced write"
                                                           : "a write";
  const std::string where =
      next.kind == Kind::flush ? "" : fmt::format(" of {}", blocks_in_words(next.first, next.blocks));
  return fmt::format("command {} of {}, {}{} on drive {}, was under way", state.after + 1, commands(), kind, where,
                     next.drive);
}

}  // namespace ew::check
