// What single workloads tell beside bandwidth: shares of time, scaling, rates of NPB, convection.

const parameterOf = (one, name) => (one.parameters ?? one.problem).find((figure) => figure.name === name)?.value;
const wholeKernels = (data, workload) => data.kernels.filter((kernel) => kernel.workload === workload && !kernel.is_part);

/// The device, where not all are on the same.
function withDevice(kernels, kernel) {
  return new Set(kernels.map(({ device }) => device)).size > 1 ? `${kernel.label}, ${kernel.device}` : kernel.label;
}

// HPCG

function hpcgSection(data) {
  const kernels = wholeKernels(data, "hpcg");
  if (kernels.length === 0) {
    return null;
  }
  const first = (kernel) => data.runs[kernel.places[0][0]];
  const detailed = kernels.filter((kernel) => first(kernel).measurements.some((one) => parameterOf(one, "step") !== undefined));
  const steps = [...new Set(detailed.flatMap((kernel) => first(kernel).measurements.map((one) => parameterOf(one, "step")).filter((step) => step !== undefined)))];
  const share = (kernel, step) => first(kernel).measurements.filter((one) => parameterOf(one, "step") === step).reduce((sum, one) => sum + (figureOf(one, "share") ?? 0), 0);
  const largest = steps.map((step) => [step, Math.max(...detailed.map((kernel) => share(kernel, step)))]).sort((a, b) => b[1] - a[1]).map(([step]) => step);
  const shown = largest.slice(0, curveCount - 1);
  const bars = shown.map((step) => ({ name: step, values: detailed.map((kernel) => share(kernel, step)) }));
  if (largest.length > shown.length) {
    bars.push({ name: "other steps", values: detailed.map((kernel) => largest.slice(shown.length).reduce((sum, step) => sum + share(kernel, step), 0)) });
  }
  const names = detailed.map((kernel) => withDevice(kernels, kernel));
  const gflops = (kernel, name) => { const value = median(kernel.places.map(([run, n]) => figureOf(data.runs[run].measurements[n], name))); return value ? si(1e9 * value, "FLOPS") : ""; };
  return section("hpcg", "HPCG", "Ratings by the benchmark's rules, and where the time of an iteration goes, summed over the levels of the multigrid.",
    table("Ratings of HPCG; where several runs measured the same, medians", ["problem", "device", "rating", "without set-up", "SpMV", "MG", "official result"],
      kernels.map((kernel) => [kernel.label, kernel.device, gflops(kernel, "rating"), gflops(kernel, "raw"), gflops(kernel, "spmv"), gflops(kernel, "mg"),
        figureOf(data.runs[kernel.places[0][0]].measurements[kernel.places[0][1]], "official") ? "yes" : "no"])),
    detailed.length > 0 ? element("div", { class: "charts wide" }, barChart({
      title: "HPCG: shares of time", description: "Of an iteration of the timed runs, measured step by step.", names, bars, stacked: true, most: 100, valueText: percentText, axisName: "% of the time",
      table: { headings: ["problem", ...largest], rows: detailed.map((kernel, n) => [names[n], ...largest.map((step) => percentText(share(kernel, step)))]) } })) : null);
}

// NPB

function npbChart(device, measured) {
  const order = "SWABCDEF";
  const classes = [...new Set(measured.map(({ size }) => size))].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const kernels = [...new Set(measured.map(({ kernel }) => kernel))].sort();
  const best = (kernel, size) => { const rates = measured.filter((one) => one.kernel === kernel && one.size === size).map(({ mops }) => mops); return rates.length > 0 ? Math.max(...rates) : null; };
  return barChart({
    title: `NPB: operations per second, ${device}`, description: "By kernel and class, on a logarithmic axis; of several runs, the fastest. What counts as an operation differs between kernels.",
    names: kernels.map((kernel) => kernel.toUpperCase()), valueText: (value) => (isNumber(value) ? si(1e6 * value, "op/s") : ""), axisName: "Mop/s", logarithmic: true,
    least: 10 ** Math.floor(Math.log10(Math.min(...measured.map(({ mops }) => mops)))),
    bars: classes.map((size) => ({ name: `class ${size}`, values: kernels.map((kernel) => best(kernel, size)) })),
    table: { headings: ["kernel", ...classes.map((size) => `class ${size}`)], rows: kernels.map((kernel) => [kernel.toUpperCase(), ...classes.map((size) => { const rate = best(kernel, size); return rate ? si(1e6 * rate, "op/s") : ""; })]) },
  });
}

function npbSection(data) {
  const measured = data.runs.flatMap((run) => run.measurements.map((one) => ({ device: one.device, kernel: parameterOf(one, "kernel"), size: parameterOf(one, "class"), mops: figureOf(one, "mops") }))).filter(({ kernel, size, mops }) => kernel && size && mops > 0);
  const groups = groupBy(measured, ({ device }) => device);
  return groups.size > 0 ? section("npb", "NAS Parallel Benchmarks", "Rates as the benchmarks define them.", element("div", { class: "charts wide" }, [...groups.entries()].map(([device, members]) => npbChart(device, members)))) : null;
}

// Scaling

function scalingChart(title, isStrong, lines) {
  const quantity = isStrong ? "speedup" : "efficiency";
  const text = (value) => (isStrong ? threeDigits(value) : percentText(value));
  const ranks = [...new Set(lines.flatMap(({ points }) => points.map((point) => point.ranks)))].sort((a, b) => a - b);
  const [low, high] = [ranks[0], ranks[ranks.length - 1]];
  return chart({
    title, description: isStrong ? "Speedup over the smallest number of ranks, for one problem; the dashed line is ideal. Both axes are logarithmic." : "Efficiency of problems that grow with the number of ranks; 100 % is ideal.",
    height: 380, legend: lines.map(({ name }, n) => ({ name, look: "line", curve: n })),
    table: { headings: ["run", "ranks", "speedup", "efficiency", "of the ceiling"], rows: lines.flatMap(({ name, points }) => points.map((point) => [name, String(point.ranks), threeDigits(point.speedup), percentText(point.efficiency), percentText(point.percent)])) },
    option: (palette) => ({
      grid: frame,
      tooltip: { trigger: "item", formatter: ({ seriesName, value }) => tip([seriesName, `${value[0]} rank${value[0] === 1 ? "" : "s"}: ${quantity} ${text(value[1])}`]) },
      xAxis: axis(palette, { type: "log", logBase: 2, min: low, max: high > low ? high : 2 * low, name: "ranks", axisLabel: { formatter: (value) => digits(value) } }),
      yAxis: uprightAxis(palette, isStrong ? { type: "log", logBase: 2, name: "speedup", axisLabel: { formatter: (value) => digits(value) } } : { type: "value", min: 0, max: (range) => Math.max(100, 10 * Math.ceil(range.max / 10)), name: "efficiency", axisLabel: { formatter: "{value} %" } }, isStrong ? 12 : 40),
      series: [{ type: "line", name: "ideal", silent: true, symbol: "none", emphasis: { disabled: true }, lineStyle: { color: palette.faint, type: [5, 4], width: 1.5 }, itemStyle: { color: palette.faint }, tooltip: { show: false },
        data: isStrong ? [[low, 1], [high, high / low]] : [[low, 100], [high, 100]] },
      ...lines.map(({ name, points }, n) => curve(palette, n, { name, symbolSize: 9, data: points.map((point) => [point.ranks, isStrong ? point.speedup : point.efficiency]) }))],
    }),
  });
}

function scalingSection(data) {
  const runs = data.runs.filter(({ workload, measurements }) => workload.startsWith("scaling ") && measurements.length > 0);
  const lines = runs.map((run) => ({ mode: parameterOf(run.measurements[0], "mode"), workload: run.workload.slice("scaling ".length), file: run.file, device: run.device.replace(/^\d+ x /, ""),
    name: [run.measurements[0].name.replace(/,? \d+ ranks?$/, ""), parameterOf(run.measurements[0], "solver")].filter((part) => part).join(", "),
    points: run.measurements.map((one) => ({ ranks: parameterOf(one, "ranks"), speedup: figureOf(one, "speedup"), efficiency: figureOf(one, "efficiency"), percent: one.percent })) }));
  const groups = groupBy(lines.filter(({ points }) => points.every(({ ranks, speedup }) => isNumber(ranks) && isNumber(speedup))), ({ workload, mode, device }) => `${mode === "weak" ? "Weak" : "Strong"} scaling: ${workload === "convect" ? "convection" : workloadTitle(workload)}, ${device}`);
  const named = (members) => members.map((line) => (members.filter(({ name }) => name === line.name).length > 1 ? { ...line, name: `${line.name}, ${line.file}` } : line));
  return groups.size > 0 ? section("scaling", "Scaling", "The same work on more ranks (strong), or more work on more ranks (weak).",
    element("div", { class: "charts" }, [...groups.entries()].map(([title, members]) => scalingChart(title, members[0].mode !== "weak", named(members))))) : null;
}

// Convection

const partsOfStep = ["advance", "divergence", "pressure", "projection", "ghosts", "diffusion", "cold stage"];

function convectionParts(data, kernels) {
  const of = (kernel, part) => median(kernel.places.map(([run]) => { const found = data.runs[run].measurements.find((one) => parameterOf(one, "part") === part); return found ? figureOf(found, "ns_per_cell") : null; }));
  const known = [...new Set(data.runs.filter(({ workload }) => workload === "convection").flatMap(({ measurements }) => measurements.map((one) => parameterOf(one, "part"))))]
    .filter((part) => part && part !== "step" && part !== "cold stage").sort((a, b) => partsOfStep.indexOf(a) - partsOfStep.indexOf(b));
  const shown = kernels.filter((kernel) => known.some((part) => isNumber(of(kernel, part))));
  if (shown.length === 0) {
    return null;
  }
  const sum = (kernel) => known.reduce((total, part) => total + (of(kernel, part) ?? 0), 0);
  const names = shown.map((kernel) => withDevice(kernels, kernel).replace(/ step\b/, ""));
  return barChart({
    title: "Convection: shares of a step's parts", description: "Each part measured by itself, as a share of all of them together.", names, stacked: true, most: 100, valueText: percentText, axisName: "% of the parts",
    bars: known.map((part) => ({ name: part, values: shown.map((kernel) => 100 * (of(kernel, part) ?? 0) / sum(kernel)) })),
    table: { headings: ["case", "whole step, ns per cell", ...known.map((part) => `${part}, ns per cell`)], rows: shown.map((kernel, n) => [names[n], digits(of(kernel, "step")), ...known.map((part) => digits(of(kernel, part)))]) },
  });
}

function nusseltTable(data) {
  const walls = ["lower", "upper", "volume", "thermal", "kinetic"];
  const rows = data.runs.flatMap((run) => run.measurements.filter((one) => isNumber(figureOf(one, "nusselt_volume_average")))
    .map((one) => [run.file, String(parameterOf(run, "case") ?? one.name), String(parameterOf(run, "grid") ?? ""), ...walls.map((wall) => digits(figureOf(one, `nusselt_${wall}_average`), 5)),
      percentText(100 * figureOf(one, "nusselt_error")), percentText(100 * figureOf(one, "nusselt_disagreement")), readable(String(figureOf(one, "nusselt_window") ?? "")).replace("-", " ")]));
  return rows.length > 0 ? disclosure(`Nusselt numbers of ${rows.length} run${rows.length === 1 ? "" : "s"}`, table("Nusselt numbers: averages over the second half of each run, with the standard error and the disagreement of the five",
    ["result", "case", "grid", ...walls, "error", "disagreement", "window"], rows)) : null;
}

function picturesOf(data) {
  const figures = data.runs.flatMap((run) => run.pictures.map(({ slice, time, place, least, most, url }) => {
    const title = `${capitalised(readable(slice.replace(/-.*/, "")))} in the plane ${place}, at time ${digits(Number(time), 4) || time}`;
    return element("figure", {}, element("img", { src: url.startsWith("data:image/png;base64,") ? url : null, alt: `${title}: from ${least} to ${most}` }),
      element("figcaption", {}, title, element("span", { class: "quiet" }, `. Colours from ${digits(Number(least))} to ${digits(Number(most))}`)));
  }));
  return figures.length > 0 ? element("div", { class: "pictures" }, figures) : null;
}

function convectionSection(data) {
  const kernels = wholeKernels(data, "convection");
  if (kernels.length === 0) {
    return null;
  }
  const nusselt = nusseltTable(data);
  if (nusselt && data.runs.some(({ pictures }) => pictures.length > 0)) {
    nusselt.open = true;
  }
  const parts = convectionParts(data, kernels);
  return section("convection", "Convection", "What the time steps consist of, and what the flows came to.", picturesOf(data), nusselt, parts ? element("div", { class: "charts wide" }, parts) : null);
}
