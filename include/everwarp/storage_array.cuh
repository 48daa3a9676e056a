// Arrays on drives ("BaM", ASPLOS'23, section 3.5): what kernels use instead of a pointer.
//
//   bam::array<double> a(cache, first_byte, count);             // host: owns nothing, checks everything
//   kernel<<<…>>>(a.view());
//
//   __global__ void kernel(bam::array_view<double> a) {
//     const double x = a[i];                                    // lanes that want the same line ask together
//     a[j] = x + 1;                                             // only this makes the line dirty
//     bam::cursor<double> c(a);                                 // holds its line while the index stays in it
//     for (…) sum += c[k];
//
// An access that fails yields T() or writes nothing, and is counted: cache::must() on the host throws then. read() and
// write() return the status instead. The consistency between threads is that of the GPU's memory: two threads that use one
// element, one of them writing, need synchronisation of their own.
//
// An element may span two lines (12 bytes, say): read() and write() take the lines one after the other, so another thread
// may see half of it. A cursor reads and writes such elements, but holds no line for them.
#pragma once

#include <everwarp/storage_cache_owner.cuh>

#include <type_traits>

namespace bam {

template <class T, class Probe = by_warp>
struct array_view;

/// What a[i] is: read by conversion, written by assignment.
template <class T, class Probe>
class element {
 public:
  __device__ element(const array_view<T, Probe>& array, uint64_t i) : array_(array), i_(i) {}
  __device__ operator T() const;
  __device__ const element& operator=(const T& value) const;
  __device__ const element& operator=(const element& other) const { return *this = static_cast<T>(other); }
  // Not atomic: a read, then a write.
  __device__ const element& operator+=(const T& more) const { return *this = static_cast<T>(*this) + more; }
  __device__ const element& operator-=(const T& less) const { return *this = static_cast<T>(*this) - less; }

 private:
  const array_view<T, Probe>& array_;
  uint64_t i_;
};

/// A read or write that was begun. It holds its line until it is finished.
struct ticket {
  uint64_t line = 0, i = 0;
  status begun = not_begun;
};

/// What a kernel needs of an array: passed by value.
template <class T, class Probe>
struct array_view {
  cache_view cache;
  uint64_t first_byte, count;

  __host__ __device__ uint64_t size() const { return count; }
  __device__ __forceinline__ T operator[](uint64_t i) const {
    T value = T();
    read(i, value);
    return value;
  }
  __device__ element<T, Probe> operator[](uint64_t i) { return element<T, Probe>(*this, i); }

  __device__ __forceinline__ status read(uint64_t i, T& value) const {
    if (i < count && spans(i)) {
      T whole = T();  // of its own: else `value` would have to be in memory
      const status end = each_part(i, false, [&](char* bytes, uint32_t done, uint32_t part) {
        copy(reinterpret_cast<char*>(&whole) + done, bytes, part);
      });
      value = whole;
      return end;
    }
    return whole_element(i, false, [&](char* bytes) { copy(reinterpret_cast<char*>(&value), bytes, sizeof(T)); });
  }
  __device__ __forceinline__ status write(uint64_t i, const T& value) const {
    if (i < count && spans(i)) {
      const T whole = value;
      return each_part(i, true, [&](char* bytes, uint32_t done, uint32_t part) {
        copy(bytes, reinterpret_cast<const char*>(&whole) + done, part);
      });
    }
    return whole_element(i, true, [&](char* bytes) { copy(bytes, reinterpret_cast<const char*>(&value), sizeof(T)); });
  }

  /// Adds, as atomicAdd() does, and answers what was there. Of whole numbers of 4 or 8 bytes, float and double. T(), and
  /// nothing added, if the access fails.
  __device__ T atomic_add(uint64_t i, const T& value) const {
    T before = T();
    atomic_add(i, value, before);
    return before;
  }
  __device__ status atomic_add(uint64_t i, const T& value, T& before) const {
    return whole_element(i, true, [&](char* bytes) { before = add(reinterpret_cast<T*>(bytes), value); });
  }

  /// Asks for the element's line, if there is room for it now, and does not wait. An access that comes later does, if it must.
  __device__ status prefetch(uint64_t i) const {
    if (i >= count) return out_of_range;
    const uint64_t line = line_of(i);
    const line_group group = Probe::of(line);
    return __shfl_sync(group.mask, group.leads ? cache.prefetch(line) : ok, group.leader);
  }
  /// Asks for the element's line and holds it. finish_read() or finish_write() once for each: they wait.
  __device__ ticket begin(uint64_t i) const {
    ticket t;
    if (i >= count || spans(i)) {
      t.begun = cache.fail(line_of(i), i >= count ? out_of_range : spans_lines);
      return t;
    }
    t.line = line_of(i), t.i = i, t.begun = ok;
    cache.pin(t.line, 1);  // first: a line that comes and leaves before the wait would be read twice
    cache.prefetch(t.line);
    return t;
  }
  __device__ status finish_read(ticket& t, T& value) const {
    return finish(t, false, [&](char* bytes) { copy(reinterpret_cast<char*>(&value), bytes, sizeof(T)); });
  }
  __device__ status finish_write(ticket& t, const T& value) const {
    return finish(t, true, [&](char* bytes) { copy(bytes, reinterpret_cast<const char*>(&value), sizeof(T)); });
  }
  /// Begins to write the element's line back, if it is dirty. finish_write_back() once for each: it waits.
  __device__ ticket begin_write_back(uint64_t i) const {
    ticket t;
    if (i >= count || spans(i)) {
      t.begun = cache.fail(line_of(i), i >= count ? out_of_range : spans_lines);
      return t;
    }
    t.line = line_of(i), t.i = i, t.begun = ok;
    cache.pin(t.line, 1);
    cache_wait once = cache.wait();
    cache.step_back(t.line, once);
    return t;
  }
  __device__ status finish_write_back(ticket& t) const {
    const status begun = t.begun;
    t.begun = not_begun;
    if (begun != ok) return begun;
    const status end = cache.write_back(t.line);
    cache.unpin(t.line, 1);
    return end;
  }
  /// The element's line is on the drives if it was dirty, and its other line, if it spans two. Waits. What a cursor has
  /// written makes the line dirty when the cursor leaves it.
  __device__ status write_back(uint64_t i) const {
    if (i >= count) return cache.fail(line_of(i), out_of_range);
    status end = ok;
    const uint64_t last = (byte_of(i) + sizeof(T) - 1) >> cache.line_shift;
    for (uint64_t line = line_of(i); line <= last && end == ok; ++line) end = cache.write_back(line);
    return end;
  }

  __device__ uint64_t byte_of(uint64_t i) const { return first_byte + i * sizeof(T); }
  __device__ uint64_t line_of(uint64_t i) const { return byte_of(i) >> cache.line_shift; }
  __device__ uint32_t offset_of(uint64_t i) const { return static_cast<uint32_t>(byte_of(i) & (cache.line_bytes - 1)); }
  __device__ bool spans(uint64_t i) const { return offset_of(i) + sizeof(T) > cache.line_bytes; }

  /// In pieces of T's alignment: no piece spans lines.
  __device__ static void copy(char* to, const char* from, uint32_t bytes) {
    if constexpr (alignof(T) >= 8) copy_as<uint64_t>(to, from, bytes);
    else if constexpr (alignof(T) == 4) copy_as<uint32_t>(to, from, bytes);
    else if constexpr (alignof(T) == 2) copy_as<uint16_t>(to, from, bytes);
    else copy_as<uint8_t>(to, from, bytes);
  }

  /// A forward walk over elements; what * gives is what a[i] gives.
  struct iterator {
    array_view array;
    uint64_t at;
    __device__ element<T, Probe> operator*() { return array[at]; }
    __device__ element<T, Probe> operator[](uint64_t i) { return array[at + i]; }
    __device__ iterator& operator++() { return ++at, *this; }
    __device__ iterator& operator+=(uint64_t n) { return at += n, *this; }
    __device__ iterator operator+(uint64_t n) const { return {array, at + n}; }
    __device__ int64_t operator-(const iterator& other) const { return static_cast<int64_t>(at - other.at); }
    __device__ bool operator==(const iterator& other) const { return at == other.at; }
    __device__ bool operator!=(const iterator& other) const { return at != other.at; }
    __device__ bool operator<(const iterator& other) const { return at < other.at; }
  };
  __device__ iterator begin() const { return {*this, 0}; }
  __device__ iterator end() const { return {*this, count}; }

 private:
  template <class Piece>
  __device__ static void copy_as(char* to, const char* from, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i += sizeof(Piece))
      *reinterpret_cast<Piece*>(to + i) = *reinterpret_cast<const Piece*>(from + i);
  }
  __device__ static T add(T* at, T value) {
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8), "what atomicAdd() takes");
    if constexpr (!std::is_integral<T>::value)
      return atomicAdd(at, value);
    else if constexpr (sizeof(T) == 8)  // in two's complement the sign does not matter
      return static_cast<T>(atomicAdd(reinterpret_cast<unsigned long long*>(at), static_cast<unsigned long long>(value)));
    else
      return static_cast<T>(atomicAdd(reinterpret_cast<unsigned*>(at), static_cast<unsigned>(value)));
  }
  template <class Use>
  __device__ __forceinline__ status whole_element(uint64_t i, bool writes, Use use) const {
    if (i >= count) return cache.fail(line_of(i), out_of_range);
    const line_group group = Probe::of(line_of(i));
    return group.with(cache, line_of(i), writes, false, [&](char* bytes) { use(bytes + offset_of(i)); });
  }
  template <class Use>
  __device__ status each_part(uint64_t i, bool writes, Use use) const {
    for (uint32_t done = 0; done < sizeof(T);) {
      const uint64_t byte = byte_of(i) + done, line = byte >> cache.line_shift;
      const uint32_t offset = static_cast<uint32_t>(byte & (cache.line_bytes - 1));
      const uint32_t room = cache.line_bytes - offset, left = static_cast<uint32_t>(sizeof(T)) - done;
      const uint32_t part = left < room ? left : room;
      const line_group group = Probe::of(line);
      if (const status end = group.with(cache, line, writes, false, [&](char* bytes) { use(bytes + offset, done, part); }))
        return end;
      done += part;
    }
    return ok;
  }
  template <class Use>
  __device__ status finish(ticket& t, bool writes, Use use) const {
    const status begun = t.begun;
    t.begun = not_begun;
    if (begun != ok) return begun;
    const line_group group = Probe::of(t.line);
    const status end = group.with(cache, t.line, writes, false, [&](char* bytes) { use(bytes + offset_of(t.i)); });
    cache.unpin(t.line, 1);
    return end;
  }
};

template <class T, class Probe>
__device__ element<T, Probe>::operator T() const {
  T value = T();
  array_.read(i_, value);
  return value;
}
template <class T, class Probe>
__device__ const element<T, Probe>& element<T, Probe>::operator=(const T& value) const {
  array_.write(i_, value);
  return *this;
}

/// Accesses of one thread, one after the other: the line of the last stays held, so that an access to it costs no probe.
/// A thread that waits for a line holds none by this cursor; one by each other of its cursors. What it has written makes the
/// line dirty when it leaves the line: a write-back or a commit before that does not count it as written.
template <class T>
class cursor {
 public:
  __device__ explicit cursor(const array_view<T>& array) : array_(array) {}
  __device__ ~cursor() { leave(); }
  cursor(const cursor&) = delete;
  cursor& operator=(const cursor&) = delete;

  __device__ __forceinline__ T operator[](uint64_t i) {
    T value = T();
    read(i, value);
    return value;
  }
  __device__ __forceinline__ status read(uint64_t i, T& value) {
    if (i < array_.count && array_.spans(i)) return leave(), array_.read(i, value);
    return reach(i, false, [&](char* at) { array_.copy(reinterpret_cast<char*>(&value), at, sizeof(T)); });
  }
  __device__ __forceinline__ status write(uint64_t i, const T& value) {
    if (i < array_.count && array_.spans(i)) return leave(), array_.write(i, value);
    return reach(i, true, [&](char* at) { array_.copy(at, reinterpret_cast<const char*>(&value), sizeof(T)); });
  }
  /// Holds no line any more.
  __device__ __forceinline__ void leave() {
    if (reused_) detail::count(&array_.cache.counts().reused, reused_);
    reused_ = 0;
    if (!bytes_) return;
    const line_group group(line_);
    array_.cache.let_gone(let_go(group));
  }

 private:
  /// use(where the element is). Holds its line then, if it may be held.
  template <class Use>
  __device__ __forceinline__ status reach(uint64_t i, bool writes, Use use) {
    if (i >= array_.count) return array_.cache.fail(array_.line_of(i), out_of_range);
    const uint64_t line = array_.line_of(i);
    if (bytes_ && line == line_) {
      use(bytes_ + array_.offset_of(i));
      dirty_ |= writes;
      ++reused_;
      return ok;
    }
    // The leader lets the old line go and pins the new one at once, and then looks at what both have answered.
    cache_view::leaving old;
    if (bytes_) {
      const line_group group(line_);
      old = let_go(group);
    }
    const line_group group(line);
    const uint64_t now = group.leads ? array_.cache.pin(line, group.count) : 0;
    array_.cache.let_gone(old);
    line_ = line;
    return group.with(array_.cache, line, now, writes, true, [&](char* bytes) {
      use(bytes + array_.offset_of(i));
      if (array_.cache.may_be_held(bytes)) bytes_ = bytes, dirty_ = writes;
    });
  }
  /// One lane for all that leave the line together.
  __device__ __forceinline__ cache_view::leaving let_go(const line_group& group) {
    cache_view::leaving now;
    const bool dirty = __any_sync(group.mask, dirty_);
    bytes_ = nullptr, dirty_ = false;
    if (group.leads) {
      if (dirty) array_.cache.mark_dirty(line_);
      now = array_.cache.let_go(line_, group.count);
    }
    return now;
  }

  const array_view<T> array_;
  uint64_t line_ = 0;
  char* bytes_ = nullptr;
  uint32_t reused_ = 0;
  bool dirty_ = false;
};

/// An array on the host: `count` elements of the cached range, from `first_byte` on. The cache must outlive it.
template <class T>
class array {
  static_assert(alignof(T) <= 16 && sizeof(T) <= 1024, "an element is copied through registers");

 public:
  array(bam::cache& cache, uint64_t first_byte, uint64_t count) : cache_(&cache) {
    const uint64_t bytes = cache.config().bytes;
    if (first_byte % alignof(T))
      throw std::runtime_error("bam: array: it begins at byte " + std::to_string(first_byte) +
                               ", and its elements are aligned at " + std::to_string(alignof(T)));
    if (first_byte > bytes || count > (bytes - first_byte) / sizeof(T))
      throw std::runtime_error("bam: array: " + std::to_string(count) + " elements of " + std::to_string(sizeof(T)) +
                               " bytes from byte " + std::to_string(first_byte) + " on, and the cached range has " +
                               std::to_string(bytes));
    view_ = {cache.view(), first_byte, count};
  }
  const array_view<T>& view() const { return view_; }
  /// The same, with another policy: view_by<bam::by_thread>().
  template <class Probe>
  array_view<T, Probe> view_by() const {
    return {view_.cache, view_.first_byte, view_.count};
  }
  uint64_t size() const { return view_.count; }
  bam::cache& cache() const { return *cache_; }
  /// The whole array from or to the host, past the cache. REQUIRES: it begins at a line.
  void upload(const T* from) { cache_->upload(first_line(), from, view_.count * sizeof(T)); }
  void download(T* to) { cache_->download(first_line(), to, view_.count * sizeof(T)); }

 private:
  uint64_t first_line() const {
    const uint32_t line = cache_->config().line;
    if (view_.first_byte % line) throw std::runtime_error("bam: array: only one that begins at a line is moved whole");
    return view_.first_byte / line;
  }

  bam::cache* cache_;
  array_view<T> view_{};
};

}  // namespace bam
