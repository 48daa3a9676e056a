// Local scopes and read-only regions (Sinclair's thesis, 2017, sections 2.3 and 2.4): synchronisation between thread
// blocks of one multiprocessor, and loads of data that no kernel writes.
//
//   everwarp::local_ref<unsigned> lock(word);     like cuda::atomic_ref, between the blocks of one multiprocessor
//   lock.exchange(0, cuda::memory_order_release)
//   everwarp::local_fence()                       an acq_rel fence between the blocks of one multiprocessor
//   value = everwarp::read_only(&table[i])        no kernel writes table[i]; copies and the host may, between kernels
//
// PTX has no scope between the block and the GPU. So the instructions have .gpu scope, and a real GPU performs them so. A
// machine with local scopes (HRF) may perform them at its SM. Therefore blocks that use one local_ref must run on one SM:
// index by %smid, never by block number. Each operation is one region (region.cuh).
//
// Each operation has an order as a constant, which the compiler folds. There is no default. Objects have 4 or 8 bytes;
// sums and bitwise operations take integers. Loads are relaxed, acquire or seq_cst, stores relaxed, release or seq_cst.
#pragma once

#if defined(__CUDACC__)

#include <cuda/atomic>

#include "region.cuh"

// One operation in every order: `head`, then the order, then `tail`. Before sm_70 PTX has no orders. Fences around the
// operation are used instead, which is stronger.
#define EVERWARP_LOCAL_CASE(text, ...) \
  asm volatile(EVERWARP_REGION("local", text) __VA_ARGS__ : "memory"); \
  break
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#define EVERWARP_LOCAL_FENCE "membar.gl;"
#define EVERWARP_LOCAL_ATOMIC(order, head, tail, ...)                                                                     \
  switch (order) {                                                                                                        \
    case cuda::memory_order_relaxed: EVERWARP_LOCAL_CASE(head tail, __VA_ARGS__);                                         \
    case cuda::memory_order_release: EVERWARP_LOCAL_CASE("membar.gl;\n\t" head tail, __VA_ARGS__);                        \
    case cuda::memory_order_consume:                                                                                      \
    case cuda::memory_order_acquire: EVERWARP_LOCAL_CASE(head tail "\n\tmembar.gl;", __VA_ARGS__);                        \
    default: EVERWARP_LOCAL_CASE("membar.gl;\n\t" head tail "\n\tmembar.gl;", __VA_ARGS__);                               \
  }
#define EVERWARP_LOCAL_LOAD(order, tail, ...)                                                                             \
  switch (order) {                                                                                                        \
    case cuda::memory_order_relaxed: EVERWARP_LOCAL_CASE("ld.volatile" tail, __VA_ARGS__);                                \
    case cuda::memory_order_seq_cst:                                                                                      \
      EVERWARP_LOCAL_CASE("membar.gl;\n\tld.volatile" tail "\n\tmembar.gl;", __VA_ARGS__);                                \
    default: EVERWARP_LOCAL_CASE("ld.volatile" tail "\n\tmembar.gl;", __VA_ARGS__);                                       \
  }
#define EVERWARP_LOCAL_STORE(order, tail, ...)                                                                            \
  switch (order) {                                                                                                        \
    case cuda::memory_order_relaxed: EVERWARP_LOCAL_CASE("st.volatile" tail, __VA_ARGS__);                                \
    default: EVERWARP_LOCAL_CASE("membar.gl;\n\tst.volatile" tail, __VA_ARGS__);                                          \
  }
#else
#define EVERWARP_LOCAL_FENCE "fence.acq_rel.gpu;"
#define EVERWARP_LOCAL_ATOMIC(order, head, tail, ...)                                                                     \
  switch (order) {                                                                                                        \
    case cuda::memory_order_relaxed: EVERWARP_LOCAL_CASE(head ".relaxed.gpu" tail, __VA_ARGS__);                          \
    case cuda::memory_order_release: EVERWARP_LOCAL_CASE(head ".release.gpu" tail, __VA_ARGS__);                          \
    case cuda::memory_order_consume:                                                                                      \
    case cuda::memory_order_acquire: EVERWARP_LOCAL_CASE(head ".acquire.gpu" tail, __VA_ARGS__);                          \
    case cuda::memory_order_acq_rel: EVERWARP_LOCAL_CASE(head ".acq_rel.gpu" tail, __VA_ARGS__);                          \
    default: EVERWARP_LOCAL_CASE("fence.sc.gpu;\n\t" head ".acq_rel.gpu" tail, __VA_ARGS__);                              \
  }
#define EVERWARP_LOCAL_LOAD(order, tail, ...)                                                                             \
  switch (order) {                                                                                                        \
    case cuda::memory_order_relaxed: EVERWARP_LOCAL_CASE("ld.relaxed.gpu" tail, __VA_ARGS__);                             \
    case cuda::memory_order_seq_cst: EVERWARP_LOCAL_CASE("fence.sc.gpu;\n\tld.acquire.gpu" tail, __VA_ARGS__);            \
    default: EVERWARP_LOCAL_CASE("ld.acquire.gpu" tail, __VA_ARGS__);                                                     \
  }
#define EVERWARP_LOCAL_STORE(order, tail, ...)                                                                            \
  switch (order) {                                                                                                        \
    case cuda::memory_order_relaxed: EVERWARP_LOCAL_CASE("st.relaxed.gpu" tail, __VA_ARGS__);                             \
    case cuda::memory_order_seq_cst: EVERWARP_LOCAL_CASE("fence.sc.gpu;\n\tst.release.gpu" tail, __VA_ARGS__);            \
    default: EVERWARP_LOCAL_CASE("st.release.gpu" tail, __VA_ARGS__);                                                     \
  }
#endif

// The operations that take one operand and return the old value.
#define EVERWARP_LOCAL_UPDATE(name, operation, type, constraint)                                                          \
  EVERWARP_DEVICE type local_##name(void* word, type operand, cuda::memory_order order) {                                 \
    type old;                                                                                                             \
    EVERWARP_LOCAL_ATOMIC(order, "atom", "." operation " %0, [%1], %2;", : "=" constraint(old)                            \
                          : "l"(word), constraint(operand))                                                               \
    return old;                                                                                                           \
  }
#define EVERWARP_LOCAL_OPERATIONS(type, bits, number, constraint)                                                         \
  EVERWARP_DEVICE void local_load(const void* word, type& value, cuda::memory_order order) {                              \
    EVERWARP_LOCAL_LOAD(order, "." bits " %0, [%1];", : "=" constraint(value) : "l"(word))                                \
  }                                                                                                                       \
  EVERWARP_DEVICE void local_store(void* word, type value, cuda::memory_order order) {                                    \
    EVERWARP_LOCAL_STORE(order, "." bits " [%0], %1;", ::"l"(word), constraint(value))                                    \
  }                                                                                                                       \
  EVERWARP_DEVICE type local_swap(void* word, type expected, type desired, cuda::memory_order order) {                    \
    type old;                                                                                                             \
    EVERWARP_LOCAL_ATOMIC(order, "atom", ".cas." bits " %0, [%1], %2, %3;", : "=" constraint(old)                         \
                          : "l"(word), constraint(expected), constraint(desired))                                         \
    return old;                                                                                                           \
  }                                                                                                                       \
  EVERWARP_LOCAL_UPDATE(exchange, "exch." bits, type, constraint)                                                         \
  EVERWARP_LOCAL_UPDATE(add, "add." number, type, constraint)                                                             \
  EVERWARP_LOCAL_UPDATE(and, "and." bits, type, constraint)                                                               \
  EVERWARP_LOCAL_UPDATE(or, "or." bits, type, constraint)                                                                 \
  EVERWARP_LOCAL_UPDATE(xor, "xor." bits, type, constraint)

#define EVERWARP_READ_ONLY(type, bits, constraint)                                                                        \
  EVERWARP_DEVICE void load_read_only(const void* from, type& value) {                                                    \
    asm volatile("{\n\t.reg .u64 at;\n\tcvta.to.global.u64 at, %1;\n\t" EVERWARP_REGION(                                  \
                     "read_only", "ld.global." bits " %0, [at];") "\n\t}"                                                 \
                 : "=" constraint(value)                                                                                  \
                 : "l"(from)                                                                                              \
                 : "memory");                                                                                             \
  }

namespace everwarp {

EVERWARP_LOCAL_OPERATIONS(unsigned, "b32", "u32", "r")
EVERWARP_LOCAL_OPERATIONS(unsigned long long, "b64", "u64", "l")
EVERWARP_READ_ONLY(unsigned, "b32", "r")
EVERWARP_READ_ONLY(unsigned long long, "b64", "l")

/// Atomic operations on an object that blocks of one multiprocessor share. The object outlives the reference.
template <class T>
class local_ref {
 public:
  EVERWARP_DEVICE explicit local_ref(T& object) : object_(&object) {}

  EVERWARP_DEVICE T load(cuda::memory_order order) const {
    Bits<T> bits;
    local_load(object_, bits.word, order);
    return bits.value;
  }
  EVERWARP_DEVICE void store(T value, cuda::memory_order order) const { local_store(object_, word_of(value), order); }
  EVERWARP_DEVICE T exchange(T value, cuda::memory_order order) const {
    return value_of(local_exchange(object_, word_of(value), order));
  }
  /// Compares all bits, as PTX does. On failure `expected` gets the value that was there. The order also holds then.
  EVERWARP_DEVICE bool compare_exchange_strong(T& expected, T desired, cuda::memory_order order) const {
    const auto wanted = word_of(expected), old = local_swap(object_, wanted, word_of(desired), order);
    expected = value_of(old);
    return old == wanted;
  }
  EVERWARP_DEVICE bool compare_exchange_weak(T& expected, T desired, cuda::memory_order order) const {
    return compare_exchange_strong(expected, desired, order);
  }

  EVERWARP_DEVICE T fetch_add(T value, cuda::memory_order order) const {
    return value_of(local_add(object_, number(value), order));
  }
  EVERWARP_DEVICE T fetch_sub(T value, cuda::memory_order order) const {
    return value_of(local_add(object_, 0 - number(value), order));
  }
  EVERWARP_DEVICE T fetch_and(T value, cuda::memory_order order) const {
    return value_of(local_and(object_, number(value), order));
  }
  EVERWARP_DEVICE T fetch_or(T value, cuda::memory_order order) const {
    return value_of(local_or(object_, number(value), order));
  }
  EVERWARP_DEVICE T fetch_xor(T value, cuda::memory_order order) const {
    return value_of(local_xor(object_, number(value), order));
  }

 private:
  using Word = decltype(Bits<T>::word);

  EVERWARP_DEVICE static Word word_of(T value) {
    Bits<T> bits;
    bits.value = value;
    return bits.word;
  }
  EVERWARP_DEVICE static T value_of(Word word) {
    Bits<T> bits;
    bits.word = word;
    return bits.value;
  }
  EVERWARP_DEVICE static Word number(T value) {
    static_assert(cuda::std::is_integral<T>::value, "sums and bitwise operations of local_ref take integers");
    return word_of(value);
  }

  T* object_;
};

/// A fence: for blocks of this multiprocessor, the thread's operations before it come before those after it.
EVERWARP_DEVICE void local_fence() {
  asm volatile(EVERWARP_REGION("local", EVERWARP_LOCAL_FENCE)::: "memory");
}

/// Loads a value from global memory. REQUIRES: it is not written until the kernel ends. A cache may keep its copy when it
/// synchronises. Every call is a load of its own.
template <class T>
EVERWARP_DEVICE T read_only(const T* from) {
  Bits<T> bits;
  load_read_only(from, bits.word);
  return bits.value;
}

}  // namespace everwarp

#undef EVERWARP_READ_ONLY
#undef EVERWARP_LOCAL_OPERATIONS
#undef EVERWARP_LOCAL_UPDATE
#undef EVERWARP_LOCAL_STORE
#undef EVERWARP_LOCAL_LOAD
#undef EVERWARP_LOCAL_ATOMIC
#undef EVERWARP_LOCAL_FENCE
#undef EVERWARP_LOCAL_CASE

#endif  // __CUDACC__
