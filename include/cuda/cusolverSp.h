// Refused by name.
#pragma once
#error "cuSOLVER is a library of NVIDIA's and no part of Everwarp: a program that calls it cannot be simulated"
