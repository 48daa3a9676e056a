// architectures: sm_60 sm_80
// The persist operations: a named region around the instructions of the conservative meaning.
#include <everwarp/gpm.cuh>
#include <everwarp/persist.cuh>

// -> .pragma "everwarp.ofence"; membar.sys; .pragma "everwarp.end";
__global__ void order() { ofence(); }
// -> .pragma "everwarp.dfence"; membar.sys; .pragma "everwarp.end";
__global__ void durable() { dfence(); }
// -> .pragma "everwarp.gpm_persist"; membar.sys; .pragma "everwarp.end";
__global__ void persist() { gpm_persist(); }

// sm_80 -> .pragma "everwarp.prel_block"; membar.sys; st.relaxed.cta.b32
// sm_60 -> .pragma "everwarp.prel_block"; membar.sys; st.volatile.b32
__global__ void release_block(int* flag) { pRel_block(flag, 1); }
// sm_80 -> .pragma "everwarp.prel_dev"; membar.sys; st.relaxed.gpu.b64
// sm_60 -> .pragma "everwarp.prel_dev"; membar.sys; st.volatile.b64
__global__ void release_device(double* flag, double sum) { pRel_dev(flag, sum); }
// sm_80 -> .pragma "everwarp.prel_sys"; membar.sys; st.relaxed.sys.b32
__global__ void release_system(volatile unsigned* flag) { pRel_sys(flag, 1); }

// sm_80 -> .pragma "everwarp.pacq_block"; ld.acquire.cta.b32
// sm_60 -> .pragma "everwarp.pacq_block"; ld.volatile.b32
// sm_60 -> membar.sys; .pragma "everwarp.end";
__global__ void acquire_block(const int* flag, int* out) { *out = pAcq_block(flag); }
// sm_80 -> .pragma "everwarp.pacq_dev"; ld.acquire.gpu.b64
__global__ void acquire_device(const double* flag, double* out) { *out = pAcq_dev(flag); }
// sm_80 -> .pragma "everwarp.pacq_sys"; ld.acquire.sys.b32
__global__ void acquire_system(volatile unsigned* flag, unsigned* out) { *out = pAcq_sys(flag); }

// A flag may lie in shared memory; generic addressing reaches it.
// sm_80 -> cvta.shared.u64
__global__ void shared_flag(int* out) {
  __shared__ int flag;
  if (threadIdx.x == 0) pRel_block(&flag, 7);
  while (pAcq_block(&flag) != 7) continue;
  out[threadIdx.x] = flag;
}
