// libGPM's checkpoints ("GPM: Leveraging Persistent Memory from a GPU", ASPLOS'22, section 5.3 and Table 2). Included
// by gpm.cuh. docs/libgpm.md explains each function; gpm_format.h has the layout of the file.
//
//   gpmcp* cp = gpmcp_create("weights.cp", bytes, elements, groups);   // NULL and a sentence on stderr
//   gpmcp_register(cp, weights, bytes_of_weights, 0);                  // device memory
//   for (…) { train<<<…>>>(weights); gpmcp_checkpoint(cp, 0); }        // durable when it returns
//   … after a crash:  cp = gpmcp_open("weights.cp"); the same gpmcp_register calls; gpmcp_restore(cp, 0);
//
// A group has two copies of its elements in the file. A checkpoint writes the copy that is not the consistent one, and
// each thread persists what it has written. Then the store of one word makes this copy the consistent one. After an open,
// register the elements of a group in the same order as after the creation.
#pragma once

#if defined(__CUDACC__)

#include <stdio.h>
#include <stdlib.h>

#include "gpm_format.h"

/// An open checkpoint file, in the host's memory. Only the functions below use it.
struct gpmcp {
  everwarp::GpmCheckpointHeader* file;
  void** addresses;      // of the registered elements; in the order of the file's table
  unsigned* registered;  // for each group, the number of registered elements
};

namespace everwarp {

/// One piece of memory for the copying kernel.
struct GpmPiece {
  char* to;
  const char* from;
  unsigned long long bytes;
};
enum { gpm_pieces = 32 };
struct GpmPieces {
  GpmPiece piece[gpm_pieces];
  int count;
};

template <class Unit>
__device__ void gpm_copy_units(char* to, const char* from, size_t units) {
  const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t i = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < units; i += step)
    reinterpret_cast<Unit*>(to)[i] = reinterpret_cast<const Unit*>(from)[i];
}

/// `Persist`: every thread waits until its stores are durable. It is a template, so that only programs that use it contain
/// the kernel.
template <bool Persist>
__global__ void gpm_copy(const GpmPieces pieces) {
  for (int k = 0; k < pieces.count; ++k) {
    const GpmPiece& piece = pieces.piece[k];
    const size_t both = reinterpret_cast<size_t>(piece.to) | reinterpret_cast<size_t>(piece.from);
    const size_t unit = both % 16 == 0 ? 16 : both % 4 == 0 ? 4 : 1, whole = piece.bytes / unit * unit;
    if (unit == 16)
      gpm_copy_units<int4>(piece.to, piece.from, piece.bytes / 16);
    else if (unit == 4)
      gpm_copy_units<int>(piece.to, piece.from, piece.bytes / 4);
    else
      gpm_copy_units<char>(piece.to, piece.from, piece.bytes);
    gpm_copy_units<char>(piece.to + whole, piece.from + whole, piece.bytes - whole);
  }
  if (Persist) gpm_persist();
}

/// Runs behind the copy in the stream: every thread of the copy has persisted its stores.
template <class Word>
__global__ void gpm_select(Word* selector, Word sequence) {
  *selector = sequence;
  gpm_persist();
}

inline int gpmcp_refuse(const char* call, const char* what) {
  fprintf(stderr, "%s: %s\n", call, what);
  return -1;
}
inline gpmcp* gpmcp_refuse_file(const char* call, const char* path, const char* what) {
  fprintf(stderr, "%s: %s %s\n", call, path == NULL ? "(no path)" : path, what);
  return NULL;
}

inline GpmSelector* gpmcp_selector(const gpmcp* cp, unsigned group) {
  return reinterpret_cast<GpmSelector*>(reinterpret_cast<char*>(cp->file) + cp->file->selectors) + group;
}
inline GpmElement* gpmcp_table(const gpmcp* cp) {
  return reinterpret_cast<GpmElement*>(reinterpret_cast<char*>(cp->file) + cp->file->table);
}

/// A handle without a file, for so many groups and elements. NULL, and a sentence on stderr, where the host has no room.
inline gpmcp* gpmcp_handle(const char* call, const char* path, unsigned groups, unsigned elements) {
  gpmcp* cp = static_cast<gpmcp*>(malloc(sizeof(gpmcp)));
  void** addresses = static_cast<void**>(calloc(static_cast<size_t>(groups) * elements, sizeof(void*)));
  unsigned* registered = static_cast<unsigned*>(calloc(groups, sizeof(unsigned)));
  if (cp != NULL && addresses != NULL && registered != NULL) {
    cp->file = NULL;
    cp->addresses = addresses;
    cp->registered = registered;
    return cp;
  }
  free(cp);
  free(addresses);
  free(registered);
  return gpmcp_refuse_file(call, path, "does not fit into the host's memory");
}
inline void gpmcp_free(gpmcp* cp) {
  free(cp->addresses);
  free(cp->registered);
  free(cp);
}

/// The number of blocks, of 512 threads, that copy so many bytes: at most two for each multiprocessor, and no more than
/// give each thread 16 bytes.
inline unsigned gpmcp_blocks(unsigned long long bytes) {
  int device = 0, multiprocessors = 1;
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const unsigned long long most = 2ull * multiprocessors, enough = (bytes + 512 * 16 - 1) / (512 * 16);
  return static_cast<unsigned>(enough < most ? (enough == 0 ? 1 : enough) : most);
}

/// Copies the group's elements between copy number `copy` of the file and the registered memory.
template <bool ToFile>
int gpmcp_copy(const gpmcp* cp, unsigned group, unsigned copy) {
  const GpmElement* row = gpmcp_table(cp) + static_cast<size_t>(group) * cp->file->elements;
  char* const base = reinterpret_cast<char*>(cp->file) + cp->file->copies + copy * cp->file->copy_bytes;
  GpmPieces pieces;
  pieces.count = 0;
  unsigned long long bytes = 0;
  for (unsigned i = 0; i < cp->registered[group]; ++i) {
    char* const memory = static_cast<char*>(cp->addresses[static_cast<size_t>(group) * cp->file->elements + i]);
    char* const in_file = base + row[i].offset;
    const GpmPiece piece = {ToFile ? in_file : memory, ToFile ? memory : in_file, row[i].size};
    pieces.piece[pieces.count++] = piece;
    bytes += row[i].size;
    if (pieces.count == gpm_pieces || i + 1 == cp->registered[group]) {
      gpm_copy<ToFile><<<gpmcp_blocks(bytes), 512>>>(pieces);
      pieces.count = 0;
      bytes = 0;
    }
  }
  return cudaGetLastError() == cudaSuccess ? 0 : -1;
}

inline const char* gpmcp_group_mistake(const gpmcp* cp, unsigned group) {
  if (cp == NULL) return "there is no open checkpoint file";
  if (group >= cp->file->groups) return "the file was created with fewer groups";
  return NULL;
}

/// Says why the group's registered elements are not those of the file; NULL if they are.
inline const char* gpmcp_registration_mistake(const gpmcp* cp, unsigned group) {
  const unsigned registered = cp->registered[group];
  if (registered == 0) return "no element of this group is registered";
  const GpmElement* row = gpmcp_table(cp) + static_cast<size_t>(group) * cp->file->elements;
  if (registered < cp->file->elements && row[registered].size != 0)
    return "the file has more elements of this group than are registered";
  return NULL;
}

}  // namespace everwarp

/// Makes a new checkpoint file in `path`, in place of an older one, for `groups` groups of at most `elements` elements
/// each. All elements of all groups together have at most `size` bytes. If it cannot be made: NULL, and a sentence on
/// stderr.
inline gpmcp* gpmcp_create(const char* path, size_t size, unsigned elements, unsigned groups) {
  const char* const call = "gpmcp_create";
  if (path == NULL) return everwarp::gpmcp_refuse_file(call, path, "is no file");
  if (size == 0 || size >> 48 != 0 || elements == 0 || groups == 0 || elements > 65536 || groups > 65536)
    return everwarp::gpmcp_refuse_file(call, path,
                                       "needs a size below 256 TiB, and 1 to 65536 elements and groups");
  // Each element begins on a granule of its own.
  const unsigned long long most = 1ull * elements * groups, granules = size / everwarp::gpm_granule + 1;
  everwarp::GpmCheckpointHeader header = everwarp::gpm_checkpoint_layout(
      groups, elements, (granules + (most < size ? most : size)) * everwarp::gpm_granule);
  header.size = size;
  gpmcp* const cp = everwarp::gpmcp_handle(call, path, groups, elements);  // what is refused has replaced no older file
  if (cp == NULL) return NULL;
  everwarp::GpmCheckpointHeader* file =
      static_cast<everwarp::GpmCheckpointHeader*>(gpm_map(path, header.bytes, true));
  if (file == NULL) {
    everwarp::gpmcp_free(cp);
    return everwarp::gpmcp_refuse_file(call, path, "cannot be made");
  }
  *file = header;  // all but the magic
  if (gpm_persist_range(file, header.copies) == 0) {
    file->magic = everwarp::gpm_checkpoint_magic;
    cp->file = file;
    if (gpm_persist_range(file, sizeof file->magic) == 0) return cp;
  }
  everwarp::gpmcp_free(cp);
  gpm_unmap(path, file, header.bytes);
  return everwarp::gpmcp_refuse_file(call, path, "cannot be made durable");
}

/// Opens the checkpoint file `path`. Only reads it. If it is no complete one: NULL, and a sentence on stderr.
inline gpmcp* gpmcp_open(const char* path) {
  const size_t bytes = path == NULL ? 0 : gpm_size(path);
  if (bytes == 0) return everwarp::gpmcp_refuse_file("gpmcp_open", path, everwarp::gpm_no_pool(path));
  void* pool = gpm_map(path, 0, false);
  if (pool == NULL) return everwarp::gpmcp_refuse_file("gpmcp_open", path, "cannot be mapped");
  if (const char* mistake = everwarp::gpm_checkpoint_mistake(pool, bytes)) {
    gpm_unmap(path, pool, bytes);
    return everwarp::gpmcp_refuse_file("gpmcp_open", path, mistake);
  }
  everwarp::GpmCheckpointHeader* const file = static_cast<everwarp::GpmCheckpointHeader*>(pool);
  gpmcp* const cp = everwarp::gpmcp_handle("gpmcp_open", path, file->groups, file->elements);
  if (cp == NULL)
    gpm_unmap(path, pool, bytes);
  else
    cp->file = file;
  return cp;
}

/// Waits for kernels and ends the mapping; the checkpoints stay in the file. 0, or -1.
inline int gpmcp_close(gpmcp* cp) {
  if (cp == NULL) return -1;
  const int status = gpm_unmap("", cp->file, cp->file->bytes);
  everwarp::gpmcp_free(cp);
  return status;
}

/// Registers the `size` bytes of device memory at `addr` as the next element of `group`. The first registration of an
/// element makes its row of the file's table durable; it comes before the group's first checkpoint. Later registrations
/// must have the same size. 0, or -1 and a sentence on stderr.
inline int gpmcp_register(gpmcp* cp, void* addr, size_t size, unsigned group) {
  const char* const call = "gpmcp_register";
  if (const char* mistake = everwarp::gpmcp_group_mistake(cp, group)) return everwarp::gpmcp_refuse(call, mistake);
  if (addr == NULL || size == 0) return everwarp::gpmcp_refuse(call, "the element has no address or no bytes");
  const unsigned number = cp->registered[group], elements = cp->file->elements;
  if (number == elements) return everwarp::gpmcp_refuse(call, "the file was created for fewer elements a group");
  everwarp::GpmElement* const table = everwarp::gpmcp_table(cp);
  everwarp::GpmElement& element = table[static_cast<size_t>(group) * elements + number];
  if (element.size == 0) {
    if (everwarp::gpmcp_selector(cp, group)->sequence != 0)
      return everwarp::gpmcp_refuse(call, "the group has checkpoints, which lack it: register it before the first");
    unsigned long long used = 0, sizes = 0;
    for (size_t i = 0; i < static_cast<size_t>(cp->file->groups) * elements; ++i) {
      if (table[i].size == 0) continue;
      sizes += table[i].size;
      if (table[i].offset + table[i].size > used) used = table[i].offset + table[i].size;
    }
    used = everwarp::gpm_whole_granules(used);
    const unsigned long long most = cp->file->size != 0 ? cp->file->size : cp->file->copy_bytes;
    if (sizes > most || size > most - sizes || used > cp->file->copy_bytes || size > cp->file->copy_bytes - used)
      return everwarp::gpmcp_refuse(call, "the elements have more bytes than the file was created for");
    element.offset = used;
    if (gpm_persist_range(&element, sizeof element) != 0) return everwarp::gpmcp_refuse(call, "cannot be made durable");
    element.size = size;
    if (gpm_persist_range(&element, sizeof element) != 0) return everwarp::gpmcp_refuse(call, "cannot be made durable");
  } else if (element.size != size) {
    return everwarp::gpmcp_refuse(call, "the element has another size in the file: register in the same order");
  }
  cp->addresses[static_cast<size_t>(group) * elements + number] = addr;
  ++cp->registered[group];
  return 0;
}

/// The number of complete checkpoints of `group`.
inline unsigned long long gpmcp_sequence(const gpmcp* cp, unsigned group) {
  return everwarp::gpmcp_group_mistake(cp, group) != NULL
             ? 0
             : static_cast<volatile everwarp::GpmSelector*>(everwarp::gpmcp_selector(cp, group))->sequence;
}

/// Copies the group's elements into the file. When it returns 0, this checkpoint is durable, and gpmcp_restore brings it
/// back. A crash at any moment leaves this checkpoint or the one before. -1, and a sentence on stderr, when it fails. `cp`
/// is a gpmcp. It is a template, so that programs without checkpoints do not contain its kernels.
template <class Checkpoints>
int gpmcp_checkpoint(Checkpoints* cp, unsigned group) {
  const char* const call = "gpmcp_checkpoint";
  const char* mistake = everwarp::gpmcp_group_mistake(cp, group);
  if (mistake == NULL) mistake = everwarp::gpmcp_registration_mistake(cp, group);
  if (mistake != NULL) return everwarp::gpmcp_refuse(call, mistake);
  const unsigned long long next = gpmcp_sequence(cp, group) + 1;
  if (everwarp::gpmcp_copy<true>(cp, group, next % 2) == 0)
    everwarp::gpm_select<<<1, 1>>>(&everwarp::gpmcp_selector(cp, group)->sequence, next);
  if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return everwarp::gpmcp_refuse(call, "a kernel has failed");
  return 0;
}

/// Copies the consistent checkpoint of `group` to the registered memory. 0, or -1 and a sentence on stderr.
template <class Checkpoints>
int gpmcp_restore(Checkpoints* cp, unsigned group) {
  const char* const call = "gpmcp_restore";
  const char* mistake = everwarp::gpmcp_group_mistake(cp, group);
  if (mistake == NULL) mistake = everwarp::gpmcp_registration_mistake(cp, group);
  if (mistake == NULL && gpmcp_sequence(cp, group) == 0) mistake = "this group has no checkpoint yet";
  if (mistake != NULL) return everwarp::gpmcp_refuse(call, mistake);
  if (everwarp::gpmcp_copy<false>(cp, group, gpmcp_sequence(cp, group) % 2) != 0 ||
      cudaDeviceSynchronize() != cudaSuccess)
    return everwarp::gpmcp_refuse(call, "the copy has failed");
  return 0;
}

#endif  // __CUDACC__
