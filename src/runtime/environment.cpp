#include "runtime/environment.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "core/diagnostics.hpp"

namespace ew::runtime {

namespace {

u64 number(const char* name) {
  const char* text = std::getenv(name);
  if (!text || !*text) return 0;
  u64 value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error != std::errc{} || *end)
    throw core::UserError(fmt::format("environment variable {}: expected a whole number, found \"{}\"", name, text));
  return value;
}

std::string words(const char* name, const char* otherwise = "") {
  const char* text = std::getenv(name);
  return text && *text ? text : otherwise;
}

}  // namespace

Environment Environment::read() {
  Environment environment;
  environment.machine = words(machine_name, "default");
  std::string all = words(settings_name);
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find(';', begin), all.size());
    if (end > begin) environment.settings.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  environment.seed = number(seed_name);
  environment.statistics_file = words(statistics_name);
  environment.max_instructions = number(max_instructions_name);
  environment.crash_at = number(crash_at_name);
  environment.crash_at_persist = number(crash_at_persist_name);
  environment.crash_at_cycle = number(crash_at_cycle_name);
  environment.durable_log_file = words(durable_log_name);
  environment.acknowledgements_file = words(acknowledgements_name);
  environment.count_file = words(count_file_name);
  environment.timeline_file = words(timeline_name);
  environment.trace_file = words(trace_name);
  environment.events_file = words(events_name);
  environment.digest = number(digest_name) != 0;
  environment.summary = number(summary_name) != 0;
  environment.per_unit = number(per_unit_name) != 0;
  environment.progress = number(progress_name);
  return environment;
}

}  // namespace ew::runtime
