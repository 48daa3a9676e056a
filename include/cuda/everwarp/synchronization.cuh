// Barriers, fences, votes, matches and warp reductions.
#pragma once

#include "device_function.cuh"

// void __syncthreads() is clang's own: bar.sync 0.
EW_DEVICE int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
EW_DEVICE int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
EW_DEVICE int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
EW_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }
EW_DEVICE void __barrier_sync(unsigned int id) { __nvvm_barrier_sync(id); }
EW_DEVICE void __barrier_sync_count(unsigned int id, unsigned int count) { __nvvm_barrier_sync_cnt(id, count); }

// A kernel waits for those that its launch allows to run at the same time (programmatic dependent launch), and lets
// those begin that wait for it. Here launches of a stream never run at the same time.
EW_DEVICE void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
EW_DEVICE void cudaTriggerProgrammaticLaunchCompletion() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

EW_DEVICE void __threadfence_block() { __nvvm_membar_cta(); }
EW_DEVICE void __threadfence() { __nvvm_membar_gl(); }
EW_DEVICE void __threadfence_system() { __nvvm_membar_sys(); }

EW_DEVICE unsigned int __activemask() { return __nvvm_activemask(); }
EW_DEVICE int __all_sync(unsigned int mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
EW_DEVICE int __any_sync(unsigned int mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
EW_DEVICE int __uni_sync(unsigned int mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
EW_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return __nvvm_vote_ballot_sync(mask, predicate);
}
// Without a mask (CUDA 8 and older): among the lanes that arrive together.
EW_WITHOUT_MASK(__all) EW_DEVICE int __all(int predicate) { return __nvvm_vote_all_sync(__nvvm_activemask(), predicate); }
EW_WITHOUT_MASK(__any) EW_DEVICE int __any(int predicate) { return __nvvm_vote_any_sync(__nvvm_activemask(), predicate); }
EW_WITHOUT_MASK(__ballot) EW_DEVICE unsigned int __ballot(int predicate) { return __nvvm_vote_ballot_sync(__nvvm_activemask(), predicate); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define EW_MATCH(type, word, bits)                                                                         \
  EW_DEVICE unsigned int __match_any_sync(unsigned int mask, type value) {                                 \
    return __nvvm_match_any_sync_i##bits(mask, __builtin_bit_cast(word, value));                           \
  }                                                                                                        \
  EW_DEVICE unsigned int __match_all_sync(unsigned int mask, type value, int *predicate) {                 \
    return __nvvm_match_all_sync_i##bits##p(mask, __builtin_bit_cast(word, value), predicate);             \
  }
EW_MATCH(int, unsigned int, 32)
EW_MATCH(unsigned int, unsigned int, 32)
EW_MATCH(float, unsigned int, 32)
EW_MATCH(long, long long, 64)
EW_MATCH(unsigned long, long long, 64)
EW_MATCH(long long, long long, 64)
EW_MATCH(unsigned long long, long long, 64)
EW_MATCH(double, long long, 64)
#undef EW_MATCH
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
EW_DEVICE unsigned int __reduce_add_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_add(v, mask); }
EW_DEVICE unsigned int __reduce_min_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_umin(v, mask); }
EW_DEVICE unsigned int __reduce_max_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_umax(v, mask); }
EW_DEVICE int __reduce_add_sync(unsigned int mask, int v) { return __nvvm_redux_sync_add(v, mask); }
EW_DEVICE int __reduce_min_sync(unsigned int mask, int v) { return __nvvm_redux_sync_min(v, mask); }
EW_DEVICE int __reduce_max_sync(unsigned int mask, int v) { return __nvvm_redux_sync_max(v, mask); }
EW_DEVICE unsigned int __reduce_and_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_and(v, mask); }
EW_DEVICE unsigned int __reduce_or_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_or(v, mask); }
EW_DEVICE unsigned int __reduce_xor_sync(unsigned int mask, unsigned int v) { return __nvvm_redux_sync_xor(v, mask); }
#endif
