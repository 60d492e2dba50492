// How close each kernel came to its ceiling, and how this set compares with another.

const mostBars = 45;

function percentChart(data, device, workload, kernels) {
  const rows = kernels.map((kernel) => ({ kernel, ...typical(data, kernel) })).sort((a, b) => b.percent - a.percent);
  const shown = rows.slice(0, mostBars);
  const range = ({ count, leastPercent, mostPercent }) => (count > 1 ? `${percentText(leastPercent)} to ${percentText(mostPercent)} in ${count} runs` : "");
  const most = Math.max(...rows.map(({ percent }) => percent));
  return barChart({
    title: `${workloadTitle(workload)}: percent of the ceiling, ${device}`,
    description: `${rows.length > mostBars ? `The highest ${mostBars} of ${rows.length}; the table has all. ` : ""}${rows.some(({ cache }) => cache !== "beyond") ? "Hollow: the working set is at least partly in a cache, so the percentage says little of memory. " : ""}`
      + "100 % is the stream with the same mix of reads and writes.",
    names: shown.map(({ kernel }) => kernel.label), valueText: percentText, axisName: "% of the ceiling", marks: [{ value: 100, name: "" }],
    most: Math.max(100, 20 * Math.ceil(most / 20)),
    bars: [{ name: workload, values: shown.map(({ percent }) => percent), hollow: shown.map(({ cache }) => cache !== "beyond") }],
    table: { headings: ["kernel", "of the ceiling", "bandwidth", "ceiling", "floating point", "time", "working set", "runs"],
      rows: rows.map((row) => [row.kernel.label, percentText(row.percent), rateText(row.bytesPerSecond), rateText(row.ceiling), flopsText(row.flopsPerSecond), secondsText(row.seconds), cacheText(row.cache), range(row) || String(row.count)]) },
  });
}

function percentSection(data) {
  const measured = data.kernels.filter((kernel) => !kernel.is_part && isNumber(typical(data, kernel).percent));
  const groups = groupBy(measured, ({ device, workload }) => JSON.stringify([device, workload]));
  const drawn = [...groups.entries()].map(([key, kernels]) => percentChart(data, ...JSON.parse(key), kernels));
  return drawn.length > 0 ? section("percent", "Percent of the ceiling", "The bandwidth of each kernel by its traffic model, as a part of what the memory sustained for the same mix of reads and writes in the same process. Of several runs, the median.",
    element("div", { class: "charts wide" }, drawn)) : null;
}

const isChange = ({ outcome }) => outcome === "faster" || outcome === "slower";

function comparisonChart(device, deviceBefore, members) {
  const shown = members.filter(({ ratio }) => isNumber(ratio)).sort((a, b) => b.ratio - a.ratio);
  const most = Math.max(1.1, ...shown.map(({ ratio }) => ratio));
  const cut = shown.length > mostBars ? [...shown.slice(0, Math.ceil(mostBars / 2)), ...shown.slice(-Math.floor(mostBars / 2))] : shown;
  const interval = ({ low, high }) => (isNumber(low) ? `${threeDigits(low)} to ${threeDigits(high)}` : "");
  const ofOne = (text, { unit }) => (unit === "byte" ? text : `${text} a ${unit}`);
  return barChart({
    title: device === deviceBefore ? `Ratio of speeds: ${device}` : `Ratio of speeds: ${device} over ${deviceBefore}`,
    description: `Above 1 this set is faster than the baseline. Hollow: the same within 3 %, or not told apart by the repeats.${cut.length < shown.length ? ` The ${mostBars} largest changes of ${shown.length}; the table has all.` : ""}`,
    names: cut.map(({ label }) => label), valueText: (value) => threeDigits(value), axisName: "times as fast as the baseline", marks: [{ value: 1, name: "" }],
    least: 0, most: most > 20 ? null : 0.25 * Math.ceil(4 * most + 0.01), logarithmic: false,
    bars: [{ name: "ratio", values: cut.map(({ ratio }) => ratio), hollow: cut.map((one) => !isChange(one)) }],
    table: { headings: ["kernel", "workload", "now", "baseline", "ratio", "95 % interval", "change", "verdict"],
      rows: shown.map((one) => [one.label, workloadTitle(one.workload), ofOne(one.now, one), ofOne(one.before, one), threeDigits(one.ratio), interval(one),
        { text: `${one.ratio >= 1 ? "+" : "−"}${Math.abs(100 * (one.ratio - 1)).toFixed(1)} %`, class: isChange(one) ? (one.ratio < 1 ? "bad" : "good") : "" }, one.outcome]) },
  });
}

function comparisonSection(data) {
  if (!data.baseline) {
    return null;
  }
  const { comparisons, machines, verdict } = data.baseline;
  const changed = comparisons.filter(isChange);
  const slower = changed.filter(({ outcome }) => outcome === "slower").length;
  const text = comparisons.length === 0 ? "The two sets have no measurement in common."
    : `${comparisons.length} measurements are in both sets: ${changed.length - slower} are faster than the baseline, ${slower} slower, and ${comparisons.length - changed.length} the same within 3 % or not told apart by their repeats. The baseline: ${verdict.sentence}`;
  const groups = groupBy(comparisons, (one) => JSON.stringify([one.device, one.device_before]));
  return section("comparison", "Against the baseline", text,
    element("div", { class: "charts wide" }, [...groups.entries()].map(([key, members]) => comparisonChart(...JSON.parse(key), members))),
    disclosure(machines.length > 1 ? "The machines of the baseline" : "The machine of the baseline", element("div", { class: "machines" }, machines.map((machine) => machineCard(machine)))));
}
