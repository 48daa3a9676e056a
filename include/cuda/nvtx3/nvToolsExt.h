// NVTX 3 under its own folder name.
#pragma once
#include "../nvToolsExt.h"
