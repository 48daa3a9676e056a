// The file of events: records and the words behind them, buffered. Owned by an EventRecorder, lent to those who write
// records of their own. A record is begun, its words are put, and it is finished, before the next begins.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simt/persist_events.hpp"

namespace ew::simt {

class EventWriter {
 public:
  /// Throws core::UserError when the file cannot be written.
  explicit EventWriter(const std::string& file);

  /// False once it has been closed: then nothing may be written.
  bool is_open() const { return file_ != nullptr; }
  /// The process kills itself (SIGKILL) right after the Nth record that changes a pool. 0: never.
  void crash_at(u64 change) { crash_at_ = change; }

  void begin(const EventRecord&);
  void put(u64 word) { buffer_.push_back(word); }
  /// Bytes as words, with their number in front.
  void put_packed(const void* bytes, std::size_t count);
  void put_packed(std::string_view text) { put_packed(text.data(), text.size()); }
  /// At most 8 bytes of memory: their address, their number and what they hold.
  void put_piece(u64 address, u32 bytes);
  void finish();
  /// The record has changed a pool.
  void finish_change();

  /// Writes what is left. Throws core::UserError when something could not be written.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put_record(const EventRecord&);
  void write_out();

  std::unique_ptr<std::FILE, Close> file_;
  std::vector<u64> buffer_;
  std::size_t record_begin_ = 0;
  u64 changes_ = 0, crash_at_ = 0;  // records that have changed a pool
};

/// The value of up to 8 bytes of memory.
u64 bytes_at(u64 address, u32 bytes);

}  // namespace ew::simt
