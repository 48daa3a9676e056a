// What changes the blocks of a machine's drives, in the order in which it happened, in a file: for the states that a
// crash may leave (check/drive_states.hpp). Owned by the runtime's Storage; a drive's Contents write to it. A record is
// with the kernel when add() returns.
#pragma once

#include <string>
#include <vector>

#include "storage/medium.hpp"

namespace ew::storage {

struct LoggedCommand {
  MediaCommand::Kind kind = MediaCommand::Kind::flush;  // write, write_zeroes, deallocate (one range), flush
  u32 drive = 0;
  bool forced = false;  // durable when it is done
  u64 first = 0, blocks = 0;
  std::vector<u8> data;  // of a write
};
/// Progress that the program acknowledged when so many commands had been performed.
struct LoggedProgress {
  u64 commands = 0, progress = 0;
};

class CommandLog {
 public:
  /// Throws core::UserError when the file cannot be written.
  explicit CommandLog(const std::string& file);
  ~CommandLog();
  CommandLog(const CommandLog&) = delete;
  CommandLog& operator=(const CommandLog&) = delete;

  /// A command that was performed. `block_bytes`: of the drive. Reads and comparisons leave no record.
  void add(u32 drive, u32 block_bytes, const MediaCommand&);
  void acknowledged(u64 progress);

  struct Content {
    std::vector<LoggedCommand> commands;
    std::vector<LoggedProgress> progress;
  };
  /// Throws core::UserError when there is no such file, or it ends within a record.
  static Content read(const std::string& file);

 private:
  struct Record;
  void write(const Record&, std::span<const u8> data);

  int file_ = -1;
};

}  // namespace ew::storage
