// What a program has told the world to be durable (gpm_acknowledge), kept outside of its pools: a file of `ew crash`
// that outlives the crash. Each record is with the kernel when the call returns, so that a process which is killed
// afterwards has told it.
#pragma once

#include <string>
#include <vector>

#include "core/types.hpp"

namespace ew::runtime {

struct Acknowledgement {
  u64 cycle = 0;   // the last that had begun: a crash at a later one comes after it; functional mode: 0
  u64 writes = 0;  // durable writes before it; functional mode: 0
  u64 progress = 0;
};
static_assert(sizeof(Acknowledgement) == 24);

/// Appends to the file; without one, nothing happens. Owned by the Machine.
class Acknowledgements {
 public:
  /// Throws core::UserError when the file cannot be written.
  explicit Acknowledgements(const std::string& file);
  ~Acknowledgements();
  Acknowledgements(const Acknowledgements&) = delete;
  Acknowledgements& operator=(const Acknowledgements&) = delete;

  void add(const Acknowledgement&);

 private:
  int file_ = -1;
};

/// All of a file, in order; none when there is no file.
std::vector<Acknowledgement> read_acknowledgements(const std::string& file);

/// What a crashed run had acknowledged: EVERWARP_ACKNOWLEDGED of this process, read at each call (a fork has its own).
u64 acknowledged_before_the_crash();

}  // namespace ew::runtime
