// What is chosen: marked in the drawing, told in the panel, shown in the source.

import { markSelection } from "./canvas.js";
import { definitionDetails, edgeDetails, link, routeDetails } from "./details.js";
import { byId, el, fill, section } from "./dom.js";
import { baseName, counted } from "./model.js";
import { showSource } from "./source.js";
import { DEPTHS } from "./state.js";
import { fileDistances } from "./view.js";

/** The node that stands for a definition in the current drawing. */
export function standIn(app, id) {
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

/** Brings the chosen node into sight. */
export function revealSelection(app) {
  markSelection(app.canvas, selectedIds(app), { reveal: true });
}

function currentEdge(app) {
  const [id] = selectedIds(app);
  return app.view.edges.find((edge) => edge.id === id) ?? null;
}

/** Draws everything that depends on what is chosen. */
export function drawSelection(app) {
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

/** Lines that a call site marks. */
export function lineRange(site) {
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
