// Launches of one function: each a card that opens to its conditions, grid, block and dynamic LDS.

import { el } from "./dom.js";

const MOST_OPEN = 3;

/** A card for each launch that reads differently. */
export function launchCards(facts, mark) {
  const groups = launches(facts);
  const own = ownConditions(groups);
  return groups.map((group, index) => launch(group, mark, groups.length <= MOST_OPEN, own[index]));
}

// Facts of one place are one launch. What holds in every configuration, or for every instantiation, belongs to the
// launch of each; launches that read the same in several instantiations are one, and name them all.
function launches(facts) {
  const sites = new Map();
  for (const fact of facts) {
    const key = JSON.stringify([fact.subject, fact.from ?? "", fact.value?.through ?? []]);
    sites.set(key, [...(sites.get(key) ?? []), fact]);
  }
  const groups = new Map();
  for (const site of sites.values()) {
    for (const own of variants(site, [(fact) => fact.value?.kernel, (fact) => fact.config, (fact) => fact.of, (fact) => fact.value?.symbol])) {
      const config = own.map((fact) => fact.config).find(Boolean);
      const of = own.map((fact) => fact.of).find(Boolean);
      const key = JSON.stringify([config ?? "", own.map((fact) => [fact.fact, fact.subject, fact.from ?? "", { ...fact.value, symbol: null }])]);
      const known = groups.get(key);
      if (known) known.also.add(of);
      else groups.set(key, Object.assign(own, { also: new Set([of]), config }));
    }
  }
  return [...groups.values()];
}

// The facts for each value of what tells launches of one place apart; those that name none go with all.
function variants(facts, [part, ...rest]) {
  if (!part) return [facts];
  const values = [...new Set(facts.map(part).filter(Boolean))];
  const split = values.length ? values.map((value) => facts.filter((fact) => (part(fact) ?? value) === value)) : [facts];
  return split.flatMap((own) => variants(own, rest));
}

// Of each launch the conditions that not all of them have, those of the fewest first: they are why it is chosen.
function ownConditions(groups) {
  const all = groups.map((group) => group.find((fact) => fact.fact === "launch_condition")?.value?.conditions ?? []);
  const counts = new Map();
  for (const one of all.flat()) counts.set(one, (counts.get(one) ?? 0) + 1);
  const stated = all.filter((conditions) => conditions.length).length;
  return all.map((conditions) => conditions.filter((one) => counts.get(one) < stated).sort((a, b) => counts.get(a) - counts.get(b)));
}

function launch(group, mark, open, own) {
  const by = Object.fromEntries(group.map((fact) => [fact.fact, fact]));
  const condition = by.launch_condition;
  const first = group[0];
  const kernel = (first.value?.kernel ?? "a kernel").split(":").pop();
  const size = (fact) => {
    if (!fact) return "not stated";
    if (!fact.value) return `not stated: ${fact.reason}`;
    return fact.value.expressions ? fact.value.expressions.join(", ") : fact.value.expression;
  };
  const value = condition?.value;
  return el("details", { class: "launch", open, click: () => mark(first) },
    el("summary", {}, el("span", { class: "swatch kernel" }), kernel, " ", el("span", { class: "place" }, first.subject.split("/").pop()),
      el("span", { class: "shape faint" }, "block ", el("code", {}, size(by.launch_block)), "  grid ", el("code", {}, size(by.launch_grid))),
      own.length ? el("span", { class: "shape faint", title: own.join("\n") }, "when ", el("code", {}, own.join(" ∧ "))) : null),
    el("dl", {},
      el("dt", {}, "when"), el("dd", {}, value ? conditions(value) : el("em", {}, condition ? `not stated: ${condition.reason}` : "not stated")),
      value?.loops?.length ? [el("dt", {}, "for each"), el("dd", {}, value.loops.map((loop) => el("code", {},
        `${loop.variable ?? "turn"} = ${loop.start ?? "…"}; ${loop.condition}; += ${loop.step ?? "…"}`)))] : [],
      el("dt", {}, "grid"), el("dd", {}, el("code", {}, size(by.launch_grid))),
      el("dt", {}, "block"), el("dd", {}, el("code", {}, size(by.launch_block))),
      el("dt", {}, "dynamic LDS"), el("dd", {}, el("code", {}, bytes(size(by.launch_shared_bytes)))),
      value?.through?.length ? [el("dt", {}, "through"), el("dd", { class: "faint" }, value.through.join(" → "))] : [],
      value?.assumes?.length ? [el("dt", {}, "provided"), el("dd", { class: "faint" }, value.assumes.map((text) => el("code", {}, text)))] : []),
    limits(first, group));
}

function bytes(text) {
  return text === "0" ? "none" : text.startsWith("not stated") ? text : `${text} bytes`;
}

function conditions(value) {
  if (!value.conditions?.length) return "always";
  return el("ul", { class: "conditions" }, value.conditions.map((text) => el("li", {}, el("code", {}, text))));
}

function limits(fact, group) {
  const named = [...group.also].filter(Boolean);
  const which = named.length > 1 ? `${named.length} instantiations` : named.length ? `instantiation ${named[0]}` : "every instantiation";
  const words = [fact.from && `by ${fact.from.split(":").pop()}`, group.config && `configuration ${group.config}`, which, `proved by ${fact.by}`];
  return el("p", { class: "faint limits", title: named.join("\n") }, words.filter(Boolean).join(" · "));
}
