// The write tests of "Architectural Support for NVRAM Persistence in GPUs".
//
//   write_test [--writes N] [--repeats N] …
//     Figure 6: transactions that write N words of their own thread, in the order of the logs. What they persist in a
//     second without helpers (--mode strict) is where --threshold of the other programs should stand.
//   write_test --plain 1 [--repeats N] [--delay N] [--to-dram 1] [--total N]
//     Figure 9: each thread writes 16 bytes, N times, after a delay in cycles, to a pool or to device memory. --total:
//     threads of all blocks together.
//   write_test --limits 1.6,12 [--shapes N] …
//     Figure 10: for N random shapes (16 to 512 blocks of 16 to 512 threads), the delay at which device memory is
//     written with so many GB/s.
//
// Checked: every word.
#include "helper.h"

namespace {

constexpr unsigned kMagic = 0x31545257;

HELPER_KERNEL own_words(tx::Space space, unsigned writes, unsigned repeats) {
  tx::run(space, [&](tx::Thread& thread) {
    for (unsigned repeat = 0; repeat < repeats; ++repeat)
      tx::atomically(thread, [&](tx::Transaction& t) {
        for (unsigned i = 0; i < writes; ++i)
          t.store(space.at(helper::shape_words + thread.index() * writes + i), thread.index() * repeats + repeat + 1);
      });
  });
}

__global__ void plain(float4* out, unsigned repeats, unsigned delay) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, count = gridDim.x * blockDim.x;
  const float4 payload = {__uint_as_float(0xa0000000u | thread), 0, 0, 0};
  for (unsigned i = 0; i < repeats; ++i) {
    tx::wait_cycles(delay);
    out[thread + static_cast<size_t>(i) * count] = payload;
  }
}

int plain_writes(const helper::Arguments& arguments) {
  const unsigned threads = arguments["blocks"] * arguments["threads"], repeats = arguments["repeats"];
  const size_t bytes = sizeof(float4) * threads * repeats;
  const bool pool = arguments["to-dram"] == 0;
  float4* out = nullptr;
  if (pool)
    out = static_cast<float4*>(gpm_map(arguments.pool.c_str(), bytes, true));
  else if (cudaMalloc(&out, bytes) != cudaSuccess)
    out = nullptr;
  if (out == nullptr) return 2;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  gpm_persist_begin();
  cudaEventRecord(begin);
  plain<<<arguments["blocks"], arguments["threads"]>>>(out, repeats, arguments["delay"]);
  cudaEventRecord(end);
  float ms = 0;
  if (cudaDeviceSynchronize() != cudaSuccess || cudaEventElapsedTime(&ms, begin, end) != cudaSuccess) return 3;
  gpm_persist_end();
  std::vector<float4> words(static_cast<size_t>(threads) * repeats);
  if (cudaMemcpy(words.data(), out, bytes, cudaMemcpyDefault) != cudaSuccess) return 3;
  for (size_t i = 0; i < words.size(); ++i) {
    unsigned bits;
    memcpy(&bits, &words[i].x, 4);
    REQUIRE(bits == (0xa0000000u | i % threads), "element %zu is %#x, but should be %#zx", i, bits,
            0xa0000000u | i % threads);
  }
  printf("figure write_gbps %.6g\n", bytes / (1e6 * ms));
  printf("write_test plain: %zu bytes by %u threads in %.1f us: %.3f GB/s\n", bytes, threads, 1000 * ms,
         bytes / (1e6 * ms));
  if (pool && gpm_unmap(arguments.pool.c_str(), out, bytes) != 0) return 3;
  return check::passed(__BASE_FILE__, "every word is there");
}

/// Writes to device memory in one shape.
class Shape {
 public:
  Shape(unsigned blocks, unsigned threads, unsigned repeats) : blocks_(blocks), threads_(threads), repeats_(repeats) {
    if (cudaMalloc(&out_, bytes()) != cudaSuccess) exit(3);
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
  }
  Shape(const Shape&) = delete;
  ~Shape() { cudaFree(out_); }

  /// The delay between a thread's writes at which all together write `limit` GB/s; 0: they never write as much.
  /// The time rises in proportion to the delay as soon as the delay is what the threads wait for: so it is found
  /// in some steps.
  double delay_at(double limit, double cycles_per_ns) {
    const double least = ns(0), wanted = bytes() / limit;
    if (least >= wanted) return 0;
    double delay = (wanted - least) / repeats_ * cycles_per_ns;
    for (int step = 0; step < 4; ++step) {
      const double is = ns(static_cast<unsigned>(delay + 0.5));
      if (is > 0.99 * wanted && is < 1.01 * wanted) break;
      delay *= is > least ? (wanted - least) / (is - least) : 2;
    }
    return delay;
  }

 private:
  size_t bytes() const { return sizeof(float4) * blocks_ * threads_ * repeats_; }
  double ns(unsigned delay) {
    cudaEventRecord(begin_);
    plain<<<blocks_, threads_>>>(out_, repeats_, delay);
    cudaEventRecord(end_);
    float ms = 0;
    if (cudaDeviceSynchronize() != cudaSuccess || cudaEventElapsedTime(&ms, begin_, end_) != cudaSuccess) exit(3);
    return 1e6 * ms;
  }

  const unsigned blocks_, threads_, repeats_;
  float4* out_ = nullptr;
  cudaEvent_t begin_, end_;
};

/// Points that should lie on a straight line.
struct Fit {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  void add(double a, double b) {
    n += 1;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  double slope() const { return (n * xy - x * y) / (n * xx - x * x); }
  double offset() const { return (y - slope() * x) / n; }
};

int write_limits(helper::Arguments& arguments, const char* program) {
  std::vector<double> limits;
  for (const char* at = arguments.texts["limits"].c_str();; ++at) {
    char* end;
    limits.push_back(strtod(at, &end));
    if (end == at || (*end != 0 && *end != ',') || !(limits.back() > 0))
      arguments.refuse(program, "--limits should be GB/s, with commas between them");
    if (*(at = end) == 0) break;
  }
  int clock_khz = 0;
  cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
  Fit fit;
  for (double limit : limits) {
    std::vector<double> delays;
    double mean = 0;
    for (unsigned i = 0; i < arguments["shapes"]; ++i) {  // the same shapes for each limit
      Shape shape(16 + helper::mix(2 * i) % 497, 16 + helper::mix(2 * i + 1) % 497, arguments["repeats"]);
      delays.push_back(shape.delay_at(limit, 1e-6 * clock_khz));
      mean += delays.back() / arguments["shapes"];
    }
    std::sort(delays.begin(), delays.end());
    printf("write_test: %g GB/s: mean delay %.0f cycles, median %.0f\n", limit, mean, delays[delays.size() / 2]);
    for (unsigned percent = 10; percent <= 100; percent += 10)
      printf("figure latency_%u %.6g\n", percent, delays[(delays.size() * percent + 99) / 100 - 1]);
    if (mean > 0) fit.add(log10(limit), log10(mean));
  }
  if (fit.n > 1) printf("figure slope %.6g\nfigure offset %.6g\n", fit.slope(), fit.offset());
  return check::passed(__BASE_FILE__, "every limit has its delays");
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  for (const auto& [name, value] : std::map<std::string, unsigned>{
           {"writes", 2}, {"repeats", 16}, {"plain", 0}, {"to-dram", 0}, {"total", 0}, {"shapes", 12}})
    arguments.numbers[name] = value;
  arguments.texts["limits"] = "none";
  arguments.parse(argc, argv, {{"blocks", 2}, {"threads", 32}});
  if (arguments["total"] % arguments["threads"] != 0)
    arguments.refuse(argv[0], "--total should be a multiple of --threads");
  if (arguments["total"] != 0) arguments.numbers["blocks"] = arguments["total"] / arguments["threads"];
  const unsigned writes = arguments["writes"], repeats = arguments["repeats"];
  const unsigned threads = arguments["blocks"] * arguments["threads"];
  if (writes == 0 || writes > 254 || repeats == 0)
    arguments.refuse(argv[0], "--writes should be from 1 to 254, --repeats at least 1");
  if (arguments["shapes"] == 0) arguments.refuse(argv[0], "--shapes should be at least 1");
  if (arguments.texts["limits"] != "none") return write_limits(arguments, argv[0]);
  if (arguments["plain"] != 0) return plain_writes(arguments);
  helper::Run run(arguments, helper::shape_words + threads * writes, writes, writes);
  run.start({kMagic, {}, 0});
  run.launch("own_words", own_words, writes, repeats);
  const double bytes = 8.0 * (1 + writes) * threads * repeats;
  run.settle("write_test");
  for (unsigned i = 0; i < threads * writes; ++i)
    REQUIRE(*run.space.in_image(helper::shape_words + i) == (i / writes + 1) * repeats,
            "word %u is %u, but should be %u", i, *run.space.in_image(helper::shape_words + i),
            (i / writes + 1) * repeats);
  printf("write_test: %.0f bytes of log in %.1f us: %.1f MB/s\n", bytes, run.time_us(), bytes / run.time_us());
  REQUIRE(tx::close(run.space) == 0, "the space should be closed");
  return check::passed(__BASE_FILE__, "every word is there");
}
