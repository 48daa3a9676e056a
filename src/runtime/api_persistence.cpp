// What include/everwarp/gpm.cuh declares: persistent pools for the program. A mistake is one sentence on stderr and a
// null pointer; CUDA's last error is left alone.
#include <algorithm>
#include <cstring>
#include <everwarp/gpm.cuh>

#include "runtime/acknowledgements.hpp"
#include "runtime/name_table.hpp"
#include "runtime/own_api.hpp"

using namespace ew;
using namespace ew::runtime;

namespace {

/// Kernels before it end first.
void set_inside_region(bool inside) {
  own_api(0, [&](Machine& machine, ApiLock& lock) {
    machine.context().wait_idle(lock);
    machine.persistence().set_inside_region(inside);
    return 0;
  });
}

/// The table of names of a mapped pool.
NameTable names_of(Machine& machine, void* nvm, bool format = false) {
  const u64 begin = reinterpret_cast<u64>(nvm), size = machine.persistence().pools().size_at(begin);
  if (size == 0) throw core::UserError("pm_*: this is not the first byte of a mapped pool");
  return NameTable(
      static_cast<u8*>(nvm), size, machine.persistence().pools().path_at(begin),
      [&machine, begin](u64 offset, u64 bytes) { machine.persistence().make_durable(begin + offset, bytes); }, format);
}

}  // namespace

extern "C" {

void* gpm_map(const char* path, size_t size, bool create) {
  return own_api<void*>(nullptr, [&](Machine& machine, ApiLock&) {
    if (!path) throw core::UserError("gpm_map: the path is a null pointer");
    return machine.persistence().map(path, size, create);
  });
}

int gpm_unmap(const char*, void* address, size_t) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    machine.context().wait_idle(lock);  // a kernel under way may still use the pool; a lost context uses nothing
    machine.persistence().unmap(address);
    return 0;
  });
}

size_t gpm_size(const char* path) {
  return path ? Pools::size_of(path) : 0;
}

int gpm_persist_range(const void* address, size_t size) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    return flush_by_host(machine, lock, reinterpret_cast<u64>(address), size) ? 0 : -1;
  });
}

void gpm_persist_begin(void) {
  set_inside_region(true);
}
void gpm_persist_end(void) {
  set_inside_region(false);
}

void gpm_acknowledge(unsigned long long progress) {
  own_api(0, [&](Machine& machine, ApiLock&) {
    machine.persistence().acknowledge(progress);  // waits for what was submitted before
    machine.storage().acknowledged(progress);
    return 0;
  });
}
unsigned long long gpm_acknowledged(void) {
  return acknowledged_before_the_crash();
}

void* pm_map(const char* path, size_t size, bool create) {
  return own_api<void*>(nullptr, [&](Machine& machine, ApiLock&) {
    if (!path) throw core::UserError("pm_map: the path is a null pointer");
    void* const nvm = machine.persistence().map(path, size, create);
    try {
      const auto* const bytes = static_cast<const u8*>(nvm);
      names_of(machine, nvm,
               create || NameTable::blank(bytes, machine.persistence().pools().size_at(reinterpret_cast<u64>(nvm))));
    } catch (...) {
      machine.persistence().unmap(nvm);
      throw;
    }
    return nvm;
  });
}

void* pm_alloc(void* nvm, const char* name, size_t size) {
  return own_api<void*>(nullptr, [&](Machine& machine, ApiLock&) -> void* {
    if (!name) throw core::UserError("pm_alloc: the name is a null pointer");
    return static_cast<u8*>(nvm) + names_of(machine, nvm).allocate(name, size).offset;
  });
}

void* pm_open(void* nvm, const char* name, size_t* size) {
  return own_api<void*>(nullptr, [&](Machine& machine, ApiLock&) -> void* {
    const auto region = name ? names_of(machine, nvm).find(name) : std::nullopt;
    if (!region) return nullptr;
    if (size) *size = region->size;
    return static_cast<u8*>(nvm) + region->offset;
  });
}

int pm_delete(void* nvm, const char* name) {
  return own_api(-1, [&](Machine& machine, ApiLock& lock) {
    machine.context().wait_idle(lock);  // a kernel under way may still use the region
    return name && names_of(machine, nvm).remove(name) ? 0 : -1;
  });
}

int pm_list(void* nvm, const char* name, char* next) {
  return own_api(-1, [&](Machine& machine, ApiLock&) {
    const auto regions = names_of(machine, nvm).regions();
    auto at = regions.begin();
    if (name) {
      at = std::ranges::find(regions, std::string_view(name), &NameTable::Region::name);
      if (at != regions.end()) ++at;
    }
    if (at == regions.end()) return -1;
    std::memcpy(next, at->name.c_str(), at->name.size() + 1);
    return 0;
  });
}

}  // extern "C"
