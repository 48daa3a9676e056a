// The compilers that `ew build` calls, and the flags of include/cuda/everwarp/clang-flags.txt as command lines. Pure:
// makes words, runs nothing.
#pragma once

#include <filesystem>
#include <string>

#include "cli/build_options.hpp"

namespace ew::cli {

struct Toolchain {
  std::string clang;             // clang++-19
  std::string host_cpp, host_c;  // g++, gcc or what -ccbin names
  std::string objcopy;
  std::filesystem::path home;     // holds include/
  std::filesystem::path library;  // libeverwarp.so
};

/// Finds the tools. A missing one is a UserError that names the Debian package.
Toolchain find_toolchain(const BuildRequest&);

/// One CUDA source on its way to an object.
struct CudaUnit {
  std::string source;
  std::string ptx, container, object;  // paths
  std::string overlay;                 // dialect overlay, or empty
};

/// sm number that the device pass is told, with a warning added when it is not what was asked for.
unsigned choose_architecture(BuildRequest&);

/// The device pass in two steps: to LLVM's text, and from it to PTX.
process::Words llvm_text_pass(const Toolchain&, const BuildRequest&, const CudaUnit&, const std::string& text);
process::Words from_llvm_text_pass(const Toolchain&, const BuildRequest&, const std::string& text,
                                   const std::string& ptx);
process::Words host_pass(const Toolchain&, const BuildRequest&, const CudaUnit&);
/// Traced host code in two steps, as the device pass: the command's result becomes LLVM's text; then an object of it.
process::Words to_llvm_text(process::Words command, const std::string& text);
process::Words from_host_text(const Toolchain&, const BuildRequest&, const std::string& text, const std::string& object,
                              bool cuda);
/// The host pass writes its constructors as .ctors, in which they stand last to first; renamed, the registration of the
/// device code comes before the constructors of the source's static objects, which may launch kernels.
process::Words register_before_static_objects(const Toolchain&, const std::string& object);
/// Where make is to learn what an object depends on, if somebody has asked.
void add_dependency_options(process::Words& command, const BuildRequest&, const std::string& stem,
                            const std::string& object);
/// Preprocessing only: -E, or -M / -MM.
process::Words preprocess_pass(const Toolchain&, const BuildRequest&, const CudaUnit&, const process::Words& what);
/// A .c or .cpp file. `what` is {"-c", "-o", object}, or options of the preprocessor.
process::Words host_compile(const Toolchain&, const BuildRequest&, const std::string& source, Language,
                            const process::Words& what);
process::Words link_command(const Toolchain&, const BuildRequest&, const process::Words& objects_in_order,
                            const std::string& output);

}  // namespace ew::cli
