// What the warps of one SM have released, and what of that a warp's acquire must follow. Owned by the sbrp model.
//
// A pAcq is matched to the pRels of the flags that it has read. The paper's variable is "an identifier for matching
// pRel to pAcq" (section 5): the flags' lines, as nine bits (an entry's line index has as many), name what was
// released. A flag knows its open release, which is its last pRel that is in the persist buffer. Of the pRels that have
// left the buffer it knows the mark at which their persists are durable (sbrp_in_flight.hpp).
//
// An acquire that is not matched follows every release of the SM. A count of releases says whether there is a new one.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "persistency/persist_buffer.hpp"
#include "persistency/sbrp_in_flight.hpp"

namespace ew::persistency {

class SbrpReleases {
 public:
  using Place = PersistBuffer::Place;
  using Mark = SbrpInFlight::Mark;
  static constexpr u32 flags = 512;
  static constexpr u32 any_flag = flags;  // of an entry: whatever flag was released
  static constexpr u32 no_flag = ~u32{0};

  /// Without `matches` no acquire is matched.
  explicit SbrpReleases(bool matches) : matches_(matches), flags_(flags) {}

  /// Some release operation has entered the buffer.
  void count() { ++count_; }
  /// A pRel of these warps begins: as yet it has nothing to order.
  void begin(u64 warps);
  /// The warp's pRel has entered the buffer at this place.
  void enter(u32 warp, Place place) { released_[warp] = {place, 0}; }
  /// It writes its flag: its entry gets the flag's name.
  void write(u64 name, u32 warp, PersistBuffer&);
  /// The entry of a release leaves the buffer; what it covers is durable at that mark.
  void retire(const PersistBuffer::Entry&, Place, Mark);

  /// The warp's pAcq has read a flag.
  void read(u64 name, u32 warp);
  /// The warp's pAcq is matched: it has read flags, and not too many to remember.
  bool matched(u32 warp) const { return reads_[warp].count && reads_[warp].count <= most_read; }
  /// A matched pAcq goes through the flags that it has read. This is the one it has come to, or no_flag.
  u32 next(u32 warp) const;
  void step(u32 warp) { ++reads_[warp].done; }
  void forget_reads(u32 warp) { reads_[warp].count = reads_[warp].done = 0; }
  /// The flag's open release, or PersistBuffer::none; and the mark of those that have left.
  Place open(u32 flag) const { return flags_[flag].open; }
  Mark durable_at(u32 flag) const { return flags_[flag].durable_at; }
  /// The flag that the pAcq has come to: the warp has acquired its open release before; it acquires that now.
  bool has_acquired(u32 warp) const;
  void acquire(u32 warp);

  /// Of these warps, those for which something was released since their last acquire_all().
  u64 behind(u64 warps) const;
  void acquire_all(u64 warps);

 private:
  static constexpr u32 most_read = 8;
  struct Flag {
    Place open = PersistBuffer::none;
    Mark durable_at = 0;
  };
  struct Release {                      // a warp's last pRel
    Place place = PersistBuffer::none;  // none: it had nothing to order
    Mark durable_at = 0;                // once it has left
  };
  /// Flags that a warp's pAcq has read; with more than most_read it is behind all that is older.
  struct Reads {
    u32 count = 0, done = 0;
    std::array<u16, most_read> flag{};
    // What the warp acquired last of those at this index: a flag, and the place of its open release.
    std::array<std::pair<u32, Place>, most_read> acquired{};
  };
  static u16 number_of(u64 name) { return static_cast<u16>((name + (name >> 25) * 97) % flags); }

  const bool matches_;
  std::vector<Flag> flags_;
  std::array<Release, 64> released_{};  // by warp
  std::array<Reads, 64> reads_{};       // by warp
  u64 count_ = 0;                       // of releases
  std::array<u64, 64> acquired_{};      // of them, by warp: at its last acquire_all()
};

}  // namespace ew::persistency
