// The table of workloads/cuda/README.md names every program, and no other.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "core/configuration.hpp"

namespace ew::cli {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  std::string line;
  std::ifstream file(path);
  return path.extension() == ".cu" && std::getline(file, line) && !line.starts_with("// part of: ");
}

TEST(WorkloadTable, IsTrue) {
  const fs::path folder = core::home_directory() / "workloads" / "cuda";
  std::set<std::string> programs, rows;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (is_program(entry.path())) programs.insert(fs::relative(entry.path(), folder).replace_extension().string());
  }
  std::ifstream table(folder / "README.md");
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with("| `")) rows.insert(line.substr(3, line.find('`', 3) - 3));
  }
  EXPECT_EQ(rows, programs);
  EXPECT_GE(programs.size(), 40u);
}

}  // namespace
}  // namespace ew::cli
