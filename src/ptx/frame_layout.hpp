// Where the variables of one function lie: in its frame of local memory, in the block's shared memory, or among the
// kernel's parameters. Owned by a FunctionDecoder.
//
// A frame holds formals and returns first, then .local variables, then the .param variables of calls. Two of the last
// kind share bytes when the stretches of code that name them do not meet.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/kernel_build.hpp"

namespace ew::ptx {

/// Where a name points.
struct Symbol {
  enum class Kind : u8 { absolute, shared, frame, parameter, function };
  Kind kind = Kind::absolute;
  u64 value = 0;  // address, byte offset, or (function) index in the module
  Space space = Space::global;
  u64 size = 0;
};

class FrameLayout {
 public:
  /// Writes the sizes and offsets of `function`'s frame, formals and returns. Throws Error where the frame is too big.
  FrameLayout(const KernelBuild&, const ast::Function& source, Function& function);

  /// A name of the function's own; null: it has none such.
  const Symbol* find(const std::string& name) const;
  /// The same, of the frame only.
  const ast::Variable* find_in_frame(const std::string& name) const;

 private:
  u64 place(const ast::Variable&, u64 at);
  void place_formals(const std::vector<ast::Variable>&, std::vector<u32>& offsets, std::vector<u32>& sizes);
  void place_variables(const KernelBuild&);
  void place_call_parameters();

  const ast::Function& source_;
  u64 bytes_ = 0;
  std::unordered_map<std::string, Symbol> names_;
  std::unordered_map<std::string, const ast::Variable*> frame_variables_;
};

}  // namespace ew::ptx
