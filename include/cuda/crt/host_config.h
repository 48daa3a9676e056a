// CUDA's settings for the host compiler. Here it needs only the words of host_defines.h.
#pragma once
#include "../host_defines.h"
