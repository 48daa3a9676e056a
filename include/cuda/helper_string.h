// Refused by name.
#pragma once
#error "helper_string.h belongs to NVIDIA's CUDA samples (folder Common): name that folder with -I"
