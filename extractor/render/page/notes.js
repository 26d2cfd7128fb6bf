// What stands around the drawing: the question being answered, what is not drawn, what is pointed at.

import { byId, el, fill } from "./dom.js";
import { counted } from "./model.js";
import { MOST_NODES } from "./view.js";

const QUESTIONS = {
  callers: (name) => `Callers of ${name}`,
  callees: (name) => `Callees of ${name}`,
  up: (name) => `What reaches ${name}`,
  down: (name) => `What ${name} reaches`,
  paths: (name, from) => `All paths from ${from} to ${name}`,
};

/** The question or entry point in force. */
export function drawBanner(app) {
  const { query, entry } = app.state;
  const banner = byId("banner");
  banner.hidden = !query && entry === null;
  if (!query) {
    if (entry !== null) drawEntryBanner(app, banner);
    return;
  }
  const name = app.model.definitions[query.to ?? query.from].name;
  const from = query.type !== "paths" ? "" : query.from !== undefined
    ? app.model.definitions[query.from].name
    : app.state.entry !== null ? app.model.definitions[app.state.entry].name : "the entry points";
  const only = el("input", { type: "checkbox", change: () => app.change(() => { app.state.only = only.checked; }, { fit: true }) });
  only.checked = app.state.only;
  fill(banner,
    el("strong", {}, query.type === "paths" && query.from !== undefined
      ? QUESTIONS.paths(app.model.definitions[query.to].name, from) : QUESTIONS[query.type](name, from)),
    el("span", { class: "faint" }, ` ${app.answer.definitions.size} functions, ${app.answer.edges.size} edges`),
    el("label", { class: "check" }, only, "only these"),
    el("button", { type: "button", id: "clear-query", click: () => app.ask(null) }, "Clear"));
}

function drawEntryBanner(app, banner) {
  const { state, scope, model } = app;
  const box = el("input", { type: "checkbox", id: "alone",
    change: () => app.change(() => { state.alone = box.checked; }, { fit: true }) });
  box.checked = state.alone;
  fill(banner,
    el("strong", {}, `What ${model.definitions[state.entry].name} reaches`),
    el("span", { class: "faint" }, ` ${scope.litDefinitions.size} functions`),
    el("label", { class: "check" }, box, "only these"),
    el("button", { type: "button", id: "clear-entry", click: () => app.change(() => {
      state.entry = null;
      state.alone = false;
    }, { fit: true, history: "push" }) }, "Clear"));
}

/** How much is drawn, and why the rest is not. */
export function drawStatus(app) {
  const { counts, nodes } = app.view;
  const drawn = app.view.place.size;
  const total = app.model.definitions.length;
  const parts = [`${drawn.toLocaleString("en")} of ${total.toLocaleString("en")} functions in ${nodes.length.toLocaleString("en")} nodes`];
  if (counts.folded) parts.push(`${counts.folded.toLocaleString("en")} folded into files`);
  if (counts.beyond) parts.push(`${counts.beyond.toLocaleString("en")} beyond depth ${app.state.depth}`);
  if (counts.outside) parts.push(`${counts.outside.toLocaleString("en")} outside this view`);
  if (counts.unreached) {
    const where = app.state.precisions.size || !app.state.references ? "under the filters" : `in configuration ${app.state.config}`;
    parts.push(`${counts.unreached.toLocaleString("en")} not reached ${where}`);
  }
  if (counts.filtered) parts.push(`${counts.filtered.toLocaleString("en")} filtered out`);
  if (counts.hidden) parts.push(`${counts.hidden.toLocaleString("en")} hidden`);
  if (counts.tooMany) parts.push(`${counts.tooMany.toLocaleString("en")} kept folded: a drawing holds ${MOST_NODES.toLocaleString("en")} nodes`);
  byId("status").textContent = parts.join(" · ");
}

/** Full name of what the pointer is on. */
export function hover(app, item) {
  const note = byId("hover");
  note.hidden = !item;
  if (!item) return;
  if (item.members) {
    const first = app.model.definitions[item.members[0]];
    note.textContent = item.id.startsWith("f") ? first.file || counted(first.kind, item.members.length) : first.qualified;
  } else {
    const site = app.model.sites[[...item.sites][0]];
    note.textContent = `${item.kind} at ${site.file}:${site.line}${item.sites.size > 1 ? ` and ${item.sites.size - 1} more` : ""}`;
  }
}
