// Whether a program does timed work of the host (<everwarp/host.cuh>): its objects then lie where simulated time does
// not depend on the rest of the process (runtime/placed_objects.cpp).
#pragma once

#include <string>

namespace ew::cli {

/// Whether an object or archive calls such work. An item of the link that is no file: no.
bool calls_host_work(const std::string& item);

}  // namespace ew::cli
