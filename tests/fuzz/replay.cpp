// A fuzz target without libFuzzer: every file named, then mutations of them from a fixed seed. What the suite runs,
// with any compiler; tests/fuzz/run is the real search.
//   replay ROUNDS [FILE...]       without files: from random bytes
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, std::size_t size);

namespace {

using Bytes = std::vector<uint8_t>;

constexpr std::size_t longest = 8192;

/// A file's inputs: its sections, each begun by a line "//---- name", or all of it.
void read(const std::filesystem::path& path, std::vector<Bytes>& inputs) {
  std::ifstream file(path, std::ios::binary);
  inputs.emplace_back();
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("//---- ") && !inputs.back().empty()) inputs.emplace_back();
    line += '\n';
    if (inputs.back().size() + line.size() <= longest)
      inputs.back().insert(inputs.back().end(), line.begin(), line.end());
  }
}

/// A few of: another byte, a piece gone, a piece twice, a piece of another input.
Bytes mutated(Bytes bytes, const Bytes& other, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  for (std::size_t changes = 1 + below(6); changes > 0; --changes) {
    const std::size_t at = below(bytes.size()), length = std::min(below(40), bytes.size() - at);
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end = begin + static_cast<std::ptrdiff_t>(length);
    switch (random() % 4) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<uint8_t>(random());
        break;
      case 1:
        bytes.erase(begin, end);
        break;
      case 2: {
        const Bytes piece(begin, end);
        bytes.insert(begin, piece.begin(), piece.end());
        break;
      }
      default: {
        const std::size_t from = below(other.size()), count = std::min(below(60), other.size() - from);
        const auto first = other.begin() + static_cast<std::ptrdiff_t>(from);
        bytes.insert(begin, first, first + static_cast<std::ptrdiff_t>(count));
      }
    }
  }
  if (bytes.size() > longest) bytes.resize(longest);
  return bytes;
}

void run(const Bytes& bytes) {
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s ROUNDS [FILE...]\n", argv[0]), 2;
  const long rounds = std::atol(argv[1]);
  std::vector<Bytes> inputs;
  for (int i = 2; i < argc; ++i) read(argv[i], inputs);
  for (const Bytes& input : inputs) run(input);
  std::mt19937 random(1);
  if (inputs.empty()) {
    inputs.resize(16, Bytes(128));
    for (Bytes& input : inputs) {
      for (uint8_t& byte : input) byte = static_cast<uint8_t>(random());
    }
  }
  for (long round = 0; round < rounds; ++round) {
    run(mutated(inputs[random() % inputs.size()], inputs[random() % inputs.size()], random));
  }
  std::printf("%zu inputs, %ld mutations: no crash\n", inputs.size(), rounds);
  return 0;
}
