// SPDX-License-Identifier: BSD-3-Clause
// What the page of xlazy-bench --report draws with: the measurements in the element "data", how numbers are written,
// charts by Chart.js, tables.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const cases = data.cases || [];
const $ = id => document.getElementById(id);

// ---- small tools

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children.flat()) if (child !== null && child !== undefined) element.append(child);
  return element;
}
const median = values => {
  const v = [...values].sort((a, b) => a - b), n = v.length;
  return n === 0 ? NaN : n % 2 ? v[(n - 1) / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
};
const geometric = values => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length);
const number = (value, digits = 3) => {
  if (!isFinite(value)) return "–";
  if (value === 0) return "0";
  const rounded = Number(value.toPrecision(value >= 100 ? Math.max(digits, 3) : digits));
  return Math.abs(rounded) >= 1e4 ? Math.round(rounded).toLocaleString("en") : String(rounded);
};
const times = value => number(value, value < 99.5 ? 2 : 3) + "×";
/// What is printed as 1× is neither a loss nor a gain.
const below = value => value < 1 && times(value) !== times(1), above = value => value > 1 && times(value) !== times(1);
const seconds = s => !isFinite(s) ? "–" : s < 1e-6 ? number(s * 1e9) + " ns" : s < 1e-3 ? number(s * 1e6) + " µs"
                   : s < 1 ? number(s * 1e3) + " ms" : number(s) + " s";
const bytes = b => !isFinite(b) ? "–" : b < 1e3 ? number(b) + " B" : b < 1e6 ? number(b / 1e3) + " kB"
                 : b < 1e9 ? number(b / 1e6) + " MB" : number(b / 1e9) + " GB";
const count = n => n >= 1e6 ? number(n / 1e6) + "M" : n >= 1e3 ? number(n / 1e3) + "k" : String(n);
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const narrow = () => document.documentElement.clientWidth < 620;

// ---- the measurements

const VARIANTS = [
  ["xlazy-lazy", "xlazy", "lazy", "circle"],
  ["xlazy-captured", "xlazy, captured", "captured", "circle"],
  ["hand", "loop by hand, OpenMP", "hand", "rectRot"],
  ["eigen", "Eigen, 1 thread", "eigen", "rect"],
  ["idiomatic", "xtensor as users write it", "idiomatic", "triangle"],
  ["op-by-op", "one loop an operation", "operation", "rect"],
  ["xlazy-eager", "xlazy, eager", "eager", "crossRot"],
  ["xlazy-no-passes", "xlazy, rewriting off", "off", "cross"],
];
const about = Object.fromEntries(VARIANTS.map(([id, title, tone, shape]) => [id, {title, tone, shape}]));

const of = (one, variant, threads) =>
  one.measurements.find(m => m.variant === variant && m.threads === threads && !m.error);
function fastest(one, group, threads) {
  const fits = m => m.group === group && !m.error && (group === "hand" ? m.threads === threads : m.threads <= threads);
  return one.measurements.filter(fits).sort((a, b) => a.seconds.median - b.seconds.median)[0];
}
/// By the names of VARIANTS: groups stand for their fastest.
function measured(one, name, threads) {
  if (name === "hand" || name === "idiomatic") return fastest(one, name, threads);
  if (name === "eigen") return fastest(one, "eigen", threads);
  return of(one, name, threads);
}
/// Median of the ratios inside the rounds.
function ratio(over, under) {
  if (!over || !under) return NaN;
  const a = over.seconds.rounds, b = under.seconds.rounds;
  return a.length === b.length ? median(a.map((value, i) => value / b[i])) : over.seconds.median / under.seconds.median;
}
const isVoid = (one, threads) => (one.bandwidth || []).some(b => b.threads === threads && b.void);
const label = one => {
  const title = one.title.split(",")[0];
  return narrow() ? `${one.id} ${title.length > 12 ? title.slice(0, 11) + "…" : title}` : `${one.id}  ${title}`;
};
const ofKind = kind => cases.filter(one => one.kind === kind);
const programs = () => ofKind("bandwidth");

// ---- charts

const charts = [];
/// Where a logarithmic axis has its lines: few and round.
function logTicks(min, max) {
  const span = max / min, most = narrow() ? 5 : 8;
  const steps = span < 2.2 ? [1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9] : span < 8 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8] : span < 80 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.ceil(Math.log10(max)); ++power)
    for (const step of steps) {
      const value = step * 10 ** power;
      if (value >= min * (1 - 1e-9) && value <= max * (1 + 1e-9)) ticks.push(Number(value.toPrecision(6)));
    }
  const stride = Math.ceil(ticks.length / most);
  const one = Math.max(0, ticks.indexOf(1));
  return ticks.filter((_value, i) => (i - one) % stride === 0).map(value => ({value}));
}
function axis(title, options = {}) {
  const log = options.log !== false;
  return {
    type: log ? "logarithmic" : "linear", min: options.min, max: options.max, position: options.position,
    title: {display: !!title && !narrow(), text: title, color: colour("soft"), font: {size: 12}},
    grid: {color: colour("line"), drawBorder: false, drawTicks: false},
    ticks: {color: colour("soft"), padding: 6, maxRotation: 0, autoSkip: !log, maxTicksLimit: narrow() ? 5 : 8,
            callback: value => (options.text || number)(value)},
    afterBuildTicks: scale => { if (log) scale.ticks = logTicks(scale.min, scale.max); },
  };
}
/// Draws text beside bars and at the ends of lines, apart from each other.
const direct = {
  id: "direct",
  afterDatasetsDraw(chart, _args, options) {
    if (!options.of) return;
    const {ctx, chartArea: area} = chart;
    ctx.save();
    ctx.font = `600 ${narrow() ? 11 : 12}px ${Chart.defaults.font.family}`;
    ctx.textBaseline = "middle";
    const texts = [];
    chart.data.datasets.forEach((set, s) => {
      const meta = chart.getDatasetMeta(s);
      if (meta.hidden) return;
      meta.data.forEach((element, i) => {
        const text = options.of(set, i, meta.data.length);
        const left = options.left && options.left(set, i);
        const x = options.at ? chart.scales.x.getPixelForValue(options.at(i)) : left ? Math.min(element.x, element.base ?? element.x) : element.x + (options.gap || 0);
        if (text) texts.push({text, x, y: element.y, left,
                              tone: typeof set.borderColor === "string" ? set.borderColor : colour("ink")});
      });
    });
    if (options.lines) {
      texts.sort((a, b) => a.y - b.y);
      for (let i = 1; i < texts.length; ++i) texts[i].y = Math.max(texts[i].y, texts[i - 1].y + 14);
      for (let i = texts.length - 1, floor = area.bottom - 4; i >= 0; --i, floor -= 14) texts[i].y = Math.min(texts[i].y, floor);
    }
    for (const each of texts) {
      ctx.fillStyle = options.lines ? each.tone : colour("ink");
      ctx.textAlign = each.left ? "right" : "left";
      ctx.fillText(each.text, each.x + (each.left ? -6 : 6), each.y);
    }
    ctx.restore();
  },
};
/// A line at a value of the x or y axis, with a word to it.
const rule = {
  id: "rule",
  beforeDatasetsDraw(chart, _args, options) {
    for (const {at, of: which, text} of options.at || []) {
      const scale = chart.scales[which], {ctx, chartArea: area} = chart, place = scale.getPixelForValue(at);
      if (!(place >= (which === "x" ? area.left : area.top) - 1)) continue;
      ctx.save();
      ctx.strokeStyle = colour("faint");
      ctx.lineWidth = 1.25;
      ctx.beginPath();
      if (which === "x") { ctx.moveTo(place, area.top); ctx.lineTo(place, area.bottom); }
      else { ctx.moveTo(area.left, place); ctx.lineTo(area.right, place); }
      ctx.stroke();
      ctx.font = `11px ${Chart.defaults.font.family}`;
      ctx.fillStyle = colour("faint");
      if (which === "y") ctx.fillText(text || "", area.left + 4, place - 5);
      ctx.restore();
    }
  },
};
function draw(parent, name, height, config) {
  const canvas = make("canvas", {id: "chart-" + name, role: "img", "aria-label": config.label || name});
  parent.append(make("div", {class: "plot", style: `height:${height}px`}, canvas));
  const options = config.options || (config.options = {});
  Object.assign(options, {animation: false, responsive: true, maintainAspectRatio: false});
  options.plugins = {legend: {display: false}, ...options.plugins};
  options.plugins.tooltip = {displayColors: false, backgroundColor: colour("ink"), titleColor: colour("paper"),
                             bodyColor: colour("paper"), padding: 9, cornerRadius: 7, ...options.plugins.tooltip};
  config.plugins = [rule, direct];
  charts.push(new Chart(canvas, config));
}
function mark(tone, shape) {
  const fill = `var(--${tone})`;
  const shapes = {
    circle: `<circle cx="6.5" cy="6.5" r="5" fill="${fill}"/>`,
    rect: `<rect x="2" y="2" width="9" height="9" fill="${fill}"/>`,
    rectRot: `<rect x="2.2" y="2.2" width="8.6" height="8.6" transform="rotate(45 6.5 6.5)" fill="${fill}"/>`,
    triangle: `<path d="M6.5 1 12 11.5H1Z" fill="${fill}"/>`,
    cross: `<path d="M6.5 1v11M1 6.5h11" stroke="${fill}" stroke-width="2.4"/>`,
    crossRot: `<path d="M2 2l9 9M11 2l-9 9" stroke="${fill}" stroke-width="2.4"/>`,
    line: `<path d="M0 6.5h13" stroke="${fill}" stroke-width="3"/>`,
    bar: `<rect x="1" y="2.5" width="11" height="8" rx="1.5" fill="${fill}"/>`,
  };
  const holder = make("span");
  holder.innerHTML = `<svg viewBox="0 0 13 13" aria-hidden="true">${shapes[shape]}</svg>`;
  return holder.firstChild;
}
const key = entries => make("ul", {class: "key"}, entries.map(([title, tone, shape]) => make("li", {}, mark(tone, shape), title)));

/// rows: arrays of texts, or {text, loss, best, heat}.
function table(head, rows, wide = []) {
  const cell = (value, i) => {
    const it = value !== null && typeof value === "object" ? value : {text: value};
    const td = make("td", {class: [it.loss && "loss", it.best && "best", it.heat !== undefined && "heat",
                                   wide.includes(i) && "text"].filter(Boolean).join(" ")});
    if (it.link) td.append(make("a", {href: it.link, rel: "noreferrer"}, it.text));
    else td.append(it.text === undefined || it.text === null ? "" : String(it.text));
    if (it.flag) td.append(make("span", {class: "flag"}, it.flag));
    if (it.heat) td.style.background = `color-mix(in srgb, var(--${it.tone || "lazy"}) ${Math.round(it.heat * 62)}%, transparent)`;
    return td;
  };
  return make("div", {class: "scroll", tabindex: "0"},
              make("table", {}, make("thead", {}, make("tr", {}, head.map((text, i) => make("th", wide.includes(i) ? {class: "text"} : {}, text)))),
                   make("tbody", {}, rows.map(row => make("tr", {}, row.map(cell))))));
}
function heatTable(...content) {
  const box = table(...content);
  box.classList.add("heated");
  return box;
}
const numbers = (head, rows, wide) => make("details", {}, make("summary", {}, "The numbers"), table(head, rows, wide));
function card(parent, title, axisText) {
  const box = make("div", {class: "card"}, title ? make("h3", {}, title) : null, axisText ? make("p", {class: "axis"}, axisText) : null);
  parent.append(box);
  return box;
}
const missing = (parent, what, command) =>
  parent.append(make("p", {class: "none"}, `${what} `, command ? make("code", {}, command) : "", command ? " makes them." : ""));

/// Horizontal bars of ratios from 1, losses to the left of it in another colour.
function ratioBars(parent, name, rows, title) {
  const values = rows.map(row => row.value);
  const least = Math.min(1, ...values), most = Math.max(1, ...values);
  draw(parent, name, Math.max(110, rows.length * 27 + 46), {
    type: "bar", label: title,
    data: {labels: rows.map(row => row.label),
           datasets: [{data: values.map(v => [1, v]), minBarLength: 2, borderRadius: 3, barPercentage: .74, categoryPercentage: .94,
                       backgroundColor: values.map(v => below(v) ? colour("loss") : colour("gain"))}]},
    options: {
      indexAxis: "y", layout: {padding: {right: 46, left: least < 1 ? 6 : 0}},
      scales: {x: axis("", {min: least < 1 ? least / 1.35 : 1, max: most * 1.05, text: v => number(v) + "×", }),
               y: {grid: {display: false, drawBorder: false}, ticks: {color: colour("ink"), crossAlign: "far", autoSkip: false, font: {size: narrow() ? 11 : 12.5}}}},
      plugins: {rule: {at: [{at: 1, of: "x"}]},
                direct: {of: (set, i) => times(values[i]), left: (set, i) => values[i] < 1},
                tooltip: {callbacks: {label: item => rows[item.dataIndex].tip || times(values[item.dataIndex])}}},
    },
  });
}
/// One row a case, one mark a variant.
function dots(parent, name, rows, series, options) {
  const labels = rows.map(row => row.label);
  const sets = series.map(([id, title, tone, shape]) => ({
    label: title, tone, data: rows.map((row, y) => ({x: row.values[id], y: labels[y]})).filter(point => isFinite(point.x)),
    backgroundColor: colour(tone), borderColor: colour(tone), borderWidth: shape.startsWith("cross") ? 2.2 : 0,
    pointStyle: shape, pointRadius: id === "xlazy-lazy" ? 6.5 : id === "hand" ? 4.5 : 5, pointHoverRadius: 8,
    order: id === "hand" || id === "xlazy-captured" ? 0 : id === "xlazy-lazy" ? 1 : 2,
  })).filter(set => set.data.length);
  const all = sets.flatMap(set => set.data.map(point => point.x));
  const least = Math.min(...all, options.include || Infinity), most = Math.max(...all, options.include || 0);
  parent.append(key(series.filter(([, title]) => sets.some(set => set.label === title)).map(([, title, tone, shape]) => [title, tone, shape])));
  draw(parent, name, Math.max(130, rows.length * 30 + 46), {
    type: "scatter", label: options.title, data: {datasets: sets},
    options: {
      layout: {padding: {right: 14}},
      scales: {x: axis("", {min: least / 1.25, max: most * 1.25, text: options.text || (v => number(v) + "×"), }),
               y: {type: "category", labels, offset: true, grid: {color: colour("line"), drawBorder: false, drawTicks: false},
                   ticks: {color: colour("ink"), crossAlign: "far", autoSkip: false, padding: 8, font: {size: narrow() ? 11 : 12.5}}}},
      plugins: {rule: {at: options.rule ? [{at: options.rule, of: "x"}] : []},
                tooltip: {callbacks: {title: items => items[0].raw.y, label: item => `${item.dataset.label}: ${(options.text || times)(item.raw.x)}`}}},
    },
  });
}
/// Curves with their names at their ends.
function lines(parent, name, series, options) {
  const labels = !narrow();
  if (!labels || options.legend) parent.append(key(series.map(each => [each.title, each.tone, "line"])));
  draw(parent, name, options.height || 300, {
    type: "scatter", label: options.title,
    data: {datasets: series.map(each => ({
      label: each.title, data: each.points, showLine: true, borderColor: colour(each.tone), backgroundColor: colour(each.tone),
      borderWidth: each.thin ? 1.6 : 2.4, borderDash: each.dash || [], pointRadius: each.points.length > 14 ? 0 : 3, pointHoverRadius: 6, tension: 0}))},
    options: {
      interaction: {mode: "nearest", intersect: false},
      layout: {padding: {right: labels && !options.legend ? options.room || 130 : 14, top: 8}},
      scales: {x: axis(options.x, {text: options.xText || count, min: options.minX, max: options.maxX, log: options.logX}),
               y: axis(options.y, {text: options.yText || (v => number(v) + "×"), log: options.logY, min: options.minY})},
      plugins: {rule: {at: options.rule || []},
                direct: labels && !options.legend ? {lines: true, of: (set, i, n) => i === n - 1 ? set.label : ""} : {},
                tooltip: {callbacks: {label: item => `${item.dataset.label}: ${(options.yText || times)(item.raw.y)} at ${(options.xText || count)(item.raw.x)}`}}},
    },
  });
}
