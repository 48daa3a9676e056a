#include "cli/sdk_libraries.hpp"

namespace ew::cli {

SdkLibrary sdk_library(std::string_view name) {
  for (std::string_view ours :
       {"cudart", "cudart_static", "cudadevrt", "cuda", "cudart_shared", "culibos", "pmem", "pci", "nvidia-ml"}) {
    if (name == ours) return SdkLibrary::ours;
  }
  for (std::string_view absent :
       {"cublas", "cublasLt", "cublas_static", "cufft",   "cufftw",   "curand", "cusparse", "cusolver",
        "cudnn",  "nccl",     "npp",           "nppc",    "nppial",   "nppicc", "nppif",    "nppig",
        "nppim",  "nppist",   "nppisu",        "nppitc",  "npps",     "nvrtc",  "nvjpeg",   "nvToolsExt",
        "cupti",  "nvgraph",  "cufile",        "nvshmem", "nvJitLink"}) {
    if (name == absent) return SdkLibrary::absent;
  }
  return SdkLibrary::none;
}

}  // namespace ew::cli
