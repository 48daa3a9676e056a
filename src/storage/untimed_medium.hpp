// A medium whose commands take no time. step() performs the oldest command. A command that a fault makes late waits for
// all others. For functional mode, for tests, and for accesses of the host on a timing machine.
#pragma once

#include <deque>

#include "storage/contents.hpp"

namespace ew::storage {

class UntimedMedium final : public Medium {
 public:
  explicit UntimedMedium(Contents& contents) : contents_(contents) {}
  /// To be called before any command.
  void use(MediumClient& client) { client_ = &client; }

  void start(u32 tag, const MediaCommand& command) override {
    (command.late.count > 0 ? late_ : waiting_).push_back({tag, command});
  }
  u64 blocks_in_use() const override { return contents_.blocks_in_use(); }

  /// Performs one command and tells the client; false: there is none.
  bool step() {
    std::deque<Started>& from = waiting_.empty() ? late_ : waiting_;
    if (from.empty()) return false;
    const Started first = from.front();
    from.pop_front();
    client_->done(first.tag, contents_.perform(first.command));
    return true;
  }

 private:
  struct Started {
    u32 tag;
    MediaCommand command;
  };

  Contents& contents_;
  MediumClient* client_ = nullptr;
  std::deque<Started> waiting_, late_;
};

}  // namespace ew::storage
