// Everything in include/everwarp as a program for a real GPU uses it.
#include <everwarp/gpm.cuh>
#include <everwarp/gpufs.cuh>
#include <everwarp/persist.cuh>
#include <everwarp/sync.cuh>
#include <everwarp/tx.cuh>

#include <cstdio>

__global__ void every_operation(int *pool, unsigned *flag, unsigned long long *wide, float *real) {
  __shared__ unsigned local;
  pool[threadIdx.x] = 1;
  ofence();
  pool[threadIdx.x + 32] = 2;
  dfence();
  pRel_block(&local, 1);
  pRel_dev(flag, 2u);
  pRel_sys(wide, 3);
  pRel_dev(real, 1.5f);
  pool[0] = pAcq_block(&local) + pAcq_dev(flag) + static_cast<int>(pAcq_sys(wide)) + static_cast<int>(pAcq_dev(real));
}

__global__ void calls_of_files(gpufs fs, char *bytes) {
  const int file = gopen(fs, "file");
  if (gwrite(fs, file, 0, 8, bytes) == 8 && gread(fs, file, 0, 8, bytes + 8) == 8) gfsync(fs, file);
  gclose(fs, file);
}

template <class T>
__device__ T local_operations(T *object) {
  const everwarp::local_ref<T> ref(*object);
  ref.store(T(1), cuda::memory_order_release);
  T expected = ref.exchange(T(2), cuda::memory_order_acq_rel);
  while (!ref.compare_exchange_weak(expected, T(3), cuda::memory_order_acquire)) continue;
  return ref.load(cuda::memory_order_acquire) + everwarp::read_only(object + 1);
}

__global__ void between_blocks_of_an_sm(int *words, unsigned long long *wide, float *real, double *large) {
  everwarp::local_ref<int> word(*words);
  word.fetch_add(local_operations(words), cuda::memory_order_relaxed);
  word.fetch_sub(1, cuda::memory_order_acquire);
  word.fetch_and(2, cuda::memory_order_release);
  word.fetch_or(4, cuda::memory_order_acq_rel);
  word.fetch_xor(8, cuda::memory_order_seq_cst);
  everwarp::local_fence();
  *wide = local_operations(wide);
  *real = local_operations(real);
  *large = local_operations(large);
}

__global__ void log_and_undo(gpmlog *log, int *status) {
  int entry[3] = {1, 2, 3};
  *status += gpmlog_insert(log, entry, sizeof entry) + gpmlog_insert(log, entry, sizeof entry, 0);
  *status += gpmlog_read(log, entry, sizeof entry) + gpmlog_remove(log, sizeof entry) + gpmlog_clear(log);
}

int logs_and_checkpoints(int *status) {
  gpmlog *logs[] = {gpmlog_create_conv("log", 4096, 4), gpmlog_create_hcl("log", 4096, 1, 32), gpmlog_open("log")};
  for (gpmlog *log : logs) {
    log_and_undo<<<1, 32>>>(log, status);
    if (gpmlog_close(log) != 0) return -1;
  }
  gpmcp *cp = gpmcp_create("cp", 4096, 2, 1);
  const int made = gpmcp_register(cp, status, sizeof *status, 0) | gpmcp_checkpoint(cp, 0) | gpmcp_close(cp);
  cp = gpmcp_open("cp");
  return made | gpmcp_register(cp, status, sizeof *status, 0) | gpmcp_restore(cp, 0);
}

int main() {
  int *pool = static_cast<int *>(gpm_map("pool", 4096, true));
  every_operation<<<1, 32>>>(pool, nullptr, nullptr, nullptr);
  between_blocks_of_an_sm<<<1, 32>>>(pool, nullptr, nullptr, nullptr);
  std::printf("%d ", logs_and_checkpoints(pool));
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

__global__ void transactions(tx::Space space, double *) {
  tx::run(space, [&](tx::Thread &thread) {
    tx::atomically(thread, [&](tx::Transaction &t) {
      if (!t.alive()) t.cancel();
      t.store(space.at<double>(2), t.load(space.at<double>(2)) + 1);
    });
    if (!tx::is_durable(thread)) tx::durable(thread);
  });
}
