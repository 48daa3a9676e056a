// nvcc's command line as data: every option that nvcc knows, with what it means here.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "process/run.hpp"

namespace ew::cli {

enum class Product {
  executable,
  shared_library,
  static_library,
  objects,
  ptx,
  cubin,
  fatbin,
  preprocessed,
  dependencies,
  device_link
};

enum class Language { by_suffix, cuda, cpp, c };

/// The dependency rule for make: the -M family.
struct MakeRule {
  bool with_compile = false, skip_system_headers = false, phony = false;
  std::string file, target;
};

/// How exact device arithmetic is.
struct DeviceArithmetic {
  bool fast_math = false, flush_denormals = false, precise_division = true, precise_root = true, contract = true;
};

/// What is to be printed instead of building something.
struct Information {
  bool help = false, version = false, architectures = false;
};

/// What `ew build` was asked to do. Made by parse_build_options; only values, no decisions.
struct BuildRequest {
  Product product = Product::executable;
  process::Words inputs;            // in order: sources, objects, archives, libraries
  std::vector<Language> languages;  // of each input, from -x
  std::string output;
  process::Words link_items;      // inputs that are no sources and -l words, in order; sources stand as "\n<index>"
  process::Words preprocessor;    // -D -U -I -isystem -include, in order
  process::Words host_options;    // -Xcompiler
  process::Words linker_options;  // -Xlinker, -L
  process::Words library_directories;
  process::Words archive_options;
  std::string standard;       // "c++17"
  std::string optimize;       // "2"
  std::string host_compiler;  // -ccbin
  std::vector<unsigned> architectures;
  bool debug = false, device_debug = false, profile = false;
  bool relocatable = false;
  DeviceArithmetic arithmetic;
  bool exceptions = true;
  bool per_thread_stream = false;
  bool no_warnings = false, werror = false;
  bool trace_host = false;
  bool run_after = false;
  bool keep = false, dry_run = false, verbose = false;
  bool forward_unknown_to_compiler = false, forward_unknown_to_linker = false;
  Information inform;
  bool resource_usage = false;
  unsigned most_registers = 0;  // -maxrregcount; 0: no limit
  bool print_ptx = false;       // --ptx without -o: to standard output
  MakeRule make_rule;
  std::string keep_directory, output_directory;
  process::Words run_arguments;
  unsigned threads = 0;     // 0: as many as there are cores
  process::Words warnings;  // one line each
};

/// Reads nvcc's options. A mistake is a UserError that names the nearest option.
/// as_nvcc: -ptx writes NAME.ptx as nvcc does, instead of printing.
BuildRequest parse_build_options(std::span<const std::string> arguments, bool as_nvcc);

/// The table as text, for --help.
std::string build_options_text();

/// Every spelling, for completion.
process::Words build_option_names();

}  // namespace ew::cli
