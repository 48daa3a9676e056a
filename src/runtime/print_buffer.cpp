#include "runtime/print_buffer.hpp"

#include <cstdio>
#include <cstring>

namespace ew::runtime {

namespace {

/// Reads the values of a packed vprintf buffer one by one, each at its natural alignment.
class Arguments {
 public:
  explicit Arguments(const u8* bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(&value, bytes_ + offset_, sizeof(T));
    offset_ += sizeof(T);
    ++count_;
    return value;
  }
  i32 count() const { return count_; }

 private:
  const u8* bytes_;
  u64 offset_ = 0;
  i32 count_ = 0;
};

struct Conversion {
  std::string flags;  // "-+ #0"
  int width = -1, precision = -1;
  bool wide = false;  // a 64-bit integer
  char letter = 0;
};

template <class T>
void format_one(const Conversion& conversion, const char* size, T value, std::string& text) {
  std::string specification("%");
  specification += conversion.flags;
  if (conversion.width >= 0) specification += std::to_string(conversion.width);
  if (conversion.precision >= 0) specification.append(".").append(std::to_string(conversion.precision));
  specification += size;
  specification += conversion.letter;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length <= 0) return;
  const std::size_t old = text.size();
  text.resize(old + static_cast<std::size_t>(length) + 1);
  std::snprintf(text.data() + old, static_cast<std::size_t>(length) + 1, specification.c_str(), value);
#pragma GCC diagnostic pop
  text.pop_back();
}

int read_number(std::string_view format, std::size_t& at) {
  int value = 0;
  for (; at < format.size() && format[at] >= '0' && format[at] <= '9'; ++at)
    value = value < 100'000 ? value * 10 + (format[at] - '0') : value;
  return value;
}

/// Reads what follows '%'; `*` takes an argument.
Conversion read_conversion(std::string_view format, std::size_t& at, Arguments& arguments) {
  Conversion conversion;
  for (; at < format.size() && std::strchr("-+ #0", format[at]); ++at) conversion.flags += format[at];
  if (at < format.size() && format[at] == '*') {
    ++at;
    conversion.width = arguments.take<i32>();
    if (conversion.width < 0) {
      conversion.flags += '-';
      conversion.width = -conversion.width;
    }
  } else if (at < format.size() && format[at] >= '1' && format[at] <= '9') {
    conversion.width = read_number(format, at);
  }
  if (at < format.size() && format[at] == '.') {
    ++at;
    if (at < format.size() && format[at] == '*') {
      ++at;
      conversion.precision = arguments.take<i32>();
    } else {
      conversion.precision = read_number(format, at);
    }
  }
  for (; at < format.size() && std::strchr("hlLjzt", format[at]); ++at)
    if (format[at] != 'h') conversion.wide = true;
  if (at < format.size()) conversion.letter = format[at++];
  return conversion;
}

bool convert(const Conversion& conversion, Arguments& arguments, const ReadString& read, std::string& text) {
  switch (conversion.letter) {
    case 'd':
    case 'i':
      if (conversion.wide)
        format_one(conversion, "ll", arguments.take<long long>(), text);
      else
        format_one(conversion, "", arguments.take<int>(), text);
      return true;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
      if (conversion.wide)
        format_one(conversion, "ll", arguments.take<unsigned long long>(), text);
      else
        format_one(conversion, "", arguments.take<unsigned>(), text);
      return true;
    case 'c':
      text.reserve(text.size() + 1);
      format_one(conversion, "", arguments.take<int>(), text);
      return true;
    case 'p':
      format_one(conversion, "", reinterpret_cast<void*>(arguments.take<u64>()), text);
      return true;
    case 's': {
      std::string string;
      const u64 address = arguments.take<u64>();
      if (!read(address, string)) string = address == 0 ? "(null)" : "(unreadable string)";
      format_one(conversion, "", string.c_str(), text);
      return true;
    }
    case 'a':
    case 'A':
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
      format_one(conversion, "", arguments.take<double>(), text);
      return true;
    default:
      return false;
  }
}

}  // namespace

i32 format_packed(std::string_view format, const u8* bytes, const ReadString& read, std::string& text) {
  Arguments arguments(bytes);
  for (std::size_t at = 0; at < format.size();) {
    const std::size_t percent = std::min(format.find('%', at), format.size());
    text.append(format, at, percent - at);
    if (percent == format.size()) break;
    at = percent + 1;
    if (at < format.size() && format[at] == '%') {
      text += '%';
      ++at;
      continue;
    }
    const Conversion conversion = read_conversion(format, at, arguments);
    if (!convert(conversion, arguments, read, text)) {
      text.append(format, percent, at - percent);
      return -1;
    }
  }
  return arguments.count();
}

void PrintBuffer::append(std::string_view text) {
  std::lock_guard lock(mutex_);
  text_ += text;
  if (text_.size() < capacity_) return;
  std::fwrite(text_.data(), 1, text_.size(), stdout);
  text_.clear();
}

void PrintBuffer::flush() {
  std::lock_guard lock(mutex_);
  if (text_.empty()) return;
  std::fwrite(text_.data(), 1, text_.size(), stdout);
  text_.clear();
}

void PrintBuffer::set_capacity(u64 bytes) {
  std::lock_guard lock(mutex_);
  capacity_ = bytes;
}

}  // namespace ew::runtime
