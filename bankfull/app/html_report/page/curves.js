// The curves of `bankfull probe`: bandwidth over the working set, latency over the footprint,
// messages over a link, and whatever else a result has series of.

/// Which chart a series belongs to, and what it is called there.
function placeOf(series) {
  const blocks = series.name.match(/^bandwidth by blocks of (\d+), (.*)$/);
  if (blocks) {
    return { group: `Bandwidth by blocks of threads, ${blocks[2]}`, name: `blocks of ${blocks[1]}` };
  }
  const [prefix, ...rest] = series.name.split(", ");
  const precision = rest.length > 1 && /^fp\d+$/.test(rest[rest.length - 1]) && series.x.unit === "B" ? rest.pop() : "";
  const over = { working_set: " over the working set", footprint: " over the footprint", message_size: " over the size of messages" }[series.x.name] ?? "";
  const title = `${prefix}${prefix.includes(" by ") ? "" : over}${precision ? `, ${precision}` : ""}`;
  return { group: capitalised(title), name: rest.join(", ") || prefix };
}

const isOnGpu = (run) => String(run.problem.find(({ name }) => name === "device")?.value ?? "").startsWith("cuda");

/// Where the caches of the device end; a walk of dependent loads has those of one core.
function cacheMarks(data, n, series) {
  const machine = data.machines.find(({ runs }) => runs.includes(n));
  if (!machine || !["working_set", "footprint"].includes(series.x.name)) {
    return [];
  }
  const levels = isOnGpu(data.runs[n]) ? machine.gpu_caches : machine.cpu_caches;
  return levels.map(({ name, bytes, bytes_each }) => ({ name, bytes: series.x.name === "footprint" ? bytes_each : bytes }));
}

/// The plateaus that the measurement of a curve names.
function plateausOf(run, series) {
  const [prefix, ...parts] = series.name.split(", ");
  const rest = prefix === "bandwidth" ? parts.join(", ") : series.name;
  const measurement = run.measurements.find(({ name }) => name === rest);
  const plateaus = [];
  for (let n = 1; measurement && figureOf(measurement, `plateau_${n}`) !== undefined; n += 1) {
    plateaus.push({ name: figureOf(measurement, `plateau_${n}`), from: figureOf(measurement, `plateau_${n}_from`), to: figureOf(measurement, `plateau_${n}_to`),
      value: figureOf(measurement, `plateau_${n}_${series.y.name}`) });
  }
  return plateaus;
}

const axisText = (value, unit) => (unit === "B" ? bytesText(value) : unit === "" ? digits(value) : valueText(value, unit));

/// Values that span more than a decade and a half want a logarithm.
const isWide = (values) => Math.max(...values) > 30 * Math.min(...values.filter((value) => value > 0));

function curveChart(data, title, members) {
  const { x, y } = members[0].series;
  const values = members.flatMap(({ series }) => series.points.map((point) => point[1]));
  const isStaircase = y.unit === "ns";
  const shown = members.filter(({ plateaus }) => plateaus.length > 0).slice(0, 1);
  const plateaus = members.flatMap(({ name, plateaus: own }) => own.map((plateau) => [name, plateau.name, axisText(plateau.from, x.unit), axisText(plateau.to, x.unit), axisText(plateau.value, y.unit)]));
  const marks = members[0].marks;
  const places = [...new Set(members.flatMap(({ series }) => series.points.map(([place]) => place)))].sort((a, b) => a - b);
  const [low, high] = [places[0], places[places.length - 1]];
  const figure = chart({
    title,
    description: `${marks.length > 0 ? `Dashed verticals: where ${marks.map((mark) => `${mark.name} (${bytesText(mark.bytes)})`).join(", ")} ends. ` : ""}`
      + `${shown.length > 0 ? `Named plateaus are those of ${shown[0].name}; the table has all.` : `${capitalised(readable(y.name))} over ${readable(x.name)}.`}`,
    height: (width) => (width < 520 ? 350 : 410),
    legend: members.map(({ name }, n) => ({ name, look: "line", curve: n })),
    table: { headings: [readable(x.name), ...members.map(({ name }) => name)],
      rows: places.map((place) => [axisText(place, x.unit), ...members.map(({ series }) => axisText(series.points.find(([own]) => own === place)?.[1] ?? null, y.unit))]) },
    option: (palette, width) => ({
      grid: frame,
      tooltip: { trigger: "axis", axisPointer: { type: "line", lineStyle: { color: palette.faint }, label: { show: false } },
        formatter: (points) => tip([`${readable(x.name)} ${axisText(points[0].value[0], x.unit)}`, ...points.filter(({ seriesName }) => seriesName !== "plateaus").map(({ seriesName, value }) => `${seriesName}: ${axisText(value[1], y.unit)}`)]) },
      xAxis: axis(palette, { type: high > 30 * low ? "log" : "value", logBase: baseOf(low, high), min: low, max: high, name: readable(x.name), axisLabel: { formatter: (value) => axisText(value, x.unit) }, splitLine: { show: false } }),
      yAxis: uprightAxis(palette, { type: isWide(values) ? "log" : "value", logBase: isStaircase ? 2 : 10, min: isWide(values) ? undefined : 0, name: readable(y.name), axisLabel: { formatter: (value) => axisText(value, y.unit).replace(/\.0+ /, " ") } }),
      series: [...members.map(({ name, series }, n) => curve(palette, n, { name, data: series.points, symbolSize: 4, showSymbol: series.points.length < 14,
        markLine: n > 0 || marks.length === 0 ? undefined : { silent: true, symbol: "none", animation: false, lineStyle: { color: palette.faint, type: [4, 4], width: 1 },
          label: { color: palette.faint, fontSize: 11, formatter: ({ name: words }) => words }, data: marks.filter(({ bytes }) => bytes > low && bytes < high).map((mark) => ({ xAxis: mark.bytes, name: mark.name })) } })),
        ...shown.flatMap(({ plateaus: own }) => own.map(({ name, from, to, value }) => ({ type: "line", name: "plateaus", data: [[from, value], [Math.sqrt(from * to), value], [to, value]].map((point, n) => ({ value: point, label: { show: n === 1 } })),
          silent: true, symbol: "circle", symbolSize: 1, showSymbol: true, showAllSymbol: true, emphasis: { disabled: true }, tooltip: { show: false }, lineStyle: { color: palette.text, width: 1, opacity: 0.7 }, itemStyle: { color: palette.text }, labelLayout: { hideOverlap: true },
          label: { position: "top", distance: 6, color: palette.text, fontSize: 11, fontWeight: "bold", textBorderColor: palette.card, textBorderWidth: 3, formatter: () => `${name} ${axisText(value, y.unit)}` } })))],
    }),
  });
  if (plateaus.length > 0) {
    figure.append(disclosure("Plateaus", table(`Plateaus: ${title}`, ["curve", "plateau", "from", "to", readable(y.name)], plateaus)));
  }
  return figure;
}

function curvesSection(data) {
  const all = data.runs.flatMap((run, n) => run.series.map((series) => ({ series, run, ...placeOf(series), marks: cacheMarks(data, n, series), plateaus: plateausOf(run, series) })));
  if (all.length === 0) {
    return null;
  }
  const several = new Set(all.map(({ run }) => run.device)).size > 1;
  const groups = groupBy(all, ({ group, run }) => `${group}${several ? `: ${run.device}` : ""}`);
  const drawn = [...groups.entries()].map(([title, members]) => {
    const files = new Set(members.map(({ run }) => run));
    return curveChart(data, title, files.size > 1 ? members.map((member) => ({ ...member, name: `${member.name}, ${member.run.file}` })) : members);
  });
  return section("memory", "Memory and links", "What bankfull probe measured: bandwidth and latency step down where a cache, or the reach of address translation, ends.", element("div", { class: "charts" }, drawn));
}
