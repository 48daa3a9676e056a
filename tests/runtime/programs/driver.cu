// The driver API: contexts, modules from PTX with JIT options, launches with both styles of parameters, memory of every
// kind, and the code that each mistake gets.
#include <cuda.h>
#include <dlfcn.h>

#include <string>

#include "expect.h"

#define DRIVER(want, call)                                                                                             \
  do {                                                                                                                 \
    const CUresult got_result = (call);                                                                                \
    EXPECT(got_result == (want), "line %d: %s should return %d, returned %d", __LINE__, #call, static_cast<int>(want), \
           static_cast<int>(got_result));                                                                              \
  } while (0)
#define OK(call) DRIVER(CUDA_SUCCESS, call)

namespace {

const char* const kModule = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 scale = 3;
.visible .const .align 4 .u32 shift = 5;
.extern .shared .align 4 .b8 room[];
.visible .entry affine(.param .u64 cells, .param .u8 odd, .param .u32 n) {
  .reg .pred %p; .reg .u32 %r<8>; .reg .u64 %d<4>; .reg .u16 %h;
  ld.param.u64 %d1, [cells]; ld.param.u32 %r1, [n]; ld.param.u8 %h, [odd]; cvt.u32.u16 %r7, %h;
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r2, %r2, %r3, %r4;
  setp.ge.u32 %p, %r2, %r1; @%p ret;
  cvta.to.global.u64 %d1, %d1; mad.wide.u32 %d2, %r2, 4, %d1;
  ld.global.u32 %r3, [%d2]; ld.global.u32 %r4, [scale]; ld.const.u32 %r5, [shift];
  mad.lo.u32 %r3, %r3, %r4, %r5; add.u32 %r3, %r3, %r7; st.global.u32 [%d2], %r3; ret;
}
.visible .entry last_of_shared(.param .u64 cells) {
  .reg .u32 %r<4>; .reg .u64 %d<3>;
  ld.param.u64 %d1, [cells]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;
  mov.u32 %r3, room; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1; bar.sync 0;
  mov.u32 %r2, %ntid.x; sub.u32 %r2, %r2, 1; shl.b32 %r2, %r2, 2; add.u32 %r2, %r2, %r3; ld.shared.u32 %r1, [%r2];
  cvta.to.global.u64 %d1, %d1; st.global.u32 [%d1], %r1; ret;
})";

CUfunction affine, last_of_shared;
CUmodule module;

void contexts() {
  int count = 0, version = 0;
  CUdevice device = -1;
  CUcontext context = nullptr, first = nullptr, second = nullptr, got = nullptr;
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuInit(1));
  OK(cuInit(0));
  OK(cuDriverGetVersion(&version));
  OK(cuDeviceGetCount(&count));
  SAME(1, count);
  OK(cuDeviceGet(&device, 0));
  DRIVER(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
  OK(cuCtxGetCurrent(&got));
  EXPECT(got == nullptr, "no context should be current before one is made");
  DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuCtxGetDevice(&device));
  OK(cuCtxCreate(&first, 0, 0));
  OK(cuCtxCreate(&second, CU_CTX_SCHED_SPIN, 0));
  OK(cuCtxGetCurrent(&got));
  EXPECT(got == second, "the context made last should be current");
  OK(cuCtxPopCurrent(&got));
  EXPECT(got == second, "the context made last should come off the stack");
  OK(cuCtxPushCurrent(second));
  OK(cuCtxDestroy(second));
  OK(cuCtxGetCurrent(&got));
  EXPECT(got == first, "the first context should be current again");
  DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuCtxSetCurrent(second));
  OK(cuCtxDestroy(first));
  DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(first));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuCtxGetDevice(&device));
  SAME(0, device);
  int warp = 0;
  char name[64] = "";
  size_t bytes = 0;
  OK(cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  SAME(32, warp);
  OK(cuDeviceGetName(name, sizeof name, 0));
  OK(cuDeviceTotalMem(&bytes, 0));
  EXPECT(name[0] != 0 && bytes > 0, "the device should have a name and memory: \"%s\", %zu", name, bytes);
}

void functions_by_name() {
  void* found = nullptr;
  OK(cuGetProcAddress("cuDeviceGetCount", &found, 11080, CU_GET_PROC_ADDRESS_DEFAULT));
  int count = 0;
  OK(reinterpret_cast<CUresult (*)(int*)>(found)(&count));
  SAME(1, count);
  DRIVER(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cuNoSuchCall", &found, 11080, 0));
  DRIVER(CUDA_ERROR_NOT_FOUND, cuGetProcAddress("cudaMalloc", &found, 11080, 0));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", nullptr, 11080, 0));
  cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
  EXPECT(cudaGetDriverEntryPoint("cuInit", &found, cudaEnableDefault, &status) == cudaSuccess && found &&
             status == cudaDriverEntryPointSuccess,
         "there is a cuInit");
  EXPECT(cudaGetDriverEntryPoint("cuNoSuchCall", &found, cudaEnableDefault, &status) == cudaSuccess && !found &&
             status == cudaDriverEntryPointSymbolNotFound,
         "there is no cuNoSuchCall");
  // As a program does that is not linked with the driver.
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT(library, "libcuda.so.1 is not found: %s", dlerror());
  const auto count_devices = reinterpret_cast<CUresult (*)(int*)>(dlsym(library, "cuDeviceGetCount"));
  const auto allocate = reinterpret_cast<CUresult (*)(CUdeviceptr*, size_t)>(dlsym(library, "cuMemAlloc_v2"));
  EXPECT(count_devices && allocate, "cuDeviceGetCount and cuMemAlloc_v2 are not in libcuda.so.1");
  CUdeviceptr memory = 0;
  OK(count_devices(&count));
  SAME(1, count);
  OK(allocate(&memory, 4));
  OK(cuMemFree(memory));  // of the same library
}

void modules() {
  OK(cuModuleLoadData(&module, kModule));
  OK(cuModuleGetFunction(&affine, module, "affine"));
  OK(cuModuleGetFunction(&last_of_shared, module, "last_of_shared"));
  CUfunction none = nullptr;
  CUdeviceptr address = 0;
  size_t size = 0;
  DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&none, module, "no_such"));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuModuleGetFunction(&none, nullptr, "affine"));
  OK(cuModuleGetGlobal(&address, &size, module, "scale"));
  SAME(4, size);
  DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&address, &size, module, "no_such"));
  OK(cuMemsetD32(address, 10, 1));
  DRIVER(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/no/such/file.ptx"));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&module, nullptr));
  // JIT options: what is wrong stands in the caller's log.
  char errors[400] = "?", info[100] = "?";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                            CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors), info, reinterpret_cast<void*>(sizeof info),
                    reinterpret_cast<void*>(32)};
  CUmodule broken = nullptr;
  const char* const kBroken = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { frob.u32 1; }";
  DRIVER(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&broken, kBroken, 5, options, values));
  EXPECT(std::string(errors).find("frob") != std::string::npos, "the error log should name frob, is: %s", errors);
  SAME(strlen(errors), reinterpret_cast<size_t>(values[1]));
  SAME(0, reinterpret_cast<size_t>(values[3]));
  values[1] = reinterpret_cast<void*>(8);  // a short buffer holds what fits
  DRIVER(CUDA_ERROR_INVALID_PTX,
         cuModuleLoadDataEx(&broken, ".version 7.0\n.target sm_70\n.nonsense", 2, options, values));
  SAME(7, strlen(errors));
  values[1] = reinterpret_cast<void*>(sizeof errors);
  OK(cuModuleLoadDataEx(&broken, kModule, 5, options, values));
  SAME(0, strlen(errors));
  OK(cuModuleUnload(broken));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(broken));
  // Registers of a kernel that has forty values at once.
  std::string loads, stores;
  for (int i = 0; i < 40; ++i) {
    loads += "ld.global.u32 %r" + std::to_string(i) + ", [a];\n";
    stores += "st.global.u32 [a], %r" + std::to_string(i) + ";\n";
  }
  const std::string wide =
      ".version 7.0\n.target sm_70\n.address_size 64\n.global .u32 a;\n.visible .entry wide()\n{\n.reg .b32 %r<40>;\n" +
      loads + stores + "ret;\n}\n";
  for (const unsigned most : {0u, 32u}) {
    CUmodule limited = nullptr;
    CUfunction kernel = nullptr;
    int registers = 0;
    values[4] = reinterpret_cast<void*>(size_t{most});
    OK(cuModuleLoadDataEx(&limited, wide.c_str(), most ? 5 : 4, options, values));
    OK(cuModuleGetFunction(&kernel, limited, "wide"));
    OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel));
    EXPECT(most ? registers == 32 : registers > 32, "%d registers, at most %u", registers, most);
    OK(cuModuleUnload(limited));

    // The same by a link, whose options hold for all that is added.
    CUlinkState link = nullptr;
    void* image = nullptr;
    size_t bytes = 0;
    values[1] = reinterpret_cast<void*>(sizeof errors);
    OK(cuLinkCreate(most ? 5 : 4, options, values, &link));
    char none[] = ".version 7.0\n.target sm_70\n.nonsense";
    DRIVER(CUDA_ERROR_INVALID_PTX,
           cuLinkAddData(link, CU_JIT_INPUT_PTX, none, sizeof none, "none.ptx", 0, nullptr, nullptr));
    EXPECT(std::string(errors).find("nonsense") != std::string::npos, "the log should name nonsense, is: %s", errors);
    CUlinkState wrong = nullptr;
    values[1] = reinterpret_cast<void*>(sizeof errors);
    OK(cuLinkCreate(4, options, values, &wrong));
    OK(cuLinkAddData(wrong, CU_JIT_INPUT_PTX, const_cast<char*>(kBroken), strlen(kBroken) + 1, "broken.ptx", 0, nullptr,
                     nullptr));
    DRIVER(CUDA_ERROR_INVALID_PTX, cuLinkComplete(wrong, &image, &bytes));
    EXPECT(std::string(errors).find("frob") != std::string::npos, "the link's log should name frob, is: %s", errors);
    OK(cuLinkDestroy(wrong));
    OK(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(wide.c_str()), wide.size() + 1, "wide.ptx", 0, nullptr,
                     nullptr));
    OK(cuLinkComplete(link, &image, &bytes));
    OK(cuModuleLoadData(&limited, image));
    OK(cuLinkDestroy(link));
    OK(cuModuleGetFunction(&kernel, limited, "wide"));
    OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel));
    EXPECT(most ? registers == 32 : registers > 32, "linked: %d registers, at most %u", registers, most);
    OK(cuModuleUnload(limited));
    values[1] = reinterpret_cast<void*>(sizeof errors);
  }
}

void launches() {
  constexpr unsigned kCount = 100;
  CUdeviceptr cells = 0;
  std::vector<unsigned> values(kCount);
  for (unsigned i = 0; i < kCount; ++i) values[i] = i;
  OK(cuMemAlloc(&cells, kCount * 4));
  OK(cuMemcpyHtoD(cells, values.data(), kCount * 4));
  unsigned char odd = 1;
  unsigned n = kCount;
  void* pointers[] = {&cells, &odd, &n};
  OK(cuLaunchKernel(affine, 4, 1, 1, 32, 1, 1, 0, nullptr, pointers, nullptr));
  struct {
    CUdeviceptr cells;
    unsigned char odd;
    unsigned n;
  } packed = {cells, 2, kCount};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  CUstream stream;
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(cuCtxSynchronize());
  OK(cuLaunchKernel(affine, 4, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
  OK(cuStreamSynchronize(stream));
  OK(cuMemcpyDtoH(values.data(), cells, kCount * 4));
  for (unsigned i = 0; i < kCount; ++i) SAME((i * 10 + 6) * 10 + 7, values[i]);  // scale was set to 10
  size = 8;
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(affine, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, extra));
  size = sizeof packed;
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(affine, 1, 1, 1, 32, 1, 1, 0, stream, pointers, extra));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(affine, 1, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(affine, 0, 1, 1, 32, 1, 1, 0, stream, pointers, nullptr));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(affine, 1, 1, 1, 4096, 1, 1, 0, stream, pointers, nullptr));
  DRIVER(CUDA_ERROR_INVALID_HANDLE, cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, pointers, nullptr));
  OK(cuLaunchKernel(last_of_shared, 1, 1, 1, 96, 1, 1, 96 * 4, stream, pointers, nullptr));
  OK(cuStreamSynchronize(stream));
  OK(cuMemcpyDtoH(values.data(), cells, 4));
  SAME(95, values[0]);
  int value = 0;
  OK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, affine));
  EXPECT(value > 0, "affine should use registers, uses %d", value);
  OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&value, affine, 128, 0));
  EXPECT(value > 0, "blocks of affine should fit an SM, %d do", value);
  // The calls of CUDA before 4.0.
  OK(cuFuncSetBlockShape(affine, 32, 1, 1));
  OK(cuParamSetv(affine, 0, &packed, sizeof packed));
  OK(cuParamSetSize(affine, sizeof packed));
  OK(cuLaunchGrid(affine, 4, 1));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(values.data(), cells, 4));
  SAME(95 * 10 + 7, values[0]);
  OK(cuStreamDestroy(stream));
  OK(cuMemFree(cells));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemFree(cells));
}

void memory() {
  CUdeviceptr a = 0, base = 0;
  size_t size = 0, free = 0, total = 0, pitch = 0;
  void* host = nullptr;
  OK(cuMemGetInfo(&free, &total));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&a, 0));
  DRIVER(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&a, total + 1));
  OK(cuMemAlloc(&a, 1000));
  OK(cuMemGetAddressRange(&base, &size, a + 500));
  EXPECT(base == a && size == 1000, "the range should be the allocation's");
  OK(cuMemsetD8(a, 1, 1000));
  OK(cuMemsetD16(a, 0x203, 100));
  OK(cuMemsetD2D32(a + 400, 100, 0x4050607, 2, 3));
  std::vector<unsigned char> bytes(1000);
  OK(cuMemcpyDtoH(bytes.data(), a, 1000));
  SAME(3, bytes[0]);
  SAME(2, bytes[199]);
  SAME(1, bytes[200]);
  SAME(7, bytes[400]);
  SAME(4, bytes[607]);
  SAME(1, bytes[608]);
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(a + 1, 0, 1));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(a, bytes.data(), 1001));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = bytes.data();
  copy.srcPitch = 10;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = a;
  copy.dstPitch = 20;
  copy.WidthInBytes = 5;
  copy.Height = 2;
  copy.srcXInBytes = 3;
  for (int i = 0; i < 40; ++i) bytes[i] = static_cast<unsigned char>(i + 100);
  OK(cuMemcpy2D(&copy));
  unsigned char got[40];
  OK(cuMemcpyDtoH(got, a, 40));
  SAME(103, got[0]);
  SAME(113, got[20]);
  OK(cuMemAllocPitch(&base, &pitch, 100, 3, 4));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&base, &pitch, 100, 3, 5));
  OK(cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP));
  OK(cuMemHostGetDevicePointer(&base, host, 0));
  CUmemorytype type;
  OK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, base));
  SAME(CU_MEMORYTYPE_HOST, type);
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 16));
  OK(cuMemFreeHost(host));
  OK(cuMemFree(a));
  const char* text = nullptr;
  OK(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT(std::string(text) == "CUDA_ERROR_OUT_OF_MEMORY", "%s", text);
  OK(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
  EXPECT(std::string(text) == "invalid argument", "%s", text);
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(static_cast<CUresult>(4321), &text));
  RETURNS(cudaSuccess, cudaGetLastError());  // the driver API leaves nothing there
}

// Both APIs share one context.
/// Where managed memory shall lie: by a device's number, and by a location, as CUDA 13 has it.
void places_of_managed_memory() {
  CUdeviceptr managed = 0;
  const CUmemLocation device{CU_MEM_LOCATION_TYPE_DEVICE, 0}, host{CU_MEM_LOCATION_TYPE_HOST, 0};
  OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAdvise(managed, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, host));
  int preferred = 7;
  SAME(cudaSuccess, cudaMemRangeGetAttribute(&preferred, sizeof preferred, cudaMemRangeAttributePreferredLocation,
                                             reinterpret_cast<void*>(managed), 4096));
  SAME(cudaCpuDeviceId, preferred);
  OK(cuMemAdvise_v2(managed, 4096, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, device));
  OK(cuMemPrefetchAsync(managed, 4096, device, 0, nullptr));
  OK(cuMemPrefetchAsync(managed, 4096, 0, nullptr));
  OK(cuMemPrefetchAsync_v2(managed, 4096, host, 0, nullptr));
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(managed, 4096, device, 1, nullptr));
  DRIVER(CUDA_ERROR_INVALID_DEVICE,
         cuMemPrefetchAsync(managed, 4096, CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, 3}, 0, nullptr));
  OK(cuMemFree(managed));
}

void with_the_runtime_api() {
  CUcontext context = nullptr;
  OK(cuCtxSetCurrent(nullptr));
  int* cells = nullptr;
  CUDA(cudaMalloc(&cells, 16));
  OK(cuCtxGetCurrent(&context));
  EXPECT(context != nullptr, "the runtime API should make the primary context current");
  OK(cuMemsetD32(reinterpret_cast<CUdeviceptr>(cells), 5, 4));
  int got = 0;
  CUDA(cudaMemcpy(&got, cells + 3, 4, cudaMemcpyDeviceToHost));
  SAME(5, got);
  CUDA(cudaFree(cells));
}

// Texture references: a .texref variable of the module, bound to linear memory and to an array. 8-bit integers are read
// as fractions of 255 until CU_TRSF_READ_AS_INTEGER is set, in whatever order format and flags are given.
const char* const kTextures = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .global .texref bytes;
.visible .entry fetch(.param .u64 out) {
  .reg .u32 %r<6>; .reg .f32 %f<6>; .reg .u64 %d<3>;
  ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
  tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [bytes, {%r1}]; st.global.f32 [%d1], %f1; ret;
}
.visible .entry sample(.param .u64 out) {
  .reg .u32 %r<6>; .reg .f32 %f<6>; .reg .u64 %d<3>;
  ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
  cvt.rn.f32.u32 %f5, %r1; tex.2d.v4.u32.f32 {%r2, %r3, %r4, %r5}, [bytes, {%f5, %f5}]; st.global.u32 [%d1], %r2; ret;
})";

void texture_references() {
  CUmodule textures;
  CUfunction fetch, sample;
  CUtexref reference;
  OK(cuModuleLoadData(&textures, kTextures));
  OK(cuModuleGetFunction(&fetch, textures, "fetch"));
  OK(cuModuleGetFunction(&sample, textures, "sample"));
  DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetTexRef(&reference, textures, "no such"));
  OK(cuModuleGetTexRef(&reference, textures, "bytes"));
  CUdeviceptr in, out;
  OK(cuMemAlloc(&in, 256));
  OK(cuMemAlloc(&out, 64));
  const unsigned char bytes[4] = {0, 51, 102, 255};
  OK(cuMemcpyHtoD(in, bytes, 4));
  void* arguments[] = {&out};
  float fractions[4];
  OK(cuTexRefSetFormat(reference, CU_AD_FORMAT_UNSIGNED_INT8, 1));
  OK(cuTexRefSetAddress(nullptr, reference, in, 4));
  OK(cuLaunchKernel(fetch, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cuMemcpyDtoH(fractions, out, 16));
  for (int i = 0; i < 4; ++i) EXPECT(fractions[i] == bytes[i] / 255.0f, "texel %d is %g", i, fractions[i]);

  const CUDA_ARRAY_DESCRIPTOR shape{4, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1};
  CUarray array;
  unsigned texels[16], got[4];
  for (unsigned i = 0; i < 16; ++i) texels[i] = 100 + i;
  CUDA_ARRAY_DESCRIPTOR empty = shape;
  empty.NumChannels = 0;
  DRIVER(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &empty));
  OK(cuArrayCreate(&array, &shape));
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels;
  copy.srcPitch = copy.WidthInBytes = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.Height = 4;
  OK(cuMemcpy2D(&copy));
  OK(cuTexRefSetFlags(reference, CU_TRSF_READ_AS_INTEGER));
  OK(cuTexRefSetArray(reference, array, CU_TRSA_OVERRIDE_FORMAT));
  OK(cuLaunchKernel(sample, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr));
  OK(cuMemcpyDtoH(got, out, 16));
  for (unsigned i = 0; i < 4; ++i) SAME(100 + 5 * i, got[i]);
  OK(cuArrayDestroy(array));
  OK(cuModuleUnload(textures));
}

void faults() {
  CUdeviceptr nowhere = 64;
  unsigned char odd = 0;
  unsigned n = 1;
  void* pointers[] = {&nowhere, &odd, &n};
  OK(cuLaunchKernel(affine, 1, 1, 1, 1, 1, 1, 0, nullptr, pointers, nullptr));
  DRIVER(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  DRIVER(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&nowhere, 4));
}

}  // namespace

int main() {
  contexts();
  functions_by_name();
  modules();
  launches();
  memory();
  places_of_managed_memory();
  with_the_runtime_api();
  texture_references();
  faults();
  return PASS("driver API");
}
