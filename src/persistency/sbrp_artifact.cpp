#include "persistency/sbrp_artifact.hpp"

namespace ew::persistency {

PersistBuffer::Place entry_past_others(const PersistBuffer& buffer, EntryType type, u64 warps, u32 flag) {
  for (PersistBuffer::Place place = buffer.tail(); place-- > buffer.head();) {
    const PersistBuffer::Entry& entry = buffer[place];
    if (entry.type == type && entry.way == flag) return place;
    if (entry.type != EntryType::hole && (entry.warps & warps)) return PersistBuffer::none;
  }
  return PersistBuffer::none;
}

}  // namespace ew::persistency
