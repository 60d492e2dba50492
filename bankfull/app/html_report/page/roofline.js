// Medians of kernels, the ceilings of devices, and rooflines.

/// What a kernel typically got: medians over the runs that measured it.
function typical(data, kernel) {
  if (!kernel.values) {
    const measured = kernel.places.map(([run, n]) => data.runs[run].measurements[n]);
    const of = (name) => measured.map((one) => one[name]).filter(isNumber);
    const percents = of("percent");
    const { bytes, flops, cache } = measured[0];
    kernel.values = { percent: median(percents), leastPercent: Math.min(...percents), mostPercent: Math.max(...percents), bytesPerSecond: median(of("bytes_per_second")),
      flopsPerSecond: median(of("flops_per_second")), seconds: median(of("seconds")), intensity: bytes > 0 && flops > 0 ? flops / bytes : null, cache,
      ceiling: median(measured.map((one) => one.ceiling?.bytes_per_second)), noisy: measured.some((one) => one.disturbances.length > 0), count: measured.length };
  }
  return kernel.values;
}

const devicesOf = (data) => [...new Set(data.kernels.map((kernel) => kernel.device))];

/// The fastest stream that was measured on a device in any of the runs.
function roofOf(data, device) {
  let roof = null;
  for (const { measurements } of data.runs) {
    for (const { ceiling, device: own } of measurements) {
      if (own === device && ceiling && ceiling.bytes_per_second > (roof?.rate ?? 0)) {
        roof = { rate: ceiling.bytes_per_second, name: ceiling.name };
      }
    }
  }
  return roof;
}

const figureOf = (measurement, name) => measurement.figures.find((figure) => figure.name === name)?.value;

/// Twice the rate of fused multiply-adds, where a run has measured that (NPB EP on GPUs).
function peakOf(data, device) {
  const rates = data.runs.flatMap(({ measurements }) => measurements).filter((one) => one.device === device).map((one) => figureOf(one, "fp64_rate")).filter(isNumber);
  return rates.length > 0 ? 2 * Math.max(...rates) : null;
}

const kindOf = (kernel) => (kernel.is_part ? `${workloadTitle(kernel.workload)}, parts` : workloadTitle(kernel.workload));

const labelSize = 11;

function rooflineChart(data, device) {
  const points = data.kernels.filter((kernel) => kernel.device === device).map((kernel) => ({ kernel, ...typical(data, kernel) }))
    .filter(({ intensity, flopsPerSecond }) => intensity && flopsPerSecond);
  const roof = roofOf(data, device);
  if (points.length === 0 || !roof) {
    return null;
  }
  const peak = peakOf(data, device);
  const kinds = [...groupBy(points, ({ kernel }) => kindOf(kernel)).entries()];
  // Of each kind the one closest to its ceiling is named.
  const best = new Map(kinds.filter(([name]) => !name.endsWith(", parts") && name !== workloadTitle("probe")).map(([name, members]) => [name,
    members.filter(({ cache }) => cache === "beyond").reduce((a, b) => ((b.percent ?? 0) > (a?.percent ?? -1) ? b : a), null)?.kernel]));
  const low = 2 ** Math.floor(Math.log2(Math.min(...points.map(({ intensity }) => intensity))) - 0.01);
  const high = 2 ** Math.ceil(Math.log2(Math.max(...points.map(({ intensity }) => intensity))) + 0.01);
  const fastest = Math.max(...points.map(({ flopsPerSecond }) => flopsPerSecond));
  const top = 10 ** Math.ceil(Math.log10(Math.max(1.5 * fastest, peak && peak < 100 * fastest ? 1.2 * peak : 0)));
  const end = Math.min(high, top / roof.rate);
  const bottom = 10 ** Math.floor(Math.log10(Math.min(...points.map(({ flopsPerSecond }) => flopsPerSecond))));
  const roofName = `${si(roof.rate, "B/s")}: ${roof.name}`;
  // Where the ceiling's line has its rate: away from where the other one crosses it.
  const along = (share) => low * (end / low) ** share;
  const sideLimit = along([0.85, 0.7, 0.55].find((share) => !peak || Math.abs(Math.log(along(share) * roof.rate / peak)) > 1) ?? 0.85);
  const limits = [{ name: "ceiling", ends: [[low, low * roof.rate], [sideLimit, sideLimit * roof.rate], [end, end * roof.rate]], type: "solid", words: si(roof.rate, "B/s"), positions: ["left", "right"] },
    ...(peak && peak < top ? [{ name: "fp64", ends: [[low, peak], [low * (high / low) ** 0.2, peak], [high, peak]], type: [6, 4], words: `fp64 multiply-adds ${si(peak, "FLOPS")}`, positions: ["top", "bottom"] }] : [])];
  const line = (palette, { name, ends, type, words }, labels) => ({ type: "line", name, silent: true, symbol: "circle", symbolSize: 1, showAllSymbol: true, emphasis: { disabled: true },
    data: ends.map((value, n) => ({ value, label: { show: n === 1 && Boolean(labels?.has(name)), position: labels?.get(name) } })),
    lineStyle: { color: palette.text, width: 2, type }, itemStyle: { color: palette.text }, z: 1, tooltip: { show: false },
    label: { color: palette.text, fontSize: labelSize, distance: 8, textBorderColor: palette.card, textBorderWidth: 3, formatter: () => words } });
  // Kernels of a kind often lie side by side: only the one closest to its ceiling is named, and only where it has room.
  const place = (instance, width) => {
    const at = (value) => instance.convertToPixel({ seriesIndex: 0 }, value);
    const [[left, bottomEdge], [right, topEdge]] = [at([low, bottom]), at([high, top])];
    const named = kinds.map(([name]) => ({ name, point: points.find(({ kernel }) => kernel === best.get(name)) })).filter(({ point }) => point && width >= 520).sort((a, b) => (b.point.percent ?? 0) - (a.point.percent ?? 0));
    return roomForLabels([...limits.map(({ name, ends, words, positions }) => ({ key: name, at: at(ends[1]), words, positions, distance: 8 })),
      ...named.map(({ point }) => ({ key: point.kernel, at: at([point.intensity, point.flopsPerSecond]), words: point.kernel.label, positions: ["left", "right", "top", "bottom"], distance: 7 }))],
    points.map(({ intensity, flopsPerSecond }) => at([intensity, flopsPerSecond])), { left, right, top: topEdge, bottom: bottomEdge }, labelSize);
  };
  return chart({
    title: `Roofline: ${device}`,
    description: `Arithmetic intensity by the traffic model against the floating-point rate; both axes are logarithmic. The line is the fastest measured stream, ${roofName}`
      + `${peak ? `; the dashed line is the fp64 rate of fused multiply-adds that was measured, ${si(peak, "FLOPS")}` : ""}. Kernels whose working set a cache holds, at least in part, are faint and may lie above it.`,
    height: (width) => (width < 520 ? 380 : 520),
    legend: kinds.map(([name], n) => ({ name, look: "point", curve: n })),
    table: { headings: ["kernel", "workload", "FLOP per byte", "floating point", "bandwidth", "of the ceiling", "working set"],
      rows: points.map(({ kernel, intensity, flopsPerSecond, bytesPerSecond, percent, cache }) => [kernel.label, workloadTitle(kernel.workload), digits(intensity), flopsText(flopsPerSecond),
        rateText(bytesPerSecond), percentText(percent), cacheText(cache)]) },
    place,
    option: (palette, width, labels) => ({
      grid: frame,
      tooltip: { trigger: "item", formatter: ({ data: point }) => tip([point.name, `${digits(point.value[0])} FLOP per byte, ${flopsText(point.value[1])}, ${rateText(point.rate)}`,
        point.percent ? `${percentText(point.percent)} of its ceiling` : "", point.inCache]) },
      xAxis: axis(palette, { type: "log", logBase: baseOf(low, high), min: low, max: high, name: "arithmetic intensity, FLOP per byte", axisLabel: { formatter: powerText } }),
      yAxis: uprightAxis(palette, { type: "log", min: bottom, max: top, name: "floating-point rate", axisLabel: { formatter: (value) => si(value, "FLOPS").replace(/\.0+ /, " ") } }),
      series: [...limits.map((limit) => line(palette, limit, labels)),
        ...kinds.map(([name, members], n) => ({ type: "scatter", name, symbol: symbols[n % symbols.length], symbolSize: name.endsWith(", parts") ? 7 : 11, itemStyle: { color: palette.curve(n), borderColor: palette.card, borderWidth: 0.7 },
          emphasis: { disabled: true }, z: name.endsWith(", parts") ? 2 : 3,
          data: members.map(({ kernel, intensity, flopsPerSecond, bytesPerSecond, percent, cache }) => ({ name: kernel.label, value: [intensity, flopsPerSecond], rate: bytesPerSecond, percent,
            inCache: cache === "beyond" ? "" : `working set ${cacheText(cache)}`, label: { show: Boolean(labels?.has(kernel)), position: labels?.get(kernel) }, itemStyle: { opacity: cache === "beyond" ? 0.95 : 0.4 } })),
          label: { color: palette.text, fontSize: labelSize, distance: 7, textBorderColor: palette.card, textBorderWidth: 3, formatter: ({ data: point }) => point.name } }))],
    }),
  });
}

const cacheText = (cache) => ({ beyond: "beyond caches", partly: "partly in a cache", inside: "inside a cache" }[cache] ?? cache);

function rooflineSection(data) {
  const drawn = devicesOf(data).map((device) => rooflineChart(data, device)).filter((made) => made);
  return drawn.length > 0 ? section("roofline", "Rooflines", "How fast kernels compute, against what the memory lets them: on the line, memory is the limit and is used to the full.",
    element("div", { class: "charts wide" }, drawn)) : null;
}
