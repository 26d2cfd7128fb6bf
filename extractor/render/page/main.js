// Puts the page together: one state, one update, and the actions that change it.

import { drawView, fitAll, makeCanvas, markSelection, neighbour, restyle } from "./canvas.js";
import { definitionDetails, edgeDetails, link, routeDetails } from "./details.js";
import { byId, el, fill, section } from "./dom.js";
import { wireKeys } from "./keys.js";
import { baseName, buildModel, counted } from "./model.js";
import { wireSearch } from "./search.js";
import { drawSidebar } from "./sidebar.js";
import { copy, showSource } from "./source.js";
import { decode, DEPTHS, encode, initialState, setConfig } from "./state.js";
import { wireTheme } from "./theme.js";
import { answerQuery, computeScope, computeView, fileDistances, MOST_NODES } from "./view.js";

const QUESTIONS = {
  callers: (name) => `Callers of ${name}`,
  callees: (name) => `Callees of ${name}`,
  up: (name) => `What reaches ${name}`,
  down: (name) => `What ${name} reaches`,
  paths: (name, from) => `All paths from ${from} to ${name}`,
};

/** Starts the page on its embedded data. */
export function start(cytoscape) {
  const model = buildModel(JSON.parse(byId("data").textContent));
  const { state, unknown } = decode(model, location.hash);
  const app = { model, state, scope: null, answer: null, scopeKey: "" };
  Object.assign(app, actions(app));
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
    update(app, { fit: true, history: false });
  });
  update(app, { fit: true, history: false });
  if (app.state.selection) revealSelection(app);
  if (unknown.length) byId("live").textContent = `This page does not know: ${unknown.join(", ")}`;
  document.documentElement.dataset.ready = "true";
  return app;
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
  writeHash(app, history);
}

function writeHash(app, history) {
  if (!history) return;
  const hash = `#${encode(app.model, app.state)}`;
  if (hash === (location.hash || "#")) return;
  const method = history === "push" ? "pushState" : "replaceState";
  window.history[method](null, "", hash === "#" ? location.pathname + location.search : hash);
}

/** The node that stands for a definition in the current drawing. */
function standIn(app, id) {
  if (id.startsWith("d")) return app.view.place.get(Number(id.slice(1))) ?? null;
  const fold = app.model.folds[Number(id.slice(1))];
  return app.view.nodes.some((node) => node.id === id) ? id : app.view.place.get(fold.members[0]) ?? null;
}

function selectedIds(app) {
  const { selection } = app.state;
  if (!selection) return [];
  if (selection.type === "node") return [standIn(app, selection.id)].filter(Boolean);
  const ends = [standIn(app, selection.source), standIn(app, selection.target)];
  return [`${ends[0]}>${ends[1]}>${selection.kind}`];
}

function currentEdge(app) {
  const [id] = selectedIds(app);
  return app.view.edges.find((edge) => edge.id === id) ?? null;
}

function drawSelection(app) {
  const { selection, query } = app.state;
  const panel = byId("details");
  const route = query?.type === "paths" ? routeDetails(app) : null;
  markSelection(app.canvas, selectedIds(app));
  if (!selection) {
    fill(panel, route ?? intro(app));
    showSource(app.model, query?.type === "paths" ? app.model.definitions[query.to] : null, null, app.go);
    return;
  }
  if (selection.type === "edge") {
    const edge = currentEdge(app);
    fill(panel, edge ? edgeDetails(app, edge) : el("p", {}, "This edge is not drawn now."), route);
    const number = selection.site ?? (edge ? [...edge.sites][0] : undefined);
    const site = number === undefined ? null : app.model.sites[number];
    if (site) showSource(app.model, app.model.definitions[site.caller], lineRange(site), app.go);
    return;
  }
  const index = Number(selection.id.slice(1));
  if (selection.id.startsWith("f")) {
    fill(panel, foldDetails(app, index), route);
    showSource(app.model, null, null, app.go);
    return;
  }
  const asked = query?.to === index;
  fill(panel, asked ? route : null, definitionDetails(app, index), asked ? null : route);
  const site = selection.site === undefined ? null : app.model.sites[selection.site];
  const shown = site ? app.model.definitions[site.caller] : app.model.definitions[index];
  showSource(app.model, shown, site ? lineRange(site) : null, app.go);
}

function lineRange(site) {
  return { start: site.line, end: site.end, file: site.file };
}

/** Says where the kernels are when the depth keeps them off the canvas, and goes there. */
function kernelHint(app) {
  if (app.model.data.meta.kernels === 0) {
    return el("p", { class: "note" }, "This interface reaches no kernel.");
  }
  if (app.view.nodes.some((node) => node.kind === "kernel")) return null;
  const distance = fileDistances(app.model, app.scope);
  const nearest = Math.min(...app.model.definitions.filter((d) => d.kind === "kernel" && distance.has(d.index))
    .map((d) => distance.get(d.index)));
  const depth = DEPTHS.find((value) => value >= nearest);
  if (!Number.isFinite(nearest) || depth <= app.state.depth) return null;
  return el("p", { class: "note" }, `The first kernels lie ${nearest} files away. `,
    el("button", { type: "button", class: "small", id: "show-kernels",
      click: () => app.change(() => { app.state.depth = depth; }, { fit: true }) }, "Show them"));
}

function intro(app) {
  const { meta } = app.model.data;
  return el("div", { class: "intro" },
    el("h2", {}, `${meta.project} ${meta.interface}`),
    el("p", {}, `${meta.source.name} ${meta.source.version}, ${meta.source.license}. `
      + "Every edge was resolved by the compiler, to the instantiation."),
    el("ul", {},
      el("li", {}, "Click a kernel on the left: every path that leads to it, with the conditions on the way."),
      el("li", {}, "Click an edge: the call site, with grid, block and LDS for a launch."),
      el("li", {}, "Double-click a file (double border) to open it, a function to see what it calls; +5 ▸ counts calls not drawn."),
      el("li", {}, "Press / to search, ? for all keys.")),
    kernelHint(app));
}

function foldDetails(app, index) {
  const fold = app.model.folds[index];
  const inside = fold.members.filter((member) => app.view.place.has(member));
  return [
    el("header", { class: "subject" },
      el("p", { class: "kind" }, el("span", { class: `swatch ${fold.kind}`, "aria-hidden": "true" }),
        counted(fold.kind, inside.length)),
      el("h2", {}, baseName(fold.file)), el("p", { class: "faint" }, fold.file)),
    el("div", { class: "actions" },
      el("button", { type: "button", "data-act": "unfold", click: () => app.open(`f${index}`) }, "Open this file"),
      el("button", { type: "button", "data-act": "hide", click: () => app.hide(`f${index}`) }, "Hide")),
    section(`Functions (${inside.length})`, true,
      el("ul", { class: "plain" }, inside.map((member) => el("li", {}, link(app, member))))),
  ];
}

function drawBanner(app) {
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

function drawStatus(app) {
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

function hover(app, item) {
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

function wireToolbar(app) {
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
    update(app, { fit: true, history: "push" });
  });
  addEventListener("resize", () => app.canvas.cy.resize());
}

function syncToolbar(app) {
  byId("entry").value = app.state.entry === null ? "" : String(app.state.entry);
  byId("config").value = app.state.config;
  for (const button of byId("depth").children) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.depth) === app.state.depth));
  }
}

function revealSelection(app) {
  markSelection(app.canvas, selectedIds(app), { reveal: true });
}

function actions(app) {
  return {
    /** Changes the state and draws again. */
    change(apply, { fit = false, history = "replace", anchor = null } = {}) {
      apply();
      update(app, { fit, history, anchor });
    },
    /** Chooses a node, an edge or nothing without changing what is drawn. */
    select(selection) {
      app.state.selection = selection;
      drawSelection(app);
      writeHash(app, "push");
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
      update(app, { history: "push" });
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
      writeHash(app, "replace");
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
      update(app, { fit: true, history: "push" });
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
      update(app, { anchor: id, history: "push" });
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
  update(app, { history: "push" });
  const now = cy.getElementById(after);
  if (held && now.nonempty()) {
    const place = now.renderedPosition();
    cy.panBy({ x: held.x - place.x, y: held.y - place.y });
  }
}
