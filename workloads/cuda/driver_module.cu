// The driver API beside the runtime: a module is loaded from PTX text, its kernels found by name and launched with
// cuLaunchKernel, its globals set, a broken module refused, and calls that come too early. Exercises: cuInit,
// cuModuleLoadData, cuModuleGetFunction, cuLaunchKernel, cuMem*.
//
// build: -lcuda
// deterministic: yes
#include "driver.h"

namespace {

const char* const kModule = R"(
.version 7.0
.target sm_70
.address_size 64

.visible .global .align 4 .u32 bias = 5;
.const .align 4 .b32 primes[4] = {2, 3, 5, 7};

.visible .entry scale_and_shift(.param .u64 cells, .param .u32 count, .param .f32 factor)
{
  .reg .pred %p<2>;
  .reg .b32 %r<10>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<6>;

  ld.param.u64 %rd1, [cells];
  ld.param.u32 %r1, [count];
  ld.param.f32 %f1, [factor];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p1, %r5, %r1;
  @%p1 bra $done;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.u32 %r6, [bias];
  cvt.rn.f32.u32 %f3, %r6;
  fma.rn.f32 %f2, %f2, %f1, %f3;
  st.global.f32 [%rd4], %f2;
$done:
  ret;
}

.visible .entry reverse_shared(.param .u64 cells)
{
  .extern .shared .align 4 .b8 room[];
  .reg .b32 %r<8>;
  .reg .b64 %rd<6>;
  .reg .b32 %prime;

  ld.param.u64 %rd1, [cells];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ntid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.u32 %r3, [%rd3];
  shl.b32 %r4, %r1, 2;
  mov.u32 %r5, room;
  add.u32 %r4, %r4, %r5;
  st.shared.u32 [%r4], %r3;
  bar.sync 0;
  sub.u32 %r6, %r2, %r1;
  sub.u32 %r6, %r6, 1;
  shl.b32 %r6, %r6, 2;
  add.u32 %r6, %r6, %r5;
  ld.shared.u32 %r3, [%r6];
  and.b32 %r7, %r1, 3;
  mul.wide.u32 %rd4, %r7, 4;
  mov.u64 %rd5, primes;
  add.s64 %rd5, %rd5, %rd4;
  ld.const.u32 %prime, [%rd5];
  mul.lo.u32 %r3, %r3, %prime;
  st.u32 [%rd3], %r3;
  exit;
}
)";

}  // namespace

int main(int argc, char** argv) {
  int n = size_argument(argc, argv, 1, 500, 1, 1 << 20);
  CUdeviceptr too_early = 0;
  EXPECT(cuMemAlloc(&too_early, 4) == CUDA_ERROR_NOT_INITIALIZED, "an allocation before cuInit should be refused");
  DRIVER(cuInit(0));
  EXPECT(cuMemAlloc(&too_early, 4) == CUDA_ERROR_INVALID_CONTEXT, "an allocation without a context should be refused");
  CUdevice device;
  CUcontext context;
  char name[128] = "";
  int threads = 0;
  DRIVER(cuDeviceGet(&device, 0));
  DRIVER(cuDeviceGetName(name, sizeof name, device));
  DRIVER(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
  EXPECT(name[0] != 0 && threads >= 256, "the device should have a name and 256 threads a block, has '%s' and %d", name,
         threads);
  DRIVER(cuDevicePrimaryCtxRetain(&context, device));
  DRIVER(cuCtxSetCurrent(context));

  CUmodule module, broken;
  CUfunction scale, reverse, missing;
  DRIVER(cuModuleLoadData(&module, kModule));
  DRIVER(cuModuleGetFunction(&scale, module, "scale_and_shift"));
  DRIVER(cuModuleGetFunction(&reverse, module, "reverse_shared"));
  EXPECT(cuModuleGetFunction(&missing, module, "no_such_kernel") == CUDA_ERROR_NOT_FOUND,
         "a kernel that is not there should not be found");
  EXPECT(
      cuModuleLoadData(&broken, ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { frobnicate.u32 %r1; }") ==
          CUDA_ERROR_INVALID_PTX,
      "a module with an unknown instruction should be refused as invalid PTX");

  CUdeviceptr bias = 0;
  size_t bias_bytes = 0;
  DRIVER(cuModuleGetGlobal(&bias, &bias_bytes, module, "bias"));
  EXPECT(bias_bytes == 4, "the global should have 4 bytes, has %zu", bias_bytes);
  const unsigned new_bias = 9;
  DRIVER(cuMemcpyHtoD(bias, &new_bias, 4));

  Random random(63);
  std::vector<float> cells(n), want(n), got(n);
  for (auto& x : cells) x = random.between(-1, 1);
  float factor = 2.5f;
  for (int i = 0; i < n; ++i) want[i] = std::fmaf(cells[i], factor, 9.0f);
  CUdeviceptr memory = 0;
  DRIVER(cuMemAlloc(&memory, n * sizeof(float)));
  DRIVER(cuMemcpyHtoD(memory, cells.data(), n * sizeof(float)));
  void* arguments[] = {&memory, &n, &factor};
  DRIVER(cuLaunchKernel(scale, (n + 127) / 128, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr));
  DRIVER(cuCtxSynchronize());
  DRIVER(cuMemcpyDtoH(got.data(), memory, n * sizeof(float)));
  EXPECT_SAME(want, got, "scaled");

  const int length = std::min(n, 200);  // the second kernel's parameters go over as one packed buffer
  std::vector<unsigned> words(length), want_words(length), got_words(length);
  const unsigned primes[] = {2, 3, 5, 7};
  for (auto& x : words) x = random.below(1000);
  for (int i = 0; i < length; ++i) want_words[i] = words[length - 1 - i] * primes[i % 4];
  DRIVER(cuMemcpyHtoD(memory, words.data(), length * 4));
  size_t packed_bytes = sizeof(memory);
  void* packed[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &memory, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed_bytes,
                    CU_LAUNCH_PARAM_END};
  DRIVER(cuLaunchKernel(reverse, 1, 1, 1, length, 1, 1, length * 4, nullptr, nullptr, packed));
  DRIVER(cuCtxSynchronize());
  DRIVER(cuMemcpyDtoH(got_words.data(), memory, length * 4));
  EXPECT_SAME(want_words, got_words, "reversed");
  DRIVER(cuMemFree(memory));
  DRIVER(cuModuleUnload(module));
  DRIVER(cuDevicePrimaryCtxRelease(device));
  return PASS("n=%d", n);
}
