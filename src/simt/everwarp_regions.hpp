// The regions of include/everwarp/: `.pragma "everwarp.NAME"` begins one, and its instructions are the conservative
// meaning that a GPU executes. Under a persistency model with order operations the machine performs the operation
// instead.
#pragma once

#include <array>
#include <string_view>

#include "core/model_table.hpp"
#include "memory/persistency.hpp"
#include "ptx/kernel.hpp"

namespace ew::simt {

struct EverwarpRegion {
  std::string_view name;
  memory::PersistOrder operation;  // none: it keeps its instructions whatever the model
  Scope scope;
  bool local = false;      // its synchronisation is among threads of one SM (Consistency::local_scopes)
  bool read_only = false;  // its loads are of data that only the host writes, between kernels
  bool wakes = false;      // an event for the block's assist warp (assist.hpp)
};

inline constexpr std::string_view assist_wake = "assist_wake", helper_warp = "helper_warp";

inline constexpr std::array everwarp_regions{
    EverwarpRegion{"ofence", memory::PersistOrder::ofence, Scope::cta},
    EverwarpRegion{"dfence", memory::PersistOrder::dfence, Scope::sys},
    EverwarpRegion{"prel_block", memory::PersistOrder::p_release, Scope::cta},
    EverwarpRegion{"prel_dev", memory::PersistOrder::p_release, Scope::gpu},
    EverwarpRegion{"prel_sys", memory::PersistOrder::p_release, Scope::sys},
    EverwarpRegion{"pacq_block", memory::PersistOrder::p_acquire, Scope::cta},
    EverwarpRegion{"pacq_dev", memory::PersistOrder::p_acquire, Scope::gpu},
    EverwarpRegion{"pacq_sys", memory::PersistOrder::p_acquire, Scope::sys},
    EverwarpRegion{"gpm_persist", memory::PersistOrder::none, Scope::sys},
    EverwarpRegion{.name = "local", .operation = memory::PersistOrder::none, .scope = Scope::gpu, .local = true},
    EverwarpRegion{
        .name = "read_only", .operation = memory::PersistOrder::none, .scope = Scope::none, .read_only = true},
    EverwarpRegion{.name = assist_wake, .operation = memory::PersistOrder::none, .scope = Scope::cta, .wakes = true},
    EverwarpRegion{.name = helper_warp, .operation = memory::PersistOrder::none, .scope = Scope::none},
};

/// nullptr: there is none of that name.
inline const EverwarpRegion* find_region(std::string_view name) {
  return core::find_named(everwarp_regions, name);
}

/// From here on the warp is a helper warp: its issue slots count apart, and nothing else changes.
inline bool marks_helper(const ptx::RegionForm& region) {
  return region.name == helper_warp;
}

}  // namespace ew::simt
