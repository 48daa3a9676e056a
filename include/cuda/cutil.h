// Refused by name.
#pragma once
#error "cutil.h was part of the CUDA SDK until 4.2: name its folder with -I"
