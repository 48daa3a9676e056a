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
# The language standards as features (cuda_std_17) and, for those that CMake 3.25 does not know of nvcc, as options.
set(CMAKE_CUDA_COMPILE_FEATURES "")
foreach(standard 03 11 14 17 20 23)
  set(CMAKE_CUDA${standard}_COMPILE_FEATURES cuda_std_${standard})
  list(APPEND CMAKE_CUDA_COMPILE_FEATURES cuda_std_${standard})
endforeach()
foreach(standard 20 23)
  set(CMAKE_CUDA${standard}_STANDARD_COMPILE_OPTION -std=c++${standard})
  set(CMAKE_CUDA${standard}_EXTENSION_COMPILE_OPTION -std=c++${standard})
endforeach()
set(CMAKE_CUDA_SIMULATE_ID GNU)
set(CMAKE_CUDA_RUNTIME_LIBRARY_DEFAULT NONE)  # bin/nvcc links the runtime
set(CMAKE_CUDA_COMPILER_PRODUCED_OUTPUT
    "#$ LIBRARIES=-leverwarp\n#$ INCLUDES=-I${EVERWARP_ROOT}/include/cuda\n\n#$ ${CMAKE_CUDA_COMPILER} -leverwarp\n")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80)
endif()
set(CMAKE_CUDA_ARCHITECTURES_NATIVE 80)  # "native": what `ew build` chooses when nothing is said

# find_package(CUDAToolkit): CUDA::cudart, CUDA::cudart_static and CUDA::cuda_driver are libeverwarp.
set(CUDAToolkit_INCLUDE_DIR ${EVERWARP_ROOT}/include/cuda)
foreach(library CUDA_CUDART CUDA_cudart_LIBRARY CUDA_cudart_static_LIBRARY CUDA_cuda_driver_LIBRARY)
  set(${library} ${EVERWARP_LIBRARY})
endforeach()

# find_package(CUDA) and cuda_add_executable() of older projects.
set(CUDA_TOOLKIT_ROOT_DIR ${EVERWARP_ROOT})
set(CUDA_TOOLKIT_INCLUDE ${EVERWARP_ROOT}/include/cuda)
set(CUDA_NVCC_EXECUTABLE ${CMAKE_CUDA_COMPILER})
set(CUDA_VERSION 11.8)
foreach(library CUDA_CUDART_LIBRARY CUDA_cudadevrt_LIBRARY CUDA_CUDA_LIBRARY)
  set(${library} ${EVERWARP_LIBRARY})
endforeach()

# The host linker's own options pass through.
set(EVERWARP_LINK "<CMAKE_CUDA_COMPILER> -forward-unknown-to-host-compiler <LINK_FLAGS>")
set(CMAKE_CUDA_LINK_EXECUTABLE "${EVERWARP_LINK} <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_CUDA_CREATE_SHARED_LIBRARY
    "${EVERWARP_LINK} <CMAKE_SHARED_LIBRARY_CREATE_CUDA_FLAGS> <SONAME_FLAG><TARGET_SONAME> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")

# CUDA's libraries beside the runtime are machine code for a real GPU. A target that links one is told in one sentence.
function(everwarp_check_libraries folder)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner ${folders})
    everwarp_check_libraries(${inner})
  endforeach()
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target ${targets})
    get_target_property(libraries ${target} LINK_LIBRARIES)
    foreach(library ${libraries})
      if(library MATCHES "^CUDA::" AND NOT TARGET ${library})
        message(FATAL_ERROR "${target} links ${library}: Everwarp has CUDA's runtime and driver (CUDA::cudart, "
                            "CUDA::cuda_driver) and none of the libraries beside them")
      endif()
    endforeach()
  endforeach()
endfunction()
get_property(everwarp_in_try_compile GLOBAL PROPERTY IN_TRY_COMPILE)
if(NOT everwarp_in_try_compile AND NOT EVERWARP_CHECKS_LIBRARIES)
  set(EVERWARP_CHECKS_LIBRARIES TRUE)  # a toolchain file is read more than once
  cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL everwarp_check_libraries ${CMAKE_SOURCE_DIR})
endif()
