// From PTX text to kernels: the door of this folder.
//   parse (parser.hpp)  text -> ast::Module      link (linker.cpp)  modules -> one ast::Module
//   load                ast::Module + addresses of its variables -> Program
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.hpp"
#include "ptx/kernel.hpp"

namespace ew::ptx {

/// A mistake in PTX text: what() is a whole report with place, text of the line, what was expected and the nearest
/// valid name.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses one module. `name` stands in diagnostics (file name or "module 2 of a.out"). Throws Error.
ast::Module parse(std::string_view text, std::string_view name);

/// Functions that the machine itself answers: vprintf, malloc, free, __assertfail, __everwarp_assist (even where it has
/// a body).
bool is_system_call(std::string_view name);

/// Merges modules compiled with -fgpu-rdc (or a single one). Internal names are made unique; weak and common
/// definitions fold; an undefined symbol that is not a system call throws Error naming every module that uses it.
ast::Module link(std::vector<ast::Module> modules);

/// Address of a module variable in .global or .const (as given by the loader), by linked name.
using AddressOf = std::function<u64(std::string_view)>;

/// Function pointers are code_base + 16 * index of the function in ast::Module::functions.
inline constexpr u64 code_base = 0x0000'0600'0000'0000;

struct Program {
  std::vector<std::unique_ptr<Kernel>> kernels;
  const Kernel* find(std::string_view name) const;
};

/// Decodes every entry of a linked module. An instruction that is not supported throws Error with its text, its CUDA
/// source line and the nearest supported form.
Program load(const ast::Module&, const AddressOf&);

}  // namespace ew::ptx
