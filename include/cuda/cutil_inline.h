// Refused by name.
#pragma once
#error "cutil_inline.h was part of the CUDA SDK until 4.2: name its folder with -I"
