// Random transactions, and a checker that finds a serial order for the run, or says that there is none.
//
//   history [--words N] [--each N] [--touch N] [--blocks N] [--threads N] [--mode M] [--seed N]
//
// Each transaction reads `touch` random words and writes some of them (or none) with a version that is its own. All
// versions that it has read are recorded, of attempts that were given up as well. The checker takes nothing from the
// library: the versions of a word follow each other as they were overwritten, and from that it knows who must come
// before whom. Two that overwrite one version are a lost update. A circle means that no serial order exists. An attempt
// that was given up counts as a transaction that only reads: so what it has seen is of one moment, too (opacity).
#include "helper.h"

namespace {

using helper::mix;
constexpr unsigned kMagic = 0x31534948, kMostTouched = 8;

struct Sizes {
  unsigned words, each, touch, seed;
};
/// Bit 31 of `word`: written as well. `version`: what was read.
struct Access {
  unsigned word, version;
};
/// `attempts`: how many of the thread's given-up attempts are recorded; one in each `keeps`.
struct Records {
  Access* accesses;        // [transaction of all][touch]
  unsigned* counts;        // how many were accessed
  unsigned* numbers;       // what the library calls the commit; 0: it has written nothing
  Access* given_up;        // [thread][kept][touch]
  unsigned* given_counts;  // [thread][kept]
};
constexpr unsigned kKept = 16;

__global__ void random_transactions(tx::Space space, Sizes sizes, Records records) {
  tx::run(space, [&](tx::Thread& thread) {
    unsigned kept = 0;
    for (unsigned k = 0; k < sizes.each; ++k) {
      const unsigned id = thread.index() * sizes.each + k, draw = mix(id * 977 + sizes.seed);
      const unsigned count = 1 + draw % sizes.touch, kind = (draw >> 8) % 8;  // kind 0 only reads
      Access* const own = records.accesses + static_cast<size_t>(id) * sizes.touch;
      const unsigned before = thread.last_number();
      bool first = true;
      unsigned alive = 0;
      tx::atomically(thread, [&](tx::Transaction& t) {
        if (!first && alive != 0) {  // the attempt before was given up: what it had read while it lived stays
          const unsigned place = thread.index() * kKept + kept++ % kKept;
          records.given_counts[place] = alive;
          for (unsigned i = 0; i < alive; ++i) records.given_up[place * sizes.touch + i] = own[i];
        }
        first = false;
        alive = 0;
        for (unsigned i = 0; i < count && t.alive(); ++i) {
          const unsigned word = mix(draw + 31 * i) % sizes.words;
          unsigned* const at = space.at(helper::shape_words + word);
          const unsigned version = t.load(at);
          if (!t.alive()) break;
          const bool writes = kind != 0 && mix(draw + 31 * i + 7) % 3 != 0;
          if (writes) t.store(at, id + 1);
          own[i] = {word | (writes ? 0x80000000u : 0), version};
          alive = i + 1;
        }
      });
      records.counts[id] = alive;
      records.numbers[id] = thread.last_number() == before ? 0 : thread.last_number();
    }
  });
}

/// The graph of who must come before whom. Node 0 stands for the first contents.
class Order {
 public:
  explicit Order(size_t nodes) : followers_(nodes), before_(nodes) {}
  void edge(size_t first, size_t then) {
    if (first == then) return;
    followers_[first].push_back(static_cast<unsigned>(then));
    ++before_[then];
  }
  /// The nodes in a serial order; fewer than there are when there is a circle.
  std::vector<unsigned> serial() const {
    std::vector<unsigned> order, before = before_;
    for (size_t i = 0; i < before.size(); ++i)
      if (before[i] == 0) order.push_back(static_cast<unsigned>(i));
    for (size_t at = 0; at < order.size(); ++at)
      for (unsigned next : followers_[order[at]])
        if (--before[next] == 0) order.push_back(next);
    return order;
  }

 private:
  std::vector<std::vector<unsigned>> followers_;
  std::vector<unsigned> before_;
};

template <class T>
T* managed(size_t count) {
  T* memory = nullptr;
  if (cudaMallocManaged(&memory, count * sizeof(T)) != cudaSuccess) exit(3);
  memset(memory, 0, count * sizeof(T));
  return memory;
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  arguments.mode = "memory";
  for (const auto& [name, value] : std::map<std::string, unsigned>{
           {"words", 64}, {"each", 16}, {"touch", 5}, {"seed", 1}, {"first-attempt", 0}, {"forget", 0}})
    arguments.numbers[name] = value;
  arguments.parse(argc, argv, {});
  const Sizes sizes{arguments["words"], arguments["each"], arguments["touch"], arguments["seed"]};
  if (sizes.touch == 0 || sizes.touch > kMostTouched || sizes.words == 0 || sizes.each == 0)
    arguments.refuse(argv[0], "--touch should be from 1 to 8, --words and --each at least 1");
  const size_t threads = size_t(arguments["blocks"]) * arguments["threads"], all = threads * sizes.each;
  if (all >= 0x7fffffff) arguments.refuse(argv[0], "too many transactions: 2^31 - 2 at most");
  Records records{managed<Access>(all * sizes.touch), managed<unsigned>(all), managed<unsigned>(all),
                  managed<Access>(threads * kKept * sizes.touch), managed<unsigned>(threads * kKept)};
  tx::Options options = arguments.options(helper::shape_words + sizes.words, kMostTouched, kMostTouched);
  options.first_attempt = arguments["first-attempt"];
  tx::Space space;
  if (!tx::create(space, options.mode == tx::in_memory ? NULL : arguments.pool.c_str(), options)) return 2;
  *space.in_image<helper::Shape>(0) = {kMagic, {}, 0};
  if (!tx::start(space)) return 2;
  random_transactions<<<options.blocks, space.block_threads(), space.shared_bytes()>>>(space, sizes, records);
  if (!tx::settle(space)) return 3;

  // --forget N: as if transaction N had not seen what it has written over. The checker must find it.
  if (arguments["forget"] != 0)
    for (unsigned i = 0; i < sizes.touch; ++i)
      records.accesses[(arguments["forget"] % all) * sizes.touch + i].version = 0;

  std::vector<Access> reads;  // with who: parallel arrays
  std::vector<unsigned> who;
  size_t nodes = all + 1, given_up = 0;
  std::map<std::pair<unsigned, unsigned>, unsigned> next;  // (word, version) -> who has written over it
  const auto take = [&](size_t node, const Access& access) {
    reads.push_back({access.word & 0x7fffffff, access.version});
    who.push_back(static_cast<unsigned>(node));
    if (!(access.word >> 31)) return;
    unsigned& writer = next[{access.word & 0x7fffffff, access.version}];
    if (access.version == node) return;  // a word that the transaction touches twice
    REQUIRE(writer == 0 || writer == node, "lost update: transactions %u and %zu both overwrite version %u of word %u",
            writer, node, access.version, access.word & 0x7fffffff);
    writer = static_cast<unsigned>(node);
  };
  for (size_t id = 0; id < all; ++id)
    for (unsigned i = 0; i < records.counts[id]; ++i) take(id + 1, records.accesses[id * sizes.touch + i]);
  for (size_t i = 0; i < threads * kKept; ++i) {
    if (records.given_counts[i] == 0) continue;
    for (unsigned k = 0; k < records.given_counts[i]; ++k) {
      Access access = records.given_up[i * sizes.touch + k];
      access.word &= 0x7fffffff;
      const size_t own = (i / kKept) * sizes.each;
      if (access.version > own && access.version <= own + sizes.each) {
        bool itself = false;  // its own write, which never happened, read again
        for (unsigned j = 0; j < k; ++j)
          itself |= (records.given_up[i * sizes.touch + j].word & 0x7fffffff) == access.word;
        if (itself) continue;
      }
      take(nodes, access);
    }
    ++nodes, ++given_up;
  }
  Order order(nodes);
  for (size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].version == who[i]) continue;
    order.edge(reads[i].version, who[i]);  // it has read what this one wrote
    const auto writer = next.find({reads[i].word, reads[i].version});
    if (writer != next.end() && writer->second != 0)
      order.edge(who[i], writer->second);  // and did not see what came next
  }
  const std::vector<unsigned> serial = order.serial();
  REQUIRE(serial.size() == nodes, "no serial order: %zu of %zu transactions stand in a circle or behind one",
          nodes - serial.size(), nodes);
  // What is left in each word is its last version, and the numbers of commits are such an order, too.
  size_t updates = 0;
  std::vector<std::pair<unsigned, size_t>> numbered;
  for (size_t id = 0; id < all; ++id)
    if (records.numbers[id] != 0) numbered.push_back({records.numbers[id], id}), ++updates;
  std::sort(numbered.begin(), numbered.end());
  std::vector<unsigned> state(sizes.words);
  for (size_t i = 0; i < numbered.size(); ++i) {
    const auto [number, id] = numbered[i];
    REQUIRE(number == i + 1, "commit %zu has number %u", i + 1, number);
    for (unsigned k = 0; k < records.counts[id]; ++k) {
      const Access access = records.accesses[id * sizes.touch + k];
      unsigned& word = state[access.word & 0x7fffffff];
      REQUIRE(word == access.version || word == id + 1, "commit %u has read version %u of word %u, but %u was there",
              number, access.version, access.word & 0x7fffffff, word);
      if (access.word >> 31) word = static_cast<unsigned>(id + 1);
    }
  }
  for (unsigned w = 0; w < sizes.words; ++w)
    REQUIRE(state[w] == *space.in_image(helper::shape_words + w), "word %u ends as version %u, but the order says %u",
            w, *space.in_image(helper::shape_words + w), state[w]);
  const tx::Statistics s = tx::statistics(space);
  REQUIRE(tx::close(space) == 0, "the space should be closed");
  return check::passed(
      __BASE_FILE__,
      "a serial order of %zu transactions (%zu have written) and %zu of %llu attempts given up (%llu robbed)", all,
      updates, given_up, s.aborts, s.robbed);
}
