// The controls above the drawing and in the head of the page.

import { byId, el } from "./dom.js";
import { counted } from "./model.js";
import { copy } from "./source.js";
import { DEPTHS, initialState, setConfig } from "./state.js";

/** Fills the controls and wires them. */
export function wireToolbar(app) {
  const { model } = app;
  const entry = byId("entry");
  entry.append(el("option", { value: "" }, `All ${counted("entry_point", model.entries.length)}`));
  for (const letter of model.data.precisions) {
    const inside = model.entries.filter((item) => item.precision === letter)
      .map((item) => el("option", { value: item.index }, item.name));
    entry.append(model.data.precisions.length > 1
      ? el("optgroup", { label: letter ? `precision ${letter}` : "other" }, inside) : el("optgroup", { label: "entry points" }, inside));
  }
  entry.addEventListener("change", () => app.change(() => {
    app.state.entry = entry.value === "" ? null : Number(entry.value);
    if (app.state.entry === null) app.state.alone = false;
  }, { fit: app.state.query !== null || app.state.alone, history: "push" }));
  const config = byId("config");
  for (const name of model.data.configs) config.append(el("option", { value: name }, name));
  if (model.data.configs.length > 1) config.append(el("option", { value: "all" }, "all"));
  byId("config-field").hidden = model.data.configs.length < 2;
  config.addEventListener("change", () => app.change(() => setConfig(model, app.state, config.value), { fit: true }));
  const depth = byId("depth");
  for (const value of DEPTHS) {
    depth.append(el("button", { type: "button", "data-depth": value,
      click: () => app.change(() => { app.state.depth = value; }, { fit: true }) }, value === 99 ? "all" : String(value)));
  }
  byId("unfold").addEventListener("click", () => app.unfoldAll());
  byId("fold").addEventListener("click", () => app.change(() => {
    app.state.open.clear();
    app.state.shown.clear();
  }, { fit: true }));
  byId("fit").addEventListener("click", () => app.fit());
  byId("zoom-in").addEventListener("click", () => app.zoom(1.25));
  byId("zoom-out").addEventListener("click", () => app.zoom(0.8));
  byId("link").addEventListener("click", () => copy(location.href));
  byId("reset").addEventListener("click", () => {
    app.state = initialState(model);
    app.update({ fit: true, history: "push" });
  });
  addEventListener("resize", () => app.canvas.cy.resize());
}

/** Brings the controls in line with the state. */
export function syncToolbar(app) {
  byId("entry").value = app.state.entry === null ? "" : String(app.state.entry);
  byId("config").value = app.state.config;
  for (const button of byId("depth").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.depth) === app.state.depth));
  }
}
