#include "runtime/named_settings.hpp"

#include <array>

#include "core/model_table.hpp"

namespace ew::runtime {

std::span<const NamedSettings> named_settings() {
  static constexpr std::array<NamedSettings, 5> all{{
      {"GD", "GPU coherence, DRF consistency.", "gpu", "drf0", "denovo"},
      {"GH", "GPU coherence, HRF consistency.", "gpu-hrf", "hrf", "denovo"},
      {"DD", "DeNovoA coherence, DRF consistency.", "denovo", "drf0", "denovo"},
      {"DD+RO", "DeNovoA coherence with read-only regions, DRF consistency.", "denovo-ro", "drf0", "denovo"},
      {"DH", "DeNovoA coherence, HRF consistency.", "denovo-hrf", "hrf", "denovo"},
  }};
  return all;
}

const NamedSettings* find_settings(std::string_view name) {
  return core::find_named(named_settings(), name);
}

}  // namespace ew::runtime
