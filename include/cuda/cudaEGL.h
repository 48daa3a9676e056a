// Refused by name.
#pragma once
#error "EGL interoperation is not simulated"
