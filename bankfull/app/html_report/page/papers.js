// Tables and figures of papers, measured again by `bankfull reproduce`.

const withUnit = (value, unit) => (isNumber(value) ? `${digits(value, 4)}${unit ? ` ${unit}` : ""}` : "");
const paperVerdict = ({ verdict, noisy }) => ({ text: `${verdict}${noisy ? " (noisy)" : ""}`, class: looks[verdict] ?? "" });

/// One line of a table for each published value of a row, or one where there is none.
function paperRows(item) {
  return item.rows.flatMap((row) => (row.published.length > 0 ? row.published : [{ machine: "", value: null, ratio: null }]).map((published) => [row.label, published.machine,
    withUnit(published.value, row.unit), withUnit(row.ours, row.unit), row.device, digits(published.ratio), percentText(row.percent), paperVerdict(row)]));
}

const paperHeadings = ["row", "published on", "published", "ours", "on", "ours/published", "of the ceiling", "verdict"];

/// Bars want several rows of one unit, each positive, and something to stand beside.
function paperGroups(item) {
  const drawable = item.rows.filter(({ ours, published }) => ours > 0 && published.some(({ value }) => value > 0));
  return [...groupBy(drawable, ({ unit }) => unit).entries()].filter(([, rows]) => rows.length > 1);
}

function paperChart(paper, item, unit, rows) {
  const shown = rows.slice(0, mostBars);
  const machines = [...new Set(shown.flatMap(({ published }) => published.filter(({ value }) => value > 0).map(({ machine }) => machine)))].slice(0, curveCount - 1);
  const values = shown.flatMap(({ ours, published }) => [ours, ...published.map(({ value }) => value).filter((value) => value > 0)]);
  const logarithmic = isWide(values);
  const valueOf = (row, machine) => row.published.find((one) => one.machine === machine)?.value ?? null;
  return barChart({
    title: `${paper.paper}, ${item.id}: ${item.title}${unit ? `, ${unit}` : ""}`,
    description: `Published values beside ours, measured on ${[...new Set(shown.map(({ device }) => device))].join("; ")}.${logarithmic ? " The axis is logarithmic." : ""}`,
    names: shown.map(({ label }) => label), valueText: (value) => (isNumber(value) ? digits(value) : ""), axisName: unit || "value", logarithmic,
    least: logarithmic ? 10 ** Math.floor(Math.log10(Math.min(...values))) : 0,
    bars: [{ name: "ours", values: shown.map(({ ours }) => ours) }, ...machines.map((machine) => ({ name: machine, values: shown.map((row) => valueOf(row, machine)) }))],
    table: { headings: ["row", "ours", ...machines], rows: shown.map((row) => [row.label, withUnit(row.ours, unit), ...machines.map((machine) => withUnit(valueOf(row, machine), unit))]) },
  });
}

/// Why rows were not measured, rows of one reason together.
function paperReasons(item) {
  const reasons = groupBy(item.rows.filter(({ reason }) => reason), ({ reason }) => reason);
  const named = (rows) => `${rows.slice(0, 3).map(({ label }) => label).join("; ")}${rows.length > 3 ? `; ${rows.length - 3} more` : ""}`;
  return [...[...reasons.entries()].map(([reason, rows]) => `Not measured: ${named(rows)}: ${reason}`), ...item.rows.filter(({ note }) => note).map(({ label, note }) => `${label}: ${note}`)];
}

function paperItem(paper, item) {
  const title = `${item.id}: ${item.title}`;
  if (item.rows.length === 0) {
    return element("div", {}, element("h3", {}, title), element("p", { class: "quiet" }, [item.shows, item.instead].filter((text) => text).join("; ")));
  }
  const measured = item.rows.some(({ ours }) => isNumber(ours));
  const notes = paperReasons(item);
  const numbers = table(`${paper.paper}, ${title}`, paperHeadings, paperRows(item));
  return element("div", {}, element("h3", {}, title), item.note ? element("p", { class: "quiet" }, item.note) : null,
    measured ? numbers : disclosure(`None of the ${item.rows.length} rows was measured`, numbers),
    notes.length > 0 ? element("ul", { class: "notes" }, notes.map((note) => element("li", {}, note))) : null,
    element("div", { class: "charts wide" }, paperGroups(item).map(([unit, rows]) => paperChart(paper, item, unit, rows))));
}

/// A section for each paper; of one paper on several machines one for each.
function paperSections(data) {
  const title = (paper) => (data.papers.filter((other) => other.paper === paper.paper).length > 1 ? `${paper.paper}, ${paper.file}` : paper.paper);
  return data.papers.map((paper, n) => section(`paper-${n}`, `Reproduced: ${title(paper)}`, "",
    element("p", {}, paper.citation), element("p", { class: "quiet" }, `Published values from ${paper.values_from}. ${paper.sentence} Ours over published: above 1 is better for rates and worse for times.`),
    ...paper.items.map((item) => paperItem(paper, item))));
}
