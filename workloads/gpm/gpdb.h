// The rows of gpdb.cu and cpu_gpdb.cu, and what a batch makes of them.
#pragma once
#include "gpmbench.h"

namespace bench {

struct Row {
  uint64_t id, amount, stamp;
};
struct Table {
  uint64_t rows, checksum;  // checksum: the sum of the ids
};
__host__ __device__ inline Row new_row(uint64_t id) {
  return {id, mix(id) % 100000, 0};
}
// One row in twenty, another twentieth in each batch.
__host__ __device__ inline bool is_chosen(const Row& row, uint32_t batch) {
  return mix(row.id * 31 + batch) % 20 == 0;
}
__host__ __device__ inline Row updated(Row row, uint32_t batch) {
  row.amount = mix(row.amount + batch) % 100000;
  row.stamp = batch + 1;
  return row;
}

inline Table table_of(uint64_t rows) {
  return {rows, rows * (rows - 1) / 2};
}

}  // namespace bench
