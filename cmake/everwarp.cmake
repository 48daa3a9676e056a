# Builds a CMake project's CUDA language with `ew build`:  cmake -B build -DCMAKE_TOOLCHAIN_FILE=<everwarp>/cmake/everwarp.cmake
# The compiler is described here, so that CMake does not have to find out by trying; no CUDA toolkit is looked for.
get_filename_component(EVERWARP_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)

if(NOT DEFINED CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${EVERWARP_ROOT}/bin/nvcc)
endif()
if(EXISTS ${EVERWARP_ROOT}/src)  # a checkout
  set(EVERWARP_LIBRARY ${EVERWARP_ROOT}/build/release/src/libeverwarp.so CACHE FILEPATH "The runtime")
else()  # installed: share/everwarp
  get_filename_component(EVERWARP_PREFIX ${EVERWARP_ROOT}/../.. ABSOLUTE)
  set(EVERWARP_LIBRARY ${EVERWARP_PREFIX}/lib/libeverwarp.so CACHE FILEPATH "The runtime")
endif()
set(CMAKE_CUDA_COMPILER_ID NVIDIA)  # whose options `ew build` takes
set(CMAKE_CUDA_COMPILER_ID_RUN TRUE)
set(CMAKE_CUDA_COMPILER_FORCED TRUE)
set(CMAKE_CUDA_COMPILER_VERSION 11.8.89)
set(CMAKE_CUDA_COMPILER_TOOLKIT_VERSION 11.8.89)
set(CMAKE_CUDA_COMPILER_TOOLKIT_ROOT ${EVERWARP_ROOT})
set(CMAKE_CUDA_COMPILER_LIBRARY_ROOT ${EVERWARP_ROOT})
set(CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES ${EVERWARP_ROOT}/include/cuda)
set(CMAKE_CUDA_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_CUDA_EXTENSIONS_COMPUTED_DEFAULT ON)
set(CMAKE_CUDA_SIMULATE_ID GNU)
set(CMAKE_CUDA_RUNTIME_LIBRARY_DEFAULT NONE)  # bin/nvcc links the runtime
set(CMAKE_CUDA_COMPILER_PRODUCED_OUTPUT
    "#$ LIBRARIES=-leverwarp\n#$ INCLUDES=-I${EVERWARP_ROOT}/include/cuda\n\n#$ ${CMAKE_CUDA_COMPILER} -leverwarp\n")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80)
endif()

# find_package(CUDAToolkit): CUDA::cudart, CUDA::cudart_static and CUDA::cuda_driver are libeverwarp.
set(CUDAToolkit_INCLUDE_DIR ${EVERWARP_ROOT}/include/cuda)
foreach(library CUDA_CUDART CUDA_cudart_LIBRARY CUDA_cudart_static_LIBRARY CUDA_cuda_driver_LIBRARY)
  set(${library} ${EVERWARP_LIBRARY})
endforeach()

# The host linker's own options pass through.
set(EVERWARP_LINK "<CMAKE_CUDA_COMPILER> -forward-unknown-to-host-compiler <LINK_FLAGS>")
set(CMAKE_CUDA_LINK_EXECUTABLE "${EVERWARP_LINK} <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_CUDA_CREATE_SHARED_LIBRARY
    "${EVERWARP_LINK} <CMAKE_SHARED_LIBRARY_CREATE_CUDA_FLAGS> <SONAME_FLAG><TARGET_SONAME> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
