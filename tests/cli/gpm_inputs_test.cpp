// The programs of workloads/gpm that read files of others: a graph in DIMACS' format, a mesh of Rodinia's euler3d,
// images and labels of MNIST's. Each file here is made by the format's description. The programs check their results by
// themselves; a run that was stopped goes on from its pool with the same file; a damaged file is refused by name.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "process/run.hpp"

namespace ew::cli {

using namespace process;

namespace {

namespace fs = std::filesystem;

class GpmInputs : public testing::Test {
 protected:
  GpmInputs() {
    folder_ = testing::TempDir() + "/ew-gpm-inputs-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void SetUp() override {
    if (!fs::exists(program("hs"))) GTEST_SKIP() << "a build with sanitizers has no workloads";
  }
  ~GpmInputs() override { fs::remove_all(folder_); }

  static std::string program(const std::string& name) { return EW_BUILT_WORKLOADS "/gpm/" + name; }
  Outcome call(const Words& words) {
    return run(words, {.capture = Capture::both, .directory = folder_, .timeout_seconds = 120, .no_input = true});
  }
  void write(const std::string& name, const std::string& bytes) {
    std::ofstream file(folder_ + "/" + name, std::ios::binary);
    file << bytes;
  }

  /// The program passes with the file, stops in the middle, and recovers.
  void expect_passes(const std::string& name, const Words& words) {
    Words whole = {program(name), "--pool", "pool"};
    whole.insert(whole.end(), words.begin(), words.end());
    Outcome outcome = call(whole);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("PASS"), std::string::npos) << outcome.output;
    whole.push_back("--stop-before-commit");
    outcome = call(whole);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    Words recover = {program(name), "--recover", "pool"};
    recover.insert(recover.end(), words.begin(), words.begin() + 2);  // --input FILE
    outcome = call(recover);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    EXPECT_NE(outcome.output.find("PASS"), std::string::npos) << outcome.output;
  }
  void expect_refused(const std::string& name, const Words& words, const std::string& sentence) {
    Words all = {program(name), "--pool", "pool"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = call(all);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(sentence), std::string::npos) << outcome.output;
  }

  std::string folder_;
};

/// A ring of `nodes` with a chord from each node to the one 7 further on, both ways.
std::string dimacs(int nodes) {
  std::string text = "c a ring with chords\np sp " + std::to_string(nodes) + " " + std::to_string(4 * nodes) + "\n";
  for (int node = 0; node < nodes; ++node)
    for (const int other : {(node + 1) % nodes, (node + 7) % nodes}) {
      const std::string a = std::to_string(node + 1), b = std::to_string(other + 1);
      text += "a " + a + " " + b + " 803\na " + b + " " + a + " 803\n";
    }
  return text;
}

/// Square cells around a square body, far field outside. Normals of the format point inwards.
std::string euler3d(int width, int height) {
  const auto inside = [&](int x, int y) {
    return x > width / 3 && x < 2 * width / 3 && y > height / 3 && y < 2 * height / 3;
  };
  std::map<std::pair<int, int>, int> numbers;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      if (!inside(x, y)) numbers.emplace(std::pair{x, y}, static_cast<int>(numbers.size()) + 1);
  const auto number = [&](int x, int y) {
    const auto found = numbers.find({x, y});
    return found != numbers.end() ? found->second : inside(x, y) ? 0 : -2;
  };
  std::string text = std::to_string(numbers.size()) + "\n";
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      if (inside(x, y)) continue;
      text += "1.0";
      for (const auto& [u, v] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}})
        text += fmt::format(" {} {} {} 0", number(x + u, y + v), -u, -v);
      text += "\n";
    }
  return text;
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}
std::string mnist_images(int count) {
  std::string bytes =
      big_endian(0x803) + big_endian(static_cast<std::uint32_t>(count)) + big_endian(28) + big_endian(28);
  for (int image = 0; image < count; ++image)
    for (int at = 0; at < 28 * 28; ++at) bytes += static_cast<char>(at / 28 / 3 == image % 10 ? 250 : at % 7);
  return bytes;
}
std::string mnist_labels(int count) {
  std::string bytes = big_endian(0x801) + big_endian(static_cast<std::uint32_t>(count));
  for (int image = 0; image < count; ++image) bytes += static_cast<char>(image % 10);
  return bytes;
}

TEST_F(GpmInputs, BfsReadsAGraphInDimacsFormat) {
  write("ring.gr", dimacs(300));
  expect_passes("bfs", {"--input", "ring.gr"});
}

TEST_F(GpmInputs, CfdReadsAMeshOfEuler3d) {
  write("mesh.domn", euler3d(20, 12));
  expect_passes("cfd", {"--input", "mesh.domn", "--iterations", "6", "--interval", "2"});
}

TEST_F(GpmInputs, DnnReadsMnist) {
  write("t10k-images-idx3-ubyte", mnist_images(12));
  write("t10k-labels-idx1-ubyte", mnist_labels(12));
  expect_passes("dnn", {"--input", "t10k-images-idx3-ubyte", "--small"});
}

TEST_F(GpmInputs, DamagedFilesAreRefusedByName) {
  write("node.gr", "p sp 3 1\na 1 4 5\n");
  expect_refused("bfs", {"--input", "node.gr"}, "node.gr:2: \"a FROM TO LENGTH\" is expected");
  write("line.gr", "p sp 3 1\nq 1 2\n");
  expect_refused("bfs", {"--input", "line.gr"}, "line.gr:2: a line of another kind");
  expect_refused("bfs", {"--input", "none.gr"}, "none.gr");
  write("short.domn", euler3d(9, 9).substr(0, 200));
  expect_refused("cfd", {"--input", "short.domn"}, "short.domn: a cell has fewer than four faces");
  write("a-images-idx3-ubyte", mnist_images(3).substr(0, 2000));
  write("a-labels-idx1-ubyte", mnist_labels(3));
  expect_refused("dnn", {"--input", "a-images-idx3-ubyte"}, "a-images-idx3-ubyte: is cut off");
  write("b-images-idx3-ubyte", mnist_images(3));
  write("b-labels-idx1-ubyte", mnist_labels(2));
  expect_refused("dnn", {"--input", "b-images-idx3-ubyte"}, "b-labels-idx1-ubyte: has another number of labels");
}

}  // namespace
}  // namespace ew::cli
