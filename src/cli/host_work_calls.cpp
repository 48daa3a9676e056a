#include "cli/host_work_calls.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/files.hpp"

namespace ew::cli {

bool calls_host_work(const std::string& item) {
  using namespace std::string_view_literals;
  if (!std::filesystem::is_regular_file(item)) return false;
  // The names stand in the string tables as they are. The header's other functions are of no use without one of these.
  static constexpr std::array names{"host_copy\0"sv,    "host_persist\0"sv, "host_file_open\0"sv,
                                    "host_map\0"sv,     "host_compute\0"sv, "everwarp_host_parallel\0"sv,
                                    "pmem_map_file\0"sv};
  const std::string bytes = core::content_of(item);
  return std::ranges::any_of(names, [&](std::string_view name) { return bytes.find(name) != bytes.npos; });
}

}  // namespace ew::cli
