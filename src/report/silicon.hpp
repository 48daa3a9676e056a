// Measurements of real GPUs: the published rows of studies/silicon/published.csv, and the files of
// tests/silicon/measure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics.hpp"

namespace ew::report {

/// Whether a parameter of the machine file rests on a row (set) or none does (test); out: the row is not compared.
enum class Use { set, test, out };
std::string_view name_of(Use);

struct Reading {
  double value = 0;
  std::string unit;
};

struct SiliconRow {
  std::string machine, device, quantity;
  Reading silicon;
  std::string conditions, figure, per;
  Use use = Use::test;
  std::string note, source, locator;
};

/// Rows of published.csv. A mistake is a core::UserError with its line.
std::vector<SiliconRow> read_published_rows(std::string_view text, const std::string& file);

struct KernelTime {
  double nanoseconds = 0;
  std::size_t launches = 0;
};

/// What tests/silicon/measure has written, of one device.
struct SiliconMeasurement {
  std::string device, driver, cuda, sm_clock_mhz, memory_clock_mhz;  // clocks: the highest; empty: not told
  std::vector<std::string> groups;                                   // of microbenchmarks; empty: all
  std::map<std::string, Reading> figures;
  std::map<std::string, KernelTime> programs;
  std::vector<std::string> set;  // figures on which the machine file rests
};

/// Malformed JSON is a core::UserError with file and line; a member of a wrong kind, one with the member's name. So is
/// a file of another format, one without any figure or program, a time that is not above 0 and a unit that no figure
/// has.
SiliconMeasurement read_measurement(const std::string& text, const std::string& file);

/// Figures of `microbenchmarks --json`.
std::map<std::string, Reading> read_figures(const std::string& text, const std::string& file);

}  // namespace ew::report
