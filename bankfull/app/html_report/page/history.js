// The course of measurements over the dates of runs, as `bankfull history` judges it.

const regressed = ({ latest }) => latest?.outcome === "slower" || latest?.outcome === "invalid";

/// The date of a run: "2026-11-27 10:00".
const dateText = (date) => date.replace("T", " ").replace(/:\d+(\.\d+)?Z$/, "");

/// Small differences look small: the axis is never shorter than a tenth of the median.
const speedRange = (values) => [Math.max(0, 5 * Math.floor(Math.min(95, Math.min(...values) - 1) / 5)), 5 * Math.ceil(Math.max(105, Math.max(...values) + 1) / 5)];

const dateFormat = { year: "{yyyy}", month: "{yyyy}-{MM}", day: "{yyyy}-{MM}-{dd}", hour: "{HH}:{mm}", minute: "{HH}:{mm}", second: "{HH}:{mm}:{ss}" };

const withWorkload = ({ label, workload }) => (label.startsWith(workload) ? label : `${label}, ${workloadTitle(workload)}`);

const latestText = ({ latest }) => (latest ? `${threeDigits(latest.ratio)}${isNumber(latest.low) ? ` (${threeDigits(latest.low)} to ${threeDigits(latest.high)})` : ""}` : "");

function historyCourses(data, members) {
  return members.map((one) => ({ ...one, points: one.points.map((point) => ({ ...point, date: data.runs[point.run].date, time: Date.parse(data.runs[point.run].date), percent: 100 * point.relative })) }));
}

function historyChart(data, title, members) {
  const all = historyCourses(data, members);
  const shown = all.slice(0, curveCount);
  const drawnPoints = ({ points }) => points.filter(({ time, percent }) => isNumber(time) && isNumber(percent));
  const [low, high] = speedRange(shown.flatMap((one) => drawnPoints(one).map(({ percent }) => percent)));
  const stepCount = all.reduce((sum, { steps }) => sum + steps, 0);
  return chart({
    title,
    description: `Speed of each run as a percentage of the median of all runs of its measurement. ${stepCount === 0 ? "No step." : `${stepCount} step${stepCount === 1 ? "" : "s"}, with large marks where ${stepCount === 1 ? "it begins" : "they begin"}.`} Faint marks: noisy or invalid runs.`
      + `${shown.length < all.length ? ` The ${shown.length} measurements that changed most, of ${all.length}; the table has all.` : ""}`,
    height: (width) => (width < 520 ? 320 : 360),
    legend: shown.map(({ label }, n) => ({ name: label, look: "line", curve: n })),
    table: { headings: ["measurement", "date", "speed", "of the median", "remark", "with it changed"],
      rows: all.flatMap(({ label, points, unit }) => points.map((point) => [label, dateText(point.date), unit === "byte" ? point.speed : `${point.speed} a ${unit}`, percentText(point.percent), point.remark, point.changes.replace(/^changed: /, "")])) },
    option: (palette) => ({
      grid: { ...frame, right: 38 }, useUTC: true,
      tooltip: { trigger: "item", formatter: ({ data: point, seriesName }) => tip([seriesName, `${dateText(point.date)}: ${percentText(point.value[1])} of the median, ${point.speed}`, point.remark, point.changes]) },
      xAxis: axis(palette, { type: "time", name: "date of the run", splitLine: { show: false }, axisLabel: { formatter: dateFormat } }),
      yAxis: uprightAxis(palette, { type: "value", min: low, max: high, name: "speed, % of the median", axisLabel: {} }, 30),
      series: shown.map((one, n) => curve(palette, n, { name: one.label, showAllSymbol: true, z: 3,
        data: drawnPoints(one).map((point) => ({ value: [point.time, point.percent], date: point.date, speed: point.speed, remark: point.remark, changes: point.changes,
          symbolSize: point.changes ? 14 : 7, itemStyle: { opacity: point.noisy || !point.counts ? 0.4 : 1 } })),
        markLine: n > 0 ? undefined : { silent: true, symbol: "none", animation: false, lineStyle: { color: palette.faint, type: [5, 4] }, label: { show: false }, data: [{ yAxis: 100 }] } })),
    }),
  });
}

function historySection(data) {
  if (data.histories.length === 0) {
    return null;
  }
  const slower = data.histories.filter(regressed);
  const hostOf = ({ facts }) => facts.find(([name]) => name === "host")?.[1] ?? "";
  const place = (machine) => (data.machines.length > 1 && hostOf(data.machines[machine]) ? `, host ${hostOf(data.machines[machine])}` : "");
  const groups = groupBy(data.histories, ({ machine, device, workload }) => JSON.stringify([machine, device, workload]));
  const titleOf = (key) => { const [machine, device, workload] = JSON.parse(key); return `History: ${workloadTitle(workload)}, ${device}${place(machine)}`; };
  return section("history", "History", `Measurements that the same machine has of several dates: ${data.histories.length}. ${slower.length === 0 ? "The latest run of none is slower than those before."
    : `The latest run of ${slower.length === 1 ? "one" : slower.length} is slower than those before, or invalid.`}`,
  table("The latest run of each measurement by those before", ["measurement", "device", "runs", "from", "to", "speed by those before (95 % interval)", "steps", "verdict"],
    data.histories.map((one) => [withWorkload(one), one.device, String(one.points.length), dateText(data.runs[one.points[0].run].date), dateText(data.runs[one.points[one.points.length - 1].run].date), latestText(one), String(one.steps),
      { text: one.latest?.outcome ?? "", class: regressed(one) ? "bad" : one.latest?.outcome === "faster" ? "good" : "" }])),
  element("div", { class: "charts wide" }, [...groups.entries()].map(([key, members]) => historyChart(data, titleOf(key), members))));
}
