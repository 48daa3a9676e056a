// c = a + b, with the three vectors of 8-byte elements on drives ("BaM", section 5): reads and write-backs under way
// together.
//
// machine: --set storage.drives=1
//
//   vectoradd [elements=N] [threads=N] [prefetch=LINES] [line=BYTES] [slots=N] [drives=N] [replicated=1] …
#include "setup.h"

namespace {

using word = unsigned long long;

__global__ void add(bam::array_view<word> a, bam::array_view<word> b, bam::array_view<word> c, word ahead) {
  const word threads = word{gridDim.x} * blockDim.x;
  for (word i = word{blockIdx.x} * blockDim.x + threadIdx.x; i < c.size(); i += threads) {
    if (ahead && i + ahead < c.size() && i % 64 == 0) a.prefetch(i + ahead), b.prefetch(i + ahead);
    c[i] = a[i] + b[i];
  }
}

}  // namespace

int main(int argc, char** argv) {
  return setup::run("vectoradd", [&]() -> std::string {
    const setup::options given(setup::with_cache({{"elements", 4096, "of each vector"},
                                                  {"threads", 512, "of the kernel"},
                                                  {"prefetch", 0, "elements ahead that are asked for; 0: none"}},
                                                 4096, 16),
                               argc, argv);
    const setup::drives drives(given);
    const word n = given["elements"], line = given["line"], bytes = (n * 8 + line - 1) / line * line;
    bam::cache cache(drives.all(), setup::config(given, 3 * bytes));
    bam::array<word> a(cache, 0, n), b(cache, bytes, n), c(cache, 2 * bytes, n);
    std::vector<word> one(n), two(n), sum(n);
    for (word i = 0; i < n; ++i) one[i] = setup::mix(i), two[i] = setup::mix(i + n);
    a.upload(one.data()), b.upload(two.data());
    cache.drop(), cache.reset_statistics();
    const unsigned threads = static_cast<unsigned>(given["threads"]), block = threads < 128 ? threads : 128;
    const float milliseconds =
        setup::timed([&] { add<<<threads / block, block>>>(a.view(), b.view(), c.view(), given["prefetch"]); });
    cache.flush();
    cache.must();
    setup::print("vectoradd", cache, milliseconds);
    c.download(sum.data());
    for (word i = 0; i < n; ++i)
      if (sum[i] != one[i] + two[i])
        return "element " + std::to_string(i) + ": expected " + std::to_string(one[i] + two[i]) + ", found " +
               std::to_string(sum[i]);
    return "";
  });
}
