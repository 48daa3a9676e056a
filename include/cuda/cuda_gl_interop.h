// Refused by name.
#pragma once
#error "OpenGL interoperation is not simulated"
