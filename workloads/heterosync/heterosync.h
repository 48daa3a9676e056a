// What the programs of this folder share: the two scopes of a synchronisation, where a block runs, the data of a
// critical section and its check, the command line. README.md says what the programs do.
//
// A compute unit (CU) is a multiprocessor. A block learns by %smid on which one it runs, so that a local lock is always
// taken by blocks of one CU, however a machine places them; the check counts what each block has recorded.
#pragma once
#include <cuda/atomic>
#include <everwarp/sync.cuh>
#include <functional>
#include <initializer_list>
#include <string>

#include "../cuda/check.h"

namespace heterosync {

constexpr unsigned kThreads = 32;    // of a block of the synchronisation primitives
constexpr unsigned kLineWords = 16;  // a line of 64 bytes

constexpr auto kRelaxed = cuda::memory_order_relaxed;
constexpr auto kAcquire = cuda::memory_order_acquire;
constexpr auto kRelease = cuda::memory_order_release;

/// Between the blocks of one CU, and between all blocks.
struct LocalScope {
  static constexpr bool local = true;
  template <class T>
  using ref = everwarp::local_ref<T>;
};
struct GlobalScope {
  static constexpr bool local = false;
  template <class T>
  using ref = cuda::atomic_ref<T, cuda::thread_scope_device>;
};

/// A wait that grows by five steps with each failure and begins anew after `most` of them.
class Backoff {
 public:
  __device__ explicit Backoff(unsigned most = 25) : most_(most) {}
  __device__ void operator()() {
#pragma unroll 1
    for (unsigned step = 0; step < steps_; ++step) asm volatile("" ::: "memory");
    steps_ = ++failures_ % most_ == 0 ? 1 : steps_ + 5;
  }

 private:
  unsigned most_, steps_ = 10, failures_ = 0;
};

__device__ inline unsigned this_cu() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}

inline unsigned whole_lines(unsigned words) {
  return (words + kLineWords - 1) / kLineWords * kLineWords;
}

// -- The command line ------------------------------------------------------------------------------------------------

/// The sizes of a synchronisation primitive.
struct Sizes {
  unsigned iterations = 2, blocks_per_cu = 3, accesses = 10, cus = 0, readers = 10;
  unsigned lock_lines = 1;  // from one CU's lock to the next, where each has its own
};
struct Number {
  const char* option;
  unsigned* value;
  unsigned least, most;
};
struct Variant {
  const char* name;  // as in Table 2.4 of the thesis
  std::function<void(const char* name)> run;
};

inline std::string usage(const char* program, const std::vector<Variant>& variants,
                         std::initializer_list<Number> numbers) {
  std::string text = std::string("usage: ") + program + " [VARIANT...]";
  for (const Number& number : numbers) text += std::string(" [") + number.option + " N]";
  text += "\nVARIANT is one of";
  for (const Variant& variant : variants) text += std::string(" ") + variant.name;
  text += "; without one, all of them run. N when it is not given, and its range:\n";
  for (const Number& number : numbers)
    text += std::string("  ") + number.option + ": " + std::to_string(*number.value) + ", from " +
            std::to_string(number.least) + " to " + std::to_string(number.most) + "\n";
  return text;
}

/// Sets the numbers and returns the variants that the command line names.
inline std::vector<Variant> parse(int argc, char** argv, const std::vector<Variant>& variants,
                                  std::initializer_list<Number> numbers) {
  const std::string help = usage(argv[0], variants, numbers);
  const auto refuse = [&help] {
    fputs(help.c_str(), stderr);
    exit(2);
  };
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<Variant> chosen;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto variant =
        std::find_if(variants.begin(), variants.end(), [&](const Variant& one) { return words[i] == one.name; });
    if (variant != variants.end()) {
      chosen.push_back(*variant);
      continue;
    }
    const Number* number = numbers.begin();
    while (number != numbers.end() && words[i] != number->option) ++number;
    if (number == numbers.end() || i + 1 == words.size()) refuse();
    char* end = nullptr;
    const unsigned long value = strtoul(words[++i].c_str(), &end, 10);
    if (*end != 0 || value < number->least || value > number->most) {
      fprintf(stderr, "%s: a number from %u to %u is expected, got \"%s\"\n", number->option, number->least,
              number->most, words[i].c_str());
      exit(2);
    }
    *number->value = static_cast<unsigned>(value);
  }
  return chosen.empty() ? variants : chosen;
}

/// Runs them in turn; main's status.
inline int run_all(const std::vector<Variant>& chosen) {
  std::string names;
  for (const Variant& variant : chosen) {
    variant.run(variant.name);
    names += std::string(names.empty() ? "" : " ") + variant.name;
  }
  return check::passed(__BASE_FILE__, "%s", names.c_str());
}

// -- The grid --------------------------------------------------------------------------------------------------------

/// How many blocks a kernel has. All are resident at once, since they wait for each other.
struct Grid {
  unsigned blocks, cus;
  unsigned resident;  // blocks of a CU at most
};

/// cus: 0 for as many as the thesis's machine has, if the device has so many.
template <class Kernel>
Grid grid_of(Kernel kernel, unsigned threads, unsigned blocks_per_cu, unsigned cus) {
  int sms = 0, resident = 0;
  CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, static_cast<int>(threads), 0));
  const unsigned all = static_cast<unsigned>(sms), most = static_cast<unsigned>(resident);
  if (cus == 0) cus = std::min(all, 15u);
  if (cus > all || blocks_per_cu > most) {
    fprintf(stderr, "%u CUs with %u blocks each: this device has %u CUs and holds %u blocks of this kernel on each\n",
            cus, blocks_per_cu, all, most);
    exit(2);
  }
  return {all * blocks_per_cu, cus, most};
}

/// The CU of each block, as it has recorded it; blocks on CUs past the first `cus` have left at once.
class Record {
 public:
  explicit Record(const Grid& grid) : grid_(grid), cu_of_block_(grid.blocks, 0xff) {}
  unsigned* device() const { return cu_of_block_; }
  /// Blocks that have taken part, CU by CU.
  std::vector<unsigned> blocks_of_cu() const {
    std::vector<unsigned> counts(grid_.cus);
    const std::vector<unsigned> cus = cu_of_block_.download();
    for (size_t block = 0; block < cus.size(); ++block) {
      if (cus[block] == ~0u) check::failed(__BASE_FILE__, "block %zu should have recorded its CU", block);
      if (cus[block] < grid_.cus) ++counts[cus[block]];
    }
    return counts;
  }

 private:
  Grid grid_;
  DeviceArray<unsigned> cu_of_block_;
};

/// Which of the blocks this one is, once all of them have said where they run.
struct Place {
  unsigned cu, slot;       // its CU, and its number among the CU's blocks
  unsigned members;        // blocks of this CU
  unsigned rank, cus;      // the CU's number among those that have blocks, and how many have
  unsigned first, blocks;  // of the CU's slot 0 among all blocks, and how many blocks there are
  bool stays;              // false: the block leaves at once
};

__device__ inline unsigned sum_of_warp(unsigned value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
}

/// roll: [0] blocks that have come, [1 + cu] those of a CU; zero before. REQUIRES: blocks of kThreads, all resident.
__device__ inline Place muster(unsigned* roll, unsigned* cu_of_block, unsigned cus) {
  using Ref = GlobalScope::ref<unsigned>;
  const unsigned cu = this_cu();
  Place place = {cu, 0, 0, 0, 0, 0, 0, cu < cus};
  if (threadIdx.x == 0) {
    cu_of_block[blockIdx.x] = cu;
    if (place.stays) place.slot = Ref(roll[1 + cu]).fetch_add(1, kRelaxed);
    Ref(roll[0]).fetch_add(1, kRelease);
    while (place.stays && Ref(roll[0]).load(kAcquire) != gridDim.x) continue;
  }
  place.slot = __shfl_sync(~0u, place.slot, 0);
  if (!place.stays) return place;
  __syncthreads();
  for (unsigned start = 0; start < cus; start += kThreads) {
    const unsigned at = start + threadIdx.x;
    const unsigned here = at < cus ? Ref(roll[1 + at]).load(kRelaxed) : 0;
    place.members += sum_of_warp(at == cu ? here : 0);
    place.first += sum_of_warp(at < cu ? here : 0);
    place.blocks += sum_of_warp(here);
    place.rank += sum_of_warp(at < cu && here > 0);
    place.cus += sum_of_warp(here > 0);
  }
  return place;
}

// -- The data of a critical section ----------------------------------------------------------------------------------
//
// Each half-warp owns accesses + 1 lines of 64 bytes, of which each thread has a column. A visit moves each word a line
// down and puts a new one into line 1; line 0 is only read. Behind visit v, line n holds base + (v - n) * step and line
// 0 (accesses - 1) * step, so the words tell how many visits there were, and one value that was lost or old stays in
// the column for ever. All accesses are plain.

inline unsigned words_of_set(unsigned accesses) {
  return 2 * (accesses + 1) * kLineWords;
}
__host__ __device__ inline unsigned step_of(unsigned thread) {
  return 2 * thread + 1;
}
__host__ __device__ inline unsigned base_of(unsigned set, unsigned thread) {
  return (set * kThreads + thread + 1) * 2654435761u;
}
__host__ __device__ inline unsigned expected_word(unsigned set, unsigned thread, unsigned line, unsigned visits,
                                                  unsigned accesses) {
  const unsigned step = step_of(thread);
  return line == 0 ? (accesses - 1) * step : base_of(set, thread) + (visits - line) * step;
}

__device__ inline unsigned* column_in(unsigned* sets, unsigned set, unsigned accesses) {
  const unsigned lines = accesses + 1, half = threadIdx.x / kLineWords;
  return sets + ((2 * set + half) * lines) * kLineWords + threadIdx.x % kLineWords;
}

/// A visit: `accesses` loads and as many stores a thread. Returns what line accesses - 1 held.
__device__ inline unsigned visit_each(unsigned* column, unsigned accesses) {
  const unsigned oldest = column[(accesses - 1) * kLineWords];
  column[accesses * kLineWords] = oldest;
#pragma unroll 1
  for (unsigned line = accesses - 2; line > 0; --line) column[(line + 1) * kLineWords] = column[line * kLineWords];
  column[kLineWords] = oldest + everwarp::read_only(column);
  return oldest;
}

/// The same with a number that the compiler knows: addresses are offsets, and no load waits for another.
template <unsigned accesses>
__device__ inline unsigned visit_unrolled(unsigned* column) {
  unsigned words[accesses];
  words[0] = everwarp::read_only(column);
#pragma unroll
  for (unsigned line = 1; line < accesses; ++line) words[line] = column[line * kLineWords];
#pragma unroll
  for (unsigned line = 1; line < accesses; ++line) column[(line + 1) * kLineWords] = words[line];
  column[kLineWords] = words[accesses - 1] + words[0];
  return words[accesses - 1];
}

__device__ inline unsigned visit(unsigned* column, unsigned accesses) {
  return accesses == 10 ? visit_unrolled<10>(column) : visit_each(column, accesses);
}

/// `accesses` loads a thread. Not zero: the words are not those of one moment.
__device__ inline unsigned inspect_each(const unsigned* column, unsigned accesses) {
  const unsigned step = step_of(threadIdx.x);
  unsigned wrong = everwarp::read_only(column) ^ (accesses - 1) * step, last = column[kLineWords];
#pragma unroll 1
  for (unsigned line = 2; line < accesses; ++line) {
    const unsigned word = column[line * kLineWords];
    wrong |= (last - word) ^ step;
    last = word;
  }
  return wrong;
}
template <unsigned accesses>
__device__ inline unsigned inspect_unrolled(const unsigned* column) {
  const unsigned step = step_of(threadIdx.x);
  unsigned words[accesses];
  words[0] = everwarp::read_only(column);
#pragma unroll
  for (unsigned line = 1; line < accesses; ++line) words[line] = column[line * kLineWords];
  unsigned wrong = words[0] ^ (accesses - 1) * step;
#pragma unroll
  for (unsigned line = 2; line < accesses; ++line) wrong |= (words[line - 1] - words[line]) ^ step;
  return wrong;
}
__device__ inline unsigned inspect(const unsigned* column, unsigned accesses) {
  return accesses == 10 ? inspect_unrolled<10>(column) : inspect_each(column, accesses);
}

/// Sets of lines in device memory.
class Sets {
 public:
  Sets(unsigned count, unsigned accesses) : accesses_(accesses), words_(state(std::vector<unsigned>(count))) {}
  unsigned* device() const { return words_; }
  /// Each set has been visited so often, and ends the program when it has not.
  void check(const std::vector<unsigned>& visits, const char* variant) const {
    const std::vector<unsigned> want = state(visits), got = words_.download();
    for (size_t i = 0; i < want.size(); ++i) {
      if (got[i] == want[i]) continue;
      const size_t line = i / kLineWords;
      check::failed(__BASE_FILE__, "%s: set %zu, line %zu, word %zu should be %u after %u visits, is %u", variant,
                    line / (2 * (accesses_ + 1)), line % (accesses_ + 1), i % kLineWords, want[i],
                    visits[line / (2 * (accesses_ + 1))], got[i]);
    }
  }

 private:
  std::vector<unsigned> state(const std::vector<unsigned>& visits) const {
    std::vector<unsigned> words;
    for (unsigned set = 0; set < visits.size(); ++set)
      for (unsigned half = 0; half < 2; ++half)
        for (unsigned line = 0; line <= accesses_; ++line)
          for (unsigned word = 0; word < kLineWords; ++word)
            words.push_back(expected_word(set, half * kLineWords + word, line, visits[set], accesses_));
    return words;
  }

  unsigned accesses_;
  DeviceArray<unsigned> words_;
};

/// Of a counter that threads add to when they see what may not be.
inline void expect_none_wrong(const DeviceArray<unsigned>& wrong, const char* variant) {
  if (const unsigned seen = wrong.download()[0])
    check::failed(__BASE_FILE__, "%s: no thread should see words of another moment, %u did", variant, seen);
}

}  // namespace heterosync
