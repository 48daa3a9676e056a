// error: thread block clusters are not simulated
#include <cooperative_groups.h>
__global__ void kernel() { cooperative_groups::this_cluster(); }
