// Settings that go together under a name that papers use: `--set DD`. Each stands for its fields, in their order.
#pragma once

#include <span>
#include <string_view>

namespace ew::runtime {

struct NamedSettings {
  std::string_view name, sentence;
  std::string_view protocol, consistency, host;  // coherence.protocol, consistency.model, coherence.host
};

/// The configurations of Sinclair's thesis (2017), section 2.5.
std::span<const NamedSettings> named_settings();
/// nullptr: there is none of that name.
const NamedSettings* find_settings(std::string_view name);

}  // namespace ew::runtime
