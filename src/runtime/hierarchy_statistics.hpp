// What the memory hierarchy of a timing machine is counted in, all components of a kind together: described once for
// files, for tables and for `ew explain statistics`.
#pragma once

#include <string_view>

#include "core/types.hpp"
#include "host/core.hpp"
#include "memory/cache/private_cache.hpp"
#include "memory/cpu_core.hpp"
#include "memory/device.hpp"
#include "memory/dma_engine.hpp"
#include "memory/durable_image.hpp"
#include "memory/home/home.hpp"
#include "memory/host_link.hpp"
#include "memory/managed/managed_pages.hpp"
#include "memory/network.hpp"
#include "storage/drive_statistics.hpp"

namespace ew::runtime {

/// Whether what this name counts is kept apart by launch. What is not: a link's packets, the medium of non-volatile
/// memory, what became durable, pages of managed memory, the host's cores, copy engines, drives. cycles and
/// active_cycles are, but launches side by side share them.
bool kept_apart(std::string_view name);
/// Whether the values of launches, of copies and of nobody add up to the machine's.
bool adds_up(std::string_view name);

struct HierarchyStatistics {
#define STATISTICS "runtime/hierarchy_statistics.inc"
#include "core/statistics_set.inc"
};

}  // namespace ew::runtime
