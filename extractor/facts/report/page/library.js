// The page of a library: two plots, where to look first, what could not be proved, every kernel in a table.

import { breakable, byId, el, fill } from "./dom.js";
import { packedData } from "./packed.js";
import { bars } from "./plot.js";
import { wireTheme } from "./theme.js";

let data = null;
let order = "irregular";

/** Starts the page. */
export async function start() {
  data = await packedData();
  for (const kernel of data.kernels) {
    const [file, line, ...name] = kernel.function.split(":");
    Object.assign(kernel, { name: name.join(":").split("::").pop(), place: `${file}:${line}` });
  }
  wireTheme(byId("theme"), () => {});
  byId("search").addEventListener("input", kernels);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== byId("search")) {
      event.preventDefault();
      byId("search").focus();
    }
  });
  fill(byId("library"),
    el("p", { role: "status" }, `${data.kernels.length} kernels and device functions; ${number(data.stated)} facts stated, ${number(data.null)} not proved.`),
    el("section", { class: "plots" },
      bars("Global accesses by class", totals()),
      bars("Kernels by static LDS", ldsGroups())),
    el("section", {}, el("h2", {}, "Looks like a fault ", el("span", { class: "faint" }, String(data.suspicions.length))),
      el("p", { class: "faint" }, data.suspicions.length
        ? "What facts show, and what would have to be true for it to be a fault. None was run; a reader of the source decides."
        : "No rule found anything."),
      grouped(data.suspicions, (one) => `${one.confidence}\n${one.kind}`).map(([, found]) => suspicion(found))),
    el("section", {}, el("h2", {}, "Not proved ", el("span", { class: "faint" }, number(data.null))), reasons()),
    el("section", {}, el("h2", {}, "Kernels"), el("div", { id: "kernels" })));
  kernels();
  document.documentElement.dataset.ready = "true";
}

function number(value) {
  return value.toLocaleString("en");
}

function grouped(items, key) {
  const groups = new Map();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return [...groups];
}

// One kind of suspicion: what would make it matter is said once where it is the same everywhere.
function suspicion(found) {
  const { kind, confidence } = found[0];
  const same = found.every((one) => one.matters_if === found[0].matters_if);
  return el("details", { class: "section", open: confidence === "worth a look" },
    el("summary", {}, kind, " ", el("span", { class: "faint" }, `${found.length}, ${confidence}`)),
    same ? el("p", { class: "faint" }, `Matters if ${found[0].matters_if}.`) : null,
    el("table", {}, el("tbody", {}, found.map((one) => el("tr", {},
      el("td", { class: "where" }, el("div", {}, breakable(one.function.split(":").pop())),
        el("div", { class: "place faint", title: one.places.join("\n") }, `${one.file.split("/").pop()}:${one.line}`,
          one.places.length > 1 ? ` and ${one.places.length - 1} more` : "")),
      el("td", {}, one.seen, same ? null : el("span", { class: "faint" }, ` Matters if ${one.matters_if}.`)))))));
}

function reasons() {
  return el("details", { class: "section" }, el("summary", {}, "Reasons, counted"),
    el("table", {}, el("tbody", {}, data.reasons.map(([fact, reason, count]) => el("tr", {},
      el("td", { class: "count" }, number(count)), el("td", {}, fact.replaceAll("_", " ")), el("td", {}, reason))))));
}

const COLUMNS = {
  lds: ["LDS bytes", (kernel) => kernel.lds_bytes],
  vgprs: ["VGPRs, most", (kernel) => extreme(Math.max, kernel.vgprs)],
  occupancy: ["occupancy, worst", (kernel) => extreme(Math.min, kernel.occupancy)],
  coalesced: ["coalesced", (kernel) => kernel.classes.coalesced ?? 0],
  broadcast: ["broadcast", (kernel) => kernel.classes.broadcast ?? 0],
  strided: ["strided", (kernel) => kernel.classes.strided ?? 0],
  irregular: ["irregular", (kernel) => kernel.classes.irregular ?? 0],
  divergent: ["divergent barriers", (kernel) => kernel.divergent],
};

function extreme(choose, values) {
  const all = Object.values(values);
  return all.length ? choose(...all) : null;
}

function kernels() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = data.kernels.filter((kernel) => words.every((word) => kernel.function.toLowerCase().includes(word)));
  const value = COLUMNS[order][1];
  const sign = order === "occupancy" ? 1 : -1;
  shown.sort((a, b) => sign * ((value(a) ?? -sign * Infinity) - (value(b) ?? -sign * Infinity)) || a.name.localeCompare(b.name));
  const compiled = data.kernels.some((kernel) => Object.keys(kernel.occupancy).length);
  fill(byId("kernels"),
    compiled ? null : el("p", { class: "faint" }, "Registers and occupancy come from the compiler, which was not asked; add --arch, such as --arch gfx942."),
    shown.length ? table(shown, compiled) : el("p", { class: "faint" }, "No kernel has this name."));
}

function table(shown, compiled) {
  const columns = Object.entries(COLUMNS).filter(([key]) => compiled || !["vgprs", "occupancy"].includes(key));
  const heads = columns.map(([key, [title]]) => el("th", { "aria-sort": key !== order ? null : key === "occupancy" ? "ascending" : "descending" },
    el("button", { type: "button", click: () => { order = key; kernels(); } }, title)));
  return el("table", { class: "kernels" }, el("thead", {}, el("tr", {}, el("th", {}, "kernel"), heads)),
    el("tbody", {}, shown.map((kernel) => el("tr", {},
      el("td", { class: "where" }, el("div", {}, breakable(kernel.name)), el("div", { class: "place faint", title: kernel.place }, kernel.place.split("/").pop())),
      columns.map(([, [, value]]) => el("td", {}, cell(value(kernel))))))));
}

function cell(value) {
  if (value === null) return "–";
  return value ? number(value) : el("span", { class: "faint" }, "0");
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
