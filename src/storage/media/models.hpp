// The drives that a machine file can name: the limits of each controller, and the rates of its medium. A new drive is a
// file in this folder and a line in models.inc. Every figure has its source beside it. A fit is called a fit.
#pragma once

#include <span>
#include <string_view>

#include "core/units.hpp"

namespace ew::storage {

/// How a medium serves commands of one kind. Under full load it completes commands at these rates. A single command
/// takes `latency`. Rate times latency is the number of commands that the drive's dies and channels serve at the same
/// time.
struct MediumRates {
  u64 small = 0;                // commands of at most 512 bytes in a second
  u64 page = 0;                 // commands of 4 KiB in a second
  core::BytesPerSecond stream;  // for the bytes of a command behind its first 4 KiB
  core::Picoseconds latency;
};

struct DriveModel {
  std::string_view name, sentence;
  u32 lanes = 4, generation = 4;     // of its PCIe link
  u32 commands = 256;                // commands inside the controller at the same time
  u32 queues = 128, entries = 1024;  // pairs of I/O queues; entries of the longest queue
  core::Bytes transfer;              // the most bytes that one command may move
  MediumRates read, write;
  core::Bytes buffer;           // writes are done when their bytes have room in this buffer
  bool volatile_cache = false;  // a crash empties the buffer; else capacitors save its bytes
  core::Bytes atomic;           // a loss of power leaves all or none of so many bytes written
  core::Picoseconds unwritten;  // the time of a read whose blocks are all deallocated
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
