// What `ew crash --states model --model gpm` says to programs of libGPM: small programs, each with one mistake, and the
// place and the call that the report names.
#include "crash_advice.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ew::cli {

using namespace process;

namespace {

// A block of 48 threads: its threads were numbered as if it had 64.
TEST_F(CrashAdvice, ThreadsAreNumberedAsCudaDoes) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void put(unsigned* p) {
  if (blockIdx.x == 1 && threadIdx.x == 5) {
    p[0] = 1;
    p[512] = 1;
  }
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return p[512] > p[0];
  gpm_persist_begin();
  put<<<2, 48>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto found = failure("wrong");
  expect_in(found.value("durable", ""), {"p.cu:5: ", "by thread 5 of block 1 of launch 1"});
  EXPECT_EQ(found.value("advice", ""), "insert gpm_persist() between p.cu:4 and p.cu:5");
}

// The report had one number of states with the state in which there is no pool, and one without it.
TEST_F(CrashAdvice, TheCountsOfStatesAgree) {
  build(R"(#include <everwarp/gpm.cuh>
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover) return 0;
  p[0] = 1, p[512] = 1;
  gpm_persist_range(p, 4096);
})");
  const Outcome report = told("both");
  EXPECT_EQ(report.status, 0) << report.output;
  expect_in(report.output, {"exhaustive: all 4 states that 2 persists allow; and the state before the program has made",
                            "5 different of 5 states recovered", "5 states, 5 recovered, 0 failed"});
}

// Half of a store of 16 bytes is durable. That was told as an order which is missing between two stores, or as a state
// of the run, by which half was which.
TEST_F(CrashAdvice, ATornStoreIsToldAsOne) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void append(ulonglong2* p, bool count_is_first) {
  *p = count_is_first ? make_ulonglong2(1, 7) : make_ulonglong2(7, 1);
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  ulonglong2* p = (ulonglong2*)gpm_map("p.pool", 4096, !recover);
  if (recover) return p->x == 1 ? p->y != 7 : p->y == 1 ? p->x != 7 : 0;
  gpm_persist_begin();
  append<<<1, 1>>>(p, *argv[1] == 'f');
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  for (const auto& [how, count, value] : {std::tuple("first", "0x0", "0x8"), std::tuple("last", "0x8", "0x0")}) {
    const auto found = failure(how);
    EXPECT_EQ(found.value("class", ""), "torn store") << how;
    const std::string there = fmt::format("8 bytes at p.pool+{}", count),
                      lost = fmt::format("8 bytes at p.pool+{}", value);
    expect_in(found.value("durable", ""), {there.c_str()});
    expect_in(found.value("not_durable", ""), {lost.c_str()});
    expect_in(found.value("happened", ""), {"p.cu:3 (thread 0 of launch 1) stores 16 bytes by one instruction"});
    EXPECT_EQ(found.value("advice", ""),
              fmt::format("store {} by an instruction of their own, behind the others, with gpm_persist() between the "
                          "two",
                          there));
  }
}

// What a recorded run wrote to its standard error was not shown when it was of no use.
TEST_F(CrashAdvice, AProgramsOutputIsShown) {
  build(R"(#include <everwarp/gpm.cuh>
#include <cstdio>
#include <unistd.h>
__global__ void spin(volatile unsigned* flag) { while (*flag == 0) {} }
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  fprintf(stderr, "on standard error\n");
  if (*argv[1] == 'n') return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (*argv[1] == 's') spin<<<1, 1>>>(p), cudaDeviceSynchronize();
  if (*argv[1] == 'e') _exit(0);
  if (*argv[1] == 'f') return 3;
  return recover && access("wrong", F_OK) == 0;
})");
  const struct {
    const char* how;
    std::initializer_list<const char*> says;
  } runs[] = {{"nothing", {"nothing under Everwarp", "The program said:\non standard error\n"}},
              {"exit", {"without its exit handlers (_exit", "exit()", "The program said:\non standard error\n"}},
              {"fails", {"it ended with status 3", "on standard error"}}};
  for (const auto& [how, says] : runs) {
    const Outcome outcome = told(how);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    expect_in(outcome.output, says);
  }
  const Outcome spun = told("spin");
  EXPECT_EQ(spun.status, 0) << spun.output;
  expect_in(spun.output, {"In the recorded run:\neverwarp: deadlock", "p.cu:4"});
}

// The host's orders were recovery bugs "between the host and the host", for which no fence helps; or a sentence without
// an end. p[0] is the flag, p[512] the data.
TEST_F(CrashAdvice, TheHostsOrdersNameItsCalls) {
  build(R"(#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
__global__ void data(unsigned* p) { p[512] = 1; }
__global__ void flag(unsigned* p) { p[0] = 1; }
void flush(unsigned* p) { gpm_persist_range(p, 4); }
int main(int, char** argv) {
  const char how = *argv[1];
  if (how == 'r' && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, how != 'r');
  if (how == 'r') return p[0] > p[512];
  unsigned* one;
  cudaMallocHost(&one, 4);
  *one = 1;
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  gpm_persist_begin();
  if (how == 'a') p[512] = 1, p[0] = 1, gpm_persist_range(p, 4096);
  if (how == 'b') p[0] = 1, flush(p), p[512] = 1, flush(p + 512);
  if (how == 'c') p[0] = 1, flush(p), data<<<1, 1>>>(p);
  if (how == 'd') data<<<1, 1>>>(p), p[0] = 1, flush(p);
  if (how == 'e') {
    host_copy(p + 512, one, 4, 1, a), host_persist(p + 512, 4, 1, a);
    host_copy(p, one, 4, 1, b), host_persist(p, 4, 1, b);
  }
  if (how == 'f') {
    cudaMemcpy(p + 512, one, 4, cudaMemcpyDefault);
    p[0] = 1, flush(p), flush(p + 512);
  }
  if (how == 'g') p[512] = 1, flag<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto a = failure("a");
  EXPECT_EQ(a.value("class", ""), "missing order");
  expect_in(a.value("durable", ""),
            {"the host: 8 bytes at p.pool+0x0", "before its gpm_persist_range() on 4096 bytes at p.pool+0x0"});
  EXPECT_EQ(a.value("advice", ""),
            "let the host store 8 bytes at p.pool+0x800 first, and make that durable "
            "(gpm_persist_range); only then let it store 8 bytes at p.pool+0x0");
  EXPECT_EQ(advice("b"),
            "wrong order: let the host store 8 bytes at p.pool+0x800 first, and make that durable "
            "(gpm_persist_range), before it stores 8 bytes at p.pool+0x0");
  EXPECT_EQ(advice("c"),
            "wrong order: let launch 1 (data(unsigned int*)) store p.cu:3 first; once the host has waited "
            "for it, let the host store 8 bytes at p.pool+0x0");
  const auto d = failure("d");
  EXPECT_EQ(d.value("class", ""), "missing order");
  EXPECT_EQ(d.value("advice", ""),
            "let the host wait for launch 1 (data(unsigned int*)) (cudaStreamSynchronize, "
            "cudaDeviceSynchronize) before it stores 8 bytes at p.pool+0x0");
  const auto e = failure("e");
  expect_in(e.value("not_durable", ""), {"copy 1 to a pool"});
  EXPECT_EQ(e.value("advice", ""),
            "let the host wait for its host_persist() on 4 bytes at p.pool+0x800 "
            "(cudaStreamSynchronize of its stream) before it copies 4 bytes at p.pool+0x0");
  EXPECT_EQ(advice("f"),
            "let the host call gpm_persist_range(), or host_persist() behind the copy, on 4 bytes at "
            "p.pool+0x800 before it stores 8 bytes at p.pool+0x0: its gpm_persist_range() on 4 bytes at "
            "p.pool+0x800 comes too late");
  EXPECT_EQ(advice("g"),
            "let the host call gpm_persist_range() on 8 bytes at p.pool+0x800 before launch 1 "
            "(flag(unsigned int*))");
}

// Two kernels at the same time were to be put into one stream, where the first would wait for ever. In one kernel the
// advice was that of SBRP (pRel, pAcq).
TEST_F(CrashAdvice, AFenceStandsInFrontOfTheFlagOrTheBarrier) {
  build(R"(#include <everwarp/gpm.cuh>
#include <cooperative_groups.h>
__global__ void producer(unsigned* p, volatile unsigned* flag, bool fence) {
  p[0] = 1;
  if (fence) gpm_persist();
  __threadfence();
  *flag = 1;
}
__global__ void consumer(unsigned* p, volatile unsigned* flag) {
  while (*flag == 0) {}
  p[512] = 1;
}
__global__ void blocks(unsigned* p) {
  if (blockIdx.x == 0 && threadIdx.x == 1) p[0] = 1;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 1 && threadIdx.x == 2) p[512] = 1;
}
__global__ void block(unsigned* p) {
  if (threadIdx.x == 1) p[0] = 1;
  __syncthreads();
  if (threadIdx.x == 40) p[512] = 1;
}
__global__ void apart(unsigned* p) {
  if (threadIdx.x == 1) p[0] = 1;
  if (threadIdx.x == 40) p[512] = 1, p[513] = 2;
}
int main(int, char** argv) {
  const char how = *argv[1];
  if (how == 'r' && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, how != 'r');
  if (how == 'r') return p[512] > p[0];
  unsigned* flag;
  cudaMalloc(&flag, 4);
  cudaMemset(flag, 0, 4);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  gpm_persist_begin();
  if (how == 's' || how == 'f') consumer<<<1, 1, 0, a>>>(p, flag), producer<<<1, 1, 0, b>>>(p, flag, how == 'f');
  void* arguments[] = {&p};
  if (how == 'g') cudaLaunchCooperativeKernel((void*)blocks, dim3(2), dim3(48), arguments, 0, 0);
  if (how == 'b') block<<<1, 64>>>(p);
  if (how == 'n') apart<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  EXPECT_EQ(told("fence").status, 0);
  EXPECT_EQ(advice("streams"),
            "insert gpm_persist() between p.cu:4 and the flag at p.cu:7, for which "
            "launch 1 (consumer(unsigned int*, unsigned int volatile*)) waits");
  expect_in(advice("grid"), {"insert gpm_persist() between p.cu:14 and the barrier at p.cu:1",
                             "(in group.cuh:", ", behind which thread 2 of block 1 stores"});
  EXPECT_EQ(advice("block"),
            "insert gpm_persist() between p.cu:19 and the barrier at p.cu:20, behind which thread 40 stores");
  EXPECT_EQ(advice("none"),
            "insert gpm_persist() behind p.cu:24, and let thread 40 wait behind it, before p.cu:25: put "
            "a __syncthreads() between the two");
}

// Was a recovery that "had changed nothing yet".
TEST_F(CrashAdvice, ARecoveryThatForgetsItsRegionIsTold) {
  build(R"(#include <everwarp/gpm.cuh>
__global__ void put(unsigned* p, unsigned value) { *p = value, gpm_persist(); }
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return gpm_acknowledged() != 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 4096, !recover);
  if (recover && p[0] < gpm_acknowledged()) return 1;
  if (!recover) gpm_persist_begin();
  for (unsigned value = p[0] + 1, last = p[0] + 2; value <= last; ++value) {
    put<<<1, 1>>>(p, value);
    cudaDeviceSynchronize();
    gpm_acknowledge(value);
  }
  if (!recover) gpm_persist_end();
})");
  EXPECT_EQ(told("once").status, 0);
  const auto found = failure("twice", {"--nested", "2"});
  EXPECT_EQ(found.value("class", ""), "early acknowledgement");
  expect_in(found.value("advice", ""), {"in the recovery, call gpm_persist_begin() before launch 1 (put("});
}

// Kernels of GPM-NDP persist nothing. The first cure was gpm_persist_begin(), also where the host forgets one line.
TEST_F(CrashAdvice, WhereTheHostFlushesForKernelsAFlushIsTheCure) {
  build(R"(#include <everwarp/gpm.cuh>
#include <everwarp/host.cuh>
__global__ void step(unsigned* p, unsigned value) { p[32 * threadIdx.x] = value; }
int main(int, char** argv) {
  const char how = *argv[1];
  if (how == 'r' && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 8192, how != 'r');
  for (int i = 0; how == 'r' && i < 32; ++i)
    if (p[32 * i] < p[1024]) return 1;
  if (how == 'r') return 0;
  for (unsigned value = 1; value <= 2; ++value) {
    step<<<1, 32>>>(p, value);
    if (how != 'n') host_persist(p, how == 's' ? 3968 : 4096, 1);
    cudaDeviceSynchronize();
    p[1024] = value;
    gpm_persist_range(p + 1024, 4);
  }
})");
  EXPECT_EQ(told("good", {"--count", "100"}).status, 0);
  EXPECT_EQ(advice("short", {"--count", "100"}),
            "let the host flush 4 bytes at p.pool+0xf80 (host_persist, gpm_persist_range) before it "
            "stores 8 bytes at p.pool+0x1000: no flush covers these bytes; or call gpm_persist_begin() "
            "before launch 1 (step(unsigned int*, unsigned int))");
  expect_in(advice("none", {"--count", "100"}),
            {"call gpm_persist_begin() before launch ", "; or let the host flush 4 bytes at "});
}

// A log's head in front of its entry: both sides of the pair were "p.cu:5".
TEST_F(CrashAdvice, TwoStoresOfOneLineAreTold) {
  build(R"(#include <everwarp/gpm.cuh>
struct Log { unsigned head[32], entry[32]; };
__global__ void insert(Log* log) {
  for (int i = 0; i < 2; ++i)
    (i == 0 ? log->head : log->entry)[threadIdx.x] = 1, gpm_persist();
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  Log* log = (Log*)gpm_map("p.pool", sizeof(Log), !recover);
  for (int i = 0; recover && i < 32; ++i)
    if (log->head[i] > log->entry[i]) return 1;
  if (recover) return 0;
  gpm_persist_begin();
  insert<<<1, 32>>>(log);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  const auto found = failure("wrong");
  EXPECT_EQ(found.value("advice", ""),
            "no fence helps: the recovery must cope with a crash between p.cu:5 (thread 0, 4 "
            "bytes at p.pool+0x0) and p.cu:5 (thread 31, 4 bytes at p.pool+0xfc)");
  expect_in(found.value("happened", ""),
            {"p.cu:5 (thread 0 of launch 1, 4 bytes at p.pool+0x0) is durable before p.cu:5 "
             "(thread 31 of launch 1, 4 bytes at p.pool+0xfc) is stored"});
}

// The output was that of another state: its first wrong word was not that of the pair that the report named. Now the
// state lacks the one store that is named, and its own output is shown.
TEST_F(CrashAdvice, ThePairAloneExplainsTheFailure) {
  build(R"(#include <everwarp/gpm.cuh>
#include <cstdio>
__global__ void put(unsigned* p) {
  p[32 * threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) p[1024] = 1;
}
int main(int, char** argv) {
  const bool recover = *argv[1] == 'r';
  if (recover && gpm_size("p.pool") == 0) return 0;
  unsigned* p = (unsigned*)gpm_map("p.pool", 8192, !recover);
  for (unsigned i = 0; recover && i < 32; ++i)
    if (p[32 * i] < p[1024]) return printf("word at 0x%x\n", 128 * i), 1;
  if (recover) return 0;
  gpm_persist_begin();
  put<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  gpm_persist_end();
})");
  // The smallest state with the last store alone: 32 words are missing.
  const auto found = failure("wrong", {"--state", "with:32"});
  const std::string says = found.value("says", ""), missing = found.value("not_durable", "");
  expect_in(missing, {"4 bytes at p.pool+0xf80"});
  EXPECT_EQ(says, "word at 0xf80");
  EXPECT_EQ(found.value("state", ""), "upto:33,without:31");
  const Outcome again = told("wrong", {"--state", "upto:33,without:31"});
  EXPECT_EQ(again.status, 1);
  expect_in(again.output, {"word at 0xf80"});
}

}  // namespace
}  // namespace ew::cli
