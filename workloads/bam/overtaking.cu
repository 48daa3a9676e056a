// A completion may be seen before its data ("BaM", section 4.4): on a machine with storage.overtaking, a cache that
// does not confirm its reads gives old bytes; one that does gives none, with a second command for many reads together.
//
// machine: --machine titan-rtx --set storage.drives=1 --set storage.model=980pro --set storage.overtaking=20000
#include "setup.h"

namespace {

using word = unsigned long long;

__global__ void compare(bam::array_view<word> a, unsigned* wrong) {
  for (word i = word{blockIdx.x} * blockDim.x + threadIdx.x; i < a.size(); i += word{gridDim.x} * blockDim.x)
    if (static_cast<word>(a[i]) != setup::mix(i)) atomicAdd(wrong, 1u);
}

}  // namespace

int main(int argc, char** argv) {
  return setup::run("overtaking", [&]() -> std::string {
    const setup::options given(setup::with_cache({{"lines", 64, "that are read"}}, 512, 32), argc, argv);
    const setup::drives drives(given);
    const word n = given["lines"] * given["line"] / 8;
    std::vector<word> values(n);
    for (word i = 0; i < n; ++i) values[i] = setup::mix(i);
    unsigned* wrong = nullptr;
    cudaMallocManaged(&wrong, 8);
    for (const bool confirms : {false, true}) {
      bam::cache_config config = setup::config(given, n * 8);
      config.confirms = confirms;
      bam::cache cache(drives.all(), config);
      bam::array<word> array(cache, 0, n);
      array.upload(values.data());
      cache.reset_statistics();
      wrong[confirms] = 0;
      const float milliseconds = setup::timed("compare", [&] { compare<<<4, 128>>>(array.view(), wrong + confirms); });
      cache.must();
      setup::print(confirms ? "confirmed" : "as they come", cache, milliseconds);
      const bam::cache_statistics s = cache.statistics();
      printf("%u elements were old, %llu commands confirmed %llu reads\n", wrong[confirms],
             static_cast<word>(s.confirmations), static_cast<word>(s.reads));
      if (confirms && (s.confirmations == 0 || s.confirmations >= s.reads))
        return "confirmations: expected fewer than reads, found " + std::to_string(s.confirmations);
    }
    if (wrong[0] == 0)
      return "without confirmation: expected old bytes, found none (has the machine storage.overtaking?)";
    return wrong[1] ? "old bytes of confirmed reads: " + std::to_string(wrong[1]) : "";
  });
}
