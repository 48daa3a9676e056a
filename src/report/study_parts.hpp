// Parts of a suite's files, as study.cpp reads them: configurations, and figures with what was published of them.
#pragma once

#include <set>

#include "report/study.hpp"
#include "report/study_table.hpp"

namespace ew::report {

using ConfigurationNames = std::set<std::string>;

/// Reads [configuration.NAME] tables into `known`, but those that a suite has replaced by its own. One that says `from`
/// starts as a copy of another.
void read_configurations(const StudyTable& document, const std::string& file, const ConfigurationNames& replaced,
                         std::map<std::string, Configuration>& known);

/// A machine file that exists, settings that it takes, and fields that can stand together; else a core::UserError.
void check_settings(const std::string& machine, const std::vector<std::string>& settings, const core::Place&,
                    const std::string& whose);
void check_machine(const Configuration&);

/// The figure of a folder. `configurations`: the suite's, to which the figure's own are added.
Figure read_figure(const std::filesystem::path& folder, const std::map<std::string, Program>& programs,
                   const ConfigurationNames& replaced, std::map<std::string, Configuration> configurations);

}  // namespace ew::report
