// The page of an interface: functions on the left, facts in the middle, their source on the right.

import { byId, el, fill } from "./dom.js";
import { factSections, glance } from "./sections.js";
import { highlight } from "./highlight.js";
import { packedData } from "./packed.js";
import { wireTheme } from "./theme.js";

const KINDS = { kernel: "Kernels", launcher: "Launchers", entry_point: "Entry points", host: "Host functions", device: "Device functions" };

let functions = [];
let current = null;

/** Starts the page. */
export async function start() {
  const data = await packedData();
  const unpacked = (value) => {
    if (value === null || typeof value !== "object") return value;
    if ("$" in value) return data.texts[value.$];
    if (Array.isArray(value)) return value.map(unpacked);
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, unpacked(part)]));
  };
  // Unpacked only where it is looked at: a family's page holds many thousands of facts.
  functions = data.functions.map((one) => {
    let facts = null;
    return { ...one, suspicions: data.suspicions.filter((seen) => seen.function === one.id), kinds: new Set(one.facts.map((fact) => unpacked(fact.fact))), get facts() { return (facts = facts ?? one.facts.map(unpacked)); } };
  });
  wireTheme(byId("theme"), () => {});
  list("");
  byId("search").addEventListener("input", (event) => list(event.target.value));
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== byId("search")) {
      event.preventDefault();
      byId("search").focus();
    }
  });
  addEventListener("hashchange", () => show(wanted()));
  show(wanted() ?? functions[0]);
  document.documentElement.dataset.ready = "true";
}

function wanted() {
  const id = decodeURIComponent(location.hash.slice(1));
  return functions.find((one) => one.id === id);
}

function list(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = Object.entries(KINDS).map(([kind, title]) => {
    const found = functions.filter((one) => one.kind === kind && words.every((word) => matches(one, word)));
    return found.length ? [el("h3", {}, `${title} `, el("span", { class: "faint" }, String(found.length))),
      el("ul", {}, found.map((one) => el("li", {}, el("a", {
        href: `#${encodeURIComponent(one.id)}`, "data-id": one.id, title: `${one.file}:${one.line}`,
        "aria-current": one === current ? "true" : null,
      }, el("span", { class: `swatch ${one.kind}` }), one.name))))] : [];
  });
  fill(byId("functions"), groups.flat().length ? groups : el("p", { class: "faint" }, "Nothing has this name."));
}

function matches(one, word) {
  return one.name.toLowerCase().includes(word) || [...one.kinds].some((kind) => kind.includes(word));
}

function show(one) {
  if (!one) return;
  current = one;
  for (const link of byId("functions").querySelectorAll("a")) {
    if (link.dataset.id === one.id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  fill(byId("facts"),
    el("h2", {}, one.name, " ", el("span", { class: "faint" }, KINDS[one.kind].replace(/s$/, "").toLowerCase())),
    el("p", { class: "place" }, `${one.file}:${one.line}`, el("span", { class: "faint" }, `  ${one.instantiations} instantiations`)),
    glance(one),
    el("pre", { class: "signature" }, one.signature),
    one.suspicions.map(suspicion),
    factSections(one, mark));
  byId("facts").scrollTop = 0;
  source(one);
}

// What looks like a fault stands above everything that was proved.
function suspicion(seen) {
  const at = { at: [seen.file, seen.line, seen.line] };
  return el("p", { class: "suspicion", tabindex: "0", click: () => mark(at), focus: () => mark(at) },
    el("strong", {}, seen.kind), ` (${seen.confidence}): ${seen.seen}. `, el("span", { class: "faint" }, `Matters if ${seen.matters_if}.`));
}

function source(one) {
  const lines = highlight(one.text).map((pieces, index) => el("div", { class: "line", "data-line": one.line + index },
    el("span", { class: "row" }, String(one.line + index)),
    el("code", {}, pieces.map(([kind, text]) => (kind ? el("span", { class: kind }, text) : text)))));
  fill(byId("source"), el("p", { class: "place", id: "source-head" }, `${one.file}:${one.line}`), el("div", { id: "lines" }, lines));
}

/** Marks the lines that show a fact. */
function mark(fact) {
  for (const line of byId("lines").querySelectorAll(".hit")) line.classList.remove("hit");
  if (!fact.at) return;
  const [file, from, to] = fact.at;
  byId("source-head").textContent = file === current.file ? `${file}:${from}` : `${file}:${from} (written there, outside this function)`;
  if (file !== current.file) return;
  let first = null;
  for (const line of byId("lines").children) {
    const number = Number(line.dataset.line);
    if (number >= from && number <= to) {
      line.classList.add("hit");
      first = first ?? line;
    }
  }
  if (first) byId("source").scrollTop = Math.max(0, first.offsetTop - byId("source").clientHeight / 3);
}
