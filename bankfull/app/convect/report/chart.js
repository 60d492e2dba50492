// Line charts of a report, as SVG. Colours come from the style sheet, so that charts follow the
// reader's scheme; every curve is an element of the document, for readers, printers and tests.

const svgNamespace = "http://www.w3.org/2000/svg";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(svgNamespace, name);
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/// A number as people write it, with about so many digits.
function display(value, digits = 4) {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    return value === null || value === undefined ? "–" : String(value);
  }
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) {
    return value.toLocaleString("en");
  }
  const text = size !== 0 && (size < 1e-3 || size >= 1e6)
    ? value.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e")
    : String(Number(value.toPrecision(digits)));
  return text.replace(/-/g, "−");
}

/// Round numbers within a range, about `count` of them: multiples of 1, 2 or 5 times a power of ten.
function linearTicks(least, most, count) {
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => rough <= factor * power * (1 + 1e-9));
  const ticks = [];
  for (let n = Math.ceil(least / step - 1e-9); n * step <= most + 1e-9 * step; ++n) {
    ticks.push(Number((n * step).toPrecision(12)));
  }
  return ticks;
}

/// Powers of ten, at most `count`, for an axis of logarithms; between few of them 2 and 5, too.
function logarithmicTicks(least, most, count) {
  const [first, last] = [Math.ceil(least - 1e-9), Math.floor(most + 1e-9)];
  const factors = last - first < 2 ? [1, 2, 5] : [1];
  const every = Math.max(1, Math.ceil((last - first) / count));
  const ticks = [];
  for (let power = first - 1; power <= last; power += every) {
    for (const factor of factors) {
      const place = Math.log10(factor) + power;
      if (place >= least - 1e-9 && place <= most + 1e-9) {
        ticks.push(place);
      }
    }
  }
  return ticks.length > 1 ? ticks : linearTicks(least, most, count);
}

/// Both ends of an axis, with a little room; of what has one value alone a range around it.
function rangeOf(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (value !== null && Number.isFinite(value)) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  if (least > most) {
    return [0, 1];
  }
  const room = most - least > 1e-12 * Math.max(Math.abs(least), Math.abs(most))
    ? 0.04 * (most - least) : (Math.abs(most) || 1) * 0.1;
  return [least - room, most + room];
}

/// The index whose value is nearest; of values that do not fall.
function nearestIndex(values, wanted) {
  let [first, last] = [0, values.length - 1];
  while (last - first > 1) {
    const middle = (first + last) >> 1;
    [first, last] = values[middle] < wanted ? [middle, last] : [first, middle];
  }
  return Math.abs(values[first] - wanted) < Math.abs(values[last] - wanted) ? first : last;
}

/// An SVG path through points; a gap where one is missing.
function pathThrough(points) {
  let [path, pen] = ["", "M"];
  for (const [x, y] of points) {
    const known = Number.isFinite(x) && Number.isFinite(y);
    path += known ? `${pen}${x.toFixed(1)} ${y.toFixed(1)}` : "";
    pen = known ? "L" : "M";
  }
  return path;
}

const chartSize = { width: 560, height: 300, left: 66, right: 14, top: 12, bottom: 42 };

/// Draws curves, each { name, x, y, low?, high? } of arrays as long as x, against a shared axis.
///
/// options: title, x and y (names of axes), logarithmic (of y), upright (x upwards: profiles),
/// within ([from, to] of x, or nothing), bounds ([{ value, name }], lines across).
/// Returns { element, x(place), mark(x) }: the value of x at a place of the picture, and a line
/// through such a value, or none for null.
function drawChart(curves, options) {
  const { width, height, left, right, top, bottom } = chartSize;
  const mapped = (value) => value === null || value === undefined ? NaN
    : !options.logarithmic ? value : value > 0 ? Math.log10(value) : NaN;
  const isWithin = (x) => !options.within || (x >= options.within[0] && x <= options.within[1]);
  const seen = curves.flatMap((curve) => [curve.y, curve.low ?? [], curve.high ?? []].flatMap(
    (values) => values.filter((_, n) => isWithin(curve.x[n])).map(mapped)));
  const bounds = (options.bounds ?? []).map((bound) => mapped(bound.value));
  const values = rangeOf([...seen, ...bounds]);
  const xs = curves.flatMap((curve) => curve.x);
  const least = xs.reduce((a, b) => Math.min(a, b), Infinity);
  const most = xs.reduce((a, b) => Math.max(a, b), -Infinity);
  const places = options.within ?? (least < most ? [least, most] : Number.isFinite(least) ? [least, least + 1] : [0, 1]);
  const scale = ([low, high], from, to) => (value) => from + (value - low) / (high - low) * (to - from);
  const [across, upwards] = options.upright ? [values, places] : [places, values];
  const horizontal = scale(across, left, width - right);
  const vertical = scale(upwards, height - bottom, top);
  const point = (x, y) => options.upright ? [horizontal(mapped(y)), vertical(x)] : [horizontal(x), vertical(mapped(y))];

  const element = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.title, class: "chart" });
  drawAxis(element, across, horizontal, options, false);
  drawAxis(element, upwards, vertical, options, true);
  const plot = svg("svg", { x: left, y: top, width: width - left - right, height: height - top - bottom,
    viewBox: `${left} ${top} ${width - left - right} ${height - top - bottom}` });
  element.append(plot);
  for (const bound of options.bounds ?? []) {
    const line = pathThrough(places.map((x) => point(x, bound.value)));
    plot.append(svg("path", { d: line, class: "bound" }, svg("title", {}, bound.name)));
  }
  curves.forEach((curve, number) => {
    const colour = `curve-${number % 6}`;
    if (curve.low && curve.high) {
      const outward = curve.x.map((x, n) => point(x, curve.low[n]));
      const back = curve.x.map((x, n) => point(x, curve.high[n])).reverse();
      const around = [...outward, ...back].filter((pair) => pair.every(Number.isFinite));
      plot.append(svg("path", { d: around.length ? pathThrough(around) + "Z" : "", class: `band ${colour}` }));
    }
    const points = curve.x.map((x, n) => point(x, curve.y[n]));
    const known = points.filter((pair) => pair.every(Number.isFinite));
    plot.append(svg("path", { d: pathThrough(points), class: `curve ${colour}`, "data-name": curve.name, "data-points": known.length }));
    if (known.length === 1) {
      plot.append(svg("circle", { cx: known[0][0], cy: known[0][1], r: 3, class: `dot ${colour}` }));
    }
  });
  const cursor = svg("path", { class: "cursor" });
  plot.append(cursor);
  return { element, x: inverse(options.upright ? vertical : horizontal, places), mark: (x) => {
    cursor.setAttribute("d", x === null ? "" : options.upright
      ? `M${left} ${vertical(x)}H${width - right}` : `M${horizontal(x)} ${top}V${height - bottom}`);
  } };
}

/// From a place in the picture to the value of a linear axis.
function inverse(scale, [least, most]) {
  const [from, to] = [scale(least), scale(most)];
  return (place) => least + (place - from) / (to - from) * (most - least);
}

/// Ticks, their labels, the lines of the grid and the axis' name.
function drawAxis(element, range, scale, options, isVertical) {
  const { width, height, left, right, top, bottom } = chartSize;
  const isOfValues = isVertical !== Boolean(options.upright);
  const logarithmic = options.logarithmic && isOfValues;
  const ticks = (logarithmic ? logarithmicTicks : linearTicks)(range[0], range[1], isVertical ? 5 : 6);
  const lines = svg("g", { class: "grid" });
  const labels = svg("g", { class: "labels" });
  for (const tick of ticks) {
    const place = scale(tick).toFixed(1);
    const text = display(logarithmic ? Number((10 ** tick).toPrecision(3)) : tick, 6);
    lines.append(svg("path", { d: isVertical ? `M${left} ${place}H${width - right}` : `M${place} ${top}V${height - bottom}` }));
    labels.append(isVertical
      ? svg("text", { x: left - 7, y: place, "text-anchor": "end", dy: "0.35em" }, text)
      : svg("text", { x: place, y: height - bottom + 17, "text-anchor": "middle" }, text));
  }
  const name = isOfValues ? options.y ?? "" : options.x;
  labels.append(isVertical
    ? svg("text", { transform: `translate(13 ${(top + height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "axis" }, name)
    : svg("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "axis" }, name));
  element.append(lines, labels);
}
