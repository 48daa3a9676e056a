// What the HTML report consists of besides its data: the style, and the script that draws the charts.
#pragma once

namespace ew::report {

inline constexpr const char* html_style = R"css(
:root { color-scheme: light dark; --ink: #1c2430; --faint: #66707f; --line: #dfe3e8; --good: #1a7f37; --bad: #b42318;
  --paper: #ffffff; --note: #fff4d6; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #d9dee6; --faint: #96a0ae; --line: #343b46; --good: #4ac26b;
  --bad: #ff8182; --paper: #14181f; --note: #3a3010; } }
body { background: var(--paper); font: 15px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 1180px; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.4rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
table { border-collapse: collapse; margin: .6rem 0; font-size: 13.5px; }
th, td { text-align: left; padding: .22rem .8rem .22rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--faint); font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; }
tr.mean td { font-weight: 600; } .runs, .runs a { color: var(--faint); font-size: 11.5px; }
.note { color: var(--faint); } .good { color: var(--good); } .bad { color: var(--bad); }
.warning { background: var(--note); border: 1px solid #e6c35c; padding: .6rem .9rem; border-radius: 6px; }
.pair { display: inline-block; margin-right: 1rem; } .chart { overflow-x: auto; margin: .8rem 0; }
.panel { position: relative; height: 300px; } .panel.small { display: inline-block; width: min(100%, 360px); height: 240px; }
.scroll { overflow-x: auto; }
@media print { body { max-width: none; margin: 0; } .panel { break-inside: avoid; } }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--faint); }
code, pre { font: 12px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
)css";

/// Draws every chart with Chart.js, and again for paper and for another colour scheme. Then it says on <body> how many
/// were drawn, how many bars and points they have, and what failed: data-drawn, data-elements, data-failed.
inline constexpr const char* html_draw_charts = R"js(
const colours = ['#1f6feb', '#e36209', '#2da44e', '#cf222e', '#8250df', '#9a6700', '#bf3989', '#57606a', '#1b7c83', '#6e7781'];
const failures = [];
let drawn = [];
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const text = value => value.toLocaleString('en', {maximumSignificantDigits: 4});
const pale = colour => colour + '66';

// What the seeds span: a thin line across the bar of their mean.
const ranges = {
  id: 'ranges',
  afterDatasetsDraw(chart) {
    const {ctx, scales} = chart;
    ctx.save();
    ctx.strokeStyle = style('--ink');
    chart.data.datasets.forEach((set, i) => (set.ranges || []).forEach((range, at) => {
      if (!range || !chart.isDatasetVisible(i)) return;
      const x = chart.getDatasetMeta(i).data[at].x;
      ctx.beginPath();
      ctx.moveTo(x, scales.y.getPixelForValue(range[0]));
      ctx.lineTo(x, scales.y.getPixelForValue(range[1]));
      ctx.stroke();
    }));
    ctx.restore();
  }
};

function dataset(set, panel) {
  const colour = colours[set.colour % colours.length], paper = set.source === 'paper';
  const values = set.points ? set.points.map(([x, y]) => ({x, y}))
               : panel.numeric ? set.values.map((y, i) => ({x: panel.labels[i], y})) : set.values;
  return {label: set.label, source: set.source, ranges: set.ranges, data: values,
          backgroundColor: paper ? pale(colour) : colour, borderColor: colour, borderWidth: panel.type === 'line' || set.line || set.joined ? 2 : paper ? 1 : 0,
          borderDash: paper && panel.type === 'line' ? [5, 4] : undefined, showLine: panel.type === 'line' || !!set.line || !!set.joined,
          pointRadius: panel.dense || set.line ? 0 : panel.type === 'scatter' ? 5 : 3};
}

function configuration(chart, panel) {
  const ours = new Set(panel.sets.filter(set => set.source !== 'paper').map(set => set.label));
  const line = style('--line'), ink = style('--ink');
  const x = {stacked: !!panel.stacked, grid: {display: false}, ticks: {color: ink, autoSkip: !!panel.dense || panel.type === 'scatter'},
             title: {display: !!panel.x, text: panel.x, color: ink}};
  const scale = panel.log ? 'logarithmic' : 'linear';
  if (panel.type === 'scatter') x.type = panel.logx ? 'logarithmic' : scale;
  if (panel.numeric) x.type = 'linear';
  if (panel.numeric && !panel.dense) {
    x.afterBuildTicks = axis => { axis.ticks = panel.labels.map(value => ({value})); };
  }
  return {
    type: panel.type,
    data: {labels: panel.labels, datasets: panel.sets.map(set => dataset(set, panel))},
    plugins: [ranges],
    options: {
      animation: false, maintainAspectRatio: false,
      interaction: {mode: panel.type === 'line' ? 'nearest' : 'point', intersect: panel.type !== 'line'},
      scales: {
        x,
        y: {type: scale, stacked: !!panel.stacked, beginAtZero: !panel.log, max: chart.max, title: {display: true, text: chart.y, color: ink}, ticks: {color: ink},
            grid: {color: at => chart.normalised && at.tick && at.tick.value === 1 ? ink : line}}
      },
      plugins: {
        title: {display: !!panel.title, text: panel.title, color: ink},
        legend: {labels: {color: ink, boxWidth: 14,
                          filter: (item, data) => {
                            const set = data.datasets[item.datasetIndex];
                            return set.source !== 'paper' || !ours.has(set.label);
                          }}},
        tooltip: {callbacks: {label: item => `${item.dataset.label}${item.dataset.source ? ', ' + item.dataset.source : ''}: ${panel.type === 'scatter' ? text(item.parsed.x) + ', ' : ''}${text(item.parsed.y)}`}}
      }
    }
  };
}

function draw({place, chart}) {
  const element = document.getElementById(place);
  element.replaceChildren();
  for (const panel of chart.panels) {
    const box = document.createElement('div'), canvas = document.createElement('canvas');
    const bars = (panel.labels || []).length * (panel.stacked ? 1 : panel.sets.length);
    box.className = panel.type === 'line' && !panel.dense ? 'panel small' : 'panel';
    if (panel.type === 'bar') box.style.minWidth = Math.min(3000, bars * (panel.stacked ? 22 : 9)) + 'px';
    box.append(canvas);
    element.append(box);
    drawn.push(new Chart(canvas, configuration(chart, panel)));
  }
}

function drawAll() {
  drawn.forEach(chart => chart.destroy());
  drawn = [];
  failures.length = 0;
  for (const one of charts) {
    try {
      draw(one);
    } catch (error) {
      failures.push(one.place + ': ' + error.message);
      document.getElementById(one.place).textContent = 'This chart could not be drawn: ' + error.message;
    }
  }
  const elements = drawn.flatMap(chart => chart.data.datasets.flatMap((set, i) => chart.getDatasetMeta(i).data));
  document.body.dataset.elements = elements.filter(element => Number.isFinite(element.y) && !element.skip).length;
  document.body.dataset.drawn = charts.length - failures.length;
  document.body.dataset.failed = failures.join('; ');
}
window.addEventListener('error', event => { document.body.dataset.failed += event.message; });
for (const query of ['(prefers-color-scheme: dark)', 'print']) matchMedia(query).addEventListener('change', drawAll);
drawAll();
)js";

}  // namespace ew::report
