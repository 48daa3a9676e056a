// The file formats of libGPM's logs and checkpoints. gpm_log.cuh and gpm_checkpoint.cuh write them, `ew pool info` reads
// them. Offsets count from the first byte of the pool. A file holds no addresses: so it may be mapped anywhere. Entries
// of a log and elements of a checkpoint begin on a granule of the medium.
//
// A header is stored in two steps. First everything but `magic` is stored and made durable, then `magic`. So a header
// with its magic is complete. A header without it was left by a crash during the creation.
#pragma once

#include <stddef.h>
#include <stdio.h>

namespace everwarp {

enum {
  gpm_format_version = 3,
  gpm_line = 128,     // bytes that a warp's lanes store together, four each
  gpm_granule = 256,  // bytes that Optane writes at once; a write of a part of them needs a read as well
  gpm_lanes = 32,
  gpm_head_bytes = 8
};

constexpr unsigned long long gpm_log_magic = 0x31474f4c4d504745ull;         // "EGPMLOG1"
constexpr unsigned long long gpm_checkpoint_magic = 0x31504b434d504745ull;  // "EGPMCKP1"

enum GpmLogKind { gpm_log_conventional = 1, gpm_log_hcl = 2 };

/// The first line of a log. The heads begin on the next granule, and the entries on one behind them. A head, 8 bytes, is the number of 4-byte words
/// that its partition holds. It alone decides what is in the partition.
/// Conventional log: a partition's words follow each other, and the partitions follow each other.
/// HCL log: each thread has a partition. The heads of a warp's lanes share a granule. Word w of all lanes of a warp is
/// one line: lane l of warp k has its word w at entries + (k * words + w) * 128 + 4 * l.
struct GpmLogHeader {
  unsigned long long magic;
  unsigned version, kind;
  unsigned partitions;       // HCL: blocks * warps of a block * 32
  unsigned blocks, threads;  // HCL: the grid that it was created for; conventional: 0
  unsigned words;            // capacity of a partition, in words of 4 bytes
  unsigned long long heads, entries, bytes;  // offsets; bytes: of the whole pool
  char free[72];
};
static_assert(sizeof(GpmLogHeader) == gpm_line, "a header is one line");

/// The first line of a checkpoint file. Behind it lie a line for each group, with its selector; the table of elements;
/// and two copies of the elements.
struct GpmCheckpointHeader {
  unsigned long long magic;
  unsigned version, groups, elements, free_word;       // elements: the most that a group may have
  unsigned long long copy_bytes;                       // of one copy of all elements
  unsigned long long selectors, table, copies, bytes;  // offsets; bytes: of the whole pool
  unsigned long long size;                             // of all elements together at most; 0: as many as fit
  char free[56];
};
static_assert(sizeof(GpmCheckpointHeader) == gpm_line, "a header is one line");

/// `sequence` counts the group's checkpoints. The consistent copy has number sequence % 2. With sequence 0 there is none.
struct GpmSelector {
  unsigned long long sequence;
  char free[120];
};
static_assert(sizeof(GpmSelector) == gpm_line, "no other group's selector is on the line");

/// Element i of group g is row g * elements + i of the table. `size` is stored last. 0 means that no element is
/// registered.
struct GpmElement {
  unsigned long long offset, size;  // offset: within a copy, a multiple of the granule
};

constexpr unsigned long long gpm_whole_granules(unsigned long long bytes) {
  return (bytes + gpm_granule - 1) / gpm_granule * gpm_granule;
}

/// The header of a log of this kind, with these partitions of `words` words each: where each part lies.
inline GpmLogHeader gpm_log_layout(unsigned kind, unsigned partitions, unsigned words) {
  GpmLogHeader header = {};
  header.version = gpm_format_version;
  header.kind = kind;
  header.partitions = partitions;
  header.words = words;
  header.heads = gpm_whole_granules(sizeof(GpmLogHeader));
  header.entries = gpm_whole_granules(header.heads + 1ull * gpm_head_bytes * partitions);
  header.bytes = header.entries + 4ull * words * partitions;
  return header;
}

/// The number of words that partition `partition` holds, by its head in the mapped log.
inline unsigned long long gpm_log_used(const GpmLogHeader* log, unsigned partition) {
  const char* heads = reinterpret_cast<const char*>(log) + log->heads;
  return *reinterpret_cast<const volatile unsigned long long*>(heads + 1ull * gpm_head_bytes * partition);
}

/// Says why there is no pool in this file.
inline const char* gpm_no_pool(const char* path) {
  FILE* const file = path == NULL ? NULL : fopen(path, "rb");
  if (file == NULL) return "is not there";
  fclose(file);
  return "is there, but it is no whole pool (on Everwarp `ew pool check` says why)";
}

/// Says why the first `bytes` bytes of a pool are no complete log; NULL if they are one.
inline const char* gpm_log_mistake(const void* pool, unsigned long long bytes) {
  const GpmLogHeader* log = static_cast<const GpmLogHeader*>(pool);
  if (bytes < sizeof(GpmLogHeader)) return "is too small for a log";
  if (log->magic == 0) return "is no log, or its creation was cut off";
  if (log->magic == gpm_checkpoint_magic) return "is a checkpoint file, not a log";
  if (log->magic != gpm_log_magic) return "is not a log";
  if (log->version != gpm_format_version) return "is a log of another version";
  const bool hcl = log->kind == gpm_log_hcl;
  if (!hcl && log->kind != gpm_log_conventional) return "is a log of an unknown kind";
  const unsigned long long warps = (log->threads + gpm_lanes - 1ull) / gpm_lanes;
  if (hcl ? log->partitions != log->blocks * warps * gpm_lanes : log->blocks != 0 || log->threads != 0)
    return "has a damaged header: blocks and threads do not fit its partitions";
  const GpmLogHeader want = gpm_log_layout(log->kind, log->partitions, log->words);
  if (log->partitions == 0 || log->words == 0 || log->heads != want.heads || log->entries != want.entries ||
      log->bytes != want.bytes || log->bytes > bytes)
    return "has a damaged header: its sizes contradict each other";
  for (unsigned partition = 0; partition < log->partitions; ++partition)
    if (gpm_log_used(log, partition) > log->words) return "has a damaged head: it is beyond its partition";
  return NULL;
}

inline GpmCheckpointHeader gpm_checkpoint_layout(unsigned groups, unsigned elements, unsigned long long copy_bytes) {
  GpmCheckpointHeader header = {};
  header.version = gpm_format_version;
  header.groups = groups;
  header.elements = elements;
  header.copy_bytes = copy_bytes;
  header.selectors = sizeof(GpmCheckpointHeader);
  header.table = header.selectors + sizeof(GpmSelector) * groups;
  header.copies = gpm_whole_granules(header.table + sizeof(GpmElement) * groups * elements);
  header.bytes = header.copies + 2 * copy_bytes;
  return header;
}

/// Says why the first `bytes` bytes of a pool are no complete checkpoint file; NULL if they are one.
inline const char* gpm_checkpoint_mistake(const void* pool, unsigned long long bytes) {
  const GpmCheckpointHeader* file = static_cast<const GpmCheckpointHeader*>(pool);
  if (bytes < sizeof(GpmCheckpointHeader)) return "is too small for a checkpoint file";
  if (file->magic == 0) return "is no checkpoint file, or its creation was cut off";
  if (file->magic == gpm_log_magic) return "is a log, not a checkpoint file";
  if (file->magic != gpm_checkpoint_magic) return "is not a checkpoint file";
  if (file->version != gpm_format_version) return "is a checkpoint file of another version";
  const GpmCheckpointHeader want = gpm_checkpoint_layout(file->groups, file->elements, file->copy_bytes);
  if (file->groups == 0 || file->elements == 0 || file->groups > 65536 || file->elements > 65536 ||
      file->copy_bytes == 0 || file->copy_bytes % gpm_granule != 0 || file->copy_bytes > bytes ||
      file->selectors != want.selectors || file->table != want.table || file->copies != want.copies ||
      file->bytes != want.bytes || file->bytes > bytes)
    return "has a damaged header: its sizes contradict each other";
  const GpmElement* table = reinterpret_cast<const GpmElement*>(static_cast<const char*>(pool) + file->table);
  for (unsigned long long i = 0; i < 1ull * file->groups * file->elements; ++i)
    if (table[i].size != 0 && (table[i].size > file->copy_bytes || table[i].offset > file->copy_bytes - table[i].size))
      return "has a damaged table: an element is beyond the copy";
  return NULL;
}

}  // namespace everwarp
