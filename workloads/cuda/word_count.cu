// Counts the words of a text and how often each one occurs: word starts are found in parallel, each word is hashed and
// looked up in a table whose slots hold positions in the text. Exercises: char loops, string compares in device code,
// __device__ strings, 64-bit hashes, atomicCAS on indices.
//
// deterministic: yes
// copies: what comes to the host depends on who came first
#include <cctype>
#include <map>
#include <string>

#include "check.h"

namespace {

__device__ const char kMostHated[] = "the";
__device__ int hated;

__device__ bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
__device__ char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

__device__ int word_length(const char* word) {
  int length = 0;
  while (is_letter(word[length])) ++length;
  return length;
}

__device__ bool same_word(const char* a, const char* b) {
  for (;; ++a, ++b) {
    if (!is_letter(*a) || !is_letter(*b)) return is_letter(*a) == is_letter(*b);
    if (lower(*a) != lower(*b)) return false;
  }
}

// slots[i] is the position of a word's first occurrence to arrive, or -1. The text ends with a zero.
__global__ void count(const char* text, int length, int* slots, int* counts, int capacity, int* words) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool starts = i < length && is_letter(text[i]) && (i == 0 || !is_letter(text[i - 1]));
  const unsigned ballot = __ballot_sync(~0u, starts);
  if (threadIdx.x % 32 == 0) atomicAdd(words, __popc(ballot));
  if (!starts) return;
  unsigned long long hash = 14695981039346656037ull;
  for (int k = 0; k < word_length(text + i); ++k) hash = (hash ^ lower(text[i + k])) * 1099511628211ull;
  for (int at = static_cast<int>(hash % capacity);; at = (at + 1) % capacity) {
    const int found = atomicCAS(&slots[at], -1, i);
    if (found != -1 && !same_word(text + found, text + i)) continue;
    atomicAdd(&counts[at], 1);
    break;
  }
  if (same_word(text + i, kMostHated)) atomicAdd(&hated, 1);
}

std::string make_text(int words) {
  const char* stock[] = {"the", "cache", "Warp", "of",    "memory", "durable",
                         "and", "lane",  "The",  "fence", "a",      "barrier"};
  Random random(40);
  std::string text;
  for (int w = 0; w < words; ++w) {
    text += stock[random.below(12)];
    if (random.below(6) == 0) text += stock[random.below(12)];  // compounds
    text += random.below(9) == 0 ? ".\n" : random.below(7) == 0 ? ", " : " ";
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int words = size_argument(argc, argv, 1, 1500, 1, 1 << 22);
  const std::string text = make_text(words);
  std::map<std::string, int> want;
  std::string word;
  for (char c : text + " ") {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      ++want[word];
      word.clear();
    }
  }
  const int length = static_cast<int>(text.size()), capacity = 509;
  DeviceArray<char> device_text(std::vector<char>(text.c_str(), text.c_str() + length + 1));
  DeviceArray<int> slots(capacity, 0xff), counts(capacity, 0), total(1, 0);
  count<<<(length + 127) / 128, 128>>>(device_text, length, slots, counts, capacity, total);
  FINISH_KERNEL();
  const auto positions = slots.download(), occurrences = counts.download();
  std::map<std::string, int> got;
  for (int s = 0; s < capacity; ++s) {
    if (positions[s] < 0) continue;
    word.clear();
    for (int at = positions[s]; std::isalpha(static_cast<unsigned char>(text[at])); ++at)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[at])));
    EXPECT(got.emplace(word, occurrences[s]).second, "'%s' should have one slot, has two", word.c_str());
  }
  for (const auto& [w, n] : want)
    EXPECT(got[w] == n, "'%s' should occur %d times, occurs %d times", w.c_str(), n, got[w]);
  EXPECT(got.size() == want.size(), "%zu distinct words should be found, are %zu", want.size(), got.size());
  EXPECT(total.download()[0] == words, "%d words should be counted, are %d", words, total.download()[0]);
  int the = 0;
  CUDA(cudaMemcpyFromSymbol(&the, hated, sizeof(int)));
  EXPECT(the == want["the"], "'the' should occur %d times, occurs %d times", want["the"], the);
  return PASS("words=%d distinct=%zu the=%d", words, want.size(), the);
}
