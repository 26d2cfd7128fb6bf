// What a reader can do: each action changes the state and draws again.

import { fitAll, neighbour } from "./canvas.js";
import { byId } from "./dom.js";
import { baseName, counted } from "./model.js";
import { drawSelection, lineRange, revealSelection, standIn } from "./selection.js";
import { showSource } from "./source.js";

/** The page's actions; `app.update` and `app.writeHash` are there before any is called. */
export function makeActions(app) {
  return {
    /** Changes the state and draws again. */
    change(apply, { fit = false, history = "replace", anchor = null } = {}) {
      apply();
      app.update({ fit, history, anchor });
    },
    /** Chooses a node, an edge or nothing without changing what is drawn. */
    select(selection) {
      app.state.selection = selection;
      drawSelection(app);
      app.writeHash("push");
      if (selection) byId("live").textContent = selection.type === "node" ? app.nodeName(selection.id) : "edge";
    },
    choose(id) {
      app.select({ type: "node", id });
    },
    chooseEdge(edge) {
      const [site] = [...edge.sites].sort((a, b) => app.model.sites[a].dead - app.model.sites[b].dead || a - b);
      app.select({ type: "edge", source: edge.source, target: edge.target, kind: edge.kind, site });
    },
    /** Goes to a definition wherever it is: draws it if it is not drawn, and chooses it. */
    go(index) {
      const id = `d${index}`;
      const definition = app.model.definitions[index];
      if (app.answer && app.state.only && !app.answer.definitions.has(index)) app.state.query = null;
      app.state.hidden.delete(id);
      app.state.hidden.delete(`f${definition.fold}`);
      app.state.kinds.delete(definition.kind);
      app.state.selection = { type: "node", id };
      if (app.view.place.get(index) !== id) app.state.shown.add(id);
      app.update({ history: "push" });
      revealSelection(app);
      byId("live").textContent = definition.name;
    },
    /** Shows a call site in the source without leaving what is chosen. */
    showSite(number) {
      const site = app.model.sites[number];
      if (app.state.selection) app.state.selection = { ...app.state.selection, site: number };
      showSource(app.model, app.model.definitions[site.caller], lineRange(site), app.go);
      for (const button of document.querySelectorAll("#details .place-link[aria-pressed]")) {
        button.setAttribute("aria-pressed", String(button.textContent === `${baseName(site.file)}:${site.line}`));
      }
      app.writeHash("replace");
    },
    /** Shows the function around a place in the source. */
    showPlace(at) {
      const around = app.model.definitions.find((d) => d.file === at.file && d.line <= at.line && at.line <= d.end);
      if (!around) {
        byId("live").textContent = `${at.file}:${at.line} lies outside the functions of this scope`;
        return;
      }
      app.go(around.index);
      showSource(app.model, around, { start: at.line, end: at.end, file: at.file }, app.go);
    },
    ask(query) {
      app.state.query = query;
      if (query?.to !== undefined) app.state.selection = { type: "node", id: `d${query.to}` };
      app.update({ fit: true, history: "push" });
    },
    answerKernel(index) {
      const again = app.state.query?.type === "paths" && app.state.query.to === index;
      if (again) {
        app.state.selection = null;
        app.ask(null);
      } else app.ask({ type: "paths", to: index });
    },
    /** Opens a folded file, or shows what a function calls. */
    open(id) {
      if (id.startsWith("f")) {
        const [first] = app.model.folds[Number(id.slice(1))].members.filter((m) => app.view.place.has(m));
        app.state.open.add(id);
        app.state.selection = { type: "node", id: `d${first}` };
        openInPlace(app, id, `d${first}`);
        return;
      }
      const index = Number(id.slice(1));
      const callees = [...app.scope.edges.values()].filter((edge) => edge.caller === index && edge.callee !== index);
      for (const edge of callees) app.state.shown.add(`d${edge.callee}`);
      app.update({ anchor: id, history: "push" });
    },
    foldable(index) {
      const { fold } = app.model.definitions[index];
      return app.model.folds[fold].members.length > 1 && app.view.place.get(index) === `d${index}`;
    },
    fold(index) {
      const { fold } = app.model.definitions[index];
      app.state.open.delete(`f${fold}`);
      for (const member of app.model.folds[fold].members) app.state.shown.delete(`d${member}`);
      app.state.selection = { type: "node", id: `f${fold}` };
      openInPlace(app, `d${index}`, `f${fold}`);
    },
    unfoldAll() {
      app.change(() => {
        for (const fold of app.model.folds) app.state.open.add(`f${fold.index}`);
      }, { fit: true });
    },
    hide(id) {
      app.change(() => {
        app.state.hidden.add(id);
        if (app.state.selection?.id === id) app.state.selection = null;
      }, { history: "push" });
      byId("live").textContent = `Hidden: ${app.nodeName(id)}`;
    },
    clear() {
      if (app.state.query) app.ask(null);
      else if (app.state.selection) app.select(null);
    },
    fit() {
      fitAll(app.canvas);
    },
    zoom(factor) {
      const { cy } = app.canvas;
      cy.zoom({ level: cy.zoom() * factor, renderedPosition: { x: cy.width() / 2, y: cy.height() / 2 } });
    },
    step(direction) {
      const id = app.state.selection?.type === "node" ? standIn(app, app.state.selection.id) : null;
      const next = neighbour(app.canvas, id, direction);
      if (!next) return;
      app.choose(next);
      revealSelection(app);
    },
    nodeName(id) {
      const index = Number(id.slice(1));
      if (id.startsWith("d")) return app.model.definitions[index].name;
      const fold = app.model.folds[index];
      return `${baseName(fold.file) || "unnamed"} (${counted(fold.kind, fold.members.length)})`;
    },
  };
}

/** Opens or folds a file so that what was clicked stays where it was on the screen. */
function openInPlace(app, before, after) {
  const { cy } = app.canvas;
  const old = cy.getElementById(before);
  const held = old.nonempty() ? { ...old.renderedPosition() } : null;
  app.update({ history: "push" });
  const now = cy.getElementById(after);
  if (held && now.nonempty()) {
    const place = now.renderedPosition();
    cy.panBy({ x: held.x - place.x, y: held.y - place.y });
  }
}
