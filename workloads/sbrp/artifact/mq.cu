// MQ as the artifact of "SBRP" (ASPLOS'23) has it; mq.cu is this file with -DARTIFACT. One list of commands, each of
// which inserts a batch of entries into one queue or removes one from it. A block has a queue and looks through the
// whole list for its commands; entries come from volatile memory and go there; the queues' ends are volatile, too, and
// logged in the pool before and after every command; the leader acquires one thread's flag after the other.
//
//   mq [--queues N] [--commands N] [--entries N] [--threads N] [--launches N] [--pool FILE]
//                         create the pool, carry out so many commands of so many entries in so many kernels, check
//   mq --recover FILE [--resume]   find the queues' ends, check; then carry out the missing commands
//   --stop-before-commit: the last command of every queue is not marked complete
//
// How a command becomes atomic. The pool has two words a command: the queue's ends before it, and those after it, which
// is written when all its entries are (block-scope releases to the leader). The leader's ofence behind the first word
// also orders the command before, so that the complete ones of a queue are its first. A queue has room for
// kBatchesHeld batches and never holds more than one: what an insertion overwrites was removed by a command that an
// ofence of the leader and a barrier of the block have put before it. (The published program lowers the flags before
// every command, while the leader may still wait for them; here they count the commands.)
// deterministic: yes
#include "../recoverable.h"

namespace {

using recoverable::Header;

constexpr uint64_t kMagic = 0x534252504d514331ull;
constexpr uint32_t kBatchesHeld = 8;
using Word = unsigned long long;
using Entry = uint32_t;

struct Ends {
  uint32_t head, tail;  // counts of entries ever removed and inserted
};
struct Command {
  uint32_t queue, number, insertion;  // number: its place in the pool's log; insertion: 1, removal: 0
  Entry* entries;                     // volatile: taken from there, or put there
};

struct Shape {
  uint32_t queues, commands, entries, threads, launches;  // entries of a command; kernels
  uint32_t commands_after(uint32_t launch) const {
    return static_cast<uint32_t>(uint64_t(commands) * (launch + 1) / launches);
  }
  uint32_t capacity() const { return kBatchesHeld * entries; }
  size_t log_bytes() const { return recoverable::whole_lines(commands * sizeof(Word)); }
  size_t bytes() const { return 2 * log_bytes() + size_t(queues) * capacity() * sizeof(Entry); }
};
constexpr Shape kPublished = {120, 2000, 4096, 128, 1};
constexpr recoverable::Presets<Shape> kPresets = {kPublished, kPublished, {2, 10, 8, 8, 2}};
using Options = recoverable::Options<Shape>;

// The parts of a pool: header, ends before and after each command, entries. A value; the pool outlives it.
struct Queues {
  Header* header;
  Word *begun, *complete;
  Entry* entries;
};
Queues queues_in(Header* header, const Shape& shape) {
  char* at = reinterpret_cast<char*>(header + 1);
  return {header, reinterpret_cast<Word*>(at), reinterpret_cast<Word*>(at + shape.log_bytes()),
          reinterpret_cast<Entry*>(at + 2 * shape.log_bytes())};
}

// 0 stands for a word that was never written.
__host__ __device__ Word logged(const Ends& ends) {
  return (Word(ends.head) << 32 | ends.tail) + 1;
}
__host__ __device__ Ends ends_in(Word word) {
  return {static_cast<uint32_t>((word - 1) >> 32), static_cast<uint32_t>(word - 1)};
}
__host__ __device__ Entry entry_of(uint32_t queue, uint32_t number) {
  return static_cast<Entry>(recoverable::mix((Word(queue) + 1) << 32 | (number + 1)));
}

// One pass over all flags after the other, until one finds them all up.
__device__ void acquire_all(uint32_t* arrived, uint32_t round) {
  bool all = false;
  while (!all) {
    all = true;
    for (uint32_t i = 0; i < blockDim.x; ++i) all &= pAcq_block(&arrived[i]) >= round;
  }
}

// `uncommitted`: for each queue, the command that is not marked complete, if any.
__global__ void transact(Queues all, const Command* commands, uint32_t count, uint32_t size, Ends* ends,
                         const uint32_t* uncommitted) {
  extern __shared__ uint32_t arrived[];
  const uint32_t q = blockIdx.x, t = threadIdx.x, capacity = kBatchesHeld * size;
  Entry* held = all.entries + size_t(q) * capacity;
  Ends* mine = &ends[q];
  uint32_t round = 0;
  arrived[t] = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (commands[i].queue != q) continue;
    const uint32_t number = commands[i].number;
    ++round;
    if (t == 0) {
      all.begun[number] = logged({mine->head, mine->tail});
      ofence();
    }
    __syncthreads();
    Entry* moved = commands[i].entries;
    const bool insertion = commands[i].insertion;
    for (uint32_t k = t; k < size; k += blockDim.x) {
      if (insertion)
        held[(mine->tail + k) % capacity] = moved[k];
      else
        moved[k] = held[(mine->head + k) % capacity];
    }
    pRel_block(&arrived[t], round);
    if (t == 0) {
      acquire_all(arrived, round);
      if (insertion)
        mine->tail += size;
      else
        mine->head += size;
      if (number != uncommitted[q]) all.complete[number] = logged({mine->head, mine->tail});
    }
  }
}

// What each queue's complete commands have left of it; a later one has logged a greater word.
__global__ void find_ends(Queues all, const Command* commands, uint32_t count, Word* found) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && all.complete[i] != 0) atomicMax(&found[commands[i].queue], all.complete[i]);
}

uint32_t queue_of(uint32_t command, uint32_t queues) {
  return static_cast<uint32_t>(recoverable::mix(command + 1) % queues);
}

// The list of commands with their entries in volatile memory: those to insert, and room for what is removed.
class Commands {
 public:
  explicit Commands(const Shape& shape) : shape_(shape), entries_(entries_of(shape)), on_device_(listed()) {}
  const std::vector<Command>& list() const { return list_; }
  const Command* on_device() const { return on_device_; }
  std::vector<Entry> download() const { return entries_.download(); }

 private:
  static std::vector<Entry> entries_of(const Shape& shape) {
    std::vector<Entry> entries(size_t(shape.commands) * shape.entries, 0);
    std::vector<uint32_t> of_queue(shape.queues, 0), inserted(shape.queues, 0);
    for (uint32_t i = 0; i < shape.commands; ++i) {
      const uint32_t q = queue_of(i, shape.queues);
      if (of_queue[q]++ % 2 != 0) continue;
      for (uint32_t k = 0; k < shape.entries; ++k) entries[size_t(i) * shape.entries + k] = entry_of(q, inserted[q]++);
    }
    return entries;
  }
  std::vector<Command> listed() {
    std::vector<uint32_t> of_queue(shape_.queues, 0);
    for (uint32_t i = 0; i < shape_.commands; ++i) {
      const uint32_t q = queue_of(i, shape_.queues);
      list_.push_back({q, i, of_queue[q]++ % 2 == 0, entries_ + size_t(i) * shape_.entries});
    }
    return list_;
  }
  const Shape shape_;
  const DeviceArray<Entry> entries_;
  std::vector<Command> list_;
  const DeviceArray<Command> on_device_;
};

// The commands that are not complete yet, launch after launch.
void carry_out_all(const Queues& all, const Shape& shape, const Commands& commands, bool commit) {
  constexpr uint32_t none = ~0u;
  std::vector<Ends> ends(shape.queues, Ends{0, 0});
  std::vector<uint32_t> last(shape.queues, none);
  for (const Command& command : commands.list()) {
    if (!commit) last[command.queue] = command.number;
    if (all.complete[command.number] != 0) ends[command.queue] = ends_in(all.complete[command.number]);
  }
  const DeviceArray<Ends> on_device(ends);
  const DeviceArray<uint32_t> uncommitted(last);
  uint32_t number = 0;
  for (uint32_t launch = 0; launch < shape.launches; ++launch) {
    std::vector<Command> missing;
    for (; number < shape.commands_after(launch); ++number)
      if (all.complete[number] == 0) missing.push_back(commands.list()[number]);
    if (missing.empty()) continue;
    const DeviceArray<Command> list(missing);
    transact<<<static_cast<int>(shape.queues), static_cast<int>(shape.threads), shape.threads * sizeof(uint32_t)>>>(
        all, list, static_cast<uint32_t>(missing.size()), shape.entries, on_device, uncommitted);
    FINISH_KERNEL();
    if (commit) recoverable::settle_and_acknowledge(all.header, number);
  }
}

// Every queue against the commands that the pool says are complete: they are its first, their words say how far they
// have brought its ends, and each entry between these is there. How many are complete.
uint32_t check_queues(const Queues& all, const Shape& shape, const std::vector<Command>& commands,
                      const std::vector<Ends>& ends) {
  std::vector<Ends> want(shape.queues, Ends{0, 0});
  std::vector<bool> open(shape.queues, false);
  uint32_t complete = 0;
  for (const Command& command : commands) {
    const uint32_t q = command.queue;
    const Word word = all.complete[command.number];
    if (word == 0) open[q] = true;
    if (open[q]) {
      EXPECT(word == 0, "command %u of queue %u should not be complete, as one before it is not", command.number, q);
      continue;
    }
    const Word before = all.begun[command.number];
    EXPECT(before == logged(want[q]), "command %u of queue %u should have begun at %#llx, did at %#llx", command.number,
           q, logged(want[q]), before);
    (command.insertion ? want[q].tail : want[q].head) += shape.entries;
    EXPECT(word == logged(want[q]), "command %u of queue %u should have ended at %#llx, did at %#llx", command.number,
           q, logged(want[q]), word);
    ++complete;
  }
  for (uint32_t q = 0; q < shape.queues; ++q) {
    EXPECT(logged(ends[q]) == logged(want[q]), "queue %u should reach from %u to %u, reaches from %u to %u", q,
           want[q].head, want[q].tail, ends[q].head, ends[q].tail);
    for (uint32_t number = want[q].head; number < want[q].tail; ++number) {
      const Entry entry = all.entries[size_t(q) * shape.capacity() + number % shape.capacity()];
      EXPECT(entry == entry_of(q, number), "entry %u of queue %u should be %#x, is %#x", number, q, entry_of(q, number),
             entry);
    }
  }
  return complete;
}

std::vector<Ends> ends_of(const Queues& all, const Shape& shape, const Commands& commands) {
  const DeviceArray<Word> found(std::vector<Word>(shape.queues, logged({0, 0})));
  find_ends<<<recoverable::blocks_for(shape.commands, 128), 128>>>(all, commands.on_device(), shape.commands, found);
  FINISH_KERNEL();
  std::vector<Ends> ends;
  for (const Word word : found.download()) ends.push_back(ends_in(word));
  return ends;
}

void check_removed(const Shape& shape, const Commands& commands) {
  const std::vector<Entry> entries = commands.download();
  std::vector<uint32_t> removed(shape.queues, 0);
  for (const Command& command : commands.list()) {
    const uint32_t q = command.queue;
    for (uint32_t k = 0; k < shape.entries && !command.insertion; ++k, ++removed[q]) {
      const Entry got = entries[size_t(command.number) * shape.entries + k];
      EXPECT(got == entry_of(q, removed[q]), "entry %u removed by command %u should be %#x, is %#x", k, command.number,
             entry_of(q, removed[q]), got);
    }
  }
}

int run(const Options& options) {
  const Shape& shape = options.shape;
  const Queues all = queues_in(recoverable::create_pool(options, kMagic), shape);
  const Commands commands(shape);
  carry_out_all(all, shape, commands, !options.stop_before_commit);
  gpm_persist_end();
  if (options.stop_before_commit) return PASS("stopped before the last commands were complete");
  const uint32_t complete = check_queues(all, shape, commands.list(), ends_of(all, shape, commands));
  EXPECT(complete == shape.commands, "all commands should be complete, %u are", complete);
  check_removed(shape, commands);
  return PASS("queues=%u commands=%u entries=%u", shape.queues, complete, complete * shape.entries);
}

int recover(const Options& options) {
  Shape shape;
  Header* header = recoverable::reopen_pool(options.recovered, kMagic, &shape);
  if (header == nullptr) return PASS("the pool was not created yet");
  const Queues all = queues_in(header, shape);
  const Commands commands(shape);
  uint32_t durable = 0, begun = 0;
  while (durable < shape.commands && all.complete[durable] != 0) ++durable;
  for (uint32_t i = 0; i < shape.commands; ++i) begun += all.begun[i] != 0 && all.complete[i] == 0;
  const uint32_t complete = check_queues(all, shape, commands.list(), ends_of(all, shape, commands));
  recoverable::expect_acknowledged(durable, "commands");
  if (!options.resume)
    return PASS("recovered: %u of %u commands complete, %u under way", complete, shape.commands, begun);
  carry_out_all(all, shape, commands, true);
  EXPECT(check_queues(all, shape, commands.list(), ends_of(all, shape, commands)) == shape.commands,
         "all %u commands should be complete", shape.commands);
  return PASS("recovered after %u of %u commands, %u under way, then finished", complete, shape.commands, begun);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = recoverable::parse<Shape>(argc, argv, "mq.pool", kPresets,
                                                    {{"--queues", &Shape::queues, 1 << 16},
                                                     {"--commands", &Shape::commands, 1 << 20},
                                                     {"--entries", &Shape::entries, 1 << 20},
                                                     {"--threads", &Shape::threads, 1024},
                                                     {"--launches", &Shape::launches, 1024}});
  return options.recovered.empty() ? run(options) : recover(options);
}
