// DNN: the training of LeNet on images of digits, with checkpoints of its weights and biases ("GPM", ASPLOS'22,
// section 4.2). The network is LeCun's of 1998, with rectified units. An iteration is one forward and one backward pass
// over a batch.
//
//   dnn [--channels1 N] [--channels2 N] [--hidden N] [--batch N] [--images N] [--iterations N] [--interval N]
//       [--input IMAGES]                   MNIST's train-images-idx3-ubyte (with its labels beside it), not generated
//   dnn --recover FILE [--input IMAGES]    iterate.h says what all these programs do
// deterministic: yes
#include <fstream>

#include "iterate.h"
#include "lenet.h"

namespace {

namespace lenet = bench::lenet;
constexpr size_t kPixels = lenet::kImage * lenet::kImage;
constexpr float kRate = 0.05f;

struct Shape {
  uint32_t channels1, channels2, hidden, batch, images, iterations, interval, system;
  lenet::Sizes sizes() const { return {channels1, channels2, hidden, batch}; }
};
constexpr bench::Presets<Shape> kPresets = {
    {4, 6, 20, 8, 64, 12, 3, 0}, {20, 50, 500, 64, 60000, 10000, 10, 0}, {1, 1, 3, 2, 8, 4, 1, 0}};

// Images of 0 … 1 and their labels.
struct Digits {
  std::vector<float> images;
  std::vector<uint32_t> labels;

  // A digit is a few strokes. Its images have these strokes, moved a little and with noise.
  static Digits generated(uint32_t count) {
    Digits digits;
    Random random(7);
    for (uint32_t n = 0; n < count; ++n) {
      const uint32_t label = n % lenet::kClasses, dx = random.below(3), dy = random.below(3);
      for (uint32_t y = 0; y < lenet::kImage; ++y)
        for (uint32_t x = 0; x < lenet::kImage; ++x) {
          const uint64_t cell = uint64_t(label) << 16 | (y + dy) / 5 << 8 | (x + dx) / 5;
          const bool stroke = bench::mix(cell + 1) % 3 == 0;
          digits.images.push_back((stroke ? 0.8f : 0.1f) + random.between(-0.1f, 0.1f));
        }
      digits.labels.push_back(label);
    }
    return digits;
  }

  [[noreturn]] static void refuse(const std::string& path, const char* what) {
    fprintf(stderr, "%s: %s\n", path.c_str(), what);
    exit(2);
  }
  // The bytes behind the header of a file in MNIST's format: a magic, then sizes, most significant byte first.
  static std::vector<unsigned char> bytes_of(const std::string& path, uint32_t magic, size_t dimensions,
                                             uint32_t* count) {
    std::ifstream file(path, std::ios::binary);
    if (!file) refuse(path, "cannot be read");
    const auto number = [&] {
      unsigned char bytes[4] = {};
      file.read(reinterpret_cast<char*>(bytes), 4);
      return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | bytes[3];
    };
    if (number() != magic) refuse(path, "is no file of MNIST's format");
    *count = number();
    size_t each = 1;
    for (size_t d = 1; d < dimensions; ++d)
      if (number() != lenet::kImage) refuse(path, "its images should have 28 x 28 pixels");
    for (size_t d = 1; d < dimensions; ++d) each *= lenet::kImage;
    if (*count == 0 || *count > 1u << 24) refuse(path, "has no images");
    std::vector<unsigned char> bytes(*count * each);
    if (!file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
      refuse(path, "is cut off");
    return bytes;
  }
  static Digits from_mnist(const std::string& path) {
    std::string labels = path;
    const size_t at = labels.rfind("images-idx3");
    if (at == labels.npos) refuse(path, "a name like train-images-idx3-ubyte is expected, with labels beside it");
    labels.replace(at, 11, "labels-idx1");
    uint32_t images = 0, numbers = 0;
    const std::vector<unsigned char> pixels = bytes_of(path, 0x803, 3, &images);
    const std::vector<unsigned char> classes = bytes_of(labels, 0x801, 1, &numbers);
    if (images != numbers) refuse(labels, "has another number of labels than there are images");
    Digits digits;
    for (const unsigned char pixel : pixels) digits.images.push_back(static_cast<float>(pixel) / 255.0f);
    for (const unsigned char label : classes) {
      if (label >= lenet::kClasses) refuse(labels, "has a label above 9");
      digits.labels.push_back(label);
    }
    return digits;
  }
};

class Training {
 public:
  Training(const Shape& shape, const std::string& input)
      : shape_(shape),
        digits_(input.empty() ? Digits::generated(std::max(shape.images, shape.batch)) : Digits::from_mnist(input)),
        images_(digits_.images),
        labels_(digits_.labels),
        net_(shape.sizes()) {
    if (digits_.labels.size() < shape.batch) Digits::refuse(input, "has fewer images than a batch");
  }
  std::vector<bench::Array> arrays() const {
    std::vector<bench::Array> arrays;
    for (const DeviceArray<float>& tensor : net_.tensors())
      arrays.push_back({tensor.get(), tensor.size() * sizeof(float)});
    return arrays;
  }
  void begin() {
    for (int t = 0; t < lenet::kTensors; ++t) net_.tensors()[t].upload(lenet::first_values(shape_.sizes(), t));
  }
  void step(uint32_t i) { net_.train(images_ + first_of(i) * kPixels, labels_ + first_of(i), kRate); }

  void check(uint32_t iterations) const {
    const lenet::Sizes sizes = shape_.sizes();
    lenet::check_gradients(sizes, digits_.images.data(), digits_.labels.data());
    lenet::Net<lenet::ByHost> net(sizes);
    for (int t = 0; t < lenet::kTensors; ++t) net.tensors()[t] = lenet::first_values(sizes, t);
    net.forward(digits_.images.data(), digits_.labels.data());
    const double before = lenet::mean_loss(net);
    for (uint32_t i = 0; i < iterations; ++i)
      net.train(&digits_.images[first_of(i) * kPixels], &digits_.labels[first_of(i)], kRate);
    for (int t = 0; t < lenet::kTensors; ++t)
      EXPECT_NEAR(net.tensors()[t], net_.tensors()[t].download(), 1e-2, 1e-3, "parameter");
    net.forward(digits_.images.data(), digits_.labels.data());
    EXPECT(iterations == 0 || lenet::mean_loss(net) < before, "the loss of the first batch should fall below %g, is %g",
           before, lenet::mean_loss(net));
  }

 private:
  size_t first_of(uint32_t i) const { return size_t(i) % (digits_.labels.size() / shape_.batch) * shape_.batch; }
  const Shape shape_;
  const Digits digits_;
  const DeviceArray<float> images_;
  const DeviceArray<uint32_t> labels_;
  lenet::Net<lenet::ByKernels> net_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of<Training>(bench::parse<Shape>(argc, argv, "dnn.pool", kPresets,
                                                      {{"--channels1", &Shape::channels1, 1, 1024},
                                                       {"--channels2", &Shape::channels2, 1, 1024},
                                                       {"--hidden", &Shape::hidden, 1, 1 << 16},
                                                       {"--batch", &Shape::batch, 1, 1 << 16},
                                                       {"--images", &Shape::images, 1, 1 << 20},
                                                       {"--iterations", &Shape::iterations, 0, 1 << 20},
                                                       {"--interval", &Shape::interval, 1, 1 << 20}},
                                                      "IMAGES"),
                                  0x444e4e2d47504d31ull);
}
