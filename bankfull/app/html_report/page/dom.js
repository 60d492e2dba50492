// Elements of the page. What comes from results is only ever inserted as text, never as HTML, so
// that no name or note can be more than text.

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(key, value === true ? "" : value);
    }
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

function svgElement(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/// A part of the page with a heading, which the contents at the top lead to.
function section(id, title, description, ...children) {
  return element("section", { class: "card", id, "aria-labelledby": `${id}-title` },
    element("h2", { id: `${id}-title` }, title), description ? element("p", { class: "quiet" }, description) : null, ...children);
}

/// Of rows of texts or of { text, class }; the first cell of each is its heading. Reachable by the
/// keyboard, for it may be wider than a phone; what it shows stands above, where it does not scroll.
function table(caption, headings, rows) {
  const isText = headings.map((name, n) => n === 0 || !rows.every((row) => isNumeric(cellText(row[n]))));
  const cell = (content, n) => {
    const look = [isText[n] ? "text" : "", content?.class ?? ""].join(" ").trim();
    return n === 0 ? element("th", { scope: "row", class: look }, cellText(content)) : element("td", { class: look || null }, content?.node ?? cellText(content));
  };
  return element("div", {}, element("p", { class: "caption" }, caption),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
      element("table", { "aria-label": caption },
        element("thead", {}, element("tr", {}, headings.map((name, n) => element("th", { scope: "col", class: isText[n] ? "text" : null }, name)))),
        element("tbody", {}, rows.map((row) => element("tr", {}, row.map(cell)))))));
}

/// Numbers, with a unit or a range of them, stand on the right of their column.
const isNumeric = (text) => /^([−+]?[\d.,]+(e−?\d+)?( ?[%\p{L}\/·]{1,8})?( to )?)*$/u.test(text);

function cellText(content) {
  return content === null || content === undefined ? "" : typeof content === "object" ? String(content.text ?? "") : String(content);
}

function disclosure(summary, ...children) {
  return element("details", {}, element("summary", {}, summary), ...children);
}
