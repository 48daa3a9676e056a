// What the programs of this folder share: their options, their life (created, run, verified; recovered, verified), and
// witnesses. README.md says what the programs do.
//
// A *witness* is a count of a thread that it persists by itself, in a pool of its own: how many of its transactions
// tx::durable() has promised. The recovery finds at least those.
//
//   -DBUG=N             plants bug N of bugs.toml
//   -DBLOCKS_PER_SM=N   compiled so that N blocks of 256 threads and one helper warp fit into an SM, as far as
//   registers go
#pragma once
#include <math.h>

#include <everwarp/tx.cuh>
#include <map>
#include <string>
#include <vector>

#include "../cuda/check.h"
#include "figures.h"

#ifndef BUG
#define BUG 0
#endif

#ifdef BLOCKS_PER_SM
#define HELPER_KERNEL __global__ void __launch_bounds__(288, BLOCKS_PER_SM)
#else
#define HELPER_KERNEL __global__ void
#endif

namespace helper {

__host__ __device__ inline unsigned mix(unsigned x) {  // one to one
  x = (x ^ (x >> 16)) * 0x21f0aaadu;
  x = (x ^ (x >> 15)) * 0x735a2d97u;
  return x ^ (x >> 15);
}

#define REQUIRE(condition, ...)                                  \
  do {                                                           \
    if (!(condition)) check::failed(__BASE_FILE__, __VA_ARGS__); \
  } while (0)

/// What a program can be told. Numbers of its own are added to `numbers`, with their defaults.
struct Arguments {
  std::string pool = "helper.pool", mode = "helper";
  bool recovers = false, audits = false;
  std::map<std::string, unsigned long long> numbers{
      {"blocks", 4}, {"threads", 64}, {"helpers", 1}, {"ring", 1280}, {"threshold", 200},
      {"slice", 10}, {"delay", 0},    {"log", 4096},  {"slots", 4},   {"records", 0},
      {"rounds", 1}, {"timeline", 0}, {"part", 1},    {"emulate", 0}};
  std::map<std::string, std::string> texts{{"bandwidth", "none"}};

  unsigned operator[](const char* name) const { return static_cast<unsigned>(numbers.at(name)); }

  [[noreturn]] void refuse(const char* program, const std::string& what) const {
    fprintf(stderr,
            "%s: %s\nusage: %s [--mode memory|strict|helper|adaptive|assisted|auto] [--pool FILE] [--audit] [--small] "
            "| --recover FILE\n",
            program, what.c_str(), program);
    fprintf(stderr, "numbers:");
    for (const auto& [name, value] : numbers) fprintf(stderr, " [--%s %llu]", name.c_str(), value);
    for (const auto& [name, value] : texts)
      fprintf(stderr, " [--%s %s]", name.c_str(), value.empty() ? "FILE" : value.c_str());
    fprintf(stderr, "\n");
    exit(2);
  }
  /// `small`: the numbers that --small stands for, beside --audit.
  void parse(int argc, char** argv, const std::map<std::string, unsigned long long>& small) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i], name = word.substr(0, 2) == "--" ? word.substr(2) : "";
      if (name == "audit") {
        audits = true;
        continue;
      }
      if (name == "small") {
        audits = true;
        for (const auto& [key, value] : small) numbers[key] = value;
        continue;
      }
      const bool known =
          name == "pool" || name == "recover" || name == "mode" || numbers.count(name) || texts.count(name);
      if (!known) refuse(argv[0], "unknown option \"" + word + "\"");
      if (++i == argc) refuse(argv[0], word + " needs a value");
      if (name == "mode") {
        mode = argv[i];
      } else if (texts.count(name)) {
        texts[name] = argv[i];
      } else if (numbers.count(name)) {
        char* end;
        const unsigned long long value = strtoull(argv[i], &end, 10);
        if (*end != 0 || end == argv[i] || *argv[i] == '-' || value > 0xffffffffull)
          refuse(argv[0], word + " should be a number up to 4294967295, but is \"" + argv[i] + "\"");
        numbers[name] = value;
      } else {
        recovers |= name == "recover";
        pool = argv[i];
      }
    }
    if (mode_number() > tx::assisted) refuse(argv[0], "unknown mode \"" + mode + "\"");
    if (numbers["emulate"] != 0) numbers["delay"] = delay_of(argv[0], texts["bandwidth"]);
    if (numbers["part"] == 0) refuse(argv[0], "--part should be at least 1");
    if ((*this)["blocks"] == 0 || (*this)["threads"] == 0 || (*this)["rounds"] == 0)
      refuse(argv[0], "--blocks, --threads and --rounds should be at least 1");
  }
  tx::Mode mode_number() const {
    if (mode == "auto") return tx::mode_of_machine();
    const char* const names[] = {"memory", "strict", "helper", "adaptive", "assisted"};
    unsigned number = 0;
    while (number < 5 && mode != names[number]) ++number;
    return static_cast<tx::Mode>(number);
  }
  /// The delay by which the paper emulates a bandwidth: its fit in section 6.1, of cycles over GB/s.
  unsigned delay_of(const char* program, const std::string& bandwidth) const {
    char* end;
    const double rate = strtod(bandwidth.c_str(), &end);
    if (*end != 0 || end == bandwidth.c_str() || !(rate >= 0.01 && rate <= 1e4))
      refuse(program, "--emulate 1 needs --bandwidth, GB/s from 0.01 to 10000, but it is \"" + bandwidth + "\"");
    return static_cast<unsigned>(pow(10, 6.063 - 1.105 * log10(rate)) + 0.5);
  }
  tx::Options options(unsigned words, unsigned writes, unsigned held) const {
    tx::Options o;
    o.words = words;
    o.blocks = (*this)["blocks"];
    o.threads = (*this)["threads"];
    o.mode = mode_number();
    o.helpers = (*this)["helpers"];
    o.ring = (*this)["ring"];
    o.threshold = std::max(1u, ((*this)["threshold"] + (*this)["part"] / 2) / (*this)["part"]);
    o.slice = (*this)["slice"];
    o.delay = (*this)["delay"];
    o.timeline = (*this)["timeline"];
    o.log = (*this)["log"];
    o.slots = (*this)["slots"];
    o.records = (*this)["records"];
    o.writes = writes;
    o.records_held = held;
    return o;
  }
};

/// The first words of a space of these programs: what a recovery must know. Its `threads` are those of the launch.
struct Shape {
  unsigned magic, numbers[14], audits;
};
constexpr unsigned shape_words = sizeof(Shape) / 4;

/// The witnesses of a run; without --audit there are none.
class Witnesses {
 public:
  Witnesses(const Arguments& arguments, unsigned threads) : file_(arguments.pool + ".witness") {
    if (arguments.recovers) {
      if (gpm_size(file_.c_str()) != 0) counts_ = static_cast<unsigned*>(gpm_map(file_.c_str(), 0, false));
    } else if (arguments.audits && arguments.mode != "memory") {
      bytes_ = 4ull * threads;
      counts_ = static_cast<unsigned*>(gpm_map(file_.c_str(), bytes_, true));
      if (counts_ == nullptr) exit(2);
    }
  }
  ~Witnesses() {
    if (counts_ != nullptr) gpm_unmap(file_.c_str(), counts_, bytes_ != 0 ? bytes_ : gpm_size(file_.c_str()));
  }
  unsigned* device() const { return counts_; }
  unsigned of(unsigned thread) const {
    return counts_ != nullptr && 4ull * thread < gpm_size(file_.c_str()) ? counts_[thread] : 0;
  }

 private:
  std::string file_;
  unsigned* counts_ = nullptr;
  size_t bytes_ = 0;
};

/// This thread's first `done` pieces of work are durable: tells it the world, where the world asks.
__device__ inline void promise(tx::Thread& thread, unsigned* witnesses, unsigned done, bool early = false) {
  if (witnesses == nullptr) return;
  if (!early) tx::durable(thread);
  *const_cast<volatile unsigned*>(witnesses + thread.index()) = done;
  dfence();
}

/// A run under way: from its space to its report.
class Run {
 public:
  tx::Space space;

  Run(const Arguments& arguments, unsigned words, unsigned writes, unsigned held)
      : arguments_(arguments),
        witnesses_(arguments, arguments["blocks"] * arguments["threads"]),
        figures_(space, arguments["part"]) {
    if (!tx::create(space, arguments.mode == "memory" ? NULL : arguments.pool.c_str(),
                    arguments.options(words, writes, held)))
      exit(2);
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  unsigned* witnesses() const { return witnesses_.device(); }
  void start(const Shape& shape) {
    *space.in_image<Shape>(0) = shape;
    if (!tx::start(space)) exit(2);
  }
  /// Launches a kernel (tx::Space, ...) in the space's shape, waits for it, and adds its time.
  template <class... Parameters, class... Values>
  void launch(const char* name, void (*kernel)(tx::Space, Parameters...), Values... values) {
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(space.shared_bytes())) != cudaSuccess) {
      fprintf(stderr, "a ring of %u pairs needs %zu bytes of shared memory, more than a block may have\n",
              space.options.ring, space.shared_bytes());
      exit(2);
    }
    cudaEventRecord(begin_);
    kernel<<<space.options.blocks, space.block_threads(), space.shared_bytes()>>>(space, values...);
    cudaEventRecord(end_);
    if (cudaGetLastError() != cudaSuccess || !tx::check(space)) exit(3);
    float ms = 0;
    cudaEventElapsedTime(&ms, begin_, end_);
    time_us_ += 1000 * ms;
    figures_.after(name);
  }
  double time_us() const { return time_us_; }
  /// Makes the image what transactions have made of the working copy, and prints what happened.
  void settle(const char* what) {
    figures_.of_all();
    std::vector<unsigned> working(space.options.words);
    if (cudaMemcpy(working.data(), space.data, 4ull * space.options.words, cudaMemcpyDeviceToHost) != cudaSuccess ||
        !tx::settle(space))
      exit(3);
    for (unsigned i = 0; i < space.options.words; ++i)
      REQUIRE(working[i] == *space.in_image(i), "word %u of the image is %u, but %u in device memory", i,
              *space.in_image(i), working[i]);
    const tx::Statistics s = tx::statistics(space);
    printf(
        "%s %s: %.1f us, %llu commits, %llu read only, %llu aborts (%llu robbed), %llu waits for room in the ring, "
        "%llu in "
        "the log, %llu for a slot; helpers: %llu pairs in %llu runs, on %llu times, off %llu times, at most %llu MB/s; "
        "ring %s\n",
        what, arguments_.mode.c_str(), time_us_, s.commits, s.read_only, s.aborts, s.robbed, s.ring_full, s.log_full,
        s.slot_waits, s.pairs, s.runs, s.switched_on, s.switched_off, s.largest_rate, occupancy(s).c_str());
  }

 private:
  /// Percentiles of the pairs in the ring when a helper looks.
  std::string occupancy(const tx::Statistics& s) const {
    unsigned long long all = 0, seen = 0;
    for (unsigned long long n : s.occupancy) all += n;
    if (all == 0) return "not used";
    std::string text;
    const unsigned percents[] = {50, 90, 100};
    unsigned next = 0;
    for (unsigned bin = 0; bin < tx::occupancy_bins && next < 3; ++bin) {
      seen += s.occupancy[bin];
      for (; next < 3 && 100 * seen >= percents[next] * all; ++next)
        text += (next != 0 ? ", " : "") + std::to_string(percents[next]) + " % below " +
                std::to_string((bin + 1) * space.options.ring / tx::occupancy_bins);
    }
    return text;
  }

  const Arguments& arguments_;
  Witnesses witnesses_;
  FigurePrinter figures_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  double time_us_ = 0;
};

/// What a crash has left, recovered. No space: the crash came before it was whole.
class Recovery {
 public:
  tx::Space space;
  Shape shape = {};

  Recovery(const Arguments& arguments, unsigned magic) : witnesses_(arguments, 0) {
    unsigned long long sealed = 0;
    if (gpm_size(arguments.pool.c_str()) >= sizeof(tx::TxPoolHeader))
      if (const void* pool = gpm_map(arguments.pool.c_str(), 0, false)) {
        sealed = static_cast<const tx::TxPoolHeader*>(pool)->magic;
        gpm_unmap(arguments.pool.c_str(), const_cast<void*>(pool), gpm_size(arguments.pool.c_str()));
      }
    if (sealed == 0) {
      REQUIRE(gpm_acknowledged() == 0 && witnesses_.of(0) == 0, "work was promised, but there is no whole space");
      check::passed(__BASE_FILE__, "the space was not there yet");
      exit(0);
    }
    tx::Options options = arguments.options(1, 1, 1);
    options.mode = tx::strict;  // a recovery needs no ring
    if (!tx::open(space, arguments.pool.c_str(), options)) exit(2);
    shape = *space.in_image<Shape>(0);
    REQUIRE(shape.magic == magic, "%s is of another program", arguments.pool.c_str());
  }
  unsigned threads() const { return space.all_threads; }
  unsigned witness(unsigned thread) const { return witnesses_.of(thread); }

 private:
  Witnesses witnesses_;
};

}  // namespace helper
