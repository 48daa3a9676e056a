// What is said of a timing machine on which nobody will ever go on: who waits for what, and what is under way. Made by
// TimingGpu when it ends a launch for that reason.
#pragma once

#include <functional>
#include <string>

#include "simt/sm/sm_array.hpp"

namespace ew::simt {

class StuckReport {
 public:
  /// `beneath` tells what waits below the private caches; it may be empty.
  StuckReport(Executor& executor, const Residency& residency, const GridRuns& runs, SmArray& sms,
              const std::function<std::string()>& beneath)
      : executor_(executor), residency_(residency), runs_(runs), sms_(sms), beneath_(beneath) {}

  /// Of one launch: of its first block whose polls cannot see what another SM has written, if there is one; else of its
  /// first block on an SM, if it has one.
  Fault of(Grid&, std::string_view what, FaultKind) const;

 private:
  void say_what_is_under_way(std::string& report) const;

  Executor& executor_;
  const Residency& residency_;
  const GridRuns& runs_;
  SmArray& sms_;
  const std::function<std::string()>& beneath_;
};

}  // namespace ew::simt
