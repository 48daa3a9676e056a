// <everwarp/storage.cuh> as a program for a real GPU uses it: every layer.
#include <everwarp/storage.cuh>

#include <cstdio>

__global__ void queues(bam::queue_view queue, void *page, bam::status *end) {
  *end = queue.execute(bam::read(threadIdx.x, 1, page)).status;
  uint64_t ticket = 0;
  if (queue.submit(bam::write(threadIdx.x, 1, page, nullptr, true), ticket)) *end = queue.wait(ticket).status;
}

__global__ void elements(bam::array_view<long> a, bam::journal_view journal) {
  const unsigned i = threadIdx.x;
  a[i] = a[i + 1] + 1;
  a[i] += *(a.begin() + i);
  long value = 0;
  bam::cursor<long> c(a);
  if (a.read(i, value) == bam::ok && a.write(i, value + c[i]) == bam::ok) c.leave();
  a.prefetch(i + 2);
  auto ticket = a.begin(i);
  a.finish_read(ticket, value);
  const bam::change<long> both[] = {{i, value}, {i + 1, -value}};
  if (journal.commit(a, both, 2) != bam::ok) a[i] = 0;
}

int main() {
  try {
    bam::controller drive(0);
    bam::queue_pair queue(drive, 64);
    bam::cache_config config;
    config.bytes = 1 << 20;
    bam::cache cache({&drive}, config);
    bam::array<long> array(cache, 0, 1 << 17);
    bam::journal_config where;
    where.first_block = 4096;
    bam::journal journal(cache, where);
    queues<<<1, 32>>>(queue.view(), nullptr, nullptr);
    elements<<<1, 32>>>(array.view(), journal.view());
    cache.flush();
    std::printf("%s\n", cache.diagnose().c_str());
  } catch (const std::exception &mistake) {
    std::printf("%s\n", mistake.what());
  }
}
