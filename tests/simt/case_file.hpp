// A test case as text: a PTX kernel, a launch, memory before and after, or the fault it ends with. See cases/README.md.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "guard.hpp"
#include "simt/gpu.hpp"
#include "simt/operation.hpp"

namespace ew::test {

struct Buffer {
  std::string name, type;
  std::vector<u8> bytes;
};

struct Parameter {
  std::string buffer;  // its address (plus bits), or
  std::string type;    // a value of this type
  u64 bits = 0;
};

struct TextureSpec {
  std::string name, buffer;
  simt::TextureObject object;
};

struct Case {
  std::string ptx;
  Dim3 grid, block;
  u32 dynamic_shared = 0, stack = 1024, sms = 4;
  u64 limit = 10'000'000;
  u32 launches = 1;
  bool cooperative = false;
  simt::AssistConfig assist;
  bool timed = false;                // what it expects holds only where memory answers at once
  std::vector<std::string> kernels;  // launched together; empty: the first one `launches` times
  std::vector<Buffer> buffers, expected;
  std::vector<Parameter> parameters;
  std::vector<TextureSpec> textures;
  std::optional<std::string> fault;
  std::vector<std::string> report, printed;
  std::optional<u64> instructions, divergent;
  std::optional<std::string> refused;
};

Case read_case(const std::string& path);

struct Outcome {
  std::map<std::string, std::vector<u8>> memory;
  std::vector<simt::Completion> completions;
  std::string printed, refused;
  u64 nanoseconds = 0;
};

using MakePerformer = std::function<std::unique_ptr<simt::Performer>(memory::AddressSpace&, Guard&)>;

/// In an address space and on a GPU of its own, which is run `slice` warp instructions at a time; on a FlatMemory, or
/// on the performer that is made, with the buffers behind a guard.
Outcome run_case(const Case&, u64 slice = 1'000'000, const MakePerformer& = {});
using MakeGpu =
    std::function<std::unique_ptr<simt::Gpu>(const simt::GpuLimits&, memory::AddressSpace&, simt::DeviceServices&)>;
/// The same on another GPU.
Outcome run_case(const Case&, u64 slice, const MakeGpu&);

/// "1 2 3", readable, in the buffer's type.
std::string values_text(const std::string& type, const std::vector<u8>& bytes);
std::string name_of(simt::FaultKind);

/// The names of tests/simt/cases, in order.
std::vector<std::string> case_files();

}  // namespace ew::test
