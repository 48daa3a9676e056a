// The host reads and writes drives in the order of streams (<everwarp/storage_host.cuh>): every byte of calls of many
// sizes, to the host's memory and the GPU's; what calls cost; failures; completions that are lost. Once in functional
// mode and, as a child, once on a timing machine, whatever the environment says.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <everwarp/storage.cuh>
#include <string>

#include "elapsed.h"

namespace {

int failures = 0;

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("FAIL: %s\n", what);
  ++failures;
}
void expect(const char* what, double found, double least, double most) {
  std::printf("%-50s %6.2f us\n", what, found);
  if (found >= least && found <= most) return;
  std::printf("FAIL: %s: %g us, expected %g to %g\n", what, found, least, most);
  ++failures;
}

template <class F>
std::string refusal(F what) {
  try {
    what();
  } catch (const std::exception& mistake) {
    return mistake.what();
  }
  return "";
}

constexpr size_t most = 3 << 20;

void moves(bam::host_queue& queue, char* host, char* device) {
  for (size_t i = 0; i < most; ++i) host[i] = static_cast<char>(i * 7 + i / 4096);
  static char back[most];
  const struct {
    size_t bytes, block, skip;
  } calls[] = {{512, 0, 0},      {4096, 8, 4},         {8192, 16, 2048},   {12288, 100, 0},
               {131072, 200, 4}, {1048576, 1000, 512}, {2097152, 4000, 64}};
  for (const auto& call : calls) {
    queue.write(call.block, call.bytes, host + call.skip);
    queue.read(call.block, call.bytes, device + call.skip);
    cudaMemcpy(back, device + call.skip, call.bytes, cudaMemcpyDeviceToHost);
    expect(memcmp(back, host + call.skip, call.bytes) == 0, "bytes that went to a drive and to the GPU");
  }
  memset(host, 0, 4096);
  queue.read(8, 4096, host);
  queue.must();
  expect(host[1] == static_cast<char>(5 * 7), "bytes that came to the host's memory");
  // More calls than the ring has entries, by four threads at once.
  cudaStream_t threads[4];
  for (cudaStream_t& thread : threads) cudaStreamCreateWithFlags(&thread, cudaStreamNonBlocking);
  for (size_t i = 0; i < 64; ++i) queue.read(4000 + i, 512, device + i * 512, threads[i % 4]);
  queue.must();
  cudaMemcpy(back, device, 64 * 512, cudaMemcpyDeviceToHost);
  bool same = true;
  for (size_t i = 0; i < 64 * 512; ++i) same = same && back[i] == static_cast<char>((i + 64) * 7 + (i + 64) / 4096);
  expect(same, "many calls at once");
  for (const cudaStream_t thread : threads) cudaStreamDestroy(thread);
}

void costs(bam::host_queue& queue, char* device) {
  cudaStream_t one, other;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  // 2 x 1.9 us of a core, 6 us of the medium, links and looks.
  const double single = microseconds(one, [&] { queue.read(0, 4096, device, one); });
  expect("a call of 4 KiB", single, 9.8, 12.5);
  expect("two of one thread",
         microseconds(one,
                      [&] {
                        queue.read(0, 4096, device, one);
                        queue.read(8, 4096, device, one);
                      }),
         2 * single - 0.5, 2 * single + 0.5);
  cudaEvent_t ended;
  cudaEventCreate(&ended);
  expect("two of two threads",
         microseconds(one,
                      [&] {
                        queue.read(0, 4096, device, one);
                        queue.read(8, 4096, device + 4096, other);
                        cudaEventRecord(ended, other);
                        cudaStreamWaitEvent(one, ended, 0);
                      }),
         single, single + 1.5);
}

int run(bool timing) {
  bam::controller drive(0), bad(1);
  void *host = nullptr, *device = nullptr;
  cudaMallocHost(&host, most), cudaMalloc(&device, most);
  {
    bam::host_queue queue(drive, 16);
    moves(queue, static_cast<char*>(host), static_cast<char*>(device));
    if (timing) costs(queue, static_cast<char*>(device));
    expect(refusal([&] { queue.read(0, 100, device); }).find("expected whole blocks of 512") != std::string::npos,
           "a call of a part of a block is refused");
    queue.read(drive.what().blocks, 512, device);
    expect(refusal([&] { queue.must(); }).find("the first ended with status 0/80h") != std::string::npos,
           "a block past the end: LBA out of range");
    queue.read(0, 512, device);
    expect(refusal([&] { queue.must(); }).empty(), "behind a failure that was told: a call that is well");
  }
  bam::host_queue lossy(bad, 16);
  lossy.read(0, 512, device);
  lossy.read(1, 512, device);
  expect(refusal([&] {
           lossy.must();
         }).find("1 commands of the host have failed; the first ended with status 255/ffh") != std::string::npos,
         "a completion that is lost");
  std::printf(failures ? "FAIL\n" : "PASS\n");
  return failures != 0;
}

}  // namespace

int main(int argc, char**) {
  const bool timing = argc > 1;
  setenv("EVERWARP_MACHINE", timing ? "a100-80gb" : "default", 1);
  setenv("EVERWARP_SET", "storage.drives=2;storage.size=64MiB;storage.1.fault=lost-completion:lba=0:times=1", 1);
  if (!timing) {
    const pid_t child = fork();
    if (child == 0) execl("/proc/self/exe", "host_drives", "timing", nullptr);
    int status = 0;
    if (waitpid(child, &status, 0) < 0 || status != 0) return 1;
  }
  return run(timing);
}
