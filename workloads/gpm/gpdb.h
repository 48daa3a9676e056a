// The table of gpdb.cu and cpu_gpdb.cu, and what a batch makes of its rows.
#pragma once
#include "gpmbench.h"

namespace bench {

constexpr unsigned kColumns = 6, kWords = 1 + kColumns;  // words of a row: its key, then a number in each column

struct Row {
  uint32_t word[kWords];
  bool operator==(const Row& other) const { return memcmp(this, &other, sizeof *this) == 0; }
};
struct Table {
  uint64_t rows, checksum;  // checksum: the sum of the keys
};

/// Rows lie in tablets, as in the published program's. A tablet has its rows' keys behind each other, then 8 bytes for
/// each row, then each column. The 8 bytes are for a pointer to data of no fixed length. These rows have no such data,
/// so nothing is stored there.
struct Tablets {
  static constexpr size_t kRowBytes = sizeof(Row) + 8;
  uint32_t rows;  // of a tablet
  size_t bytes;   // of a tablet

  explicit Tablets(uint32_t rows_of_tablet) : rows(rows_of_tablet), bytes(whole_lines(rows_of_tablet * kRowBytes)) {}
  /// Bytes of the tablets that hold so many rows.
  size_t bytes_of(uint64_t all) const { return (all + rows - 1) / rows * bytes; }
  /// The offset of a row's word.
  __host__ __device__ size_t at(uint32_t row, unsigned word) const {
    const uint32_t tablet = row / rows, in = row % rows;
    return tablet * bytes + (word == 0 ? 0 : (8 + 4ull * word) * rows) + 4ull * in;
  }
  __host__ __device__ uint32_t& word(char* begin, uint32_t row, unsigned word) const {
    return *reinterpret_cast<uint32_t*>(begin + at(row, word));
  }
  Row row(const char* begin, uint32_t row) const {
    Row found;
    for (unsigned w = 0; w < kWords; ++w) memcpy(&found.word[w], begin + at(row, w), sizeof found.word[w]);
    return found;
  }
};

__host__ __device__ inline uint32_t new_word(uint32_t row, unsigned word) {
  return word == 0 ? row : static_cast<uint32_t>(mix(row * 8ull + word));
}
inline Row new_row(uint32_t row) {
  Row made;
  for (unsigned w = 0; w < kWords; ++w) made.word[w] = new_word(row, w);
  return made;
}
constexpr unsigned kUpdated = 2;  // the word that an update changes
// One row in twenty, another twentieth in each batch.
__host__ __device__ inline bool is_chosen(uint32_t key, uint32_t batch) {
  return mix(key * 31ull + batch) % 20 == 0;
}
__host__ __device__ inline uint32_t updated(uint32_t old, uint32_t batch) {
  return static_cast<uint32_t>(mix((uint64_t(old) << 16) + batch + 1));
}
/// Row `row` of a table that was filled with new rows and then updated by so many batches.
inline Row updated_row(uint32_t row, uint32_t batches) {
  Row made = new_row(row);
  for (uint32_t batch = 0; batch < batches; ++batch)
    if (is_chosen(row, batch)) made.word[kUpdated] = updated(made.word[kUpdated], batch);
  return made;
}

inline Table table_of(uint64_t rows) {
  return {rows, rows * (rows - 1) / 2};
}

/// Requires that row `row` is as it should be.
inline void check_row(const Row& found, const Row& want, uint64_t row) {
  for (unsigned w = 0; w < kWords; ++w)
    REQUIRE(found.word[w] == want.word[w], "word %u of row %llu should be %u, is %u", w,
            static_cast<unsigned long long>(row), want.word[w], found.word[w]);
}

}  // namespace bench
