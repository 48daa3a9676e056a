// Device printf: formats the packed argument buffers of vprintf and keeps the text until a synchronising point prints
// it. Owned by KernelServices. print() runs on the machine's thread, flush() on the host's: both lock. Nothing is lost
// when the buffer is full: it is printed early (a real GPU drops the oldest lines).
#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "core/types.hpp"

namespace ew::runtime {

/// The string a device pointer points at, or false when it is not readable memory.
using ReadString = std::function<bool(u64 address, std::string& text)>;

/// Formats as CUDA's printf does (CUDA C++ Programming Guide, "Formatted Output": flags, width, precision, sizes; no
/// %n). Returns how many arguments the format takes, -1 for a conversion that does not exist.
i32 format_packed(std::string_view format, const u8* arguments, const ReadString&, std::string& text);

class PrintBuffer {
 public:
  explicit PrintBuffer(u64 capacity) : capacity_(capacity) {}
  void append(std::string_view text);
  /// Everything so far to stdout, in order.
  void flush();
  void set_capacity(u64 bytes);

 private:
  std::mutex mutex_;
  u64 capacity_;
  std::string text_;
};

}  // namespace ew::runtime
