// Warp operations, barriers and fences.

// -> shfl.sync.idx.b32
__global__ void shuffle(int *p, int lane) { *p = __shfl_sync(0xffffffff, *p, lane); }
// -> , 4127, -1
__global__ void shuffle_segment(int *p, int lane) { *p = __shfl_sync(0xffffffff, *p, lane, 16); }
// -> shfl.sync.up.b32
// -> , 0, -1
__global__ void shuffle_up(float *p) { *p = __shfl_up_sync(0xffffffff, *p, 1); }
// -> shfl.sync.down.b32
// -> , 31, -1
__global__ void shuffle_down(unsigned *p) { *p = __shfl_down_sync(0xffffffff, *p, 4); }
// -> shfl.sync.bfly.b32
__global__ void shuffle_xor(double *p) { *p = __shfl_xor_sync(0xffffffff, *p, 8); }
// -> activemask.b32
// -> shfl.sync.down.b32
__global__ void shuffle_old(float *p) { *p += __shfl_down(*p, 16); }
// -> vote.sync.all.pred
__global__ void all(int *p) { *p = __all_sync(0xffffffff, *p); }
// -> vote.sync.any.pred
__global__ void any(int *p) { *p = __any_sync(0xffffffff, *p); }
// -> vote.sync.ballot.b32
__global__ void ballot(unsigned *p) { *p = __ballot_sync(0xffffffff, *p > 3); }
// -> match.any.sync.b32
__global__ void match_any(unsigned *p) { *p = __match_any_sync(0xffffffff, *p); }
// -> match.all.sync.b64
__global__ void match_all(unsigned *p, double v, int *yes) { *p = __match_all_sync(0xffffffff, v, yes); }
// -> redux.sync.add.s32
__global__ void reduce_add(int *p) { *p = __reduce_add_sync(0xffffffff, *p); }
// -> redux.sync.max.u32
__global__ void reduce_max(unsigned *p) { *p = __reduce_max_sync(0xffffffff, *p); }
// -> redux.sync.min.s32
__global__ void reduce_min(int *p) { *p = __reduce_min_sync(0xffffffff, *p); }
// -> redux.sync.xor.b32
__global__ void reduce_xor(unsigned *p) { *p = __reduce_xor_sync(0xffffffff, *p); }
// -> bar.warp.sync
__global__ void syncwarp(int *p) { p[threadIdx.x] = 1; __syncwarp(); p[0] = 2; }
// -> bar.sync 0
__global__ void syncthreads(int *p) { p[threadIdx.x] = 1; __syncthreads(); p[0] = 2; }
// -> bar.red.popc.u32
__global__ void syncthreads_count(int *p) { *p = __syncthreads_count(*p); }
// -> bar.red.and.pred
__global__ void syncthreads_and(int *p) { *p = __syncthreads_and(*p); }
// -> bar.red.or.pred
__global__ void syncthreads_or(int *p) { *p = __syncthreads_or(*p); }
// -> membar.cta
__global__ void fence_block(int *p) { p[0] = 1; __threadfence_block(); p[1] = 1; }
// -> membar.gl
__global__ void fence(int *p) { p[0] = 1; __threadfence(); p[1] = 1; }
// -> membar.sys
__global__ void fence_system(int *p) { p[0] = 1; __threadfence_system(); p[1] = 1; }
// -> nanosleep.u32
__global__ void sleep(unsigned n) { __nanosleep(n); }
// -> %clock64
__global__ void clock_long(long long *p) { *p = clock64(); }
// -> %clock
__global__ void clock_short(clock_t *p) { *p = clock(); }
// -> %globaltimer
__global__ void timer(unsigned long long *p) { *p = __globaltimer(); }
// -> %tid.x
// -> %ctaid.y
// -> %ntid.z
// -> %nctaid.x
__global__ void index(unsigned *p) { *p = threadIdx.x + blockIdx.y * blockDim.z + gridDim.x; }
