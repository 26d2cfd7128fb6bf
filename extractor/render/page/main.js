// Puts the page together: one state, one update, and the actions that change it.

import { makeActions } from "./actions.js";
import { drawView, makeCanvas, restyle } from "./canvas.js";
import { byId } from "./dom.js";
import { wireKeys } from "./keys.js";
import { buildModel } from "./model.js";
import { drawBanner, drawStatus, hover } from "./notes.js";
import { wireSearch } from "./search.js";
import { drawSelection, revealSelection } from "./selection.js";
import { drawSidebar } from "./sidebar.js";
import { decode, encode } from "./state.js";
import { wireTheme } from "./theme.js";
import { syncToolbar, wireToolbar } from "./toolbar.js";
import { answerQuery, computeScope, computeView } from "./view.js";

/** Starts the page on its embedded data. */
export function start(cytoscape) {
  const model = buildModel(JSON.parse(byId("data").textContent));
  const { state, unknown } = decode(model, location.hash);
  const app = { model, state, scope: null, answer: null, view: null };
  app.update = (options) => update(app, options);
  app.writeHash = (history) => writeHash(app, history);
  Object.assign(app, makeActions(app));
  app.canvas = makeCanvas(cytoscape, byId("graph"), model, {
    node: (id) => app.choose(id),
    open: (id) => app.open(id),
    edge: (edge) => app.chooseEdge(edge),
    nothing: () => app.state.selection && app.select(null),
    hover: (item) => hover(app, item),
  });
  wireToolbar(app);
  wireSearch(model, (index) => app.go(index));
  wireKeys(app);
  wireTheme(byId("theme"), () => restyle(app.canvas));
  addEventListener("popstate", () => {
    app.state = decode(model, location.hash).state;
    app.update({ fit: true, history: false });
  });
  app.update({ fit: true, history: false });
  if (app.state.selection) revealSelection(app);
  if (unknown.length) byId("live").textContent = `This page does not know: ${unknown.join(", ")}`;
  document.documentElement.dataset.ready = "true";
}

/** Recomputes what depends on the state and draws it. */
function update(app, { fit = false, anchor = null, history = "replace" } = {}) {
  const { model, state } = app;
  app.scope = computeScope(model, state);
  app.answer = answerQuery(model, state, app.scope);
  app.view = computeView(model, state, app.scope, app.answer);
  drawBanner(app);
  drawStatus(app);
  app.canvas.cy.resize();
  drawView(app.canvas, app.view, { fit, anchor });
  drawSidebar(app);
  drawSelection(app);
  syncToolbar(app);
  app.writeHash(history);
}

function writeHash(app, history) {
  if (!history) return;
  const hash = `#${encode(app.model, app.state)}`;
  if (hash === (location.hash || "#")) return;
  const method = history === "push" ? "pushState" : "replaceState";
  window.history[method](null, "", hash === "#" ? location.pathname + location.search : hash);
}
