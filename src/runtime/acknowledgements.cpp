#include "runtime/acknowledgements.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "core/diagnostics.hpp"
#include "runtime/environment.hpp"

namespace ew::runtime {

Acknowledgements::Acknowledgements(const std::string& file) {
  if (file.empty()) return;
  file_ = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw core::UserError(fmt::format("acknowledgements cannot be written to {}: {}", file, std::strerror(errno)));
}

Acknowledgements::~Acknowledgements() {
  if (file_ >= 0) ::close(file_);
}

void Acknowledgements::add(const Acknowledgement& one) {
  if (file_ < 0) return;
  ssize_t written = -1;
  do written = ::write(file_, &one, sizeof one);
  while (written < 0 && errno == EINTR);
  if (written != static_cast<ssize_t>(sizeof one))
    throw core::UserError(fmt::format("an acknowledgement cannot be written: {}", std::strerror(errno)));
}

std::vector<Acknowledgement> read_acknowledgements(const std::string& file) {
  std::vector<Acknowledgement> all;
  std::ifstream stream(file, std::ios::binary);
  for (Acknowledgement one; stream.read(reinterpret_cast<char*>(&one), sizeof one);) all.push_back(one);
  return all;
}

u64 acknowledged_before_the_crash() {
  const char* text = std::getenv(Environment::acknowledged_name);
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

}  // namespace ew::runtime
