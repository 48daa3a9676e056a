// The medium of a drive whose blocks are read and written as a real file, many commands at the same time. Time is not
// simulated: a command takes what the computer takes. A command that meets another one in its blocks, one of them
// writing, is begun when the other one has ended. So, command by command, bytes and statuses are those of
// UntimedMedium.
//
// There is no write cache in front of the file. What has been written outlasts the process. With `syncs` a flush, and a
// write that is durable when it is done, end when the file system has the bytes on its disk. Owned by HostedController.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "core/ring.hpp"
#include "storage/contents.hpp"
#include "storage/hosted/block_claims.hpp"
#include "storage/hosted/file_queue.hpp"

namespace ew::storage {

class FileMedium final : public Medium {
 public:
  struct Settings {
    bool syncs = false;
    bool in_order = true;  // the client is told of commands in the order in which they were started
  };
  /// REQUIRES: an image with a file; `queue` has room for as many accesses as commands are started together.
  FileMedium(Image&, std::unique_ptr<FileQueue> queue, const Settings&);
  /// To be called before any command.
  void use(MediumClient& client) { client_ = &client; }

  void start(u32 tag, const MediaCommand&) override;
  u64 blocks_in_use() const override { return image_.in_use(); }

  /// Tells the client of commands that have ended: of one, if they are told in order. `waits`: until one has, if any
  /// was started. False: the client was told of none.
  bool step(bool waits);

 private:
  struct Started {
    u32 tag = 0;
    bool ended = false;
    MediaCommand command;
    u64 done = 0;  // bytes of `data`
    Status status;
  };

  u32 number_of(u32 tag);
  void admit(u32 number);
  bool may_begin(const Started&);
  void begin(u32 number);
  void access(u32 number);
  void take_ends(bool waits);
  void access_ended(const FileAccessEnd&);
  void end(u32 number, Status);
  bool tell(core::Ring<u32>& from);
  u64 first_byte(const Started& one) const { return one.command.first * image_.block_bytes(); }

  Image& image_;
  Contents contents_;  // without a cache: for commands that are performed at once
  const std::unique_ptr<FileQueue> queue_;
  const Settings settings_;
  MediumClient* client_ = nullptr;
  BlockClaims claims_;
  std::vector<Started> started_;  // by tag + 1; the first is for the tag of a shutdown's flush
  core::Ring<u32> order_;    // those of which the client was not told: in the order in which they started, or ended
  core::Ring<u32> blocked_;  // those that wait for others
  core::Ring<u32> late_;     // a fault makes them wait for all others
  u32 under_way_ = 0;        // accesses of the file
  std::array<FileAccessEnd, 64> ends_;
};

}  // namespace ew::storage
