// The functions that the compiler calls for * and / of _Complex values (C99 annex G). With them std::complex works in
// device code.
#pragma once

namespace everwarp::math {

template <class T>
struct Parts {
  T re, im;
};

template <class T>
EW_MATH T box(T x) {  // 1 for an infinite part, 0 for another, with its sign
  return with_sign(is_infinite(x) ? T(1) : T(0), x);
}
template <class T>
EW_MATH T zero_for_nan(T x) {
  return x != x ? with_sign(T(0), x) : x;
}

template <class T>
EW_MATH Parts<T> complex_product(T a, T b, T c, T d) {
  const T ac = a * c, bd = b * d, ad = a * d, bc = b * c;
  Parts<T> z{ac - bd, ad + bc};
  if (z.re == z.re || z.im == z.im) return z;
  bool again = false;
  if (is_infinite(a) || is_infinite(b)) {
    a = box(a), b = box(b), c = zero_for_nan(c), d = zero_for_nan(d);
    again = true;
  }
  if (is_infinite(c) || is_infinite(d)) {
    c = box(c), d = box(d), a = zero_for_nan(a), b = zero_for_nan(b);
    again = true;
  }
  if (!again && (is_infinite(ac) || is_infinite(bd) || is_infinite(ad) || is_infinite(bc))) {
    a = zero_for_nan(a), b = zero_for_nan(b), c = zero_for_nan(c), d = zero_for_nan(d);
    again = true;
  }
  if (again) z = {Constant<T>::infinity * (a * c - b * d), Constant<T>::infinity * (a * d + b * c)};
  return z;
}

template <class T>
EW_MATH Parts<T> complex_quotient(T a, T b, T c, T d) {
  int scale = 0;
  const T big = magnitude(c) > magnitude(d) ? magnitude(c) : magnitude(d);
  if (big != 0 && is_finite(big)) {
    normalised(big, scale);
    c = load_exponent(c, -scale);
    d = load_exponent(d, -scale);
  }
  const T norm = c * c + d * d;
  Parts<T> z{load_exponent((a * c + b * d) / norm, -scale), load_exponent((b * c - a * d) / norm, -scale)};
  if (z.re == z.re || z.im == z.im) return z;
  if (norm == 0 && (a == a || b == b)) {
    z = {with_sign(Constant<T>::infinity, c) * a, with_sign(Constant<T>::infinity, c) * b};
  } else if ((is_infinite(a) || is_infinite(b)) && is_finite(c) && is_finite(d)) {
    a = box(a), b = box(b);
    z = {Constant<T>::infinity * (a * c + b * d), Constant<T>::infinity * (b * c - a * d)};
  } else if (is_infinite(big) && is_finite(a) && is_finite(b)) {
    c = box(c), d = box(d);
    z = {T(0) * (a * c + b * d), T(0) * (b * c - a * d)};
  }
  return z;
}

}  // namespace everwarp::math

#define EW_COMPLEX_BUILTIN(name, type, function)                                \
  EW_MATH_C type _Complex name(type a, type b, type c, type d) {                \
    const everwarp::math::Parts<type> z = everwarp::math::function(a, b, c, d); \
    type _Complex result;                                                       \
    __real__(result) = z.re;                                                    \
    __imag__(result) = z.im;                                                    \
    return result;                                                              \
  }
EW_COMPLEX_BUILTIN(__mulsc3, float, complex_product)
EW_COMPLEX_BUILTIN(__muldc3, double, complex_product)
EW_COMPLEX_BUILTIN(__divsc3, float, complex_quotient)
EW_COMPLEX_BUILTIN(__divdc3, double, complex_quotient)
