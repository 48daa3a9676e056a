#include "runtime/timeline.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/diagnostics.hpp"
#include "core/json_text.hpp"

namespace ew::runtime {

namespace {

std::string quoted(std::string_view text) {
  return core::json_text(nlohmann::json(std::string(text)), -1);
}

/// Nanoseconds in the format's microseconds, exactly.
std::string microseconds(u64 nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

/// What the viewer calls a process. Those of warps stand apart: it takes a thread of its process's number for special.
constexpr u32 first_process_of_warps = 1000;

u32 process_of(Timeline::Group group, u32 track) {
  return group == Timeline::Group::warps ? first_process_of_warps + track / Timeline::sm_tracks
                                         : static_cast<u32>(group);
}

u32 thread_of(Timeline::Group group, u32 track) {
  return group == Timeline::Group::warps ? track % Timeline::sm_tracks : track;
}

std::string process_name(u32 process, std::string_view name) {
  return fmt::format(R"({{"ph":"M","name":"process_name","pid":{0},"args":{{"name":"{1}"}}}},)"
                     "\n"
                     R"({{"ph":"M","name":"process_sort_index","pid":{0},"args":{{"sort_index":{0}}}}})",
                     process, name);
}

}  // namespace

Timeline::Timeline(const std::string& file, u64 most_spans)
    : file_(std::fopen(file.c_str(), "w")), name_(file), most_spans_(most_spans) {
  if (!file_) throw core::UserError(fmt::format("the timeline cannot be written to {}", file));
  std::fputs("[\n", file_.get());
  static constexpr std::pair<Group, const char*> groups[] = {{Group::kernels, "kernels"},   {Group::copies, "copies"},
                                                             {Group::sms, "blocks on SMs"}, {Group::caches, "caches"},
                                                             {Group::links, "links"},       {Group::memory, "memory"}};
  for (auto [group, name] : groups) write(process_name(static_cast<u32>(group), name));
}

Timeline::~Timeline() {
  if (file_) std::fputs("\n]\n", file_.get());
}

void Timeline::close() {
  std::fputs("\n]\n", file_.get());
  const bool lost = std::ferror(file_.get()) != 0;
  if (std::fclose(file_.release()) != 0 || lost)
    throw core::UserError(fmt::format("the timeline cannot be written to {}: {}", name_, std::strerror(errno)));
}

void Timeline::write(std::string_view event) {
  if (!first_) std::fputs(",\n", file_.get());
  first_ = false;
  std::fwrite(event.data(), 1, event.size(), file_.get());
}

void Timeline::name_warps(u32 sm) {
  write(process_name(process_of(Group::warps, sm * sm_tracks), fmt::format("warps on SM {}", sm)));
}

void Timeline::name_track(Group group, u32 track, std::string_view name) {
  write(fmt::format(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}}}})",
                    process_of(group, track), thread_of(group, track), quoted(name)));
}

/// Whether a group has all the spans that it may have.
bool Timeline::leaves_out(Group group, u32 track, u64 now) {
  const u64 before = spans_[static_cast<u32>(group)]++;
  if (before != most_spans_) return before > most_spans_;
  const char* what = group == Group::warps ? "warps" : group == Group::sms ? "blocks" : "spans of a kind";
  const std::string sentence = fmt::format("the timeline shows {} {} at most: the rest is left out", most_spans_, what);
  std::fprintf(stderr, "everwarp: %s of %s\n", sentence.c_str(), name_.c_str());
  write(fmt::format(R"({{"ph":"i","s":"g","name":"{}","pid":{},"tid":{},"ts":{}}})", sentence, process_of(group, track),
                    thread_of(group, track), microseconds(now)));
  return true;
}

void Timeline::span(Group group, u32 track, std::string_view name, u64 begin, u64 end, std::string_view details) {
  if (leaves_out(group, track, end)) return;
  write(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{}{}}})", quoted(name),
                    process_of(group, track), thread_of(group, track), microseconds(begin), microseconds(end - begin),
                    details.empty() ? "" : fmt::format(R"(,"args":{{"what":{}}})", quoted(details))));
}

void Timeline::counter(Group group, std::string_view name, u64 now, std::initializer_list<Value> values) {
  std::string list;
  for (const auto& [key, value] : values) list += fmt::format("{}\"{}\":{:.6g}", list.empty() ? "" : ",", key, value);
  write(fmt::format(R"({{"ph":"C","name":"{}","pid":{},"ts":{},"args":{{{}}}}})", name, static_cast<u32>(group),
                    microseconds(now), list));
}

}  // namespace ew::runtime
