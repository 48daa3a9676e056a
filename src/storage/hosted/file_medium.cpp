#include "storage/hosted/file_medium.hpp"

#include <cerrno>

namespace ew::storage {

using Kind = MediaCommand::Kind;

FileMedium::FileMedium(Image& image, std::unique_ptr<FileQueue> queue, const Settings& settings)
    : image_(image), contents_(image, 0), queue_(std::move(queue)), settings_(settings), started_(1) {}

u32 FileMedium::number_of(u32 tag) {
  const u32 number = tag + 1;  // ~0, the tag of a shutdown's flush, gives 0
  if (number >= started_.size()) started_.resize(number + 1);
  return number;
}

void FileMedium::start(u32 tag, const MediaCommand& command) {
  const u32 number = number_of(tag);
  started_[number] = {.tag = tag, .command = command};
  if (command.late.count > 0) return late_.push_back(number);
  admit(number);
}

void FileMedium::admit(u32 number) {
  if (settings_.in_order) order_.push_back(number);
  if (blocked_.empty() && may_begin(started_[number])) return begin(number);
  blocked_.push_back(number);
}

/// Takes what the command needs.
bool FileMedium::may_begin(const Started& one) {
  if (!one.command.fails.ok() || one.command.kind == Kind::flush) return true;
  if (one.command.kind != Kind::read && one.command.kind != Kind::write) return under_way_ == 0;
  return claims_.take(first_byte(one), first_byte(one) + one.command.data.size(), one.command.kind == Kind::write);
}

void FileMedium::begin(u32 number) {
  const MediaCommand& command = started_[number].command;
  if (!command.fails.ok()) return end(number, command.fails);
  switch (command.kind) {
    case Kind::flush:
      return settings_.syncs ? access(number) : end(number, status::success);
    case Kind::read:
      if (command.refuses_deallocated)
        for (u64 block = command.first; block < command.first + command.blocks; ++block)
          if (image_.deallocated(block)) {
            claims_.give_back(first_byte(started_[number]), first_byte(started_[number]) + command.data.size(), false);
            return end(number, status::deallocated_block);
          }
      return access(number);
    case Kind::write:
      return access(number);
    case Kind::compare:
    case Kind::write_zeroes:
    case Kind::deallocate:
      return end(number, contents_.perform(command));
  }
}

/// Begins with what is left of the command's bytes.
void FileMedium::access(u32 number) {
  const Started& one = started_[number];
  const FileAccess::Kind kind = one.command.kind == Kind::read    ? FileAccess::Kind::read
                                : one.command.kind == Kind::write ? FileAccess::Kind::write
                                                                  : FileAccess::Kind::sync;
  ++under_way_;
  queue_->begin({.kind = kind,
                 .durable = settings_.syncs && one.command.durable,
                 .offset = first_byte(one) + one.done,
                 .bytes = kind == FileAccess::Kind::sync ? std::span<u8>() : one.command.data.subspan(one.done),
                 .tag = number});
}

void FileMedium::access_ended(const FileAccessEnd& ended) {
  --under_way_;
  Started& one = started_[ended.tag];
  const bool reads = one.command.kind == Kind::read, writes = one.command.kind == Kind::write;
  if (ended.result == -EAGAIN || ended.result == -EINTR) return access(ended.tag);
  if (ended.result > 0) one.done += static_cast<u64>(ended.result);
  if (ended.result > 0 && one.done < one.command.data.size()) return access(ended.tag);  // a part of it only
  const bool whole = ended.result > 0 || (!reads && !writes && ended.result == 0);
  const int error = whole ? 0 : ended.result == 0 ? EIO : static_cast<int>(-ended.result);  // 0: the file was cut off
  if (reads || writes) claims_.give_back(first_byte(one), first_byte(one) + one.command.data.size(), writes);
  if (writes && whole) image_.written(one.command.first, one.command.blocks);
  end(ended.tag, reads && error != 0 ? status::unrecovered_read : status_of_write(error));
  while (!blocked_.empty() && may_begin(started_[blocked_.front()])) {
    const u32 next = blocked_.front();
    blocked_.pop_front();
    begin(next);
  }
}

void FileMedium::end(u32 number, Status with) {
  started_[number].status = with;
  started_[number].ended = true;
  if (!settings_.in_order) order_.push_back(number);
}

void FileMedium::take_ends(bool waits) {
  queue_->submit();
  const u32 count = queue_->take(ends_, waits);
  for (u32 i = 0; i < count; ++i) access_ended(ends_[i]);
}

bool FileMedium::tell(core::Ring<u32>& from) {
  const Started& one = started_[from.front()];
  const u32 tag = one.tag;
  const Status ended = one.status;
  from.pop_front();
  client_->done(tag, ended);
  return true;
}

bool FileMedium::step(bool waits) {
  if (order_.empty() && under_way_ == 0 && !late_.empty()) {
    const u32 next = late_.front();
    late_.pop_front();
    admit(next);
  }
  if (settings_.in_order) {
    if (order_.empty()) return false;
    while (!started_[order_.front()].ended) {
      take_ends(waits);
      if (!waits) break;
    }
    return started_[order_.front()].ended && tell(order_);
  }
  if (under_way_ > 0) take_ends(waits && order_.empty());
  if (order_.empty()) return false;
  // Only those that have ended now: what they make the controller start comes at the next step.
  for (u32 left = order_.size(); left > 0; --left) tell(order_);
  return true;
}

}  // namespace ew::storage
