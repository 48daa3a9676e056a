// The home policies that protocols stand on. A home policy has no state of its own, so one object serves all homes. A
// protocol may bring one of its own in its file.
#pragma once

#include "memory/home_policy.hpp"

namespace ew::coherence {

/// Keeps no record: each request is answered from the image.
const memory::HomePolicy& no_record();
/// Knows who owns each word (DeNovo's registry; thesis, section 2.4). A request for an owned word goes on to its owner,
/// and the home takes the next. Copies that are only read are not recorded.
const memory::HomePolicy& registry();
/// Knows the owner or the sharers of each line (Sorin, Hill, Wood: A Primer on Memory Consistency and Cache Coherence,
/// chapter 8). A line is held until a request for it is over.
const memory::HomePolicy& directory();

}  // namespace ew::coherence
