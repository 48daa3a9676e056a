// Polynomials of the device math functions, derived and printed by tests/math/derive/polynomials.cpp. Do not edit.
// Each states its interval and its error with rounded coefficients and exact arithmetic.
#pragma once

#include "base.cuh"

namespace everwarp::math {

// degree 6 on [0, 0.625], absolute error 9.3e-18
EW_MATH double sin_tail(double x) {
  double p = -0x1.ab0c5c1f8c1d8p-41;
  p = fma_rn(p, x, 0x1.61216b761f44cp-33);
  p = fma_rn(p, x, -0x1.ae6453f9e59c2p-26);
  p = fma_rn(p, x, 0x1.71de3a54522b1p-19);
  p = fma_rn(p, x, -0x1.a01a01a0198c0p-13);
  p = fma_rn(p, x, 0x1.1111111111110p-7);
  p = fma_rn(p, x, -0x1.5555555555555p-3);
  return p;
}

// degree 3 on [0, 0.625], absolute error 5e-09
EW_MATH float sin_tail(float x) {
  float p = 0x1.6db028p-19f;
  p = fma_rn(p, x, -0x1.a0137cp-13f);
  p = fma_rn(p, x, 0x1.11110ep-7f);
  p = fma_rn(p, x, -0x1.555556p-3f);
  return p;
}

// degree 5 on [0, 0.625], absolute error 2.3e-18
EW_MATH double cos_tail(double x) {
  double p = -0x1.9073315b2f705p-37;
  p = fma_rn(p, x, 0x1.1eeb5a51285b6p-29);
  p = fma_rn(p, x, -0x1.27e4fa09c11ebp-22);
  p = fma_rn(p, x, 0x1.a01a019f43beap-16);
  p = fma_rn(p, x, -0x1.6c16c16c16938p-10);
  p = fma_rn(p, x, 0x1.5555555555555p-5);
  return p;
}

// degree 3 on [0, 0.625], absolute error 1.2e-09
EW_MATH float cos_tail(float x) {
  float p = -0x1.251b0ap-22f;
  p = fma_rn(p, x, 0x1.a015a8p-16f);
  p = fma_rn(p, x, -0x1.6c16c0p-10f);
  p = fma_rn(p, x, 0x1.555556p-5f);
  return p;
}

// degree 11 on [-0.35, 0.35], absolute error 3.3e-18
EW_MATH double exp_tail(double x) {
  double p = 0x1.61c2b89c2d16ep-33;
  p = fma_rn(p, x, 0x1.1f820532b5a27p-29);
  p = fma_rn(p, x, 0x1.ae642ad7b698cp-26);
  p = fma_rn(p, x, 0x1.27e4d288d6672p-22);
  p = fma_rn(p, x, 0x1.71de3a5af8595p-19);
  p = fma_rn(p, x, 0x1.a01a01aa80c24p-16);
  p = fma_rn(p, x, 0x1.a01a01a0195e9p-13);
  p = fma_rn(p, x, 0x1.6c16c16c158fap-10);
  p = fma_rn(p, x, 0x1.1111111111111p-7);
  p = fma_rn(p, x, 0x1.5555555555557p-5);
  p = fma_rn(p, x, 0x1.5555555555555p-3);
  p = fma_rn(p, x, 0x1.0000000000000p-1);
  return p;
}

// degree 5 on [-0.35, 0.35], absolute error 4.7e-09
EW_MATH float exp_tail(float x) {
  float p = 0x1.a12a34p-13f;
  p = fma_rn(p, x, 0x1.6d4910p-10f);
  p = fma_rn(p, x, 0x1.1110e0p-7f);
  p = fma_rn(p, x, 0x1.5554e4p-5f);
  p = fma_rn(p, x, 0x1.555556p-3f);
  p = fma_rn(p, x, 0x1.000000p-1f);
  return p;
}

// degree 7 on [0, 0.02975], absolute error 3.7e-17
EW_MATH double log_tail(double x) {
  double p = 0x1.0c52205d32dd9p-3;
  p = fma_rn(p, x, 0x1.0fb709a31ef03p-3);
  p = fma_rn(p, x, 0x1.3b1c7de2d378fp-3);
  p = fma_rn(p, x, 0x1.745cf7ad5b010p-3);
  p = fma_rn(p, x, 0x1.c71c720493b1cp-3);
  p = fma_rn(p, x, 0x1.2492492474f78p-2);
  p = fma_rn(p, x, 0x1.9999999999a44p-2);
  p = fma_rn(p, x, 0x1.5555555555555p-1);
  return p;
}

// degree 3 on [0, 0.02975], absolute error 2.2e-08
EW_MATH float log_tail(float x) {
  float p = 0x1.de0ec4p-3f;
  p = fma_rn(p, x, 0x1.245b16p-2f);
  p = fma_rn(p, x, 0x1.9999eep-2f);
  p = fma_rn(p, x, 0x1.555556p-1f);
  return p;
}

// degree 7 on [0, 0.02975], absolute error 2.7e-17
EW_MATH double log_tail2(double x) {
  double p = 0x1.e0bb57d4eaa92p-4;
  p = fma_rn(p, x, 0x1.df6f3d302a0ffp-4);
  p = fma_rn(p, x, 0x1.111908fb96119p-3);
  p = fma_rn(p, x, 0x1.3b13949e1a660p-3);
  p = fma_rn(p, x, 0x1.745d177d7bdd7p-3);
  p = fma_rn(p, x, 0x1.c71c71c6e756dp-3);
  p = fma_rn(p, x, 0x1.249249249252dp-2);
  p = fma_rn(p, x, 0x1.999999999999ap-2);
  return p;
}

// degree 3 on [0, 0.02975], absolute error 7.9e-09
EW_MATH float log_tail2(float x) {
  float p = 0x1.87cbecp-3f;
  p = fma_rn(p, x, 0x1.c6beecp-3f);
  p = fma_rn(p, x, 0x1.249290p-2f);
  p = fma_rn(p, x, 0x1.99999ap-2f);
  return p;
}

// degree 11 on [0, 0.174], absolute error 1.9e-17
EW_MATH double atan_tail(double x) {
  double p = 0x1.07a5048f6d48ap-6;
  p = fma_rn(p, x, -0x1.19c1b1ec13b08p-5);
  p = fma_rn(p, x, 0x1.744cee08c75a9p-5);
  p = fma_rn(p, x, -0x1.ac5a95df8ccf8p-5);
  p = fma_rn(p, x, 0x1.e195b3d97404fp-5);
  p = fma_rn(p, x, -0x1.110e56fe9017fp-4);
  p = fma_rn(p, x, 0x1.3b139019d47c0p-4);
  p = fma_rn(p, x, -0x1.745d16456d4dap-4);
  p = fma_rn(p, x, 0x1.c71c71c285a13p-4);
  p = fma_rn(p, x, -0x1.249249248cd6cp-3);
  p = fma_rn(p, x, 0x1.9999999999948p-3);
  p = fma_rn(p, x, -0x1.5555555555555p-2);
  return p;
}

// degree 5 on [0, 0.174], absolute error 1.1e-08
EW_MATH float atan_tail(float x) {
  float p = 0x1.9b38b4p-5f;
  p = fma_rn(p, x, -0x1.60d048p-4f);
  p = fma_rn(p, x, 0x1.c56c02p-4f);
  p = fma_rn(p, x, -0x1.2489aap-3f);
  p = fma_rn(p, x, 0x1.99997ap-3f);
  p = fma_rn(p, x, -0x1.555556p-2f);
  return p;
}

// degree 13 on [0, 0.2525], absolute error 9.3e-18
EW_MATH double asin_tail(double x) {
  double p = 0x1.eeb07b354236ep-6;
  p = fma_rn(p, x, -0x1.4a2cf5781d0f7p-6);
  p = fma_rn(p, x, 0x1.4ab2c978dbf75p-6);
  p = fma_rn(p, x, 0x1.6deed6fe9d321p-9);
  p = fma_rn(p, x, 0x1.338704721e746p-7);
  p = fma_rn(p, x, 0x1.3aea4ea1db5e2p-7);
  p = fma_rn(p, x, 0x1.7b0de2492bb89p-7);
  p = fma_rn(p, x, 0x1.c98fc0359b439p-7);
  p = fma_rn(p, x, 0x1.1c4f035140cafp-6);
  p = fma_rn(p, x, 0x1.6e8ba0eab8ef7p-6);
  p = fma_rn(p, x, 0x1.f1c71c7b7fc24p-6);
  p = fma_rn(p, x, 0x1.6db6db6daa843p-5);
  p = fma_rn(p, x, 0x1.3333333333396p-4);
  p = fma_rn(p, x, 0x1.5555555555555p-3);
  return p;
}

// degree 5 on [0, 0.2525], absolute error 1.1e-08
EW_MATH float asin_tail(float x) {
  float p = 0x1.160728p-5f;
  p = fma_rn(p, x, 0x1.16b0b6p-6f);
  p = fma_rn(p, x, 0x1.fdfee8p-6f);
  p = fma_rn(p, x, 0x1.6d5752p-5f);
  p = fma_rn(p, x, 0x1.333440p-4f);
  p = fma_rn(p, x, 0x1.555554p-3f);
  return p;
}

// degree 6 on [0, 1.01], absolute error 1e-17
EW_MATH double sinh_tail(double x) {
  double p = 0x1.b4208ec7de2abp-41;
  p = fma_rn(p, x, 0x1.611c8b81f9143p-33);
  p = fma_rn(p, x, 0x1.ae64614c752dep-26);
  p = fma_rn(p, x, 0x1.71de3a4dc8729p-19);
  p = fma_rn(p, x, 0x1.a01a01a01f271p-13);
  p = fma_rn(p, x, 0x1.11111111110fcp-7);
  p = fma_rn(p, x, 0x1.5555555555555p-3);
  return p;
}

// degree 3 on [0, 1.01], absolute error 5.7e-09
EW_MATH float sinh_tail(float x) {
  float p = 0x1.78b894p-19f;
  p = fma_rn(p, x, 0x1.a008a8p-13f);
  p = fma_rn(p, x, 0x1.111120p-7f);
  p = fma_rn(p, x, 0x1.555556p-3f);
  return p;
}

// degree 11 on [0, 0.37], absolute error 2.3e-17
EW_MATH double tanh_tail(double x) {
  double p = 0x1.c73fe7904d094p-18;
  p = fma_rn(p, x, -0x1.0abe00d842cb4p-15);
  p = fma_rn(p, x, 0x1.866e0bb17e237p-14);
  p = fma_rn(p, x, -0x1.f2c9c7d8a7dabp-13);
  p = fma_rn(p, x, 0x1.3531055eb80e9p-11);
  p = fma_rn(p, x, -0x1.7da068b7ca483p-10);
  p = fma_rn(p, x, 0x1.d6d3aa4dbea47p-9);
  p = fma_rn(p, x, -0x1.226e34bf95349p-7);
  p = fma_rn(p, x, 0x1.664f487fbac94p-6);
  p = fma_rn(p, x, -0x1.ba1ba1ba13feep-5);
  p = fma_rn(p, x, 0x1.11111111110d5p-3);
  p = fma_rn(p, x, -0x1.5555555555555p-2);
  return p;
}

// degree 5 on [0, 0.37], absolute error 1.2e-08
EW_MATH float tanh_tail(float x) {
  float p = 0x1.335ad6p-9f;
  p = fma_rn(p, x, -0x1.12e222p-7f);
  p = fma_rn(p, x, 0x1.64e15ep-6f);
  p = fma_rn(p, x, -0x1.ba0c1ep-5f);
  p = fma_rn(p, x, 0x1.1110f2p-3f);
  p = fma_rn(p, x, -0x1.555556p-2f);
  return p;
}

// degree 2 on [0.5, 1], absolute error 0.0007
EW_MATH double cbrt_seed(double x) {
  double p = -0x1.7b77b49cf11b2p-3;
  p = fma_rn(p, x, 0x1.6060470eb6cbep-1);
  p = fma_rn(p, x, 0x1.fc86e19445edbp-2);
  return p;
}

// degree 2 on [0.5, 1], absolute error 0.0007
EW_MATH float cbrt_seed(float x) {
  float p = -0x1.7b77b4p-3f;
  p = fma_rn(p, x, 0x1.606048p-1f);
  p = fma_rn(p, x, 0x1.fc86e2p-2f);
  return p;
}

// degree 12 on [0, 1.01], absolute error 1.3e-17
EW_MATH double erf_small(double x) {
  double p = 0x1.04cffb4ece4e9p-34;
  p = fma_rn(p, x, -0x1.382f7c1302f89p-30);
  p = fma_rn(p, x, 0x1.f79213e34a832p-27);
  p = fma_rn(p, x, -0x1.5f1ba84a48f49p-23);
  p = fma_rn(p, x, 0x1.b9dec652bf0d6p-20);
  p = fma_rn(p, x, -0x1.f4d1dc278c3e2p-17);
  p = fma_rn(p, x, 0x1.f9a3217c87dc1p-14);
  p = fma_rn(p, x, -0x1.c02db3d7d3f0cp-11);
  p = fma_rn(p, x, 0x1.565bcd0daafadp-8);
  p = fma_rn(p, x, -0x1.b82ce312847dfp-6);
  p = fma_rn(p, x, 0x1.ce2f21a042b1cp-4);
  p = fma_rn(p, x, -0x1.812746b0379e6p-2);
  p = fma_rn(p, x, 0x1.06eba8214db69p-3);
  return p;
}

// degree 6 on [0, 1.01], absolute error 1.9e-09
EW_MATH float erf_small(float x) {
  float p = 0x1.48f5c8p-14f;
  p = fma_rn(p, x, -0x1.a3d65ap-11f);
  p = fma_rn(p, x, 0x1.5402b2p-8f);
  p = fma_rn(p, x, -0x1.b7f8e0p-6f);
  p = fma_rn(p, x, 0x1.ce2cf8p-4f);
  p = fma_rn(p, x, -0x1.81273ep-2f);
  p = fma_rn(p, x, 0x1.06eba8p-3f);
  return p;
}

// degree 24 on [-1, 1], absolute error 7.4e-17
EW_MATH double erfcx_mapped(double x) {
  double p = -0x1.2feb115e10ff9p-32;
  p = fma_rn(p, x, 0x1.ff247156a53a2p-31);
  p = fma_rn(p, x, 0x1.bc41def3d5cc6p-29);
  p = fma_rn(p, x, -0x1.a7f4a11380e73p-27);
  p = fma_rn(p, x, -0x1.64110b1736fb3p-26);
  p = fma_rn(p, x, 0x1.c8a212189b424p-24);
  p = fma_rn(p, x, 0x1.4dcd6b6d85453p-24);
  p = fma_rn(p, x, -0x1.b8ce493292da5p-21);
  p = fma_rn(p, x, 0x1.393f4d359a7fdp-22);
  p = fma_rn(p, x, 0x1.7ef644c7815aap-18);
  p = fma_rn(p, x, -0x1.7884d2487d5efp-17);
  p = fma_rn(p, x, -0x1.99537515467bep-16);
  p = fma_rn(p, x, 0x1.3be0432bfa860p-13);
  p = fma_rn(p, x, -0x1.a1df5e81f57b4p-13);
  p = fma_rn(p, x, -0x1.8d4a9a6465372p-11);
  p = fma_rn(p, x, 0x1.49c672e199469p-8);
  p = fma_rn(p, x, -0x1.09623884747dbp-6);
  p = fma_rn(p, x, 0x1.3079edf5181dfp-5);
  p = fma_rn(p, x, -0x1.0fb06dfe4c6c0p-4);
  p = fma_rn(p, x, 0x1.7fee004e1eefep-4);
  p = fma_rn(p, x, -0x1.9ddb23c3e8f13p-4);
  p = fma_rn(p, x, 0x1.16ecefcfa4d10p-4);
  p = fma_rn(p, x, 0x1.f7f5df66fd797p-7);
  p = fma_rn(p, x, -0x1.1df1ad154a286p-3);
  p = fma_rn(p, x, 0x1.3ba5916e9fd7fp+0);
  return p;
}

// degree 12 on [-1, 1], absolute error 4.1e-08
EW_MATH float erfcx_mapped(float x) {
  float p = 0x1.e916e2p-14f;
  p = fma_rn(p, x, -0x1.04b5bap-12f);
  p = fma_rn(p, x, -0x1.779174p-11f);
  p = fma_rn(p, x, 0x1.4d1b64p-8f);
  p = fma_rn(p, x, -0x1.09c926p-6f);
  p = fma_rn(p, x, 0x1.30400ep-5f);
  p = fma_rn(p, x, -0x1.0fa8fap-4f);
  p = fma_rn(p, x, 0x1.7ff5fap-4f);
  p = fma_rn(p, x, -0x1.9ddc12p-4f);
  p = fma_rn(p, x, 0x1.16ebf8p-4f);
  p = fma_rn(p, x, 0x1.f7f624p-7f);
  p = fma_rn(p, x, -0x1.1df1a8p-3f);
  p = fma_rn(p, x, 0x1.3ba592p+0f);
  return p;
}

// degree 13 on [0, 0.5], absolute error 2.6e-17
EW_MATH double erfcx_small(double x) {
  double p = 0x1.f43d95e995035p-15;
  p = fma_rn(p, x, -0x1.7c93f13fa15c7p-12);
  p = fma_rn(p, x, 0x1.476f673d5d8d8p-10);
  p = fma_rn(p, x, -0x1.bd06fbfcbe5fdp-9);
  p = fma_rn(p, x, 0x1.100dfb3cbc41dp-7);
  p = fma_rn(p, x, -0x1.38df1d39c9322p-6);
  p = fma_rn(p, x, 0x1.5551b4e70c613p-5);
  p = fma_rn(p, x, -0x1.6023a7f208657p-4);
  p = fma_rn(p, x, 0x1.5555523d718f8p-3);
  p = fma_rn(p, x, -0x1.341f6ba7a6849p-2);
  p = fma_rn(p, x, 0x1.ffffffff1681ap-2);
  p = fma_rn(p, x, -0x1.812746b035593p-1);
  p = fma_rn(p, x, 0x1.fffffffffffb9p-1);
  p = fma_rn(p, x, -0x1.20dd750429b6dp+0);
  return p;
}

// degree 7 on [0, 0.5], absolute error 7.2e-08
EW_MATH float erfcx_small(float x) {
  float p = 0x1.1f1f70p-6f;
  p = fma_rn(p, x, -0x1.1c95dep-4f);
  p = fma_rn(p, x, 0x1.4837fcp-3f);
  p = fma_rn(p, x, -0x1.32a8acp-2f);
  p = fma_rn(p, x, 0x1.ffd1aep-2f);
  p = fma_rn(p, x, -0x1.8125dap-1f);
  p = fma_rn(p, x, 0x1.fffff8p-1f);
  p = fma_rn(p, x, -0x1.20dd74p+0f);
  return p;
}

// degree 13 on [0, 0.2525], absolute error 5.4e-18
EW_MATH double erfinv_small(double x) {
  double p = 0x1.d8c0360063458p-4;
  p = fma_rn(p, x, -0x1.4632a33fea8d5p-4);
  p = fma_rn(p, x, 0x1.36f292a77eb53p-4);
  p = fma_rn(p, x, 0x1.e89dd6f81ae2cp-8);
  p = fma_rn(p, x, 0x1.04e90028e6e37p-5);
  p = fma_rn(p, x, 0x1.fd8da3bfe5517p-6);
  p = fma_rn(p, x, 0x1.2b3d65d0b936cp-5);
  p = fma_rn(p, x, 0x1.5ee185a0812f1p-5);
  p = fma_rn(p, x, 0x1.a7c8d61be8bcdp-5);
  p = fma_rn(p, x, 0x1.0a1316ab7843ap-4);
  p = fma_rn(p, x, 0x1.62847c5157099p-4);
  p = fma_rn(p, x, 0x1.053c2c0aad151p-3);
  p = fma_rn(p, x, 0x1.db29fb2fee6a4p-3);
  p = fma_rn(p, x, -0x1.facbba4214657p-59);
  return p;
}

// degree 6 on [0, 0.2525], absolute error 1.1e-09
EW_MATH float erfinv_small(float x) {
  float p = 0x1.92cd88p-4f;
  p = fma_rn(p, x, 0x1.df7e7ep-6f);
  p = fma_rn(p, x, 0x1.1b1decp-4f);
  p = fma_rn(p, x, 0x1.60f2e8p-4f);
  p = fma_rn(p, x, 0x1.0544d2p-3f);
  p = fma_rn(p, x, 0x1.db29d8p-3f);
  p = fma_rn(p, x, 0x1.75eeeap-31f);
  return p;
}

// degree 24 on [-3.25, 3.25], absolute error 8.3e-17
EW_MATH double erfinv_centre(double x) {
  double p = -0x1.ab608ca4d9b44p-72;
  p = fma_rn(p, x, 0x1.48175e394e3f6p-69);
  p = fma_rn(p, x, 0x1.02b0c8c737f0bp-65);
  p = fma_rn(p, x, -0x1.4f80c8e21b85bp-62);
  p = fma_rn(p, x, -0x1.0230eaa4467c1p-62);
  p = fma_rn(p, x, 0x1.27ac3fd1c8ecbp-56);
  p = fma_rn(p, x, -0x1.8528aaa2e433fp-54);
  p = fma_rn(p, x, -0x1.3aaaacd8c79d4p-52);
  p = fma_rn(p, x, 0x1.bcf68a6e4753bp-48);
  p = fma_rn(p, x, -0x1.ea93adf5db96bp-46);
  p = fma_rn(p, x, -0x1.437fe3f73f672p-43);
  p = fma_rn(p, x, 0x1.561523825b1f9p-39);
  p = fma_rn(p, x, -0x1.3770e4141cb90p-37);
  p = fma_rn(p, x, -0x1.35f3c3b516bd1p-34);
  p = fma_rn(p, x, 0x1.09367b8b2f98ep-30);
  p = fma_rn(p, x, -0x1.87bd74c280146p-29);
  p = fma_rn(p, x, -0x1.1b44fcabdbbf7p-25);
  p = fma_rn(p, x, 0x1.a544b63f9458ap-22);
  p = fma_rn(p, x, -0x1.0ea7742128621p-20);
  p = fma_rn(p, x, -0x1.efa1a933247d5p-17);
  p = fma_rn(p, x, 0x1.74cd69f405ec3p-13);
  p = fma_rn(p, x, -0x1.548db55d35352p-11);
  p = fma_rn(p, x, -0x1.9c7f37c13552ap-8);
  p = fma_rn(p, x, 0x1.e8afc29b9bb58p-3);
  p = fma_rn(p, x, 0x1.5dfe0597763edp-1);
  return p;
}

// degree 12 on [-3.25, 3.25], absolute error 1.9e-08
EW_MATH float erfinv_centre(float x) {
  float p = -0x1.6b112ap-37f;
  p = fma_rn(p, x, -0x1.145c6ap-37f);
  p = fma_rn(p, x, 0x1.0b03dap-30f);
  p = fma_rn(p, x, -0x1.ed19c2p-29f);
  p = fma_rn(p, x, -0x1.1b5318p-25f);
  p = fma_rn(p, x, 0x1.aa0046p-22f);
  p = fma_rn(p, x, -0x1.0ea9e4p-20f);
  p = fma_rn(p, x, -0x1.f01286p-17f);
  p = fma_rn(p, x, 0x1.74cd76p-13f);
  p = fma_rn(p, x, -0x1.548b6cp-11f);
  p = fma_rn(p, x, -0x1.9c7f38p-8f);
  p = fma_rn(p, x, 0x1.e8afc2p-3f);
  p = fma_rn(p, x, 0x1.5dfe06p-1f);
  return p;
}

// degree 20 on [-0.75, 0.75], absolute error 1.4e-16
EW_MATH double erfinv_near(double x) {
  double p = 0x1.07e3c2020286fp-27;
  p = fma_rn(p, x, -0x1.06f1da245bfd3p-26);
  p = fma_rn(p, x, -0x1.674f1725daa65p-26);
  p = fma_rn(p, x, 0x1.1a9484c4d3628p-23);
  p = fma_rn(p, x, -0x1.079a074d69940p-22);
  p = fma_rn(p, x, -0x1.da75906425fdap-26);
  p = fma_rn(p, x, 0x1.8db69feb41fb6p-20);
  p = fma_rn(p, x, -0x1.0b79e820e8497p-18);
  p = fma_rn(p, x, 0x1.899aa0e374402p-19);
  p = fma_rn(p, x, 0x1.a241c6f237f34p-17);
  p = fma_rn(p, x, -0x1.8cf463501e9a0p-15);
  p = fma_rn(p, x, 0x1.1e6abbe66ca02p-14);
  p = fma_rn(p, x, 0x1.932e8fd4360edp-16);
  p = fma_rn(p, x, -0x1.7448bcc8e9aa7p-12);
  p = fma_rn(p, x, 0x1.f3cc545d9ca81p-11);
  p = fma_rn(p, x, -0x1.ba9240d8768c3p-10);
  p = fma_rn(p, x, 0x1.468eeca944c44p-9);
  p = fma_rn(p, x, -0x1.ebadabba02be5p-9);
  p = fma_rn(p, x, 0x1.5ffcfe5b6cd38p-8);
  p = fma_rn(p, x, 0x1.0158a6d641d55p+0);
  p = fma_rn(p, x, 0x1.8abcc380d5a48p+1);
  return p;
}

// degree 9 on [-0.75, 0.75], absolute error 1.1e-07
EW_MATH float erfinv_near(float x) {
  float p = 0x1.52ad56p-14f;
  p = fma_rn(p, x, -0x1.3a55dcp-15f);
  p = fma_rn(p, x, -0x1.79e370p-12f);
  p = fma_rn(p, x, 0x1.019ab6p-10f);
  p = fma_rn(p, x, -0x1.ba4eeep-10f);
  p = fma_rn(p, x, 0x1.45cb92p-9f);
  p = fma_rn(p, x, -0x1.ebaff6p-9f);
  p = fma_rn(p, x, 0x1.6003d0p-8f);
  p = fma_rn(p, x, 0x1.0158a6p+0f);
  p = fma_rn(p, x, 0x1.8abcc4p+1f);
  return p;
}

// degree 24 on [-2, 2], absolute error 4.8e-16
EW_MATH double erfinv_far(double x) {
  double p = -0x1.772a4a86bd2c5p-54;
  p = fma_rn(p, x, 0x1.02e8f6b5d7a6bp-51);
  p = fma_rn(p, x, 0x1.3bff3edaec715p-52);
  p = fma_rn(p, x, -0x1.b1d369a58def8p-48);
  p = fma_rn(p, x, 0x1.a352d3520fe95p-47);
  p = fma_rn(p, x, -0x1.987279f0169a0p-47);
  p = fma_rn(p, x, 0x1.46300d4f5a3b5p-44);
  p = fma_rn(p, x, -0x1.37df34b9bd5eep-42);
  p = fma_rn(p, x, 0x1.1d43b4a491c0fp-41);
  p = fma_rn(p, x, -0x1.c50075daa740ep-41);
  p = fma_rn(p, x, 0x1.234a363830c3dp-39);
  p = fma_rn(p, x, -0x1.e80c4eebfaff8p-38);
  p = fma_rn(p, x, 0x1.12dd49a5e5783p-35);
  p = fma_rn(p, x, -0x1.896ae889ee838p-33);
  p = fma_rn(p, x, 0x1.28dbefcc9ae47p-30);
  p = fma_rn(p, x, -0x1.bab58b735cc50p-28);
  p = fma_rn(p, x, 0x1.41241658072a7p-25);
  p = fma_rn(p, x, -0x1.c0912769613e8p-23);
  p = fma_rn(p, x, 0x1.28c7dabc8bbd2p-20);
  p = fma_rn(p, x, -0x1.6775eccfd3c8ep-18);
  p = fma_rn(p, x, 0x1.6a07330cb995ap-16);
  p = fma_rn(p, x, -0x1.6814b00c0fd25p-15);
  p = fma_rn(p, x, -0x1.efcf027c9f58bp-12);
  p = fma_rn(p, x, 0x1.02757b354a822p+0);
  p = fma_rn(p, x, 0x1.7708d123a9941p+2);
  return p;
}

// degree 9 on [-2, 2], absolute error 3e-07
EW_MATH float erfinv_far(float x) {
  float p = -0x1.4bfb9cp-27f;
  p = fma_rn(p, x, 0x1.c51ccap-25f);
  p = fma_rn(p, x, -0x1.a34508p-23f);
  p = fma_rn(p, x, 0x1.186b16p-20f);
  p = fma_rn(p, x, -0x1.68e45ep-18f);
  p = fma_rn(p, x, 0x1.6b94bep-16f);
  p = fma_rn(p, x, -0x1.67fcd0p-15f);
  p = fma_rn(p, x, -0x1.efdbccp-12f);
  p = fma_rn(p, x, 0x1.02757cp+0f);
  p = fma_rn(p, x, 0x1.7708d2p+2f);
  return p;
}

// degree 28 on [-10, 10], absolute error 1.9e-15
EW_MATH double erfinv_beyond(double x) {
  double p = 0x1.64db47aea6820p-119;
  p = fma_rn(p, x, -0x1.94b51f78104c8p-115);
  p = fma_rn(p, x, -0x1.147b102a08232p-110);
  p = fma_rn(p, x, 0x1.3b0d4785227f4p-106);
  p = fma_rn(p, x, 0x1.1b7e4a7d3bf3dp-102);
  p = fma_rn(p, x, -0x1.41d22a8677250p-98);
  p = fma_rn(p, x, -0x1.d674f221ae3f9p-96);
  p = fma_rn(p, x, 0x1.0eba58ea89366p-91);
  p = fma_rn(p, x, 0x1.4af60feb1ef3ap-88);
  p = fma_rn(p, x, -0x1.708e309b17d4cp-84);
  p = fma_rn(p, x, 0x1.4cd01b93db598p-82);
  p = fma_rn(p, x, -0x1.489d0044fda54p-78);
  p = fma_rn(p, x, 0x1.3a7905de76d88p-73);
  p = fma_rn(p, x, -0x1.411b1ebbb6d35p-69);
  p = fma_rn(p, x, 0x1.257d9faed2461p-65);
  p = fma_rn(p, x, -0x1.1799759cce7eep-61);
  p = fma_rn(p, x, 0x1.fe7617d06422ap-58);
  p = fma_rn(p, x, -0x1.a2e2b04234d57p-54);
  p = fma_rn(p, x, 0x1.152ee129ec1a8p-50);
  p = fma_rn(p, x, -0x1.16665ca36d6a6p-48);
  p = fma_rn(p, x, -0x1.c6472920cb6cap-43);
  p = fma_rn(p, x, 0x1.425960f450575p-37);
  p = fma_rn(p, x, -0x1.330361f9978b2p-32);
  p = fma_rn(p, x, 0x1.feeeee1656c44p-28);
  p = fma_rn(p, x, -0x1.8f6ed87b236d1p-23);
  p = fma_rn(p, x, 0x1.2fa0e2559978cp-18);
  p = fma_rn(p, x, -0x1.cc45e6700382ep-14);
  p = fma_rn(p, x, 0x1.00b3a98ad8997p+0);
  p = fma_rn(p, x, 0x1.1ec484ce7ce5ep+4);
  return p;
}

// degree 4 on [-1.5, 1.5], absolute error 4.4e-07
EW_MATH float erfinv_beyond(float x) {
  float p = -0x1.ea4d70p-22f;
  p = fma_rn(p, x, 0x1.47d9c0p-16f);
  p = fma_rn(p, x, -0x1.8d0c1ap-12f);
  p = fma_rn(p, x, 0x1.019f18p+0f);
  p = fma_rn(p, x, 0x1.2c66aep+3f);
  return p;
}

// degree 16 on [0, 1], absolute error 2.9e-17
EW_MATH double gamma_tail(double x) {
  double p = -0x1.b5670c3812f7ap-24;
  p = fma_rn(p, x, 0x1.1f181dd38b83dp-20);
  p = fma_rn(p, x, -0x1.708432f617f45p-18);
  p = fma_rn(p, x, 0x1.3bcee719cf07bp-16);
  p = fma_rn(p, x, -0x1.a2a4b88400553p-15);
  p = fma_rn(p, x, 0x1.dd2ad44187ee2p-14);
  p = fma_rn(p, x, -0x1.f00138f5ee847p-13);
  p = fma_rn(p, x, 0x1.001c4a32a79e5p-11);
  p = fma_rn(p, x, -0x1.e1cca7c0f464ap-11);
  p = fma_rn(p, x, 0x1.13bf524d14a7ep-9);
  p = fma_rn(p, x, -0x1.75e60abf71c10p-9);
  p = fma_rn(p, x, 0x1.6d7ee3fdfa36ap-7);
  p = fma_rn(p, x, -0x1.17f3626d9168fp-12);
  p = fma_rn(p, x, 0x1.301fbb0e469c4p-4);
  p = fma_rn(p, x, 0x1.4e2399846add8p-4);
  p = fma_rn(p, x, 0x1.a5b978b96be81p-2);
  p = fma_rn(p, x, 0x1.b0ee6072093cep-2);
  return p;
}

// degree 7 on [0, 1], absolute error 1.7e-08
EW_MATH float gamma_tail(float x) {
  float p = 0x1.a6dec8p-11f;
  p = fma_rn(p, x, -0x1.a87746p-10f);
  p = fma_rn(p, x, 0x1.54bdb2p-7f);
  p = fma_rn(p, x, 0x1.514d20p-16f);
  p = fma_rn(p, x, 0x1.2fdd0ep-4f);
  p = fma_rn(p, x, 0x1.4e2b3ap-4f);
  p = fma_rn(p, x, 0x1.a5b962p-2f);
  p = fma_rn(p, x, 0x1.b0ee60p-2f);
  return p;
}

// degree 15 on [0, 1], absolute error 2.1e-17
EW_MATH double lgamma_two(double x) {
  double p = 0x1.499f096e92c89p-25;
  p = fma_rn(p, x, -0x1.a2dd747bd8ef1p-22);
  p = fma_rn(p, x, 0x1.06f21300608dfp-19);
  p = fma_rn(p, x, -0x1.c02882edbeb9fp-18);
  p = fma_rn(p, x, 0x1.2f74b1958afd3p-16);
  p = fma_rn(p, x, -0x1.6b56545447bd2p-15);
  p = fma_rn(p, x, 0x1.9dbf0b9a0f7d7p-14);
  p = fma_rn(p, x, -0x1.d358b347fd26bp-13);
  p = fma_rn(p, x, 0x1.0b2b3c7b5aa6cp-11);
  p = fma_rn(p, x, -0x1.38ab364fb14c4p-10);
  p = fma_rn(p, x, 0x1.7add5a2caa52ap-9);
  p = fma_rn(p, x, -0x1.e404fb2fc706dp-8);
  p = fma_rn(p, x, 0x1.51322ac476328p-6);
  p = fma_rn(p, x, -0x1.13e001a550fc8p-4);
  p = fma_rn(p, x, 0x1.4a34cc4a60f5ap-2);
  p = fma_rn(p, x, 0x1.b0ee6072093cep-2);
  return p;
}

// degree 7 on [0, 1], absolute error 9.3e-09
EW_MATH float lgamma_two(float x) {
  float p = 0x1.de5ce2p-14f;
  p = fma_rn(p, x, -0x1.80b4e2p-11f);
  p = fma_rn(p, x, 0x1.4fe090p-9f);
  p = fma_rn(p, x, -0x1.dadbe4p-8f);
  p = fma_rn(p, x, 0x1.50a52ap-6f);
  p = fma_rn(p, x, -0x1.13dbbep-4f);
  p = fma_rn(p, x, 0x1.4a34c0p-2f);
  p = fma_rn(p, x, 0x1.b0ee60p-2f);
  return p;
}

// degree 20 on [0, 1], absolute error 1.5e-17
EW_MATH double lgamma_one(double x) {
  double p = 0x1.8ca55ab6b8718p-17;
  p = fma_rn(p, x, -0x1.1ec262b00556fp-13);
  p = fma_rn(p, x, 0x1.89ca313503b5cp-11);
  p = fma_rn(p, x, -0x1.57729bfd3cddfp-9);
  p = fma_rn(p, x, 0x1.ae7dceb58f04dp-8);
  p = fma_rn(p, x, -0x1.a189e1ed6a7dap-7);
  p = fma_rn(p, x, 0x1.4b35f6d478854p-6);
  p = fma_rn(p, x, -0x1.c31ec10c0de5ep-6);
  p = fma_rn(p, x, 0x1.141d49782e436p-5);
  p = fma_rn(p, x, -0x1.3cc9c2065f500p-5);
  p = fma_rn(p, x, 0x1.605f38da3b662p-5);
  p = fma_rn(p, x, -0x1.84ab741538c53p-5);
  p = fma_rn(p, x, 0x1.ae62f427a1aa3p-5);
  p = fma_rn(p, x, -0x1.e17c73cf12eb8p-5);
  p = fma_rn(p, x, 0x1.1154f8d1813dbp-4);
  p = fma_rn(p, x, -0x1.3cb1f38eba3c3p-4);
  p = fma_rn(p, x, 0x1.79cf9bf908085p-4);
  p = fma_rn(p, x, -0x1.d7a3e6a648e37p-4);
  p = fma_rn(p, x, 0x1.3e5452047c221p-3);
  p = fma_rn(p, x, -0x1.f6465978d4648p-3);
  p = fma_rn(p, x, 0x1.2788cfc6fb619p-1);
  return p;
}

// degree 9 on [0, 1], absolute error 1.2e-08
EW_MATH float lgamma_one(float x) {
  float p = -0x1.85ef62p-10f;
  p = fma_rn(p, x, 0x1.2b8370p-7f);
  p = fma_rn(p, x, -0x1.af18d6p-6f);
  p = fma_rn(p, x, 0x1.91d96ap-5f);
  p = fma_rn(p, x, -0x1.21b02ep-4f);
  p = fma_rn(p, x, 0x1.734e1ep-4f);
  p = fma_rn(p, x, -0x1.d6b4aep-4f);
  p = fma_rn(p, x, 0x1.3e4b5ep-3f);
  p = fma_rn(p, x, -0x1.f64616p-3f);
  p = fma_rn(p, x, 0x1.2788d0p-1f);
  return p;
}

// degree 20 on [-0.5, 0], absolute error 1.6e-17
EW_MATH double lgamma_below_one(double x) {
  double p = -0x1.a75c1cc0aa06fp+4;
  p = fma_rn(p, x, -0x1.be01a5e8887d6p+6);
  p = fma_rn(p, x, -0x1.be3facd653234p+7);
  p = fma_rn(p, x, -0x1.1595f13cbc3e9p+8);
  p = fma_rn(p, x, -0x1.df46c02bc678fp+7);
  p = fma_rn(p, x, -0x1.2eee59bffc34ep+7);
  p = fma_rn(p, x, -0x1.2255d03db882ep+6);
  p = fma_rn(p, x, -0x1.aae3b76ee2dd3p+4);
  p = fma_rn(p, x, -0x1.f0ae4ab73efb1p+2);
  p = fma_rn(p, x, -0x1.a41f057aeb944p+0);
  p = fma_rn(p, x, -0x1.924604cae3895p-2);
  p = fma_rn(p, x, 0x1.e4937b9e5776bp-5);
  p = fma_rn(p, x, -0x1.d96fd99c576e7p-4);
  p = fma_rn(p, x, 0x1.005d5fcf6782cp-3);
  p = fma_rn(p, x, -0x1.270d8d09c5418p-3);
  p = fma_rn(p, x, 0x1.5b406513065c3p-3);
  p = fma_rn(p, x, -0x1.a8b9c4349f52ap-3);
  p = fma_rn(p, x, 0x1.151322a6cb2cap-2);
  p = fma_rn(p, x, -0x1.9a4d55beb7c13p-2);
  p = fma_rn(p, x, 0x1.a51a66253077bp-1);
  p = fma_rn(p, x, -0x1.2788cfc6fb619p-1);
  return p;
}

// degree 9 on [-0.5, 0], absolute error 1.3e-08
EW_MATH float lgamma_below_one(float x) {
  float p = 0x1.bbe4bap+0f;
  p = fma_rn(p, x, 0x1.3ac294p+1f);
  p = fma_rn(p, x, 0x1.f5e952p+0f);
  p = fma_rn(p, x, 0x1.2d8e38p-1f);
  p = fma_rn(p, x, 0x1.5fe728p-2f);
  p = fma_rn(p, x, -0x1.766c56p-3f);
  p = fma_rn(p, x, 0x1.171426p-2f);
  p = fma_rn(p, x, -0x1.9a38d8p-2f);
  p = fma_rn(p, x, 0x1.a51a8ep-1f);
  p = fma_rn(p, x, -0x1.2788d0p-1f);
  return p;
}

// degree 6 on [0, 0.015625], absolute error 4.6e-18
EW_MATH double stirling(double x) {
  double p = 0x1.4bffc9d8b4555p-8;
  p = fma_rn(p, x, -0x1.ef8d748aeb0f0p-10);
  p = fma_rn(p, x, 0x1.b92c33f9445e5p-11);
  p = fma_rn(p, x, -0x1.38134d4f8896fp-11);
  p = fma_rn(p, x, 0x1.a01a017dcf9e1p-11);
  p = fma_rn(p, x, -0x1.6c16c16c149f4p-9);
  p = fma_rn(p, x, 0x1.5555555555555p-4);
  return p;
}

// degree 2 on [0, 0.015625], absolute error 2.6e-09
EW_MATH float stirling(float x) {
  float p = 0x1.98f67cp-11f;
  p = fma_rn(p, x, -0x1.6c1418p-9f);
  p = fma_rn(p, x, 0x1.555556p-4f);
  return p;
}

// degree 7 on [0, 1.7], absolute error 1.2e-18
EW_MATH double j0_small(double x) {
  double p = 0x1.4b239478ac0d0p-47;
  p = fma_rn(p, x, -0x1.5216eb8c5f08ep-39);
  p = fma_rn(p, x, 0x1.02e84040302aap-31);
  p = fma_rn(p, x, -0x1.2345675d6ebf7p-24);
  p = fma_rn(p, x, 0x1.c71c71c6cfe9fp-18);
  p = fma_rn(p, x, -0x1.c71c71c71c30cp-12);
  p = fma_rn(p, x, 0x1.ffffffffffffdp-7);
  p = fma_rn(p, x, -0x1.0000000000000p-2);
  return p;
}

// degree 4 on [0, 1.7], absolute error 6.2e-10
EW_MATH float j0_small(float x) {
  float p = -0x1.1acb6ep-24f;
  p = fma_rn(p, x, 0x1.c6ea3cp-18f);
  p = fma_rn(p, x, -0x1.c71bf8p-12f);
  p = fma_rn(p, x, 0x1.000000p-6f);
  p = fma_rn(p, x, -0x1.000000p-2f);
  return p;
}

// degree 15 on [-1.375, 1.375], absolute error 3.2e-17
EW_MATH double j0_zero1_rest(double x) {
  double p = -0x1.0e49d2001a9acp-47;
  p = fma_rn(p, x, 0x1.835079662e632p-44);
  p = fma_rn(p, x, 0x1.121120a8f425cp-39);
  p = fma_rn(p, x, -0x1.630b023d62b00p-36);
  p = fma_rn(p, x, -0x1.9e83f1371dc5dp-32);
  p = fma_rn(p, x, 0x1.decfa97b9ca64p-29);
  p = fma_rn(p, x, 0x1.ca104a25ec084p-25);
  p = fma_rn(p, x, -0x1.d0ff29ec15ba5p-22);
  p = fma_rn(p, x, -0x1.5c4a6b5e6b748p-18);
  p = fma_rn(p, x, 0x1.310b77a6d24a4p-15);
  p = fma_rn(p, x, 0x1.4cd8246247c0dp-12);
  p = fma_rn(p, x, -0x1.eb0316509d5ecp-10);
  p = fma_rn(p, x, -0x1.5685e39308b17p-7);
  p = fma_rn(p, x, 0x1.9bd9a84c9a666p-5);
  p = fma_rn(p, x, 0x1.0d570e6387bdbp-3);
  p = fma_rn(p, x, -0x1.f88fb544980cbp-2);
  return p;
}

// degree 8 on [-1.375, 1.375], absolute error 1.9e-08
EW_MATH float j0_zero1_rest(float x) {
  float p = -0x1.c157c6p-22f;
  p = fma_rn(p, x, -0x1.4d5e7ap-18f);
  p = fma_rn(p, x, 0x1.30df4ep-15f);
  p = fma_rn(p, x, 0x1.4c840cp-12f);
  p = fma_rn(p, x, -0x1.eb025ep-10f);
  p = fma_rn(p, x, -0x1.568484p-7f);
  p = fma_rn(p, x, 0x1.9bd9a8p-5f);
  p = fma_rn(p, x, 0x1.0d570cp-3f);
  p = fma_rn(p, x, -0x1.f88fb6p-2f);
  return p;
}

EW_MATH double j0_zero1(double x) {
  return add_rn(add_rn(x, -0x1.33d152e971b40p+1), 0x1.0f539d7da258ep-53) * j0_zero1_rest(x - 0x1.5000000000000p+1);
}

EW_MATH float j0_zero1(float x) {
  return add_rn(add_rn(x, -0x1.33d152p+1f), -0x1.d2e368p-24f) * j0_zero1_rest(x - 0x1.500000p+1f);
}

// degree 17 on [-2.0050001, 2.0049999], absolute error 3.1e-17
EW_MATH double j0_zero2_rest(double x) {
  double p = -0x1.c0977da7f35c9p-56;
  p = fma_rn(p, x, 0x1.016a491ed906fp-52);
  p = fma_rn(p, x, 0x1.24842c29c8761p-47);
  p = fma_rn(p, x, -0x1.3c0d0be318fe1p-44);
  p = fma_rn(p, x, -0x1.1f1cc5b563e9cp-39);
  p = fma_rn(p, x, 0x1.2213e615b69c6p-36);
  p = fma_rn(p, x, 0x1.abd025311e57dp-32);
  p = fma_rn(p, x, -0x1.921fec6dd3573p-29);
  p = fma_rn(p, x, -0x1.ce87c3485557cp-25);
  p = fma_rn(p, x, 0x1.9205eea45a75fp-22);
  p = fma_rn(p, x, 0x1.53a979eb35877p-18);
  p = fma_rn(p, x, -0x1.0ecf0fcbfefb4p-15);
  p = fma_rn(p, x, -0x1.318453ae3a663p-12);
  p = fma_rn(p, x, 0x1.b94e091648e40p-10);
  p = fma_rn(p, x, 0x1.167c94b3a4157p-7);
  p = fma_rn(p, x, -0x1.62bc8fca30086p-5);
  p = fma_rn(p, x, -0x1.3f5dc026e4f5bp-4);
  p = fma_rn(p, x, 0x1.4107df139dd01p-2);
  return p;
}

// degree 9 on [-2.0050001, 2.0049999], absolute error 1.6e-08
EW_MATH float j0_zero2_rest(float x) {
  float p = -0x1.ae10f0p-25f;
  p = fma_rn(p, x, 0x1.7395fep-22f);
  p = fma_rn(p, x, 0x1.52c796p-18f);
  p = fma_rn(p, x, -0x1.0dfb74p-15f);
  p = fma_rn(p, x, -0x1.317f48p-12f);
  p = fma_rn(p, x, 0x1.b94498p-10f);
  p = fma_rn(p, x, 0x1.167c80p-7f);
  p = fma_rn(p, x, -0x1.62bc6ap-5f);
  p = fma_rn(p, x, -0x1.3f5dc0p-4f);
  p = fma_rn(p, x, 0x1.4107dep-2f);
  return p;
}

EW_MATH double j0_zero2(double x) {
  return add_rn(add_rn(x, -0x1.6148f5b2c2e45p+2), -0x1.75054cd60a517p-54) * j0_zero2_rest(x - 0x1.8051ec0000000p+2);
}

EW_MATH float j0_zero2(float x) {
  return add_rn(add_rn(x, -0x1.6148f6p+2f), 0x1.34f46ep-24f) * j0_zero2_rest(x - 0x1.8051ecp+2f);
}

// degree 8 on [0, 4.1], absolute error 1.5e-17
EW_MATH double j1_small(double x) {
  double p = 0x1.1d8e917fd6ab6p-51;
  p = fma_rn(p, x, -0x1.51b79eed832f7p-43);
  p = fma_rn(p, x, 0x1.27e32214011e9p-35);
  p = fma_rn(p, x, -0x1.845c8122a0165p-28);
  p = fma_rn(p, x, 0x1.6c16c152d1d63p-21);
  p = fma_rn(p, x, -0x1.c71c71c6cbefep-15);
  p = fma_rn(p, x, 0x1.5555555554d4dp-9);
  p = fma_rn(p, x, -0x1.fffffffffffecp-5);
  p = fma_rn(p, x, 0x1.0000000000000p-1);
  return p;
}

// degree 5 on [0, 4.1], absolute error 4.6e-09
EW_MATH float j1_small(float x) {
  float p = -0x1.68e20ep-28f;
  p = fma_rn(p, x, 0x1.6b1c16p-21f);
  p = fma_rn(p, x, -0x1.c7142ap-15f);
  p = fma_rn(p, x, 0x1.555536p-9f);
  p = fma_rn(p, x, -0x1.000000p-4f);
  p = fma_rn(p, x, 0x1.000000p-1f);
  return p;
}

// degree 16 on [-1.6875, 1.6875], absolute error 5.5e-18
EW_MATH double j1_zero1_rest(double x) {
  double p = -0x1.0268b57f5f156p-51;
  p = fma_rn(p, x, -0x1.12c7c018965aep-48);
  p = fma_rn(p, x, 0x1.2d4fe830c2949p-43);
  p = fma_rn(p, x, 0x1.1524a682e6f00p-40);
  p = fma_rn(p, x, -0x1.089db92bbba02p-35);
  p = fma_rn(p, x, -0x1.98cce25bf386ap-33);
  p = fma_rn(p, x, 0x1.5c73f8dc58583p-28);
  p = fma_rn(p, x, 0x1.b46ac6f79fbe7p-26);
  p = fma_rn(p, x, -0x1.47b440054474cp-21);
  p = fma_rn(p, x, -0x1.3be178c635eb4p-19);
  p = fma_rn(p, x, 0x1.9a7ac5d520b57p-15);
  p = fma_rn(p, x, 0x1.17dfdcf4e5d8dp-13);
  p = fma_rn(p, x, -0x1.334747d205840p-9);
  p = fma_rn(p, x, -0x1.f9b01a60f6e67p-9);
  p = fma_rn(p, x, 0x1.c59284dd66408p-5);
  p = fma_rn(p, x, 0x1.2dec82833eae2p-5);
  p = fma_rn(p, x, -0x1.a308bf8c171c9p-2);
  return p;
}

// degree 9 on [-1.6875, 1.6875], absolute error 1.1e-08
EW_MATH float j1_zero1_rest(float x) {
  float p = 0x1.9e3ab4p-26f;
  p = fma_rn(p, x, -0x1.34d8cap-21f);
  p = fma_rn(p, x, -0x1.3b73c4p-19f);
  p = fma_rn(p, x, 0x1.99c07ap-15f);
  p = fma_rn(p, x, 0x1.17de20p-13f);
  p = fma_rn(p, x, -0x1.334454p-9f);
  p = fma_rn(p, x, -0x1.f9b010p-9f);
  p = fma_rn(p, x, 0x1.c59274p-5f);
  p = fma_rn(p, x, 0x1.2dec82p-5f);
  p = fma_rn(p, x, -0x1.a308c0p-2f);
  return p;
}

EW_MATH double j1_zero1(double x) {
  return add_rn(add_rn(x, -0x1.ea75575af6f09p+1), 0x1.60155a9d1b256p-53) * j1_zero1_rest(x - 0x1.d800000000000p+1);
}

EW_MATH float j1_zero1(float x) {
  return add_rn(add_rn(x, -0x1.ea7558p+1f), 0x1.4a121ep-24f) * j1_zero1_rest(x - 0x1.d80000p+1f);
}

// degree 14 on [-1.3175001, 1.3174999], absolute error 3.4e-17
EW_MATH double j1_zero2_rest(double x) {
  double p = -0x1.3672e9a954e3ap-43;
  p = fma_rn(p, x, -0x1.1b03eead934e4p-41);
  p = fma_rn(p, x, 0x1.14c43c355d1d6p-35);
  p = fma_rn(p, x, 0x1.8d7a3adfc9991p-34);
  p = fma_rn(p, x, -0x1.68ec682a00673p-28);
  p = fma_rn(p, x, -0x1.7bbe802d141f0p-27);
  p = fma_rn(p, x, 0x1.4e4a684a7d482p-21);
  p = fma_rn(p, x, 0x1.cac9c6aa495ccp-21);
  p = fma_rn(p, x, -0x1.98886b74fb188p-15);
  p = fma_rn(p, x, -0x1.1e4cfeb340a33p-15);
  p = fma_rn(p, x, 0x1.2502e2100b91bp-9);
  p = fma_rn(p, x, 0x1.444e2b9e4cec0p-12);
  p = fma_rn(p, x, -0x1.8e8c7feffae94p-5);
  p = fma_rn(p, x, 0x1.3c487e73d27cap-7);
  p = fma_rn(p, x, 0x1.354a413f75565p-2);
  return p;
}

// degree 8 on [-1.3175001, 1.3174999], absolute error 1.2e-08
EW_MATH float j1_zero2_rest(float x) {
  float p = 0x1.4372bep-21f;
  p = fma_rn(p, x, 0x1.b41a16p-21f);
  p = fma_rn(p, x, -0x1.98503cp-15f);
  p = fma_rn(p, x, -0x1.1dd7a6p-15f);
  p = fma_rn(p, x, 0x1.250276p-9f);
  p = fma_rn(p, x, 0x1.44471ep-12f);
  p = fma_rn(p, x, -0x1.8e8c80p-5f);
  p = fma_rn(p, x, 0x1.3c4886p-7f);
  p = fma_rn(p, x, 0x1.354a42p-2f);
  return p;
}

EW_MATH double j1_zero2(double x) {
  return add_rn(add_rn(x, -0x1.c0ff5f3b47250p+2), 0x1.b226d9d243827p-54) * j1_zero2_rest(x - 0x1.ac51ec0000000p+2);
}

EW_MATH float j1_zero2(float x) {
  return add_rn(add_rn(x, -0x1.c0ff60p+2f), 0x1.8971b6p-23f) * j1_zero2_rest(x - 0x1.ac51ecp+2f);
}

// degree 9 on [0, 6.26], absolute error 4.1e-18
EW_MATH double y0_small(double x) {
  double p = -0x1.41070dca01a50p-63;
  p = fma_rn(p, x, 0x1.02ee0554e6c1cp-54);
  p = fma_rn(p, x, -0x1.3c51b1953ab7cp-46);
  p = fma_rn(p, x, 0x1.2eb3e1f13dee6p-38);
  p = fma_rn(p, x, -0x1.b7970307d0371p-31);
  p = fma_rn(p, x, 0x1.cf0413d915bcbp-24);
  p = fma_rn(p, x, -0x1.4c030d99a5d86p-17);
  p = fma_rn(p, x, 0x1.268a9aaaeb077p-11);
  p = fma_rn(p, x, -0x1.12583f4a4abcep-6);
  p = fma_rn(p, x, 0x1.750811790a13cp-3);
  return p;
}

// degree 5 on [0, 6.26], absolute error 4.1e-09
EW_MATH float y0_small(float x) {
  float p = -0x1.8d3e18p-31f;
  p = fma_rn(p, x, 0x1.ccb8e2p-24f);
  p = fma_rn(p, x, -0x1.4bf446p-17f);
  p = fma_rn(p, x, 0x1.268a44p-11f);
  p = fma_rn(p, x, -0x1.12583ep-6f);
  p = fma_rn(p, x, 0x1.750812p-3f);
  return p;
}

// degree 10 on [0, 9.1], absolute error 1.5e-17
EW_MATH double y1_small(double x) {
  double p = -0x1.474eb527baa41p-68;
  p = fma_rn(p, x, 0x1.279c97bcaf9a0p-59);
  p = fma_rn(p, x, -0x1.8c9c8e102c304p-51);
  p = fma_rn(p, x, 0x1.a3aab2336ccd2p-43);
  p = fma_rn(p, x, -0x1.549cf62407045p-35);
  p = fma_rn(p, x, 0x1.96551db48bd17p-28);
  p = fma_rn(p, x, -0x1.4f2940691140cp-21);
  p = fma_rn(p, x, 0x1.5ba2f20a549c9p-15);
  p = fma_rn(p, x, -0x1.7c2ca06d8e311p-10);
  p = fma_rn(p, x, 0x1.069922dcaf0dfp-6);
  p = fma_rn(p, x, 0x1.0e14beba09e96p-3);
  return p;
}

// degree 6 on [0, 9.1], absolute error 5.5e-09
EW_MATH float y1_small(float x) {
  float p = -0x1.23f79ap-35f;
  p = fma_rn(p, x, 0x1.91b03cp-28f);
  p = fma_rn(p, x, -0x1.4ef046p-21f);
  p = fma_rn(p, x, 0x1.5ba020p-15f);
  p = fma_rn(p, x, -0x1.7c2c7ep-10f);
  p = fma_rn(p, x, 0x1.069922p-6f);
  p = fma_rn(p, x, 0x1.0e14bep-3f);
  return p;
}

// degree 21 on [-1.5, 1.5], absolute error 3.1e-17
EW_MATH double y0_zero2_rest(double x) {
  double p = -0x1.f1eac7fde6707p-49;
  p = fma_rn(p, x, 0x1.03a303c151d19p-46);
  p = fma_rn(p, x, -0x1.3acbe4836ce82p-46);
  p = fma_rn(p, x, 0x1.4c7b2ec1e3161p-44);
  p = fma_rn(p, x, -0x1.30a8cc29305eep-41);
  p = fma_rn(p, x, 0x1.4112bd73fbc3bp-39);
  p = fma_rn(p, x, -0x1.3b5542ab99cd6p-37);
  p = fma_rn(p, x, 0x1.4f6cd668283eep-35);
  p = fma_rn(p, x, -0x1.637d5e4d1f8a0p-33);
  p = fma_rn(p, x, 0x1.7156936f84f83p-31);
  p = fma_rn(p, x, -0x1.c47202101b0b2p-29);
  p = fma_rn(p, x, 0x1.296c04340a660p-26);
  p = fma_rn(p, x, -0x1.e79629861b807p-27);
  p = fma_rn(p, x, -0x1.427a4c95b034ep-22);
  p = fma_rn(p, x, -0x1.4f23df9342e39p-18);
  p = fma_rn(p, x, 0x1.9ee31c4de7a1cp-15);
  p = fma_rn(p, x, 0x1.b43d291312b4cp-13);
  p = fma_rn(p, x, -0x1.189ac769ec76ap-9);
  p = fma_rn(p, x, -0x1.d9148e1aae513p-8);
  p = fma_rn(p, x, 0x1.d81bdc6027bc1p-5);
  p = fma_rn(p, x, 0x1.c8e28281e5a23p-5);
  p = fma_rn(p, x, -0x1.99e4979e09865p-2);
  return p;
}

// degree 9 on [-1.5, 1.5], absolute error 1.6e-08
EW_MATH float y0_zero2_rest(float x) {
  float p = -0x1.3b33eep-25f;
  p = fma_rn(p, x, -0x1.901f1ap-23f);
  p = fma_rn(p, x, -0x1.4bfc12p-18f);
  p = fma_rn(p, x, 0x1.9ce8bap-15f);
  p = fma_rn(p, x, 0x1.b42854p-13f);
  p = fma_rn(p, x, -0x1.189448p-9f);
  p = fma_rn(p, x, -0x1.d9145ep-8f);
  p = fma_rn(p, x, 0x1.d81bbep-5f);
  p = fma_rn(p, x, 0x1.c8e282p-5f);
  p = fma_rn(p, x, -0x1.99e498p-2f);
  return p;
}

EW_MATH double y0_zero2(double x) {
  return add_rn(add_rn(x, -0x1.fa9534d98569cp+1), 0x1.f06ae7804384ep-54) * y0_zero2_rest(x - 0x1.0000000000000p+2);
}

EW_MATH float y0_zero2(float x) {
  return add_rn(add_rn(x, -0x1.fa9534p+1f), -0x1.b30ad4p-24f) * y0_zero2_rest(x - 0x1.000000p+2f);
}

// degree 14 on [-1.2550001, 1.2549999], absolute error 2.5e-17
EW_MATH double y0_zero3_rest(double x) {
  double p = -0x1.19f70a9f2abe6p-43;
  p = fma_rn(p, x, -0x1.9b475b8ff1200p-41);
  p = fma_rn(p, x, 0x1.1f7dd044d1073p-35);
  p = fma_rn(p, x, 0x1.dc9d16686e187p-34);
  p = fma_rn(p, x, -0x1.6ee82d4a3ce74p-28);
  p = fma_rn(p, x, -0x1.e87609392bb48p-27);
  p = fma_rn(p, x, 0x1.591790a2ad091p-21);
  p = fma_rn(p, x, 0x1.2152bf796031dp-20);
  p = fma_rn(p, x, -0x1.a67e0931a6e68p-15);
  p = fma_rn(p, x, -0x1.73cce7e61f2a1p-15);
  p = fma_rn(p, x, 0x1.316e02b173c87p-9);
  p = fma_rn(p, x, 0x1.4c90324f6c0bcp-12);
  p = fma_rn(p, x, -0x1.98574954b8e7ep-5);
  p = fma_rn(p, x, 0x1.7536033aaf9b3p-7);
  p = fma_rn(p, x, 0x1.34fe261a03085p-2);
  return p;
}

// degree 8 on [-1.2550001, 1.2549999], absolute error 1.9e-09
EW_MATH float y0_zero3_rest(float x) {
  float p = 0x1.4f1466p-21f;
  p = fma_rn(p, x, 0x1.140a3ep-20f);
  p = fma_rn(p, x, -0x1.a64ef2p-15f);
  p = fma_rn(p, x, -0x1.735016p-15f);
  p = fma_rn(p, x, 0x1.316db0p-9f);
  p = fma_rn(p, x, 0x1.4c8964p-12f);
  p = fma_rn(p, x, -0x1.985748p-5f);
  p = fma_rn(p, x, 0x1.75360ap-7f);
  p = fma_rn(p, x, 0x1.34fe26p-2f);
  return p;
}

EW_MATH double y0_zero3(double x) {
  return add_rn(add_rn(x, -0x1.c581dc4e72103p+2), 0x1.9774a495f56cfp-54) * y0_zero3_rest(x - 0x1.b051ec0000000p+2);
}

EW_MATH float y0_zero3(float x) {
  return add_rn(add_rn(x, -0x1.c581dcp+2f), -0x1.39c840p-24f) * y0_zero3_rest(x - 0x1.b051ecp+2f);
}

// degree 22 on [-2.0050001, 2.0049999], absolute error 3.7e-17
EW_MATH double y1_zero2_rest(double x) {
  double p = 0x1.d0877178434ddp-56;
  p = fma_rn(p, x, -0x1.221ada04309ccp-53);
  p = fma_rn(p, x, 0x1.ab5ddc71db42ap-55);
  p = fma_rn(p, x, -0x1.0910ffce9357dp-52);
  p = fma_rn(p, x, 0x1.f7b18f7374467p-48);
  p = fma_rn(p, x, -0x1.39e9380e3a495p-45);
  p = fma_rn(p, x, 0x1.3aa3ffab88e40p-43);
  p = fma_rn(p, x, -0x1.89d97a728c7bcp-41);
  p = fma_rn(p, x, 0x1.06e6e0cc0bb80p-38);
  p = fma_rn(p, x, -0x1.32fedb7c7acb5p-36);
  p = fma_rn(p, x, 0x1.ea5ffead57fa0p-35);
  p = fma_rn(p, x, -0x1.14ed4f42007edp-31);
  p = fma_rn(p, x, 0x1.042b7da5d0274p-27);
  p = fma_rn(p, x, -0x1.38939d6d0c664p-29);
  p = fma_rn(p, x, -0x1.3e9f4bc44cf94p-21);
  p = fma_rn(p, x, -0x1.e1cd96e057c6cp-21);
  p = fma_rn(p, x, 0x1.b4f5339975590p-15);
  p = fma_rn(p, x, 0x1.4c8bddfd051b4p-16);
  p = fma_rn(p, x, -0x1.3365a42c0dc37p-9);
  p = fma_rn(p, x, -0x1.3056f61c7791cp-12);
  p = fma_rn(p, x, 0x1.b8daef0f148d0p-5);
  p = fma_rn(p, x, -0x1.ba6e8f34d95e1p-7);
  p = fma_rn(p, x, -0x1.6073d6c8e05b3p-2);
  return p;
}

// degree 10 on [-2.0050001, 2.0049999], absolute error 1.5e-08
EW_MATH float y1_zero2_rest(float x) {
  float p = 0x1.2615a4p-27f;
  p = fma_rn(p, x, -0x1.49e58cp-27f);
  p = fma_rn(p, x, -0x1.410a3ap-21f);
  p = fma_rn(p, x, -0x1.d09e6ep-21f);
  p = fma_rn(p, x, 0x1.b50732p-15f);
  p = fma_rn(p, x, 0x1.4b90a2p-16f);
  p = fma_rn(p, x, -0x1.3365dap-9f);
  p = fma_rn(p, x, -0x1.304b78p-12f);
  p = fma_rn(p, x, 0x1.b8daf0p-5f);
  p = fma_rn(p, x, -0x1.ba6ea2p-7f);
  p = fma_rn(p, x, -0x1.6073d6p-2f);
  return p;
}

EW_MATH double y1_zero2(double x) {
  return add_rn(add_rn(x, -0x1.5b7fe4e87b02ep+2), -0x1.dfe7bac228e8cp-52) * y1_zero2_rest(x - 0x1.4051ec0000000p+2);
}

EW_MATH float y1_zero2(float x) {
  return add_rn(add_rn(x, -0x1.5b7fe4p+2f), -0x1.d0f606p-23f) * y1_zero2_rest(x - 0x1.4051ecp+2f);
}

// degree 12 on [-0.9000001, 0.8999999], absolute error 3.2e-17
EW_MATH double y1_zero3_rest(double x) {
  double p = 0x1.12302d5bfc212p-35;
  p = fma_rn(p, x, -0x1.2aa59e52d7be6p-34);
  p = fma_rn(p, x, -0x1.62adec5229660p-28);
  p = fma_rn(p, x, 0x1.79b7e6b2f7f76p-27);
  p = fma_rn(p, x, 0x1.43700fc23d697p-21);
  p = fma_rn(p, x, -0x1.50aca8cc7c6fcp-20);
  p = fma_rn(p, x, -0x1.813c08968ad6dp-15);
  p = fma_rn(p, x, 0x1.74a9cac188109p-14);
  p = fma_rn(p, x, 0x1.0b7d96343ba95p-9);
  p = fma_rn(p, x, -0x1.bafa603ef662bp-9);
  p = fma_rn(p, x, -0x1.5b7a958897c5cp-5);
  p = fma_rn(p, x, 0x1.738d54b14e2fdp-5);
  p = fma_rn(p, x, 0x1.0b5b84dd0d3b1p-2);
  return p;
}

// degree 6 on [-0.9000001, 0.8999999], absolute error 2.5e-08
EW_MATH float y1_zero3_rest(float x) {
  float p = -0x1.7a21f6p-15f;
  p = fma_rn(p, x, 0x1.6d45b2p-14f);
  p = fma_rn(p, x, 0x1.0b721cp-9f);
  p = fma_rn(p, x, -0x1.bae27ep-9f);
  p = fma_rn(p, x, -0x1.5b7a82p-5f);
  p = fma_rn(p, x, 0x1.738d2ep-5f);
  p = fma_rn(p, x, 0x1.0b5b84p-2f);
  return p;
}

EW_MATH double y1_zero3(double x) {
  return add_rn(add_rn(x, -0x1.13127ae6169b4p+3), -0x1.479cc068d9046p-52) * y1_zero3_rest(x - 0x1.f9999a0000000p+2);
}

EW_MATH float y1_zero3(float x) {
  return add_rn(add_rn(x, -0x1.13127ap+3f), -0x1.cc2d36p-22f) * y1_zero3_rest(x - 0x1.f9999ap+2f);
}

// degree 11 on [1e-06, 0.015625], absolute error 4.6e-17
EW_MATH double bessel_amplitude0(double x) {
  double p = -0x1.b8a5ce1b89a1dp+33;
  p = fma_rn(p, x, 0x1.8e575d24015e1p+30);
  p = fma_rn(p, x, -0x1.57df80cd4a887p+26);
  p = fma_rn(p, x, 0x1.8bc123850ff78p+21);
  p = fma_rn(p, x, -0x1.75a476f941372p+16);
  p = fma_rn(p, x, 0x1.64f00986be48cp+11);
  p = fma_rn(p, x, -0x1.a9d555654ff2ap+6);
  p = fma_rn(p, x, 0x1.763f6b8e189dcp+2);
  p = fma_rn(p, x, -0x1.15efc8a3fd7e3p-1);
  p = fma_rn(p, x, 0x1.a7ffffa472d96p-4);
  p = fma_rn(p, x, -0x1.fffffffff0e5dp-5);
  p = fma_rn(p, x, 0x1.0000000000000p+0);
  return p;
}

// degree 3 on [1e-06, 0.015625], absolute error 3.4e-09
EW_MATH float bessel_amplitude0(float x) {
  float p = -0x1.a2bfc8p-2f;
  p = fma_rn(p, x, 0x1.a325e0p-4f);
  p = fma_rn(p, x, -0x1.fff888p-5f);
  p = fma_rn(p, x, 0x1.000000p+0f);
  return p;
}

// degree 11 on [1e-06, 0.015625], absolute error 1.9e-16
EW_MATH double bessel_phase0(double x) {
  double p = 0x1.a79b150d17a39p+36;
  p = fma_rn(p, x, -0x1.796829f1ef8d2p+33);
  p = fma_rn(p, x, 0x1.3e30bdf006f28p+29);
  p = fma_rn(p, x, -0x1.5fb55b5dfe682p+24);
  p = fma_rn(p, x, 0x1.3597676662710p+19);
  p = fma_rn(p, x, -0x1.0796a8a5b07b4p+14);
  p = fma_rn(p, x, 0x1.0a0036421299ep+9);
  p = fma_rn(p, x, -0x1.7774df661383cp+4);
  p = fma_rn(p, x, 0x1.a35760e2fdb4ep+0);
  p = fma_rn(p, x, -0x1.ad3331b43c6acp-3);
  p = fma_rn(p, x, 0x1.0aaaaaaa6b97ap-4);
  p = fma_rn(p, x, -0x1.ffffffffffff2p-4);
  return p;
}

// degree 3 on [1e-06, 0.015625], absolute error 7.4e-09
EW_MATH float bessel_phase0(float x) {
  float p = 0x1.2276aap+0f;
  p = fma_rn(p, x, -0x1.a44864p-3f);
  p = fma_rn(p, x, 0x1.0a9d10p-4f);
  p = fma_rn(p, x, -0x1.fffffep-4f);
  return p;
}

// degree 14 on [0, 64], absolute error 2.5e-17
EW_MATH double i0_small(double x) {
  double p = 0x1.2069052b0b501p-110;
  p = fma_rn(p, x, 0x1.0d6a26a87e4bcp-101);
  p = fma_rn(p, x, 0x1.f3ce33d9e3b74p-92);
  p = fma_rn(p, x, 0x1.40852a1bdf9fbp-82);
  p = fma_rn(p, x, 0x1.69eac23652b1dp-73);
  p = fma_rn(p, x, 0x1.55fedb223c9d2p-64);
  p = fma_rn(p, x, 0x1.0b315b8692d2bp-55);
  p = fma_rn(p, x, 0x1.522a407351c9ap-47);
  p = fma_rn(p, x, 0x1.522a442ca7776p-39);
  p = fma_rn(p, x, 0x1.02e85c06594fcp-31);
  p = fma_rn(p, x, 0x1.23456789cad8fp-24);
  p = fma_rn(p, x, 0x1.c71c71c71a6dep-18);
  p = fma_rn(p, x, 0x1.c71c71c71c835p-12);
  p = fma_rn(p, x, 0x1.ffffffffffff8p-7);
  p = fma_rn(p, x, 0x1.0000000000000p-2);
  return p;
}

// degree 8 on [0, 64], absolute error 3.1e-08
EW_MATH float i0_small(float x) {
  float p = 0x1.0ffd8ep-54f;
  p = fma_rn(p, x, 0x1.83db86p-48f);
  p = fma_rn(p, x, 0x1.78869ep-39f);
  p = fma_rn(p, x, 0x1.fa2d56p-32f);
  p = fma_rn(p, x, 0x1.244bfep-24f);
  p = fma_rn(p, x, 0x1.c6e8c8p-18f);
  p = fma_rn(p, x, 0x1.c72184p-12f);
  p = fma_rn(p, x, 0x1.ffff9ep-7f);
  p = fma_rn(p, x, 0x1.000002p-2f);
  return p;
}

// degree 23 on [0, 0.125], absolute error 4.3e-17
EW_MATH double i0_large(double x) {
  double p = -0x1.ada2c97f3fdddp+56;
  p = fma_rn(p, x, 0x1.66e8e3430e1bep+57);
  p = fma_rn(p, x, -0x1.131e8a75c7100p+57);
  p = fma_rn(p, x, 0x1.01711d545cedfp+56);
  p = fma_rn(p, x, -0x1.49bf6b26afe43p+54);
  p = fma_rn(p, x, 0x1.3311e67c5ca99p+52);
  p = fma_rn(p, x, -0x1.af0b929606ad8p+49);
  p = fma_rn(p, x, 0x1.d2905a59aaed2p+46);
  p = fma_rn(p, x, -0x1.8b2a0d9fc19b3p+43);
  p = fma_rn(p, x, 0x1.084b28a643c85p+40);
  p = fma_rn(p, x, -0x1.18899a8c1ff1cp+36);
  p = fma_rn(p, x, 0x1.d933166ce357ep+31);
  p = fma_rn(p, x, -0x1.3c6a44a7c1403p+27);
  p = fma_rn(p, x, 0x1.4d9c1db9285eap+22);
  p = fma_rn(p, x, -0x1.12a3638e0f31bp+17);
  p = fma_rn(p, x, 0x1.5c7642a88e8ebp+11);
  p = fma_rn(p, x, -0x1.47797804658a5p+5);
  p = fma_rn(p, x, 0x1.5e96982013a9dp-1);
  p = fma_rn(p, x, 0x1.64a80d3cd551ap-4);
  p = fma_rn(p, x, 0x1.6ead5772f893ap-5);
  p = fma_rn(p, x, 0x1.debad42b01020p-6);
  p = fma_rn(p, x, 0x1.cb94ddbf0140ap-6);
  p = fma_rn(p, x, 0x1.9884533d4133bp-5);
  p = fma_rn(p, x, 0x1.9884533d43651p-2);
  return p;
}

// degree 5 on [0, 0.125], absolute error 1.8e-08
EW_MATH float i0_large(float x) {
  float p = 0x1.7cec3cp-2f;
  p = fma_rn(p, x, -0x1.216ab4p-7f);
  p = fma_rn(p, x, 0x1.103f70p-5f);
  p = fma_rn(p, x, 0x1.c97fcap-6f);
  p = fma_rn(p, x, 0x1.98874ap-5f);
  p = fma_rn(p, x, 0x1.988454p-2f);
  return p;
}

// degree 11 on [1e-06, 0.015625], absolute error 5.2e-17
EW_MATH double bessel_amplitude1(double x) {
  double p = 0x1.f71000a762822p+33;
  p = fma_rn(p, x, -0x1.c7bf4e34929d8p+30);
  p = fma_rn(p, x, 0x1.8ade429bdeb30p+26);
  p = fma_rn(p, x, -0x1.c97078cc7b1fap+21);
  p = fma_rn(p, x, 0x1.b5340b8ba1ca7p+16);
  p = fma_rn(p, x, -0x1.ab0f372d5706cp+11);
  p = fma_rn(p, x, 0x1.088ebe21f8a73p+7);
  p = fma_rn(p, x, -0x1.ef47771e7efb1p+2);
  p = fma_rn(p, x, 0x1.9c4fc1814a836p-1);
  p = fma_rn(p, x, -0x1.8bffffcc4e83cp-3);
  p = fma_rn(p, x, 0x1.7ffffffffbbc5p-3);
  p = fma_rn(p, x, 0x1.0000000000000p+0);
  return p;
}

// degree 3 on [1e-06, 0.015625], absolute error 4.6e-09
EW_MATH float bessel_amplitude1(float x) {
  float p = 0x1.3ff59ep-1f;
  p = fma_rn(p, x, -0x1.88b64ap-3f);
  p = fma_rn(p, x, 0x1.7ffd76p-3f);
  p = fma_rn(p, x, 0x1.000000p+0f);
  return p;
}

// degree 11 on [1e-06, 0.015625], absolute error 2.2e-16
EW_MATH double bessel_phase1(double x) {
  double p = -0x1.e3234e15105f2p+36;
  p = fma_rn(p, x, 0x1.af4e3280a404cp+33);
  p = fma_rn(p, x, -0x1.6cd72e6056b20p+29);
  p = fma_rn(p, x, 0x1.95a79a913fbe3p+24);
  p = fma_rn(p, x, -0x1.68febc3ab38d0p+19);
  p = fma_rn(p, x, 0x1.39905dc99245dp+14);
  p = fma_rn(p, x, -0x1.478b29eec81f9p+9);
  p = fma_rn(p, x, 0x1.e9d1f713f85bfp+4);
  p = fma_rn(p, x, -0x1.2f47eabdf243cp+1);
  p = fma_rn(p, x, 0x1.7bcccbf4c381bp-2);
  p = fma_rn(p, x, -0x1.4fffffffdc697p-3);
  p = fma_rn(p, x, 0x1.7fffffffffffcp-2);
  return p;
}

// degree 3 on [1e-06, 0.015625], absolute error 1.7e-08
EW_MATH float bessel_phase1(float x) {
  float p = -0x1.b31d72p+0f;
  p = fma_rn(p, x, 0x1.75d3a8p-2f);
  p = fma_rn(p, x, -0x1.4ff6dcp-3f);
  p = fma_rn(p, x, 0x1.800000p-2f);
  return p;
}

// degree 13 on [0, 64], absolute error 1e-17
EW_MATH double i1_small(double x) {
  double p = 0x1.0de5feba703f0p-105;
  p = fma_rn(p, x, 0x1.d892c2fceb55ep-97);
  p = fma_rn(p, x, 0x1.95d56d9359db3p-87);
  p = fma_rn(p, x, 0x1.e0d93f6b67641p-78);
  p = fma_rn(p, x, 0x1.f19fdd5da5ec2p-69);
  p = fma_rn(p, x, 0x1.ab7ee5b429f4fp-60);
  p = fma_rn(p, x, 0x1.2c97808e3b0bep-51);
  p = fma_rn(p, x, 0x1.522a412013551p-43);
  p = fma_rn(p, x, 0x1.27e4fb9ab6211p-35);
  p = fma_rn(p, x, 0x1.845c8a0ab0b98p-28);
  p = fma_rn(p, x, 0x1.6c16c16c2bec6p-21);
  p = fma_rn(p, x, 0x1.c71c71c71b9ddp-15);
  p = fma_rn(p, x, 0x1.555555555558ap-9);
  p = fma_rn(p, x, 0x1.fffffffffffffp-5);
  return p;
}

// degree 7 on [0, 64], absolute error 3e-08
EW_MATH float i1_small(float x) {
  float p = 0x1.2fdc68p-50f;
  p = fma_rn(p, x, 0x1.8f1b2ap-44f);
  p = fma_rn(p, x, 0x1.46b914p-35f);
  p = fma_rn(p, x, 0x1.7ced92p-28f);
  p = fma_rn(p, x, 0x1.6d0d26p-21f);
  p = fma_rn(p, x, 0x1.c6fd54p-15f);
  p = fma_rn(p, x, 0x1.5556d2p-9f);
  p = fma_rn(p, x, 0x1.fffff4p-5f);
  return p;
}

// degree 23 on [0, 0.125], absolute error 3.5e-17
EW_MATH double i1_large(double x) {
  double p = 0x1.8a72ab2fc6959p+56;
  p = fma_rn(p, x, -0x1.4fb110f69d6c3p+57);
  p = fma_rn(p, x, 0x1.05118337f94f9p+57);
  p = fma_rn(p, x, -0x1.ee4068a538e44p+55);
  p = fma_rn(p, x, 0x1.3f827b276b64ep+54);
  p = fma_rn(p, x, -0x1.2bd5859c6fc46p+52);
  p = fma_rn(p, x, 0x1.a79590dc9ccd5p+49);
  p = fma_rn(p, x, -0x1.ccf0b85f533a8p+46);
  p = fma_rn(p, x, 0x1.88272f54d7775p+43);
  p = fma_rn(p, x, -0x1.074557f1a3b54p+40);
  p = fma_rn(p, x, 0x1.18582d2b239c5p+36);
  p = fma_rn(p, x, -0x1.da2750869210cp+31);
  p = fma_rn(p, x, 0x1.3dc7ff61dab68p+27);
  p = fma_rn(p, x, -0x1.4fb436f4878cfp+22);
  p = fma_rn(p, x, 0x1.14d11d2bdbd64p+17);
  p = fma_rn(p, x, -0x1.5fc1b83696ebap+11);
  p = fma_rn(p, x, 0x1.4a21c3b06e271p+5);
  p = fma_rn(p, x, -0x1.7689c70fd7a23p-1);
  p = fma_rn(p, x, -0x1.b6f2905fdef26p-4);
  p = fma_rn(p, x, -0x1.d766c16b26f52p-5);
  p = fma_rn(p, x, -0x1.4f1c6d2ea3700p-5);
  p = fma_rn(p, x, -0x1.7efc0e16a7ad0p-5);
  p = fma_rn(p, x, -0x1.32633e6df1fd8p-3);
  p = fma_rn(p, x, 0x1.9884533d43650p-2);
  return p;
}

// degree 5 on [0, 0.125], absolute error 1.3e-08
EW_MATH float i1_large(float x) {
  float p = -0x1.ba7ad0p-2f;
  p = fma_rn(p, x, 0x1.b48952p-9f);
  p = fma_rn(p, x, -0x1.746000p-5f);
  p = fma_rn(p, x, -0x1.7dce5ep-5f);
  p = fma_rn(p, x, -0x1.326416p-3f);
  p = fma_rn(p, x, 0x1.988454p-2f);
  return p;
}

}  // namespace everwarp::math
