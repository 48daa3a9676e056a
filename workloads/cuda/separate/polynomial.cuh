// What the two device files of this program share: a device function, a function pointer table and variables that are
// defined in polynomial.cu and used in sampling.cu, and the launcher that separate.cpp calls.
#pragma once

struct Polynomial {
  int degree;
  int coefficients[8];
};

using Shape = int (*)(int);

extern __device__ int evaluations;  // counted by evaluate()
extern __constant__ Polynomial default_polynomial;
extern __device__ Shape shapes[3];
__device__ int evaluate(const Polynomial& polynomial, int x);

class Accumulator {  // its methods are compiled in polynomial.cu
 public:
  __device__ explicit Accumulator(int start);
  __device__ virtual ~Accumulator();
  __device__ virtual void add(int x);
  __device__ int value() const;

 protected:
  int value_;
};
