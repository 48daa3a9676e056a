#include "report/html_text.hpp"

#include <fmt/format.h>

#include "core/json_text.hpp"
#include "report/html_page.hpp"

namespace ew::report {

namespace {

/// A program inside a script element. Only "</script" may not stand there; it can occur in strings alone.
std::string program_in_script(std::string text) {
  for (std::size_t at = 0; (at = text.find("</script", at)) != text.npos; at += 3) text.replace(at, 2, "<\\/");
  return text;
}

/// JSON inside a script element: nothing in it may look like a tag.
std::string json_in_script(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; at += 6) text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::string html_page(std::string_view title, std::string_view body, const nlohmann::ordered_json& charts,
                      const ChartLibrary& library) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
      "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>\n{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escaped(title), html_style);
  if (!library.found() && !charts.empty())
    page += fmt::format("<p class=warning id=no-charts>The charts are not drawn: {} The tables are complete.</p>\n",
                        escaped(library.missing));
  page += body;
  if (library.found() && !charts.empty())
    page +=
        fmt::format("<script>{}</script>\n<script>const charts = {};\n{}</script>\n", program_in_script(library.source),
                    json_in_script(core::json_text(charts, -1)), html_draw_charts);
  return page + "</body>\n</html>\n";
}

}  // namespace ew::report
