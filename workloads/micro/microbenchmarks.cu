// What a GPU's memory hierarchy does, measured from inside: one group of figures a header. Prints one line a figure:
// name, value, unit; fails when a sum is wrong. Ordinary CUDA: it runs on real GPUs, too.
//
//   microbenchmarks [NAME...]    only the groups named; shares: besides, of bandwidth_l2 what each SM reads
//   --json                       one JSON object instead of lines
//   --times N                    measures bandwidths of the memory on N times as many bytes
//   --list                       the names of the groups
#include "arithmetic.h"
#include "atomics.h"
#include "bandwidth.h"
#include "barriers.h"
#include "fences.h"
#include "footprints.h"
#include "latency.h"
#include "launches.h"
#include "measure.h"
#include "shared.h"
#include "streams.h"
#include "strides.h"

namespace {

bool shares = false;

struct Group {
  const char* name;
  void (*measure)();
};

const Group groups[] = {
    {"latency", latencies},     {"bandwidth", [] { bandwidths(shares); }},
    {"shared", shared_memory},  {"atomics", atomics},
    {"launch", launches},       {"arithmetic", arithmetic},
    {"conflicts", conflicts},   {"barriers", barriers},
    {"contention", contention}, {"fences", fences},
    {"streams", streams},       {"footprints", footprints},
    {"copies", copies},         {"strides", strides},
};

/// 1 where a word is no group; everything is measured when none is named.
int measure(const std::vector<const char*>& names) {
  for (const char* name : names) {
    bool known = std::strcmp(name, "shares") == 0;
    shares |= known;
    for (const Group& group : groups) known |= std::strcmp(name, group.name) == 0;
    if (!known) {
      std::fprintf(stderr, "FAIL unknown group %s; --list names them\n", name);
      return 1;
    }
  }
  for (const Group& group : groups) {
    bool wanted = names.empty();
    for (const char* name : names) wanted |= std::strcmp(name, group.name) == 0;
    if (wanted) group.measure();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<const char*> names;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--times") == 0 && i + 1 < argc) {
      longer = std::max(1, std::atoi(argv[++i]));
    } else if (std::strcmp(argv[i], "--list") == 0) {
      for (const Group& group : groups) std::puts(group.name);
      return 0;
    } else {
      names.push_back(argv[i]);
    }
  }
  CUDA(cudaGetDeviceProperties(&device, 0));
  if (measure(names)) return 1;
  if (json)
    std::printf("{\"device\": \"%s\", \"sms\": %d, \"figures\": {%s}}\n", device.name, device.multiProcessorCount,
                figures_as_json.c_str());
  else if (!failed)
    std::puts("PASS");
  return failed;
}
