// The simulator's own reading of the PTX that clang made, while the program is built: what the machine would refuse
// when the program starts (an instruction of inline assembly, a function that no file defines) is an error of the
// build, as it is with a real assembler.
#pragma once

#include <optional>
#include <string>

namespace ew::cli {

struct DeviceCode {
  std::string mistake;  // one message; empty when the code would load
  std::string usage;    // what nvcc's --resource-usage prints: registers and memory of each kernel
};

/// `relocatable`: other files may define what this one only declares, so undefined symbols are none of its mistakes
/// (linked_code_mistake() finds them), and registers are those of this file's functions.
DeviceCode check_device_code(const std::string& ptx, const std::string& source, bool relocatable);

/// What the runtime would say when it links the relocatable device code of a program or shared library that was just
/// linked.
std::optional<std::string> linked_code_mistake(const std::string& program);

}  // namespace ew::cli
