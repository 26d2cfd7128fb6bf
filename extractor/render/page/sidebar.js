// The answer at a glance: kernels reached, then legend and filters, then what lies outside.

import { breakable, byId, el, fill, section } from "./dom.js";
import { baseName, counted, KIND_ORDER } from "./model.js";
import { link } from "./details.js";


/** Fills the left column. */
export function drawSidebar(app) {
  const openBefore = new Map([...document.querySelectorAll("#sidebar details")]
    .map((item) => [item.dataset.name, item.open]));
  const named = (name, title, open, ...children) => {
    const made = section(title, openBefore.get(name) ?? open, ...children);
    made.dataset.name = name;
    return made;
  };
  fill(byId("sidebar"),
    kernelList(app, named),
    named("kinds", "Kinds and edges", true, legend(app)),
    precisions(app, named),
    hiddenList(app, named),
    boundaryList(app, named),
    outside(app, named));
}

function kernelList(app, named) {
  const { model, scope } = app;
  const reached = scope.litDefinitions ?? scope.liveDefinitions;
  const ofKind = (set) => model.definitions
    .filter((definition) => definition.kind === "kernel" && set.has(definition.index));
  const live = ofKind(reached);
  const dead = scope.litDefinitions ? [] : ofKind(scope.definitions)
    .filter((definition) => !reached.has(definition.index));
  const rows = [...live, ...dead].sort((a, b) => !!a.infrastructure - !!b.infrastructure
    || a.name.localeCompare(b.name, "en", { numeric: true })).map((kernel) => {
    const isDead = !reached.has(kernel.index);
    const { times } = kernel;
    return el("li", {}, el("button", { type: "button", class: `kernel ${isDead ? "dead" : ""}`,
      "data-kernel": kernel.key, "aria-pressed": String(app.state.query?.to === kernel.index),
      title: `Show every path to ${kernel.qualified}`,
      click: () => app.answerKernel(kernel.index) },
    el("span", { class: "name" }, breakable(kernel.name)),
    el("span", { class: "faint" }, [`${baseName(kernel.file)}:${kernel.line}` + (times > 1 ? ` ×${times}` : ""),
      isDead && "never runs", kernel.infrastructure && "infrastructure"].filter(Boolean).join(", "))));
  });
  const who = app.state.entry === null ? counted("entry_point", scope.enabled.length)
    : model.definitions[app.state.entry].name;
  const verb = app.state.entry === null && scope.enabled.length !== 1 ? "reach" : "reaches";
  return [el("p", { class: "answer", id: "answer" }, el("strong", {}, who), ` ${verb} `,
    el("strong", {}, counted("kernel", live.length)),
    dead.length ? `; ${dead.length} more ${dead.length === 1 ? "is" : "are"} named but never run` : ""),
  named("kernels", `Kernels (${live.length})`, true, el("ul", { class: "kernels" }, rows))];
}

function check(label, checked, change, ...marks) {
  const box = el("input", { type: "checkbox", change: () => change(box.checked) });
  box.checked = checked;
  return el("label", { class: "check" }, box, ...marks, el("span", {}, label));
}

function legend(app) {
  const { state, model } = app;
  const present = KIND_ORDER.filter((kind) => model.definitions.some((d) => d.kind === kind));
  const toggle = (kind) => (on) => app.change(() => (on ? state.kinds.delete(kind) : state.kinds.add(kind)));
  const edge = (kind) => el("span", { class: `stroke ${kind}`, "aria-hidden": "true" });
  const number = (kind) => model.definitions.filter((d) => d.kind === kind).length;
  return el("div", { class: "legend" },
    present.map((kind) => check(counted(kind, number(kind)), !state.kinds.has(kind), toggle(kind),
      el("span", { class: `swatch ${kind}`, "aria-hidden": "true" }))),
    el("p", { class: "static" }, edge("call"), "call"),
    el("p", { class: "static" }, edge("launch"), "launch, with grid, block and LDS"),
    check("reference (address taken)", state.references,
      (on) => app.change(() => { state.references = on; }), edge("reference")),
    model.definitions.some((d) => d.infrastructure)
      ? check("infrastructure", state.infrastructure,
        (on) => app.change(() => { state.infrastructure = on; }),
        el("span", { class: "stroke none", "aria-hidden": "true" })) : null,
    check("dead: in the text, never run", state.dead,
      (on) => app.change(() => { state.dead = on; }), edge("call dead")));
}

function precisions(app, named) {
  const { state, model } = app;
  const letters = model.data.precisions;
  if (letters.length < 2) return null;
  return named("precision", "Precision", true, el("div", { class: "letters" }, letters.map((letter) => {
    const number = model.entries.filter((entry) => entry.precision === letter).length;
    return check(`${letter || "other"} (${number})`, !state.precisions.has(letter), (on) => app.change(
      () => (on ? state.precisions.delete(letter) : state.precisions.add(letter)),
    ));
  })));
}

function hiddenList(app, named) {
  const { state } = app;
  if (!state.hidden.size) return null;
  const rows = [...state.hidden].map((id) => el("li", {}, el("button", { type: "button",
    "data-unhide": id, click: () => app.change(() => state.hidden.delete(id)) },
  `Bring back ${app.nodeName(id)}`)));
  return named("hidden", `Hidden (${state.hidden.size})`, true, el("ul", { class: "plain" }, rows,
    el("li", {}, el("button", { type: "button", id: "unhide-all",
      click: () => app.change(() => state.hidden.clear()) }, "Bring all back"))));
}

function boundaryList(app, named) {
  const { model, scope } = app;
  const found = model.definitions.filter((d) => d.kind === "boundary" && scope.definitions.has(d.index));
  if (!found.length) return null;
  return named("boundaries", `Boundaries (${found.length})`, false, el("ul", { class: "plain" },
    found.map((d) => el("li", {}, link(app, d.index), el("span", { class: "faint" }, ` ${d.note}`)))));
}

function outside(app, named) {
  const { data } = app.model;
  const excluded = app.model.definitions.filter((d) => d.kind === "excluded");
  const total = excluded.length + data.unresolved.length + data.divergent.length + data.failed.length;
  if (!total) return null;
  return named("outside", "Left out and unresolved", false,
    excluded.length ? el("ul", { class: "plain" }, excluded.map((d) => el("li", {},
      el("code", {}, d.name), ` left out ${d.count}: ${d.note}`))) : null,
    data.unresolved.length ? [el("h3", {}, `Unresolved (${data.unresolved.length})`),
      el("ul", { class: "plain" }, data.unresolved.map((item) => el("li", {}, place(app, item.at),
        " ", el("code", {}, item.text), el("span", { class: "faint" }, ` ${item.reason}`))))] : null,
    data.divergent.length ? [el("h3", {}, `Several definitions (${data.divergent.length})`),
      el("ul", { class: "plain" }, data.divergent.map((item) => el("li", {}, el("code", {}, item.symbol),
        item.at.map((at) => [" ", place(app, at)]))))] : null,
    data.failed.length ? [el("h3", {}, `Units with errors (${data.failed.length})`),
      el("ul", { class: "plain" }, data.failed.map((unit) => el("li", {}, el("code", {}, unit.path),
        el("span", { class: "faint" }, ` ${unit.config}, ${unit.side}: ${unit.error}`))))] : null);
}

function place(app, at) {
  const text = `${baseName(at.file)}:${at.line}`;
  return el("button", { type: "button", class: "place-link", title: `${at.file}:${at.line}`,
    click: () => app.showPlace(at) }, text);
}
