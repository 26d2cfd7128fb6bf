// Filters over the index: one choice for each property, and words in questions and ids.

import { byId, el, fill } from "./dom.js";

const FIELDS = [
  ["library", (row) => [row.library]],
  ["interface", (row) => [row.interface]],
  ["level", (row) => [row.level]],
  ["category", (row) => [row.category]],
  ["kind", (row) => [row.kind]],
  ["author", (row) => [row.author]],
  ["configuration", (row) => row.configurations],
  ["architecture", (row) => row.architectures],
];
const REVIEWS = ["undecided", "accept", "reject", "commented", "changed"];

/** Draws the filters and applies them; returns a function that applies them again. */
export function wireFilters(app) {
  const { rows } = app.store;
  const selects = new Map();
  const choices = FIELDS.map(([name, values]) => {
    const counts = new Map();
    for (const row of rows) for (const value of values(row)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const options = [...counts].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
    return choice(name, options.map(([value, count]) => [value, `${value} (${count.toLocaleString("en")})`]));
  });
  choices.push(choice("review", REVIEWS.map((state) => [state, state])));
  const clear = el("button", { type: "button", id: "clear-filters", click: () => {
    for (const select of selects.values()) select.value = "";
    byId("search").value = "";
    apply();
  } }, "Clear");
  fill(byId("filters"), choices, clear);

  function choice(name, options) {
    const select = el("select", { id: `filter-${name}`, change: apply }, el("option", { value: "" }, "any"),
      options.map(([value, text]) => el("option", { value }, text)));
    selects.set(name, select);
    return el("label", {}, name, select);
  }

  function apply() {
    const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = FIELDS.filter(([name]) => selects.get(name).value);
    const review = selects.get("review").value;
    const shown = [];
    for (const row of rows) {
      if (!wanted.every(([name, values]) => values(row).includes(selects.get(name).value))) continue;
      if (review && !reviewed(app, row, review)) continue;
      if (words.length) {
        const text = `${row.id} ${row.interface} ${row.question}`.toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
      }
      shown.push(row.number);
    }
    app.filtered(shown);
  }

  byId("search").addEventListener("input", apply);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  apply();
  return apply;
}

function reviewed(app, row, state) {
  const made = app.decisions.of(row);
  if (state === "undecided") return !made?.decision;
  if (state === "changed") return app.decisions.isChanged(row);
  if (state === "commented") return Boolean(made?.comment.trim());
  return made?.decision === state;
}
