// Texture types.
#pragma once
#include "texture_types.h"
