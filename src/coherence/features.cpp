#include "coherence/features.hpp"

namespace ew::coherence {

using namespace memory;

std::array<Feature, features_count> features(const Model& model, const Consistency& consistency) {
  constexpr std::string_view yes = "yes", no = "no", if_local = "if local";
  const AgentPolicy& agent = model.agent;
  const HomeKind home = model.home().kind();
  const bool scopes = consistency.local_scopes;  // a local synchronisation neither drops nor drains
  const bool owned_synchronisation = agent.on(Use::fresh_atomic, DataKind::ordinary).owned;
  const bool local_synchronisation = scopes && agent.on(Use::atomic, DataKind::ordinary).otherwise != Otherwise::past;
  const auto or_local = [&](bool always) { return always ? yes : scopes ? if_local : no; };
  const std::string_view valid = !agent.drops_at_acquire ? yes
                                 : scopes                ? if_local
                                 : agent.keeps_read_only ? std::string_view("read-only")
                                                         : no;
  return {{
      {"invalidation by", "who drops a stale copy", agent.drops_at_acquire ? "reader" : "writer"},
      {"newest copy by", "how a miss finds the newest copy", agent.owns() ? "ownership" : "writethrough"},
      {"reuse written data", "across synchronisation", or_local(agent.owns())},
      {"reuse valid data", "across synchronisation", valid},
      {"no bursty traffic", "a release sends no data", or_local(agent.owns())},
      {"no invalidations", "nor their acknowledgements", home == HomeKind::directory ? no : yes},
      {"decoupled granularity", "only useful words travel", home == HomeKind::registry ? yes : no},
      {"reuse synchronisation", "atomics hit in the private cache",
       owned_synchronisation   ? yes
       : local_synchronisation ? if_local
                               : no},
      {"dynamic sharing", "work stealing", owned_synchronisation ? yes : no},
  }};
}

}  // namespace ew::coherence
