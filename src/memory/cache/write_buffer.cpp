#include "memory/cache/write_buffer.hpp"

namespace ew::memory {

void WriteBuffer::join(u32 way) {
  append(volatile_, way);
  parts_.lines[way].joined = now();
  if (volatile_.count > config_.write_buffer / 2) drain(volatile_.oldest, no_access, 0);
  arm_timer();
}

void WriteBuffer::append(List& list, u32 way) {
  LineStore& lines = parts_.lines;
  CacheLine& line = lines[way];
  line.listed = true;
  line.older = list.youngest;
  line.younger = no_number;
  (list.youngest == no_number ? list.oldest : lines[list.youngest].younger) = way;
  list.youngest = way;
  ++list.count;
}

void WriteBuffer::leave(u32 way) {
  LineStore& lines = parts_.lines;
  CacheLine& line = lines[way];
  List& list = line.persistent ? persistent_ : volatile_;
  (line.older == no_number ? list.oldest : lines[line.older].younger) = line.younger;
  (line.younger == no_number ? list.youngest : lines[line.younger].older) = line.older;
  line.older = line.younger = no_number;
  line.listed = false;
  --list.count;
}

void WriteBuffer::arm_timer() {
  if (!config_.drain_after || timer_armed_ || volatile_.oldest == no_number) return;
  timer_armed_ = true;
  parts_.wheel.at<&WriteBuffer::drain_aged>(parts_.lines[volatile_.oldest].joined + config_.drain_after, *this);
}

void WriteBuffer::drain_aged(u64, u64) {
  timer_armed_ = false;
  while (volatile_.oldest != no_number && parts_.lines[volatile_.oldest].joined + config_.drain_after <= now())
    drain(volatile_.oldest, no_access, 0);
  arm_timer();
}

void WriteBuffer::drain_all() {
  while (volatile_.oldest != no_number) {
    ++parts_.counts->lines_drained;
    drain(volatile_.oldest, no_access, 0);
  }
}

void WriteBuffer::drain(u32 way, u32 access, u32 part) {
  send(way, parts_.lines[way].owned ? RequestKind::write_back : RequestKind::write, flush_.take(), access, part);
}

void WriteBuffer::clean(u32 way) {
  const CacheLine& line = parts_.lines[way];
  if (line.mshr != no_number && parts_.misses[line.mshr].owning) {
    parts_.misses[line.mshr].clean = flush_.take();
    return;
  }
  send(way, line.owned ? RequestKind::clean : RequestKind::write, flush_.take(), no_access, 0);
}

bool WriteBuffer::clean_now(u32 way, u8 mark) {
  if (!parts_.lines[way].dirty.any()) return false;
  send(way, RequestKind::clean, mark, no_access, 0);
  return true;
}

void WriteBuffer::send(u32 way, RequestKind kind, u8 mark, u32 access, u32 part) {
  CacheLine& line = parts_.lines[way];
  CacheCounts& counts = parts_.counts;
  const core::Account before = counts.account();
  counts.act_for(line.account);
  if (line.listed) leave(way);
  Request write{.line = parts_.lines.line_of(way),
                .place = line.place,
                .access = access,
                .kind = kind,
                .part = static_cast<u8>(part)};
  write.flush = mark;
  write.words = kind == RequestKind::write_back ? line.owned : touched_words(line.dirty);
  write.payload = parts_.payloads.take();
  std::memcpy(parts_.payloads[write.payload].bytes.data(), parts_.lines.bytes(way), config_.line);
  parts_.payloads[write.payload].valid = line.dirty;
  if (kind != RequestKind::write && parts_.home == HomeKind::registry) {
    write.owned = true;  // comes back with `written`
    parts_.leaving.add(write.line, line.owned, write.payload, kind == RequestKind::clean);
  }
  write.ticket = parts_.port.open();
  ++counts->lines_written;
  const u32 data_bytes = line.dirty.count();
  counts->bytes_written += data_bytes;
  if (line.persistent) {
    write.persist = parts_.persists.open();
    ++counts->persist.sent;
    ++counts->persist.lines;
    counts->persist.bytes += data_bytes;
    counts->persist.flushed_at_ends += flush_.under_way();
  } else {
    ++writes_under_way_;
  }
  if (line.mshr != no_number) {
    Mshr& mshr = parts_.misses[line.mshr];
    mshr.keep = mshr.keep | (line.dirty & bytes_of(mshr.outstanding));
  }
  line.dirty = {};
  if (kind == RequestKind::write_back) line.owned = 0;
  parts_.port.send_home(write, data_bytes, counts.account());
  counts.act_for(before);
}

}  // namespace ew::memory
