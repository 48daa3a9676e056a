// Every arithmetic intrinsic with a stated rounding becomes the instruction of that rounding.

// -> add.rn.f32
__global__ void fadd_rn(float *p) { *p = __fadd_rn(p[0], p[1]); }
// -> add.rn.f64
__global__ void dadd_rn(double *p) { *p = __dadd_rn(p[0], p[1]); }
// -> add.rn.f32
__global__ void fsub_rn(float *p) { *p = __fsub_rn(p[0], p[1]); }
// -> add.rn.f64
__global__ void dsub_rn(double *p) { *p = __dsub_rn(p[0], p[1]); }
// -> mul.rn.f32
__global__ void fmul_rn(float *p) { *p = __fmul_rn(p[0], p[1]); }
// -> mul.rn.f64
__global__ void dmul_rn(double *p) { *p = __dmul_rn(p[0], p[1]); }
// -> div.rn.f32
__global__ void fdiv_rn(float *p) { *p = __fdiv_rn(p[0], p[1]); }
// -> div.rn.f64
__global__ void ddiv_rn(double *p) { *p = __ddiv_rn(p[0], p[1]); }
// -> rcp.rn.f32
__global__ void frcp_rn(float *p) { *p = __frcp_rn(p[0]); }
// -> rcp.rn.f64
__global__ void drcp_rn(double *p) { *p = __drcp_rn(p[0]); }
// -> sqrt.rn.f32
__global__ void fsqrt_rn(float *p) { *p = __fsqrt_rn(p[0]); }
// -> sqrt.rn.f64
__global__ void dsqrt_rn(double *p) { *p = __dsqrt_rn(p[0]); }
// -> fma.rn.f32
__global__ void fmaf_rn(float *p) { *p = __fmaf_rn(p[0], p[1], p[2]); }
// -> fma.rn.f64
__global__ void fma_rn(double *p) { *p = __fma_rn(p[0], p[1], p[2]); }
// -> add.rz.f32
__global__ void fadd_rz(float *p) { *p = __fadd_rz(p[0], p[1]); }
// -> add.rz.f64
__global__ void dadd_rz(double *p) { *p = __dadd_rz(p[0], p[1]); }
// -> add.rz.f32
__global__ void fsub_rz(float *p) { *p = __fsub_rz(p[0], p[1]); }
// -> add.rz.f64
__global__ void dsub_rz(double *p) { *p = __dsub_rz(p[0], p[1]); }
// -> mul.rz.f32
__global__ void fmul_rz(float *p) { *p = __fmul_rz(p[0], p[1]); }
// -> mul.rz.f64
__global__ void dmul_rz(double *p) { *p = __dmul_rz(p[0], p[1]); }
// -> div.rz.f32
__global__ void fdiv_rz(float *p) { *p = __fdiv_rz(p[0], p[1]); }
// -> div.rz.f64
__global__ void ddiv_rz(double *p) { *p = __ddiv_rz(p[0], p[1]); }
// -> rcp.rz.f32
__global__ void frcp_rz(float *p) { *p = __frcp_rz(p[0]); }
// -> rcp.rz.f64
__global__ void drcp_rz(double *p) { *p = __drcp_rz(p[0]); }
// -> sqrt.rz.f32
__global__ void fsqrt_rz(float *p) { *p = __fsqrt_rz(p[0]); }
// -> sqrt.rz.f64
__global__ void dsqrt_rz(double *p) { *p = __dsqrt_rz(p[0]); }
// -> fma.rz.f32
__global__ void fmaf_rz(float *p) { *p = __fmaf_rz(p[0], p[1], p[2]); }
// -> fma.rz.f64
__global__ void fma_rz(double *p) { *p = __fma_rz(p[0], p[1], p[2]); }
// -> add.rm.f32
__global__ void fadd_rd(float *p) { *p = __fadd_rd(p[0], p[1]); }
// -> add.rm.f64
__global__ void dadd_rd(double *p) { *p = __dadd_rd(p[0], p[1]); }
// -> add.rm.f32
__global__ void fsub_rd(float *p) { *p = __fsub_rd(p[0], p[1]); }
// -> add.rm.f64
__global__ void dsub_rd(double *p) { *p = __dsub_rd(p[0], p[1]); }
// -> mul.rm.f32
__global__ void fmul_rd(float *p) { *p = __fmul_rd(p[0], p[1]); }
// -> mul.rm.f64
__global__ void dmul_rd(double *p) { *p = __dmul_rd(p[0], p[1]); }
// -> div.rm.f32
__global__ void fdiv_rd(float *p) { *p = __fdiv_rd(p[0], p[1]); }
// -> div.rm.f64
__global__ void ddiv_rd(double *p) { *p = __ddiv_rd(p[0], p[1]); }
// -> rcp.rm.f32
__global__ void frcp_rd(float *p) { *p = __frcp_rd(p[0]); }
// -> rcp.rm.f64
__global__ void drcp_rd(double *p) { *p = __drcp_rd(p[0]); }
// -> sqrt.rm.f32
__global__ void fsqrt_rd(float *p) { *p = __fsqrt_rd(p[0]); }
// -> sqrt.rm.f64
__global__ void dsqrt_rd(double *p) { *p = __dsqrt_rd(p[0]); }
// -> fma.rm.f32
__global__ void fmaf_rd(float *p) { *p = __fmaf_rd(p[0], p[1], p[2]); }
// -> fma.rm.f64
__global__ void fma_rd(double *p) { *p = __fma_rd(p[0], p[1], p[2]); }
// -> add.rp.f32
__global__ void fadd_ru(float *p) { *p = __fadd_ru(p[0], p[1]); }
// -> add.rp.f64
__global__ void dadd_ru(double *p) { *p = __dadd_ru(p[0], p[1]); }
// -> add.rp.f32
__global__ void fsub_ru(float *p) { *p = __fsub_ru(p[0], p[1]); }
// -> add.rp.f64
__global__ void dsub_ru(double *p) { *p = __dsub_ru(p[0], p[1]); }
// -> mul.rp.f32
__global__ void fmul_ru(float *p) { *p = __fmul_ru(p[0], p[1]); }
// -> mul.rp.f64
__global__ void dmul_ru(double *p) { *p = __dmul_ru(p[0], p[1]); }
// -> div.rp.f32
__global__ void fdiv_ru(float *p) { *p = __fdiv_ru(p[0], p[1]); }
// -> div.rp.f64
__global__ void ddiv_ru(double *p) { *p = __ddiv_ru(p[0], p[1]); }
// -> rcp.rp.f32
__global__ void frcp_ru(float *p) { *p = __frcp_ru(p[0]); }
// -> rcp.rp.f64
__global__ void drcp_ru(double *p) { *p = __drcp_ru(p[0]); }
// -> sqrt.rp.f32
__global__ void fsqrt_ru(float *p) { *p = __fsqrt_ru(p[0]); }
// -> sqrt.rp.f64
__global__ void dsqrt_ru(double *p) { *p = __dsqrt_ru(p[0]); }
// -> fma.rp.f32
__global__ void fmaf_ru(float *p) { *p = __fmaf_ru(p[0], p[1], p[2]); }
// -> fma.rp.f64
__global__ void fma_ru(double *p) { *p = __fma_ru(p[0], p[1], p[2]); }
