// Execution and memory space words.
#pragma once
#include "../host_defines.h"
