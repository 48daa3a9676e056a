// cooperative_groups::memcpy_async and its waits: cp.async from global to shared memory where alignment allows (sm_80 and
// later), plain copies otherwise.
#pragma once

#include "../cooperative_groups.h"

#if defined(__CUDA__)
#include "../everwarp/asynchronous_copy.cuh"

namespace cooperative_groups {

template <class Group, class T, class U, class Size>
EW_DEVICE void memcpy_async(const Group &g, T *to, const U *from, const Size &bytes) {
  everwarp_detail::copy_strided(to, from, (size_t)bytes, (size_t)g.thread_rank(), (size_t)g.size());
  __pipeline_commit();
}
template <class Group, class T, class U, class ToLayout, class FromLayout>
EW_DEVICE void memcpy_async(const Group &g, T *to, const ToLayout &to_count, const U *from,
                            const FromLayout &from_count) {
  const size_t a = (size_t)to_count, b = (size_t)from_count;
  memcpy_async(g, to, from, (a < b ? a : b) * sizeof(T));
}
template <class Group>
EW_DEVICE void wait(const Group &g) {
  __pipeline_wait_prior(0);
  g.sync();
}
template <unsigned int Stages, class Group>
EW_DEVICE void wait_prior(const Group &g) {
  __pipeline_wait_prior(Stages);
  g.sync();
}

}  // namespace cooperative_groups
#endif
