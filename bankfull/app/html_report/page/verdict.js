// What comes first: whether the results can be trusted, and what machine they are of.

const looks = { verified: "good", failed: "bad", incomplete: "doubtful", "under-resolved": "doubtful", noisy: "doubtful", unchecked: "doubtful", doubtful: "doubtful" };
const countNames = { runs: "runs", verified: "verified", failed: "failed", incomplete: "incomplete", "under-resolved": "under-resolved", noisy: "noisy", unchecked: "without checks" };
const shownFaults = 8;

/// Above this a cache has delivered a part, or something was mismeasured (docs/output.md).
const plausiblePercent = 103;

function runLink(data, n) {
  const link = element("a", { href: `#run-${n}` }, data.runs[n].file);
  link.addEventListener("click", () => { document.getElementById(`run-${n}`).open = true; });
  return link;
}

function faultItem(data, { kind, run, text }) {
  return element("li", {}, element("span", { class: `kind ${looks[kind]}` }, kind), element("div", {}, run === undefined ? null : runLink(data, run), run === undefined ? "" : ". ", text));
}

/// Percentages that nothing explains deserve the reader's look as much as a noisy machine.
function implausible(data) {
  const beyond = data.kernels.map((kernel) => [kernel, typical(data, kernel)]).filter(([, values]) => values.cache === "beyond" && values.percent > plausiblePercent);
  const [kernel, values] = beyond.sort((a, b) => b[1].percent - a[1].percent)[0] ?? [];
  return kernel ? [{ kind: "doubtful", text: `${beyond.length === 1 ? "One measurement is" : `${beyond.length} measurements are`} above ${plausiblePercent} % of the measured ceiling, most of all `
    + `${kernel.label} with ${percentText(values.percent)}: a cache may have delivered a part of the data.` }] : [];
}

function verdictSection(data) {
  const { overall, sentence, counts, faults, what } = data.verdict;
  const all = [...faults, ...implausible(data)];
  const items = all.map((fault) => faultItem(data, fault));
  const hidden = items.splice(items.length > shownFaults + 2 ? shownFaults : items.length);
  const made = section("verdict", "Verdict", "", 
    element("p", { class: "sentence" }, element("span", { class: `state ${looks[overall]}` }, overall), " ", sentence),
    element("dl", { class: "numbers" }, Object.entries(countNames).filter(([name]) => ["runs", "verified", "failed", "noisy", "incomplete"].includes(name) || counts[name] > 0)
      .map(([name, words]) => element("div", {}, element("dt", {}, name === "runs" ? what : words), element("dd", { class: counts[name] > 0 && name !== "runs" ? looks[name] : null }, String(counts[name]))))),
    items.length > 0 ? element("ul", { class: "faults" }, items) : null,
    hidden.length > 0 ? disclosure(`${hidden.length} more`, element("ul", { class: "faults" }, hidden)) : null);
  made.classList.add("verdict", looks[overall]);
  return made;
}

function machineCard({ name, facts, runs }, heading) {
  return element("div", { class: "machine" }, element("h3", {}, heading ?? name),
    element("dl", { class: "facts" }, facts.flatMap(([label, value]) => [element("dt", {}, label), element("dd", {}, value)]), element("dt", {}, "results"), element("dd", {}, String(runs.length))));
}

function machineSection(data) {
  if (data.machines.length === 0) {
    return null;
  }
  const several = data.machines.length > 1;
  return section("machines", several ? `${data.machines.length} machines` : "The machine",
    several ? "Runs on the same host with the same processors and GPUs count as one machine. Where its runs differ, all values are given." : "As its runs recorded it. Where they differ, all values are given.",
    element("div", { class: "machines" }, data.machines.map((machine) => machineCard(machine))));
}

/// For each workload the kernel that came closest to the ceiling of its device.
function glanceSection(data) {
  const whole = data.kernels.filter((kernel) => !kernel.is_part && kernel.workload !== "probe").map((kernel) => ({ ...kernel, ...typical(data, kernel) }));
  const best = [...groupBy(whole.filter(({ percent, cache }) => percent && cache === "beyond"), ({ device, workload }) => JSON.stringify([device, workload])).values()]
    .map((group) => group.reduce((a, b) => (b.percent > a.percent ? b : a)));
  const roofs = devicesOf(data).map((device) => [device, roofOf(data, device)]).filter(([, roof]) => roof);
  if (best.length + roofs.length === 0) {
    return null;
  }
  return section("glance", "At a glance", "Percent of the ceiling: the bytes that a kernel must move, per second, divided by what a stream of the same mix of reads and writes sustained in the same process.",
    roofs.length > 0 ? table("Fastest stream measured on each device", ["device", "rate", "stream"], roofs.map(([device, roof]) => [device, rateText(roof.rate), roof.name])) : null,
    best.length > 0 ? table("Of each workload the measurement that came closest to its ceiling; working sets inside a cache are left out",
      ["workload", "measurement", "device", "of the ceiling", "bandwidth", "floating point"],
      best.map((kernel) => [workloadTitle(kernel.workload), kernel.label, kernel.device, percentText(kernel.percent), rateText(kernel.bytesPerSecond), flopsText(kernel.flopsPerSecond)])) : null);
}
