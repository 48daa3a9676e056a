#include "simt/alu.hpp"

namespace ew::simt {
namespace {

bool has_v3() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

}  // namespace

const AluBody* const alu_bodies = has_v3() ? alu::v3::bodies() : alu::baseline::bodies();

std::string_view alu_clone() {
  return alu_bodies == alu::v3::bodies() ? "x86-64-v3" : "x86-64";
}

}  // namespace ew::simt
