// What the six programs of this folder share: their options, the head of their pools with its life (created, reopened
// after a crash), and the switches by which one source becomes many programs. README.md says what the programs do.
//
//   -DBUG=N           plants bug N of bugs.toml
//   -DWIDE_SCOPES     block-scoped persist operations at device scope ("SBRP", ASPLOS'23, figure 7)
//   -DARTIFACT        as that paper's artifact runs them: gpkvs and mq of their own (artifact/), its division of the
//                     work (--artifact), scan's flags in the pool, no look at the pool by red's first run, which
//                     begins on block sums that the host has written, hm's log copied from its slots, and recoveries
//                     of red and scan that look at the pool and stop
//   -DEXTRA_FENCES    __threadfence() behind each persist operation, as the artifact builds its GPM programs
#pragma once
#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>
#include <initializer_list>
#include <string>

#include "../cuda/check.h"

#ifndef BUG
#define BUG 0
#endif
#ifdef WIDE_SCOPES
#define pRel_block pRel_dev
#define pAcq_block pAcq_dev
#endif
#ifdef EXTRA_FENCES
#define ofence() (ofence(), __threadfence())
#define dfence() (dfence(), __threadfence())
#define pRel_block(flag, value) (pRel_block(flag, value), __threadfence())
#define pRel_dev(flag, value) (pRel_dev(flag, value), __threadfence())
#define pAcq_block(flag) recoverable::then_fence(pAcq_block(flag))
#define pAcq_dev(flag) recoverable::then_fence(pAcq_dev(flag))
#endif

namespace recoverable {

template <class T>
__device__ T then_fence(T value) {
  __threadfence();
  return value;
}

/// The first line of every pool. `magic` is persisted last, so a header that has it is whole.
struct Header {
  uint64_t magic;
  uint64_t state;  // how far the program is, in its own count; 0 in a new pool
  uint32_t shape[28];
};
static_assert(sizeof(Header) == 128, "what follows the header begins on a line of its own");

inline size_t whole_lines(size_t bytes) {
  return (bytes + 127) / 128 * 128;
}

__global__ void create_header(Header* header, Header contents) {
  for (int i = 0; i < 28; ++i) header->shape[i] = contents.shape[i];
  ofence();
  header->magic = contents.magic;
  dfence();
}

__global__ void set_state(Header* header, uint64_t state) {
  header->state = state;  // @state
  dfence();
}

/// Tells what the pool is durably past, in the program's own count. REQUIRES: the host has waited for the kernel whose
/// dfence says so.
inline void acknowledge(uint64_t progress) {
  gpm_acknowledge(progress);
}
/// The same where no kernel says so: one that comes behind the others does.
inline void settle_and_acknowledge(Header* header, uint64_t progress) {
  set_state<<<1, 1>>>(header, progress);
  FINISH_KERNEL();
  acknowledge(progress);
}
/// In a recovery: what was acknowledged before the crash is there.
inline void expect_acknowledged(uint64_t found, const char* what) {
  const unsigned long long told = gpm_acknowledged();
  if (found < told)
    check::failed(__BASE_FILE__, "acknowledged %s that should be there: %llu, found: %llu", what, told,
                  static_cast<unsigned long long>(found));
}

/// The words of the command line. `Shape`: the program's sizes, all of them uint32_t.
template <class Shape>
struct Options {
  Shape shape;
  std::string pool, recovered;
  bool resume = false, stop_before_commit = false;
};
template <class Shape>
struct Size {
  const char* option;
  uint32_t Shape::*member;
  uint32_t most;
};
template <class Shape>
struct Presets {
  Shape paper, artifact, small;
};

template <class Shape>
[[noreturn]] void explain_usage(const char* program, std::initializer_list<Size<Shape>> sizes) {
  fprintf(stderr, "usage: %s [--small | --artifact]", program);
  for (const Size<Shape>& size : sizes) fprintf(stderr, " [%s N]", size.option);
  fprintf(stderr, " [--pool FILE] [--stop-before-commit] | --recover FILE [--resume]\n");
  exit(2);
}

template <class Shape>
Options<Shape> parse(int argc, char** argv, const char* pool, const Presets<Shape>& presets,
                     std::initializer_list<Size<Shape>> sizes) {
#ifdef ARTIFACT
  Options<Shape> options = {presets.artifact, pool, ""};
#else
  Options<Shape> options = {presets.paper, pool, ""};
#endif
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--small" || word == "--artifact") {
      options.shape = word == "--small" ? presets.small : presets.artifact;
    } else if (word == "--resume") {
      options.resume = true;
    } else if (word == "--stop-before-commit") {
      options.stop_before_commit = true;
    } else if (i + 1 == argc) {
      explain_usage(argv[0], sizes);
    } else if (word == "--pool" || word == "--recover") {
      (word == "--pool" ? options.pool : options.recovered) = argv[++i];
    } else {
      const Size<Shape>* size = sizes.begin();
      while (size != sizes.end() && word != size->option) ++size;
      if (size == sizes.end()) explain_usage(argv[0], sizes);
      char* end = nullptr;
      const unsigned long value = strtoul(argv[++i], &end, 10);
      if (*end != 0 || value < 1 || value > size->most) {
        fprintf(stderr, "%s: a number between 1 and %u is expected, got %s\n", size->option, size->most, argv[i]);
        exit(2);
      }
      options.shape.*size->member = static_cast<uint32_t>(value);
    }
  }
  return options;
}

/// A new pool of this shape, in place of an older one. Ends the program when it cannot be.
template <class Shape>
Header* create_pool(const Options<Shape>& options, uint64_t magic) {
  static_assert(sizeof(Shape) <= sizeof(Header::shape), "the shape fits into the header");
  const size_t bytes = sizeof(Header) + options.shape.bytes();
  std::remove(options.pool.c_str());
  Header* header = static_cast<Header*>(gpm_map(options.pool.c_str(), bytes, true));
  if (header == nullptr)
    check::failed(__BASE_FILE__, "%s should be mapped as a pool of %zu bytes", options.pool.c_str(), bytes);
  gpm_persist_begin();
  Header contents = {magic, 0, {}};
  memcpy(contents.shape, &options.shape, sizeof(Shape));
  create_header<<<1, 1>>>(header, contents);
  return header;
}

/// The pool that a crash has left, and its shape. NULL when the crash came before it was created; then nothing else may
/// have happened to it, and nothing may have been acknowledged.
template <class Shape>
Header* reopen_pool(const std::string& path, uint64_t magic, Shape* shape) {
  const size_t bytes = gpm_size(path.c_str());
  if (bytes == 0) {
    expect_acknowledged(0, "steps");
    return nullptr;
  }
  char* pool = bytes < sizeof(Header) ? nullptr : static_cast<char*>(gpm_map(path.c_str(), bytes, false));
  if (pool == nullptr) check::failed(__BASE_FILE__, "%s should be mapped as a pool", path.c_str());
  gpm_persist_begin();
  Header* header = reinterpret_cast<Header*>(pool);
  if (header->magic == 0) {
    for (size_t i = sizeof(Header); i < bytes; ++i)
      if (pool[i] != 0)
        check::failed(__BASE_FILE__, "a pool that was not created should be empty, byte %zu is %d", i, pool[i]);
    expect_acknowledged(0, "steps");
    return nullptr;
  }
  if (header->magic != magic)
    check::failed(__BASE_FILE__, "the magic should be %#llx, is %#llx", static_cast<unsigned long long>(magic),
                  static_cast<unsigned long long>(header->magic));
  memcpy(shape, header->shape, sizeof(Shape));
  if (bytes < sizeof(Header) + shape->bytes())
    check::failed(__BASE_FILE__, "a pool of this shape should have %zu bytes, has %zu", sizeof(Header) + shape->bytes(),
                  bytes);
  return header;
}

__host__ __device__ inline uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdull;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ull;
  return x ^ (x >> 33);
}

inline int blocks_for(uint32_t threads, uint32_t block) {
  return static_cast<int>((threads + block - 1) / block);
}

}  // namespace recoverable
