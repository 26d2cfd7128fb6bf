// Facts of one function in sections: each fact a row whose click shows its lines.

import { el } from "./dom.js";
import { launchCards } from "./launches.js";

const SECTIONS = [
  ["Shape and memory", ["launch_bounds", "instantiations_read", "lds_array", "lds_bytes", "workspace_bytes"]],
  ["Launches", ["launch_condition", "launch_grid", "launch_block", "launch_shared_bytes"]],
  ["Checks and quick returns", ["argument_check", "quick_return"]],
  ["Index maps", ["global_access", "lds_access"]],
  ["Synchronisation", ["barrier", "shuffle", "atomic", "wavefront_assumption"]],
  ["Control", ["guard", "loop", "scalar_handling", "device_calls"]],
  ["Compiler", ["vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills", "scratch_bytes", "code_object_lds_bytes", "occupancy", "code_bytes", "instruction_mix"]],
];

// Launches of a kernel beyond which they are folded, so that its own facts are in sight.
const MOST_LAUNCHES = 8;

/** All sections that have something to say. */
export function factSections(one, mark) {
  const rest = new Set(one.facts.map((fact) => fact.fact));
  const made = SECTIONS.map(([title, names]) => {
    names.forEach((name) => rest.delete(name));
    const facts = one.facts.filter((fact) => names.includes(fact.fact));
    if (!facts.length) return null;
    if (title === "Compiler") return block(title, facts.length, resources(facts));
    if (title === "Launches") {
      const cards = launchCards(facts, mark);
      return block(title, cards.length, cards, one.kind !== "kernel" || cards.length <= MOST_LAUNCHES);
    }
    return block(title, once(facts).length, table(facts, mark, one));
  });
  const others = one.facts.filter((fact) => rest.has(fact.fact));
  return [...made, others.length ? block("Others", once(others).length, table(others, mark, one)) : null];
}

/** What a reader wants to know of a kernel before anything else, in a line. */
export function glance(one) {
  const of = (name) => one.facts.filter((fact) => fact.fact === name && fact.value !== undefined);
  const places = (name, test = () => true) => new Set(of(name).filter((fact) => test(fact.value)).map((fact) => fact.subject)).size;
  const words = [];
  const bounds = of("launch_bounds")[0]?.value;
  if (bounds?.max_threads) words.push(["threads, at most", bounds.max_threads]);
  const lds = of("lds_bytes").map((fact) => fact.value);
  if (lds.length) words.push(["LDS bytes", range(lds)]);
  if (places("barrier")) words.push(["barriers", places("barrier")]);
  if (places("barrier", (value) => value.divergent)) words.push(["in divergent flow", places("barrier", (value) => value.divergent)]);
  for (const kind of ["coalesced", "broadcast", "strided", "irregular"]) {
    const count = places("global_access", (value) => value.class === kind);
    if (count) words.push([`${kind} accesses`, count]);
  }
  const open = new Set(one.facts.filter((fact) => fact.value === undefined).map((fact) => `${fact.fact} ${fact.subject}`)).size;
  if (open) words.push(["not proved", open]);
  return words.length ? el("dl", { class: "glance" }, words.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, String(value))))) : null;
}

function range(numbers) {
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  return least === most ? least : `${least} to ${most}`;
}

function block(title, count, content, open = true) {
  return el("details", { class: "section", open }, el("summary", {}, title, " ", el("span", { class: "faint" }, String(count))), content);
}

// Where in its function: the line and column, or the name; the file where it is another one.
function place(fact, one) {
  if (fact.subject === one.name) return "";
  if (fact.subject.startsWith(`${one.file}:`)) return fact.subject.slice(one.file.length + 1);
  return fact.subject.split("/").pop();
}

function table(facts, mark, one) {
  return el("table", {}, el("tbody", {}, once(facts).map((fact) => el("tr", {
    tabindex: "0", click: () => mark(fact), focus: () => mark(fact), title: fact.of ?? "", class: fact.value === undefined ? "null" : null,
  },
  el("td", { class: "kind" }, fact.fact.replaceAll("_", " ")),
  el("td", { class: "place", title: fact.subject }, place(fact, one)),
  el("td", { class: "says" }, stated(fact)),
  el("td", { class: "faint proof" }, [fact.arch, fact.config, fact.by].filter(Boolean).join(" · "))))));
}

// A fact that several instantiations share is one row.
function once(facts) {
  const rows = new Map();
  for (const fact of facts) {
    const key = JSON.stringify([fact.fact, fact.subject, fact.value ?? null, fact.reason ?? "", fact.arch ?? "", fact.config ?? ""]);
    if (!rows.has(key)) rows.set(key, fact);
  }
  return [...rows.values()];
}

function stated(fact) {
  const value = fact.value;
  if (value === undefined) return el("em", {}, `not stated: ${fact.reason}`);
  if (fact.fact === "global_access" || fact.fact === "lds_access") {
    return [el("span", { class: `class ${value.class ?? ""}` }, value.class ?? value.access), " ",
      el("code", {}, `${value.buffer ?? value.array}[${value.index}]`),
      value.stride !== undefined && value.stride !== null && value.class === "strided" ? el("span", { class: "faint" }, ` stride ${value.stride}`) : null,
      value.vector_bytes ? el("span", { class: "faint" }, ` ${String(value.vector_bytes).includes("sizeof") ? value.vector_bytes : `${value.vector_bytes} bytes`}`) : null,
      el("span", { class: "faint" }, conflicts(value.conflict_ways ?? {}))];
  }
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    const parts = Object.entries(value).filter(([, part]) => part !== null);
    if (!parts.length) return el("span", { class: "faint" }, "none are written");
    return parts.map(([name, part]) => el("span", { class: "part" },
      el("span", { class: "faint" }, `${name.replaceAll("_", " ")} `), el("code", {}, plain(part))));
  }
  return el("code", {}, `${plain(value)}${fact.unit ? ` ${fact.unit}` : ""}`);
}

/** Bank conflicts of an access to LDS, architectures alike together. */
function conflicts(byArch) {
  const alike = new Map();
  for (const [arch, ways] of Object.entries(byArch)) {
    if (ways > 1) alike.set(ways, [...(alike.get(ways) ?? []), arch]);
  }
  return [...alike].map(([ways, archs]) => ` ${ways}-way bank conflict on ${archs.join(", ")}`).join(";");
}

function plain(value) {
  if (Array.isArray(value)) return value.map(plain).join(", ");
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}

function resources(facts) {
  const names = [...new Set(facts.map((fact) => fact.fact))];
  const rows = new Map();
  for (const fact of facts) {
    const key = `${fact.arch ?? ""} ${fact.of ?? ""}`;
    const row = rows.get(key) ?? { arch: fact.arch ?? "", of: fact.of ?? "" };
    row[fact.fact] = fact;
    rows.set(key, row);
  }
  return el("table", { class: "resources" },
    el("thead", {}, el("tr", {}, el("th", {}, "architecture"), names.map((name) => el("th", {}, name.replaceAll("_", " "))))),
    el("tbody", {}, [...rows.values()].map((row) => el("tr", { title: row.of }, el("td", {}, row.arch),
      names.map((name) => el("td", {}, row[name] ? (row[name].value === undefined ? el("em", { title: row[name].reason }, "–") : mix(row[name].value)) : ""))))));
}

function mix(value) {
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value).filter(([, count]) => count).map(([name, count]) => `${name} ${count}`).join(", ");
}
