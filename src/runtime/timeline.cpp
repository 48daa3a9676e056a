#include "runtime/timeline.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/diagnostics.hpp"

namespace ew::runtime {

namespace {

std::string quoted(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Nanoseconds in the format's microseconds, exactly.
std::string microseconds(u64 nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

}  // namespace

Timeline::Timeline(const std::string& file) : file_(std::fopen(file.c_str(), "w")) {
  if (!file_) throw core::UserError(fmt::format("the timeline cannot be written to {}", file));
  std::fputs("[\n", file_.get());
  static constexpr std::pair<Group, const char*> groups[] = {{Group::kernels, "kernels"},   {Group::copies, "copies"},
                                                             {Group::sms, "blocks on SMs"}, {Group::caches, "caches"},
                                                             {Group::links, "links"},       {Group::memory, "memory"}};
  for (auto [group, name] : groups) {
    const u32 number = static_cast<u32>(group);
    write(fmt::format(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"{}"}}}})", number, name));
    write(fmt::format(R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})", number));
  }
}

Timeline::~Timeline() {
  std::fputs("\n]\n", file_.get());
}

void Timeline::write(std::string_view event) {
  if (!first_) std::fputs(",\n", file_.get());
  first_ = false;
  std::fwrite(event.data(), 1, event.size(), file_.get());
}

void Timeline::name_track(Group group, u32 track, std::string_view name) {
  write(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    static_cast<u32>(group), track, quoted(name)));
}

void Timeline::span(Group group, u32 track, std::string_view name, u64 begin, u64 end, std::string_view details) {
  write(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"what":{}}}}})", quoted(name),
                    static_cast<u32>(group), track, microseconds(begin), microseconds(end - begin), quoted(details)));
}

void Timeline::counter(Group group, std::string_view name, u64 now, std::initializer_list<Value> values) {
  std::string list;
  for (const auto& [key, value] : values) list += fmt::format("{}\"{}\":{:.6g}", list.empty() ? "" : ",", key, value);
  write(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{{}}}}})", name, static_cast<u32>(group),
                    microseconds(now), list));
}

}  // namespace ew::runtime
