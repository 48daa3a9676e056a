#include "check/event_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/diagnostics.hpp"
#include "core/symbol_name.hpp"

namespace ew::check {
namespace {

constexpr std::size_t record_words = sizeof(EventRecord) / sizeof(u64);

// The last events are written by an exit handler. Those before it are not enough: without the host's last stores and
// its last flushes, the states would be those of another run.
constexpr const char* cut_off =
    "the run's events were cut off: the program ended without its exit handlers (_exit, quick_exit, a signal), which "
    "write them. Let it end by a return from main, or by exit()";

/// Takes packed text off the front: a count of bytes, then the bytes.
std::string_view take(std::span<const u64>& from) {
  const std::string_view bytes(reinterpret_cast<const char*>(from.data() + 1), from[0]);
  from = from.subspan(1 + (from[0] + 7) / 8);
  return bytes;
}

u64 take_number(std::span<const u64>& from) {
  const u64 number = from[0];
  from = from.subspan(1);
  return number;
}

std::vector<u64> read_words(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);  // an error when it is no regular file
  std::ifstream file;
  if (!error) file.open(path, std::ios::binary);
  if (error || !file) throw core::UserError(fmt::format("events {}: cannot be read", path));
  std::vector<u64> words(bytes / sizeof(u64));
  file.read(reinterpret_cast<char*>(words.data()), static_cast<std::streamsize>(words.size() * sizeof(u64)));
  return words;
}

}  // namespace

memory::PersistOrder operation_of(EventAction action) {
  using memory::PersistOrder;
  switch (action) {
    case EventAction::ofence:
      return PersistOrder::ofence;
    case EventAction::dfence:
      return PersistOrder::dfence;
    case EventAction::fence:
      return PersistOrder::fence;
    case EventAction::prel:
      return PersistOrder::p_release;
    case EventAction::pacq:
      return PersistOrder::p_acquire;
    case EventAction::sync_and_wait:
    case EventAction::sync_only:
      return PersistOrder::barrier;
    default:
      return PersistOrder::none;
  }
}

EventFile::EventFile(const std::string& path) : words_(read_words(path)) {
  if (words_.empty()) throw core::UserError(cut_off);
  if (words_[0] != simt::event_magic) throw core::UserError(fmt::format("events {}: is no file of events", path));
  index();
}

EventFile::EventFile(std::vector<u64> words) : words_(std::move(words)) {
  index();
}

void EventFile::index() {
  bool ended = false;
  for (std::size_t at = 1; at + record_words <= words_.size() && !ended;) {
    const auto& record = *reinterpret_cast<const EventRecord*>(words_.data() + at);
    const std::size_t next = at + record_words + record.words;
    if (next > words_.size()) break;
    const auto words = std::span<const u64>(words_).subspan(at + record_words, record.words);
    ended = record.kind == simt::EventKind::end;
    records_ += !ended;
    if (ended) changes_ = record.block;
    if (record.kind == simt::EventKind::kernel) add_kernel(record, words);
    if (record.kind == simt::EventKind::launch)
      launches_.push_back({record.pc, words[0], words[1], words[2], words.size() > 3});
    if (record.kind == simt::EventKind::pool) add_pool(words);
    at = next;
  }
  if (!ended) throw core::UserError(cut_off);
}

void EventFile::add_kernel(const EventRecord& record, std::span<const u64> words) {
  kernels_.resize(std::max<std::size_t>(kernels_.size(), record.launch + 1));
  Kernel& kernel = kernels_[record.launch];
  kernel.name = take(words);
  for (u64 files = take_number(words); files > 0; --files) kernel.files.push_back(take(words));
  const u64 lines = take_number(words);
  kernel.lines = words.subspan(0, lines);
}

void EventFile::add_pool(std::span<const u64> words) {
  Pool pool;
  pool.address = take_number(words);
  pool.size = take_number(words);
  pool.path = std::string(take(words));
  pool.header = take(words);
  const std::string_view content = take(words);
  pool.content = {reinterpret_cast<const u64*>(content.data()), content.size() / sizeof(u64)};
  pool.cycle = take_number(words);
  pool.writes = take_number(words);
  const bool known = std::any_of(pools_.begin(), pools_.end(), [&](const Pool& p) { return p.path == pool.path; });
  if (!known) pools_.push_back(std::move(pool));  // mapped again: its content follows from the events
}

std::string_view EventFile::kernel_name(u32 launch) const {
  const u32 kernel = launch < launches_.size() ? launches_[launch].kernel : 0;
  return kernel < kernels_.size() ? kernels_[kernel].name : std::string_view();
}

std::string EventFile::place(u32 launch, u32 pc) const {
  const u32 number = launch < launches_.size() ? launches_[launch].kernel : 0;
  if (number == 0 || number >= kernels_.size()) return "the host";
  const Kernel& kernel = kernels_[number];
  u64 line = pc < kernel.lines.size() ? kernel.lines[pc] : 0;
  const u64 file = line >> 32;
  const std::string name = core::readable_name(std::string(kernel.name));
  if (static_cast<u32>(line) == 0 || file >= kernel.files.size()) return fmt::format("{}, instruction {}", name, pc);
  const auto text = [&](u64 of) {
    return fmt::format("{}:{}", std::filesystem::path(kernel.files[of >> 32]).filename().string(),
                       static_cast<u32>(of));
  };
  // A line in one of our own headers says little to the reader, who wants the line that called. That is the line of the
  // nearest instruction of another file: the call's own statement, or one beside it.
  const auto ours = [&](u64 of) {
    return static_cast<u32>(of) == 0 || (of >> 32) >= kernel.files.size() ||
           kernel.files[of >> 32].find("include/everwarp/") != std::string_view::npos ||
           kernel.files[of >> 32].find("include/cuda/") != std::string_view::npos;
  };
  if (!ours(line)) return text(line);
  for (u32 distance = 1; distance < 64; ++distance)
    for (const u32 other : {pc - distance, pc + distance})
      if (other < kernel.lines.size() && !ours(kernel.lines[other]))
        return fmt::format("{} (in {})", text(kernel.lines[other]), text(line));
  return text(line);
}

}  // namespace ew::check
