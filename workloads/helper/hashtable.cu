// Hashtable ("Architectural Support for NVRAM Persistence in GPUs", section 6.3): inserts into a base table, backed by
// an extended one with linear probing.
//
//   hashtable [--inserts N] [--base N] [--extended N] …     H1: --inserts 500000 --base 15000000 --extended 35000000
//                                                           H2: --inserts 900000 --base 1000000 --extended 3000000
//   hashtable --recover FILE
//
// A key's place is its hash in the base table; if another key is there, the first free place of the extended table from
// the base place's own stretch on. Checked: each key that should be there is, once, with its value; and no place that
// an insert has found taken is empty: so an insert is only there with those that came before it.
#include "helper.h"

namespace {

using helper::mix;
constexpr unsigned kMagic = 0x31534148, kMostProbes = 60;

struct Slot {
  unsigned key, value;
};
struct Layout {
  unsigned inserts, base, extended, threads;
  unsigned words() const { return helper::shape_words + 2 * (base + extended); }
  __host__ __device__ unsigned at(unsigned slot) const { return helper::shape_words + 2 * slot; }
  /// The place of the key's probe number `probe`.
  __host__ __device__ unsigned slot(unsigned key, unsigned probe) const {
    const unsigned first = mix(key + 0x9e3779b9u) % base;
    if (probe == 0) return first;
    return base +
           static_cast<unsigned>((static_cast<unsigned long long>(first) * extended / base + probe - 1) % extended);
  }
};
/// Key of insert i, and back. Never 0.
__host__ __device__ unsigned key_of(unsigned i) {
  return mix(i + 1);
}
__host__ __device__ unsigned value_of(unsigned key) {
  return ~key * 2654435761u;
}

HELPER_KERNEL inserts(tx::Space space, Layout layout, unsigned begin, unsigned end, unsigned* witnesses,
                      unsigned* full) {
  tx::run(space, [&](tx::Thread& thread) {
    unsigned done = (begin + thread.count() - 1 - thread.index()) / thread.count();
    for (unsigned i = thread.index() + done * thread.count(); i < end; i += thread.count()) {
      const unsigned key = key_of(i);
      unsigned found = 0;
      tx::atomically(thread, [&](tx::Transaction& t) {
        for (unsigned probe = 0; probe < kMostProbes && t.alive(); ++probe) {
          Slot* const slot = space.at<Slot>(layout.at(layout.slot(key, probe)));
          if (t.load(&slot->key) != 0) continue;
          t.store(&slot->key, key);
          if (BUG == 3) slot->value = value_of(key);  // past the transaction
          if (BUG == 0 || BUG == 2) t.store(&slot->value, value_of(key));
          found = probe + 1;
          return;
        }
        found = 0;
      });
      if (BUG == 1)
        tx::atomically(thread, [&](tx::Transaction& t) {
          t.store(&space.at<Slot>(layout.at(layout.slot(key, found - 1)))->value, value_of(key));
        });
      if (found == 0) atomicAdd(full, 1u);
      ++done;
      if (done % 2 == 0) helper::promise(thread, witnesses, done, BUG == 2);
    }
  });
}

/// `present(i)`: insert i must be there.
template <class Present>
void verify(const tx::Space& space, const Layout& layout, const Present& present) {
  const auto slot_at = [&](unsigned slot) { return *space.in_image<Slot>(layout.at(slot)); };
  std::vector<std::pair<unsigned, unsigned>> inserts;  // key, number; sorted
  for (unsigned i = 0; i < layout.inserts; ++i) inserts.emplace_back(key_of(i), i);
  std::sort(inserts.begin(), inserts.end());
  std::vector<bool> there(layout.inserts);
  for (unsigned s = 0; s < layout.base + layout.extended; ++s) {
    const Slot slot = slot_at(s);
    if (slot.key == 0) {
      REQUIRE(slot.value == 0, "place %u has value %u, but no key", s, slot.value);
      continue;
    }
    const auto found = std::lower_bound(inserts.begin(), inserts.end(), std::pair(slot.key, 0u));
    REQUIRE(found != inserts.end() && found->first == slot.key, "place %u has key %u, which nobody has inserted", s,
            slot.key);
    REQUIRE(slot.value == value_of(slot.key), "key %u has value %u instead of %u", slot.key, slot.value,
            value_of(slot.key));
    REQUIRE(!there[found->second], "key %u is there twice", slot.key);
    there[found->second] = true;
    unsigned probe = 0;
    for (; probe < kMostProbes && layout.slot(slot.key, probe) != s; ++probe)
      REQUIRE(slot_at(layout.slot(slot.key, probe)).key != 0,
              "key %u is at probe %u or later, but probe %u finds nothing", slot.key, probe + 1, probe);
    REQUIRE(probe < kMostProbes, "key %u is at place %u, where no probe finds it", slot.key, s);
  }
  for (unsigned i = 0; i < layout.inserts; ++i)
    REQUIRE(there[i] || !present(i), "insert %u was promised, but its key %u is not there", i, key_of(i));
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  arguments.numbers["inserts"] = 4000;
  arguments.numbers["base"] = 6000;
  arguments.numbers["extended"] = 14000;
  arguments.parse(argc, argv,
                  {{"blocks", 2},
                   {"threads", 32},
                   {"inserts", 600},
                   {"base", 400},
                   {"extended", 800},
                   {"rounds", 2},
                   {"log", 1024},
                   {"ring", 300}});
  if (arguments.recovers) {
    helper::Recovery recovery(arguments, kMagic);
    const unsigned* const n = recovery.shape.numbers;
    const Layout layout{n[0], n[1], n[2], recovery.threads()};
    const unsigned long long acknowledged = gpm_acknowledged() * layout.inserts / n[3];
    verify(recovery.space, layout,
           [&](unsigned i) { return i < acknowledged || i / layout.threads < recovery.witness(i % layout.threads); });
    REQUIRE(tx::close(recovery.space) == 0, "the space should be closed");
    return check::passed(__BASE_FILE__, "the state is whole");
  }
  const Layout layout{arguments["inserts"], arguments["base"], arguments["extended"],
                      arguments["blocks"] * arguments["threads"]};
  if (layout.base == 0 || layout.extended == 0) arguments.refuse(argv[0], "--base and --extended should be at least 1");
  if (2ull * layout.base + 2ull * layout.extended + helper::shape_words >= 1u << 30)
    arguments.refuse(argv[0], "--base and --extended together should be below 2^29");
  helper::Run run(arguments, layout.words(), 2, kMostProbes + 2);
  const unsigned rounds = arguments["rounds"];
  unsigned* full = nullptr;
  if (cudaMallocManaged(&full, 4) != cudaSuccess) return 3;
  *full = 0;
  run.start({kMagic, {layout.inserts, layout.base, layout.extended, rounds}, arguments.audits});
  const auto end_of = [&](unsigned round) { return static_cast<unsigned>(1ull * layout.inserts * round / rounds); };
  for (unsigned round = 0; round < rounds; ++round) {
    run.launch("inserts", inserts, layout, end_of(round), end_of(round + 1), run.witnesses(), full);
    REQUIRE(*full == 0, "%u inserts found no free place within %u probes: larger tables are needed", *full,
            kMostProbes);
    if (arguments.mode != "memory") gpm_acknowledge(round + 1);
  }
  run.settle("hashtable");
  verify(run.space, layout, [](unsigned) { return true; });
  REQUIRE(tx::close(run.space) == 0, "the space should be closed");
  return check::passed(__BASE_FILE__, "every key is there, once");
}
