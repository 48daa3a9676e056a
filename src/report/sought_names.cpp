#include "report/sought_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/nearest.hpp"

namespace ew::report {

void SoughtNames::note(const FinishedRun& run, const Program& program, Phase phase, MeasuredName kind,
                       std::span<const std::string> names, bool found) {
  const auto there = found || names.empty() ? std::nullopt : run.names(kind);
  for (const std::string& name : names) {
    Runs& runs = names_[{program.name, program.run_name, phase, kind, name}];
    runs.have_it |= !there || there->contains(name);
    if (there) runs.instead.insert(there->begin(), there->end());
  }
}

void SoughtNames::add(const SoughtNames& more) {
  for (const auto& [name, runs] : more.names_) {
    Runs& all = names_[name];
    all.have_it |= runs.have_it;
    all.instead.insert(runs.instead.begin(), runs.instead.end());
  }
}

std::string SoughtNames::sentence(const Name& name, const Runs& runs) {
  static constexpr std::string_view has[] = {"has a kernel", "has a range", "prints a figure"},
                                    kinds[] = {"kernel", "range", "printed figure"};
  static constexpr std::size_t most = 8;
  const auto kind = static_cast<std::size_t>(name.kind);
  const std::vector<std::string_view> there(runs.instead.begin(), runs.instead.end());
  std::string hint = core::did_you_mean(name.text, there);
  if (hint.empty() && there.empty()) hint = fmt::format(" (there is no {})", kinds[kind]);
  if (hint.empty())
    hint =
        fmt::format(" (there are: {}{})", fmt::join(there.begin(), there.begin() + std::min(there.size(), most), ", "),
                    there.size() > most ? ", …" : "");
  return fmt::format("no {} of {} {} \"{}\"{}", name.phase == Phase::run ? "run" : "recovery", name.program, has[kind],
                     name.text, hint);
}

std::vector<std::string> SoughtNames::unknown(const std::set<std::string>& failed) const {
  std::vector<std::string> sentences;
  for (const auto& [name, runs] : names_)
    if (!runs.have_it && !failed.contains(name.run_name)) sentences.push_back(sentence(name, runs));
  return sentences;
}

}  // namespace ew::report
