// What `ew build` embeds where nvcc would put a fat binary (section .nv_fatbin): a header of ours, then PTX text.
//
//   offset  size  field
//        0     8  magic    "EVERWARP"
//        8     4  version  1
//       12     4  flags    bit 0: compiled with -fgpu-rdc, symbols are linked with the other such images of the program
//                          bit 1: --default-stream per-thread; one such image makes stream 0 per-thread for the whole
//                          program
//       16     8  length   bytes of PTX that follow
//       24     4  name_length   bytes of the source's name after the PTX (for diagnostics), may be 0
//       28     4  reserved      0
//       32        PTX text, then the name; no terminators
//
// Numbers are little-endian. Where clang's host code refers to __cudaRegisterLinkedBinary_<id> (-fgpu-rdc), `ew build`
// links one object that defines, for each id,
//   extern "C" void __cudaRegisterLinkedBinary_<id>(void (*callback)(void**), void* wrapper, void* id, void* unused)
//     { __everwarpRegisterLinkedBinary(&group, callback, wrapper); }
// with one `static char group;` an executable or shared library: images of one group are linked together.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/types.hpp"

namespace ew::runtime {

struct ContainerHeader {
  char magic[8];
  u32 version;
  u32 flags;
  u64 length;
  u32 name_length;
  u32 reserved;
};
static_assert(sizeof(ContainerHeader) == 32);

inline constexpr std::string_view container_magic = "EVERWARP";
inline constexpr u32 container_version = 1;
inline constexpr u32 container_rdc = 1, container_per_thread_stream = 2;

struct Container {
  std::string_view ptx, name;
  bool rdc = false;
  bool per_thread_stream = false;
};

/// Header, text and name as one string of bytes.
std::string pack(const Container&);

/// The image at `bytes` (a fat binary as registered). Empty, with one sentence in `why`, when it is not ours.
std::optional<Container> unpack(const void* bytes, std::string& why);

}  // namespace ew::runtime
