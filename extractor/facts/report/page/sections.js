// Facts of one function in sections: each fact a row whose click shows its lines.

import { el } from "./dom.js";

const SECTIONS = [
  ["Launches", ["launch_condition", "launch_grid", "launch_block", "launch_shared_bytes"]],
  ["Shape and memory", ["launch_bounds", "block_shape", "lds_array", "lds_bytes", "workspace_bytes"]],
  ["Checks and quick returns", ["argument_check", "quick_return"]],
  ["Index maps", ["global_access", "lds_access"]],
  ["Synchronisation", ["barrier", "shuffle", "atomic", "wavefront_assumption"]],
  ["Control", ["guard", "loop", "scalar_handling", "device_calls"]],
  ["Compiler", ["vgprs", "agprs", "sgprs", "vgpr_spills", "sgpr_spills", "scratch_bytes", "code_object_lds_bytes", "occupancy", "code_bytes", "instruction_mix"]],
];

/** All sections that have something to say. */
export function factSections(one, mark) {
  const rest = new Set(one.facts.map((fact) => fact.fact));
  const made = SECTIONS.map(([title, names]) => {
    names.forEach((name) => rest.delete(name));
    const facts = one.facts.filter((fact) => names.includes(fact.fact));
    if (!facts.length) return null;
    if (title === "Compiler") return block(title, facts.length, resources(facts));
    if (title === "Launches") return block(title, launches(facts).length, launches(facts).map((group) => launch(group, mark)));
    return block(title, facts.length, table(facts, mark));
  });
  const others = one.facts.filter((fact) => rest.has(fact.fact));
  return [...made, others.length ? block("Others", others.length, table(others, mark)) : null];
}

function block(title, count, content) {
  return el("details", { class: "section", open: true }, el("summary", {}, title, " ", el("span", { class: "faint" }, String(count))), content);
}

// Launches that read the same in several instantiations are one, and name them all.
function launches(facts) {
  const sites = new Map();
  for (const fact of facts) {
    const key = JSON.stringify([fact.subject, fact.of ?? "", fact.from ?? "", fact.value?.symbol ?? "", fact.value?.through ?? [], fact.config ?? ""]);
    sites.set(key, [...(sites.get(key) ?? []), fact]);
  }
  const groups = new Map();
  for (const site of sites.values()) {
    const key = JSON.stringify(site.map((fact) => [fact.fact, fact.subject, fact.from ?? "", fact.config ?? "", { ...fact.value, symbol: null }]));
    const known = groups.get(key);
    if (known) known.also.push(site[0].of);
    else groups.set(key, Object.assign(site, { also: [site[0].of] }));
  }
  return [...groups.values()];
}

function launch(group, mark) {
  const by = Object.fromEntries(group.map((fact) => [fact.fact, fact]));
  const condition = by.launch_condition;
  const first = group[0];
  const kernel = (first.value?.kernel ?? "a kernel").split(":").pop();
  const size = (fact) => {
    if (!fact) return "";
    if (!fact.value) return fact.reason;
    return fact.value.expressions ? fact.value.expressions.join(", ") : fact.value.expression;
  };
  const value = condition?.value;
  return el("article", { class: "launch", tabindex: "0", click: () => mark(first), focus: () => mark(first) },
    el("h3", {}, el("span", { class: "swatch kernel" }), kernel, " ", el("button", { class: "place", type: "button" }, first.subject.split("/").pop())),
    el("dl", {},
      el("dt", {}, "when"), el("dd", {}, value ? conditions(value) : el("em", {}, condition?.reason ?? "not stated")),
      value?.loops?.length ? [el("dt", {}, "for each"), el("dd", {}, value.loops.map((loop) => el("code", {},
        `${loop.variable ?? "turn"} = ${loop.start ?? "…"}; ${loop.condition}; += ${loop.step ?? "…"}`)))] : [],
      el("dt", {}, "grid"), el("dd", {}, el("code", {}, size(by.launch_grid))),
      el("dt", {}, "block"), el("dd", {}, el("code", {}, size(by.launch_block))),
      el("dt", {}, "dynamic LDS"), el("dd", {}, el("code", {}, size(by.launch_shared_bytes)), " bytes"),
      value?.through?.length ? [el("dt", {}, "through"), el("dd", { class: "faint" }, value.through.join(" → "))] : [],
      value?.assumes?.length ? [el("dt", {}, "provided"), el("dd", { class: "faint" }, value.assumes.map((text) => el("code", {}, text)))] : []),
    limits(first, group.also));
}

function conditions(value) {
  if (!value.conditions?.length) return "always";
  return el("ul", { class: "conditions" }, value.conditions.map((text) => el("li", {}, el("code", {}, text))));
}

function limits(fact, also) {
  const named = also.filter(Boolean);
  const which = named.length > 1 ? `${named.length} instantiations` : named.length ? `instantiation ${named[0]}` : "every instantiation";
  const words = [fact.from && `by ${fact.from.split(":").pop()}`, fact.config && `configuration ${fact.config}`, which, `proved by ${fact.by}`];
  return el("p", { class: "faint limits", title: named.join("\n") }, words.filter(Boolean).join(" · "));
}

function table(facts, mark) {
  return el("table", {}, el("tbody", {}, once(facts).map((fact) => el("tr", {
    tabindex: "0", click: () => mark(fact), focus: () => mark(fact), title: fact.of ?? "", class: fact.value === undefined ? "null" : null,
  },
  el("td", {}, fact.fact.replaceAll("_", " ")),
  el("td", { class: "place" }, fact.subject.split("/").pop()),
  el("td", {}, stated(fact)),
  el("td", { class: "faint" }, [fact.arch, fact.config, fact.by].filter(Boolean).join(" · "))))));
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
      value.vector_bytes ? el("span", { class: "faint" }, ` ${value.vector_bytes} bytes`) : null];
  }
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    return Object.entries(value).filter(([, part]) => part !== null).map(([name, part]) => el("span", { class: "part" },
      el("span", { class: "faint" }, `${name.replaceAll("_", " ")} `), el("code", {}, plain(part))));
  }
  return el("code", {}, `${plain(value)}${fact.unit ? ` ${fact.unit}` : ""}`);
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
