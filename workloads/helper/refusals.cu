// What a transaction refuses, and that nothing of it happens: one case after the other, in each mode. In each a thread
// commits, does what should be refused, and commits again. Checked: the status that the kernel gets, that tx::check()
// says it too, and each word of the working copy.
#include "helper.h"

namespace {

constexpr unsigned kThreads = 32, kOwn = 8;  // words of a thread: 0 and 1 it may write, from 2 on the mistake would

struct Case {
  tx::Status status;
  const char* what;
};
constexpr Case kCases[] = {
    {tx::committed, "objects of four words"},
    {tx::cancelled, "the body cancels"},
    {tx::nested, "a transaction inside a transaction"},
    {tx::too_many_words, "more words than Options::writes"},
    {tx::too_many_records, "more records than Options::records_held"},
    {tx::no_such_word, "a word outside of the space"},
    {tx::exhausted, "2^32 commits"},
    {tx::wrong_launch, "another launch shape"},
};

struct Four {
  unsigned word[4];
};

__device__ tx::Status mistake(tx::Thread& thread, tx::Status kind, unsigned own) {
  const tx::Space& space = thread.space();
  tx::Status inner = tx::committed;
  const tx::Status outer = tx::atomically(thread, [&](tx::Transaction& t) {
    switch (kind) {
      case tx::committed: {
        Four four = t.load(space.at<Four>(own + 4));
        for (unsigned i = 0; i < 4; ++i) four.word[i] += 10 + i;
        t.store(space.at<Four>(own + 4), four);
        if (t.load(space.at(own + 6)) != 12) t.cancel();  // it reads what it has written
        return;
      }
      case tx::cancelled:
        t.store(space.at(own + 2), 99u);
        t.cancel();
        return;
      case tx::nested:
        inner = tx::atomically(thread, [&](tx::Transaction& within) { within.store(space.at(own + 2), 99u); });
        return;
      case tx::too_many_words:
        for (unsigned i = 0; i < 6; ++i) t.store(space.at(own + 2 + i), 99u);
        return;
      case tx::too_many_records:
        t.store(space.at(own + 2), 99u);
        for (unsigned i = 0; i < kOwn; ++i) t.load(space.at(own + i));
        return;
      case tx::no_such_word:
        t.store(space.at(own + 2), 99u);
        t.store(space.at(space.options.words), 99u);
        return;
      default:
        t.store(space.at(own + 2), 99u);
        return;
    }
  });
  return kind == tx::nested && outer == tx::committed ? inner : outer;
}

__global__ void refused(tx::Space space, tx::Status kind, unsigned* seen) {
  tx::run(space, [&](tx::Thread& thread) {
    const unsigned own = thread.index() * kOwn;
    tx::atomically(thread, [&](tx::Transaction& t) { t.store(space.at(own), 1u); });
    seen[thread.index()] = mistake(thread, kind, own);
    tx::atomically(thread, [&](tx::Transaction& t) { t.store(space.at(own + 1), t.load(space.at(own)) + 1); });
  });
}

void try_case(const helper::Arguments& arguments, tx::Mode mode, const Case& each, unsigned* seen) {
  tx::Options options = arguments.options(kThreads * kOwn, 5, 7);
  options.mode = mode;
  options.blocks = 1;
  options.threads = kThreads;
  options.records = 0;
  if (each.status == tx::exhausted) options.first_number = 0xff000000u;
  tx::Space space;
  REQUIRE(tx::create(space, mode == tx::in_memory ? NULL : arguments.pool.c_str(), options) && tx::start(space),
          "%s: no space", each.what);
  memset(seen, 0xff, 4 * kThreads);
  const unsigned blocks = each.status == tx::wrong_launch ? 2 : 1;
  refused<<<blocks, space.block_threads(), space.shared_bytes()>>>(space, each.status, seen);
  const bool right = each.status == tx::committed || each.status == tx::cancelled;
  REQUIRE(tx::check(space) == right, "%s: tx::check() should be %s", each.what, right ? "true" : "false");
  std::vector<unsigned> words(options.words);
  if (cudaMemcpy(words.data(), space.data, 4ull * options.words, cudaMemcpyDeviceToHost) != cudaSuccess) exit(3);
  const bool runs = each.status != tx::wrong_launch, commits = runs && each.status != tx::exhausted;
  for (unsigned i = 0; i < options.words; ++i) {
    const unsigned thread = i / kOwn, word = i % kOwn;
    const unsigned status = runs ? static_cast<unsigned>(each.status) : ~0u;
    REQUIRE(seen[thread] == status, "%s: thread %u gets status %u, but should get %u", each.what, thread, seen[thread],
            status);
    const unsigned four = each.status == tx::committed && word >= 4 ? 6 + word : 0;
    const unsigned should = commits && word < 2 ? word + 1 : four;
    REQUIRE(words[i] == should, "%s: word %u of thread %u is %u, but should be %u", each.what, word, thread, words[i],
            should);
  }
  if (each.status == tx::cancelled)
    REQUIRE(tx::statistics(space).cancelled == kThreads, "%llu are cancelled, but should be %u",
            tx::statistics(space).cancelled, kThreads);
  tx::close(space);
  if (mode != tx::in_memory) remove(arguments.pool.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  helper::Arguments arguments;
  arguments.pool = "refusals.pool";
  arguments.parse(argc, argv, {});
  unsigned* seen = nullptr;
  if (cudaMallocManaged(&seen, 4 * kThreads) != cudaSuccess) return 3;
  unsigned cases = 0;
  for (tx::Mode mode : {tx::in_memory, tx::strict, tx::helper, tx::adaptive})
    for (const Case& each : kCases) try_case(arguments, mode, each, seen), ++cases;
  return check::passed(__BASE_FILE__, "%u cases, and nothing of what is refused has happened", cases);
}
