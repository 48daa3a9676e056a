// `ew run --check persist-order`: a run whose events and durable writes are logged, and the verdict on their order.
#pragma once

#include "cli/run_settings.hpp"

namespace ew::cli {

/// Runs the program; then says on standard error whether what became durable kept the order that the machine's
/// persistency model promises. The program's status; failed when it succeeded and the order was violated.
int run_with_order_check(const process::Words& words, const RunSettings&, const runtime::MachineConfig&);

}  // namespace ew::cli
