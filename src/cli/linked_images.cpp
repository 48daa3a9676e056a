#include "cli/linked_images.hpp"

#include <fmt/format.h>

#include <cctype>
#include <fstream>
#include <sstream>
#include <string_view>

#include "core/files.hpp"

namespace ew::cli {

std::set<std::string> linked_image_ids(const std::string& file) {
  // The names stand in the string tables as they are, in objects and in archives of them.
  static constexpr std::string_view prefix = "__cudaRegisterLinkedBinary_";
  const std::string bytes = core::content_of(file);
  std::set<std::string> ids;
  for (auto at = bytes.find(prefix); at != bytes.npos; at = bytes.find(prefix, at)) {
    at += prefix.size();
    std::size_t end = at;
    while (end < bytes.size() && (std::isalnum(static_cast<unsigned char>(bytes[end])) || bytes[end] == '_')) ++end;
    if (end > at) ids.insert(bytes.substr(at, end - at));
  }
  return ids;
}

std::string linked_image_source(const std::set<std::string>& ids) {
  // Weak: the object of -dlink may be linked by a command that makes its own.
  // The array makes the linker take an archive's objects that hold nothing but device code.
  std::string source =
      "extern \"C\" void __everwarpRegisterLinkedBinary(const void*, void (*)(void**), void*);\n"
      "static char group;\n";
  for (const std::string& id : ids) {
    source += fmt::format(
        "extern \"C\" __attribute__((weak, visibility(\"hidden\"))) void __cudaRegisterLinkedBinary_{}(void "
        "(*callback)(void**), "
        "void* wrapper, void*, void (*)(void*)) {{ __everwarpRegisterLinkedBinary(&group, callback, wrapper); }}\n",
        id);
    source += fmt::format("extern \"C\" char __fatbinwrap_{}[];\n", id);
  }
  source += "__attribute__((used)) static void* const images[] = {";
  for (const std::string& id : ids) source += fmt::format("__fatbinwrap_{}, ", id);
  source += "nullptr};\n";
  return source;
}

}  // namespace ew::cli
