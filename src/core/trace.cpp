#include "core/trace.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/diagnostics.hpp"

namespace ew::core {

namespace {

constexpr std::size_t buffered = 4096;
// Simulated memory lies at fixed addresses below; above are pages of the program's own, which the host places at
// random: only their offset in a page is part of a digest.
constexpr u64 first_random_address = 0x4000'0000'0000, page = 4096;

// A word is mixed in by a multiplication and a rotation; order matters.
u64 mix(u64 digest, u64 word) {
  return std::rotl((digest ^ word) * 0xff51afd7ed558ccd, 29) * 5 + 0x52dce729;
}

/// What cannot be written leaves its mark on the file, which flush() finds.
void write_out(std::FILE& file, std::vector<TraceRecord>& records) {
  std::fwrite(records.data(), sizeof(TraceRecord), records.size(), &file);
  records.clear();
}

}  // namespace

bool Trace::begin(const std::string& file) {
  file_.reset(std::fopen(file.c_str(), "wb"));
  if (!file_) return false;
  buffer_.reserve(buffered);
  on_ = true;
  return true;
}

void Trace::listen(std::function<void(const TraceRecord&)> listener) {
  listener_ = std::move(listener);
  on_ = true;
}

void Trace::keep(const TraceRecord& record) {
  ++records_;
  TraceRecord placed = record;
  if (placed.address >= first_random_address) placed.address %= page;
  for (u64 word : std::bit_cast<std::array<u64, 4>>(placed)) digest_ = mix(digest_, word);
  if (listener_) listener_(record);
  if (!file_) return;
  buffer_.push_back(record);
  if (buffer_.size() == buffered) write_out(*file_, buffer_);
}

void Trace::flush() {
  if (!file_) return;
  write_out(*file_, buffer_);
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get()))
    throw UserError(fmt::format("the trace cannot be written: {}", std::strerror(errno)));
}

}  // namespace ew::core
