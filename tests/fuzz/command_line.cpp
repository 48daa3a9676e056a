// A fuzzer of every file that the command `ew` reads, through the command itself: changes seeds by tokens and bytes,
// and starts `ew` on each. It must end by itself, soon, within a bound of memory, with status 0, or with another and a
// message on stderr.
//   command_line EW SUBJECT SECONDS KIND FOLDER SEED...   runs for so long; inputs that fail are kept in FOLDER; status
//   1
// KIND: machine (TOML), set (lines "section.key=value"), litmus, pool, study, stats, ptx; of study and stats the first
// seed stands in the folder of them all. SUBJECT: subject.cu, built; "-": do without. The seed of the changes is the
// number of runs that FOLDER/KIND.runs names, so that a second call goes on.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/pool.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

constexpr int most_seconds = 20;             // of one run
constexpr rlim_t most_bytes = 700ull << 30;  // of addresses: the arenas reserve some hundred GB that nobody touches
constexpr long most_resident_kilobytes = 6l << 20;

struct Options {
  std::string ew, subject, kind;
  double seconds = 0;
  fs::path folder;
  std::vector<std::string> seeds;  // contents
  std::vector<std::string> names;  // of the seeds' files
  /// A study and a finished run are folders: the changed file stands in one under its name.
  bool in_folder() const { return kind == "study" || kind == "stats"; }
};

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// ---- changes

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string text(const std::string& one, const std::string& other) {
    Words tokens = split(one);
    const Words others = split(other);
    for (std::size_t changes = 1 + below(random_() % 4 ? 3 : 12); changes > 0; --changes) change(tokens, others);
    std::string all;
    for (const std::string& token : tokens) all += token;
    if (random_() % 16 == 0) all.resize(below(all.size() + 1));
    if (all.size() > 200'000) all.resize(200'000);
    return all;
  }

  /// A pool: fields of the header and of the table of names, with the header's checksum made right half of the time.
  std::string pool(std::string bytes) {
    for (std::size_t changes = 1 + below(5); changes > 0; --changes) {
      const std::size_t room = std::min<std::size_t>(bytes.size(), random_() % 2 ? 48 : 12288);
      if (room < 8) break;
      const std::size_t at = below(room / 8) * 8;
      const std::uint64_t value = random_() % 3 ? edge() : random_();
      std::memcpy(bytes.data() + at, &value, random_() % 3 ? 8 : 4);
    }
    ew::runtime::PoolHeader header{};
    if (random_() % 4 && bytes.size() >= sizeof header) {
      std::memcpy(&header, bytes.data(), sizeof header);
      if (random_() % 2) {
        std::memcpy(header.magic, ew::runtime::pool_magic.data(), sizeof header.magic);
        header.version = ew::runtime::pool_version;
      }
      header.checksum = ew::runtime::pool_checksum(header);
      std::memcpy(bytes.data(), &header, sizeof header);
    }
    if (random_() % 6 == 0) bytes.resize(below(bytes.size() + 1));
    return bytes;
  }

  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }

 private:
  std::uint64_t edge() {
    static constexpr std::uint64_t values[] = {
        0,        1,   2,          3,          7,          64,         255,       4095,       4096,  65536,
        1u << 30, ~0u, 1ull << 31, 1ull << 32, 1ull << 40, 1ull << 62, ~0ull / 2, 1ull << 63, ~0ull, ~0ull - 4095};
    return values[below(std::size(values))];
  }

  static Words split(const std::string& text) {
    Words tokens;
    const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      while (word(text[at]) && end < text.size() && word(text[end])) ++end;
      tokens.push_back(text.substr(at, end - at));
      at = end;
    }
    return tokens;
  }

  std::string strange_token() {
    static const Words tokens = {
        "",     "-1",   "0",     "1e308", "-0.0", "nan",    "inf", "true", "\"\"",
        "[]",   "{}",   "\n",    "#",     "\xff", "\0\x80", "'''", "0x",   "99999999999999999999999999",
        "1e-9", "\"\n", "\\u00", "=",     "==",   ";",      "GiB", "ns",   "[[",
        "]]",   "//",   "/*",    "%",     "{",    "}",      "(",   ")",    "$",
        "\t",   "\r\n"};
    if (random_() % 3 == 0) return std::to_string(edge());
    if (random_() % 40 == 0) {
      static const Words deep = {"(", "[", "{", "-", "a.", "x ", "\"", "1", "[[a]]\n", "not "};
      std::string all;
      const std::string& unit = deep[below(deep.size())];
      for (std::size_t i = 0; i < 20'000; ++i) all += unit;
      return all;
    }
    return tokens[below(tokens.size())];
  }

  void change(Words& tokens, const Words& others) {
    if (tokens.empty()) tokens.emplace_back();
    const std::size_t at = below(tokens.size());
    const auto place = tokens.begin() + static_cast<std::ptrdiff_t>(at);
    const auto line_begin = std::find(std::make_reverse_iterator(place), tokens.rend(), "\n").base();
    const auto line_end = std::find(place, tokens.end(), "\n");
    switch (random_() % 9) {
      case 0:
        tokens[at] = strange_token();
        break;
      case 1:  // a number: another one
      case 2: {
        std::vector<std::size_t> numbers;
        for (std::size_t i = 0; i < tokens.size(); ++i)
          if (std::isdigit(static_cast<unsigned char>(tokens[i][0]))) numbers.push_back(i);
        if (!numbers.empty()) tokens[numbers[below(numbers.size())]] = std::to_string(edge());
        break;
      }
      case 3:
        if (!others.empty()) tokens[at] = others[below(others.size())];
        break;
      case 4:
        tokens.erase(place);
        break;
      case 5:
        tokens.insert(place, strange_token());
        break;
      case 6: {  // a line twice
        const Words line(line_begin, line_end == tokens.end() ? line_end : line_end + 1);
        tokens.insert(line_begin, line.begin(), line.end());
        break;
      }
      case 7:
        tokens.erase(line_begin, line_end);
        break;
      default: {  // some lines of another
        const std::size_t from = below(others.size()), count = std::min(below(60), others.size() - from);
        const auto first = others.begin() + static_cast<std::ptrdiff_t>(from);
        tokens.insert(line_begin, first, first + static_cast<std::ptrdiff_t>(count));
      }
    }
    for (std::string& token : tokens)
      if (token.empty()) token = " ";
  }

  std::mt19937_64 random_;
};

// ---- runs

struct Outcome {
  std::string verdict;  // empty: as it should be
  int status = 0;
  std::string errors;
};

Outcome start(const Words& words, const fs::path& folder) {
  const fs::path errors = folder / "stderr.txt";
  const pid_t child = ::fork();
  if (child == 0) {
    ::setpgid(0, 0);
    const int null = ::open("/dev/null", O_RDWR), err = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(null, 0);
    ::dup2(err, 1);
    ::dup2(err, 2);
    const rlimit memory{most_bytes, most_bytes}, core{0, 0}, file{2ull << 30, 2ull << 30};
    ::setrlimit(RLIMIT_AS, &memory);
    ::setrlimit(RLIMIT_CORE, &core);
    ::setrlimit(RLIMIT_FSIZE, &file);
    ::chdir(folder.c_str());
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(126);
  }
  ::setpgid(child, child);
  const auto begin = Clock::now();
  int status = 0;
  rusage usage{};
  bool late = false;
  while (::wait4(child, &status, WNOHANG, &usage) == 0) {
    if (Clock::now() - begin > std::chrono::seconds(most_seconds)) {
      late = true;
      ::kill(-child, SIGKILL);
      ::wait4(child, &status, 0, &usage);
      break;
    }
    ::usleep(500);
  }
  Outcome outcome;
  outcome.errors = content(errors);
  if (late)
    outcome.verdict = "took more than " + std::to_string(most_seconds) + " s";
  else if (WIFSIGNALED(status))
    outcome.verdict = std::string("ended by a signal: ") + ::strsignal(WTERMSIG(status));
  else if ((outcome.status = WEXITSTATUS(status)) > 3)
    outcome.verdict = "ended with status " + std::to_string(outcome.status);
  else if (outcome.status != 0 && outcome.errors.empty())
    outcome.verdict = "failed without a word";
  else if (usage.ru_maxrss > most_resident_kilobytes)
    outcome.verdict = "took " + std::to_string(usage.ru_maxrss >> 10) + " MiB";
  return outcome;
}

/// The commands that read `input`; later ones only when the earlier ones took it.
std::vector<Words> commands(const Options& options, const std::string& input, const fs::path& work) {
  const std::string& ew = options.ew;
  const bool subject = options.subject != "-";
  std::vector<Words> all;
  if (options.kind == "machine") {
    all.push_back({ew, "run", "-m", input, "--print-machine"});
    if (subject) all.push_back({ew, "run", "-m", input, "--max-instructions", "3000", options.subject, "run"});
  } else if (options.kind == "set") {
    Words words{ew, "run"};
    std::istringstream lines(content(input));
    for (std::string line; words.size() < 40 && std::getline(lines, line);) {
      line.resize(std::min(line.find('\0'), line.size()));  // no argument holds one
      words.insert(words.end(), {"--set", line});
    }
    Words print = words;
    print.push_back("--print-machine");
    all.push_back(print);
    words.insert(words.end(), {"--max-instructions", "3000", options.subject, "run"});
    if (subject) all.push_back(words);
  } else if (options.kind == "litmus") {
    all.push_back({ew, "litmus", input, "--axioms"});
    all.push_back({ew, "litmus", input, "--seeds", "2"});
  } else if (options.kind == "pool") {
    all.push_back({ew, "pool", "check", input});
    all.push_back({ew, "pool", "info", input});
    if (subject) all.push_back({ew, "run", options.subject, "pool", input});
  } else if (options.kind == "study") {
    all.push_back({ew, "reproduce", "sbrp", "--studies", (work / "studies").string(), "--list"});
  } else if (options.kind == "stats") {
    all.push_back({ew, "reproduce", "sbrp", "--resume", "--size", "small", "--program", "Red", "--figure", "6", "--out",
                   (work / "out").string()});
  } else if (options.kind == "ptx" && subject) {
    all.push_back({ew, "run", "--max-instructions", "20000", options.subject, "load", input});
  }
  return all;
}

int campaign(const Options& options) {
  const fs::path work = options.folder / (options.kind + ".work"), counter = options.folder / (options.kind + ".runs");
  fs::create_directories(work);
  std::uint64_t runs = std::strtoull(content(counter).c_str(), nullptr, 10), accepted = 0, failed = 0;
  const std::uint64_t first = runs;
  const auto begin = Clock::now();
  for (; std::chrono::duration<double>(Clock::now() - begin).count() < options.seconds; ++runs) {
    Mutator mutate(runs + 1);
    const std::size_t one = mutate.below(options.seeds.size()), other = mutate.below(options.seeds.size());
    const std::string bytes = options.kind == "pool" ? mutate.pool(options.seeds[one])
                                                     : mutate.text(options.seeds[one], options.seeds[other]);
    fs::path input = work / ("input" + fs::path(options.names[one]).extension().string());
    if (options.in_folder()) input = options.names[one];
    const std::string before = options.in_folder() ? content(input) : "";
    std::ofstream(input, std::ios::binary) << bytes;
    for (const Words& words : commands(options, input.string(), work)) {
      const Outcome outcome = start(words, work);
      if (outcome.status == 0 && outcome.verdict.empty()) ++accepted;
      if (!outcome.verdict.empty()) {
        const fs::path kept = options.folder / (options.kind + "-" + std::to_string(runs) + input.extension().string());
        fs::copy_file(input, kept, fs::copy_options::overwrite_existing);
        std::printf("%s: %s\n  %s\n", kept.c_str(), outcome.verdict.c_str(), outcome.errors.substr(0, 300).c_str());
        std::fflush(stdout);
        ++failed;
      }
      if (outcome.status != 0 || !outcome.verdict.empty()) break;
    }
    if (options.in_folder()) std::ofstream(input, std::ios::binary) << before;
  }
  std::ofstream(counter) << runs << '\n';
  std::printf("%s: %llu inputs, %llu runs went well, %llu failed\n", options.kind.c_str(),
              static_cast<unsigned long long>(runs - first), static_cast<unsigned long long>(accepted),
              static_cast<unsigned long long>(failed));
  return failed != 0 || runs == first;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: %s EW SUBJECT SECONDS KIND FOLDER SEED...\n", argv[0]);
    return 2;
  }
  Options options{.ew = fs::absolute(argv[1]).string(),
                  .subject = std::strcmp(argv[2], "-") == 0 ? "-" : fs::absolute(argv[2]).string(),
                  .kind = argv[4],
                  .seconds = std::strtod(argv[3], nullptr),
                  .folder = fs::absolute(argv[5])};
  fs::create_directories(options.folder);
  for (int i = 6; i < argc; ++i) {
    fs::path seed = fs::absolute(argv[i]);
    if (options.in_folder()) {  // of the first seed: a copy of it, in which the seeds are changed
      const fs::path root = fs::absolute(argv[6]).parent_path();
      const fs::path copy =
          options.folder / (options.kind + ".work") / (options.kind == "study" ? "studies/sbrp" : "out");
      if (i == 6) {
        fs::remove_all(copy);
        fs::create_directories(copy.parent_path());
        fs::copy(root, copy, fs::copy_options::recursive);
        if (options.kind == "stats") continue;
      }
      seed = copy / fs::relative(seed, root);
    }
    std::string text = content(seed);
    // A file of litmus tests is as many seeds.
    for (auto end = text.npos; options.kind == "litmus" && (end = text.find("\ntest ", 1)) != text.npos;) {
      options.names.push_back(seed.string());
      options.seeds.push_back(text.substr(0, end + 1));
      text.erase(0, end + 1);
    }
    options.names.push_back(seed.string());
    options.seeds.push_back(text);
  }
  return campaign(options);
}
