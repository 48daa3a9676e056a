// Refused by name.
#pragma once
#error "helper_math.h belongs to NVIDIA's CUDA samples (folder Common): name that folder with -I"
