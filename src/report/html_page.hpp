// What the HTML report consists of besides its data: the style, and the script that draws the charts.
#pragma once

namespace ew::report {

inline constexpr const char* html_style = R"css(
:root { color-scheme: light; --ink: #1c2430; --faint: #66707f; --line: #dfe3e8; --good: #1a7f37; --bad: #b42318; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 1180px; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.4rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
table { border-collapse: collapse; margin: .6rem 0; font-size: 13.5px; }
th, td { text-align: left; padding: .22rem .8rem .22rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--faint); font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; }
tr.mean td { font-weight: 600; } .runs, .runs a { color: var(--faint); font-size: 11.5px; }
.note { color: var(--faint); } .good { color: var(--good); } .bad { color: var(--bad); }
.warning { background: #fff4d6; border: 1px solid #e6c35c; padding: .6rem .9rem; border-radius: 6px; }
.pair { display: inline-block; margin-right: 1rem; } .chart { overflow-x: auto; margin: .8rem 0; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--faint); }
code, pre { font: 12px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
)css";

/// Draws every chart, then says on <body> how many it drew and what failed: data-drawn, data-failed.
inline constexpr const char* html_draw_charts = R"js(
const failures = [];
async function draw({place, chart}) {
  const element = document.getElementById(place);
  try {
    const parsed = vega.parse(vegaLite.compile(chart).spec);
    await new vega.View(parsed, {renderer: 'svg', container: element, hover: true}).runAsync();
  } catch (error) {
    failures.push(place + ': ' + error.message);
    element.textContent = 'This chart could not be drawn: ' + error.message;
  }
}
window.addEventListener('error', event => failures.push(event.message));
Promise.all(charts.map(draw)).then(() => {
  document.body.dataset.drawn = charts.length - failures.length;
  document.body.dataset.failed = failures.join('; ');
});
)js";

}  // namespace ew::report
