// An NVMe controller (NVMe Base Specification 1.4) as a state machine without time. It acts only when a register is
// written, when memory has moved bytes for it, and when its medium has performed a command. Owned by its drive.
//
// It does not have: interrupts (the host polls), scatter-gather lists, fused commands, metadata and protection
// information, more than one namespace, and firmware that can be changed (docs/semantics/storage.md).
#pragma once

#include "storage/admin_commands.hpp"
#include "storage/events.hpp"
#include "storage/features.hpp"
#include "storage/io_commands.hpp"
#include "storage/pipeline.hpp"

namespace ew::storage {

class Controller final : public DmaClient, public MediumClient {
 public:
  /// REQUIRES: a configuration that check() accepts.
  Controller(const ControllerConfig&, Dma&, Medium&);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// An aligned access of 4 or 8 bytes to BAR0. Any other access reads zero, or writes nothing.
  u64 read(u64 offset, u32 bytes) const;
  void write(u64 offset, u32 bytes, u64 value);

  void moved(u32 tag) override;
  void done(u32 tag, Status) override;

  /// The host has enabled the controller. It was not reset or shut down since, and has not failed.
  bool ready() const { return state_ == State::ready; }
  /// Neither memory nor the medium has something of this controller under way.
  bool quiet() const { return pipeline_.quiet() && !flushing_; }
  /// This submission queue (`completions`: completion queue) exists. 0: of admin commands.
  bool has_queue(u32 id, bool completions) const {
    return completions ? queues_.has_completion(id) : queues_.has_submission(id);
  }
  const Health& health() const { return io_.health(); }
  /// The number of commands that ended with an error.
  u64 errors() const { return pipeline_.errors(); }

 private:
  enum class State : u8 { disabled, ready, shutting_down, shut_down, resetting, failed };

  u64 capabilities() const;
  u32 status() const;
  u32 page() const { return smallest_page << (configuration_ >> 7 & 0xf); }
  void configure(u32 value);
  void enable();
  bool can_be_enabled() const;
  void write_doorbell(u64 offset, u32 value);
  void shut_down(bool abruptly);
  void settle();
  void reset();

  static constexpr u32 flush_tag = ~u32{0};  // the tag of the flush at a shutdown

  const ControllerConfig config_;
  Dma& dma_;
  Medium& medium_;
  Queues queues_;
  Features features_;
  Events events_;
  IoCommands io_;
  AdminCommands admin_;
  Pipeline pipeline_;
  State state_ = State::disabled;
  u32 configuration_ = 0, admin_sizes_ = 0;
  u64 admin_submission_ = 0, admin_completion_ = 0;
  bool flushing_ = false, flushes_ = false;  // at a shutdown: the flush is under way; the flush is still to come
};

/// The size of BAR0 in bytes: registers, then doorbells. It is a power of two.
u64 window_bytes(const ControllerConfig&);
/// Throws core::UserError for a configuration that no controller can have. The message names the field of `section`.
void check(const ControllerConfig&, const std::string& section);

}  // namespace ew::storage
