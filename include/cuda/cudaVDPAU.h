// Refused by name.
#pragma once
#error "VDPAU interoperation is not simulated"
