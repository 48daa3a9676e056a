#include "check/litmus_pool.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "core/diagnostics.hpp"

namespace ew::check {

namespace {

constexpr u64 pool_bytes = LitmusPool::line_bytes * LitmusPool::lines;

std::string log_file() {
  std::string path = (std::filesystem::temp_directory_path() / "everwarp-litmus-XXXXXX").string();
  const int descriptor = ::mkstemp(path.data());
  if (descriptor < 0) throw core::UserError(fmt::format("no file for the log of durable writes: {}", path));
  ::close(descriptor);
  return path;
}

}  // namespace

LitmusPool::LitmusPool(const Program& program, memory::AddressSpace& space)
    : program_(program), space_(space), layout_(program) {
  if (layout_.locations.empty()) return;
  begin_ = space.reserve_pool(pool_bytes);
  void* const wanted = reinterpret_cast<void*>(begin_);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (!begin_ || ::mmap(wanted, pool_bytes, PROT_READ | PROT_WRITE, flags, -1, 0) != wanted ||
      !space.adopt(memory::Region::pool, begin_, pool_bytes, "persistent locations"))
    throw core::UserError(fmt::format("{}: no persistent memory for its locations", program.name));
  bytes_.resize(pool_bytes);
  durable_.attach(begin_, pool_bytes, bytes_.data());
  log_ = log_file();
  if (!durable_.log_to(log_)) throw core::UserError(fmt::format("cannot write {}", log_));
}

LitmusPool::~LitmusPool() {
  if (!begin_) return;
  durable_.detach(begin_);
  space_.release(begin_);
  space_.unreserve_pool(begin_, pool_bytes);
  ::unlink(log_.c_str());
}

void LitmusPool::begin_run() {
  if (begin_) std::memcpy(bytes_.data(), reinterpret_cast<const void*>(begin_), pool_bytes);
}

std::vector<LitmusPool::Write> LitmusPool::new_writes(const std::vector<u64>& addresses) {
  durable_.flush_log();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(log_.c_str(), "rb"), std::fclose);
  if (!file || std::fseek(file.get(), log_at_, SEEK_SET) != 0)
    throw core::UserError(fmt::format("cannot read {}", log_));
  std::vector<Write> writes;
  memory::DurableRecord record{};
  std::vector<u8> bytes;
  while (std::fread(&record, sizeof record, 1, file.get()) == 1) {
    bytes.resize(record.bytes);
    if (std::fread(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) break;
    for (u32 slot = 0; slot < layout_.locations.size(); ++slot) {
      const u64 at = addresses[layout_.locations[slot]];
      if (at < record.address || at + sizeof(Value) > record.address + record.bytes) continue;
      Value value;
      std::memcpy(&value, bytes.data() + (at - record.address), sizeof value);
      writes.push_back({record.cycle, record.number, slot, value});
    }
  }
  log_at_ = std::ftell(file.get());
  return writes;
}

void LitmusPool::count_crashes(const std::vector<u64>& addresses, std::vector<Output> happened, u64 seed,
                               Histogram& histogram) {
  const std::vector<Write> writes = new_writes(addresses);
  std::ranges::stable_sort(happened, {}, &Output::cycle);
  Image image = layout_.initial;
  const auto crash = [&] {
    ++histogram.crashes;
    auto& count = histogram.images[image];
    if (count.runs++ == 0) count.first_seed = seed;
  };
  crash();
  auto output = happened.begin();
  for (std::size_t w = 0; w < writes.size();) {
    for (; output != happened.end() && output->cycle < writes[w].cycle; ++output) {
      image[layout_.locations.size() + output->output] = output->value;
      crash();
    }
    for (const u32 number = writes[w].number; w < writes.size() && writes[w].number == number; ++w)
      image[writes[w].slot] = writes[w].value;  // a crash does not split a durable write
    crash();
  }
  for (; output != happened.end(); ++output) {
    image[layout_.locations.size() + output->output] = output->value;
    crash();
  }
}

}  // namespace ew::check
