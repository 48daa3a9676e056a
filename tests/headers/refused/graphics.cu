// error: OpenGL interoperation is not simulated
#include <cuda_gl_interop.h>
int main() {}
