// The approximate f32 instructions stay within the errors that PTX ISA 8.3, section 9.7.3, states for them, over a
// sample of all bit patterns; infinities, NaNs and signed zeros are in tests/ptx/forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "case_file.hpp"

namespace ew::test {
namespace {

struct Function {
  const char* opcode;
  double (*exact)(double);
  double (*allowed)(double x, double exact);  // absolute error
  bool (*in_range)(float);
};

double ulp(double value) {
  return std::max(std::ldexp(1.0, std::ilogb(value) - 23), 0x1p-149);
}
bool normal(double value) {
  return std::fabs(value) >= 0x1p-126 && std::fabs(value) < 0x1p128;
}

const Function functions[] = {
    {"rcp.approx.f32", [](double x) { return 1 / x; }, [](double, double y) { return ulp(y); },
     [](float x) { return normal(x) && normal(1.0 / x); }},
    {"sqrt.approx.f32", [](double x) { return std::sqrt(x); }, [](double, double y) { return y * 0x1p-23; },
     [](float x) { return x > 0 && normal(x); }},
    {"rsqrt.approx.f32", [](double x) { return 1 / std::sqrt(x); }, [](double, double y) { return y * 0x1.2p-23; },
     [](float x) { return x > 0 && normal(x); }},
    {"sin.approx.f32", [](double x) { return std::sin(x); }, [](double, double) { return 0x1.6p-21; },
     [](float x) { return std::fabs(x) <= 3.1415927f; }},
    {"cos.approx.f32", [](double x) { return std::cos(x); }, [](double, double) { return 0x1.6p-21; },
     [](float x) { return std::fabs(x) <= 3.1415927f; }},
    {"lg2.approx.f32", [](double x) { return std::log2(x); },
     [](double x, double y) { return x > 0.5 && x < 2 ? 0x1p-22 : std::fabs(y) * 0x1p-22; },
     [](float x) { return x > 0 && normal(x); }},
    {"ex2.approx.f32", [](double x) { return std::exp2(x); }, [](double, double y) { return 2 * ulp(y); },
     [](float x) { return x > -126 && x < 128; }},
    {"tanh.approx.f32", [](double x) { return std::tanh(x); }, [](double, double y) { return std::fabs(y) * 0x1p-11; },
     [](float x) { return normal(x); }},
};

std::vector<float> sample(bool (*in_range)(float)) {
  std::vector<float> values;
  u32 bits = 12345;
  while (values.size() < 1 << 16) {
    bits = bits * 1664525 + 1013904223;
    const auto value = std::bit_cast<float>(bits);
    if (in_range(value)) values.push_back(value);
    const float small = static_cast<float>(bits >> 8) * 0x1p-22f - 2;  // many near 1, too
    if (in_range(small)) values.push_back(small);
  }
  values.resize(1 << 16);
  return values;
}

TEST(Approximations, stay_within_their_stated_errors) {
  for (const Function& function : functions) {
    const std::vector<float> inputs = sample(function.in_range);
    Case c;
    c.ptx = fmt::format(
        ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n  .reg .b32 %r<6>;\n"
        "  .reg .f32 %f<3>;\n  .reg .b64 %rd<4>;\n  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, %ctaid.x;\n"
        "  mov.u32 %r2, %tid.x;\n  mad.lo.u32 %r3, %r1, 256, %r2;\n  mul.wide.u32 %rd2, %r3, 4;\n"
        "  add.s64 %rd1, %rd1, %rd2;\n  ld.global.f32 %f1, [%rd1];\n  {} %f2, %f1;\n  st.global.f32 [%rd1], %f2;\n"
        "  ret;\n}}\n",
        function.opcode);
    c.grid = {256, 1, 1};
    c.block = {256, 1, 1};
    Buffer buffer{"values", "f32", std::vector<u8>(inputs.size() * 4)};
    std::memcpy(buffer.bytes.data(), inputs.data(), buffer.bytes.size());
    c.buffers.push_back(buffer);
    Parameter parameter;
    parameter.buffer = "values";
    c.parameters.push_back(parameter);
    const Outcome outcome = run_case(c);
    std::vector<float> results(inputs.size());
    std::memcpy(results.data(), outcome.memory.at("values").data(), results.size() * 4);
    double worst = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double exact = function.exact(inputs[i]);
      const double share = std::fabs(results[i] - exact) / function.allowed(inputs[i], exact);
      ASSERT_LE(share, 1) << function.opcode << " of " << inputs[i] << " gives " << results[i] << ", exact is "
                          << exact;
      worst = std::max(worst, share);
    }
    RecordProperty(std::string(function.opcode).substr(0, 3), fmt::format("{:.3f} of the allowed error", worst));
    EXPECT_GT(worst, 0) << function.opcode;
  }
}

}  // namespace
}  // namespace ew::test
