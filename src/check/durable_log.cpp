#include "check/durable_log.hpp"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/diagnostics.hpp"

namespace ew::check {
namespace {

struct Record {
  u64 cycle, address;
  u32 bytes, number;
};

std::vector<u8> content_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) throw core::UserError(fmt::format("log of durable writes {}: cannot be read", path));
  std::vector<u8> content(size);
  file.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(size));
  return content;
}

}  // namespace

DurableLog::DurableLog(const std::string& path) : content_(content_of(path)) {
  index();
}

DurableLog::DurableLog(std::vector<u8> content) : content_(std::move(content)) {
  index();
}

void DurableLog::index() {
  u64 high = 0, last = 0;  // numbers have 32 bits in the file
  for (std::size_t at = 0; at + sizeof(Record) <= content_.size();) {
    Record record;
    std::memcpy(&record, content_.data() + at, sizeof record);
    at += sizeof record;
    if (record.bytes > content_.size() - at) return;  // cut off in the middle: a crash
    if (record.number < last) high += u64{1} << 32;
    last = record.number;
    writes_.push_back({record.cycle, record.address, high + record.number, {content_.data() + at, record.bytes}});
    at += record.bytes;
  }
}

}  // namespace ew::check
