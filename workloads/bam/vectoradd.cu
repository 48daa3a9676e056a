// c = a + b, with the three vectors of 8-byte elements on drives ("BaM", sections 5 and 5.4): reads and write-backs
// under way together; or, with --system tiling, by tiles: the host loads a tile into the GPU's memory while the tile
// before is written back.
//
// machine: --set storage.drives=1
//
//   vectoradd [--system NAME] [elements=N] [threads=N] [tiles=N] [prefetch=LINES] [line=BYTES] [slots=N] [drives=N] …
//
// Systems: bam, tiling (systems.h).
#include "host_io.h"
#include "systems.h"

namespace {

using word = unsigned long long;

__device__ void ask(const bam::array_view<word>& a, word i) {
  a.prefetch(i);
}
__device__ void ask(const word*, word) {}

/// `a`, `b`, `c`: arrays of drives, or plain memory.
template <class In, class Out>
__global__ void add(In a, In b, Out c, word count, word ahead) {
  const word threads = word{gridDim.x} * blockDim.x;
  for (word i = word{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += threads) {
    if (ahead && i + ahead < count && i % 64 == 0) ask(a, i + ahead), ask(b, i + ahead);
    c[i] = a[i] + b[i];
  }
}

struct vectors {
  std::vector<word> a, b, c;
  explicit vectors(word n) : a(n), b(n), c(n) {
    for (word i = 0; i < n; ++i) a[i] = setup::mix(i), b[i] = setup::mix(i + n);
  }
  std::string wrong() const {
    for (word i = 0; i < a.size(); ++i)
      if (c[i] != a[i] + b[i])
        return "element " + std::to_string(i) + ": expected " + std::to_string(a[i] + b[i]) + ", found " +
               std::to_string(c[i]);
    return "";
  }
};

std::string by_bam(const setup::options& given, unsigned blocks, unsigned block) {
  const setup::drives drives(given);
  const word n = given["elements"], line = given["line"], bytes = (n * 8 + line - 1) / line * line;
  bam::cache cache(drives.all(), setup::config(given, 3 * bytes));
  bam::array<word> a(cache, 0, n), b(cache, bytes, n), c(cache, 2 * bytes, n);
  vectors v(n);
  a.upload(v.a.data()), b.upload(v.b.data());
  cache.drop(), cache.reset_statistics();
  const float milliseconds = setup::timed("add", [&] {
    add<<<blocks, block>>>(a.view(), b.view(), c.view(), n, given["prefetch"]);
    cache.flush();
  });
  cache.must();
  setup::print("vectoradd", cache, milliseconds);
  setup::print_registers(add<bam::array_view<word>, bam::array_view<word>>, add<const word*, word*>);
  c.download(v.c.data());
  return v.wrong();
}

/// Two sets of buffers: a tile is loaded into one while the other is computed and written back.
std::string by_tiles(const setup::options& given, unsigned blocks, unsigned block) {
  const setup::drives drives(given);
  const unsigned threads = static_cast<unsigned>(given["io_threads"]);
  setup::host_io loads(drives.all(), given["io"], threads), stores(drives.all(), given["io"], threads);
  const word n = given["elements"], tiles = given["tiles"];
  if (tiles == 0) return "tiles should be 1 or more";
  const word tile = loads.whole((n + tiles - 1) / tiles * 8), vector = tile * tiles;  // bytes
  vectors v(n);
  using bytes = setup::memory_of<char>;
  const bytes host(bytes::at::host, 3 * vector);
  memcpy(host.get(), v.a.data(), n * 8), memcpy(host.get() + vector, v.b.data(), n * 8);
  loads.write(0, 2 * vector, host.get());
  loads.must();
  const bytes device(bytes::at::device, 6 * tile);
  cudaStream_t kernels;
  cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking);
  const float milliseconds = setup::timed("add", [&] {
    loads.after(0);
    for (word t = 0; t < tiles; ++t) {
      char* const set = device.get() + t % 2 * 3 * tile;
      loads.read(t * tile, tile, set);
      loads.read(vector + t * tile, tile, set + tile);
      loads.before(kernels);
      if (t >= 2) stores.before(kernels);  // the set's last results have left
      add<<<blocks, block, 0, kernels>>>(reinterpret_cast<const word*>(set), reinterpret_cast<const word*>(set + tile),
                                         reinterpret_cast<word*>(set + 2 * tile), tile / 8, 0);
      stores.after(kernels);
      stores.write(2 * vector + t * tile, tile, set + 2 * tile);
      loads.after(kernels);
    }
    loads.before(0), stores.before(0);
  });
  loads.must(), stores.must();
  printf("vectoradd, tiling: %.3f ms; %llu tiles of %llu bytes, %llu bytes read, %llu written\n", milliseconds, tiles,
         tile, 2 * vector, vector);
  loads.read(2 * vector, vector, host.get() + 2 * vector);
  loads.must();
  memcpy(v.c.data(), host.get() + 2 * vector, n * 8);
  cudaStreamDestroy(kernels);
  return v.wrong();
}

}  // namespace

int main(int argc, char** argv) {
  return setup::run("vectoradd", [&]() -> std::string {
    const systems::kind system = systems::take(argc, argv, {systems::kind::bam, systems::kind::tiling});
    const setup::options given(
        setup::with_cache({{"elements", 4096, "of each vector"},
                           {"threads", 512, "of the kernel"},
                           {"tiles", 5, "tiling: tiles"},
                           {"io", 131072, "tiling: bytes of a call of the host"},
                           {"io_threads", 16, "tiling: threads of the host that load, and that store"},
                           {"prefetch", 0, "elements ahead that are asked for; 0: none"}},
                          4096, 16),
        argc, argv);
    const unsigned threads = static_cast<unsigned>(given["threads"]), block = threads < 128 ? threads : 128;
    return system == systems::kind::tiling ? by_tiles(given, threads / block, block)
                                           : by_bam(given, threads / block, block);
  });
}
