// Performs what falls into one line of an access, on the bytes of that line. Functions of their arguments alone.
#pragma once

#include "simt/event_recorder.hpp"
#include "simt/sm/access_pool.hpp"

namespace ew::simt {

/// Answers which bytes it wrote. `recorder`, if there is one, is handed what persistency is checked by.
memory::ByteMask perform_part(Access&, u32 part, u8* bytes, EventRecorder* recorder);

}  // namespace ew::simt
