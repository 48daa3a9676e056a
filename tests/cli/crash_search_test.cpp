// Which two persists `ew crash --states model` blames for a failure, and which crash states it tries: small programs,
// each with a mistake that was blamed on something else, or was not found.
#include <gtest/gtest.h>

#include "crash_advice.hpp"

namespace ew::cli {

namespace {

class CrashSearch : public CrashAdvice {};

// One instruction stores the header and the data. The report said that no fence helps when the header was in lane 0.
TEST_F(CrashSearch, LanesOfOneStoreAreNotInOrder) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void put(unsigned* p) { p[threadIdx.x] = threadIdx.x + 1; }
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return p[0] && p[31] != 32;
  gpm_persist_begin();
  put<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto found = failure("wrong");
  EXPECT_EQ(found.value("class", ""), "missing order");
  expect_in(found.value("happened", ""), {"which the same instruction has stored for another lane"});
  EXPECT_EQ(found.value("advice", ""),
            "store 4 bytes at p.pool+0x0 by an instruction of its own, behind the others: gpm_persist() and a "
            "__syncthreads() first");
}

// A selector of two buffers is stored before the buffer. Between the last store of a round and the next selector lies
// one state that recovers, 260 persists behind the selector. The report blamed the buffer of the last round.
TEST_F(CrashSearch, AStateThatRecoversIsFoundBetweenTwoRounds) {
  build(R"(#include <everwarp/gpm.cuh>
constexpr unsigned lanes = 260;
struct Pool { unsigned selector, pad[31], buffer[2][lanes]; };
__global__ void step(Pool* p, unsigned round) {
  if (threadIdx.x == 0) p->selector = round;
  gpm_persist();
  __syncthreads();
  p->buffer[round & 1][threadIdx.x] = round;
  gpm_persist();
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  Pool* p = (Pool*)gpm_map("p.pool", sizeof(Pool), !recover);
  if (recover) {
    for (unsigned i = 0; p->selector && i < lanes; ++i)
      if (p->buffer[p->selector & 1][i] != p->selector) return 1;
    return 0;
  }
  gpm_persist_begin();
  for (unsigned round = 1; round <= 3; ++round) step<<<1, lanes>>>(p, round);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto found = failure("wrong");
  expect_in(found.value("not_durable", ""), {"of launch 1, step"});
  EXPECT_EQ(
      found.value("advice", ""),
      "wrong order: store p.cu:8 first, then p.cu:5, with gpm_persist() between them, and also a __syncthreads() if a "
      "thread's second store needs the first ones of others");
}

// Each round was acknowledged before its launch. The report named the last launch, with which nothing is missing any
// more.
TEST_F(CrashSearch, AnEarlyAcknowledgementIsOfItsOwnLaunch) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void step(unsigned* p, unsigned round) { *p = round; }
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return *p < gpm_acknowledged();
  gpm_persist_begin();
  for (unsigned round = 1; round <= 5; ++round) {
    gpm_acknowledge(round);
    step<<<1, 1>>>(p, round);
    cudaDeviceSynchronize();
  }
  gpm_persist_end();
})");
  expect_in(advice("wrong"), {"call gpm_acknowledge(1) behind launch 1 (step"});
}

// Two mistakes. A state of the second one was explained by the first.
TEST_F(CrashSearch, AStateIsExplainedByItsOwnMistake) {
  build(R"(#include <everwarp/gpm.cuh>
#include <cstdio>
__global__ void count(unsigned* p, unsigned i) { p[0] = i; gpm_persist(); }
__global__ void put(unsigned* p) {
  p[32] = 1;
  gpm_persist();
  p[64] = 7;
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover && p[32] && !p[64]) return puts("flag without data"), 1;
  if (recover) return p[0] == 2 ? puts("2 is forgotten"), 1 : 0;
  gpm_persist_begin();
  for (unsigned i = 1; i <= 3; ++i) count<<<1, 1>>>(p, i);
  put<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto found = failure("wrong", {"--state", "upto:4"});
  EXPECT_EQ(found.value("says", ""), "flag without data");
  expect_in(found.value("advice", ""),
            {"wrong order: store p.cu:7 first, then p.cu:5, with gpm_persist() between them"});
}

// Both lines store one word. "Store the second first" would leave the wrong value for ever.
TEST_F(CrashSearch, TwoStoresOfOneWordAreNotExchanged) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void put(unsigned* p) {
  *p = 9;
  gpm_persist();
  *p = 1;
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return *p == 9;
  gpm_persist_begin();
  put<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  EXPECT_EQ(advice("wrong"), "no fence helps: the recovery must cope with a crash between p.cu:3 and p.cu:5");
}

// The host has no lines, so all of its stores were one place, of which some were tried: mostly not these two.
TEST_F(CrashSearch, StoresBehindEachFlushOfTheHostAreTried) {
  build(R"(#include <everwarp/gpm.cuh>
constexpr unsigned words = 4000;
struct Pool { unsigned long long before[words], magic, version, behind[words]; };
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  Pool* p = (Pool*)gpm_map("p.pool", sizeof(Pool), !recover);
  if (recover) return p->magic && !p->version;
  for (unsigned i = 0; i < words; ++i) p->before[i] = i + 1;
  gpm_persist_range(p->before, sizeof p->before);
  p->version = p->magic = 1;
  gpm_persist_range(&p->magic, 16);
  for (unsigned i = 0; i < words; ++i) p->behind[i] = i + 1;
  gpm_persist_range(p->behind, sizeof p->behind);
  cudaDeviceSynchronize();
})");
  for (const char* seed : {"1", "2", "3"})
    expect_in(failure("wrong", {"--seed", seed}).value("durable", ""), {"8 bytes at p.pool+0x7d00"});
}

// Lanes that have waited for their persists, and then meet: what is stored behind is durable after them. Other lanes of
// the warp have not met them.
TEST_F(CrashSearch, LanesThatMeetKnowWhatEachHasWaitedFor) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void put(unsigned* p, bool all) {
  const unsigned half = threadIdx.x / 16;
  if (all || half == 0) p[32 + threadIdx.x] = 1;
  gpm_persist();
  __syncwarp(all ? ~0u : 0xffffu << 16 * half);
  if (threadIdx.x == 31) p[0] = 1;
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return p[0] && !p[32];
  gpm_persist_begin();
  put<<<1, 32>>>(p, *argv[1] == 'a');
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto report = told("all");
  EXPECT_EQ(report.status, 0) << report.output;
  expect_in(failure("halves").value("not_durable", ""), {"p.cu:4: 4 bytes at p.pool+0x80"});
}

TEST_F(CrashSearch, MsyncOfAPoolMakesItDurable) {
  build(R"(#include <everwarp/gpm.cuh>
#include <sys/mman.h>
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 8192, !recover);
  if (recover) return p[512] > p[0];
  char other[1];
  p[0] = 1;
  if (msync(p, 4096, *argv[1] == 's' ? MS_SYNC : MS_ASYNC) != 0) return 3;
  if (msync(other, 1, MS_SYNC) == 0) return 4;  // not the first byte of a page
  p[512] = 1;
  gpm_persist_range(p, 8192);
  cudaDeviceSynchronize();
})");
  const auto report = told("sync");
  EXPECT_EQ(report.status, 0) << report.output;
  expect_in(failure("async").value("durable", ""), {" bytes at p.pool+0x800"});
}

// A file that is no pool is not there when a state is recovered. Nothing said so.
TEST_F(CrashSearch, OtherFilesOfTheProgramAreNamed) {
  build(R"(#include <everwarp/gpm.cuh>
#include <cstdio>
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return 0;
  fclose(fopen("names", "w"));
  p[0] = 1;
  gpm_persist_range(p, 4);
  cudaDeviceSynchronize();
})");
  expect_in(told("files").output, {"the program has also made names, no pool"});
}

TEST_F(CrashSearch, TheCommandThatBringsAFailureBackHasItsTimeout) {
  build(R"(#include <everwarp/gpm.cuh>
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  const volatile unsigned* first = p;
  while (recover && first[0] == 0 && first[512]) continue;
  if (recover) return 0;
  p[0] = p[512] = 1;
  gpm_persist_range(p, 4096);
  cudaDeviceSynchronize();
})");
  expect_in(failure("hangs", {"--timeout", "1"}).value("again", ""), {" --timeout 1 "});
}

}  // namespace

}  // namespace ew::cli
