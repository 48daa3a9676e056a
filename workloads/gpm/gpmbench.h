// Code that the nine programs of GPMbench share: options, acknowledgements for a crash test, and measured phases.
// README.md says what the programs do. system.h has the systems that persist their results.
//
//   NAME [--small | --paper] [--system NAME] [SIZES] [--pool FILE] [--stop-before-commit]
//   NAME --recover FILE [--resume]
//   --ddio            for measurements: GPM leaves DDIO on, as the published recoveries do. Its fences promise nothing
//   then -DBUG=N           plants bug N of bugs.toml
#pragma once
#include <cctype>
#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "../cuda/check.h"

#ifndef BUG
#define BUG 0
#endif

// Like EXPECT, but for headers: the message names the program.
#define REQUIRE(condition, ...)                                  \
  do {                                                           \
    if (!(condition)) check::failed(__BASE_FILE__, __VA_ARGS__); \
  } while (0)

namespace bench {

/// The systems, which make results durable in different ways ("GPM", ASPLOS'22, sections 3 and 6.1).
enum class System : uint32_t { gpm, gpm_ndp, gpm_eadr, cap_fs, cap_mm, cap_eadr, gpufs };
constexpr const char* kSystemNames[] = {"GPM", "GPM-NDP", "GPM-eADR", "CAP-fs", "CAP-mm", "CAP-eADR", "GPUfs"};

/// Kernels store results to persistent memory themselves.
inline bool kernels_store(System system) {
  return system <= System::gpm_eadr;
}
/// A fence of a kernel makes its stores durable.
__host__ __device__ inline bool kernels_persist(System system) {
  return system == System::gpm || system == System::gpm_eadr;
}

/// The options of the command line. `Shape` has the program's sizes, all uint32_t. It is stored in the program's file.
template <class Shape>
struct Options {
  Shape shape;
  System system = System::gpm;
  uint32_t host_threads = 16;  // the threads that flush or copy, if the host does that
  std::string pool, recovered, input;
  bool resume = false, stop_before_commit = false, ddio = false;
};
template <class Shape>
struct Size {
  const char* option;
  uint32_t Shape::*member;
  uint32_t least, most;
};
template <class Shape>
struct Presets {
  Shape usual, paper, small;
};

template <class Shape>
void print_usage(FILE* to, const char* program, std::initializer_list<Size<Shape>> sizes, const char* input) {
  fprintf(to, "usage: %s [--small | --paper] [--system GPM", program);
  for (size_t i = 1; i < sizeof kSystemNames / sizeof *kSystemNames; ++i) fprintf(to, "|%s", kSystemNames[i]);
  fprintf(to, "] [--host-threads N]");
  for (const Size<Shape>& size : sizes) fprintf(to, " [%s N]", size.option);
  if (input != nullptr) fprintf(to, " [--input %s]", input);
  fprintf(to, " [--ddio] [--pool FILE] [--stop-before-commit] | --recover FILE [--resume]");
  fprintf(to, input != nullptr ? " [--input %s]\n" : "\n", input);
}

/// How many letters to put in, leave out or replace, to come from one word to the other. Capitals are no difference.
inline size_t edits(const std::string& from, const std::string& to) {
  std::vector<size_t> row(to.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 0; i < from.size(); ++i) {
    size_t corner = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < to.size(); ++j) {
      const size_t replaced = corner + (tolower(from[i]) != tolower(to[j]));
      corner = row[j + 1];
      row[j + 1] = std::min({replaced, corner + 1, row[j] + 1});
    }
  }
  return row.back();
}
inline std::string nearest(const std::string& word, const std::vector<std::string>& names) {
  return *std::min_element(names.begin(), names.end(),
                           [&](const std::string& a, const std::string& b) { return edits(word, a) < edits(word, b); });
}

/// Ends the program: this word is no option, or its value is missing.
template <class Shape>
[[noreturn]] void refuse_word(const char* program, const std::string& word, std::initializer_list<Size<Shape>> sizes,
                              const char* input) {
  std::vector<std::string> names = {"--small",        "--paper",  "--system",
                                    "--host-threads", "--pool",   "--stop-before-commit",
                                    "--recover",      "--resume", "--ddio"};
  for (const Size<Shape>& size : sizes) names.push_back(size.option);
  if (input != nullptr) names.push_back("--input");
  const std::string near = nearest(word, names);
  if (near == word)
    fprintf(stderr, "%s: a value is expected behind it\n", word.c_str());
  else
    fprintf(stderr, "unknown option %s (did you mean %s?)\n", word.c_str(), near.c_str());
  print_usage(stderr, program, sizes, input);
  exit(2);
}

/// Requires that the machine has what the system rests on.
inline void require_durable_cache(System system) {
  if ((system != System::gpm_eadr && system != System::cap_eadr) || host_cache_durable() == 1) return;
  fprintf(stderr,
          "--system %s: a host whose cache is durable (eADR) is expected, this one's is not; on a machine of Everwarp: "
          "--set nvm.eadr=true\n",
          kSystemNames[static_cast<uint32_t>(system)]);
  exit(2);
}

inline uint32_t number_of(const char* option, const char* word, uint32_t least, uint32_t most) {
  char* end = nullptr;
  const unsigned long long value = strtoull(word, &end, 10);
  if (*word >= '0' && *word <= '9' && *end == 0 && value >= least && value <= most) return static_cast<uint32_t>(value);
  fprintf(stderr, "%s: a number between %u and %u is expected, got %s\n", option, least, most, word);
  exit(2);
}

inline System system_of(const char* word) {
  for (size_t i = 0; i < sizeof kSystemNames / sizeof *kSystemNames; ++i)
    if (!strcasecmp(word, kSystemNames[i])) return static_cast<System>(i);
  fprintf(stderr, "--system: one of");
  for (const char* name : kSystemNames) fprintf(stderr, " %s", name);
  const std::vector<std::string> names(std::begin(kSystemNames), std::end(kSystemNames));
  fprintf(stderr, " is expected, got %s (did you mean %s?)\n", word, nearest(word, names).c_str());
  exit(2);
}

/// --small and --paper are the sizes of which none is given, wherever they stand. `input` describes the file for
/// --input, if the program takes one.
template <class Shape>
Options<Shape> parse(int argc, char** argv, const char* pool, const Presets<Shape>& presets,
                     std::initializer_list<Size<Shape>> sizes, const char* input = nullptr) {
  Options<Shape> options;
  options.shape = presets.usual;
  options.pool = pool;
  std::vector<std::pair<uint32_t Shape::*, uint32_t>> given;  // they count more than --small and --paper
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--small" || word == "--paper") {
      options.shape = word == "--small" ? presets.small : presets.paper;
    } else if (word == "--resume") {
      options.resume = true;
    } else if (word == "--stop-before-commit") {
      options.stop_before_commit = true;
    } else if (word == "--ddio") {
      options.ddio = true;
    } else if (word == "--help") {
      print_usage(stdout, argv[0], sizes, input);
      exit(0);
    } else if (i + 1 == argc) {
      refuse_word(argv[0], word, sizes, input);
    } else if (word == "--pool") {
      options.pool = argv[++i];
    } else if (word == "--recover") {
      options.recovered = argv[++i];
    } else if (word == "--input" && input != nullptr) {
      options.input = argv[++i];
    } else if (word == "--system") {
      options.system = system_of(argv[++i]);
    } else if (word == "--host-threads") {
      options.host_threads = number_of("--host-threads", argv[++i], 1, 1024);
    } else {
      const Size<Shape>* size = sizes.begin();
      while (size != sizes.end() && word != size->option) ++size;
      if (size == sizes.end()) refuse_word(argv[0], word, sizes, input);
      given.push_back({size->member, number_of(size->option, argv[++i], size->least, size->most)});
    }
  }
  for (const auto& [member, value] : given) options.shape.*member = value;
  require_durable_cache(options.system);
  return options;
}

/// In a recovery: requires that everything is there that was acknowledged before the crash.
inline void expect_acknowledged(unsigned long long found, const char* what) {
  REQUIRE(found >= gpm_acknowledged(), "acknowledged %s that should be there: %llu, found: %llu", what,
          gpm_acknowledged(), found);
}

/// Bytes of the pool in a file; 0: there is no file. If the file is no whole pool, the program fails.
inline size_t pool_bytes(const std::string& path) {
  const size_t bytes = gpm_size(path.c_str());
  FILE* const file = bytes != 0 ? nullptr : fopen(path.c_str(), "rb");
  REQUIRE(file == nullptr, "%s %s", path.c_str(), everwarp::gpm_no_pool(path.c_str()));
  return bytes;
}
/// A magic's letters; a dot for what is none.
inline std::string letters_of(uint64_t magic) {
  std::string text(reinterpret_cast<const char*>(&magic), sizeof magic);
  for (char& letter : text)
    if (letter < ' ' || letter > '~') letter = '.';
  return text;
}
/// Requires that a pool is of this program.
inline void require_magic(const std::string& path, uint64_t want, uint64_t is) {
  REQUIRE(is == want, "%s should begin with \"%s\", begins with \"%s\": it is of another program", path.c_str(),
          letters_of(want).c_str(), letters_of(is).c_str());
}

/// Measures a part of the program under a name, from the object's construction to its end.
using Phase = measure;
/// Prints a line for each of these phases: its time, all its parts together.
inline void print_phases(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (measured(name) > 0) printf("%s: %.0f ns\n", name, measured(name));
}

__host__ __device__ inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}
inline size_t whole_lines(size_t bytes) {
  return (bytes + 255) / 256 * 256;  // a multiple of the medium's granule
}
inline unsigned blocks_for(size_t threads, unsigned block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

/// True if the caller's block is the last of the grid that comes here. Then it sees everything that the other blocks
/// have stored before. `arrivals` must be zero before the launch.
__device__ inline bool last_block(unsigned* arrivals) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(arrivals, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  return last;
}

}  // namespace bench
