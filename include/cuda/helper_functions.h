// Refused by name.
#pragma once
#error "helper_functions.h belongs to NVIDIA's CUDA samples (folder Common): name that folder with -I"
