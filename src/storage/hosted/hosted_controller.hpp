// A controller that this computer runs over a file, while a real or a functional GPU uses it. It is the same state
// machine as of every drive here; its memory is the process's own, its medium is a file, and its doorbells are words of
// memory that it looks at. Used by one thread. Owned by HostedDrive.
#pragma once

#include <span>

#include "storage/controller.hpp"
#include "storage/direct_dma.hpp"
#include "storage/hosted/file_medium.hpp"

namespace ew::storage {

class HostedController {
 public:
  /// `doorbells`: the words of memory at registers::doorbells. The GPU stores there; they are zero now.
  HostedController(const ControllerConfig&, Image&, const memory::AddressSpace&, std::unique_ptr<FileQueue>,
                   const FileMedium::Settings&, std::span<u32> doorbells);

  /// Registers that are no doorbells.
  u64 read(u64 offset, u32 bytes) const { return controller_.read(offset, bytes); }
  void write(u64 offset, u32 bytes, u64 value) { controller_.write(offset, bytes, value); }

  /// The doorbell at this offset was stored to, perhaps with the value that it had.
  void rung(u64 offset);
  /// Looks at the doorbells, and does what follows. `waits`: for the file, if there is nothing else to do and the file
  /// is being accessed. False: there was nothing to do.
  bool step(bool waits);
  u64 commands() const { return controller_.health().reads + controller_.health().writes; }

 private:
  bool look();
  bool look_at(u32 number);

  DirectDma dma_;
  FileMedium medium_;
  Controller controller_;
  const std::span<u32> doorbells_;
  const u32 stride_;       // words from one doorbell to the next
  std::vector<u32> seen_;  // the value of each doorbell at the last look
  std::vector<u32> rung_;  // doorbells that count as changed
};

}  // namespace ew::storage
