// architectures: sm_60 sm_80
// Synchronisation between the blocks of one SM, and loads of read-only data: named regions around instructions of device scope.
#include <everwarp/sync.cuh>

using everwarp::local_ref;

// sm_80 -> .pragma "everwarp.local"; ld.relaxed.gpu.b32
// sm_60 -> .pragma "everwarp.local"; ld.volatile.b32
__global__ void load_relaxed(unsigned* word, unsigned* out) { *out = local_ref<unsigned>(*word).load(cuda::memory_order_relaxed); }
// sm_80 -> .pragma "everwarp.local"; ld.acquire.gpu.b64
// sm_60 -> .pragma "everwarp.local"; ld.volatile.b64
// sm_60 -> membar.gl; .pragma "everwarp.end";
__global__ void load_acquire(double* word, double* out) { *out = local_ref<double>(*word).load(cuda::memory_order_acquire); }
// sm_80 -> .pragma "everwarp.local"; fence.sc.gpu; ld.acquire.gpu.b32
__global__ void load_in_one_order(int* word, int* out) { *out = local_ref<int>(*word).load(cuda::memory_order_seq_cst); }

// sm_80 -> .pragma "everwarp.local"; st.relaxed.gpu.b32
// sm_80 !> fence
__global__ void store_relaxed(int* word) { local_ref<int>(*word).store(7, cuda::memory_order_relaxed); }
// sm_80 -> .pragma "everwarp.local"; st.release.gpu.b64
// sm_60 -> .pragma "everwarp.local"; membar.gl; st.volatile.b64
__global__ void store_release(long long* word) { local_ref<long long>(*word).store(-7, cuda::memory_order_release); }

// sm_80 -> .pragma "everwarp.local"; atom.release.gpu.exch.b32
// sm_60 -> .pragma "everwarp.local"; membar.gl; atom.exch.b32
__global__ void unlock(unsigned* lock) { local_ref<unsigned>(*lock).exchange(0, cuda::memory_order_release); }
// sm_80 -> .pragma "everwarp.local"; atom.acquire.gpu.cas.b32
// sm_60 -> .pragma "everwarp.local"; atom.cas.b32
// sm_60 -> membar.gl; .pragma "everwarp.end";
__global__ void try_lock(unsigned* lock, bool* taken) {
  unsigned expected = 0;
  *taken = local_ref<unsigned>(*lock).compare_exchange_strong(expected, 1, cuda::memory_order_acquire);
}
// sm_80 -> .pragma "everwarp.local"; atom.acq_rel.gpu.add.u32
// sm_60 -> .pragma "everwarp.local"; membar.gl; atom.add.u32
__global__ void count(int* word, int* out) { *out = local_ref<int>(*word).fetch_add(3, cuda::memory_order_acq_rel); }
// sm_80 -> .pragma "everwarp.local"; atom.relaxed.gpu.add.u64
__global__ void count_down(long long* word, long long* out) {
  *out = local_ref<long long>(*word).fetch_sub(3, cuda::memory_order_relaxed);
}
// sm_80 -> .pragma "everwarp.local"; atom.release.gpu.or.b64
__global__ void set_bits(unsigned long long* word, unsigned long long bits) {
  local_ref<unsigned long long>(*word).fetch_or(bits, cuda::memory_order_release);
}
// sm_80 -> atom.relaxed.gpu.and.b32
// sm_80 -> fence.sc.gpu; atom.acq_rel.gpu.xor.b32
__global__ void bits(unsigned* word) {
  local_ref<unsigned>(*word).fetch_and(6, cuda::memory_order_relaxed);
  local_ref<unsigned>(*word).fetch_xor(5, cuda::memory_order_seq_cst);
}

// sm_80 -> .pragma "everwarp.local"; fence.acq_rel.gpu; .pragma "everwarp.end";
// sm_60 -> .pragma "everwarp.local"; membar.gl; .pragma "everwarp.end";
__global__ void fence() { everwarp::local_fence(); }

// -> .pragma "everwarp.read_only"; ld.global.b32
// -> .pragma "everwarp.read_only"; ld.global.b64
__global__ void read(const float* table, const double* wide, double* out) {
  *out = everwarp::read_only(&table[threadIdx.x]) + everwarp::read_only(&wide[threadIdx.x]);
}
