// malloc and new of a program that does timed work of the host (<everwarp/host.cuh>, or ew build --trace-host). Where
// malloc puts an object within a line and a page depends on what else the process has allocated, such as copies of its
// environment, and how many lines and pages the object touches takes simulated time. An object of these programs begins
// with a line, and lies in as few pages as it can. The linker's --wrap brings the calls of the program's own code here
// (cli/toolchain.cpp); free() and delete stay the C library's.
#include <malloc.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

void* allocate(std::size_t bytes) {
  const std::size_t alignment = std::bit_ceil(std::clamp<std::size_t>(bytes, 64, 4096));
  return std::aligned_alloc(alignment, bytes);
}
void* allocate_or_throw(std::size_t bytes) {
  void* const object = allocate(bytes);
  return object ? object : throw std::bad_alloc();
}

}  // namespace

extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  return allocate(bytes);
}
void* __wrap_calloc(std::size_t count, std::size_t each) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, each, &bytes)) return nullptr;
  void* const object = allocate(bytes);
  return object ? std::memset(object, 0, bytes) : nullptr;
}
void* __wrap_realloc(void* old, std::size_t bytes) {
  if (old && bytes == 0) return std::realloc(old, 0);
  void* const object = allocate(bytes);
  if (!old || !object) return object;
  std::memcpy(object, old, std::min(bytes, malloc_usable_size(old)));
  std::free(old);
  return object;
}
void* __wrap__Znwm(std::size_t bytes) {
  return allocate_or_throw(bytes);
}
void* __wrap__Znam(std::size_t bytes) {
  return allocate_or_throw(bytes);
}

}  // extern "C"
