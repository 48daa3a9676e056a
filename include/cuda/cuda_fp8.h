// Refused by name.
#pragma once
#error "8-bit floating-point types are not simulated"
