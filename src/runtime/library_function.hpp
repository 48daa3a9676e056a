// The function that a definition of the same name in this library hides: the C library's.
#pragma once

#include <dlfcn.h>

namespace ew::runtime {

template <class Function>
Function* library_function(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace ew::runtime
