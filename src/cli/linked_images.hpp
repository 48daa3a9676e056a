// Relocatable device code (-rdc=true): every object refers to a function __cudaRegisterLinkedBinary_<id> that the
// device linker defines. Here the definitions hand the images to the runtime, which links their PTX when the program
// first needs it.
#pragma once

#include <set>
#include <string>

#include "process/run.hpp"

namespace ew::cli {

/// The ids that an object or archive refers to.
std::set<std::string> linked_image_ids(const std::string& file);

/// C++ source that defines the functions of `ids` as one group.
std::string linked_image_source(const std::set<std::string>& ids);

}  // namespace ew::cli
