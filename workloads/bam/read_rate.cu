// How fast a kernel gets a long array of 8-byte elements in order ("BaM", section 5.1, figures 5 and 6): a warp sums so
// many elements that follow each other, lane beside lane, then goes on to the next such run. Twice: `cold`, from where
// the data lie, and `hot`, from what the first pass has left in the GPU's memory.
//
// machine: --set storage.drives=2
//
//   read_rate [--system NAME] [elements=N] [run=N] [threads=N] [reuse=1] [line=BYTES] [slots=N] [drives=N]
//   [io_threads=N] …
//
// Systems: bam, gds, activepointers, zero-copy, uvm, memory (systems.h). gds: threads of the host read the whole array
// in calls of `line` bytes; its hot pass is a kernel over what has come.
#include "active_pointers.h"
#include "host_io.h"
#include "systems.h"

namespace {

using word = unsigned long long;
using systems::kind;

// How a lane reads element i: what the data are decides.
struct plain {
  const word* all;
  __device__ explicit plain(const word* from) : all(from) {}
  __device__ word operator[](word i) const { return all[i]; }
};
struct probing {
  const bam::array_view<word>& all;
  __device__ explicit probing(const bam::array_view<word>& from) : all(from) {}
  __device__ word operator[](word i) const { return all[i]; }
};

template <class Reader, class Data>
__global__ void sums(const Data data, word count, word run, word* sum) {
  const unsigned lane = threadIdx.x % 32;
  const word warps = word{gridDim.x} * blockDim.x / 32;
  Reader reader(data);
  word mine = 0;
  for (word first = (word{blockIdx.x} * blockDim.x + threadIdx.x) / 32 * run; first < count; first += warps * run)
    for (word i = first + lane; i < first + run; i += 32) mine += reader[i];
  atomicAdd(sum, mine);
}

class passes {
 public:
  passes(const setup::options& given, kind system) : given_(given), system_(system) {
    const word n = given["elements"], run = given["run"];
    if (run == 0 || run % 32 != 0 || n % run != 0)
      throw std::runtime_error("elements should be a multiple of run, and run one of 32");
    values_.resize(n);
    for (word i = 0; i < n; ++i) expected_ += values_[i] = setup::mix(i);
  }
  const std::vector<word>& values() const { return values_; }
  word bytes() const { return values_.size() * 8; }

  /// One pass, by blocks of `block` threads.
  template <class Reader, class Data>
  void pass(const char* name, const Data& data, unsigned block = 128) {
    const unsigned threads = static_cast<unsigned>(given_["threads"]);
    if (threads < block) block = threads;
    report(name, setup::timed(name, [&] {
             sums<Reader><<<threads / block, block>>>(data, values_.size(), given_["run"], sum_.get());
           }));
    word found = 0;
    cudaMemcpy(&found, sum_.get(), 8, cudaMemcpyDeviceToHost);
    cudaMemset(sum_.get(), 0, 8);
    if (found != expected_)
      throw std::runtime_error(std::string(name) + ": the sum should be " + std::to_string(expected_) + ", is " +
                               std::to_string(found));
  }
  void report(const char* name, float milliseconds) const {
    printf("read_rate, %s, %s: %.3f ms, %.2f GB/s, %.3f M lines/s\n", systems::name_of(system_), name, milliseconds,
           static_cast<double>(bytes()) / milliseconds / 1e6,
           static_cast<double>(bytes()) / given_["line"] / milliseconds / 1e3);
  }

 private:
  const setup::options& given_;
  const kind system_;
  std::vector<word> values_;
  word expected_ = 0;
  const setup::memory_of<word> sum_{setup::memory_of<word>::at::device, 1};
};

void by_bam(passes& p, const setup::options& given) {
  const setup::drives drives(given);
  bam::cache cache(drives.all(), setup::config(given, p.bytes()));
  bam::array<word> array(cache, 0, p.values().size());
  array.upload(p.values().data());
  cache.drop(), cache.reset_statistics();
  word reads = 0;
  for (const char* const name : {"cold", "hot"}) {
    if (given["reuse"])
      p.pass<bam::cursor<word>>(name, array.view());
    else
      p.pass<probing>(name, array.view());
    cache.must();
    const bam::cache_statistics s = cache.statistics();
    printf("read_rate: %llu reads of lines, %llu confirmations\n", static_cast<unsigned long long>(s.reads),
           static_cast<unsigned long long>(s.confirmations));
    const bam::confirms confirms = cache.config().confirms;
    if (confirms == bam::confirms::each ? s.confirmations != s.reads
                                        : (confirms == bam::confirms::shared) != (s.confirmations > 0))
      throw std::runtime_error(std::to_string(s.confirmations) + " confirmations of " + std::to_string(s.reads) +
                               " reads do not fit confirms=" + std::to_string(static_cast<unsigned>(confirms)));
    const bool fits = cache.config().slots >= cache.view().lines;
    if (fits && (s.evictions != 0 || (reads != 0 && s.reads != reads)))
      throw std::runtime_error("all lines have a slot, and " + std::to_string(s.evictions) + " have left");
    reads = s.reads;
  }
}

void by_gds(passes& p, const setup::options& given) {
  const setup::drives drives(given);
  setup::host_io io(drives.all(), given["line"], static_cast<unsigned>(given["io_threads"]));
  const word whole = io.whole(p.bytes());
  const setup::memory_of<char> host(setup::memory_of<char>::at::host, whole),
      device(setup::memory_of<char>::at::device, whole);
  memcpy(host.get(), p.values().data(), p.bytes());
  io.write(0, whole, host.get());
  io.must();
  p.report("cold", setup::timed("cold", [&] {
             io.after(0);
             io.read(0, whole, device.get());
             io.before(0);
           }));
  io.must();
  p.pass<plain>("hot", reinterpret_cast<const word*>(device.get()));
}

void by_active_pointers(passes& p, const setup::options& given) {
  const word count = p.bytes() / given["line"];
  if (count * given["line"] != p.bytes()) throw std::runtime_error("elements should fill whole lines");
  const host_file_t file = host_file_open("read_rate.pool", p.bytes(), true);
  active_pointers::pages pages;
  pages.page = static_cast<unsigned>(given["line"]);
  if (!file || host_file_write(file, 0, p.values().data(), p.bytes()) != 0 || cudaDeviceSynchronize() != cudaSuccess ||
      gpufs_start(&pages.fs, static_cast<unsigned>(given["slots"]), pages.page < 128 ? 128 : pages.page,
                  static_cast<unsigned>(given["io_threads"])) != 0)
    throw std::runtime_error("there is no GPUfs");
  pages.file = gpufs_offer(&pages.fs, file, "read_rate");
  const setup::memory_of<unsigned> states(setup::memory_of<unsigned>::at::device, 2 * count);
  const setup::memory_of<char> frames(setup::memory_of<char>::at::device, p.bytes());
  cudaMemset(states.get(), 0, 2 * count * 4);
  pages.states = states.get(), pages.links = states.get() + count, pages.frames = frames.get();
  for (const char* const name : {"cold", "hot"}) p.pass<active_pointers::pointer>(name, pages, 32);
  std::vector<unsigned> links(count);
  cudaMemcpy(links.data(), pages.links, count * 4, cudaMemcpyDeviceToHost);
  gpufs_stop(&pages.fs), host_file_close(file);
  remove("read_rate.pool");
  for (const unsigned each : links)
    if (each != 0) throw std::runtime_error("a page is linked still");
}

void by_memory(passes& p, kind system) {
  using memory = setup::memory_of<word>;
  const memory data(system == kind::memory ? memory::at::device
                    : system == kind::uvm  ? memory::at::managed
                                           : memory::at::host,
                    p.values().size());
  if (system == kind::memory)
    cudaMemcpy(data.get(), p.values().data(), p.bytes(), cudaMemcpyHostToDevice);
  else
    memcpy(data.get(), p.values().data(), p.bytes());
  for (const char* const name : {"cold", "hot"}) p.pass<plain>(name, static_cast<const word*>(data.get()));
}

}  // namespace

int main(int argc, char** argv) {
  const auto body = [&]() -> std::string {
    const kind system = systems::take(
        argc, argv, {kind::bam, kind::gds, kind::activepointers, kind::zero_copy, kind::uvm, kind::memory});
    const setup::options given(
        setup::with_cache({{"elements", 16384, "of the array"},
                           {"run", 512, "elements that a warp reads one after the other"},
                           {"threads", 512, "of the kernels"},
                           {"reuse", 1, "bam: 1: a cursor holds its line; 0: a probe for each access"},
                           {"io_threads", 16, "gds: threads of the host; activepointers: daemons of GPUfs"}},
                          4096, 64),
        argc, argv);
    passes p(given, system);
    if (system == kind::bam)
      by_bam(p, given);
    else if (system == kind::gds)
      by_gds(p, given);
    else if (system == kind::activepointers)
      by_active_pointers(p, given);
    else
      by_memory(p, system);
    return "";
  };
  return setup::run("read_rate", body, systems::needs_drives(argc, argv));
}
