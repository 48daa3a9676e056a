// The lines of a home: tags, and what is known of each sector. The bytes are the coherent image itself. Owned by the
// home.
#pragma once

#include <array>
#include <bit>
#include <vector>

#include "memory/masks.hpp"
#include "memory/memory_config.hpp"
#include "memory/tag_array.hpp"

namespace ew::memory {

/// One bit a sector of a line.
using SectorMask = u32;

/// How a line is cut into sectors.
class Sectors {
 public:
  Sectors(u32 line, u32 sector) : line_(line), sector_(sector) {}

  u32 bytes() const { return sector_; }
  /// Sectors in which a word of the mask lies.
  SectorMask of(WordMask words) const {
    if (sector_ == 32) return (first_words(words, 32) * 0x0102'0408u) >> 24;
    SectorMask sectors = 0;
    const u32 width = sector_ / word_bytes;
    for (u32 at = 0, sector = 0; at < line_ / word_bytes; at += width, ++sector)
      if (words >> at & all_words(sector_)) sectors |= SectorMask{1} << sector;
    return sectors;
  }
  /// Sectors of which every word is in the mask.
  SectorMask complete(WordMask words) const { return of(all_words(line_)) & ~of(all_words(line_) & ~words); }
  WordMask words(u32 first_sector, u32 sectors) const {
    const u32 width = sector_ / word_bytes;
    return static_cast<WordMask>(((u64{1} << (sectors * width)) - 1) << (first_sector * width));
  }
  /// Sectors that follow each other go to a device together: visit(first, count).
  template <class Visitor>
  static void each_run(SectorMask sectors, Visitor&& visit) {
    while (sectors) {
      const u32 first = static_cast<u32>(std::countr_zero(sectors));
      const u32 count = static_cast<u32>(std::countr_one(sectors >> first));
      visit(first, count);
      sectors &= ~(((SectorMask{1} << count) - 1) << first);
    }
  }

 private:
  u32 line_, sector_;
};

struct alignas(64) HomeLine {
  Place place;
  SectorMask valid = 0, fetching = 0;
  u32 mshr = no_number;
  ByteMask dirty;    // for the device: the image has them
  ByteMask written;  // since the line came: a sector of which all bytes are is valid
};

class HomeLines {
 public:
  explicit HomeLines(const HomeConfig& c)
      : tags_({.bytes = c.bytes, .line_bytes = c.line, .ways = c.ways, .hashed = true, .stretch = c.set_stretch},
              c.replacement),
        lines_(tags_.lines()) {}

  u32 size() const { return tags_.lines(); }
  u32 find(u64 line, Place place) const {
    const Found& found = found_of(line);
    return found.line == line && tags_.line_of(found.way) == line ? found.way : tags_.find(line, place.physical);
  }
  // The next two bring into the host's caches what find() of this line will look at. They decide nothing that is
  // simulated.
  /// First: the tags where the search begins.
  void expect(u64 line, Place place) const { tags_.expect(line, place.physical); }
  /// Later, when those tags have come: finds the line, remembers its way for find(), and brings its HomeLine.
  void expect_found(u64 line, Place place) {
    const u32 way = tags_.find(line, place.physical);
    if (way == no_way) return;
    found_of(line) = {line, way};
    core::prefetch(&lines_[way]);
  }
  u64 line_of(u32 way) const { return tags_.line_of(way); }
  HomeLine& operator[](u32 way) { return lines_[way]; }
  const HomeLine& operator[](u32 way) const { return lines_[way]; }

  /// The way that the line would take: an empty one, or that of the line to be evicted. no_way: all have MSHRs.
  u32 victim(Place place) const { return tags_.victim(place.physical); }
  /// A request for the line is under way. REQUIRES: none was.
  void begin_request(u32 way, u32 mshr) {
    lines_[way].mshr = mshr;
    tags_.pin(way);
  }
  void end_request(u32 way) {
    lines_[way].mshr = no_number;
    tags_.unpin(way);
  }
  template <class Visitor>
  void each_of_set(Place place, Visitor&& visit) const {
    tags_.each_of_set(place.physical, visit);
  }
  /// REQUIRES: the way is empty.
  void install(u32 way, u64 line, Place place) {
    lines_[way].place = place;
    tags_.install(way, line);
  }
  /// Its MSHR stays.
  void remove(u32 way) {
    lines_[way] = {.mshr = lines_[way].mshr};
    tags_.remove(way);
  }
  void used(u32 way) { tags_.used(way); }

 private:
  struct Found {
    u64 line = no_line;
    u32 way = 0;
  };
  Found& found_of(u64 line) { return found_[line / longest_line % found_.size()]; }
  const Found& found_of(u64 line) const { return found_[line / longest_line % found_.size()]; }

  TagArray tags_;
  std::vector<HomeLine> lines_;
  std::array<Found, 4> found_{};  // what expect_found() has found; a line may have gone since
};

}  // namespace ew::memory
