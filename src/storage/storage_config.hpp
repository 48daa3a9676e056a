// The storage of a machine file: the number of drives, and the model and image of each. [storage] is for all drives. A
// drive may have a section of its own for keys that differ: [storage.3].
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/fields.hpp"
#include "storage/controller_config.hpp"
#include "storage/hosted/backends.hpp"
#include "storage/image.hpp"
#include "storage/link_tree.hpp"
#include "storage/media/models.hpp"

namespace ew::storage {

struct DriveConfig {
  std::string model = "p5800x";
  std::string backend = "simulated";
  std::string image;
  bool direct = false;
  bool syncs = false;
  core::Bytes size{1 << 30};
  u32 block = 512;
  bool written = true;
  bool crash_keeps_some = true;
  u32 queues = 0;  // 0 here and in the next two: as the model says
  u32 entries = 0;
  u32 commands = 0;
  u32 doorbell_stride = 0;
  u32 below = 0;
  std::string fault;

  bool operator==(const DriveConfig&) const = default;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

struct StorageConfig {
  static constexpr u32 most_drives = 16;

  u32 drives = 0;
  core::Picoseconds latency{100'000};
  core::Picoseconds overtaking{};
  core::Bytes payload{256};
  u32 credits = 127;
  std::string switches;
  DriveConfig all;
  std::map<u32, DriveConfig> own;  // the drives that differ, by number
  std::set<std::string> said;      // keys of theirs that settings have given, like "3.fault"

  const DriveConfig& drive(u32 number) const {
    const auto found = own.find(number);
    return found == own.end() ? all : found->second;
  }

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit);
};

/// Adds the fields of the drives that have a section of their own. Their names are like "3.fault", in [storage].
void collect_own(StorageConfig&, std::vector<core::Field>&);
/// Calls `read` with the given fields and, behind them, the fields of every drive's own section. Then keeps the drives
/// that `read` has changed.
template <class Read>
void read_own(StorageConfig& config, std::vector<core::Field> fields, Read&& read) {
  StorageConfig draft;
  for (u32 number = 0; number < StorageConfig::most_drives; ++number) draft.own[number] = config.drive(number);
  collect_own(draft, fields);
  const StorageConfig before = draft;
  read(fields);
  for (const auto& [number, drive] : draft.own)
    if (drive != before.own.at(number)) config.own[number] = drive;
}

/// A setting of the key `key` of [storage], which may be of one drive ("3.fault"), has been read; `all` were the common
/// values before. A common value goes to all drives but those that have said another, whatever came first.
void settle_own(StorageConfig&, const DriveConfig& all, std::string_view key);

const DriveModel& model_of(const DriveConfig&);
ImageConfig image_of(const DriveConfig&, u32 number);
/// `blocks`: the number of blocks of the image.
ControllerConfig controller_of(const DriveConfig&, u32 number, u64 blocks);
/// Throws core::UserError for a drive that cannot be. The message begins with a key.
void check(const StorageConfig&);

template <class Self, class Visitor>
void DriveConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  std::vector<std::string_view> models;
  for (const DriveModel& model : drive_models()) models.push_back(model.name);
  visit("model", self.model, core::model_choices(std::move(models)), "",
        "The model of drive: `ew explain models` says what each is.", "BaM, Table 2");
  std::vector<std::string_view> ways;
  for (const Backend& backend : backends()) ways.push_back(backend.name);
  visit("backend", self.backend, core::model_choices(std::move(ways)), "",
        "What stands behind the controller: simulated is the drive's model. io_uring and threads are a real file, in "
        "functional mode: the controller runs on a thread of this computer, and accesses the image with many commands "
        "under way.",
        "a choice of the user");
  visit("direct", self.direct, Range{}, "",
        "Of a backend over a file: past the pages that the operating system caches (O_DIRECT).",
        "a choice of the user");
  visit("syncs", self.syncs, Range{}, "",
        "Of a backend over a file: a flush, and a write that is durable when it is done, wait until the file system "
        "has the bytes on its disk; else they outlast this process, but not a crash of the computer.",
        "a choice of the user");
  visit("image", self.image, Range{}, "",
        "The file with its blocks, and nothing else. {} stands for the drive's number. Empty: the blocks are in memory "
        "that ends with the program.",
        "a choice of the user");
  visit("size", self.size, Range{0, 1e13}, "",
        "Bytes of the drive. A new image gets this size; an image that exists must have it. 0: the size of the image.",
        "a choice of the user");
  visit("block", self.block, Range{512, 4096}, "bytes", "Bytes of a logical block: 512 or 4096.",
        "BaM, section 4: accesses of 512 bytes");
  visit("written", self.written, Range{}, "",
        "true: the blocks of a new drive count as written, with zeros, like a drive that was filled before it is "
        "measured; false: they are deallocated, and reads of them are fast.",
        "a choice of the user");
  visit("crash_keeps_some", self.crash_keeps_some, Range{}, "",
        "Whether a crash (`ew crash`) may leave blocks durable that a volatile write cache holds, each by chance; else "
        "it "
        "leaves none of them.",
        "drives write their cache back in any order");
  visit("queues", self.queues, Range{0, 65534}, "pairs",
        "Pairs of I/O queues that the controller has; 0: as the model says.", "the model's file");
  visit("entries", self.entries, Range{0, 65536}, "entries", "Entries of the longest queue; 0: as the model says.",
        "the model's file");
  visit("commands", self.commands, Range{0, 65536}, "commands",
        "Commands that the controller works on at once; 0: as the model says.", "the model's file");
  visit("doorbell_stride", self.doorbell_stride, Range{0, 8}, "",
        "A doorbell takes 4 << doorbell_stride bytes (CAP.DSTRD).", "NVMe Base Specification 1.4: usually 0");
  visit("switch", self.below, Range{0, 15}, "",
        "Timing: the number of the switch below which the drive is; 0 is the GPU's.", "a choice of the user");
  visit(
      "fault", self.fault, Range{}, "",
      "Faults that the drive shows on purpose, as \"unrecovered-read:lba=77, lost-completion:command=1000\": a status, "
      "lost-completion, late-completion or fatal, with lba, opcode (1: Write, 2: Read), command, every, times, "
      "ms.",
      "a choice of the user");
}

template <class Self, class Visitor>
void StorageConfig::fields(Self& self, Visitor&& visit) {
  using core::Range;
  visit("drives", self.drives, Range{0, most_drives}, "drives",
        "NVMe drives beside the GPU. A drive that differs has keys of its own: [storage.0], or --set "
        "storage.0.fault=... .",
        "none: most programs use none; BaM has up to 10");
  visit("latency", self.latency, Range{0, 1e9}, "",
        "Timing: from the end of a packet on a drive's side of its link to its arrival at the switch; also the other "
        "way.",
        "assumed: the order of magnitude of a switch's port");
  visit("overtaking", self.overtaking, Range{0, 1e9}, "",
        "Timing: the data of a command may be seen in the GPU's memory so much later than its completion; 0: never "
        "later.",
        "BaM, section 4.4: with several DMA engines it may be");
  visit("payload", self.payload, Range{64, 4096}, "",
        "Timing: the most data that one packet of a drive's link carries.", "Max_Payload_Size of usual root ports");
  visit("credits", self.credits, Range{1, 65536}, "packets",
        "Timing: packets of one direction of a drive's link in flight.",
        "PCI Express Base Specification 3.0, section 2.6.1: 127 headers at most");
  visit("switches", self.switches, Range{}, "",
        "Timing: switches besides the GPU's, which is 0, as \"1:lanes=8:generation=4, 2:below=1, 3:below=root\": each "
        "has a link upwards, of 16 lanes of generation 4 to switch 0 if nothing else is said.",
        "BaM, section 4: drives behind switches");
  DriveConfig::fields(self.all, visit);
}

}  // namespace ew::storage
