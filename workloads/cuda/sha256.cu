// SHA-256 of many short messages, one a thread, and a search for a digest that begins with zeros. Exercises: rotations,
// a constant table, big-endian words by byte permutation, long straight-line integer code, an early end by a flag.
//
// deterministic: yes
#include <string>

#include "check.h"

namespace {

struct Digest {
  uint32_t words[8];
};

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
__constant__ uint32_t round_constants[64];
std::vector<uint32_t> host_constants;

__host__ __device__ uint32_t rotate(uint32_t x, int by) {
  return x >> by | x << (32 - by);
}

__host__ __device__ void compress(const uint32_t* k, const uint32_t* block, Digest& digest) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; ++i) w[i] = block[i];
  for (int i = 16; i < 64; ++i) {
    const uint32_t a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  for (int i = 0; i < 8; ++i) s[i] = digest.words[i];
  for (int i = 0; i < 64; ++i) {
    const uint32_t high = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25),
                   choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
    const uint32_t low = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
    const uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t t = s[7] + high + choice + k[i] + w[i];
    for (int j = 7; j > 0; --j) s[j] = s[j - 1];
    s[4] += t;
    s[0] = t + low + majority;
  }
  for (int i = 0; i < 8; ++i) digest.words[i] += s[i];
}

// Messages of at most 55 bytes: one block.
__host__ __device__ Digest sha256(const uint32_t* k, const unsigned char* message, int length) {
  Digest digest = {{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
  uint32_t block[16] = {};
  for (int i = 0; i < length; ++i) block[i / 4] |= static_cast<uint32_t>(message[i]) << (24 - i % 4 * 8);
  block[length / 4] |= 0x80u << (24 - length % 4 * 8);
  block[15] = 8u * length;
  compress(k, block, digest);
  return digest;
}

__global__ void hash_all(const unsigned char* messages, const int* lengths, Digest* digests, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) digests[i] = sha256(round_constants, messages + i * 64, lengths[i]);
}

// The smallest nonce whose digest begins with so many zero bits.
__global__ void mine(const unsigned char* text, int length, int zeros, unsigned* found) {
  unsigned char message[55];
  for (int i = 0; i < length; ++i) message[i] = text[i];
  for (unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x;; nonce += gridDim.x * blockDim.x) {
    if (nonce > *static_cast<volatile unsigned*>(found)) return;
    for (int i = 0; i < 4; ++i) message[length + i] = nonce >> 8 * i;
    if (__clz(static_cast<int>(sha256(round_constants, message, length + 4).words[0])) >= zeros)
      atomicMin(found, nonce);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 64, 2, 1 << 20);
  for (int candidate = 2; host_constants.size() < 64; ++candidate) {
    bool prime = true;
    for (int d = 2; d * d <= candidate; ++d) prime &= candidate % d != 0;
    if (prime)
      host_constants.push_back(
          static_cast<uint32_t>(std::fmod(std::cbrt(static_cast<long double>(candidate)), 1.0L) * 0x1p32L));
  }
  CUDA(cudaMemcpyToSymbol(round_constants, host_constants.data(), 64 * sizeof(uint32_t)));
  const uint32_t* k = host_constants.data();
  const Digest known = sha256(k, reinterpret_cast<const unsigned char*>("abc"), 3);  // the standard's own example
  EXPECT(known.words[0] == 0xba7816bf && known.words[7] == 0xf20015ad,
         "SHA-256 of abc should be ba7816bf...f20015ad, is %08x...%08x", known.words[0], known.words[7]);

  Random random(69);
  std::vector<unsigned char> messages(n * 64);
  std::vector<int> lengths(n);
  for (auto& c : messages) c = static_cast<unsigned char>(random.below(256));
  for (auto& length : lengths) length = static_cast<int>(random.below(56));
  memcpy(messages.data(), "abc", 3);
  lengths[0] = 3;
  DeviceArray<unsigned char> device_messages(messages);
  DeviceArray<int> device_lengths(lengths);
  DeviceArray<Digest> digests(n);
  DeviceArray<unsigned> found(1, 0xff);
  hash_all<<<(n + 31) / 32, 32>>>(device_messages, device_lengths, digests, n);
  constexpr int kZeros = 6;
  mine<<<2, 32>>>(device_messages, 20, kZeros, found);
  FINISH_KERNEL();
  const auto got = digests.download();
  for (int i = 0; i < n; ++i) {
    const Digest want = sha256(k, &messages[i * 64], lengths[i]);
    for (int w = 0; w < 8; ++w)
      EXPECT(want.words[w] == got[i].words[w], "word %d of digest %d should be %08x, is %08x", w, i, want.words[w],
             got[i].words[w]);
  }
  unsigned want_nonce = 0;
  for (std::vector<unsigned char> text(messages.begin(), messages.begin() + 24);; ++want_nonce) {
    for (int i = 0; i < 4; ++i) text[20 + i] = static_cast<unsigned char>(want_nonce >> 8 * i);
    if (sha256(k, text.data(), 24).words[0] >> (32 - kZeros) == 0) break;
  }
  EXPECT(found.download()[0] == want_nonce, "the smallest nonce should be %u, is %u", want_nonce, found.download()[0]);
  return PASS("messages=%d nonce=%u", n, want_nonce);
}
