#include "runtime/commands.hpp"

#include <algorithm>

namespace ew::runtime {

Commands::Commands() : ends_(remembered) {}

Command& Commands::add(Command&& command, std::span<const Ticket> after, HostThreads::Order thread, u64 earliest) {
  const Ticket ticket = ++last_;
  command.order = {thread, ticket};
  command.number = ++submissions_[thread];
  command.begin = earliest;
  for (Ticket dependence : after) {
    if (Command* const before = find(dependence)) {
      before->followers.push_back(ticket);
      ++command.unmet;
    } else {
      const Ended before_it = ended(dependence);
      command.begin = std::max(command.begin, before_it.end);
      command.launch_begin = std::max(command.launch_begin, before_it.next_launch);
    }
  }
  Command& stored = store(ticket, std::move(command));
  if (stored.unmet == 0) make_ready(stored);
  return stored;
}

/// The last ticket is the largest.
Command& Commands::store(Ticket ticket, Command&& command) {
  if (spare_pending_.empty()) return pending_.emplace_hint(pending_.end(), ticket, std::move(command))->second;
  Pending::node_type node = std::move(spare_pending_.back());
  spare_pending_.pop_back();
  node.key() = ticket;
  std::vector<Ticket> followers = std::move(node.mapped().followers);
  node.mapped() = std::move(command);
  node.mapped().followers = std::move(followers);
  return pending_.insert(pending_.end(), std::move(node))->second;
}

Command* Commands::find(Ticket ticket) {
  const auto found = pending_.find(ticket);
  return found == pending_.end() ? nullptr : &found->second;
}

bool Commands::any_host_function() const {
  return std::ranges::any_of(pending_, [](const auto& one) { return one.second.kind == Command::Kind::host_function; });
}

u64 Commands::count_of_program() const {
  return static_cast<u64>(
      std::ranges::count_if(pending_, [](const auto& one) { return one.second.kind != Command::Kind::task; }));
}

Command* Commands::ready_by(u64 now) {
  while (!later_.empty() && later_.begin()->first.first <= now) {
    Ready::node_type node = later_.extract(later_.begin());
    node.key().first = 0;
    due_.insert(std::move(node));
  }
  const auto found = std::ranges::find_if(due_, [now](const auto& one) { return one.second->begin <= now; });
  return found == due_.end() ? nullptr : found->second;
}

u64 Commands::next_beginning() const {
  u64 next = later_.empty() ? ~u64{0} : later_.begin()->first.first;
  for (const auto& [order, command] : due_) next = std::min(next, command->begin);
  return next;
}

void Commands::make_ready(Command& command) {
  if (command.kind == Command::Kind::launch) command.begin = std::max(command.begin, command.launch_begin);
  if (spare_ready_.empty()) {
    later_.emplace(std::pair{command.begin, command.order}, &command);
    return;
  }
  Ready::node_type node = std::move(spare_ready_.back());
  spare_ready_.pop_back();
  node.key() = {command.begin, command.order};
  node.mapped() = &command;
  later_.insert(std::move(node));
}

void Commands::end(Command& one, u64 nanoseconds) {
  Pending::node_type ended = pending_.extract(one.ticket());
  Command& command = ended.mapped();
  const bool launched = command.kind == Command::Kind::launch;
  const u64 next_launch = launched ? nanoseconds + command.gap : std::max(nanoseconds, command.launch_begin);
  ends_[command.ticket() % remembered] = {nanoseconds, next_launch};
  latest_end_ = std::max(latest_end_, nanoseconds);
  if (command.ended) *command.ended = nanoseconds;
  for (Ticket follower : command.followers) {
    Command& next = pending_.at(follower);
    next.begin = std::max(next.begin, nanoseconds);
    next.launch_begin = std::max(next.launch_begin, next_launch);
    if (--next.unmet == 0) make_ready(next);
  }
  std::vector<Ticket> followers = std::move(command.followers);
  followers.clear();
  command = {};
  command.followers = std::move(followers);
  spare_pending_.push_back(std::move(ended));
}

void Commands::drop_all() {
  pending_.clear();
  due_.clear();
  later_.clear();
}

Commands::Ended Commands::ended(Ticket ticket) const {
  return ticket == 0 || last_ - ticket >= remembered ? Ended{} : ends_[ticket % remembered];
}

}  // namespace ew::runtime
