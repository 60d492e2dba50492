// Charts: each with its title, a legend of buttons, a description and a table of the same numbers,
// and a button that saves it as SVG. Colours are variables of the style sheet, so that a chart
// follows the reader's scheme, and is dark on white when printed or saved.

const curveCount = 10;
const symbols = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect", "emptyTriangle", "emptyDiamond", "roundRect", "arrow"];
const dashes = ["solid", [8, 3], [3, 2], [10, 3, 2, 3], [6, 2], [2, 3], [12, 4], [4, 4], [1, 2], [8, 2, 2, 2]];
const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

function paletteOf(colour) {
  return { text: colour("text"), faint: colour("faint"), grid: colour("grid"), line: colour("line"), card: colour("card"), bad: colour("bad"),
    curve: (n) => colour(`curve-${n % curveCount}`) };
}

const pagePalette = paletteOf((name) => `var(--${name})`);

/// The light colours themselves: a file that is saved has no style sheet.
function paperPalette(paper) {
  const style = getComputedStyle(paper);
  return paletteOf((name) => style.getPropertyValue(`--${name}`).trim());
}

/// What all axes have in common.
function axis(palette, options) {
  return { nameLocation: "middle", nameGap: 28, nameTextStyle: { color: palette.text, fontSize: 12, fontFamily: font },
    axisLine: { show: true, lineStyle: { color: palette.line } }, axisTick: { lineStyle: { color: palette.line } },
    splitLine: { show: true, lineStyle: { color: palette.grid } }, minorSplitLine: { show: false }, ...options,
    axisLabel: { color: palette.faint, fontSize: 12, fontFamily: font, hideOverlap: true, ...options.axisLabel } };
}

/// An upright one has its name above it, which leaves the width of a phone to the curves.
function uprightAxis(palette, options, indent = 40) {
  return axis(palette, { nameLocation: "end", nameGap: 14, ...options, nameTextStyle: { color: palette.text, fontSize: 12, fontFamily: font, align: "left", padding: [0, 0, 0, -indent] } });
}

const frame = { left: 4, right: 24, top: 40, bottom: 28, containLabel: true };

/// The base of a logarithmic axis, a power of two, that gives it some six ticks.
const baseOf = (low, high) => 2 ** Math.max(1, Math.ceil(Math.log2(high / low) / 8));

/// A tooltip of plain elements: the first line is its heading.
function tip(lines) {
  const [heading, ...rest] = lines.filter((line) => line);
  return element("div", { class: "tip" }, element("b", {}, heading), rest.map((line) => element("div", {}, line)));
}

/// { data: [...], name, ... } with the look of curve n.
function curve(palette, n, options) {
  const color = palette.curve(n);
  return { type: "line", symbol: symbols[n % symbols.length], symbolSize: 6, animation: false, ...options,
    lineStyle: { color, width: 2, type: dashes[n % dashes.length], ...options.lineStyle }, itemStyle: { color, ...options.itemStyle },
    emphasis: { disabled: true } };
}

function keyOf(look, n) {
  const color = `var(--curve-${n % curveCount})`;
  const key = svgElement("svg", { viewBox: "0 0 26 12", "aria-hidden": "true" });
  if (look === "bar") {
    key.append(svgElement("rect", { x: 6, y: 1, width: 14, height: 10, rx: 2, fill: color }));
    return key;
  }
  if (look === "line") {
    const dash = dashes[n % dashes.length];
    key.append(svgElement("path", { d: "M0 6H26", stroke: color, "stroke-width": 2, "stroke-dasharray": dash === "solid" ? "none" : dash.join(" ") }));
  }
  const kind = symbols[n % symbols.length];
  const shape = { circle: "M13 6m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", rect: "M9 2h8v8h-8z", triangle: "M13 2l4 8h-8z", diamond: "M13 1l4 5l-4 5l-4-5z",
    roundRect: "M9 2h8v8h-8z", arrow: "M13 2l4 8l-4-3l-4 3z" }[kind.replace(/^empty(.)/, (_, letter) => letter.toLowerCase())];
  key.append(svgElement("path", { d: shape, stroke: color, "stroke-width": 1.5, fill: kind.startsWith("empty") ? "var(--card)" : color }));
  return key;
}

let chartCount = 0;
const charts = [];

/// `option(palette, width, labels)` is that of ECharts; `legend`: names of its series with the looks
/// of their keys; `table`: { headings, rows }. `place(instance, width)` finds room for `labels` in a
/// chart that was drawn without them; they are null at first.
function chart({ title, description, height, option, legend = [], table: numbers, place = null }) {
  chartCount += 1;
  const id = `chart-${chartCount}`;
  const drawing = element("div", { class: "drawing", role: "img", "aria-label": `${title}. ${description}`, "aria-describedby": `${id}-table` });
  const save = element("button", { type: "button", class: "save", "aria-label": `Save as SVG: ${title}` }, "Save as SVG");
  const list = element("ul", { class: "legend", "aria-label": "Curves: press to hide or show" });
  const details = disclosure("Table of this chart", table(title, numbers.headings, numbers.rows));
  details.id = `${id}-table`;
  const figure = element("figure", { id }, element("div", { class: "title" }, element("h3", {}, title), save),
    element("p", { class: "quiet" }, description), drawing, legend.length > 1 ? list : null, details);
  const made = { figure, drawing, title, option, height, legend, place, hidden: new Set(), instance: null };
  list.append(...legend.map((entry) => element("li", {}, legendButton(made, entry))));
  save.addEventListener("click", () => download(`${fileName(title)}.svg`, svgOf(made)));
  charts.push(made);
  return figure;
}

function legendButton(made, { name, look, curve: n }) {
  const button = element("button", { type: "button", "aria-pressed": "true" }, keyOf(look, n), name);
  button.addEventListener("click", () => {
    made.hidden.has(name) ? made.hidden.delete(name) : made.hidden.add(name);
    button.setAttribute("aria-pressed", String(!made.hidden.has(name)));
    draw(made);
  });
  return button;
}

const heightOf = (made, width) => (typeof made.height === "function" ? made.height(width) : made.height);

function wholeOption(made, palette, width, isPaper, labels) {
  const option = made.option(palette, width, labels);
  const names = made.legend.map((entry) => entry.name);
  return { animation: false, textStyle: { fontFamily: font, color: palette.text }, ...option,
    legend: { show: isPaper && names.length > 1, bottom: 0, data: names, selected: Object.fromEntries(names.map((name) => [name, !made.hidden.has(name)])),
      textStyle: { color: palette.text, fontFamily: font } },
    tooltip: { confine: true, backgroundColor: palette.card, borderColor: palette.line, textStyle: { color: palette.text, fontFamily: font, fontSize: 13 },
      extraCssText: "box-shadow: 0 2px 8px rgba(0,0,0,.25);", transitionDuration: 0, ...option.tooltip } };
}

/// Without labels that want room, and then with those that have it.
function setWholeOption(made, instance, palette, width, isPaper, change) {
  instance.setOption(change(wholeOption(made, palette, width, isPaper, null)), { notMerge: true });
  if (made.place) {
    instance.setOption(change(wholeOption(made, palette, width, isPaper, made.place(instance, width))), { notMerge: true });
  }
}

/// In the width that the page has for it; again when that changes.
function draw(made) {
  const width = made.drawing.clientWidth;
  if (width === 0) {
    return;
  }
  const height = heightOf(made, width);
  if (!made.instance) {
    made.drawing.style.height = `${height}px`;
    made.instance = echarts.init(made.drawing, null, { renderer: "svg", width, height });
  } else if (made.width !== width) {
    made.drawing.style.height = `${height}px`;
    made.instance.resize({ width, height });
  }
  made.width = width;
  setWholeOption(made, made.instance, pagePalette, width, false, (option) => option);
  // What prints it may scale it.
  const svg = made.drawing.querySelector("svg");
  svg?.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg?.setAttribute("aria-hidden", "true");
}

function drawAll() {
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const made = charts.find((one) => one.drawing === target);
      if (made.width !== target.clientWidth && !matchMedia("print").matches) {
        draw(made);
      }
    }
  });
  for (const made of charts) {
    draw(made);
    watcher.observe(made.drawing);
  }
}

/// The chart as a file of its own, as papers want it.
function svgOf(made) {
  const width = 800;
  const height = heightOf(made, width) + (made.legend.length > 1 ? 40 + 20 * Math.floor(made.legend.length / 6) : 0);
  const paper = element("div", { class: "paper" });
  document.body.append(paper);
  const instance = echarts.init(paper, null, { renderer: "svg", width, height });
  const palette = paperPalette(paper);
  const below = made.legend.length > 1 ? 34 + 20 * Math.floor(made.legend.length / 6) : 0;
  setWholeOption(made, instance, palette, width, true, (option) => ({ ...option, grid: { ...option.grid, bottom: option.grid.bottom + below }, backgroundColor: palette.card }));
  const url = instance.getDataURL({ type: "svg" });
  instance.dispose();
  paper.remove();
  return url;
}

function download(name, url) {
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
}

const fileName = (title) => title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 80);

/// Room for names beside bars: wide ones break into lines.
function roomFor(names, width) {
  const letter = width < 520 ? 6.2 : 6.8;
  const longest = Math.max(...names.map((name) => name.length));
  const room = Math.min(letter * longest + 8, (width < 520 ? 0.42 : 0.45) * width);
  return { room, lines: Math.ceil(1.15 * letter * longest / room - 0.15) };
}

/// The width of words in a chart.
function widthOf(words, size) {
  widthOf.context ??= document.createElement("canvas").getContext("2d");
  widthOf.context.font = `${size}px ${font}`;
  return widthOf.context.measureText(words).width;
}

const meet = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/// Where words stand beside a point on the side `position`, with some room around them.
function boxBeside([x, y], words, size, position, distance) {
  const [width, height] = [widthOf(words, size) + 4, size + 5];
  const left = { left: x - distance - width, right: x + distance }[position] ?? x - width / 2;
  const top = { top: y - distance - height, bottom: y + distance }[position] ?? y - height / 2;
  return { left, right: left + width, top, bottom: top + height };
}

/// Of labels { key, at, words, positions, distance }, the first ones first, those that have room
/// within `ground` beside points and each other: a map from their keys to positions.
function roomForLabels(labels, points, ground, size) {
  const taken = points.map(([x, y]) => ({ left: x - 4, right: x + 4, top: y - 4, bottom: y + 4, x, y }));
  const placed = new Map();
  for (const { key, at, words, positions, distance } of labels) {
    const others = taken.filter(({ x, y }) => x !== at[0] || y !== at[1]);
    for (const position of positions) {
      const box = boxBeside(at, words, size, position, distance);
      const isWithin = box.left >= ground.left && box.right <= ground.right && box.top >= ground.top && box.bottom <= ground.bottom;
      if (isWithin && !others.some((other) => meet(box, other))) {
        placed.set(key, position);
        taken.push(box);
        break;
      }
    }
  }
  return placed;
}

/// Bars that lie, each with its name.
function barChart({ title, description, names, bars, stacked = false, valueText: format, axisName, marks = [], least = 0, most = null, logarithmic = false, table: numbers }) {
  const rowHeight = (width) => Math.max(10 + 14 * roomFor(names, width).lines, stacked || bars.length === 1 ? 26 : 14 + 13 * bars.length);
  return chart({
    title, description, table: numbers, legend: bars.length > 1 ? bars.map(({ name }, n) => ({ name, look: "bar", curve: n })) : [],
    height: (width) => 80 + rowHeight(width) * names.length,
    option: (palette, width) => ({
      grid: { ...frame, right: stacked ? 24 : 72, top: 10 },
      tooltip: { trigger: "item", formatter: ({ dataIndex, seriesName, value }) => tip([names[dataIndex], bars.length > 1 ? seriesName : "", format(value)]) },
      xAxis: axis(palette, { type: logarithmic ? "log" : "value", name: axisName, min: least, max: most, axisLabel: {} }),
      yAxis: axis(palette, { type: "category", inverse: true, data: names, splitLine: { show: false }, axisTick: { show: false },
        axisLabel: { color: palette.text, interval: 0, hideOverlap: false, width: roomFor(names, width).room, overflow: "break", lineHeight: 13, fontSize: width < 520 ? 11 : 12 } }),
      series: bars.map(({ name, values, hollow = [] }, n) => ({
        type: "bar", name, stack: stacked ? "all" : undefined, barMaxWidth: 18, emphasis: { disabled: true },
        data: values.map((value, row) => ({ value, itemStyle: hollow[row] ? { color: palette.card, borderColor: palette.curve(n), borderWidth: 1.5 } : {} })),
        itemStyle: { color: palette.curve(n), borderColor: palette.card, borderWidth: stacked ? 1 : 0 },
        label: { show: !stacked, position: "right", color: palette.text, fontSize: 12, formatter: ({ value }) => format(value) },
        markLine: n > 0 ? undefined : { silent: true, symbol: "none", animation: false, lineStyle: { color: palette.faint, type: [5, 4] },
          label: { color: palette.faint, formatter: ({ name: words }) => words, position: "end", fontSize: 11, distance: 3 },
          data: marks.map(({ value, name: words }) => ({ xAxis: value, name: words })) },
      })),
    }),
  });
}
