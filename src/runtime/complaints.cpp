#include "runtime/complaints.hpp"

#include <cstdio>

namespace ew::runtime {

void print_report(std::string_view report) {
  std::fflush(stdout);
  std::fwrite(report.data(), 1, report.size(), stderr);
  if (report.empty() || report.back() != '\n') std::fputc('\n', stderr);
}

void Complaints::say(const std::string& sentence) {
  if (said_.insert(sentence).second) print_report("everwarp: " + sentence);
}

}  // namespace ew::runtime
