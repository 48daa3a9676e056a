// Refused by name.
#pragma once
#error "tensor-core matrices (nvcuda::wmma) are not simulated"
