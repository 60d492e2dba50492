// Puts the page together from the data that stand in it.

function contents(sections) {
  return element("nav", { "aria-label": "Contents" }, element("ul", {}, sections.map((part) => element("li", {}, element("a", { href: `#${part.id}` }, part.querySelector("h2").textContent)))));
}

function titleOf({ machines, papers }) {
  return machines.length === 1 ? machines[0].name : machines.length > 0 ? `Results of ${machines.length} machines` : `Reproduced: ${[...new Set(papers.map(({ paper }) => paper))].join(", ")}`;
}

function show(data) {
  const title = data.title || titleOf(data);
  document.title = `${title}: bankfull report`;
  const sections = [verdictSection, machineSection, glanceSection, comparisonSection, historySection, paperSections, rooflineSection, percentSection, curvesSection, hpcgSection, npbSection, scalingSection, convectionSection, resultsSection]
    .flatMap((make) => make(data)).filter((part) => part);
  document.getElementById("top").append(element("p", { class: "kicker" }, "bankfull report"), element("h1", {}, title), contents(sections));
  document.getElementById("report").append(...sections);
  document.getElementById("end").append(element("p", {}, `Written by bankfull ${data.version} on ${data.date}. Charts: Apache ECharts 6.1.0, Apache License 2.0, https://echarts.apache.org; with parts of D3 and zrender, BSD licence.`));
  drawAll();
  openTarget();
}

/// A link to a result opens it.
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (target instanceof HTMLDetailsElement) {
    target.open = true;
  }
}

addEventListener("hashchange", openTarget);
show(JSON.parse(document.getElementById("data").textContent));
