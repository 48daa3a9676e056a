// The fields in which machines differ, the largest difference first.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ew::cli {

class MachineDifferences {
 public:
  /// Names or files, as -m has them. A mistake is a core::UserError.
  explicit MachineDifferences(const std::vector<std::string>& machines);

  std::string text() const;
  nlohmann::ordered_json json() const;

 private:
  struct Row {
    std::string key;
    std::vector<std::string> values;
    double size = 0;
  };
  std::vector<std::string> machines_;
  std::vector<Row> rows_;
  unsigned equal_ = 0;
};

}  // namespace ew::cli
