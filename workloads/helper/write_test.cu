// Two write tests of "Architectural Support for NVRAM Persistence in GPUs".
//
//   write_test [--writes N] [--repeats N] …            figure 6: transactions that write N words of their own thread,
//   in the order
//                                                      of the logs. Its persist bandwidth without helpers (--mode
//                                                      strict) is where --threshold of the other programs should stand.
//   write_test --plain 1 [--repeats N] [--delay N] …   figure 9: each thread writes 16 bytes, N times, after a delay in
//   cycles;
//              [--to-dram 1]                           to a pool, or to device memory
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
  printf("write_test plain: %zu bytes by %u threads in %.1f us: %.3f GB/s\n", bytes, threads, 1000 * ms,
         bytes / (1e6 * ms));
  if (pool && gpm_unmap(arguments.pool.c_str(), out, bytes) != 0) return 3;
  return check::passed(__BASE_FILE__, "every word is there");
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  for (const auto& [name, value] :
       std::map<std::string, unsigned>{{"writes", 2}, {"repeats", 16}, {"plain", 0}, {"to-dram", 0}})
    arguments.numbers[name] = value;
  arguments.parse(argc, argv, {});
  const unsigned writes = arguments["writes"], repeats = arguments["repeats"];
  const unsigned threads = arguments["blocks"] * arguments["threads"];
  if (writes == 0 || writes > 254 || repeats == 0)
    arguments.refuse(argv[0], "--writes should be from 1 to 254, --repeats at least 1");
  if (arguments["plain"] != 0) return plain_writes(arguments);
  helper::Run run(arguments, helper::shape_words + threads * writes, writes, writes);
  run.start({kMagic, {}, 0});
  run.launch(own_words, writes, repeats);
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
