// Derives the polynomials of include/cuda/everwarp/math/polynomials.cuh: Chebyshev interpolation of each function in
// 113-bit arithmetic, brought to monomial form, the shortest that meets the tolerance.
// Build and run: g++ -std=gnu++20 -O2 -fext-numeric-literals polynomials.cpp -lquadmath -o derive && ./derive >
// polynomials.cuh
#include <quadmath.h>

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using Quad = __float128;
using Function = std::function<Quad(Quad)>;

namespace {

const Quad kPi = M_PIq;

struct Fit {
  std::vector<Quad> coefficients;
  Quad method = 0;  // before the coefficients are rounded
  Quad error = 0;
};

template <class T>
Quad rounded(Quad value) {
  return static_cast<Quad>(static_cast<T>(value));
}

std::vector<Quad> chebyshev(const Function& f, Quad a, Quad b, int degree) {
  const int n = degree + 1;
  std::vector<Quad> values(n), c(n);
  for (int k = 0; k < n; ++k) {
    const Quad t = cosq(kPi * (k + 0.5Q) / n);
    values[k] = f((a + b) / 2 + t * (b - a) / 2);
  }
  for (int j = 0; j < n; ++j) {
    Quad sum = 0;
    for (int k = 0; k < n; ++k) sum += values[k] * cosq(kPi * j * (k + 0.5Q) / n);
    c[j] = sum * 2 / n;
  }
  c[0] /= 2;
  return c;
}

std::vector<Quad> multiply_linear(const std::vector<Quad>& p, Quad c0, Quad c1) {
  std::vector<Quad> r(p.size() + 1, 0);
  for (size_t i = 0; i < p.size(); ++i) {
    r[i] += p[i] * c0;
    r[i + 1] += p[i] * c1;
  }
  return r;
}

// Sum of c[j] T_j(t), t = (2 x - a - b) / (b - a), as a polynomial in x.
std::vector<Quad> monomials(const std::vector<Quad>& c, Quad a, Quad b) {
  const Quad scale = 2 / (b - a), shift = -(a + b) / (b - a);
  std::vector<Quad> previous{1}, current{shift, scale}, sum(c.size(), 0);
  auto add = [&](const std::vector<Quad>& p, Quad w) {
    for (size_t i = 0; i < p.size(); ++i) sum[i] += w * p[i];
  };
  add(previous, c[0]);
  for (size_t j = 1; j < c.size(); ++j) {
    add(current, c[j]);
    std::vector<Quad> next = multiply_linear(current, 2 * shift, 2 * scale);
    for (size_t i = 0; i < previous.size(); ++i) next[i] -= previous[i];
    previous = current;
    current = next;
  }
  return sum;
}

template <class T>
Fit fit_degree(const Function& f, Quad a, Quad b, int degree, Quad tolerance) {
  Fit fit{monomials(chebyshev(f, a, b, degree), a, b), 0, 0};
  const int points = 400;
  for (int i = 0; i <= points; ++i) {
    const Quad x = (a + b) / 2 - (b - a) / 2 * cosq(kPi * (i + 0.31Q) / (points + 1));
    const Quad value = f(x);
    Quad exact = 0, p = 0;
    for (int k = degree; k >= 0; --k) {
      exact = exact * x + fit.coefficients[k];
      p = p * x + rounded<T>(fit.coefficients[k]);
    }
    fit.method = fmaxq(fit.method, fabsq(exact - value));
    fit.error = fmaxq(fit.error, fabsq(p - value));
    if (fit.method > 64 * tolerance) break;
  }
  return fit;
}

std::string literal(Quad value, bool is_float) {
  char text[64];
  const double printed = is_float ? static_cast<double>(static_cast<float>(value)) : static_cast<double>(value);
  std::snprintf(text, sizeof text, is_float ? "%.6af" : "%.13a", printed);
  return text;
}

template <class T>
void emit(const char* name, const Function& f, Quad a, Quad b, Quad tolerance) {
  const bool is_float = sizeof(T) == 4;
  const char* type = is_float ? "float" : "double";
  int degree = 1;
  Fit best = fit_degree<T>(f, a, b, degree, tolerance);
  while (best.method > tolerance && degree < 45) best = fit_degree<T>(f, a, b, ++degree, tolerance);
  if (best.method > tolerance) std::fprintf(stderr, "%s(%s): error %.3g\n", name, type, double(best.error));
  std::printf("// degree %d on [%.8g, %.8g], absolute error %.2g\nEW_MATH %s %s(%s x) {\n", degree, double(a),
              double(b), double(best.error), type, name, type);
  std::printf("    %s p = %s;\n", type, literal(best.coefficients[degree], is_float).c_str());
  for (int k = degree - 1; k >= 0; --k)
    std::printf("    p = fma_rn(p, x, %s);\n", literal(best.coefficients[k], is_float).c_str());
  std::printf("    return p;\n}\n\n");
}

// The absolute error wanted of the two precisions, as powers of two.
void both(const char* name, Quad a, Quad b, int bits_double, int bits_float, const Function& f) {
  emit<double>(name, f, a, b, exp2q(-bits_double));
  emit<float>(name, f, a, b, exp2q(-bits_float));
}

Quad erfcx(Quad x) {
  if (x < 50) return expq(x * x) * erfcq(x);
  Quad term = 1, sum = 1;
  for (int k = 1; k < 30; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum / (x * sqrtq(kPi));
}

// erfinv(x) / x as a function of w = -log(1 - x^2)
Quad erfinv_of_w(Quad w) {
  const Quad x = sqrtq(-expm1q(-w));
  const Quad y = expq(-w) / (1 + x);
  Quad v = w < 1 ? x * 0.886Q : sqrtq(w) - 0.3Q;
  for (int i = 0; i < 60; ++i) {
    const Quad step = w < 1 ? (erfq(v) - x) * sqrtq(kPi) / 2 * expq(v * v) : (erfcx(v) * expq(-v * v) / y - 1);
    if (w < 1) {
      v -= step;
    } else {  // Newton on log erfc
      v += logq(1 + step) * erfcx(v) * sqrtq(kPi) / 2;
    }
    if (fabsq(step) < 1e-32Q) break;
  }
  return v / x;
}

Quad bessel_i(int order, Quad x) {
  Quad term = order == 0 ? 1 : x / 2, sum = term;
  for (int k = 1; k < 3000; ++k) {
    term *= x * x / 4 / k / (k + order);
    sum += term;
    if (term < sum * 1e-36Q) break;
  }
  return sum;
}

Quad bessel_i_scaled(int order, Quad u) {  // exp(-x) sqrt(x) I(x), u = 1 / x
  if (u < 0.0005Q) {
    Quad term = 1, sum = 1;
    const int mu = 4 * order * order;
    for (int k = 1; k < 25; ++k) sum += term *= -Quad(mu - (2 * k - 1) * (2 * k - 1)) * u / (8 * k);
    return sum / sqrtq(2 * kPi);
  }
  return expq(-1 / u) * bessel_i(order, 1 / u) / sqrtq(u);
}

Quad zero_of(const Function& f, Quad a, Quad b) {
  for (int i = 0; i < 130; ++i) {
    const Quad m = (a + b) / 2;
    ((f(a) < 0) == (f(m) < 0) ? a : b) = m;
  }
  return (a + b) / 2;
}

// f near its zero, as (x - zero) * polynomial(x - centre).
template <class T>
void emit_product(const char* name, Quad zero, Quad centre) {
  const bool is_float = sizeof(T) == 4;
  const char* type = is_float ? "float" : "double";
  const std::string high = literal(-zero, is_float), low = literal(rounded<T>(zero) - zero, is_float);
  std::printf("EW_MATH %s %s(%s x) {\n  return add_rn(add_rn(x, %s), %s) * %s_rest(x - %s);\n}\n\n", type, name, type,
              high.c_str(), low.c_str(), name, literal(centre, is_float).c_str());
}

void around_zero(const char* name, const Function& f, Quad a, Quad b, int bits_double, int bits_float) {
  const Quad zero = zero_of(f, a, b), centre = rounded<float>((a + b) / 2);
  both((std::string(name) + "_rest").c_str(), a - centre, b - centre, bits_double, bits_float,
       [=](Quad u) { return f(centre + u) / (centre + u - zero); });
  emit_product<double>(name, zero, centre);
  emit_product<float>(name, zero, centre);
}

// Amplitude and phase of J_n and Y_n for x >= 8: J = sqrt(2 / (pi x)) A cos(x - (2n+1) pi/4 + phi), Y with sin; z =
// 1/x^2.
Quad amplitude(int n, Quad z) {
  const Quad x = 1 / sqrtq(z), j = n ? j1q(x) : j0q(x), y = n ? y1q(x) : y0q(x);
  return sqrtq((j * j + y * y) * kPi * x / 2);
}
Quad phase(int n, Quad z) {
  const Quad x = 1 / sqrtq(z), j = n ? j1q(x) : j0q(x), y = n ? y1q(x) : y0q(x);
  const Quad c = x - (2 * n + 1) * kPi / 4;
  return atan2q(y * cosq(c) - j * sinq(c), j * cosq(c) + y * sinq(c)) * x;
}

void elementary() {
  both("sin_tail", 0, 0.625Q, 59, 29, [](Quad z) { return (sinq(sqrtq(z)) / sqrtq(z) - 1) / z; });
  both("cos_tail", 0, 0.625Q, 59, 29, [](Quad z) { return (cosq(sqrtq(z)) - 1 + z / 2) / (z * z); });
  both("exp_tail", -0.35Q, 0.35Q, 58, 28, [](Quad r) { return (expm1q(r) - r) / (r * r); });
  both("log_tail", 0, 0.02975Q, 56, 27, [](Quad z) { return (2 * atanhq(sqrtq(z)) / sqrtq(z) - 2) / z; });
  both("log_tail2", 0, 0.02975Q, 54, 26,
       [](Quad z) { return ((2 * atanhq(sqrtq(z)) / sqrtq(z) - 2) / z - 2 / 3.0Q) / z; });
  both("atan_tail", 0, 0.174Q, 56, 27, [](Quad z) { return (atanq(sqrtq(z)) / sqrtq(z) - 1) / z; });
  both("asin_tail", 0, 0.2525Q, 56, 27, [](Quad z) { return (asinq(sqrtq(z)) / sqrtq(z) - 1) / z; });
  both("sinh_tail", 0, 1.01Q, 58, 28, [](Quad z) { return (sinhq(sqrtq(z)) / sqrtq(z) - 1) / z; });
  both("tanh_tail", 0, 0.37Q, 56, 27, [](Quad z) { return (tanhq(sqrtq(z)) / sqrtq(z) - 1) / z; });
  both("cbrt_seed", 0.5Q, 1, 8, 8, [](Quad m) { return cbrtq(m); });
}

void error_functions() {
  both("erf_small", 0, 1.01Q, 57, 28, [](Quad z) { return erfq(sqrtq(z)) / sqrtq(z) - 1; });
  both("erfcx_mapped", -1, 1, 55, 26, [](Quad t) {
    if (t > 0.9999999999999999999Q) return 2 / sqrtq(kPi);
    const Quad x = 4 * (1 + t) / (1 - t);
    return (1 + 2 * x) * erfcx(x);
  });
  both("erfcx_small", 0, 0.5Q, 56, 27, [](Quad x) { return (erfcx(x) - 1) / x; });
  both("erfinv_small", 0, 0.2525Q, 56, 27, [](Quad z) {
    const Quad w = -log1pq(-z);
    return erfinv_of_w(w) - sqrtq(kPi) / 2;
  });
  both("erfinv_centre", -3.25Q, 3.25Q, 56, 27, [](Quad u) { return erfinv_of_w(u + 3.25Q) - 1; });
  both("erfinv_near", -0.75Q, 0.75Q, 55, 26, [](Quad u) { return erfinv_of_w((u + 3.25Q) * (u + 3.25Q)); });
  both("erfinv_far", -2, 2, 54, 25, [](Quad u) { return erfinv_of_w((u + 6) * (u + 6)); });
  emit<double>(
      "erfinv_beyond", [](Quad u) { return erfinv_of_w((u + 18) * (u + 18)); }, -10, 10, exp2q(-52));
  emit<float>(
      "erfinv_beyond", [](Quad u) { return erfinv_of_w((u + 9.5Q) * (u + 9.5Q)); }, -1.5Q, 1.5Q, exp2q(-24));
}

void gamma_functions() {
  both("gamma_tail", 0, 1, 56, 27, [](Quad u) { return (tgammaq(2 + u) - 1) / u; });
  both("lgamma_two", 0, 1, 56, 27, [](Quad u) { return lgammaq(2 + u) / u; });
  both("lgamma_one", 0, 1, 56, 27, [](Quad u) { return lgammaq(1 + u) / (u * (u - 1)); });
  both("lgamma_below_one", -0.5Q, 0, 56, 27, [](Quad u) { return lgammaq(1 + u) / u; });
  both("stirling", 0, 1 / 64.0Q, 58, 29, [](Quad z) {
    const Quad x = 1 / sqrtq(z);
    if (x > 300) return 1 / 12.0Q - z / 360 + z * z / 1260 - z * z * z / 1680 + z * z * z * z / 1188;
    return (lgammaq(x) - ((x - 0.5Q) * logq(x) - x + logq(2 * kPi) / 2)) * x;
  });
}

void bessel_functions() {
  both("j0_small", 0, 1.7Q, 58, 28, [](Quad z) { return (j0q(sqrtq(z)) - 1) / z; });
  around_zero("j0_zero1", j0q, 1.25Q, 4, 56, 27);
  around_zero("j0_zero2", j0q, 4, 8.01Q, 55, 26);
  both("j1_small", 0, 4.1Q, 58, 28, [](Quad z) { return j1q(sqrtq(z)) / sqrtq(z); });
  around_zero("j1_zero1", j1q, 2, 5.375Q, 56, 27);
  around_zero("j1_zero2", j1q, 5.375Q, 8.01Q, 55, 26);
  const Quad zero0 = zero_of(y0q, 0.5Q, 1.2Q), zero1 = zero_of(y1q, 2, 2.4Q);
  both("y0_small", 0, 6.26Q, 57, 28, [=](Quad z) {
    const Quad x = sqrtq(z);
    return (y0q(x) - 2 / kPi * logq(x / zero0) * j0q(x)) / (z - zero0 * zero0);
  });
  both("y1_small", 0, 9.1Q, 57, 28, [=](Quad z) {
    const Quad x = sqrtq(z);
    return (y1q(x) - 2 / kPi * logq(x / zero1) * j1q(x)) * x / (z - zero1 * zero1);
  });
  around_zero("y0_zero2", y0q, 2.5Q, 5.5Q, 56, 27);
  around_zero("y0_zero3", y0q, 5.5Q, 8.01Q, 55, 26);
  around_zero("y1_zero2", y1q, 3, 7.01Q, 55, 26);
  around_zero("y1_zero3", y1q, 7, 8.8Q, 55, 26);
  for (int n = 0; n < 2; ++n) {
    const std::string order = std::to_string(n);
    both(("bessel_amplitude" + order).c_str(), 1e-6Q, 1 / 64.0Q, 55, 27, [=](Quad z) { return amplitude(n, z); });
    both(("bessel_phase" + order).c_str(), 1e-6Q, 1 / 64.0Q, 52, 24, [=](Quad z) { return phase(n, z); });
    both(("i" + order + "_small").c_str(), 0, 64, 54, 25,
         [=](Quad z) { return n ? (bessel_i(1, sqrtq(z)) / sqrtq(z) - 0.5Q) / z : (bessel_i(0, sqrtq(z)) - 1) / z; });
    both(("i" + order + "_large").c_str(), 0, 0.125Q, 56, 27,
         [=](Quad u) { return bessel_i_scaled(n, u < 1e-9Q ? 1e-9Q : u); });
  }
}

}  // namespace

int main() {
  std::printf(
      "// Polynomials of the device math functions, derived and printed by tests/math/derive/polynomials.cpp. Do not "
      "edit.\n"
      "// Each states its interval and its error with rounded coefficients and exact arithmetic.\n"
      "#pragma once\n\n#include \"base.cuh\"\n\nnamespace everwarp::math {\n\n");
  elementary();
  error_functions();
  gamma_functions();
  bessel_functions();
  std::printf("}  // namespace everwarp::math\n");
}
