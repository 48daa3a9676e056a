#include "memory/cache/write_buffer.hpp"

namespace ew::memory {

void WriteBuffer::join(u32 way) {
  join(volatile_, way);
  if (volatile_.count() > config_.write_buffer / 2) retire(volatile_.oldest());
}

void WriteBuffer::join(DirtyLines& list, u32 way) {
  list.append(way);
  parts_.lines[way].joined = now();
  arm_timer(list);
}

void WriteBuffer::arm_timer(DirtyLines& list) {
  if (!list.leave_after || list.timer_armed || list.oldest() == no_number) return;
  list.timer_armed = true;
  parts_.wheel.at<&WriteBuffer::drain_aged>(parts_.lines[list.oldest()].joined + list.leave_after, *this,
                                            &list == &persistent_);
}

void WriteBuffer::drain_aged(u64 persistent, u64) {
  DirtyLines& list = persistent ? persistent_ : volatile_;
  list.timer_armed = false;
  while (list.oldest() != no_number && parts_.lines[list.oldest()].joined + list.leave_after <= now())
    persistent ? drain(list.oldest()) : retire(list.oldest());
  arm_timer(list);
}

void WriteBuffer::drain_all() {
  while (volatile_.oldest() != no_number) {
    ++parts_.counts->lines_drained;
    retire(volatile_.oldest());
  }
}

void WriteBuffer::drain_of(u32 warp) {
  for (u32 way = volatile_.oldest(), next = no_number; way != no_number; way = next) {
    next = parts_.lines[way].younger;
    if (!writers_.has(way, warp)) continue;
    ++parts_.counts->lines_drained;
    retire(way);
  }
}

void WriteBuffer::retire(u32 way) {
  if (!parts_.owns_later) return drain(way);
  leave(way);
  const CacheLine& line = parts_.lines[way];
  const WordMask words = line.written_unowned();
  const core::Account before = parts_.counts.account();
  parts_.counts.act_for(line.account);
  if (parts_.misses.register_words(parts_.lines.line_of(way), way, words, flush_.mark())) {
    flush_.take();
    add_write();
  }
  parts_.counts.act_for(before);
}

void WriteBuffer::drain(u32 way, u32 access, u32 part, u8 mark) {
  const CacheLine& line = parts_.lines[way];
  if (!line.owned || keeps_what_left(line))
    return send(way, RequestKind::write, line.dirty, flush_.take(mark), access, part);
  if (parts_.owns_later) send_unowned(way, mark);
  send(way, RequestKind::write_back, line.dirty, flush_.take(mark), access, part);
}

/// The home takes no bytes of words that are not owned from a write-back.
void WriteBuffer::send_unowned(u32 way, u8 mark) {
  const CacheLine& line = parts_.lines[way];
  const ByteMask bytes = line.dirty & ~bytes_of(line.owned);
  if (bytes.any()) send(way, RequestKind::write, bytes, flush_.take(mark), no_access, 0);
}

/// The home has all that has left: nobody asks for the words on their way.
void WriteBuffer::give_back(u32 way, u8 mark) {
  CacheLine& line = parts_.lines[way];
  if (line.dirty.any()) send(way, RequestKind::write, line.dirty, flush_.take(mark), no_access, 0);
  if (!line.owned) return;
  Request back{.line = parts_.lines.line_of(way), .place = line.place, .words = line.owned, .access = no_access};
  back.kind = RequestKind::write_back;
  back.payload = parts_.payloads.take();
  back.flush = flush_.take(mark);
  back.ticket = parts_.port.open();
  ++writes_under_way_;
  line.owned = 0;
  parts_.port.send_home(back, 0, parts_.counts.account());
}

void WriteBuffer::clean(u32 way) {
  const CacheLine& line = parts_.lines[way];
  if (line.mshr != no_number && (parts_.misses[line.mshr].owning | parts_.misses[line.mshr].registering)) {
    parts_.misses[line.mshr].clean = flush_.take();
    return;
  }
  clean_now(way, flush_.take());
}

bool WriteBuffer::clean_now(u32 way, u8 mark) {
  const CacheLine& line = parts_.lines[way];
  if (!line.dirty.any()) return false;
  if (!line.owned || keeps_what_left(line)) {
    send(way, RequestKind::write, line.dirty, mark, no_access, 0);
    return true;
  }
  if (parts_.owns_later) send_unowned(way, mark);
  send(way, RequestKind::clean, line.dirty, mark, no_access, 0);
  return true;
}

void WriteBuffer::send(u32 way, RequestKind kind, ByteMask bytes, u8 mark, u32 access, u32 part) {
  CacheLine& line = parts_.lines[way];
  CacheCounts& counts = parts_.counts;
  const core::Account before = counts.account();
  counts.act_for(line.account);
  if (line.listed) line.persistent ? persistent_.leave(way) : leave(way);
  Request write{.line = parts_.lines.line_of(way),
                .place = line.place,
                .access = access,
                .kind = kind,
                .part = static_cast<u8>(part)};
  write.flush = mark;
  if (keeps_what_left(line)) {
    write.content = whole_words(bytes);
    line.owned |= write.content;
  }
  write.words = kind == RequestKind::write_back ? line.owned : touched_words(bytes);
  write.payload = parts_.payloads.take();
  std::memcpy(parts_.payloads[write.payload].bytes.data(), parts_.lines.bytes(way), config_.line);
  parts_.payloads[write.payload].valid = bytes;
  if (kind != RequestKind::write && parts_.home == HomeKind::registry) {
    write.owned = true;  // comes back with `written`
    parts_.leaving.add(write.line, line.owned, write.payload, kind == RequestKind::clean);
  }
  write.ticket = parts_.port.open();
  ++counts->lines_written;
  const u32 data_bytes = bytes.count();
  counts->bytes_written += data_bytes;
  if (line.persistent) {
    write.persist = parts_.persists.open();
    write.fence = fence_;
    ++counts->persist.sent;
    ++counts->persist.lines;
    counts->persist.bytes += data_bytes;
    counts->persist.flushed_at_ends += flush_.under_way();
  } else {
    ++writes_under_way_;
  }
  if (line.mshr != no_number) {
    Mshr& mshr = parts_.misses[line.mshr];
    mshr.keep = mshr.keep | (bytes & bytes_of(mshr.outstanding));
  }
  line.dirty = line.dirty & ~bytes;
  if (kind == RequestKind::write_back) line.owned = 0;
  parts_.port.send_home(write, data_bytes, counts.account());
  counts.act_for(before);
}

}  // namespace ew::memory
