// SPDX-License-Identifier: BSD-3-Clause
// The sections of the page of xlazy-bench --report. Every chart has its numbers in a table below; a section without data
// says which run makes them.

// ---- the answer

function verdict(threads) {
  const rows = programs().map(one => ({one, off: of(one, "xlazy-no-passes", threads), on: of(one, "xlazy-lazy", threads)}))
                         .filter(row => row.off && row.on);
  const usable = rows.filter(row => !isVoid(row.one, threads));
  const kept = usable.length ? usable : rows;
  const figures = $("figures");
  figures.replaceChildren();
  if (!kept.length) {
    $("verdict").textContent = "This run does not say.";
    $("verdict-detail").textContent = "It has no program both with rewriting and without. Run xlazy-bench without --variants, and with the cases b01 to b09.";
    return;
  }
  const speed = kept.map(row => ratio(row.off, row.on)), mean = geometric(speed);
  const best = Math.max(...speed), bestAt = kept[speed.indexOf(best)].one;
  const losing = kept.filter((row, i) => below(speed[i]));
  $("verdict").replaceChildren(mean > 1 ? "Yes: the same programs run " : "Not on this machine: the same programs run ", make("em", {}, times(mean)),
                               " as fast once they are rewritten.");
  const counts = usable.length * 2 >= rows.length;
  if (!counts) $("verdict").textContent = "Void: something else used the machine during the measurements.";
  $("verdict-detail").textContent =
    (counts ? "" : `What follows does not count: the memory's bandwidth changed by more than a fifth during ${rows.length - usable.length} of ${rows.length} cases. `) +
    `${kept.length} program${kept.length > 1 ? "s" : ""}, compiled once, run with the optimizer switched off and on, in turns, ${threads} thread${threads > 1 ? "s" : ""}. ` +
    `That is the geometric mean; the most is ${times(best)} (${bestAt.title.split(",")[0]}). ` +
    (counts && usable.length < rows.length ? `${rows.length - usable.length} more are void. ` : "") +
    (losing.length ? `Slower: ${losing.map(row => row.one.id).join(", ")}.` : "None of them is slower.") +
    (data.context.quick ? " A quick run on small arrays: roughly, not exactly." : "");
  const figure = (value, text, loss) => figures.append(make("div", {class: loss ? "figure loss" : "figure"}, make("b", {}, value), make("span", {}, text)));
  figure(times(mean), "as fast with rewriting, geometric mean", below(mean));
  const memory = kept.filter(row => row.off.peak_bytes_beside_inputs > 0 && row.on.peak_bytes_beside_inputs > 0)
                     .map(row => row.off.peak_bytes_beside_inputs / row.on.peak_bytes_beside_inputs);
  if (memory.length) figure(times(1 / geometric(memory)), "of the memory beside the inputs, geometric mean", above(1 / geometric(memory)));
  const kernels = kept.filter(row => row.off.kernels && row.on.kernels);
  if (kernels.length) {
    const sum = which => kernels.reduce((total, row) => total + row[which].kernels, 0);
    figure(`${number(sum("off"), 4)} → ${number(sum("on"), 4)}`, "passes over memory (kernels), all programs together");
  }
  const hand = kept.map(row => ratio(row.on, fastest(row.one, "hand", threads))).filter(isFinite);
  if (hand.length) figure(times(geometric(hand)), "the time of the best loop written by hand", above(geometric(hand)));
}

function rewriting(box, threads) {
  const rows = programs().map(one => ({one, off: of(one, "xlazy-no-passes", threads), on: of(one, "xlazy-lazy", threads)}))
                         .filter(row => row.off && row.on);
  if (!rows.length) return missing(box, "No program ran with rewriting and without.", "xlazy-bench --report FILE");
  const each = rows.map(row => ({...row, value: ratio(row.off, row.on)})).sort((a, b) => b.value - a.value);
  const speed = card(box, "Time: rewriting off over on", "how many times as fast, logarithmic; orange: slower");
  ratioBars(speed, "rewriting-time", each.map(row => ({label: label(row.one), value: row.value,
    tip: `${seconds(row.off.seconds.median)} → ${seconds(row.on.seconds.median)}`})), "Speed-up by rewriting");
  const grid = make("div", {class: "grid"});
  box.append(grid);
  const memory = each.filter(row => row.off.peak_bytes_beside_inputs > 0 && row.on.peak_bytes_beside_inputs > 0);
  if (memory.length) ratioBars(card(grid, "Peak memory: off over on", "beside the inputs"), "rewriting-memory",
    memory.map(row => ({label: row.one.id, value: row.off.peak_bytes_beside_inputs / row.on.peak_bytes_beside_inputs,
      tip: `${bytes(row.off.peak_bytes_beside_inputs)} → ${bytes(row.on.peak_bytes_beside_inputs)}`})), "Memory saved by rewriting");
  const kernels = each.filter(row => row.off.kernels && row.on.kernels);
  if (kernels.length) ratioBars(card(grid, "Kernels: off over on", "passes over memory, a run"), "rewriting-kernels",
    kernels.map(row => ({label: row.one.id, value: row.off.kernels / row.on.kernels, tip: `${row.off.kernels} → ${row.on.kernels}`})), "Kernels saved by rewriting");
  box.append(numbers(["program", "time off", "on", "off / on", "memory off", "on", "kernels off", "on", "bytes predict"], each.map(row => [
    {text: `${row.one.id} ${row.one.title}`, flag: isVoid(row.one, threads) ? "void" : ""}, seconds(row.off.seconds.median), seconds(row.on.seconds.median),
    {text: times(row.value), loss: below(row.value)}, bytes(row.off.peak_bytes_beside_inputs), bytes(row.on.peak_bytes_beside_inputs),
    row.off.kernels ?? "–", row.on.kernels ?? "–", times(row.one.predicted_speed_up)])));
}

// ---- the other sections

function everybody(box, threads) {
  const rows = programs().map(one => {
    const hand = fastest(one, "hand", threads), lazy = of(one, "xlazy-lazy", threads);
    const values = {};
    for (const [id] of VARIANTS) values[id] = ratio(measured(one, id, threads), hand || lazy);
    return {one, label: label(one), values, base: hand ? "hand" : "xlazy-lazy"};
  }).filter(row => isFinite(row.values["xlazy-lazy"]));
  if (!rows.length) return missing(box, "No measurements of programs.", "xlazy-bench --report FILE");
  const main = rows.filter(row => !/^b11\.(sum|mean|amax|var)\./.test(row.one.id)), reductions = rows.filter(row => !main.includes(row));
  const shown = VARIANTS;
  if (main.length) dots(card(box, "Time over the best loop written by hand", "left is faster; 1× is that loop (or, where there is none, xlazy); logarithmic"),
                        "everybody", main, shown, {rule: 1, include: 1, title: "All variants over the hand-written loop"});
  if (reductions.length) {
    const fold = make("details", {}, make("summary", {}, `${reductions.length} reductions over axes of arrays of different forms`));
    box.append(fold);
    const inner = card(fold, "Reductions over the best loop written by hand", "left is faster");
    dots(inner, "reductions", reductions.map(row => ({...row, label: row.one.id.replace("b11.", "")})), shown, {rule: 1, include: 1, title: "Reductions"});
  }
  const head = ["program", ...VARIANTS.filter(([id]) => rows.some(row => isFinite(row.values[id]))).map(([, title]) => title)];
  const ids = VARIANTS.map(([id]) => id).filter(id => rows.some(row => isFinite(row.values[id])));
  box.append(numbers(head, rows.map(row => [{text: `${row.one.id} ${row.one.title}`, flag: isVoid(row.one, threads) ? "void" : ""},
    ...ids.map(id => ({text: isFinite(row.values[id]) ? times(row.values[id]) : "–", best: row.values[id] === Math.min(...ids.map(i => row.values[i]).filter(isFinite))}))])));
}

function sizes(box, threads) {
  const families = {};
  for (const one of ofKind("size").concat(ofKind("overhead").filter(one => /^b10\.(ten-statements|one-statement)\./.test(one.id))))
    (families[one.id.replace(/\.\d+$/, "")] ||= []).push(one);
  const names = Object.keys(families);
  if (!names.length) return missing(box, "No measurements over sizes.", "xlazy-bench --filter '^size|^b10' --report FILE");
  const grid = make("div", {class: "grid"});
  box.append(grid);
  const rows = [];
  for (const family of names) {
    const all = families[family].sort((a, b) => a.sizes[0] - b.sizes[0]);
    const curve = id => all.map(one => ({x: one.sizes[0], y: ratio(measured(one, id, threads), of(one, "xlazy-lazy", threads))})).filter(p => isFinite(p.y));
    const series = ["op-by-op", "idiomatic", "eigen", "xlazy-eager", "hand"].map(id => ({...about[id], points: curve(id)})).filter(each => each.points.length > 1);
    if (!series.length) continue;
    const stock = curve("idiomatic");
    let from = null;
    for (const point of stock) if (point.y < 1) from = null; else from ??= point.x;
    const title = all[0].id.startsWith("b10") ? family.replace("b10.", "").replace("-", " ") : `${family.replace("size.", "")} ${all[0].title.split(",")[0]}`;
    const box2 = card(grid, title, from === null ? "never faster than xtensor at these sizes"
                                                       : `faster than xtensor from ${count(from)} elements on`);
    lines(box2, "size-" + family.replace(/\W/g, "-"), series.map(each => ({...each, thin: each.tone !== "idiomatic"})),
          {title: `${family}: times over xlazy's, by size`, rule: [{at: 1, of: "y", text: "xlazy"}], x: "elements", legend: true, height: 250});
    for (const one of all) rows.push([family, count(one.sizes[0]), seconds(of(one, "xlazy-lazy", threads)?.seconds.median ?? NaN),
      ...["op-by-op", "idiomatic", "eigen", "xlazy-eager", "hand"].map(id => { const v = ratio(measured(one, id, threads), of(one, "xlazy-lazy", threads));
        return {text: isFinite(v) ? times(v) : "–", loss: id === "idiomatic" && below(v)}; })]);
  }
  box.append(numbers(["program", "elements", "xlazy", "one loop an operation", "xtensor", "Eigen", "xlazy eager", "by hand"], rows));
}

function roofline(box, threads) {
  const rows = programs().filter(one => one.bandwidth && one.operations > 0).map(one => {
    const elements = one.sizes.reduce((a, b) => a * b, 1), work = one.operations * elements;
    return {one, intensity: work / one.bytes_fused, work, triad: median((one.bandwidth.filter(b => b.threads === threads)).map(b => (b.triad_before + b.triad_after) / 2)),
            lazy: of(one, "xlazy-lazy", threads), hand: fastest(one, "hand", threads), plain: measured(one, "op-by-op", threads)};
  }).filter(row => row.lazy && isFinite(row.triad) && !/^b11\.(sum|mean|amax|var)\./.test(row.one.id));
  if (!rows.length) return missing(box, "No measurements with the memory's bandwidth.", "xlazy-bench --report FILE");
  const triad = median(rows.map(row => row.triad));
  const least = Math.min(...rows.map(r => r.intensity)) / 2, most = Math.max(...rows.map(r => r.intensity)) * 2;
  const box2 = card(box, "Operations a second over operations a byte", `the line: what ${number(triad / 1e9)} GB/s (a triad, measured in the same run) allow; an exponential counts as one operation. Arrays of quick runs may fit the caches, so that points can lie above memory's limit`);
  const sets = [["hand", "hand"], ["plain", "op-by-op"], ["lazy", "xlazy-lazy"]].map(([field, id]) => ({id, ...about[id],
    points: rows.filter(r => r[field]).map(r => ({x: r.intensity, y: r.work / r[field].seconds.median, name: label(r.one)}))})).filter(s => s.points.length);
  box2.append(key([...sets.map(s => [s.title, s.tone, s.shape]), ["memory's limit", "faint", "line"]]));
  draw(box2, "roofline", 360, {
    type: "scatter", label: "Roofline",
    data: {datasets: [...sets.map(s => ({label: s.title, data: s.points, backgroundColor: colour(s.tone), borderColor: colour(s.tone), pointStyle: s.shape,
                                         pointRadius: s.id === "xlazy-lazy" ? 6.5 : 5, pointHoverRadius: 8, order: s.id === "xlazy-lazy" ? 0 : 1})),
                      {label: "limit", data: [{x: least, y: least * triad}, {x: most, y: most * triad}], showLine: true, pointRadius: 0, borderWidth: 2, borderColor: colour("faint"), order: 3}]},
    options: {layout: {padding: {right: 20, top: 10}},
      scales: {x: axis("operations a byte", {text: number, min: least, max: most}), y: axis("operations a second", {text: v => count(v / 1e9) + "G"})},
      plugins: {direct: {gap: 4, of: (set, i) => !narrow() && set.label === about["xlazy-lazy"].title ? rows.filter(r => r.lazy)[i].one.id : ""},
                tooltip: {filter: item => item.dataset.label !== "limit", callbacks: {label: item => `${item.raw.name}: ${item.dataset.label}, ${number(item.raw.y / 1e9)} Gop/s`}}}},
  });
  box.append(numbers(["program", "operations a byte", "xlazy", "of the limit's bandwidth", "GB/s", "best by hand", "of the limit"], rows.map(r => [
    {text: `${r.one.id} ${r.one.title}`, flag: isVoid(r.one, threads) ? "void" : ""}, number(r.intensity), number(r.work / r.lazy.seconds.median / 1e9) + " Gop/s", Math.round(100 * r.lazy.of_limit) + " %",
    number(r.one.bytes_fused / r.lazy.seconds.median / 1e9), r.hand ? number(r.work / r.hand.seconds.median / 1e9) + " Gop/s" : "–", r.hand ? Math.round(100 * r.hand.of_limit) + " %" : "–"])));
}

function ablation(box) {
  const passes = data.passes || [];
  const rows = cases.filter(one => one.measurements.some(m => m.group === "ablation"));
  if (!rows.length) return missing(box, "No measurements without single passes.", "xlazy-bench --ablation --report FILE");
  const factor = (one, pass) => ratio(of(one, pass, 1), of(one, "xlazy-lazy", 1));
  const memory = (one, pass) => { const a = of(one, pass, 1), b = of(one, "xlazy-lazy", 1); return a && b && b.peak_bytes_beside_inputs > 0 ? a.peak_bytes_beside_inputs / b.peak_bytes_beside_inputs : NaN; };
  const kernels = (one, pass) => { const a = of(one, pass, 1), b = of(one, "xlazy-lazy", 1); return a?.kernels && b?.kernels ? a.kernels / b.kernels : NaN; };
  const short = pass => pass.replace("xlazy-without-", "");
  const most = passes.map(pass => ({label: short(pass), value: Math.max(...rows.map(one => factor(one, pass)).filter(isFinite))}))
                     .filter(row => isFinite(row.value)).sort((a, b) => b.value - a.value);
  ratioBars(card(box, "Time without the pass over time with it", "1 thread; the program that the pass helps most; below some 1.1× is noise"), "ablation",
            most, "What each pass buys at most");
  const heat = value => !isFinite(value) ? 0 : Math.min(1, Math.max(0, Math.log(value) / Math.log(16)));
  // A process's peak varies by some pages and blocks from run to run: ratios near 1 say nothing.
  const block = (title, of_, least = .93, most = 1) => [make("h3", {style: "font-size:.95rem;margin:1rem 0 0"}, title),
    heatTable(["pass", ...rows.map(one => one.id)], passes.map(pass => [short(pass), ...rows.map(one => { const v = of_(one, pass);
      return {text: !isFinite(v) ? "–" : Math.abs(v - 1) < .03 ? "·" : number(v, 3), heat: v > least && v < most ? 0 : heat(v), loss: v < least}; })]))];
  const box2 = card(box, "By program", "without the pass over with it; a point: no difference; peak memory of the process, in which 0.7 to 1.3 is noise");
  box2.append(...block("Time", factor), ...block("Peak memory", memory, .7, 1.3), ...block("Kernels", kernels));
}

function captured(box, threads) {
  const rows = programs().map(one => ({one, label: label(one), values: {
    "xlazy-lazy": ratio(of(one, "xlazy-lazy", threads), fastest(one, "hand", threads)), "xlazy-captured": ratio(of(one, "xlazy-captured", threads), fastest(one, "hand", threads)), hand: 1}}))
    .filter(row => isFinite(row.values["xlazy-captured"]) && isFinite(row.values["xlazy-lazy"]));
  const bodies = {};
  for (const one of cases.filter(each => /^b13\./.test(each.id) && of(each, "xlazy-captured", threads) && of(each, "xlazy-lazy", threads)))
    (bodies[one.title.replace("iteration: ", "")] ||= []).push(one);
  if (!rows.length && !Object.keys(bodies).length)
    return missing(box, "This run has no captured programs.", "xlazy-bench --filter '^b13' --report FILE");
  if (Object.keys(bodies).length) {
    const tones = ["lazy", "operation", "hand", "eigen", "idiomatic"], gain = one => ratio(of(one, "xlazy-lazy", threads), of(one, "xlazy-captured", threads));
    lines(card(box, "Recorded over captured", "one iteration; how many times as fast it is when it was captured once"), "captured-sizes", Object.entries(bodies).map(([title, all], i) =>
      ({title, tone: tones[i % 5], points: all.map(one => ({x: one.sizes[0], y: gain(one)})).sort((a, b) => a.x - b.x)})), {rule: [{at: 1, of: "y"}], x: "elements", legend: true, title: "Recorded over captured, by size"});
    box.append(numbers(["iteration", "elements", "recorded", "captured", "recorded / captured", "xtensor"], Object.entries(bodies).flatMap(([title, all]) => all.map(one => [title, count(one.sizes[0]),
      seconds(of(one, "xlazy-lazy", threads).seconds.median), seconds(of(one, "xlazy-captured", threads).seconds.median), {text: times(gain(one)), loss: below(gain(one))}, seconds(fastest(one, "idiomatic", threads)?.seconds.median ?? NaN)]))));
  }
  if (!rows.length) return;
  const series = VARIANTS.filter(([id]) => ["xlazy-lazy", "xlazy-captured", "hand"].includes(id));
  dots(card(box, "Time over the best loop written by hand", "recorded anew every run, against captured once and replayed"), "captured", rows, series, {rule: 1, title: "Captured against recorded"});
  box.append(numbers(["program", "recorded", "captured"], rows.map(row => [row.one.id, times(row.values["xlazy-lazy"]), times(row.values["xlazy-captured"])])));
}

const WAYS = {"eager": "eager", "interpreted": "off", "empty cache": "lazy", "full cache": "hand", "waits for the compiler": "operation"};
function early(box) {
  const all = (data.early || []).filter(runs => !runs.error && runs.seconds.length);
  if (!all.length) return missing(box, "No first runs were measured.", "xlazy-bench --early --report FILE");
  const grid = make("div", {class: "grid"});
  box.append(grid);
  const rows = [];
  for (const id of [...new Set(all.map(runs => runs.case))]) {
    const mine = all.filter(runs => runs.case === id);
    const box2 = card(grid, `${id} ${mine[0].title.split(",")[0]}`, "seconds a run, over the number of the run");
    lines(box2, "early-" + id.replace(/\W/g, "-"), mine.map(runs => ({title: runs.how, tone: WAYS[runs.how], thin: runs.how === "eager" || runs.how === "interpreted",
      dash: runs.how === "interpreted" ? [2, 3] : runs.how === "waits for the compiler" ? [6, 4] : [], points: runs.seconds.map(([x, y]) => ({x, y}))})),
      {title: `First runs of ${id}`, yText: seconds, x: "run", legend: true, height: 260});
    const first = how => mine.find(runs => runs.how === how);
    for (const runs of mine) rows.push([id, runs.how, seconds(runs.seconds[0][1]), {text: times(runs.seconds[0][1] / (first("eager")?.seconds[0][1] ?? NaN)), loss: above(runs.seconds[0][1] / (first("eager")?.seconds[0][1] ?? Infinity))},
      seconds(Math.min(...runs.seconds.map(([, y]) => y))), runs.compiled, runs.loaded]);
  }
  box.append(numbers(["program", "how", "first run", "over eager's first", "best run", "compiled", "loaded"], rows));
}

function overhead(box, threads) {
  const costs = (data.costs || []).filter(cost => cost.threads === threads);
  const lone = ofKind("overhead").filter(one => /^b10\.(hundred|read-at-once|access)/.test(one.id));
  if (!costs.length && !lone.length) return missing(box, "No measurements of costs.", "xlazy-bench --filter '^b10' --report FILE");
  if (costs.length) {
    const box2 = card(box, "What recording and flushing cost", "the mark: what it may cost");
    const values = costs.map(cost => cost.seconds * 1e9), most = Math.max(...values, ...costs.map(c => c.budget * 1e9));
    draw(box2, "overhead", costs.length * 28 + 44, {
      type: "bar", label: "Overhead of each thing",
      data: {labels: costs.map(cost => cost.what), datasets: [
        {data: values, order: 1, borderRadius: 3, barPercentage: .72, categoryPercentage: .94, backgroundColor: costs.map(c => c.budget && c.seconds > c.budget ? colour("loss") : colour("gain"))},
        {type: "scatter", order: 0, data: costs.map(c => ({x: c.budget * 1e9, y: c.what})).filter(p => p.x > 0), pointStyle: "line", rotation: 90, pointRadius: 10, borderWidth: 2.5, borderColor: colour("ink"), yAxisID: "y"}]},
      options: {indexAxis: "y", layout: {padding: {right: 60}},
        scales: {x: axis("", {log: false, min: 0, text: v => seconds(v * 1e-9)}),
                 y: {grid: {display: false, drawBorder: false}, ticks: {color: colour("ink"), crossAlign: "far", autoSkip: false, font: {size: narrow() ? 11 : 12.5}}}},
        plugins: {direct: {of: (set, i) => set.type === "scatter" ? "" : seconds(values[i] * 1e-9),
                           at: i => Math.max(values[i], costs[i].budget * 1e9 < values[i] + most / 7 ? costs[i].budget * 1e9 : 0)},
                  tooltip: {callbacks: {label: item => seconds((item.raw.x ?? item.raw) * 1e-9)}}}},
    });
    box2.append(numbers(["what", "cost", "may cost"], costs.map(c => [c.what, {text: seconds(c.seconds), loss: c.budget > 0 && c.seconds > c.budget}, c.budget ? seconds(c.budget) : "–"])));
  }
  if (lone.length) {
    const rows = lone.map(one => ({one, lazy: of(one, "xlazy-lazy", threads), stock: fastest(one, "idiomatic", threads)})).filter(r => r.lazy && r.stock);
    const box2 = card(box, "Where there is nothing to gain", "small arrays and loops over elements, over xtensor's time");
    box2.append(table(["program", "xlazy", "xtensor", "over xtensor"], rows.map(r => { const v = ratio(r.lazy, r.stock);
      return [r.one.title, seconds(r.lazy.seconds.median), seconds(r.stock.seconds.median), {text: times(v), loss: v > 1.05}]; })));
  }
}

function scaling(box) {
  const counts = [...new Set(cases.flatMap(one => one.measurements.map(m => m.threads)))].sort((a, b) => a - b);
  if (counts.length < 2) return missing(box, "Only one number of threads was measured.", "xlazy-bench --threads 1,2,4,8 --report FILE");
  const most = counts[counts.length - 1], names = ["xlazy-lazy", "hand", "op-by-op"];
  const gain = (one, id, threads) => ratio(measured(one, id, 1), id === "hand" ? fastest(one, "hand", threads) : of(one, id, threads));
  const rows = programs().filter(one => !/^b11\.(sum|mean|amax|var)\./.test(one.id)).map(one => ({one, label: label(one),
    values: Object.fromEntries(names.map(id => [id, gain(one, id, most)]))})).filter(row => isFinite(row.values["xlazy-lazy"]));
  if (!rows.length) return missing(box, "No program ran with several threads.", "xlazy-bench --threads 1,2 --report FILE");
  const series = VARIANTS.filter(([id]) => names.includes(id));
  if (counts.length > 2) {
    const points = id => counts.map(threads => ({x: threads, y: geometric(rows.map(row => gain(row.one, id, threads)).filter(isFinite))})).filter(p => isFinite(p.y));
    lines(card(box, "One thread over several", "geometric mean of the programs"), "scaling-mean", [...names.map(id => ({...about[id], points: points(id)})).filter(s => s.points.length),
      {title: "as many times", tone: "faint", dash: [4, 4], thin: true, points: counts.map(c => ({x: c, y: c}))}], {logX: false, logY: false, minY: 0, x: "threads", title: "Scaling"});
  }
  dots(card(box, `One thread over ${most} threads`, `the line: ${most} times as fast; what memory limits cannot reach it`), "scaling", rows, series, {rule: most, include: 1, title: "Scaling over threads"});
  box.append(numbers(["program", ...series.map(([, title]) => title)], rows.map(row => [row.one.id, ...series.map(([id]) => isFinite(row.values[id]) ? {text: times(row.values[id]), loss: below(row.values[id])} : "–")])));
}

function wholePrograms(box, threads) {
  const rows = cases.filter(one => one.id.startsWith("program.")).map(one => ({one, lazy: of(one, "xlazy-lazy", threads), eager: of(one, "xlazy-eager", threads), stock: fastest(one, "idiomatic", threads)}))
                    .filter(row => row.lazy && row.stock);
  if (!rows.length) return missing(box, "No whole programs were measured.", "xlazy-bench --filter '^program' --report FILE");
  const each = rows.map(row => ({...row, value: ratio(row.stock, row.lazy)})).sort((a, b) => b.value - a.value);
  ratioBars(card(box, "xtensor's time over xlazy's", "the same source; orange: xlazy is slower"), "programs", each.map(row => ({label: narrow() ? row.one.id.replace("program.", "") : row.one.title, value: row.value,
    tip: `${seconds(row.stock.seconds.median)} → ${seconds(row.lazy.seconds.median)}`})), "Whole programs");
  box.append(numbers(["program", "size, steps", "xtensor", "xlazy", "xlazy eager", "xtensor / xlazy"], each.map(row => [row.one.title, row.one.sizes.join(", "), seconds(row.stock.seconds.median), seconds(row.lazy.seconds.median),
    row.eager ? seconds(row.eager.seconds.median) : "–", {text: times(row.value), loss: below(row.value)}])));
}

function others(box) {
  const all = data.others || [];
  if (!all.length) return missing(box, "No other libraries were timed beside these.", "python3 bench/others.py --json others.json, then xlazy-bench --others others.json --report FILE");
  const ids = [...new Set(all.map(row => row.case))];
  const libraries = [...new Set(all.map(row => row.library))];
  const tones = ["operation", "idiomatic", "eigen", "hand", "captured", "eager", "off"], shapes = ["rect", "triangle", "rectRot", "circle", "rect", "crossRot", "cross"];
  const series = [["xlazy-lazy", "xlazy", "lazy", "circle"], ...libraries.filter(name => name !== "xlazy").map((name, i) => [name, name, tones[i % 7], shapes[i % 7]])];
  const at = (id, library) => all.find(row => row.case === id && row.library === library);
  const rows = ids.map(id => ({label: id, values: Object.fromEntries(series.map(([key_]) => [key_, (key_ === "xlazy-lazy" ? 1 : (at(id, key_)?.seconds.median ?? NaN) / (at(id, "xlazy")?.seconds.median ?? NaN))]))}))
                  .filter(row => Object.values(row.values).filter(isFinite).length > 1);
  if (rows.length) dots(card(box, "Time over xlazy's", "the same work in the same rounds, as many threads; left is faster than xlazy"), "others", rows, series, {rule: 1, include: 1, title: "Other libraries"});
  box.append(numbers(["program", ...series.map(([, title]) => title)], ids.map(id => [id, ...series.map(([key_]) => { const row = at(id, key_ === "xlazy-lazy" ? "xlazy" : key_); return row ? seconds(row.seconds.median) : "–"; })])));
}

function published(box, threads) {
  const rows = (data.anchors || []).map(anchor => {
    const mine = cases.find(one => one.id === anchor.bench) || cases.find(one => one.id.startsWith(anchor.bench));
    const here = mine ? ratio(of(mine, "op-by-op", threads), of(mine, "xlazy-lazy", threads)) : NaN;
    return [anchor.bench, {text: times(anchor.ratio)}, anchor.claim, anchor.hardware, {text: anchor.source.replace(/^https?:\/\//, ""), link: /^https?:/.test(anchor.source) ? anchor.source : anchor.source.startsWith("doi:") ? "https://doi.org/" + anchor.source.slice(4) : undefined},
            isFinite(here) ? times(here) : "–"];
  });
  if (!rows.length) return missing(box, "There are no published figures in this file.");
  const box2 = card(box, "", "");
  box2.append(table(["case", "published", "what", "hardware", "source", "here: op by op / xlazy"], rows, [2, 3, 4]));
}

function everything(box) {
  const all = cases.filter(one => one.measurements.length);
  if (!all.length) return missing(box, "Nothing was measured.", "xlazy-bench --report FILE");
  for (const one of all) {
    const limited = !!one.bandwidth;
    const head = ["variant", "threads", "min", "median", "MAD", "over by hand", "over xtensor", ...(limited ? ["GB/s", `% of ${one.limit}`, "memory", "kernels"] : []), "ULP"];
    const rows = one.measurements.filter(m => m.group !== "ablation").map(m => m.error ? [m.variant, m.threads, {text: m.error, loss: true}] : [m.variant, m.threads, seconds(m.seconds.min), seconds(m.seconds.median), seconds(m.seconds.mad),
      m.over_hand ? times(m.over_hand.median) : "–", m.over_idiomatic ? {text: times(m.over_idiomatic.median), loss: m.variant === "xlazy-lazy" && above(m.over_idiomatic.median)} : "–",
      ...(limited ? [number(m.bytes_per_second / 1e9), Math.round(100 * m.of_limit), bytes(m.peak_bytes_beside_inputs), m.kernels ?? ""] : []), m.max_ulp === null ? (m.compared ? "differs" : "–") : {text: number(m.max_ulp), loss: m.wrong}]);
    const flag = (one.bandwidth || []).some(b => b.void) ? " (void: the memory's bandwidth changed by more than a fifth)" : "";
    box.append(make("details", {}, make("summary", {}, `${one.id}: ${one.title}, ${one.dtype}, ${one.sizes.join(" × ")}${flag}`), table(head, rows)));
  }
}

const SECTIONS = [
  ["rewriting", "Rewriting off and on", "One program, one compiler, one back end. Off: every operation is a kernel of its own. On: as xlazy comes.", rewriting],
  ["everybody", "Against everybody else", "All variants took turns in one run, round after round, with as many threads; xtensor's temporary arrays come from a pool.", everybody],
  ["sizes", "From which size on", "Times of the others over xlazy's: above the line xlazy is faster. Recording and flushing cost the same for any size, so small arrays lose.", sizes],
  ["roofline", "How far from the machine's limit", "Each program once: as one loop over memory needs to move it, against what the memory does in the same minute.", roofline],
  ["ablation", "What each pass buys", "The examples without one optimizer pass at a time.", ablation],
  ["captured", "Static against dynamic", "A dynamic graph is recorded in every run; a captured one once. What is the difference, when both are rewritten?", captured],
  ["early", "The first runs", "A fresh process. As xlazy comes, kernels are interpreted until compiled ones take over, and the next process finds them in the cache. For comparison: eager, never compiled, and made to wait for the compiler (XLAZY_JIT=block).", early],
  ["overhead", "What it costs beside the arithmetic", "A statement that is recorded, a batch that is flushed, and programs that gain nothing.", overhead],
  ["scaling", "More threads", "The same variant with one thread over itself with several.", scaling],
  ["programs", "Whole programs", "After benchpress: small simulations and numerical programs in plain xtensor, from start to end.", wholePrograms],
  ["others", "Other libraries", "The same work in Python's array libraries, where they are installed, in the same rounds.", others],
  ["published", "Published elsewhere", "What others have reported of such techniques, on their machines. Not comparable in seconds, and never divided by ours.", published],
  ["everything", "Every measurement", "Minimum, median and median absolute deviation of the rounds. Losses against xtensor are orange.", everything],
];

function render(threads) {
  for (const chart of charts.splice(0)) chart.destroy();
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  Chart.defaults.font.size = narrow() ? 11 : 12;
  verdict(threads);
  const sections = $("sections");
  sections.replaceChildren();
  for (const [id, title, text, fill] of SECTIONS) {
    const section = make("section", {class: "part", id}, make("h2", {}, title), make("p", {class: "say"}, text));
    sections.append(section);
    fill(section, threads);
  }
  document.documentElement.dataset.charts = charts.length;
}

function footer() {
  const c = data.context || {};
  const facts = [["Date", c.date], ["Processor", c.cpu], ["Cores", c.cores], ["Compiler", c.compiler && "g++ " + c.compiler],
    ["Caches", (c.caches || []).filter(cache => cache.type !== "Instruction").map(cache => `L${cache.level} ${bytes(cache.bytes)}`).join(", ")],
    ["Rounds", c.rounds], ["Kind of run", c.quick ? "quick: small arrays" : "full"], ["Load before", (c.load || []).map(l => number(l, 2)).join(", ")],
    ["Void", cases.filter(one => (one.bandwidth || []).some(b => b.void)).map(one => one.id).join(", ") || "none"]];
  $("about").append(make("h2", {}, "How this was measured"),
    make("p", {}, "Variants are programs of their own that take turns; printed ratios are medians of the ratios inside the rounds. Bytes are those of one loop without temporary arrays; bandwidth is that of a triad, measured before, between and after. A case is void if that changed by more than a fifth: something else used the machine. Results are compared with the hand-written loop's, in units of the last place."),
    make("dl", {}, facts.filter(([, value]) => value !== undefined && value !== "").flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))])));
}

// ---- begin

const counts = [...new Set(cases.flatMap(one => one.measurements.map(m => m.threads)))].sort((a, b) => a - b);
// As many threads as were measured while nothing else used the machine.
const quiet = threads => programs().filter(one => !isVoid(one, threads)).length * 2 >= programs().length;
let chosen = [...counts].reverse().find(quiet) || counts[0] || 1;
for (const threads of counts.length > 1 ? counts : []) {
  const button = make("button", {type: "button", "aria-pressed": String(threads === chosen)}, narrow() ? `${threads} thr.` : `${threads} thread${threads > 1 ? "s" : ""}`);
  button.addEventListener("click", () => {
    chosen = threads;
    for (const each of $("threads").children) each.setAttribute("aria-pressed", String(each === button));
    render(chosen);
  });
  $("threads").append(button);
}
if (counts.length < 2) $("threads").remove();
const dark = matchMedia("(prefers-color-scheme: dark)");
let wish = new URLSearchParams(location.search).get("theme");
function theme() {
  document.documentElement.dataset.theme = wish || (dark.matches ? "dark" : "light");
}
$("theme").addEventListener("click", () => {
  wish = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  theme();
  render(chosen);
});
dark.addEventListener("change", () => { theme(); render(chosen); });
theme();
$("contents").append(...SECTIONS.map(([id, title]) => make("a", {href: "#" + id}, title)));
footer();
render(chosen);
let wasNarrow = narrow();
addEventListener("resize", () => { if (narrow() !== wasNarrow) { wasNarrow = narrow(); render(chosen); } });
