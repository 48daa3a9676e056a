// Drives that kernels use by themselves ("BaM", ASPLOS'23). docs/bam.md is the page about it.
//
//   bam::controller drive(0);                                  // host: resets it, asks what it is
//   bam::queue_pair queue(drive, 1024);                        // host: a pair of rings of 1,024 entries
//   kernel<<<…>>>(queue.view());
//
//   __global__ void kernel(bam::queue_view queue) {            // every thread that calls has a command
//     bam::result r = queue.execute(bam::read(lba, blocks, prp1));
//     if (r.status != bam::ok) …                               // NVMe's status, or bam::timed_out
//
// storage_queue.cuh says what queues do, storage_cache.cuh what the cache in front of them does, storage_array.cuh what
// arrays are, storage_journal.cuh which writes survive a crash.
#pragma once

#include <everwarp/storage_array.cuh>
#include <everwarp/storage_cache.cuh>
#include <everwarp/storage_cache_owner.cuh>
#include <everwarp/storage_controller.cuh>
#include <everwarp/storage_direct.cuh>
#include <everwarp/storage_host.cuh>
#include <everwarp/storage_journal_owner.cuh>
#include <everwarp/storage_queue_pair.cuh>
