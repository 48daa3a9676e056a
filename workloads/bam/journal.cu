// Transfers between accounts on a drive, each one commit of a journal (everwarp/storage_journal.cuh): whatever a crash
// leaves, the recovery finds the sum that there was, and at least the transfers that were acknowledged. For `ew crash`:
//
//   ew crash --at random --count 50 --set storage.drives=1 --set storage.model=980pro --set storage.image=drive{}.img
//     --set storage.size=4MiB --recover './journal recover' -- ./journal run
//
// machine: --set storage.drives=2 --set storage.model=980pro
//
//   journal [run|recover] [bugs=BITS] [transfers=N] [threads=N] …     without a word: run, then recover
#include <everwarp/gpm.cuh>

#include "setup.h"

namespace {

using word = unsigned long long;

/// 24 bytes: many span two lines.
struct account {
  long long balance;
  word transfers;  // that took from it or added to it
  word unused;
};
constexpr unsigned accounts = 96;
constexpr long long first_balance = 1000;

/// Each thread moves money between accounts of its own; lines are shared by threads.
__global__ void transfer(bam::array_view<account> a, bam::journal_view journal, unsigned transfers, unsigned round,
                         unsigned* done, unsigned* failed) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const unsigned each = accounts / threads;
  for (unsigned i = 0; i < transfers; ++i) {
    const word random = setup::mix(thread * 1000003ull + round * 7919 + i);
    const word from = thread + random % each * threads, to = thread + (random >> 32) % each * threads;
    if (from == to) continue;
    account one = a[from], two = a[to];
    one.balance -= static_cast<long long>(random % 100), ++one.transfers;
    two.balance += static_cast<long long>(random % 100), ++two.transfers;
    const bam::change<account> both[] = {{from, one}, {to, two}};
    atomicAdd(journal.commit(a, both, 2) == bam::ok ? done : failed, 1u);
  }
}

std::string check(bam::array<account>& array, word acknowledged) {
  std::vector<account> found(accounts);
  array.download(found.data());
  long long sum = 0;
  word transfers = 0;
  for (const account& each : found) sum += each.balance, transfers += each.transfers;
  if (sum != first_balance * accounts)
    return "the sum: expected " + std::to_string(first_balance * accounts) + ", found " + std::to_string(sum);
  if (transfers % 2) return "half a transfer: " + std::to_string(transfers);
  if (transfers / 2 < acknowledged)
    return "transfers: expected " + std::to_string(acknowledged) + " at least, found " + std::to_string(transfers / 2);
  printf("%llu transfers, %llu acknowledged\n", transfers / 2, acknowledged);
  return "";
}

bam::journal_config place(const bam::cache& cache, const setup::options& given) {
  bam::journal_config where;
  where.first_block = cache.config().bytes / cache.drives()[0]->what().block_bytes;
  where.entries = 8, where.bugs = static_cast<unsigned>(given["bugs"]);
  return where;
}

std::string run(const setup::options& given, const setup::drives& drives, unsigned* counts, word& transfers) {
  bam::cache cache(drives.all(), setup::config(given, accounts * sizeof(account)));
  bam::journal journal(cache, place(cache, given));
  bam::array<account> array(cache, 0, accounts);
  array.upload(std::vector<account>(accounts, {first_balance, 0, 0}).data());
  cache.flush();
  gpm_acknowledge(1);  // the accounts are there; from now on one more for each transfer
  const unsigned threads = static_cast<unsigned>(given["threads"]);
  counts[0] = counts[1] = 0;
  for (unsigned round = 0; round < given["rounds"]; ++round) {
    transfer < <<(threads + 31) / 32, threads<32 ? threads : 32>>>(
                   array.view(), journal.view(), static_cast<unsigned>(given["transfers"]), round, counts, counts + 1);
    if (cudaDeviceSynchronize() != cudaSuccess) return "a kernel failed";
    gpm_acknowledge(1 + counts[0]);
  }
  cache.must();
  if (counts[1]) return std::to_string(counts[1]) + " commits failed";
  const bam::journal_state state = journal.state();
  if (state.commits != counts[0] || state.in_doubt)
    return "commits: expected " + std::to_string(counts[0]) + ", found " + std::to_string(state.commits);
  transfers = counts[0];
  return check(array, transfers);
}

std::string recover(const setup::options& given, const setup::drives& drives, word acknowledged) {
  bam::cache cache(drives.all(), setup::config(given, accounts * sizeof(account)));
  const bam::journal journal(cache, place(cache, given));
  bam::array<account> array(cache, 0, accounts);
  if (const unsigned recovered = journal.state().recovered) printf("%u commits were finished\n", recovered);
  return check(array, acknowledged);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const bool runs = what == "run", recovers = what == "recover";
  return setup::run("journal", [&]() -> std::string {
    const setup::options given(setup::with_cache({{"bugs", 0, "steps that are done wrongly (bam::journal_bug)"},
                                                  {"transfers", 3, "of each thread in a round"},
                                                  {"rounds", 2, "kernels, one behind the other"},
                                                  {"threads", 16, "of the kernel"}},
                                                 512, 48),
                               argc, argv, runs || recovers ? 2 : 1);
    if (accounts % given["threads"] || accounts / given["threads"] < 2)
      return "threads: expected a divisor of " + std::to_string(accounts) + ", at most half of it";
    const setup::drives drives(given);
    unsigned* counts = nullptr;
    cudaMallocManaged(&counts, 64);
    if (recovers && gpm_acknowledged() == 0) return "";  // the accounts were not made yet
    if (recovers) return recover(given, drives, gpm_acknowledged() - 1);
    word transfers = 0;
    const std::string why = run(given, drives, counts, transfers);
    if (!why.empty() || runs) return why;
    return recover(given, drives, transfers);
  });
}
