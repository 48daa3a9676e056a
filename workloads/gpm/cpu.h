// What programs of the host alone share: GPMbench's bfs, srad, ps and gpdb as threads of the CPU compute and persist
// them
// ("GPM", ASPLOS'22, figure 1b and section 6.1). Each thread stores to persistent memory, flushes the lines that it has
// stored (clwb) and fences (sfence). Built with --trace-host, the threads run on the cores of the simulated host.
#pragma once
#include <atomic>

#include "gpmbench.h"

namespace bench {

/// The first lines of a file, as system.h has them. `magic` is durable last.
struct CpuHeader {
  uint64_t magic, state;
  uint32_t shape[60];
};
static_assert(sizeof(CpuHeader) == 256, "what follows begins on a granule of its own");

/// A program's file in the host's persistent memory: the header, then the program's bytes.
class CpuStore {
 public:
  template <class Shape>
  CpuStore(const Options<Shape>& options, uint64_t magic, size_t bytes) : path_(options.pool) {
    static_assert(sizeof(Shape) <= sizeof(CpuHeader::shape), "the shape fits into the header");
    std::remove(path_.c_str());
    bytes_ = sizeof(CpuHeader) + bytes;
    map(true);
    memcpy(header()->shape, &options.shape, sizeof(Shape));
    flush_line(header()->shape);
    header()->magic = magic;
    flush_line(header());
    whole_ = true;
  }
  /// What a run has left.
  CpuStore(const std::string& path, uint64_t magic) : path_(path), bytes_(pool_bytes(path)) {
    if (bytes_ == 0) {
      expect_acknowledged(0, "steps");
      return;
    }
    REQUIRE(bytes_ >= sizeof(CpuHeader), "%s should have a header, has %zu bytes", path.c_str(), bytes_);
    map(false);
    if (header()->magic == 0) {
      expect_acknowledged(0, "steps");
      return;
    }
    require_magic(path, magic, header()->magic);
    whole_ = true;
  }
  ~CpuStore() {
    if (image_ != nullptr) host_unmap(path_.c_str(), image_, bytes_);
  }
  CpuStore(const CpuStore&) = delete;
  CpuStore& operator=(const CpuStore&) = delete;

  bool is_whole() const { return whole_; }
  template <class Shape>
  Shape shape() const {
    Shape shape;
    memcpy(&shape, header()->shape, sizeof shape);
    return shape;
  }
  template <class T>
  T* at(size_t offset) const {
    return reinterpret_cast<T*>(image_ + sizeof(CpuHeader) + offset);
  }
  uint64_t state() const { return header()->state; }
  /// By a thread, behind what it has made durable.
  void set_state(uint64_t state) {
    header()->state = state;
    host_flush(&header()->state);
    host_fence();
  }

 private:
  CpuHeader* header() const { return reinterpret_cast<CpuHeader*>(image_); }
  void map(bool create) {
    image_ = static_cast<char*>(host_map(path_.c_str(), bytes_, create));
    REQUIRE(image_ != nullptr, "%s should be mapped, with %zu bytes", path_.c_str(), bytes_);
  }
  /// Outside threads: the program's own set-up.
  static void flush_line(const void* address) {
    REQUIRE(host_persist(address, 64, 1) == 0, "the header should be durable");
    FINISH_KERNEL();
  }

  std::string path_;
  size_t bytes_ = 0;
  char* image_ = nullptr;
  bool whole_ = false;
};

/// clwb of each line of these bytes; a fence makes them durable.
inline void flush_bytes(const void* from, size_t bytes) {
  const char* const end = static_cast<const char*>(from) + bytes;
  const uintptr_t first = reinterpret_cast<uintptr_t>(from) / 64 * 64;
  for (const char* line = reinterpret_cast<const char*>(first); line < end; line += 64) host_flush(line);
}
inline void persist_bytes(const void* from, size_t bytes) {
  flush_bytes(from, bytes);
  host_fence();
}

/// What a thread has stored, behind which more of the same follows: durable at once (`each`), or flushed only.
inline void persist_result(const void* from, size_t bytes, bool each) {
  flush_bytes(from, bytes);
  if (each) host_fence();
}

/// The part of 0 … count - 1 that is a thread's, in multiples of `step`.
struct Part {
  size_t begin, end;
};
inline Part part_of(size_t count, unsigned thread, unsigned threads, size_t step = 1) {
  const size_t steps = (count + step - 1) / step;
  const size_t begin = steps * thread / threads * step, end = steps * (thread + 1) / threads * step;
  return {std::min(begin, count), std::min(end, count)};
}

}  // namespace bench
