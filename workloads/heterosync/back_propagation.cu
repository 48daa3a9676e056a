// BP: one round of training a layered network: inputs to 16 hidden units on the device, by products and a tree of sums
// in shared memory; the hidden layer, the output and the errors on the host; new weights on the device. After the
// description of Rodinia's backprop; one of the programs without synchronisation inside a kernel of Table 2.4
// (Sinclair's thesis, 2017).
//
// deterministic: yes
#include "../cuda/check.h"

namespace {

constexpr int kHidden = 16;
constexpr int kRows = 16;  // inputs of a block
constexpr float kRate = 0.3f, kMomentum = 0.3f;

// weights[i][h] leads from input i to hidden unit h. sums[b][h]: what block b's inputs give to unit h.
__global__ void feed_forward(const float* inputs, const float* weights, float* sums) {
  __shared__ float input[kRows], product[kRows][kHidden];
  const int h = threadIdx.x, r = threadIdx.y, row = blockIdx.x * kRows + r;
  if (h == 0) input[r] = inputs[row];
  __syncthreads();
  product[r][h] = weights[row * kHidden + h] * input[r];
  for (int half = kRows / 2; half > 0; half /= 2) {
    __syncthreads();
    if (r < half) product[r][h] += product[r + half][h];
  }
  if (r == 0) sums[blockIdx.x * kHidden + h] = product[0][h];
}

__host__ __device__ float change_of(float error, float input, float last_change) {
  return kRate * error * input + kMomentum * last_change;
}

__global__ void adjust(const float* errors, const float* inputs, float* weights, float* changes) {
  const int h = threadIdx.x, row = blockIdx.x * kRows + threadIdx.y, i = row * kHidden + h;
  const float change = change_of(errors[h], inputs[row], changes[i]);
  weights[i] += change;
  changes[i] = change;
}

float sigmoid(float x) {
  return 1 / (1 + std::exp(-x));
}

// The rest of the round, on the host: each hidden unit's error by its sum.
std::vector<float> errors_of(const std::vector<float>& sums, const std::vector<float>& output_weights, float target) {
  std::vector<float> hidden(kHidden), errors(kHidden);
  float output = 0;
  for (int h = 0; h < kHidden; ++h) {
    hidden[h] = sigmoid(sums[h]);
    output += hidden[h] * output_weights[h];
  }
  output = sigmoid(output);
  const float error = output * (1 - output) * (target - output);
  for (int h = 0; h < kHidden; ++h) errors[h] = hidden[h] * (1 - hidden[h]) * error * output_weights[h];
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 512, kRows, 1 << 24) / kRows, inputs = blocks * kRows;
  Random random(53);
  std::vector<float> input(inputs), weights(inputs * kHidden), changes(weights.size()), output_weights(kHidden);
  for (float& x : input) x = random.uniform();
  for (float& x : weights) x = random.between(-0.01f, 0.01f);
  for (float& x : changes) x = random.between(-0.01f, 0.01f);
  for (float& x : output_weights) x = random.between(-1, 1);

  const DeviceArray<float> device_input(input), device_weights(weights), device_changes(changes);
  const DeviceArray<float> partial(static_cast<size_t>(blocks) * kHidden);
  const dim3 threads(kHidden, kRows);
  feed_forward<<<blocks, threads>>>(device_input, device_weights, partial);
  const std::vector<float> of_blocks = partial.download();
  std::vector<float> sums(kHidden), want_sums(kHidden);
  for (int b = 0; b < blocks; ++b)
    for (int h = 0; h < kHidden; ++h) sums[h] += of_blocks[b * kHidden + h];
  const DeviceArray<float> errors(errors_of(sums, output_weights, 0.1f));
  adjust<<<blocks, threads>>>(errors, device_input, device_weights, device_changes);
  FINISH_KERNEL();

  for (int i = 0; i < inputs; ++i)
    for (int h = 0; h < kHidden; ++h) want_sums[h] += weights[i * kHidden + h] * input[i];
  EXPECT_NEAR(want_sums, sums, 1e-4, 1e-4, "sum of hidden unit");
  const std::vector<float> want_errors = errors_of(want_sums, output_weights, 0.1f);
  for (size_t i = 0; i < weights.size(); ++i) {
    changes[i] = change_of(want_errors[i % kHidden], input[i / kHidden], changes[i]);
    weights[i] += changes[i];
  }
  EXPECT_NEAR(changes, device_changes.download(), 1e-4, 1e-6, "change of weight");
  EXPECT_NEAR(weights, device_weights.download(), 1e-4, 1e-6, "weight");
  return PASS("inputs=%d", inputs);
}
