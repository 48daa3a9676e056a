// What device code becomes. Each ptx/*.cu is compiled by `ew build --ptx`; in front of a kernel stand its expectations:
//   // -> TEXT      the kernel's PTX contains TEXT (blanks count as one)
//   // !> TEXT      it does not
//   // sm_NN -> …   only when compiled for that architecture; a file's first line `// architectures: sm_60 sm_80` lists
//                   what it is compiled for (sm_80 alone without it)
// A file's PTX refers to no undefined function but those that the machine answers, and NVIDIA's assembler takes it where there
// is one. refused/*.cu must not compile, and the
// message must contain the file's `// error: TEXT`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Expectation {
  std::string kernel, text, architecture;
  bool present = true;
  int line = 0;
};

struct Outcome {
  int status = 0;
  std::string ptx, messages;
  std::string refusal;  // what NVIDIA's assembler says of the PTX, where there is one
};

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string one_blank(const std::string& text) {
  std::string result;
  for (char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n';
    if (blank && (result.empty() || result.back() == ' ')) continue;
    result += blank ? ' ' : c;
  }
  return result;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(" \t"));
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

std::vector<fs::path> sources(const char* folder) {
  std::vector<fs::path> result;
  for (const auto& entry : fs::directory_iterator(fs::path(EW_TEST_DATA) / folder))
    if (entry.path().extension() == ".cu") result.push_back(entry.path());
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<std::string> architectures_of(const fs::path& source) {
  std::ifstream in(source);
  std::string line;
  std::getline(in, line);
  const std::string key = "// architectures:";
  if (line.starts_with(key)) return words(line.substr(key.size()));
  return {"sm_80"};
}

std::vector<Expectation> expectations_of(const fs::path& source) {
  static const std::regex expectation(R"(^// (sm_\d+ )?(->|!>) (.*)$)"), kernel(R"(__global__ void (\w+)\()");
  std::vector<Expectation> result;
  std::size_t unnamed = 0;
  std::ifstream in(source);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::smatch match;
    if (std::regex_match(line, match, expectation)) {
      result.push_back({"", one_blank(trimmed(match[3])), trimmed(match[1]), match[2] == "->", number});
    } else if (std::regex_search(line, match, kernel)) {
      for (; unnamed < result.size(); ++unnamed) result[unnamed].kernel = match[1];
    }
  }
  return result;
}

// Empty when ptxas takes the PTX, is not in PATH, or no longer knows the architecture (sm_70 and older).
std::string refusal_by_ptxas(const fs::path& ptx, const std::string& architecture, const fs::path& messages) {
  static const bool present = std::system("command -v ptxas > /dev/null 2>&1") == 0;
  if (!present || !fs::exists(ptx) || std::stoi(architecture.substr(3)) < 75) return "";
  const std::string command = "ptxas -c -arch=" + architecture + " '" + ptx.string() + "' -o '" + ptx.string() + ".cubin' > '" +
                              messages.string() + "' 2>&1";
  return std::system(command.c_str()) == 0 ? "" : contents(messages);
}

Outcome compile(const fs::path& source, const std::string& architecture) {
  const fs::path folder = fs::temp_directory_path() / ("ew-headers-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const fs::path ptx = folder / "out.ptx", messages = folder / "messages";
  fs::remove(ptx);
  const std::string command = std::string("'") + EW_PROGRAM + "' build --ptx -arch=" + architecture + " '" +
                              source.string() + "' -o '" + ptx.string() + "' > '" + messages.string() + "' 2>&1";
  Outcome outcome;
  outcome.status = std::system(command.c_str());
  outcome.ptx = contents(ptx);
  outcome.messages = contents(messages);
  outcome.refusal = refusal_by_ptxas(ptx, architecture, messages);
  fs::remove_all(folder);
  return outcome;
}

/// The text of the kernel's body, from its name to the next function.
std::string body(const std::string& ptx, const std::string& kernel) {
  const std::regex entry("\\.entry _Z" + std::to_string(kernel.size()) + kernel + "\\w*\\(");
  std::smatch match;
  if (!std::regex_search(ptx, match, entry)) return "";
  const std::size_t start = static_cast<std::size_t>(match.position());
  const std::size_t end = ptx.find("// -- End function", start);
  return one_blank(ptx.substr(start, end - start));
}

class Ptx : public testing::TestWithParam<fs::path> {};

TEST_P(Ptx, IsWhatTheCommentsSay) {
  static const std::set<std::string> answered{"vprintf", "malloc", "free", "__assertfail"};
  static const std::regex extern_function(R"(\.extern \.func\s*(?:\([^)]*\)\s*)?(\w+))");
  const auto expectations = expectations_of(GetParam());
  ASSERT_FALSE(expectations.empty());
  for (const std::string& architecture : architectures_of(GetParam())) {
    const Outcome outcome = compile(GetParam(), architecture);
    ASSERT_EQ(outcome.status, 0) << architecture << "\n" << outcome.messages;
    EXPECT_EQ(outcome.refusal, "") << "ptxas refuses the PTX for " << architecture;
    for (const Expectation& e : expectations) {
      if (!e.architecture.empty() && e.architecture != architecture) continue;
      const std::string text = body(outcome.ptx, e.kernel);
      ASSERT_FALSE(text.empty()) << "no kernel " << e.kernel;
      EXPECT_EQ(text.find(e.text) != text.npos, e.present)
          << GetParam().filename().string() << ":" << e.line << " for " << architecture << ": " << e.text << "\n" << text;
    }
    std::smatch match;
    for (auto at = outcome.ptx.cbegin(); std::regex_search(at, outcome.ptx.cend(), match, extern_function);
         at = match.suffix().first)
      EXPECT_TRUE(answered.contains(match[1])) << architecture << ": undefined function " << match[1];
  }
}

std::string file_name(const testing::TestParamInfo<fs::path>& info) {
  return info.param.stem().string();
}
INSTANTIATE_TEST_SUITE_P(Headers, Ptx, testing::ValuesIn(sources("ptx")), file_name);

class Refused : public testing::TestWithParam<fs::path> {};

TEST_P(Refused, ByName) {
  const std::string source = contents(GetParam()), key = "// error: ";
  const std::size_t start = source.find(key);
  ASSERT_NE(start, source.npos);
  const std::string message = source.substr(start + key.size(), source.find('\n', start) - start - key.size());
  const Outcome outcome = compile(GetParam(), "sm_80");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.messages.find(message), outcome.messages.npos) << outcome.messages;
}
INSTANTIATE_TEST_SUITE_P(Headers, Refused, testing::ValuesIn(sources("refused")), file_name);

// The API headers in the compilers that know no CUDA.
class PlainCompiler : public testing::TestWithParam<const char*> {};

TEST_P(PlainCompiler, TakesTheApiHeaders) {
  const std::string file = std::string(GetParam()).find("gcc") == 0 ? "plain/api.c" : "plain/api.cpp";
  const std::string command = std::string(GetParam()) + " -Wall -Wextra -Werror -fsyntax-only -I'" EW_INCLUDE "' '" +
                              EW_TEST_DATA "/" + file + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}
INSTANTIATE_TEST_SUITE_P(Headers, PlainCompiler,
                         testing::Values("gcc -std=c11", "g++ -std=c++11", "g++ -std=c++17", "g++ -std=c++20"));

}  // namespace
