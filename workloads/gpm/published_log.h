// The log of the published libGPM, for measurements (`--published 1` of gpkvs and gpdb). It lies in a file of ours, and
// differs from our log in what decides its time:
//
// * The file begins with 40 bytes, behind which the heads follow. So the heads of a warp begin and end within lines.
// * Flags, the places of heads and tails, and these themselves lie in the file. Each insert loads them, one after the
//   other.
// * A conventional log stores 8 bytes at a time where the place allows it, and an HCL log 4. All stores are volatile.
#pragma once

#include "system.h"

namespace bench {

/// Our heads begin on a granule of 256 bytes. Three heads before it they are 40 bytes behind a line.
constexpr int kHeadsAhead = 3;
static_assert(sizeof(everwarp::GpmLogHeader) + kHeadsAhead * everwarp::gpm_head_bytes <= 256,
              "the heads that come first lie behind the header");

__device__ inline everwarp::GpmLogPlace published_place(const gpmlog* log, int partition) {
  everwarp::GpmLogPlace place = everwarp::gpm_log_place(log, partition);
  if (place.head != nullptr) place.head -= kHeadsAhead;
  return place;
}

/// Loads what an insert loads before it stores: five words, each of which the next one needs. Returns the head.
__device__ inline unsigned load_log_header(const gpmlog* log, const everwarp::GpmLogPlace& place) {
  const volatile uint64_t* const header = reinterpret_cast<const volatile uint64_t*>(log->pool);
  const auto load_head = [&](uint64_t known) {
    return *static_cast<const volatile unsigned long long*>(place.head + (known == ~0ull));
  };
  const uint64_t flags = header[0], heads = header[flags == ~0ull];
  const uint64_t head = load_head(heads), tails = header[head == ~0ull];
  load_head(tails);
  return static_cast<unsigned>(head);
}

/// Appends `count` words. When it returns, they are durable and in the log.
__device__ inline int insert_as_published(gpmlog* log, const unsigned* words, unsigned count, int partition) {
  const everwarp::GpmLogPlace place = published_place(log, partition);
  if (place.head == nullptr) return gpmlog_no_partition;
  return everwarp::gpm_log_locked(place, [&]() EVERWARP_NODEBUG {
    const unsigned head = load_log_header(log, place);
    if (count > log->shape.words - head) return static_cast<int>(gpmlog_full);
    char* to = place.words + static_cast<size_t>(head) * place.stride;
    const bool eights = place.lock != nullptr && reinterpret_cast<uintptr_t>(to) % 8 == 0;
    unsigned w = 0;
    for (; eights && w + 2 <= count; w += 2, to += 8)
      *reinterpret_cast<volatile uint64_t*>(to) = words[w] | uint64_t(words[w + 1]) << 32;
    for (; w < count; ++w, to += place.stride) *reinterpret_cast<volatile unsigned*>(to) = words[w];
    gpm_persist();
    everwarp::gpm_log_set_head(place, everwarp::gpm_log_head(place) + count);
    return static_cast<int>(gpmlog_ok);
  });
}

/// Empties the log, by its `blocks()` blocks of its `threads` threads.
__global__ void clear_as_published(gpmlog* log, LogShape shape) {
  const int partition = partition_of_thread(shape);
  if (partition == -2) return;
  const everwarp::GpmLogPlace place = published_place(log, partition);
  if (place.head == nullptr) return;
  everwarp::gpm_log_locked(place, [&]() EVERWARP_NODEBUG {
    everwarp::gpm_log_set_head(place, 0);
    return 0;
  });
}

}  // namespace bench
