// A library at a glance: which interface reaches how much, and which kernels are shared.

import { byId, el, fill } from "./dom.js";
import { baseName, counted } from "./model.js";
import { wireTheme } from "./theme.js";

const FEW = 100;

/** Starts the page on its embedded data. */
export function start() {
  const data = JSON.parse(byId("data").textContent);
  const app = { data, sort: { interfaces: ["kernels", -1] }, all: new Set(), text: "" };
  for (const [index, item] of data.interfaces.entries()) {
    const inside = data.functions.filter((f) => f.in.some(([place]) => place === index));
    const kernels = inside.filter((f) => f.kind === "kernel"
      && f.in.some(([place, live]) => place === index && live));
    Object.assign(item, { index, functions: inside.length, kernels: kernels.length,
      own: kernels.filter((f) => f.in.length === 1).length });
  }
  const search = byId("search");
  search.value = new URLSearchParams(location.hash.slice(1)).get("search") ?? "";
  search.addEventListener("input", () => {
    const text = search.value.trim();
    history.replaceState(null, "", text ? `#${new URLSearchParams({ search: text })}` : location.pathname + location.search);
    draw(app);
  });
  document.addEventListener("keydown", (event) => {
    if (event.target === search && event.key === "Escape") {
      search.value = "";
      search.blur();
      draw(app);
    } else if (event.key === "/" && event.target !== search) {
      search.focus();
      event.preventDefault();
    }
  });
  wireTheme(byId("theme"), () => {});
  draw(app);
  document.documentElement.dataset.ready = "true";
}

function draw(app) {
  app.words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  drawTotals(app);
  drawFound(app);
  drawInterfaces(app);
  drawKernels(app);
  drawBoundaries(app);
}

function matches(app, ...texts) {
  const whole = texts.join(" ").toLowerCase();
  return app.words.every((word) => whole.includes(word));
}

function drawTotals(app) {
  const { data } = app;
  const kernels = data.functions.filter((f) => f.kind === "kernel" && f.in.some(([, live]) => live));
  const shared = kernels.filter((f) => f.in.length > 1).length;
  const entries = data.interfaces.reduce((sum, item) => sum + item.entry_points, 0);
  const number = data.interfaces.length;
  fill(byId("totals"), el("strong", {}, `${number} ${number === 1 ? "interface" : "interfaces"}`),
    ` with ${counted("entry_point", entries)} reach `, el("strong", {}, counted("kernel", kernels.length)),
    `; ${shared.toLocaleString("en")} of them ${shared === 1 ? "is" : "are"} shared by several interfaces.`);
  fill(byId("notes"),
    data.versions.length > 1 ? el("p", { class: "note" }, `These interfaces come from several versions: ${data.versions.join(", ")}.`) : null,
    data.unread.map(([file, reason]) => el("p", { class: "note" }, `${file} could not be read: ${reason}`)));
}

/** A link into an interface's page, or its bare name where no page was written. */
function into(app, index, focus) {
  const item = app.data.interfaces[index];
  if (!item.page) return el("span", { title: "No page: run extract with --view" }, item.name);
  const hash = focus ? `#${new URLSearchParams({ focus })}` : "";
  return el("a", { href: encodeURI(item.page) + hash }, item.name);
}

function chips(app, f) {
  return el("span", { class: "chips" }, f.in.map(([index, , key]) => into(app, index, key || f.name)));
}

function drawFound(app) {
  const box = byId("found");
  const found = app.words.length ? app.data.functions.filter((f) => matches(app, f.name, f.file)) : [];
  box.hidden = !app.words.length;
  if (box.hidden) return;
  const [word] = app.words;
  found.sort((a, b) => !a.name.toLowerCase().startsWith(word) - !b.name.toLowerCase().startsWith(word)
    || a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
  fill(box, el("h2", {}, `${found.length.toLocaleString("en")} ${found.length === 1 ? "function" : "functions"} found`),
    table(["Name", "Kind", "Where", "Interfaces"], found.slice(0, FEW).map((f) => [
      el("td", { class: "name" }, f.name), el("td", {}, mark(f.kind), counted(f.kind, 1).slice(2)),
      el("td", { title: f.file }, baseName(f.file)), el("td", {}, chips(app, f))])),
    found.length > FEW ? el("p", { class: "faint" }, `The first ${FEW}; type more to narrow it down.`) : null);
}

function mark(kind) {
  return el("span", { class: `swatch ${kind}`, "aria-hidden": "true" });
}

function drawInterfaces(app) {
  const columns = [["name", "Interface"], ["kernels", "Kernels"], ["bar", ""], ["own", "Only here"],
    ["entry_points", "Entry points"], ["launches", "Launch sites"], ["functions", "Functions"],
    ["excluded", "Left out"], ["unresolved", "Unresolved"], ["failed_units", "Failed units"]];
  const [field, way] = app.sort.interfaces;
  const rows = app.data.interfaces.filter((item) => matches(app, item.name));
  rows.sort((a, b) => way * (a[field] < b[field] ? -1 : a[field] > b[field] ? 1 : 0) || (a.name < b.name ? -1 : 1));
  const most = Math.max(1, ...app.data.interfaces.map((item) => item.kernels));
  const head = columns.map(([name, label]) => {
    if (name === "bar") return el("th", { class: "bar-cell" });
    return el("th", { class: name === "name" ? "" : "number", scope: "col",
      "aria-sort": name === field ? (way > 0 ? "ascending" : "descending") : null },
    el("button", { type: "button", "data-sort": name, click: () => {
      app.sort.interfaces = [name, name === field ? -way : name === "name" ? 1 : -1];
      drawInterfaces(app);
    } }, label));
  });
  const body = rows.map((item) => el("tr", {}, columns.map(([name]) => {
    if (name === "name") return el("td", { class: "name" }, into(app, item.index, null));
    if (name === "bar") return el("td", { class: "bar-cell", "aria-hidden": "true" }, bar(item.kernels / most));
    return el("td", { class: "number" }, item[name].toLocaleString("en"));
  })));
  fill(byId("interfaces"), rows.length
    ? el("table", {}, el("thead", {}, el("tr", {}, head)), el("tbody", {}, body))
    : el("p", { class: "faint" }, "No interface has that name."));
}

function bar(share) {
  const made = el("span", { class: "measure" });
  made.style.width = `${(share * 100).toFixed(1)}%`;
  return made;
}

function table(head, rows) {
  return el("table", {}, el("thead", {}, el("tr", {}, head.map((text) => el("th",
      { scope: "col", class: text === "Shared by" ? "number" : null }, text)))),
    el("tbody", {}, rows.map((cells) => el("tr", {}, cells))));
}

function limited(app, name, rows, again) {
  const all = app.all.has(name);
  const shown = all ? rows : rows.slice(0, FEW);
  const more = rows.length > shown.length ? el("button", { type: "button", class: "more", click: () => {
    app.all.add(name);
    again(app);
  } }, `Show all ${rows.length.toLocaleString("en")}`) : null;
  return [shown, more];
}

function drawKernels(app) {
  const rows = app.data.functions.filter((f) => f.kind === "kernel" && matches(app, f.name, f.file));
  rows.sort((a, b) => b.in.length - a.in.length || a.name.localeCompare(b.name, "en", { numeric: true }));
  const [shown, more] = limited(app, "kernels", rows, drawKernels);
  fill(byId("kernels"), rows.length ? table(["Kernel", "File", "Shared by", "Interfaces"], shown.map((f) => [
    el("td", { class: f.in.some(([, live]) => live) ? "name" : "name never" }, f.name),
    el("td", { title: f.file }, baseName(f.file)), el("td", { class: "number" }, String(f.in.length)),
    el("td", {}, chips(app, f))])) : el("p", { class: "faint" }, "No kernel has that name."), more);
}

function drawBoundaries(app) {
  const rows = app.data.functions.filter((f) => f.kind === "boundary" && matches(app, f.name, f.file));
  rows.sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : b.in.length - a.in.length));
  const [shown, more] = limited(app, "boundaries", rows, drawBoundaries);
  fill(byId("boundaries"), rows.length ? table(["Function", "Library", "Interfaces"], shown.map((f) => [
    el("td", { class: "name" }, mark("boundary"), f.name), el("td", {}, f.file), el("td", {}, chips(app, f))]))
    : el("p", { class: "faint" }, "None."), more);
}
