// Numbers as people read them.

const prefixes = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);

function digits(value, count = 3) {
  if (!isNumber(value)) {
    return "";
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    return value.toExponential(Math.max(0, count - 1)).replace("e+", "e").replaceAll("-", "−");
  }
  const places = size === 0 ? 0 : Math.max(0, count - 1 - Math.floor(Math.log10(size)));
  return Number(value.toFixed(Math.min(places, 12))).toString().replace("-", "−");
}

/// With three digits, trailing zeros included, so that columns line up.
function threeDigits(value) {
  return isNumber(value) ? (value === 0 ? "0" : value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value)) + 1e-12))).replace("-", "−")) : "";
}

function si(value, unit) {
  if (!isNumber(value)) {
    return "";
  }
  const [size, prefix] = prefixes.find(([least]) => Math.abs(value) >= 0.9995 * least) ?? (value === 0 ? [1, ""] : prefixes[prefixes.length - 1]);
  return `${threeDigits(value / size)} ${prefix}${unit}`;
}

const binary = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];

function bytesText(bytes) {
  if (!isNumber(bytes)) {
    return "";
  }
  const [size, unit] = binary.find(([least]) => bytes >= least) ?? binary[binary.length - 1];
  return `${digits(bytes / size)} ${unit}`;
}

const percentText = (value) => (isNumber(value) ? `${value.toFixed(1).replace("-", "−")} %` : "");
const rateText = (value) => (value > 0 ? si(value, "B/s") : "");
const flopsText = (value) => (value > 0 ? si(value, "FLOPS") : "");
const secondsText = (value) => si(value, "s");
const capitalised = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
const readable = (name) => name.replaceAll("_", " ");

/// A value with its unit, whatever they are.
function valueText(value, unit) {
  if (value === null || value === undefined) {
    return "";
  }
  if (typeof value === "boolean") {
    return value ? "yes" : "no";
  }
  if (typeof value !== "number") {
    return unit ? `${value} ${unit}` : String(value);
  }
  if (unit === "B") {
    return bytesText(value);
  }
  return ["B/s", "s", "ns", "FLOP/s"].includes(unit) ? si(unit === "ns" ? 1e-9 * value : value, unit === "ns" ? "s" : unit === "FLOP/s" ? "FLOPS" : unit)
    : `${Number.isInteger(value) && Math.abs(value) < 1e15 ? value : digits(value, 6)}${unit ? ` ${unit}` : ""}`;
}

/// 64, 1/8: the ticks of an axis of powers of two.
const powerText = (value) => (value >= 1 ? String(Math.round(value)) : `1/${Math.round(1 / value)}`);

const titles = { himeno: "Himeno", "himeno-ladder": "Himeno, step by step", hpcg: "HPCG", npb: "NPB", convection: "Convection", probe: "Streams of the probe", "scaling himeno": "Scaling of Himeno", "scaling convect": "Scaling of convection" };
const workloadTitle = (workload) => titles[workload] ?? workload;

function median(values) {
  const sorted = values.filter(isNumber).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length === 0 ? null : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    groups.has(key) ? groups.get(key).push(item) : groups.set(key, [item]);
  }
  return groups;
}
