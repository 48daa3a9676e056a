// error: cuBLAS is a library of NVIDIA's and no part of Everwarp
#include <cublas_v2.h>
int main() {}
