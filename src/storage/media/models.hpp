// The drives that a machine file can name: what each controller can, and how fast its medium is. A new one is a file in
// this folder and a line in models.inc. Every figure has its source beside it; a fit says that it is one.
#pragma once

#include <span>
#include <string_view>

#include "core/units.hpp"

namespace ew::storage {

/// How a medium serves commands of one kind. At full load it ends so many a second; one alone takes `latency`. Their
/// product is how many are served side by side, by whatever dies and channels the drive has.
struct MediumRates {
  u64 small = 0;                // commands a second of at most 512 bytes
  u64 page = 0;                 // of 4 KiB
  core::BytesPerSecond stream;  // of all bytes of a command behind the first 4 KiB
  core::Picoseconds latency;
};

struct DriveModel {
  std::string_view name, sentence;
  u32 lanes = 4, generation = 4;     // of its PCIe link
  u32 commands = 256;                // inside the controller at once
  u32 queues = 128, entries = 1024;  // pairs for I/O, and entries of the longest
  core::Bytes transfer;              // that one command may move
  MediumRates read, write;
  core::Bytes buffer;           // of writes that are done before the medium has them
  bool volatile_cache = false;  // that buffer, and a crash empties it; else capacitors save it
  core::Bytes atomic;           // that a loss of power leaves written together or not at all
  core::Picoseconds unwritten;  // until a read of deallocated blocks alone is done
};

namespace drives {
#define MODEL(name) DriveModel name();
#include "storage/media/models.inc"
#undef MODEL
}  // namespace drives

/// In the order in which they are documented.
std::span<const DriveModel> drive_models();
/// nullptr: there is none of that name.
const DriveModel* find_drive_model(std::string_view name);

}  // namespace ew::storage
