// Fences of system scope, as GPUs perform them: the whole GPU has one under way. Those that come meanwhile wait for its
// end, and go together in the next, as one; it covers what their warps have sent before. So a fence takes from one to
// two times as long as one alone, however many warps wait. On some GPUs every SM that takes part makes it longer. Owned
// by TimingGpu; runs with the rest of the machine.
#pragma once

#include <algorithm>
#include <vector>

#include "simt/sm/sm_array.hpp"

namespace ew::simt {

class SystemFences {
 public:
  /// One takes so many cycles, and `turn` more for each SM behind the first. SMs may run `ahead` cycles ahead: no
  /// answer comes earlier.
  SystemFences(SmArray& sms, core::TimeWheel& wheel, Cycle takes, Cycle turn, Cycle ahead)
      : sms_(sms), wheel_(wheel), takes_(std::max(takes, ahead)), turn_(turn), takes_part_(sms.size()) {}

  /// A warp asks, in this cycle. TimingSm::fence_over(token) follows.
  void ask(u32 sm, u32 token) {
    waiting_.push_back({sm, token});
    taking_part_ += !takes_part_[sm];
    takes_part_[sm] = true;
    if (!under_way_) begin(0, 0);
  }

 private:
  struct Asked {
    u32 sm, token;
  };
  void begin(u64, u64) {
    under_way_ = !waiting_.empty();
    if (!under_way_) return;
    const Cycle over = wheel_.now() + takes_ + (taking_part_ - 1) * turn_;
    for (const Asked& one : waiting_) {
      sms_.running(one.sm).send_fence_over(one.token, over);
      takes_part_[one.sm] = false;
    }
    waiting_.clear();
    taking_part_ = 0;
    wheel_.at<&SystemFences::begin>(over, *this);
  }

  SmArray& sms_;
  core::TimeWheel& wheel_;
  const Cycle takes_, turn_;
  std::vector<Asked> waiting_;
  std::vector<bool> takes_part_;  // in what waits, by SM
  Cycle taking_part_ = 0;         // so many do
  bool under_way_ = false;
};

}  // namespace ew::simt
