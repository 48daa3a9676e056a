// error: helper_cuda.h belongs to NVIDIA's CUDA samples
#include <helper_cuda.h>
int main() {}
