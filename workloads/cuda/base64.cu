// Base64 encoding and decoding of bytes, with padding, a thread per group of four characters. Exercises: byte loads and
// stores, __byte_perm, a lookup table in constant memory, an inverse table built on the device in shared memory.
//
// deterministic: yes
#include <string>

#include "check.h"

namespace {

__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

__global__ void encode(const unsigned char* bytes, int n, uchar4* text) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (3 * i >= n) return;
  const int left = min(3, n - 3 * i);
  uint32_t group = bytes[3 * i] << 16;
  if (left > 1) group |= bytes[3 * i + 1] << 8;
  if (left > 2) group |= bytes[3 * i + 2];
  uchar4 out;
  out.x = alphabet[group >> 18];
  out.y = alphabet[group >> 12 & 63];
  out.z = left > 1 ? alphabet[group >> 6 & 63] : '=';
  out.w = left > 2 ? alphabet[group & 63] : '=';
  text[i] = out;
}

__global__ void decode(const uint32_t* text, int groups, unsigned char* bytes) {
  __shared__ unsigned char value_of[256];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) value_of[static_cast<unsigned char>(alphabet[i])] = i;
  if (threadIdx.x == 0) value_of[static_cast<unsigned char>('=')] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  const uint32_t four = __byte_perm(text[i], 0, 0x0123);  // the first character becomes the highest byte
  const uint32_t group = value_of[four >> 24] << 18 | value_of[four >> 16 & 255] << 12 |
                         value_of[four >> 8 & 255] << 6 | value_of[four & 255];
  bytes[3 * i] = group >> 16;
  bytes[3 * i + 1] = group >> 8;
  bytes[3 * i + 2] = group;
}

std::string encode_on_host(const std::vector<unsigned char>& bytes) {
  const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  uint32_t bits = 0;
  int held = 0;
  for (unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 6; held -= 6) text += letters[bits >> (held - 6) & 63];
  }
  if (held > 0) text += letters[bits << (6 - held) & 63];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int most = size_argument(argc, argv, 1, 5000, 4, 1 << 24);
  std::string text;
  for (int n = most; n > most - 3; --n) {  // all three paddings
    Random random(39);
    std::vector<unsigned char> bytes(n);
    for (auto& b : bytes) b = static_cast<unsigned char>(random.next());
    const int groups = (n + 2) / 3, blocks = (groups + 127) / 128;
    DeviceArray<unsigned char> device_bytes(bytes), characters(4 * groups), back(3 * groups);
    encode<<<blocks, 128>>>(device_bytes, n, reinterpret_cast<uchar4*>(characters.get()));
    decode<<<blocks, 128>>>(reinterpret_cast<const uint32_t*>(characters.get()), groups, back);
    FINISH_KERNEL();
    const auto got = characters.download();
    text.assign(got.begin(), got.end());
    EXPECT(text == encode_on_host(bytes), "%d bytes should encode to %.20s..., are %.20s...", n,
           encode_on_host(bytes).c_str(), text.c_str());
    auto decoded = back.download();
    decoded.resize(n);
    EXPECT_SAME(bytes, decoded, "decoded byte");
  }
  return PASS("bytes=%d text=%.24s...", most, text.c_str());
}
