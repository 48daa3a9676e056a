// Figure 2 of the paper to the letter: a transaction looks at its status, then writes back. Another may take a record
// in between. So updates are lost: this program counts them, and passes when there are some. <everwarp/tx.cuh> makes
// one step of the look and the begin of the write-back; the same work loses nothing there.
//
//   figure2 [--counters N] [--each N] [--blocks N] [--threads N]
#include "helper.h"

namespace {

struct Letter {
  unsigned long long* records;  // thread + 1, attempt; 0: empty
  unsigned* aborted;            // one a thread: the attempt that another has told to abort
  unsigned* words;
};

__device__ unsigned of(unsigned k, unsigned thread, unsigned counters) {
  return helper::mix(thread * 7919 + k) % counters;
}

__device__ bool take(const Letter& stm, unsigned at, unsigned thread, unsigned attempt) {  // lines 1 to 18
  const unsigned long long self = (thread + 1ull) << 32 | attempt;
  unsigned long long held = tx::look(stm.records + at);
  if (held == self) return true;
  if (held != 0 && static_cast<unsigned>(held >> 32) - 1 < thread) return false;
  if (atomicCAS(stm.records + at, held, self) != held) return false;
  if (held != 0) atomicExch(stm.aborted + (held >> 32) - 1, static_cast<unsigned>(held));
  __threadfence();
  return true;
}

__global__ void to_the_letter(Letter stm, unsigned counters, unsigned each) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned attempt = 0;
  for (unsigned k = 0; k < each; ++k) {
    const unsigned word = of(k, thread, counters);
    for (bool done = false; !done;) {
      ++attempt;
      if (take(stm, word, thread, attempt)) {
        const unsigned value = tx::look(stm.words + word) + 1;
        if (tx::look(stm.aborted + thread) != attempt) {  // line 20
          tx::wait_ns(100);                               // the log is persisted, line 21
          tx::put(stm.words + word, value);
          done = true;
        }
        __threadfence();
        atomicCAS(stm.records + word, (thread + 1ull) << 32 | attempt, 0ull);
      }
      if (!done) tx::wait_ns(helper::mix(thread * 31 + attempt) % 2000);
    }
  }
}

__global__ void by_the_library(tx::Space space, unsigned counters, unsigned each) {
  tx::run(space, [&](tx::Thread& thread) {
    for (unsigned k = 0; k < each; ++k)
      tx::atomically(thread, [&](tx::Transaction& t) {
        unsigned* const word = space.at(of(k, thread.index(), counters));
        t.store(word, t.load(word) + 1);
      });
  });
}

template <class T>
T* zeros(size_t count) {
  T* memory = nullptr;
  if (cudaMalloc(&memory, count * sizeof(T)) != cudaSuccess || cudaMemset(memory, 0, count * sizeof(T)) != cudaSuccess)
    exit(3);
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  arguments.mode = "memory";
  arguments.numbers["counters"] = 16;
  arguments.numbers["each"] = 8;
  arguments.parse(argc, argv, {});
  const unsigned counters = arguments["counters"], each = arguments["each"],
                 threads = arguments["blocks"] * arguments["threads"];
  if (counters == 0) arguments.refuse(argv[0], "--counters should be at least 1");
  const Letter stm{zeros<unsigned long long>(counters), zeros<unsigned>(threads), zeros<unsigned>(counters)};
  to_the_letter<<<arguments["blocks"], arguments["threads"]>>>(stm, counters, each);
  std::vector<unsigned> words(counters);
  if (cudaMemcpy(words.data(), stm.words, 4 * counters, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  unsigned kept = 0;
  for (unsigned word : words) kept += word;

  helper::Run run(arguments, counters, 1, 1);
  tx::start(run.space);
  run.launch("by_the_library", by_the_library, counters, each);
  run.settle("figure2");
  unsigned sum = 0;
  for (unsigned i = 0; i < counters; ++i) sum += *run.space.in_image(i);
  REQUIRE(sum == threads * each, "the library has lost %d of %u additions", int(threads * each - sum), threads * each);
  REQUIRE(kept < threads * each, "figure 2 to the letter should lose updates, but kept all %u", kept);
  REQUIRE(tx::close(run.space) == 0, "the space should be closed");
  return check::passed(__BASE_FILE__, "figure 2 to the letter loses %u of %u updates, the library none",
                       threads * each - kept, threads * each);
}
