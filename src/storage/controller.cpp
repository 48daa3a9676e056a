#include "storage/controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/diagnostics.hpp"

namespace ew::storage {

namespace {

constexpr u32 enabled = 1, shutdown_bits = 3u << 14, abrupt_shutdown = 2u << 14;

/// Writes `value` into half of a 64-bit register, or into all of it.
void put(u64& target, bool upper, u32 bytes, u64 value) {
  if (bytes == 8)
    target = value;
  else if (upper)
    target = (target & 0xffff'ffff) | value << 32;
  else
    target = (target & ~u64{0xffff'ffff}) | (value & 0xffff'ffff);
}

}  // namespace

Controller::Controller(const ControllerConfig& config, Dma& dma, Medium& medium)
    : config_(config),
      dma_(dma),
      medium_(medium),
      queues_(config.queues),
      features_(config_),
      io_(config_, features_, medium),
      admin_({config_, dma, medium, queues_, features_, events_, io_}),
      pipeline_({dma, queues_, admin_, io_}, config.commands) {
  io_.use(pipeline_);
  admin_.use(pipeline_);
}

u64 window_bytes(const ControllerConfig& config) {
  return std::bit_ceil(registers::doorbells + 2 * (u64{config.queues} + 1) * (4u << config.doorbell_stride));
}

u64 Controller::capabilities() const {
  constexpr u64 contiguous = 1u << 16, timeout = u64{20} << 24, nvm_commands = u64{1} << 37;
  constexpr u64 page_limit = std::countr_zero(largest_page / smallest_page);
  return (config_.entries - 1) | contiguous | timeout | u64{config_.doorbell_stride} << 32 | nvm_commands |
         page_limit << 52;
}

u32 Controller::status() const {
  const bool up = state_ != State::disabled;
  const u32 shutdown = state_ == State::shutting_down ? 1 : state_ == State::shut_down ? 2 : 0;
  return u32{up} | u32{state_ == State::failed} << 1 | shutdown << 2;
}

u64 Controller::read(u64 offset, u32 bytes) const {
  const auto half = [&](u64 value, u64 of) { return bytes == 8 ? value : value >> 8 * (offset - of) & 0xffff'ffff; };
  if ((bytes != 4 && bytes != 8) || offset % bytes != 0) return 0;
  switch (offset & ~u64{7}) {
    case registers::capabilities:
      return half(capabilities(), registers::capabilities);
    case registers::admin_submission:
      return half(admin_submission_, registers::admin_submission);
    case registers::admin_completion:
      return half(admin_completion_, registers::admin_completion);
  }
  if (bytes == 8) return read(offset, 4) | read(offset + 4, 4) << 32;
  switch (offset) {
    case registers::version:
      return nvme_version;
    case registers::configuration:
      return configuration_;
    case registers::status:
      return status();
    case registers::admin_sizes:
      return admin_sizes_;
  }
  return 0;
}

void Controller::write(u64 offset, u32 bytes, u64 value) {
  if ((bytes != 4 && bytes != 8) || offset % bytes != 0) return;
  if (offset >= registers::doorbells) return write_doorbell(offset, static_cast<u32>(value));
  const bool upper = offset & 4;
  switch (offset & ~u64{7}) {
    case registers::admin_submission:
      return put(admin_submission_, upper, bytes, value);
    case registers::admin_completion:
      return put(admin_completion_, upper, bytes, value);
  }
  if (bytes == 8) {
    write(offset, 4, value & 0xffff'ffff);
    return write(offset + 4, 4, value >> 32);
  }
  if (offset == registers::admin_sizes) admin_sizes_ = static_cast<u32>(value);
  if (offset == registers::configuration) configure(static_cast<u32>(value));
}

void Controller::configure(u32 value) {
  const u32 before = configuration_;
  configuration_ = value;
  if ((before ^ value) & enabled) {
    if (!(value & enabled))
      reset();
    else if (state_ == State::disabled)
      enable();
  } else if (value & shutdown_bits && !(before & shutdown_bits) && state_ == State::ready) {
    shut_down((value & shutdown_bits) == abrupt_shutdown);
  }
  settle();
}

bool Controller::can_be_enabled() const {
  const u32 submissions = (admin_sizes_ & 0xfff) + 1, completions = (admin_sizes_ >> 16 & 0xfff) + 1;
  const u32 command_set = configuration_ >> 4 & 7, arbitration = configuration_ >> 11 & 7;
  return command_set == 0 && arbitration == 0 && page() <= largest_page && submissions >= 2 && completions >= 2 &&
         admin_submission_ % page() == 0 && admin_completion_ % page() == 0 &&
         dma_.reaches(admin_submission_, u64{submissions} * sizeof(Command)) &&
         dma_.reaches(admin_completion_, u64{completions} * sizeof(Completion));
}

void Controller::enable() {
  if (!can_be_enabled()) {
    state_ = State::failed;
    return;
  }
  queues_.clear();
  features_ = Features(config_);
  events_ = {};
  queues_.set_burst(features_.burst());
  queues_.create_completion(0, admin_completion_, (admin_sizes_ >> 16 & 0xfff) + 1);
  queues_.create_submission(0, admin_submission_, (admin_sizes_ & 0xfff) + 1, 0);
  admin_.enable(page(), configuration_ >> 16 & 0xff);
  pipeline_.open(page());
  state_ = State::ready;
}

void Controller::reset() {
  if (state_ == State::disabled) return;
  pipeline_.stop();
  state_ = State::resetting;
  flushes_ = false;
}

void Controller::shut_down(bool abruptly) {
  state_ = State::shutting_down;
  pipeline_.close(abruptly);
  flushes_ = !abruptly && config_.volatile_cache;
}

void Controller::write_doorbell(u64 offset, u32 value) {
  if (state_ != State::ready) return;
  const u64 stride = 4u << config_.doorbell_stride, number = (offset - registers::doorbells) / stride;
  const u32 id = static_cast<u32>(std::min<u64>(number / 2, queues_.pairs() + 1));
  const bool head = number % 2;
  const bool exists =
      (offset - registers::doorbells) % stride == 0 && (head ? queues_.has_completion(id) : queues_.has_submission(id));
  if (!exists)
    events_.happens(Events::invalid_doorbell);
  else if (!(head ? queues_.move_head(id, value) : queues_.move_tail(id, value)))
    events_.happens(Events::invalid_doorbell_value);
  else if (head)
    pipeline_.release_held_back(id);
  settle();
}

void Controller::moved(u32 tag) {
  pipeline_.moved(tag);
  settle();
}

void Controller::done(u32 tag, Status status) {
  if (tag == flush_tag)
    flushing_ = false;
  else
    pipeline_.performed(tag, status);
  settle();
}

/// Does what follows from the event that has just been handled.
void Controller::settle() {
  if (pipeline_.failed() && state_ != State::resetting && state_ != State::failed) {
    pipeline_.stop();
    state_ = State::failed;
  }
  if (state_ == State::ready) {
    if (io_.health().temperature > features_.temperature_threshold() && features_.events() & 2)
      events_.happens(Events::hot);
    while (const auto report = events_.next()) {
      pipeline_.slots()[report->slot].completion.result = report->result;
      pipeline_.finish(report->slot, status::success);
    }
    pipeline_.fetch();
  }
  if (state_ == State::shutting_down && quiet()) {
    if (flushes_) {
      flushes_ = false;
      flushing_ = true;
      medium_.start(flush_tag, {.kind = MediaCommand::Kind::flush});
    } else {
      state_ = State::shut_down;
    }
  }
  if (state_ == State::resetting && quiet()) {
    state_ = State::disabled;
    if (configuration_ & enabled) enable();
  }
}

void check(const ControllerConfig& config, const std::string& section) {
  const auto require = [&](bool holds, std::string_view field, const std::string& sentence) {
    if (!holds) throw core::UserError(fmt::format("{}.{} {}", section, field, sentence));
  };
  require(config.block == 512 || config.block == 4096, "block", "should be 512 or 4096 bytes");
  require(config.blocks > 0, "size", "should be one block at least");
  require(config.entries >= 2 && config.entries <= longest_queue, "entries", "should be 2 to 65536");
  require(config.queues >= 1 && config.queues <= 65'534, "queues", "should be 1 to 65534");
  require(std::has_single_bit(config.transfer_pages), "transfer", "should be a power of two of at least 4096 bytes");
  require(config.atomic_blocks >= 1 && config.atomic_blocks <= 65'536, "atomic", "should be 1 to 65536 blocks");
}

}  // namespace ew::storage
