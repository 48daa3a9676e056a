#include "runtime/container.hpp"

#include <fmt/format.h>

#include <cstring>

namespace ew::runtime {

std::string pack(const Container& container) {
  ContainerHeader header{};
  std::memcpy(header.magic, container_magic.data(), sizeof header.magic);
  header.version = container_version;
  header.flags = (container.rdc ? container_rdc : 0) | (container.per_thread_stream ? container_per_thread_stream : 0);
  header.length = container.ptx.size();
  header.name_length = static_cast<u32>(container.name.size());
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  return bytes.append(container.ptx).append(container.name);
}

std::optional<Container> unpack(const void* bytes, std::string& why) {
  ContainerHeader header;
  std::memcpy(header.magic, bytes, sizeof header.magic);
  if (std::string_view(header.magic, sizeof header.magic) != container_magic) {
    why = "the device code embedded in this program was not made by `ew build` (a fat binary of another compiler?)";
    return {};
  }
  std::memcpy(&header, bytes, sizeof header);
  if (header.version != container_version || (header.flags & ~(container_rdc | container_per_thread_stream)) != 0) {
    why = fmt::format(
        "the device code embedded in this program has container version {}, flags {:#x}; this library reads "
        "version {}: build it again",
        header.version, header.flags, container_version);
    return {};
  }
  const char* text = static_cast<const char*>(bytes) + sizeof header;
  return Container{{text, header.length},
                   {text + header.length, header.name_length},
                   (header.flags & container_rdc) != 0,
                   (header.flags & container_per_thread_stream) != 0};
}

}  // namespace ew::runtime
