// A completion may be seen before its data ("BaM", section 4.4): on a machine with storage.overtaking, a cache that
// does not confirm its reads gives old bytes; one that does gives none, with a second command for many reads together,
// or for each.
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
    cudaMallocManaged(&wrong, 12);
    const char* const names[] = {"as they come", "confirmed together", "confirmed each"};
    for (const bam::confirms confirms : {bam::confirms::none, bam::confirms::shared, bam::confirms::each}) {
      const int index = static_cast<int>(confirms);
      bam::cache_config config = setup::config(given, n * 8);
      config.confirms = confirms;
      bam::cache cache(drives.all(), config);
      bam::array<word> array(cache, 0, n);
      array.upload(values.data());
      cache.reset_statistics();
      wrong[index] = 0;
      const float milliseconds = setup::timed("compare", [&] { compare<<<4, 128>>>(array.view(), wrong + index); });
      cache.must();
      setup::print(names[index], cache, milliseconds);
      const bam::cache_statistics s = cache.statistics();
      printf("%u elements were old, %llu commands confirmed %llu reads\n", wrong[index],
             static_cast<word>(s.confirmations), static_cast<word>(s.reads));
      if (confirms == bam::confirms::shared && (s.confirmations == 0 || s.confirmations >= s.reads))
        return "confirmations: expected fewer than reads, found " + std::to_string(s.confirmations);
      if (confirms == bam::confirms::each && s.confirmations != s.reads)
        return "confirmations: expected as many as reads, found " + std::to_string(s.confirmations);
    }
    if (wrong[0] == 0)
      return "without confirmation: expected old bytes, found none (has the machine storage.overtaking?)";
    const unsigned old = wrong[1] + wrong[2];
    return old ? "old bytes of confirmed reads: " + std::to_string(old) : "";
  });
}
