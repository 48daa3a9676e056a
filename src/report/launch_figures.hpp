// Derived figures of several launches of one kernel. A quotient is that of all their events together: the mean of the
// launches' quotients, weighted by their divisors. A sum or difference of counted figures is added up, and so is a
// time. Percentiles, and figures of the launch itself (kernel.*), are means, weighted by the launches' times.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ew::report {

class LaunchFigures {
 public:
  /// A launch's "timing" and "derived", and how many nanoseconds it took.
  void add(const nlohmann::ordered_json& row, double nanoseconds);
  void write(std::map<std::string, double, std::less<>>& to) const;

 private:
  struct Sum {
    double weighted = 0, weights = 0, last = 0;
    unsigned launches = 0;
    bool mean = false;
  };
  std::map<std::string, Sum, std::less<>> sums_;
};

}  // namespace ew::report
