// Types, enumerators and structures of the CUDA runtime API. The functions are in cuda_runtime_api.h.
// Values are those of CUDA 11.8, with the additions of 12.x. Layouts are ours: every program is compiled from source.
#pragma once
#define __DRIVER_TYPES_H__  // CUDA's include guard: programs and libraries test it

#include <limits.h>
#include <stddef.h>

#include "everwarp/api/errors.h"
#include "host_defines.h"
#include "vector_types.h"

#include "everwarp/api/device_types.h"
#include "everwarp/api/memory_types.h"
#include "everwarp/api/stream_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "everwarp/api/graph_types.h"
