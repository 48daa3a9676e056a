// ATM ("Architectural Support for NVRAM Persistence in GPUs", section 6.3): transfers between two random accounts.
//
//   atm [--accounts N] [--transactions N] …    A1: --accounts 100000 --transactions 1000000 --blocks 512 --threads 256;
//                                              A2: --accounts 1000000
//   atm --recover FILE
//
// Checked: all money is there. With --audit a transaction also writes which transfer has touched an account last, how
// many its thread has done, and what it has seen in the account from which it takes. Then the recovery knows which
// transfers are in the state, and looks at each balance; and a transfer is only there with those that it has seen.
#include "helper.h"

namespace {

using helper::mix;
constexpr unsigned kMagic = 0x314d5441, kFirst = 1000;

struct Layout {
  unsigned accounts, threads, each, rounds, audits;
  __host__ __device__ unsigned balance(unsigned account) const { return helper::shape_words + account; }
  __host__ __device__ unsigned last(unsigned account) const { return helper::shape_words + accounts + account; }
  __host__ __device__ unsigned done(unsigned thread) const { return helper::shape_words + 2 * accounts + thread; }
  __host__ __device__ unsigned seen(unsigned thread) const {
    return helper::shape_words + 2 * accounts + threads + thread;
  }
  unsigned words() const { return helper::shape_words + (audits ? 2 * accounts + 2 * threads : accounts); }
  /// The name of a thread's transfer: not 0.
  __host__ __device__ unsigned name(unsigned thread, unsigned k) const { return 1 + thread * each * rounds + k; }
};

struct Transfer {
  unsigned from, to, amount;
};
__host__ __device__ Transfer transfer_of(const Layout& layout, unsigned name) {
  const unsigned a = mix(2 * name), b = mix(2 * name + 1), from = a % layout.accounts;
  return {from, (from + 1 + b % (layout.accounts - 1)) % layout.accounts, 1 + (a >> 28)};
}

__device__ void move(const tx::Space& space, tx::Transaction& t, const Layout& layout, unsigned thread, unsigned k) {
  const unsigned name = layout.name(thread, k);
  const Transfer transfer = transfer_of(layout, name);
  unsigned* const from = space.at(layout.balance(transfer.from));
  unsigned* const to = space.at(layout.balance(transfer.to));
  t.store(from, t.load(from) - transfer.amount);
  if (layout.audits) {
    t.store(space.at(layout.seen(thread)), t.load(space.at(layout.last(transfer.from))));
    t.store(space.at(layout.last(transfer.from)), name);
  }
  if (BUG == 1) return;  // the other half is a transaction of its own
  t.store(to, t.load(to) + transfer.amount);
  if (layout.audits) {
    t.store(space.at(layout.last(transfer.to)), name);
    t.store(space.at(layout.done(thread)), k + 1);
  }
}

HELPER_KERNEL transfers(tx::Space space, Layout layout, unsigned round, unsigned* witnesses) {
  tx::run(space, [&](tx::Thread& thread) {
    for (unsigned k = round * layout.each; k < (round + 1) * layout.each; ++k) {
      tx::atomically(thread, [&](tx::Transaction& t) { move(space, t, layout, thread.index(), k); });
      if (BUG == 1)
        tx::atomically(thread, [&](tx::Transaction& t) {
          const Transfer transfer = transfer_of(layout, layout.name(thread.index(), k));
          unsigned* const to = space.at(layout.balance(transfer.to));
          t.store(to, t.load(to) + transfer.amount);
          if (layout.audits) t.store(space.at(layout.done(thread.index())), k + 1);
        });
      if (k % 2 == 1) helper::promise(thread, witnesses, k + 1, BUG == 2);
    }
  });
}

template <class Witness>
void verify(const tx::Space& space, const Layout& layout, unsigned least, const Witness& witness) {
  unsigned sum = 0;
  for (unsigned a = 0; a < layout.accounts; ++a) sum += *space.in_image(layout.balance(a));
  REQUIRE(sum == kFirst * layout.accounts, "the accounts hold %u, but there were %u", sum, kFirst * layout.accounts);
  if (!layout.audits) return;
  std::vector<unsigned> balance(layout.accounts, kFirst);
  for (unsigned t = 0; t < layout.threads; ++t) {
    const unsigned done = *space.in_image(layout.done(t)), seen = *space.in_image(layout.seen(t));
    REQUIRE(done >= least && done >= witness(t),
            "thread %u: %u transfers are there, %u were acknowledged, %u witnessed", t, done, least, witness(t));
    if (seen != 0) {
      const unsigned by = (seen - 1) / (layout.each * layout.rounds), k = (seen - 1) % (layout.each * layout.rounds);
      REQUIRE(by<layout.threads&& * space.in_image(layout.done(by))> k,
              "thread %u has seen transfer %u of thread %u, which is not there", t, k, by);
    }
    for (unsigned k = 0; k < done; ++k) {
      const Transfer transfer = transfer_of(layout, layout.name(t, k));
      balance[transfer.from] -= transfer.amount;
      balance[transfer.to] += transfer.amount;
    }
  }
  for (unsigned a = 0; a < layout.accounts; ++a)
    REQUIRE(*space.in_image(layout.balance(a)) == balance[a], "account %u has %u, but its transfers come to %u", a,
            *space.in_image(layout.balance(a)), balance[a]);
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  arguments.numbers["accounts"] = 1000;
  arguments.numbers["transactions"] = 4096;
  arguments.parse(argc, argv,
                  {{"blocks", 2},
                   {"threads", 32},
                   {"accounts", 40},
                   {"transactions", 512},
                   {"rounds", 2},
                   {"log", 1024},
                   {"ring", 300}});
  if (arguments.recovers) {
    helper::Recovery recovery(arguments, kMagic);
    const unsigned* const n = recovery.shape.numbers;
    const Layout layout{n[0], recovery.threads(), n[1], n[2], recovery.shape.audits};
    verify(recovery.space, layout, static_cast<unsigned>(gpm_acknowledged()) * layout.each,
           [&](unsigned t) { return recovery.witness(t); });
    REQUIRE(tx::close(recovery.space) == 0, "the space should be closed");
    return check::passed(__BASE_FILE__, "the state is whole");
  }
  const unsigned threads = arguments["blocks"] * arguments["threads"], rounds = arguments["rounds"];
  if (arguments["accounts"] < 2) arguments.refuse(argv[0], "--accounts should be at least 2");
  if (arguments["transactions"] < threads * rounds)
    arguments.refuse(argv[0], "--transactions should be at least one for each thread and round");
  const Layout layout{arguments["accounts"], threads, arguments["transactions"] / threads / rounds, rounds,
                      arguments.audits};
  helper::Run run(arguments, layout.words(), arguments.audits ? 6 : 2, arguments.audits ? 8 : 4);
  for (unsigned a = 0; a < layout.accounts; ++a) *run.space.in_image(layout.balance(a)) = kFirst;
  run.start({kMagic, {layout.accounts, layout.each, layout.rounds}, layout.audits});
  for (unsigned round = 0; round < rounds; ++round) {
    if (BUG == 3) gpm_acknowledge(round + 1);
    run.launch("transfers", transfers, layout, round, run.witnesses());
    if (arguments.mode != "memory") gpm_acknowledge(round + 1);
  }
  run.settle("atm");
  verify(run.space, layout, layout.each * rounds, [](unsigned) { return 0u; });
  REQUIRE(tx::close(run.space) == 0, "the space should be closed");
  return check::passed(__BASE_FILE__, "all money is there");
}
