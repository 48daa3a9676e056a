// What bad programs get, as text: each program of this folder is run with each case of its .expected file, and what it
// writes on standard error (">" lines are standard output) must be what the file says, word for word. In the file
//   == NAME          begins a case; "== NAME status N" when the program ends with another status than 0
//   == NAME on M     the case on the machine M, as a case of its own
//   == NAME with V=X the case with a variable of the environment
//   @NAME            stands for the number of the source line that ends in "// @NAME"
//   *                stands for anything within a line
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace ew::faults {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string program, name, machine = "default", variable;
  int status = 0;
  std::vector<std::string> errors, output;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.program << " " << c.name;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// The number of the line that ends in "// @name", by name.
std::map<std::string, std::string> marked_lines(const fs::path& source) {
  std::map<std::string, std::string> numbers;
  const auto lines = lines_of(source);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto at = lines[i].rfind("// @");
    if (at != lines[i].npos) numbers[lines[i].substr(at + 4)] = std::to_string(i + 1);
  }
  return numbers;
}

std::string with_numbers(std::string line, const std::map<std::string, std::string>& numbers) {
  const auto at = line.find(":@");
  if (at == line.npos) return line;
  const auto end = std::min(line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 2), line.size());
  const auto found = numbers.find(line.substr(at + 2, end - at - 2));
  if (found == numbers.end()) return line + " (no such mark)";
  return line.substr(0, at + 1) + found->second + with_numbers(line.substr(end), numbers);
}

std::vector<Case> cases_of(const std::string& program) {
  const fs::path folder = EW_TEST_DATA;
  const auto numbers = marked_lines(folder / (program + ".cu"));
  std::vector<Case> cases;
  for (const std::string& line : lines_of(folder / (program + ".expected"))) {
    if (line.starts_with("== ")) {
      std::istringstream words(line.substr(3));
      Case c{.program = program};
      words >> c.name;
      for (std::string word; words >> word;)
        word == "on" ? words >> c.machine : word == "with" ? words >> c.variable : words >> c.status;
      cases.push_back(c);
    } else if (line.starts_with("> ")) {
      cases.back().output.push_back(with_numbers(line.substr(2), numbers));
    } else if (!line.empty() && !line.starts_with("#")) {
      cases.back().errors.push_back(with_numbers(line, numbers));
    }
  }
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (const char* program : {"memory", "control", "launch"})
    for (auto& c : cases_of(program)) all.push_back(std::move(c));
  return all;
}

bool matches(std::string_view text, std::string_view pattern) {
  const auto star = pattern.find('*');
  if (star == pattern.npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  for (std::size_t from = star; from <= text.size(); ++from)
    if (matches(text.substr(from), pattern.substr(star + 1))) return true;
  return false;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

void expect_lines(const std::vector<std::string>& found, const std::vector<std::string>& wanted, const char* where) {
  bool same = found.size() == wanted.size();
  for (std::size_t i = 0; same && i < found.size(); ++i) same = matches(found[i], wanted[i]);
  EXPECT_TRUE(same) << where << " has\n" << joined(found) << "and should have\n" << joined(wanted);
}

class Faults : public testing::TestWithParam<Case> {};

TEST_P(Faults, ReadAsExpected) {
  const Case& c = GetParam();
#ifdef __SANITIZE_ADDRESS__  // whose heap does not lie where the host's does
  if (c.name == "host_malloc") GTEST_SKIP();
#endif
  const std::string scratch = testing::TempDir() + "ew_faults_" + std::to_string(::getpid());
  // Under AddressSanitizer a signal stays a signal, and a forked child cannot look for leaks.
  const std::string environment = "EVERWARP_MACHINE=" + c.machine +
                                  " EVERWARP_MAX_INSTRUCTIONS=5000000 ASAN_OPTIONS=handle_segv=0" +
                                  (c.name == "forked_child" ? ":detect_leaks=0" : "") + " " + c.variable;
  const std::string command = std::string("ulimit -c 0; cd ") + EW_TEST_DATA + " && " + environment + " timeout 60 " +
                              EW_FAULT_PROGRAMS + "/" + c.program + " " + c.name + " >" + scratch + ".out 2>" +
                              scratch + ".err";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == c.status) << "wait status " << status;
  expect_lines(lines_of(scratch + ".err"), c.errors, "standard error");
  expect_lines(lines_of(scratch + ".out"), c.output, "standard output");
  fs::remove(scratch + ".err");
  fs::remove(scratch + ".out");
}

INSTANTIATE_TEST_SUITE_P(Programs, Faults, testing::ValuesIn(all_cases()), [](const auto& info) {
  std::string name = info.param.program + "_" + info.param.name;
  if (!info.param.variable.empty()) name += "_with_" + info.param.variable;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return info.param.machine == "default" ? name : name + "_in_timing_mode";
});

}  // namespace
}  // namespace ew::faults
