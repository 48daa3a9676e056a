// The main function of programs that compute in steps, with a checkpoint of their arrays every few steps ("GPM",
// ASPLOS'22, section 4.2). A program is a class with
//
//   Shape                       its sizes, among them `iterations`, `interval` (steps between checkpoints) and `system`
//   Program(shape, input)       makes its arrays in device memory
//   arrays()                    the arrays of a checkpoint, in the order of their registration
//   begin()                     sets the arrays to their values before the first step
//   step(i)                     launches step i, from 0
//   check(steps)                compares the arrays with a reference on the CPU after so many steps
//
//   NAME [SIZES] [--interval N] [--pool FILE]    FILE has the header, FILE.cp the checkpoint
//   NAME --iterations 0                          no step, and one checkpoint of the arrays' first values
//   NAME --recover FILE                          restores the checkpoint, makes the steps behind it, checks
//   --stop-before-commit: all but the last checkpoint
//
// Under GPM and GPM-eADR, libGPM makes the checkpoints. Under the other systems FILE has two copies of the arrays. The
// state counts the checkpoints, and so says which copy is consistent.
#pragma once
#include "system.h"

namespace bench {

/// The checkpoints of one program under one system.
class Checkpoints {
 public:
  template <class Shape>
  Checkpoints(const Options<Shape>& options, uint64_t magic, std::vector<Array> arrays)
      : arrays_(std::move(arrays)),
        store_(options, magic, kernels_persist(options.system) ? 0 : 2 * copy_bytes(), false) {
    if (!library()) return;
    file_ = gpmcp_create((options.pool + ".cp").c_str(), copy_bytes(), static_cast<uint32_t>(arrays_.size()), 1);
    REQUIRE(file_ != nullptr, "the checkpoint file should have been created");
    register_arrays();
  }
  /// Opens the files that a run has left.
  Checkpoints(const std::string& path, System system, uint64_t magic, bool ddio)
      : store_(path, magic, system, false, ddio) {}

  bool is_whole() const { return store_.is_whole(); }
  template <class Shape>
  Shape shape() const {
    return store_.shape<Shape>();
  }
  /// Opens the checkpoint of these arrays. False: there is none yet. A file that is no checkpoint ends the program.
  bool open(const std::string& path, std::vector<Array> arrays) {
    arrays_ = std::move(arrays);
    if (!library()) return true;
    const std::string file = path + ".cp";
    if (not_made(file)) {
      expect_acknowledged(0, "checkpoints");
      return false;
    }
    file_ = gpmcp_open(file.c_str());
    REQUIRE(file_ != nullptr, "the checkpoint file %s should have been opened", file.c_str());
    register_arrays();
    return true;
  }
  uint64_t sequence() const { return library() ? gpmcp_sequence(file_, 0) : store_.state(); }

  void save() {
    store_.begin_work();
    const uint64_t next = sequence() + 1;
    if (BUG == 2) gpm_acknowledge(next);
    {
      const Phase phase("checkpoint");
      if (library()) {
        REQUIRE(gpmcp_checkpoint(file_, 0) == 0, "checkpoint %llu", static_cast<unsigned long long>(next));
      } else {
        store_.persist_copies_of(arrays_, next % 2 * copy_bytes());
        store_.set_state(next);
      }
    }
    FINISH_KERNEL();
    gpm_acknowledge(next);
  }
  void restore() {
    const Phase phase("restore");
    if (library()) {
      REQUIRE(gpmcp_restore(file_, 0) == 0, "checkpoint %llu", static_cast<unsigned long long>(sequence()));
      return;
    }
    size_t offset = sequence() % 2 * copy_bytes();
    for (const Array& array : arrays_) {
      CUDA(cudaMemcpy(array.memory, store_.host<char>(offset), array.bytes, cudaMemcpyDefault));
      offset += whole_lines(array.bytes);
    }
  }
  void end() {
    if (file_ != nullptr) REQUIRE(gpmcp_close(file_) == 0, "the checkpoint file should have been closed");
    store_.end();
  }

 private:
  bool library() const { return kernels_persist(store_.system()); }
  /// The run was cut off before it made the file, or while it did.
  static bool not_made(const std::string& path) {
    FILE* const file = fopen(path.c_str(), "rb");
    if (file == nullptr) return true;
    fclose(file);
    const size_t bytes = gpm_size(path.c_str());
    if (bytes < sizeof(everwarp::GpmCheckpointHeader)) return false;
    void* const pool = gpm_map(path.c_str(), 0, false);
    if (pool == nullptr) return false;
    const bool begun = static_cast<everwarp::GpmCheckpointHeader*>(pool)->magic != 0;
    gpm_unmap(path.c_str(), pool, bytes);
    return !begun;
  }
  size_t copy_bytes() const {
    size_t bytes = 0;
    for (const Array& array : arrays_) bytes += whole_lines(array.bytes);
    return bytes;
  }
  void register_arrays() {
    for (const Array& array : arrays_)
      REQUIRE(gpmcp_register(file_, array.memory, array.bytes, 0) == 0, "an array of %zu bytes should be registered",
              array.bytes);
  }

  std::vector<Array> arrays_;
  Store store_;
  gpmcp* file_ = nullptr;
};

template <class Program, class Shape>
void iterate(Program& program, Checkpoints& checkpoints, const Shape& shape, uint32_t first, bool commit) {
  for (uint32_t i = first; i < shape.iterations; ++i) {
    {
      const Phase phase("steps");
      program.step(i);
    }
    if ((i + 1) % shape.interval == 0 && (commit || i + 1 < shape.iterations)) checkpoints.save();
  }
  FINISH_KERNEL();
}

template <class Program, class Shape>
int main_of(const Options<Shape>& options, uint64_t magic) {
  if (options.recovered.empty()) {
    Options<Shape> stored = options;
    stored.shape.system = static_cast<uint32_t>(options.system);
    Program program(stored.shape, options.input);
    Checkpoints checkpoints(stored, magic, program.arrays());
    program.begin();
    iterate(program, checkpoints, stored.shape, 0, !options.stop_before_commit);
    if (stored.shape.iterations == 0 && !options.stop_before_commit) checkpoints.save();
    const unsigned long long made = checkpoints.sequence();
    program.check(stored.shape.iterations);
    checkpoints.end();
    print_phases({"steps", "checkpoint"});
    return check::passed(__BASE_FILE__, "%s: %u steps, %llu checkpoints", kSystemNames[stored.shape.system],
                         stored.shape.iterations, made);
  }
  Checkpoints checkpoints(options.recovered, options.system, magic, options.ddio);
  if (!checkpoints.is_whole()) return check::passed(__BASE_FILE__, "the pool was not created yet");
  const Shape shape = checkpoints.template shape<Shape>();
  require_system(options.recovered, shape.system, options.system);
  Program program(shape, options.input);
  if (!checkpoints.open(options.recovered, program.arrays()))
    return check::passed(__BASE_FILE__, "the checkpoint file was not created yet");
  const uint64_t found = checkpoints.sequence();
  expect_acknowledged(found, "checkpoints");
  program.begin();
  if (found != 0 && (BUG != 1 || found * shape.interval >= shape.iterations)) checkpoints.restore();
  uint32_t first = static_cast<uint32_t>(found) * shape.interval;
  if (BUG == 3 && found != 0) ++first;
  iterate(program, checkpoints, shape, first, true);
  program.check(shape.iterations);
  checkpoints.end();
  print_phases({"restore", "steps", "checkpoint"});
  return check::passed(__BASE_FILE__, "recovered from checkpoint %llu of %u", static_cast<unsigned long long>(found),
                       shape.iterations == 0 ? 1 : shape.iterations / shape.interval);
}

/// An array in device memory. A function of the index gives its first values.
template <class T>
class Values {
 public:
  template <class Of>
  Values(size_t count, Of of) : start_(count), array_(count) {
    for (size_t i = 0; i < count; ++i) start_[i] = of(i);
  }
  const std::vector<T>& start() const { return start_; }
  void reset() { array_.upload(start_); }
  operator T*() const { return array_; }
  Array array() const { return {array_.get(), start_.size() * sizeof(T)}; }
  std::vector<T> now() const { return array_.download(); }

 private:
  std::vector<T> start_;
  DeviceArray<T> array_;
};

}  // namespace bench
