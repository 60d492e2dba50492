// Every measurement, check and note of every run.

function measurementRows(run) {
  return run.measurements.map((one) => [one.name, secondsText(one.seconds), one.repeats > 1 ? `${secondsText(one.least_seconds)} to ${secondsText(one.most_seconds)}` : "", rateText(one.bytes_per_second),
    one.ceiling ? rateText(one.ceiling.bytes_per_second) : "", percentText(one.percent), flopsText(one.flops_per_second), cacheText(one.cache), one.disturbances.length > 0 ? { text: one.disturbances.join("; "), class: "doubtful" } : "quiet"]);
}

function figureRows(run) {
  return run.measurements.flatMap((one) => [...one.parameters, ...one.figures].filter(({ name }) => !name.startsWith("plateau_")).map(({ name, value, unit }) => [one.name, readable(name), valueText(value, unit)]));
}

function checkRows(checks) {
  return checks.map((check) => [check.name, digits(check.value, 6), digits(check.reference, 6), check.reference === 0 ? digits(check.tolerance) : `${digits(100 * check.tolerance)} %`,
    { text: check.passed ? "passed" : "failed", class: check.passed ? "good" : "bad" }, check.source]);
}

function runDetails(run, n) {
  const notes = [...new Set([...run.notes, ...run.measurements.flatMap((one) => one.notes)])];
  const states = [run.verdict, ...(run.noisy ? ["noisy"] : []), ...run.limits, ...(run.ended_by ? [`ended early by ${run.ended_by}`] : [])];
  const look = run.verdict === "failed" ? "bad" : run.verdict === "verified" && states.length === 1 ? "good" : "doubtful";
  const figures = figureRows(run);
  const checkHeadings = ["check", "value", "reference", "tolerance", "", "source"];
  return element("details", { class: "run", id: `run-${n}` },
    element("summary", {}, run.file, " ", element("span", { class: look }, states.join(", ")), element("span", { class: "quiet" }, `${run.workload}, ${run.device}, ${run.date.replace("T", " ").replace("Z", " UTC")}`)),
    element("pre", { tabindex: "0", "aria-label": "command" }, run.command),
    run.measurements.length > 0 ? table(`Measurements of ${run.file}`, ["measurement", "median time", "range", "bandwidth", "ceiling", "of the ceiling", "floating point", "working set", "timing"], measurementRows(run)) : null,
    run.checks.length > 0 ? table(`Checks of ${run.file}`, checkHeadings, checkRows(run.checks)) : element("p", { class: "quiet" }, "Nothing was checked."),
    run.resolution.length > 0 ? table(`Resolution of the grid of ${run.file}`, checkHeadings, checkRows(run.resolution)) : null,
    notes.length > 0 ? element("ul", { class: "notes", "aria-label": "notes" }, notes.map((note) => element("li", {}, note))) : null,
    run.problem.length > 0 ? disclosure("Problem", table(`Problem of ${run.file}`, ["setting", "value"], run.problem.map(({ name, value, unit }) => [readable(name), valueText(value, unit)]))) : null,
    figures.length > 0 ? disclosure(`${figures.length} parameters and figures`, table(`Parameters and figures of ${run.file}`, ["measurement", "name", "value"], figures)) : null);
}

function resultsSection(data) {
  if (data.runs.length === 0) {
    return null;
  }
  const runs = data.runs.map(runDetails);
  const all = element("button", { type: "button" }, "Open all");
  all.addEventListener("click", () => {
    const open = runs.some((run) => !run.open);
    runs.forEach((run) => { run.open = open; });
    all.textContent = open ? "Close all" : "Open all";
  });
  return section("results", `All ${data.runs.length} results`, "Every measurement, check and note. What is open is printed.", element("p", {}, all), element("div", {}, runs));
}
