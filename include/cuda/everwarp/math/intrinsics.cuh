// The fast intrinsics: CUDA's names for the approximate instructions of PTX.
#pragma once

EW_MATH_C float __sinf(float x) {
  return __nvvm_sin_approx_f(x);
}
EW_MATH_C float __cosf(float x) {
  return __nvvm_cos_approx_f(x);
}
EW_MATH_C float __tanf(float x) {
  return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x));
}
EW_MATH_C void __sincosf(float x, float* sine, float* cosine) {
  *sine = __nvvm_sin_approx_f(x);
  *cosine = __nvvm_cos_approx_f(x);
}
EW_MATH_C float __log2f(float x) {
  return __nvvm_lg2_approx_f(x);
}
EW_MATH_C float __logf(float x) {
  return __nvvm_lg2_approx_f(x) * 0x1.62e430p-1f;
}
EW_MATH_C float __log10f(float x) {
  return __nvvm_lg2_approx_f(x) * 0x1.344136p-2f;
}
EW_MATH_C float __exp2f(float x) {
  return __nvvm_ex2_approx_f(x);
}
EW_MATH_C float __expf(float x) {
  return __nvvm_ex2_approx_f(x * 0x1.715476p+0f);
}
EW_MATH_C float __exp10f(float x) {
  return __nvvm_ex2_approx_f(x * 0x1.a934f0p+1f);
}
EW_MATH_C float __powf(float x, float y) {
  return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x));
}
EW_MATH_C float __fdividef(float x, float y) {
  return __nvvm_div_approx_f(x, y);
}
EW_MATH_C float fdividef(float x, float y) {
  return EW_FAST(__nvvm_div_approx_f(x, y), x / y);
}
EW_MATH_C double fdivide(double x, double y) {
  return x / y;
}
EW_MATH_C float __tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
