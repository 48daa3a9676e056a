// Simulated time of work on a stream, as a program sees it through events.
#pragma once

template <class F>
double microseconds(cudaStream_t stream, F what) {
  cudaEvent_t begin, end;
  cudaEventCreate(&begin), cudaEventCreate(&end);
  cudaEventRecord(begin, stream);
  what();
  cudaEventRecord(end, stream);
  cudaEventSynchronize(end);
  float ms = -1;
  cudaEventElapsedTime(&ms, begin, end);
  return ms * 1000.0;
}
