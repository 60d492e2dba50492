// The page of a run: it reads report-data.js beside it, again every few seconds while the run goes
// on, and shows what is there. A page opened from a file may not fetch(); a script element may.
// Nothing is ever inserted as HTML, so that no title or name can be more than text.

"use strict";

const refreshSeconds = 2;
const report = document.getElementById("report");
let latest = null;
let timeRange = null;

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in made && typeof value !== "string") {
      made[key] = value;
    } else {
      made.setAttribute(key, value);
    }
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/// The child of this key, made when it is first asked for: what the reader has opened, chosen or
/// scrolled to stays where it is.
function kept(parent, key, make) {
  const known = [...parent.children].find((child) => child.dataset.key === key);
  if (known) {
    return known;
  }
  const made = make();
  made.dataset.key = key;
  parent.append(made);
  return made;
}

const cards = { state: "The run", warnings: "Warnings and notes", case: "The case", pictures: "Slices", nusselt: "Nusselt numbers", series: "Time series",
  profiles: "Profiles", resolution: "Resolution", speed: "Speed", checks: "Verification" };

/// A part of the page; all stand in the same order, and are shown once there is something in them.
function card(key) {
  for (const [name, title] of Object.entries(cards)) {
    kept(report, name, () => element("section", { class: "card", "aria-label": title, hidden: true }, element("h2", {}, title)));
  }
  const wanted = kept(report, key);
  wanted.hidden = false;
  return wanted;
}

const readable = (name) => name.replaceAll("_", " ");
const clockOf = (seconds) => new Date(1000 * seconds).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

function duration(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60];
  return days > 0 ? `${days} d ${hours} h` : hours > 0 ? `${hours} h ${minutes} min`
    : minutes > 0 ? `${minutes} min ${Math.floor(seconds % 60)} s` : `${display(seconds, 2)} s`;
}

/// Rows of a table: { cells: [text, or { text, class }], heading of the row first }.
function table(caption, headings, rows) {
  const cell = (content, isHeading) => {
    const { text, ...attributes } = typeof content === "object" && content !== null && !(content instanceof Node) ? content : { text: content };
    return element(isHeading ? "th" : "td", isHeading ? { scope: "row", ...attributes } : attributes, text instanceof Node ? text : display(text, 6));
  };
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    element("table", {}, element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...headings.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...rows.map((cells) => element("tr", {}, ...cells.map((content, n) => cell(content, n === 0)))))));
}

// Charts

function keyOf(number, name) {
  return element("span", {}, svg("svg", { class: "key", viewBox: "0 0 28 10", "aria-hidden": "true" },
    svg("path", { d: "M0 5H28", class: `curve curve-${number % 6}` })), readable(name));
}

/// A chart with its name, a switch for logarithms and a table of its last values, which shows those
/// under the pointer instead.
function chart(parent, key, title, curves, options) {
  const figure = kept(parent, key, () => {
    const logarithmic = element("input", { type: "checkbox" });
    const made = element("figure", {}, element("div", { class: "title" }, element("h3"), element("label", {}, logarithmic, " logarithmic")),
      element("div", { class: "drawing" }), element("div", { class: "values" }));
    logarithmic.checked = Boolean(options.logarithmic);
    logarithmic.addEventListener("change", () => made.redraw());
    watchPointer(made);
    return made;
  });
  figure.hidden = false;
  figure.redraw = () => {
    const isLogarithmic = figure.querySelector("input").checked;
    figure.querySelector("h3").textContent = title;
    figure.curves = curves;
    figure.options = options;
    figure.drawn = drawChart(curves, { ...options, title: `${title}: ${curves.map((curve) => readable(curve.name)).join(", ")}`,
      logarithmic: isLogarithmic, within: options.ofTime ? timeRange : null });
    figure.querySelector(".drawing").replaceChildren(figure.drawn.element);
    showValues(figure, null);
  };
  figure.redraw();
}

function showValues(figure, x) {
  const { curves, options } = figure;
  const withErrors = curves.some((curve) => curve.errors);
  const rows = curves.map((curve, number) => {
    const n = x === null ? curve.y.length - 1 : nearestIndex(curve.x, x);
    const value = x === null && curve.last !== undefined ? curve.last : curve.y[n];
    return [{ text: keyOf(number, curve.name) }, value, ...(withErrors ? [curve.errors?.[n] ?? null] : [])];
  });
  const at = x ?? Math.max(...curves.map((curve) => curve.x[curve.x.length - 1]));
  const caption = options.upright ? `at ${options.x} = ${display(at)}` : x === null ? `last, at ${options.x} ${display(at)}` : `at ${options.x} ${display(at)}`;
  const values = table(caption, ["", "value", ...(withErrors ? ["error"] : [])], rows);
  values.querySelector("thead").className = withErrors ? "" : "hidden";
  figure.querySelector(".values").replaceChildren(values);
}

/// The values under the pointer; of charts over time, a range that is drawn with it is shown in all.
function watchPointer(figure) {
  const drawing = figure.querySelector(".drawing");
  let begin = null;
  const placeOf = (event) => {
    const box = drawing.firstChild.getBoundingClientRect();
    const across = (event.clientX - box.left) / box.width * chartSize.width;
    const down = (event.clientY - box.top) / box.height * chartSize.height;
    return figure.drawn.x(figure.options.upright ? down : across);
  };
  drawing.addEventListener("pointermove", (event) => {
    const place = placeOf(event);
    const { x } = figure.curves[0];
    const nearest = x[nearestIndex(x, place)];
    figure.drawn.mark(nearest);
    showValues(figure, nearest);
  });
  drawing.addEventListener("pointerleave", () => {
    figure.drawn.mark(null);
    showValues(figure, null);
  });
  drawing.addEventListener("pointerdown", (event) => { begin = event.pointerType === "mouse" ? placeOf(event) : null; });
  drawing.addEventListener("pointerup", (event) => {
    const end = placeOf(event);
    const [least, most] = figure.options.ofTime && begin !== null ? [begin, end].sort((a, b) => a - b) : [0, 0];
    begin = null;
    if (most - least > 0.02 * Math.abs(figure.drawn.x(chartSize.width) - figure.drawn.x(0))) {
      setTimeRange([least, most]);
    }
  });
}

function setTimeRange(range) {
  timeRange = range;
  for (const [n, input] of report.querySelectorAll(".time-range input").entries()) {
    input.value = range ? Number(range[n].toPrecision(6)) : "";
  }
  for (const figure of report.querySelectorAll("figure")) {
    if (figure.options?.ofTime) {
      figure.redraw();
    }
  }
}

function columnsOf(data, names) {
  const { columns, last } = data.series;
  return names.filter((name) => columns[name]?.some((value) => value !== null && value !== 0))
    .map((name) => ({ name, x: columns.time, y: columns[name], last: last[name] }));
}

function timeChart(parent, data, key, title, names, options = {}) {
  const curves = columnsOf(data, names);
  if (curves.length > 0) {
    chart(parent, key, title, curves, { x: "time", ofTime: true, ...options });
  }
}

// What the page shows, from its top to its end

function stateOf(data) {
  if (data.state === "failed") {
    return ["failed", "bad"];
  }
  if (data.state === "running") {
    return Date.now() / 1000 - data.written > data.expected_within ? [`no news since ${clockOf(data.written)}`, "doubtful"] : ["running", "running"];
  }
  const { verdict, complete } = data.result;
  const looks = { verified: "good", "under-resolved": "doubtful", failed: "bad" };
  return [complete ? verdict : `${verdict}, ended early`, looks[verdict] ?? "running"];
}

const ends = { steps: "It came to its number of steps.", time: "It came to its end in time.", steady: "It became steady.",
  converged: "Its averages converged.", interruption: "It was ended early" };

function endOf(data) {
  if (data.state !== "ended") {
    return "";
  }
  const why = figuresOf(data).end;
  return why === "interruption" || !data.result.complete ? `${ends.interruption} by ${data.result.ended_by ?? "an interruption"}.` : ends[why] ?? "";
}

/// Figures of the step's measurement.
function figuresOf(data) {
  const step = data.result?.measurements?.find((measurement) => measurement.parameters?.part?.value === "step") ?? data.result?.measurements?.[0];
  return Object.fromEntries(Object.entries(step?.figures ?? {}).map(([name, figure]) => [name, figure.value]));
}

function showState(data) {
  const { part, part_at_begin: begin, seconds, seconds_before: before, steps, end_time: endTime } = data.progress;
  const [state, look] = stateOf(data);
  const last = data.series.last;
  const top = card("state");
  const lasting = data.state === "running" ? "runs for" : "took";
  const left = part > begin && data.state === "running" ? seconds * (1 - part) / (part - begin) : null;
  const numbers = [
    ["step", display(last.step) + (steps > 0 ? ` of ${display(steps)}` : "")],
    ["time", display(last.time, 6) + (endTime > 0 ? ` of ${display(endTime, 6)}` : "")],
    ...(before > 0 ? [[`${lasting}, restarts included`, duration(before + seconds)]] : []),
    [begin > 0 ? `${lasting}, since it was restarted` : lasting, duration(seconds)],
    ...(left !== null && part < 1 ? [["expected end", `${clockOf(data.written + left)}, in ${duration(left)}`]] : []),
    ["as of", clockOf(data.written)]];
  top.replaceChildren(
    element("div", { class: "heading" }, element("h1", {}, data.title || data.name), element("span", { class: `state ${look}`, role: "status" }, state),
      data.title ? element("span", { class: "name" }, data.name) : null),
    element("progress", { class: "progress", max: "1", value: String(part), "aria-label": `${Math.round(100 * part)} % done` }),
    element("p", { class: "quiet" }, `${display(100 * part, 3)} %. ${endOf(data)}${data.state === "running" && part >= 1 ? "Measuring what the steps took." : ""}`),
    ...(data.failure ? [element("p", { class: "failure" }, data.failure)] : []),
    element("dl", { class: "numbers" }, ...numbers.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))));
  document.title = `${data.state === "running" ? `${Math.floor(100 * part)} % ` : ""}${data.name}: ${state}`;
}

function showWarnings(data) {
  const notes = (data.result?.notes ?? []).concat((data.result?.measurements ?? []).flatMap((measurement) => measurement.notes ?? []));
  const resolution = data.series.last.resolution === "under-resolved" ? ["The grid is too coarse for the flow of the last row: see the resolution."] : [];
  const noise = data.result?.quietness === "noisy" ? ["The machine was busy with other things: timings are noisy."] : [];
  const all = [...new Set([...data.warnings, ...resolution, ...noise, ...notes])];
  const warnings = card("warnings");
  warnings.classList.add("warnings");
  warnings.hidden = all.length === 0;
  warnings.replaceChildren(warnings.firstChild, element("ul", {}, ...all.map((text) => element("li", {}, text))));
}

function showCase(data) {
  const about = card("case");
  const facts = kept(about, "facts", () => element("dl", { class: "facts" }));
  facts.replaceChildren(...data.facts.flatMap(([name, value]) => [element("dt", {}, readable(name)), element("dd", {}, value)]));
  if (data.case) {
    const whole = kept(about, "whole", () => element("details", {}, element("summary", {}, "case.toml"), element("pre", { tabindex: "0" })));
    whole.lastChild.textContent = data.case;
  }
}

function showNusselt(data) {
  const names = Object.keys(data.series.columns).filter((name) => name.startsWith("nusselt_"));
  if (names.length === 0) {
    return;
  }
  const place = card("nusselt");
  const charts = kept(place, "charts", () => element("div", { class: "charts" }));
  timeChart(charts, data, "numbers", "Nusselt numbers", names, { y: "Nu" });
  const averages = Object.entries(data.averages).map(([name, { time, mean, error }]) => ({
    name, x: time, y: mean, errors: error, low: mean.map((value, n) => value - (error[n] ?? 0)), high: mean.map((value, n) => value + (error[n] ?? 0)) }));
  if (averages.length > 0) {
    chart(charts, "averages", "Means over the second half so far", averages, { x: "time", y: "mean Nu", ofTime: true });
  }
  const figures = figuresOf(data);
  const rows = Object.keys(figures).filter((name) => /^nusselt_.*_average$/.test(name)).map((name) => [readable(name), figures[name]]);
  for (const [name, label] of [["nusselt_error", "standard error, in parts of the largest"], ["nusselt_disagreement", "disagreement, in parts of the largest"],
    ["nusselt_window", "window"]]) {
    if (name in figures) {
      rows.push([label, readable(String(figures[name]))]);
    }
  }
  if (rows.length > 0) {
    kept(place, "result", () => element("div")).replaceChildren(table("averages of the result, by all looks at the flow", ["", "value"],
      rows.map(([name, value]) => [name, typeof value === "string" && !Number.isNaN(Number(value)) ? Number(value) : value])));
  }
}

function scalarsOf(data) {
  return Object.keys(data.series.columns).filter((name) => name.endsWith("_mean_square")).map((name) => name.slice(0, -"_mean_square".length));
}

function showSeries(data) {
  const place = card("series");
  kept(place, "range", makeTimeRange);
  const charts = kept(place, "charts", () => element("div", { class: "charts" }));
  timeChart(charts, data, "energy", "Kinetic energy", ["kinetic_energy"]);
  timeChart(charts, data, "budget", "What gives and takes kinetic energy", ["dissipation", "buoyancy_work", "wall_work", "force_work", "time_scheme_work"]);
  timeChart(charts, data, "reynolds", "Reynolds number", ["reynolds"]);
  timeChart(charts, data, "velocities", "Largest velocities", ["max_u", "max_v", "max_w"]);
  const scalars = scalarsOf(data);
  for (const scalar of scalars) {
    timeChart(charts, data, `${scalar}-values`, `${readable(scalar)}: least, mean and greatest`, [`${scalar}_least`, `${scalar}_mean`, `${scalar}_most`]);
    const hasNusselt = scalar === scalars[0] && data.series.columns.nusselt_lower; // which are the same numbers
    timeChart(charts, data, `${scalar}-sherwood`, `${readable(scalar)}: Sherwood numbers`,
      hasNusselt ? [] : [`${scalar}_sherwood_lower`, `${scalar}_sherwood_upper`, `${scalar}_sherwood_volume`]);
  }
  timeChart(charts, data, "step", "Time step", ["dt"]);
  showChosenColumn(charts, data);
}

/// All charts over time show a range that the reader gives, or draws with the pointer.
function makeTimeRange() {
  const inputs = ["from", "to"].map((name) => element("input", { type: "number", step: "any", "aria-label": `shown times ${name}` }));
  const all = element("button", { type: "button" }, "all times");
  all.addEventListener("click", () => setTimeRange(null));
  for (const input of inputs) {
    input.addEventListener("change", () => {
      const [from, to] = inputs.map((one) => one.value === "" ? NaN : Number(one.value));
      if (from < to) {
        setTimeRange([from, to]);
      }
    });
  }
  return element("div", { class: "controls time-range" }, "times", inputs[0], "to", inputs[1], all, element("span", {}, "or drag across a chart"));
}

/// Any column of series.csv.
function showChosenColumn(charts, data) {
  const names = Object.keys(data.series.columns).filter((name) => !["step", "time"].includes(name));
  if (names.length === 0) {
    return;
  }
  const chosen = kept(charts, "chosen", () => {
    const select = element("select", { "aria-label": "column of series.csv" });
    select.addEventListener("change", () => showChosenColumn(charts, latest));
    return element("div", {}, element("div", { class: "controls" }, element("label", {}, "any column: "), select), element("div"));
  });
  const select = chosen.querySelector("select");
  if (select.options.length !== names.length) {
    const before = select.value || "courant";
    select.replaceChildren(...names.map((name) => element("option", { value: name }, name)));
    select.value = names.includes(before) ? before : names[0];
  }
  chart(chosen.lastChild, "chart", readable(select.value), [{ name: select.value, x: data.series.columns.time, y: data.series.columns[select.value],
    last: data.series.last[select.value] }], { x: "time", ofTime: true });
}

function showPictures(data) {
  if (data.pictures.length === 0) {
    return;
  }
  const charts = kept(card("pictures"), "charts", () => element("div", { class: "charts pictures" }));
  for (const slice of data.pictures) {
    const figure = kept(charts, slice.name, makePicture);
    const slider = figure.querySelector("input");
    const isAtEnd = !figure.slice || Number(slider.value) === figure.slice.files.length - 1;
    figure.slice = slice;
    slider.max = slice.files.length - 1;
    slider.parentElement.hidden = slice.files.length < 2;
    if (isAtEnd) {
      slider.value = slider.max;
    }
    figure.redraw();
  }
}

function makePicture() {
  const slider = element("input", { type: "range", min: "0", max: "0", step: "1", "aria-label": "which picture" });
  const figure = element("figure", { class: "picture" }, element("h3"), element("a", {}, element("img", { alt: "" })),
    element("div", { class: "colours" }, element("span"), element("span", { class: "bar" }), element("span")),
    element("div", { class: "controls" }, element("label", {}, "time"), slider));
  figure.redraw = () => {
    const { files, field, normal, at, colours } = figure.slice;
    const { file, time, least, most } = files[Number(slider.value)];
    const title = `${readable(field)} in the plane ${normal} = ${display(at)}, at time ${display(time)}`;
    const [image, ends] = [figure.querySelector("img"), figure.querySelector(".colours").children];
    figure.querySelector("h3").textContent = title;
    figure.querySelector("a").href = file;
    if (image.getAttribute("src") !== file) {
      image.src = file;
    }
    image.alt = `${title}: from ${display(least)} to ${display(most)}`;
    figure.querySelector(".colours").hidden = colours.length === 0;
    ends[0].textContent = display(least);
    ends[1].style.background = `linear-gradient(to right, ${colours.join(", ")})`;
    ends[2].textContent = display(most);
    slider.setAttribute("aria-valuetext", `time ${display(time)}`);
  };
  slider.addEventListener("input", () => figure.redraw());
  return figure;
}

const profileGroups = [["mean", "Means"], ["variance", "Variances"], ["flux", "Fluxes"], ["stress", "Reynolds stresses"],
  ["dissipation", "Dissipation"], ["third_moment", "Third moments"]];

function showProfiles(data) {
  if (data.profiles.length === 0) {
    return;
  }
  const place = card("profiles");
  for (const profile of data.profiles) {
    const key = `${profile.window}-${profile.axis}`;
    const part = kept(place, key, () => element("div", {}, element("p", { class: "quiet" }), element("div", { class: "charts" })));
    part.firstChild.textContent = `${profile.window ? `${profile.window}: ` : ""}along ${profile.axis}, averages over times ${display(profile.from)} to `
      + `${display(profile.until)}, ${display(profile.samples)} samples`;
    const columns = profile.tables.flatMap((table) => table.columns.map((column) => ({ ...column, places: table.places })));
    for (const [suffix, title] of profileGroups) {
      const ofGroup = columns.filter((column) => column.name.endsWith(`_${suffix}`) || column.name === suffix);
      for (const unit of new Set(ofGroup.map((column) => column.unit))) {
        const curves = ofGroup.filter((column) => column.unit === unit).sort((a, b) => (a.name < b.name ? -1 : 1)).map(curveOfProfile);
        const fields = curves.map((curve) => readable(curve.name.slice(0, -suffix.length))).filter((name) => name !== "");
        chart(part.lastChild, `${suffix} ${unit}`, fields.length > 0 ? `${title}: ${fields.map((name) => name.trim()).join(", ")}` : title, curves, { x: profile.axis, y: unit, upright: true });
      }
    }
  }
}

function curveOfProfile({ name, places, values, errors }) {
  const known = errors.length === values.length;
  return { name, x: places, y: values, ...(known ? { errors, low: values.map((value, n) => value - errors[n]), high: values.map((value, n) => value + errors[n]) } : {}) };
}

function showResolution(data) {
  const checks = data.result?.resolution;
  const rows = checks ? checks.map((check) => [check.name, check.value, check.tolerance, { text: check.passed ? "within" : "beyond", class: check.passed ? "good" : "bad" }])
    : data.resolution.map(({ name, value, bound }) => [readable(name), value, bound, { text: value <= bound ? "within" : "beyond", class: value <= bound ? "good" : "bad" }]);
  if (rows.length === 0) {
    return;
  }
  const place = card("resolution");
  kept(place, "table", () => element("div")).replaceChildren(
    table(checks ? "over the second half of the run" : "of the last row", ["", "value", "bound", ""], rows));
  const bound = data.resolution.find(({ name }) => name === "cell_over_batchelor")?.bound;
  const charts = kept(place, "charts", () => element("div", { class: "charts" }));
  timeChart(charts, data, "batchelor", "Largest cell over the length of Batchelor", ["cell_over_batchelor"],
    { bounds: bound ? [{ value: bound, name: `bound: ${display(bound)}` }] : [] });
  timeChart(charts, data, "peclet", "Cell Peclet number", ["cell_peclet"]);
}

function showSpeed(data) {
  const place = card("speed");
  const measured = data.result?.measurements ?? [];
  const gigabytes = (rate) => rate === undefined ? null : display(rate / 1e9);
  const rows = measured.map((one) => [one.name, display(1e3 * one.timing.median), gigabytes(one.bytes_per_second), gigabytes(one.ceiling?.bytes_per_second),
    one.percent_of_bankfull === undefined ? null : `${display(one.percent_of_bankfull, 3)} %${one.cache === "beyond" ? "" : " (cache)"}`]);
  kept(place, "table", () => element("div")).replaceChildren(rows.length > 0
    ? table("measured at the end of the run", ["", "ms", "GB/s", "ceiling, GB/s", "of the ceiling"], rows)
    : element("p", { class: "quiet" }, "The ceiling of the memory, and how close to it the steps came, are measured at the end of the run."));
  const charts = kept(place, "charts", () => element("div", { class: "charts" }));
  timeChart(charts, data, "time", "Time of a step for each cell", ["ns_per_cell_step"], { y: "ns" });
}

function showChecks(data) {
  const checks = data.result?.verification ?? [];
  if (checks.length > 0) {
    const place = card("checks");
    kept(place, "table", () => element("div")).replaceChildren(table("checks of the result", ["", "value", "reference", "tolerance", ""],
      checks.map((check) => [check.name, check.value, check.reference, check.tolerance, { text: check.passed ? "passed" : "failed", class: check.passed ? "good" : "bad" }])));
  }
}

function showEnd(data) {
  const links = ["series.csv", "case.toml", ...(data.state === "ended" ? ["run.json"] : [])];
  kept(report, "end", () => element("footer")).replaceChildren(
    `bankfull ${data.version}. In this folder: `, ...links.flatMap((name, n) => [n > 0 ? ", " : "", element("a", { href: name }, name)]), ".");
}

/// Called by report-data.js.
function bankfullReport(data) {
  document.getElementById("waiting").hidden = true;
  report.hidden = false;
  const isNews = !latest || JSON.stringify(data) !== latest.text;
  latest = isNews ? { ...data, text: JSON.stringify(data) } : latest;
  showState(data);
  if (isNews) {
    for (const show of [showWarnings, showCase, showNusselt, showSeries, showPictures, showProfiles, showResolution, showSpeed, showChecks, showEnd]) {
      show(data);
    }
  }
}

// Reading again

let loading = false;

function load() {
  if (loading) {
    return;
  }
  loading = true;
  const script = element("script", { src: `report-data.js?${Date.now()}` });
  const done = () => {
    loading = false;
    script.remove();
  };
  script.addEventListener("load", done);
  script.addEventListener("error", done);
  document.head.append(script);
}

load();
setInterval(() => {
  if (!document.hidden && (latest === null || latest.state === "running")) {
    load();
  }
}, 1000 * refreshSeconds);
document.addEventListener("visibilitychange", () => document.hidden || load());
