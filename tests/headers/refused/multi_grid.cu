// error: a launch over several devices has no simulated counterpart
#include <cooperative_groups.h>
__global__ void kernel() { cooperative_groups::this_multi_grid(); }
