// What CUDA keeps of the host compiler is nothing here but the words of host_defines.h.
#pragma once
#include "../host_defines.h"
