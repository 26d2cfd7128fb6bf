// The drawing itself: one Cytoscape instance whose elements follow the view.

import { arrange, NODE_HEIGHT, NODE_WIDTH } from "./arrange.js";
import { baseName, counted, shorten } from "./model.js";
import { canvasStyle } from "./style.js";

const MOST_CURVED = 1200;
const MOST_LABELLED = 140;
const MOST_MOVED = 1500;
const LINE = 32;

/** Makes the canvas; `on` holds what to do when a node or an edge is chosen or opened. */
export function makeCanvas(cytoscape, container, model, on) {
  const cy = cytoscape({
    container,
    style: canvasStyle(),
    layout: { name: "preset" },
    minZoom: 0.03,
    maxZoom: 2.5,
    autoungrabify: true,
    autounselectify: true,
    boxSelectionEnabled: false,
    pixelRatio: "auto",
  });
  cy.on("tap", "node", (event) => on.node(event.target.id()));
  cy.on("dbltap", "node", (event) => on.open(event.target.id()));
  cy.on("tap", "edge", (event) => on.edge(event.target.scratch("edge")));
  cy.on("tap", (event) => event.target === cy && on.nothing());
  cy.on("mouseover", "node, edge", (event) => {
    container.style.cursor = "pointer";
    on.hover(event.target.isNode() ? event.target.scratch("node") : event.target.scratch("edge"));
  });
  cy.on("mouseout", "node, edge", () => {
    container.style.cursor = "";
    on.hover(null);
  });
  return { cy, model, view: { nodes: [], edges: [] } };
}

/** Brings the elements in line with a view, moving what stays and keeping `anchor` in its place. */
export function drawView(canvas, view, { fit = false, anchor = null } = {}) {
  const { cy, model } = canvas;
  canvas.down = arrange(view.nodes, view.edges, cy.width() / Math.max(1, cy.height())) === "down";
  canvas.view = view;
  cy.renderer().hideEdgesOnViewport = view.edges.length > MOST_MOVED;
  const held = anchor && cy.getElementById(anchor).nonempty()
    ? { ...cy.getElementById(anchor).renderedPosition() } : null;
  const wanted = new Set([...view.nodes, ...view.edges].map((item) => item.id));
  cy.batch(() => {
    cy.remove(cy.elements().filter((element) => !wanted.has(element.id())));
    const fresh = [];
    for (const node of view.nodes) {
      const known = cy.getElementById(node.id);
      const data = { id: node.id, label: nodeLabel(model, node) };
      const position = { x: node.x, y: node.y };
      if (known.empty()) fresh.push({ group: "nodes", data, position });
      else known.data(data).position(position);
    }
    cy.add(fresh);
    for (const node of view.nodes) {
      cy.getElementById(node.id).classes(nodeClasses(node)).scratch("node", node);
    }
    drawEdges(canvas, view);
  });
  if (fit) fitAll(canvas);
  else if (held) {
    const now = cy.getElementById(anchor).renderedPosition();
    cy.panBy({ x: held.x - now.x, y: held.y - now.y });
  }
}

function drawEdges(canvas, view) {
  const { cy, model } = canvas;
  const byId = new Map(view.nodes.map((node) => [node.id, node]));
  const curved = view.edges.length <= MOST_CURVED;
  const launches = view.edges.filter((edge) => edge.kind === "launch").length;
  const labelled = new Set();
  const fresh = [];
  for (const edge of view.edges) {
    edge.curved = curved && edge.source !== edge.target;
    edge.labelled = edge.kind === "launch" && !edge.dead && launches <= MOST_LABELLED
      && !labelled.has(edge.target);
    if (edge.labelled) labelled.add(edge.target);
    const data = { id: edge.id, source: edge.source, target: edge.target,
      label: edge.kind === "launch" ? launchLabel(model, edge) : "",
      ...(edge.curved && bend(byId.get(edge.source), byId.get(edge.target), canvas.down)) };
    const known = cy.getElementById(edge.id);
    if (known.empty()) fresh.push({ group: "edges", data });
    else known.data(data);
  }
  cy.add(fresh);
  for (const edge of view.edges) {
    cy.getElementById(edge.id).classes(edgeClasses(edge, canvas.down)).scratch("edge", edge);
  }
}

/** Two control points that leave and arrive along the flow, for a curve that reads as one. */
function bend(source, target, down) {
  const dx = target.x - source.x - (down ? 0 : NODE_WIDTH);
  const dy = target.y - source.y - (down ? NODE_HEIGHT : 0);
  const length = Math.hypot(dx, dy) || 1;
  const run = down ? dy : dx;
  const out = run > 20 ? run / 2 : Math.min(90, 30 + Math.abs(run) / 4);
  const weight = (run * out) / (length * length);
  const distance = ((down ? -dx : dy) * out) / length;
  return { weights: [weight, 1 - weight], distances: [-distance, distance] };
}

/** Shows everything, but never larger than life. */
export function fitAll(canvas) {
  const { cy } = canvas;
  if (cy.nodes().empty()) return;
  const lit = cy.nodes().not(".dim");
  cy.fit(lit.nonempty() ? lit : cy.nodes(), 40);
  if (cy.zoom() > 1.15) {
    cy.zoom(1.15);
    cy.center(lit.nonempty() ? lit : cy.nodes());
  }
}

/** Marks the selection and what touches it, and brings it into sight. */
export function markSelection(canvas, ids, { reveal = false } = {}) {
  const { cy } = canvas;
  cy.batch(() => {
    cy.elements().removeClass("chosen near");
    for (const id of ids) {
      const element = cy.getElementById(id).addClass("chosen");
      if (element.nonempty() && element.isNode()) element.neighborhood().addClass("near");
    }
  });
  const first = cy.getElementById(ids[0] ?? "");
  if (reveal && first.nonempty()) bringIntoSight(cy, first);
}

function bringIntoSight(cy, element) {
  const box = element.renderedBoundingBox({ includeLabels: false });
  const inside = box.x1 > 0 && box.y1 > 0 && box.x2 < cy.width() && box.y2 < cy.height();
  if (cy.zoom() < 0.45) cy.zoom(0.8);
  else if (inside) return;
  cy.center(element);
}

/** The nearest visible node in a direction: along the flow what is linked, across it what is near. */
export function neighbour(canvas, id, direction) {
  const { nodes, edges } = canvas.view;
  const here = nodes.find((node) => node.id === id);
  if (!here) return nodes[0]?.id ?? null;
  const [back, on] = canvas.down ? ["up", "down"] : ["left", "right"];
  const [along, across] = canvas.down ? ["y", "x"] : ["x", "y"];
  let pool;
  if (direction === back || direction === on) {
    const [from, to] = direction === back ? ["target", "source"] : ["source", "target"];
    const linked = new Set(edges.filter((edge) => edge[from] === id).map((edge) => edge[to]));
    pool = nodes.filter((node) => linked.has(node.id) && node !== here);
  } else {
    const before = direction === "up" || direction === "left";
    pool = nodes.filter((node) => Math.abs(node[along] - here[along]) < 1
      && (before ? node[across] < here[across] : node[across] > here[across]));
  }
  const far = (node) => Math.abs(node[across] - here[across]);
  pool.sort((a, b) => far(a) - far(b) || (a.id < b.id ? -1 : 1));
  return pool[0]?.id ?? null;
}

/** Draws again with the colours of the theme in force. */
export function restyle(canvas) {
  canvas.cy.style(canvasStyle());
}

function nodeClasses(node) {
  return [node.kind, node.id.startsWith("f") && "fold", node.dead && "dead", !node.lit && "dim"]
    .filter(Boolean).join(" ");
}

function edgeClasses(edge, down) {
  return [edge.kind, edge.dead && "dead", !edge.lit && "dim", edge.curved && "curved", down && "down",
    edge.source === edge.target && "loop", edge.labelled && "labelled"].filter(Boolean).join(" ");
}

/** What stands in a node: its name, and under it what kind of thing it is. */
export function nodeLabel(model, node) {
  const first = model.definitions[node.members[0]];
  const more = node.unseen ? `  +${node.unseen} ▸` : "";
  if (node.id.startsWith("f")) {
    const place = baseName(model.folds[first.fold].file) || "unnamed";
    return `${shorten(place, LINE - 2)}\n${counted(node.kind, node.members.length)}${more}`;
  }
  const name = wrapName(first.name);
  if (node.kind === "excluded") return `${name}\n${first.count} left out`;
  if (node.kind === "boundary") return `${name}\n${first.note || "boundary"}`;
  const times = first.times > 1 ? ` ×${first.times}` : "";
  const dead = node.dead ? " · never runs" : "";
  const second = `${baseName(first.file)}:${first.line}${times}${dead}`;
  return `${name}\n${shorten(second, LINE + 3 - more.length)}${more}`;
}

function wrapName(name) {
  if (name.length <= LINE) return name;
  const cuts = [...name.matchAll(/(?<=_)(?!_)|(?=[<(])/g)].map((match) => match.index)
    .filter((place) => place <= LINE && place > LINE / 3);
  cuts.sort((a, b) => Math.abs(a - name.length / 2) - Math.abs(b - name.length / 2));
  if (!cuts.length) return shorten(name, LINE);
  return `${name.slice(0, cuts[0])}\n${shorten(name.slice(cuts[0]), LINE)}`;
}

/** Grid, block and LDS of a launch edge, a line each. */
export function launchLabel(model, edge) {
  const sites = [...edge.sites].map((site) => model.sites[site]).filter((site) => !site.dead);
  if (edge.source.startsWith("f") || edge.target.startsWith("f")) {
    return `${sites.length} ${sites.length === 1 ? "launch" : "launches"}`;
  }
  const shown = sites[0] ?? model.sites[[...edge.sites][0]];
  const words = { grid: "grid ", block: "block ", shared_bytes: "LDS " };
  const lines = shown.launch.filter(([field]) => words[field])
    .map(([field, value, more]) => words[field] + cut((more || value).replace(/^dim3(?=\()/, ""), 34));
  const places = new Set(sites.map((site) => `${site.file}:${site.line}`)).size;
  if (places > 1) lines.push(`and ${places - 1} more ${places === 2 ? "launch" : "launches"}`);
  return lines.join("\n");
}

function cut(line, longest) {
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
