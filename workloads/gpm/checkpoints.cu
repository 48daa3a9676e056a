// A test of libGPM's checkpoints: two groups of device arrays of odd sizes, checkpointed in turns while they change.
// It also checks that wrong calls are refused, and change no byte of the file.
//
//   checkpoints [--small] [--pool FILE]     the checkpoint file; create it, step, checkpoint, restore, check
//   checkpoints --recover FILE              open it, restore both groups, check them and what was acknowledged
#include <string>

#include "library.h"

constexpr unsigned kGroups = 2, kElements = 3, kSteps = 4;
constexpr unsigned kBytes[kGroups][kElements] = {{200, 132, 36}, {65, 16, 0}};  // group 1 has two elements

__host__ __device__ unsigned char byte_of(unsigned step, unsigned group, unsigned element, unsigned i) {
  return static_cast<unsigned char>(seal_of(step * 16 + group * 4 + element, i));
}
__global__ void change(unsigned char* bytes, unsigned count, unsigned step, unsigned group, unsigned element) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) bytes[i] = byte_of(step, group, element, i);
}

// The arrays of the program, and the file that they are registered with.
struct Arrays {
  unsigned char* memory[kGroups][kElements] = {};
  Arrays() {
    for (unsigned g = 0; g < kGroups; ++g)
      for (unsigned e = 0; e < kElements; ++e)
        if (kBytes[g][e] != 0) CUDA(cudaMalloc(&memory[g][e], kBytes[g][e]));
  }
  void register_with(gpmcp* cp) const {
    for (unsigned e = 0; e < kElements; ++e)  // the groups in turns: each has an order of its own
      for (unsigned g = kGroups; g-- != 0;)
        if (kBytes[g][e] != 0)
          EXPECT(gpmcp_register(cp, memory[g][e], kBytes[g][e], g) == 0, "element %u of group %u is refused", e, g);
  }
  void step(unsigned step, unsigned group) const {
    for (unsigned e = 0; e < kElements; ++e)
      if (kBytes[group][e] != 0) change<<<1, 64>>>(memory[group][e], kBytes[group][e], step, group, e);
    FINISH_KERNEL();
  }
  void expect(unsigned step, unsigned group) const {
    for (unsigned e = 0; e < kElements; ++e) {
      std::vector<unsigned char> found(kBytes[group][e]);
      if (found.empty()) continue;
      CUDA(cudaMemcpy(found.data(), memory[group][e], found.size(), cudaMemcpyDeviceToHost));
      for (unsigned i = 0; i < found.size(); ++i)
        EXPECT(found[i] == byte_of(step, group, e, i),
               "group %u, element %u, byte %u should be that of step %u: %u, is %u", group, e, i, step,
               byte_of(step, group, e, i), found[i]);
    }
  }
};

// Wrong ways to make a checkpoint, on the library's file. 1: only the thread that stores the selector persists, in the
// same kernel. 2: the selector is stored first. 3: always the same copy is written.
__global__ void copy_and_select(everwarp::GpmPieces pieces, unsigned long long* selector, unsigned long long next) {
  if (BUG == 2 && threadIdx.x == 0) {
    *selector = next;  // @selector_early
    gpm_persist();
  }
  for (int k = 0; k < pieces.count; ++k)
    for (unsigned i = threadIdx.x; i < pieces.piece[k].bytes; i += blockDim.x)
      pieces.piece[k].to[i] = pieces.piece[k].from[i];  // @copy
  if (BUG != 1) gpm_persist();
  __syncthreads();
  if (threadIdx.x != 0 || BUG == 2) return;
  if (BUG == 1) gpm_persist();
  *selector = next;  // @selector
  gpm_persist();
}
// 5: each element has a kernel of its own, in a stream of its own. The selector waits for the last of these kernels
// only.
__global__ void copy_element(everwarp::GpmPiece piece) {
  for (unsigned i = threadIdx.x; i < piece.bytes; i += blockDim.x) piece.to[i] = piece.from[i];  // @element
  gpm_persist();
}
__global__ void choose(unsigned long long* selector, unsigned long long next) {
  *selector = next;  // @chosen
  gpm_persist();
}
int checkpoint(gpmcp* cp, unsigned group) {
  if (BUG == 0 || BUG == 4) return gpmcp_checkpoint(cp, group);
  const unsigned long long next = gpmcp_sequence(cp, group) + 1;
  everwarp::GpmPieces pieces;
  pieces.count = 0;
  for (unsigned i = 0; i < cp->registered[group]; ++i) {
    const everwarp::GpmElement& row = everwarp::gpmcp_table(cp)[group * cp->file->elements + i];
    char* const copies = reinterpret_cast<char*>(cp->file) + cp->file->copies;
    char* const to = copies + (BUG == 3 ? 1 : next % 2) * cp->file->copy_bytes + row.offset;
    pieces.piece[pieces.count++] = {to, static_cast<char*>(cp->addresses[group * cp->file->elements + i]), row.size};
  }
  unsigned long long* const selector = &everwarp::gpmcp_selector(cp, group)->sequence;
  if (BUG == 5) {
    static cudaStream_t streams[kElements] = {};
    for (int k = 0; k < pieces.count; ++k) {
      if (streams[k] == nullptr) CUDA(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
      copy_element<<<1, 64, 0, streams[k]>>>(pieces.piece[k]);
    }
    choose<<<1, 1, 0, streams[pieces.count - 1]>>>(selector, next);
  } else {
    copy_and_select<<<1, 64>>>(pieces, selector, next + (BUG == 3 && next > 1));
  }
  FINISH_KERNEL();
  return 0;
}
// Planted bug 3 counts in odd numbers, so that its one copy is always the selected one.
unsigned step_of(const gpmcp* cp, unsigned group) {
  const unsigned sequence = static_cast<unsigned>(gpmcp_sequence(cp, group));
  return BUG == 3 ? (sequence + 1) / 2 : sequence;
}

std::vector<char> bytes_of(const gpmcp* cp) {
  const char* file = reinterpret_cast<const char*>(cp->file);
  return std::vector<char>(file, file + cp->file->bytes);
}

void check_misuse(const char* name) {
  const std::string path = std::string(name) + ".misuse";
  gpmcp* cp = gpmcp_create(path.c_str(), 96, 2, 1);
  DeviceArray<char> array(4096, 0);
  EXPECT(gpmcp_create((path + ".none").c_str(), ~size_t{0}, 2, 1) == nullptr, "no file is so large");
  EXPECT(cp != nullptr && gpmcp_register(cp, array, 64, 0) == 0, "64 bytes fit into a file for 96");
  const std::vector<char> before = bytes_of(cp);
  EXPECT(gpmcp_restore(cp, 0) == -1, "a group without a checkpoint has nothing to restore");
  EXPECT(gpmcp_register(cp, array, 16, 1) == -1, "the file has no group 1");
  EXPECT(gpmcp_register(cp, array, 4096, 0) == -1, "4,096 bytes do not fit");
  EXPECT(gpmcp_register(cp, array, 33, 0) == -1, "33 bytes do not fit behind 64, in a file for 96");
  EXPECT(gpmcp_register(cp, nullptr, 16, 0) == -1 && gpmcp_register(cp, array, 0, 0) == -1, "nothing is no element");
  EXPECT(gpmcp_checkpoint(cp, 7) == -1, "the file has no group 7");
  EXPECT(before == bytes_of(cp), "a refused call should change nothing in the file");
  EXPECT(gpmcp_register(cp, array, 32, 0) == 0 && gpmcp_register(cp, array, 1, 0) == -1, "two elements, and no third");
  EXPECT(gpmcp_checkpoint(cp, 0) == 0 && gpmcp_close(cp) == 0, "the rest is right");
  EXPECT((cp = gpmcp_open(path.c_str())) != nullptr, "the file is whole");
  EXPECT(gpmcp_register(cp, array, 60, 0) == -1, "the first element has 64 bytes");
  EXPECT(gpmcp_register(cp, array, 64, 0) == 0 && gpmcp_restore(cp, 0) == -1, "there is an element more in the file");
  EXPECT(gpmcp_register(cp, array, 32, 0) == 0 && gpmcp_restore(cp, 0) == 0 && gpmcp_close(cp) == 0, "all are there");
  EXPECT(gpmlog_open(path.c_str()) == nullptr, "a checkpoint file is no log");
  std::remove(path.c_str());
  EXPECT((cp = gpmcp_create(path.c_str(), 96, 2, 1)) != nullptr && gpmcp_register(cp, array, 32, 0) == 0 &&
             gpmcp_checkpoint(cp, 0) == 0,
         "there is a checkpoint of one element");
  EXPECT(gpmcp_register(cp, array, 32, 0) == -1, "the checkpoint lacks a second element");
  EXPECT(gpmcp_restore(cp, 0) == 0 && gpmcp_close(cp) == 0, "the first is restored");
  std::remove(path.c_str());
  EXPECT(gpmcp_open(path.c_str()) == nullptr, "there is no such file");
}

gpmcp* create(const char* path) {
  size_t bytes = 0;
  for (unsigned g = 0; g < kGroups; ++g)
    for (unsigned e = 0; e < kElements; ++e) bytes += kBytes[g][e];
  if (BUG != 4) return gpmcp_create(path, bytes, kElements, kGroups);
  everwarp::GpmCheckpointHeader header = everwarp::gpm_checkpoint_layout(kGroups, kElements, 2048);
  header.magic = everwarp::gpm_checkpoint_magic;  // a header that no one makes durable
  void* pool = gpm_map(path, header.bytes, true);
  memcpy(pool, &header, sizeof header);
  gpmcp* const cp = everwarp::gpmcp_handle("create", path, kGroups, kElements);
  cp->file = static_cast<everwarp::GpmCheckpointHeader*>(pool);
  return cp;
}

int run(const Library& library) {
  if (BUG == 0) check_misuse(library.file);
  const Arrays arrays;
  gpmcp* cp = create(library.file);
  EXPECT(cp != nullptr, "the checkpoint file should have been created");
  arrays.register_with(cp);
  for (unsigned step = 1; step <= kSteps; ++step) {
    for (unsigned g = 0; g < kGroups; ++g) {
      arrays.step(step, g);
      EXPECT(checkpoint(cp, g) == 0, "step %u of group %u should have been checkpointed", step, g);
    }
    gpm_acknowledge(step);
  }
  for (unsigned g = 0; g < kGroups; ++g) {
    arrays.step(99, g);  // lost
    EXPECT(gpmcp_restore(cp, g) == 0, "group %u should have been restored", g);
    arrays.expect(kSteps, g);
  }
  EXPECT(gpmcp_close(cp) == 0, "the file should have been closed");
  return PASS("%u checkpoints of %u groups", kSteps, kGroups);
}

int recover(const Library& library) {
  const unsigned acknowledged = static_cast<unsigned>(gpm_acknowledged());
  if (!library.is_whole()) return library.nothing_yet();
  gpmcp* cp = gpmcp_open(library.file);
  EXPECT(cp != nullptr, "the file should be whole");
  const Arrays arrays;
  arrays.register_with(cp);
  for (unsigned g = 0; g < kGroups; ++g) {
    const unsigned step = step_of(cp, g);
    EXPECT(step >= acknowledged, "step %u was acknowledged, group %u has step %u", acknowledged, g, step);
    if (step == 0) continue;
    EXPECT(gpmcp_restore(cp, g) == 0, "group %u should have been restored", g);
    arrays.expect(step, g);
  }
  EXPECT(gpmcp_close(cp) == 0, "the file should have been closed");
  return PASS("recovered behind %u of %u steps", acknowledged, kSteps);
}

int main(int argc, char** argv) {
  const Library library(argc, argv);
  return library.recovers ? recover(library) : run(library);
}
