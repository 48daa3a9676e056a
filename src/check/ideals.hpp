// Order ideals (sets closed downwards, "down-sets") of finite partial orders. A crash leaves an ideal. All predecessors
// of an element have smaller numbers than it. There are two forms. SmallOrder has at most 128 elements, as rows of
// bits; it finds each ideal in a few instructions. SparseOrder has any number of elements, as lists of edges. When it
// has too many ideals, there are the pair cover and random ideals. All are values. Nothing here knows of persists.
#pragma once

#include <bit>
#include <random>
#include <span>
#include <vector>

#include "core/types.hpp"

namespace ew::check {

__extension__ using u128 = unsigned __int128;

/// The lowest element of a set that is not empty.
inline u32 lowest(u64 set) {
  return static_cast<u32>(std::countr_zero(set));
}
inline u32 lowest(u128 set) {
  const u64 low = static_cast<u64>(set);
  return low ? lowest(low) : 64 + lowest(static_cast<u64>(set >> 64));
}

/// Bits: u64 (64 elements) or u128.
template <class Bits>
class SmallOrder {
 public:
  static constexpr u32 most = 8 * sizeof(Bits);

  explicit SmallOrder(u32 size) : after_(size) {}

  u32 size() const { return static_cast<u32>(after_.size()); }
  Bits all() const { return size() == most ? ~Bits{0} : (Bits{1} << size()) - 1; }
  /// REQUIRES: from < to < size().
  void add(u32 from, u32 to) { after_[from] |= Bits{1} << to; }
  /// Makes the order transitive. To be called before each_ideal and the functions below.
  void close() {
    for (u32 e = size(); e-- > 0;) {
      Bits reached = after_[e];
      for (Bits direct = after_[e]; direct; direct &= direct - 1) reached |= after_[lowest(direct)];
      after_[e] = reached;
    }
  }
  bool precedes(u32 from, u32 to) const { return (after_[from] >> to) & 1; }
  /// The elements that follow this one; the elements that this one follows. Neither has the element itself.
  Bits after(u32 element) const { return after_[element]; }
  Bits before(u32 element) const {
    Bits set = 0;
    for (u32 e = 0; e < element; ++e) set |= static_cast<Bits>(precedes(e, element)) << e;
    return set;
  }

  /// Calls visit(ideal) once for every ideal, until it returns false; then returns false. REQUIRES: close().
  template <class Visit>
  bool each_ideal(Visit&& visit) const {
    return decide(Bits{0}, all(), visit);
  }
  /// The same for the ideals that contain `lower` and lie within `upper`. REQUIRES: both are ideals.
  template <class Visit>
  bool each_ideal_between(Bits lower, Bits upper, Visit&& visit) const {
    return decide(lower, upper & ~lower, visit);
  }
  /// The number of ideals, but at most `limit`.
  u64 count(u64 limit = ~u64{0}) const {
    u64 ideals = 0;
    each_ideal([&](Bits) { return ++ideals < limit; });
    return ideals;
  }

 private:
  /// All predecessors of the first undecided element are in the ideal. So the element goes in, or it stays out together
  /// with all that follow it. Both lead to an ideal: no step is in vain.
  template <class Visit>
  bool decide(Bits in, Bits undecided, Visit& visit) const {
    while (undecided) {
      const u32 e = lowest(undecided);
      undecided &= undecided - 1;
      if (!decide(in | (Bits{1} << e), undecided, visit)) return false;
      undecided &= ~after_[e];
    }
    return visit(in);
  }

  std::vector<Bits> after_;
};

/// A partial order of any size, as the edges that generate it.
class SparseOrder {
 public:
  struct Edge {
    u32 from, to;
  };
  /// REQUIRES: from < to < size for every edge.
  SparseOrder(u32 size, std::vector<Edge> edges);

  u32 size() const { return size_; }
  std::span<const u32> successors(u32 element) const { return row(successors_, first_successor_, element); }
  std::span<const u32> predecessors(u32 element) const { return row(predecessors_, first_predecessor_, element); }

  /// The number of each element's connected component. Components are numbered by their first elements. An ideal of the
  /// whole order is one ideal of each component, in any combination.
  std::vector<u32> components() const;

 private:
  static std::span<const u32> row(const std::vector<u32>& all, const std::vector<u32>& first, u32 element) {
    return std::span(all).subspan(first[element], first[element + 1] - first[element]);
  }
  u32 size_;
  std::vector<u32> successors_, first_successor_, predecessors_, first_predecessor_;
};

/// A set of elements.
using Members = std::vector<bool>;

/// The states that a crash may leave lie between two ideals: what must be there (`lower`: acknowledged), and what can
/// be there (`upper`: issued).
struct IdealRange {
  Members lower, upper;
};
IdealRange whole(const SparseOrder&);

/// One state of the pair cover: the lower ideal with `elements` added, or the upper one without `elements`. These are
/// ascending.
struct CoverState {
  bool without = false;
  std::span<const u32> elements;
};

/// Visits the ideals of a SparseOrder one after another, as changes: elements enter and leave the present ideal. So an
/// image is brought up to date at the cost of the changes alone.
class IdealWalk {
 public:
  virtual ~IdealWalk() = default;
  virtual void enter(u32 element) = 0;  // to the present ideal
  virtual void leave(u32 element) = 0;
  virtual bool visit() = 0;  // a new ideal is complete; false: stop
};

/// Visits every ideal of the range once. The walk begins at the lower ideal, and visits it first. False if visit()
/// stopped the walk.
bool each_ideal(const SparseOrder&, const IdealRange&, IdealWalk&);

/// The number of ideals. It is exact if no component has more than `limit` ideals. Else it is an upper bound: larger
/// components are cut into chains.
struct IdealCount {
  bool exact = true;
  double log2 = 0;
  u64 number = 0;  // saturates
};
IdealCount count_ideals(const SparseOrder&, const IdealRange&, u64 limit);

/// The pair cover: the lower and the upper ideal, and two ideals for every element between them: the smallest one with
/// the element, and the largest one without it. Take any ideal of the range, an element in it and an element not in it:
/// one of these 2n + 2 ideals has the first and not the second.
class PairCover {
 public:
  PairCover(const SparseOrder&, const IdealRange&);

  u64 states() const { return 2 * u64{static_cast<u32>(free_.size())} + 2; }
  /// Valid until the next call. REQUIRES: number < states().
  CoverState state(u64 number);

 private:
  void collect(u32 from, bool forward);
  const SparseOrder* order_;
  const IdealRange* range_;
  std::vector<u32> free_, found_, pending_;
  std::vector<u32> mark_;
  u32 generation_ = 0;
};

/// Draws ideals of a range at random. The same seed gives the same ideals.
class RandomIdeals {
 public:
  RandomIdeals(const SparseOrder&, const IdealRange&, u64 seed);

  /// Each ideal is as likely as every other. If the order consists of independent chains, the length of each is drawn.
  /// Else two Markov chains, one from the lower and one from the upper ideal, are coupled until they meet (Propp and
  /// Wilson, "Exact Sampling with Coupled Markov Chains", 1996). False when they have not met after `sweeps` sweeps:
  /// then `ideal` is the state of the lower chain. It is an ideal, but not drawn uniformly.
  bool uniform(Members& ideal, u32 sweeps = 4096);
  /// A random number of first elements of a random linear extension (an order in which all elements may happen).
  void prefix(Members& ideal);

 private:
  void draw_chains(Members& ideal);
  void sweep(Members& low, Members& high, u64 seed) const;
  bool can_enter(const Members& ideal, u32 element) const;
  bool can_leave(const Members& ideal, u32 element) const;
  u64 below(u64 bound) { return random_() % bound; }

  const SparseOrder* order_;
  const IdealRange* range_;
  std::vector<u32> free_;                 // between the two ideals, ascending
  std::vector<std::vector<u32>> chains_;  // of free elements, if each component is a chain; else empty
  std::vector<u32> waits_for_, ready_;    // of prefix()
  std::mt19937_64 random_;
};

}  // namespace ew::check
