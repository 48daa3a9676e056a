#include "storage/command_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/diagnostics.hpp"
#include "core/files.hpp"

namespace ew::storage {

using core::UserError;

struct CommandLog::Record {
  u32 kind;  // MediaCommand::Kind; acknowledgement
  u32 drive, forced, unused;
  u64 first, blocks;  // of an acknowledgement: its progress
  u64 bytes;          // of data, behind the record
};

namespace {

constexpr u32 acknowledgement = 0xffff;

}  // namespace

CommandLog::CommandLog(const std::string& file)
    : file_(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)) {
  if (file_ < 0)
    throw UserError(fmt::format("the log of drives' commands cannot be written to {}: {}", file, std::strerror(errno)));
}

CommandLog::~CommandLog() {
  ::close(file_);
}

void CommandLog::write(const Record& record, std::span<const u8> data) {
  iovec parts[] = {{const_cast<Record*>(&record), sizeof record}, {const_cast<u8*>(data.data()), data.size()}};
  if (::writev(file_, parts, 2) != static_cast<ssize_t>(sizeof record + data.size()))
    throw UserError(fmt::format("the log of drives' commands cannot be written: {}", std::strerror(errno)));
}

void CommandLog::add(u32 drive, u32 block_bytes, const MediaCommand& command) {
  using Kind = MediaCommand::Kind;
  Record record{.kind = static_cast<u32>(command.kind),
                .drive = drive,
                .forced = command.durable,
                .unused = 0,
                .first = command.first,
                .blocks = command.blocks,
                .bytes = 0};
  switch (command.kind) {
    case Kind::read:
    case Kind::compare:
      return;
    case Kind::write:
      record.blocks = command.data.size() / block_bytes;
      record.bytes = command.data.size();
      return write(record, command.data);
    case Kind::deallocate:
      for (const BlockRange& range : command.ranges) {
        record.first = range.first, record.blocks = range.blocks;
        write(record, {});
      }
      return;
    case Kind::write_zeroes:
    case Kind::flush:
      return write(record, {});
  }
}

void CommandLog::acknowledged(u64 progress) {
  write({.kind = acknowledgement, .drive = 0, .forced = 0, .unused = 0, .first = progress, .blocks = 0, .bytes = 0},
        {});
}

CommandLog::Content CommandLog::read(const std::string& file) {
  const std::string all = core::content_of(file);
  Content content;
  for (std::size_t at = 0; at < all.size();) {
    Record record{};
    if (all.size() - at < sizeof record) throw UserError(fmt::format("{}: it ends within a record", file));
    std::memcpy(&record, all.data() + at, sizeof record);
    at += sizeof record;
    if (record.bytes > all.size() - at) throw UserError(fmt::format("{}: it ends within a record", file));
    if (record.kind == acknowledgement) {
      content.progress.push_back({content.commands.size(), record.first});
      continue;
    }
    LoggedCommand& command = content.commands.emplace_back();
    command.kind = static_cast<MediaCommand::Kind>(record.kind);
    command.drive = record.drive, command.forced = record.forced != 0;
    command.first = record.first, command.blocks = record.blocks;
    command.data.assign(all.begin() + static_cast<std::ptrdiff_t>(at),
                        all.begin() + static_cast<std::ptrdiff_t>(at + record.bytes));
    at += record.bytes;
  }
  return content;
}

}  // namespace ew::storage
