// The page of a library: where to look first, two plots, and every kernel in a table.

import { byId, el, fill } from "./dom.js";
import { bars } from "./plot.js";
import { wireTheme } from "./theme.js";

let data = null;
let order = "irregular";

/** Starts the page. */
export function start() {
  data = JSON.parse(byId("data").textContent);
  for (const kernel of data.kernels) kernel.name = kernel.function.split(":").pop();
  wireTheme(byId("theme"), () => {});
  byId("search").addEventListener("input", draw);
  draw();
  document.documentElement.dataset.ready = "true";
}

const COLUMNS = {
  lds: ["LDS bytes", (kernel) => kernel.lds_bytes],
  occupancy: ["occupancy, worst", (kernel) => least(kernel.occupancy)],
  coalesced: ["coalesced", (kernel) => kernel.classes.coalesced ?? 0],
  strided: ["strided", (kernel) => kernel.classes.strided ?? 0],
  irregular: ["irregular", (kernel) => kernel.classes.irregular ?? 0],
  divergent: ["divergent barriers", (kernel) => kernel.divergent],
};

function least(values) {
  const all = Object.values(values);
  return all.length ? Math.min(...all) : null;
}

function draw() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = data.kernels.filter((kernel) => words.every((word) => kernel.function.toLowerCase().includes(word)));
  const value = COLUMNS[order][1];
  const sign = order === "occupancy" ? 1 : -1;
  shown.sort((a, b) => sign * ((value(a) ?? -sign * Infinity) - (value(b) ?? -sign * Infinity)) || a.name.localeCompare(b.name));
  fill(byId("library"),
    el("p", { role: "status" }, `${data.kernels.length} kernels; ${data.stated} facts stated, ${data.null} not provable and counted.`),
    el("section", {}, el("h2", {}, "Worth a look ", el("span", { class: "faint" }, String(data.suspicions.length))),
      el("p", { class: "faint" }, "What facts show, and what would have to be true for it to be a fault. None was run; a reader of the source decides."),
      el("table", {}, el("tbody", {}, data.suspicions.map((one) => el("tr", {}, el("td", {}, one.kind), el("td", {}, one.confidence),
        el("td", { class: "place" }, `${one.file}:${one.line}`), el("td", {}, one.seen), el("td", { class: "faint" }, `matters if ${one.matters_if}`)))))),
    el("section", { class: "plots" },
      bars("Global accesses by class", totals()),
      bars("Kernels by static LDS", ldsGroups())),
    el("section", {}, el("h2", {}, "Kernels"), table(shown)));
}

function totals() {
  const sums = new Map();
  for (const kernel of data.kernels) {
    for (const [name, count] of Object.entries(kernel.classes)) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function ldsGroups() {
  const groups = [["not stated", (n) => n === null], ["none", (n) => n === 0], ["to 1 KiB", (n) => n > 0 && n <= 1024],
    ["to 8 KiB", (n) => n > 1024 && n <= 8192], ["to 32 KiB", (n) => n > 8192 && n <= 32768], ["more", (n) => n > 32768]];
  return groups.map(([name, test]) => [name, data.kernels.filter((kernel) => test(kernel.lds_bytes)).length]);
}

function table(kernels) {
  const heads = Object.entries(COLUMNS).map(([key, [title]]) => el("th", { "aria-sort": key === order ? "descending" : null },
    el("button", { type: "button", click: () => { order = key; draw(); } }, title)));
  return el("table", { class: "kernels" }, el("thead", {}, el("tr", {}, el("th", {}, "kernel"), heads)),
    el("tbody", {}, kernels.map((kernel) => el("tr", {}, el("td", { title: kernel.function }, kernel.name),
      Object.values(COLUMNS).map(([, value]) => el("td", {}, value(kernel) ?? "–"))))));
}
