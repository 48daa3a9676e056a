// What every HTML page of ours has: one file that works without a network, its style, its charts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ew::report {

/// The source of Chart.js, as text for the page. Without it the page says how to get it, and the tables stand alone.
struct ChartLibrary {
  std::string source;
  std::string missing;  // what to do, when it is not there
  bool found() const { return !source.empty(); }
};

/// Text between tags, or in an attribute.
std::string escaped(std::string_view text);

/// `body` stands between the tags of the body. `charts` is a list of {place, chart}: `place` is the id of an element of
/// the body, `chart` is {y, normalised, panels: [{type, labels, sets: [{label, source, values}]}]} (html_page.hpp).
std::string html_page(std::string_view title, std::string_view body, const nlohmann::ordered_json& charts,
                      const ChartLibrary&);

}  // namespace ew::report
