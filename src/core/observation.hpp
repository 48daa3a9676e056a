// Whether what watches a simulation (trace, events, observers of homes) is compiled in. It is, in every build that
// anybody uses; tests/speed/observation builds the simulation without it to measure what it costs while it is off.
#pragma once

namespace ew::core {

#ifdef EW_WITHOUT_OBSERVATION
constexpr bool observation = false;
#else
constexpr bool observation = true;
#endif

}  // namespace ew::core
