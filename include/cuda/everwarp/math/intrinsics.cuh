// The fast intrinsics: CUDA's names for the approximate instructions of PTX.
#pragma once

// Under -ftz=true the instructions flush subnormal numbers too.
#if defined(EVERWARP_FTZ) || defined(__USE_FAST_MATH__)
#define EW_APPROXIMATE(instruction) __nvvm_##instruction##_approx_ftz_f
#else
#define EW_APPROXIMATE(instruction) __nvvm_##instruction##_approx_f
#endif

EW_MATH_C float __sinf(float x) {
  return EW_APPROXIMATE(sin)(x);
}
EW_MATH_C float __cosf(float x) {
  return EW_APPROXIMATE(cos)(x);
}
EW_MATH_C float __tanf(float x) {
  return EW_APPROXIMATE(div)(EW_APPROXIMATE(sin)(x), EW_APPROXIMATE(cos)(x));
}
EW_MATH_C void __sincosf(float x, float* sine, float* cosine) {
  *sine = EW_APPROXIMATE(sin)(x);
  *cosine = EW_APPROXIMATE(cos)(x);
}
EW_MATH_C float __log2f(float x) {
  return EW_APPROXIMATE(lg2)(x);
}
EW_MATH_C float __logf(float x) {
  return EW_APPROXIMATE(lg2)(x) * 0x1.62e430p-1f;
}
EW_MATH_C float __log10f(float x) {
  return EW_APPROXIMATE(lg2)(x) * 0x1.344136p-2f;
}
EW_MATH_C float __exp2f(float x) {
  return EW_APPROXIMATE(ex2)(x);
}
EW_MATH_C float __expf(float x) {
  return EW_APPROXIMATE(ex2)(x * 0x1.715476p+0f);
}
EW_MATH_C float __exp10f(float x) {
  return EW_APPROXIMATE(ex2)(x * 0x1.a934f0p+1f);
}
EW_MATH_C float __powf(float x, float y) {
  return EW_APPROXIMATE(ex2)(y * EW_APPROXIMATE(lg2)(x));
}
EW_MATH_C float __fdividef(float x, float y) {
  return EW_APPROXIMATE(div)(x, y);
}
EW_MATH_C float fdividef(float x, float y) {
  return EW_FAST(EW_APPROXIMATE(div)(x, y), x / y);
}
EW_MATH_C double fdivide(double x, double y) {
  return x / y;
}
EW_MATH_C float __tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
