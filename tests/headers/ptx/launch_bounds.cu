// architectures: sm_90
// The third number of __launch_bounds__ limits clusters. Launches here have none, so each keeps to it.

// -> .maxntid 128, 1, 1
// -> .minnctapersm 2
// -> .maxclusterrank 4
__launch_bounds__(128, 2, 4) __global__ void bounded(int *p) { *p = 1; }
