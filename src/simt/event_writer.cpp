#include "simt/event_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>

#include "core/diagnostics.hpp"

namespace ew::simt {
namespace {

constexpr std::size_t most_buffered = 1 << 17;  // words

}  // namespace

u64 bytes_at(u64 address, u32 bytes) {
  u64 value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), std::min(bytes, 8u));
  return value;
}

EventWriter::EventWriter(const std::string& file) : file_(std::fopen(file.c_str(), "wbe")) {
  if (!file_) throw core::UserError(fmt::format("events: {} cannot be written: {}", file, std::strerror(errno)));
  put(event_magic);
}

void EventWriter::close() {
  if (!file_) return;
  put_record(EventRecord{.block = changes_});
  write_out();
  const bool lost = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || lost)
    throw core::UserError(fmt::format("events cannot be written: {}", std::strerror(errno)));
}

void EventWriter::write_out() {
  if (file_) std::fwrite(buffer_.data(), sizeof(u64), buffer_.size(), file_.get());
  buffer_.clear();
}

void EventWriter::put_record(const EventRecord& record) {
  const auto words = std::bit_cast<std::array<u64, sizeof record / sizeof(u64)>>(record);
  buffer_.insert(buffer_.end(), words.begin(), words.end());
}

void EventWriter::put_packed(const void* bytes, std::size_t count) {
  put(count);
  const std::size_t at = buffer_.size();
  buffer_.resize(at + (count + 7) / 8);
  if (count) std::memcpy(buffer_.data() + at, bytes, count);
}

void EventWriter::put_piece(u64 address, u32 bytes) {
  put(address);
  put(bytes);
  put(bytes_at(address, bytes));
}

void EventWriter::begin(const EventRecord& record) {
  record_begin_ = buffer_.size();
  put_record(record);
}

void EventWriter::finish() {
  const std::size_t words = buffer_.size() - record_begin_ - sizeof(EventRecord) / sizeof(u64);
  const u32 count = static_cast<u32>(words);
  std::memcpy(reinterpret_cast<u8*>(buffer_.data() + record_begin_) + offsetof(EventRecord, words), &count,
              sizeof count);
  if (buffer_.size() > most_buffered) write_out();
}

void EventWriter::finish_change() {
  finish();
  if (++changes_ != crash_at_) return;
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();  // nothing more is written until the signal arrives
}

}  // namespace ew::simt
