// LeNet for dnn.cu: two convolutions with pooling, two fully connected layers, softmax; stochastic gradient descent.
// Each layer is a function of one element of its result. Kernels and the host's reference share it. check_gradients()
// compares the gradients with differences of the loss.
#pragma once
#include <array>
#include <cmath>

#include "gpmbench.h"

namespace bench::lenet {

constexpr uint32_t kImage = 28, kKernel = 5, kOut1 = 24, kPool1 = 12, kOut2 = 8, kPool2 = 4, kClasses = 10;
constexpr int kTensors = 8;  // weights and biases of two convolutions and two fully connected layers

struct Sizes {
  uint32_t channels1, channels2, hidden, batch;
  uint32_t inputs3() const { return channels2 * kPool2 * kPool2; }
  std::array<size_t, kTensors> tensors() const {
    return {size_t(channels1) * 25,     channels1, size_t(channels2) * channels1 * 25, channels2,
            size_t(hidden) * inputs3(), hidden,    size_t(kClasses) * hidden,          kClasses};
  }
};

/// A convolution without padding: side^2 results from (side + 4)^2 inputs.
struct Convolution {
  const float *in, *weight, *bias;
  uint32_t inputs, outputs, side;
  __host__ __device__ uint32_t in_side() const { return side + kKernel - 1; }
};
/// A fully connected layer.
struct Dense {
  const float *in, *weight, *bias;
  uint32_t inputs, outputs;
};

// The functors: (*this)(i) computes element i. A sum has terms() terms, which blocks add up in parallel.
struct Convolve {
  Convolution layer;
  float* out;
  __host__ __device__ void operator()(size_t i) const {
    const uint32_t side = layer.side, x = i % side, y = i / side % side, o = i / side / side % layer.outputs;
    const size_t image = i / side / side / layer.outputs;
    float sum = layer.bias[o];
    for (uint32_t c = 0; c < layer.inputs; ++c) {
      const float* in = layer.in + (image * layer.inputs + c) * layer.in_side() * layer.in_side();
      const float* weight = layer.weight + (o * layer.inputs + c) * kKernel * kKernel;
      for (uint32_t v = 0; v < kKernel; ++v)
        for (uint32_t u = 0; u < kKernel; ++u) sum += in[(y + v) * layer.in_side() + x + u] * weight[v * kKernel + u];
    }
    out[i] = sum;
  }
};
struct Pool {  // the largest of 2 x 2; side: of the result
  const float* in;
  float* out;
  uint32_t side;
  __host__ __device__ static uint32_t place_of_largest(const float* window, uint32_t in_side) {
    uint32_t best = 0;
    for (uint32_t k = 1; k < 4; ++k)
      if (window[k / 2 * in_side + k % 2] > window[best / 2 * in_side + best % 2]) best = k;
    return best;
  }
  __host__ __device__ void operator()(size_t i) const {
    const size_t x = i % side, y = i / side % side, plane = i / side / side;
    const float* window = in + plane * 4 * side * side + 2 * y * 2 * side + 2 * x;
    const uint32_t best = place_of_largest(window, 2 * side);
    out[i] = window[best / 2 * 2 * side + best % 2];
  }
};
struct Connect {
  Dense layer;
  float* out;
  bool rectified;
  __host__ __device__ void operator()(size_t i) const {
    const size_t o = i % layer.outputs, image = i / layer.outputs;
    float sum = layer.bias[o];
    for (uint32_t k = 0; k < layer.inputs; ++k)
      sum += layer.in[image * layer.inputs + k] * layer.weight[o * layer.inputs + k];
    out[i] = rectified && sum < 0 ? 0 : sum;
  }
};
struct Softmax {  // of each image: its loss, and the gradient of the batch's mean loss
  const float* in;
  const uint32_t* labels;
  float *gradient, *loss;
  uint32_t batch;
  __host__ __device__ void operator()(size_t image) const {
    const float* z = in + image * kClasses;
    float largest = z[0], sum = 0;
    for (uint32_t k = 1; k < kClasses; ++k) largest = fmaxf(largest, z[k]);
    for (uint32_t k = 0; k < kClasses; ++k) sum += expf(z[k] - largest);
    for (uint32_t k = 0; k < kClasses; ++k)
      gradient[image * kClasses + k] =
          (expf(z[k] - largest) / sum - (k == labels[image] ? 1.0f : 0.0f)) / static_cast<float>(batch);
    loss[image] = logf(sum) + largest - z[labels[image]];
  }
};
struct ConnectBack {  // gradient of a fully connected layer's inputs; where they were rectified to 0, it is 0
  Dense layer;
  const float* out_gradient;
  float* in_gradient;
  bool rectified;
  __host__ __device__ void operator()(size_t i) const {
    const size_t k = i % layer.inputs, image = i / layer.inputs;
    float sum = 0;
    for (uint32_t o = 0; o < layer.outputs; ++o)
      sum += out_gradient[image * layer.outputs + o] * layer.weight[o * layer.inputs + k];
    in_gradient[i] = rectified && layer.in[i] == 0 ? 0 : sum;
  }
};
struct PoolBack {  // side: of the pooled result
  const float *in, *out_gradient;
  float* in_gradient;
  uint32_t side;
  __host__ __device__ void operator()(size_t i) const {
    const size_t in_side = 2 * side, x = i % in_side, y = i / in_side % in_side, plane = i / in_side / in_side;
    const float* window = in + plane * in_side * in_side + y / 2 * 2 * in_side + x / 2 * 2;
    const bool largest = Pool::place_of_largest(window, static_cast<uint32_t>(in_side)) == y % 2 * 2 + x % 2;
    in_gradient[i] = largest ? out_gradient[(plane * side + y / 2) * side + x / 2] : 0;
  }
};
struct ConvolveBack {  // gradient of a convolution's inputs
  Convolution layer;
  const float* out_gradient;
  float* in_gradient;
  __host__ __device__ void operator()(size_t i) const {
    const uint32_t in_side = layer.in_side(), side = layer.side;
    const uint32_t x = i % in_side, y = i / in_side % in_side, c = i / in_side / in_side % layer.inputs;
    const size_t image = i / in_side / in_side / layer.inputs;
    float sum = 0;
    for (uint32_t o = 0; o < layer.outputs; ++o)
      for (uint32_t v = 0; v < kKernel; ++v)
        for (uint32_t u = 0; u < kKernel; ++u)
          if (x >= u && y >= v && x - u < side && y - v < side)
            sum += out_gradient[((image * layer.outputs + o) * side + y - v) * side + x - u] *
                   layer.weight[((o * layer.inputs + c) * kKernel + v) * kKernel + u];
    in_gradient[i] = sum;
  }
};
struct DenseWeights {  // element i: weight i's gradient; behind the weights: the biases'
  Dense layer;
  const float* out_gradient;
  uint32_t batch;
  __host__ __device__ uint32_t terms() const { return batch; }
  __host__ __device__ float term(size_t i, uint32_t image) const {
    const size_t weights = size_t(layer.inputs) * layer.outputs;
    if (i >= weights) return out_gradient[size_t(image) * layer.outputs + i - weights];
    return out_gradient[size_t(image) * layer.outputs + i / layer.inputs] *
           layer.in[size_t(image) * layer.inputs + i % layer.inputs];
  }
};
struct ConvolutionWeights {
  Convolution layer;
  const float* out_gradient;
  uint32_t batch;
  __host__ __device__ uint32_t terms() const { return batch * layer.side * layer.side; }
  __host__ __device__ float term(size_t i, uint32_t k) const {
    const uint32_t side = layer.side, x = k % side, y = k / side % side, image = k / side / side;
    const size_t weights = size_t(layer.inputs) * layer.outputs * kKernel * kKernel;
    const size_t o = i >= weights ? i - weights : i / (kKernel * kKernel * layer.inputs);
    const float gradient = out_gradient[((image * layer.outputs + o) * side + y) * side + x];
    if (i >= weights) return gradient;
    const uint32_t u = i % kKernel, v = i / kKernel % kKernel, c = i / kKernel / kKernel % layer.inputs;
    return gradient * layer.in[((image * layer.inputs + c) * layer.in_side() + y + v) * layer.in_side() + x + u];
  }
};
/// Uses the sums of a layer's gradients: moves each weight or bias against its gradient.
struct Descend {
  float *weight, *bias, rate;
  size_t weights;
  __host__ __device__ void operator()(size_t i, float gradient) const {
    (i < weights ? weight[i] : bias[i - weights]) -= rate * gradient;
  }
};
/// In a test: keeps the gradients themselves.
struct Keep {
  float* gradients;
  __host__ __device__ void operator()(size_t i, float gradient) const { gradients[i] = gradient; }
};

template <class Element>
__global__ void each(size_t count, Element element) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) element(i);
}
template <class Sum, class Take>
__global__ void each_sum(Sum sum, Take take) {
  __shared__ float parts[128];
  float own = 0;
  for (uint32_t k = threadIdx.x; k < sum.terms(); k += 128) own += sum.term(blockIdx.x, k);
  parts[threadIdx.x] = own;
  for (unsigned stride = 64; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) parts[threadIdx.x] += parts[threadIdx.x + stride];
  }
  if (threadIdx.x == 0) take(blockIdx.x, parts[0]);
}

/// How the elements of a layer are computed: by kernels, or by a loop of the host.
struct ByKernels {
  using Floats = DeviceArray<float>;
  template <class Element>
  void all(size_t count, Element element) const {
    each<<<blocks_for(count, 128), 128>>>(count, element);
  }
  template <class Sum, class Take>
  void sums(size_t count, Sum sum, Take take) const {
    each_sum<<<static_cast<unsigned>(count), 128>>>(sum, take);
  }
};
struct ByHost {
  using Floats = std::vector<float>;
  template <class Element>
  void all(size_t count, Element element) const {
    for (size_t i = 0; i < count; ++i) element(i);
  }
  template <class Sum, class Take>
  void sums(size_t count, Sum sum, Take take) const {
    for (size_t i = 0; i < count; ++i) {
      double all = 0;
      for (uint32_t k = 0; k < sum.terms(); ++k) all += sum.term(i, k);
      take(i, static_cast<float>(all));
    }
  }
};
inline float* pointer(const DeviceArray<float>& array) {
  return array.get();
}
inline float* pointer(std::vector<float>& array) {
  return array.data();
}

/// The network, with the memory for a pass over a batch. `tensors`: its parameters, which a checkpoint has.
template <class By>
class Net {
 public:
  using Floats = typename By::Floats;
  explicit Net(const Sizes& sizes)
      : sizes_(sizes),
        tensors_{Floats(sizes.tensors()[0]), Floats(sizes.tensors()[1]), Floats(sizes.tensors()[2]),
                 Floats(sizes.tensors()[3]), Floats(sizes.tensors()[4]), Floats(sizes.tensors()[5]),
                 Floats(sizes.tensors()[6]), Floats(sizes.tensors()[7])},
        out1_(planes1() * kOut1 * kOut1),
        pool1_(planes1() * kPool1 * kPool1),
        out2_(planes2() * kOut2 * kOut2),
        pool2_(planes2() * kPool2 * kPool2),
        hidden_(size_t(sizes.batch) * sizes.hidden),
        scores_(size_t(sizes.batch) * kClasses),
        loss_(sizes.batch),
        d_out1_(planes1() * kOut1 * kOut1),
        d_pool1_(planes1() * kPool1 * kPool1),
        d_out2_(planes2() * kOut2 * kOut2),
        d_pool2_(planes2() * kPool2 * kPool2),
        d_hidden_(size_t(sizes.batch) * sizes.hidden),
        d_scores_(size_t(sizes.batch) * kClasses) {}

  std::array<Floats, kTensors>& tensors() { return tensors_; }
  const std::array<Floats, kTensors>& tensors() const { return tensors_; }
  Floats& loss() { return loss_; }

  void forward(const float* images, const uint32_t* labels) {
    const By by;
    by.all(planes1() * kOut1 * kOut1, Convolve{convolution1(images), pointer(out1_)});
    by.all(planes1() * kPool1 * kPool1, Pool{pointer(out1_), pointer(pool1_), kPool1});
    by.all(planes2() * kOut2 * kOut2, Convolve{convolution2(), pointer(out2_)});
    by.all(planes2() * kPool2 * kPool2, Pool{pointer(out2_), pointer(pool2_), kPool2});
    by.all(size_t(sizes_.batch) * sizes_.hidden, Connect{dense3(), pointer(hidden_), true});
    by.all(size_t(sizes_.batch) * kClasses, Connect{dense4(), pointer(scores_), false});
    by.all(sizes_.batch, Softmax{pointer(scores_), labels, pointer(d_scores_), pointer(loss_), sizes_.batch});
  }
  void backward() {
    const By by;
    by.all(size_t(sizes_.batch) * sizes_.hidden, ConnectBack{dense4(), pointer(d_scores_), pointer(d_hidden_), true});
    by.all(planes2() * kPool2 * kPool2, ConnectBack{dense3(), pointer(d_hidden_), pointer(d_pool2_), false});
    by.all(planes2() * kOut2 * kOut2, PoolBack{pointer(out2_), pointer(d_pool2_), pointer(d_out2_), kPool2});
    by.all(planes1() * kPool1 * kPool1, ConvolveBack{convolution2(), pointer(d_out2_), pointer(d_pool1_)});
    by.all(planes1() * kOut1 * kOut1, PoolBack{pointer(out1_), pointer(d_pool1_), pointer(d_out1_), kPool1});
  }
  /// Gives the sums of the gradients of layers 0 … 3 (weights, then biases) to `take(layer)`.
  template <class TakeOf>
  void gradients(const float* images, TakeOf take) {
    const By by;
    const auto count = [&](int layer) { return sizes_.tensors()[2 * layer] + sizes_.tensors()[2 * layer + 1]; };
    by.sums(count(0), ConvolutionWeights{convolution1(images), pointer(d_out1_), sizes_.batch}, take(0));
    by.sums(count(1), ConvolutionWeights{convolution2(), pointer(d_out2_), sizes_.batch}, take(1));
    by.sums(count(2), DenseWeights{dense3(), pointer(d_hidden_), sizes_.batch}, take(2));
    by.sums(count(3), DenseWeights{dense4(), pointer(d_scores_), sizes_.batch}, take(3));
  }
  void train(const float* images, const uint32_t* labels, float rate) {
    forward(images, labels);
    backward();
    gradients(images, [&](int layer) {
      return Descend{pointer(tensors_[2 * layer]), pointer(tensors_[2 * layer + 1]), rate, sizes_.tensors()[2 * layer]};
    });
  }

 private:
  size_t planes1() const { return size_t(sizes_.batch) * sizes_.channels1; }
  size_t planes2() const { return size_t(sizes_.batch) * sizes_.channels2; }
  Convolution convolution1(const float* images) {
    return {images, pointer(tensors_[0]), pointer(tensors_[1]), 1, sizes_.channels1, kOut1};
  }
  Convolution convolution2() {
    return {pointer(pool1_), pointer(tensors_[2]), pointer(tensors_[3]), sizes_.channels1, sizes_.channels2, kOut2};
  }
  Dense dense3() {
    return {pointer(pool2_), pointer(tensors_[4]), pointer(tensors_[5]), sizes_.inputs3(), sizes_.hidden};
  }
  Dense dense4() { return {pointer(hidden_), pointer(tensors_[6]), pointer(tensors_[7]), sizes_.hidden, kClasses}; }

  const Sizes sizes_;
  std::array<Floats, kTensors> tensors_;
  Floats out1_, pool1_, out2_, pool2_, hidden_, scores_, loss_;
  Floats d_out1_, d_pool1_, d_out2_, d_pool2_, d_hidden_, d_scores_;
};

/// The first values of the weights: small, evenly distributed, the same in each run.
inline std::vector<float> first_values(const Sizes& sizes, int tensor) {
  const std::array<size_t, 4> inputs = {25, 25ull * sizes.channels1, sizes.inputs3(), sizes.hidden};
  Random random(100 + static_cast<uint64_t>(tensor));
  const float bound = 1.0f / std::sqrt(static_cast<float>(inputs[tensor / 2]));
  std::vector<float> values(sizes.tensors()[tensor]);
  for (float& value : values) value = random.between(-bound, bound);
  return values;
}

inline double mean_loss(Net<ByHost>& net) {
  double sum = 0;
  for (const float loss : net.loss()) sum += loss;
  return sum / static_cast<double>(net.loss().size());
}

/// Compares gradients with differences of the loss, for a weight and a bias of every layer.
inline void check_gradients(const Sizes& sizes, const float* images, const uint32_t* labels) {
  Net<ByHost> net(sizes);
  for (int t = 0; t < kTensors; ++t) net.tensors()[t] = first_values(sizes, t);
  net.forward(images, labels);
  net.backward();
  std::vector<float> gradients[4];
  for (int layer = 0; layer < 4; ++layer)
    gradients[layer].resize(sizes.tensors()[2 * layer] + sizes.tensors()[2 * layer + 1]);
  net.gradients(images, [&](int layer) { return Keep{gradients[layer].data()}; });
  for (int t = 0; t < kTensors; ++t) {
    const size_t i = sizes.tensors()[t] / 2;
    const float want = gradients[t / 2][t % 2 == 0 ? i : sizes.tensors()[t - 1] + i];
    float& weight = net.tensors()[t][i];
    const float before = weight, step = 0.01f;
    weight = before + step;
    net.forward(images, labels);
    const double above = mean_loss(net);
    weight = before - step;
    net.forward(images, labels);
    const double difference = (above - mean_loss(net)) / (2 * step);
    weight = before;
    REQUIRE(check::close_to(difference, want, 0.05, 1e-3), "the gradient of tensor %d should be %g, is %g", t,
            difference, want);
  }
}

}  // namespace bench::lenet
