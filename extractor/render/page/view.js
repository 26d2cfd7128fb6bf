// Which nodes and edges are on the canvas: filters, then reach, then depth, folding and hiding.

import { KIND_ORDER, between, edgesAmong, instantiationsOf, owners, reach } from "./model.js";

export const MOST_NODES = 2500;
const MOST_UNFOLDED_BY_QUERY = 80;
const MOST_ENTRIES = 12;

/** What the filters leave, before depth and folding; costs one walk over all links. */
export function computeScope(model, state) {
  const enabled = model.entries.filter((entry) => !state.precisions.has(entry.precision));
  const seeds = enabled.flatMap((entry) => instantiationsOf(model, entry.index));
  const live = reach(model, state, seeds);
  const drawn = state.dead ? reach(model, state, seeds, { withDead: true }) : live;
  const definitions = owners(model, drawn);
  const edges = edgesAmong(model, state, drawn, state.dead);
  const lit = state.entry === null
    ? null
    : reach(model, state, instantiationsOf(model, state.entry));
  return { enabled, live, drawn, definitions, edges, lit,
    liveDefinitions: owners(model, live), litDefinitions: lit && owners(model, lit) };
}

/** Definitions and instantiations that answer the current question, or null. */
export function answerQuery(model, state, scope) {
  const { query } = state;
  if (!query) return null;
  const within = scope.lit ?? scope.drawn;
  const options = { within, withDead: state.dead };
  let seen;
  if (query.type === "paths") {
    const from = query.from === undefined
      ? (state.entry === null ? scope.enabled.map((entry) => entry.index) : [state.entry])
      : [query.from];
    seen = between(model, state, from, [query.to], { within, withDead: false });
    if (!seen.some(Boolean)) seen = between(model, state, from, [query.to], options);
  } else {
    const forward = query.type === "callees" || query.type === "down";
    const start = instantiationsOf(model, forward ? query.from : query.to);
    seen = reach(model, state, start, { forward, ...options });
    if (query.type === "callees" || query.type === "callers") {
      seen = keepNeighbours(model, scope, seen, forward, forward ? query.from : query.to);
    }
  }
  const definitions = owners(model, seen);
  const edges = edgesAmong(model, state, seen, state.dead);
  if (query.type === "callees" || query.type === "callers") {
    const hub = query.from ?? query.to;
    const end = query.type === "callees" ? "caller" : "callee";
    for (const [key, edge] of edges) if (edge[end] !== hub) edges.delete(key);
  }
  return { definitions, edges, seen };
}

function keepNeighbours(model, scope, seen, forward, hub) {
  const near = new Set([hub]);
  for (const edge of scope.edges.values()) {
    if (forward && edge.caller === hub) near.add(edge.callee);
    if (!forward && edge.callee === hub) near.add(edge.caller);
  }
  return seen.map((mark, index) => (mark && near.has(model.owner[index]) ? 1 : 0));
}

/** Steps from file to file away from the entry points; a call inside one file is no step. */
export function fileDistances(model, scope) {
  const after = new Map();
  for (const edge of scope.edges.values()) {
    if (!after.has(edge.caller)) after.set(edge.caller, []);
    after.get(edge.caller).push(edge.callee);
  }
  const distance = new Map(scope.enabled.map((entry) => [entry.index, 0]));
  let row = [...distance.keys()];
  for (let step = 0; row.length; step += 1) {
    const following = [];
    for (let i = 0; i < row.length; i += 1) {
      const here = row[i];
      if (distance.get(here) !== step) continue;
      for (const next of after.get(here) ?? []) {
        const same = model.definitions[next].file === model.definitions[here].file;
        const far = step + (same ? 0 : 1);
        if (distance.has(next) && distance.get(next) <= far) continue;
        distance.set(next, far);
        (same ? row : following).push(next);
      }
    }
    row = following;
  }
  return distance;
}

/** The nodes and edges to draw. */
export function computeView(model, state, scope, answer) {
  const distance = fileDistances(model, scope);
  const isolated = answer && state.only;
  const alone = state.alone ? scope.litDefinitions : null;
  const unfold = answer && answer.definitions.size <= MOST_UNFOLDED_BY_QUERY;
  const askedEntries = answer
    ? model.entries.filter((entry) => answer.definitions.has(entry.index)).length : 0;
  const counts = { beyond: 0, filtered: 0, outside: 0, unreached: 0, hidden: 0, folded: 0, tooMany: 0 };
  const members = new Map();
  const place = new Map();
  const openFolds = openable(model, state, scope, counts);

  for (const definition of model.definitions) {
    const { index } = definition;
    const own = `d${index}`;
    const asked = answer?.definitions.has(index) ?? false;
    const outside = alone && !alone.has(index) && !asked;
    if (definition.kind === "excluded" ? isolated || alone
      : isolated ? !asked : outside || !scope.definitions.has(index)) {
      counts[isolated || alone ? "outside" : "unreached"] += 1;
      continue;
    }
    const infrastructure = definition.infrastructure && !state.infrastructure;
    if ((infrastructure || state.kinds.has(definition.kind)) && !asked) {
      counts.filtered += 1;
      continue;
    }
    const near = definition.kind === "excluded" || (distance.get(index) ?? 0) <= state.depth;
    if (!near && !asked && !state.shown.has(own)) {
      counts.beyond += 1;
      continue;
    }
    const fold = `f${definition.fold}`;
    if (state.hidden.has(own) || state.hidden.has(fold)) {
      counts.hidden += 1;
      continue;
    }
    const single = model.folds[definition.fold].members.length === 1;
    const crowd = definition.kind === "entry_point" && index !== state.query?.from && askedEntries > MOST_ENTRIES;
    const open = single || openFolds.has(definition.fold) || (asked && unfold && !crowd)
      || state.shown.has(own);
    const id = open ? own : fold;
    if (!open) counts.folded += 1;
    place.set(index, id);
    if (!members.has(id)) members.set(id, []);
    members.get(id).push(index);
  }
  const nodes = [...members].map(([id, inside]) => describe(model, state, scope, answer, id, inside));
  if (isolated) layNeighbours(model, state.query, nodes);
  const edges = gather(scope, answer, isolated, place);
  if (!isolated && !alone) markUnseen(scope, place, nodes, state);
  return { nodes, edges, place, counts };
}

/** Folds that are open; when too much is open, the largest ones stay folded and are counted. */
function openable(model, state, scope, counts) {
  const wanted = model.folds.filter((fold) => state.open.has(`f${fold.index}`));
  const size = (fold) => Math.max(1, fold.members.filter((index) => scope.definitions.has(index)).length);
  const bySize = wanted.map((fold) => [size(fold), fold]).sort((a, b) => a[0] - b[0]);
  const open = new Set();
  let total = model.folds.length;
  for (const [number, fold] of bySize) {
    if (total + number - 1 > MOST_NODES) counts.tooMany += number;
    else {
      total += number - 1;
      open.add(fold.index);
    }
  }
  return open;
}

function describe(model, state, scope, answer, id, inside) {
  const first = model.definitions[inside[0]];
  const lit = (index) => (answer ? answer.definitions.has(index) : true)
    && (scope.litDefinitions ? scope.litDefinitions.has(index) : true);
  return {
    id,
    kind: first.kind,
    members: inside,
    layer: id.startsWith("d") ? first.layer : Math.min(...inside.map((i) => model.definitions[i].layer)),
    order: inside.reduce((sum, i) => sum + model.definitions[i].order, 0) / inside.length,
    lit: first.kind === "excluded" ? !answer && !scope.lit : inside.some(lit),
    dead: first.kind !== "excluded" && !inside.some((index) => scope.liveDefinitions.has(index)),
    unseen: 0,
  };
}

/** Callers of one function stand before it and callees after it, each side by kind. */
function layNeighbours(model, query, nodes) {
  if (query.type !== "callers" && query.type !== "callees") return;
  const hub = query.from ?? query.to;
  for (const node of nodes) {
    const kind = KIND_ORDER.indexOf(node.kind);
    if (node.members.includes(hub)) node.layer = 0;
    else node.layer = query.type === "callees" ? kind + 1 : kind - KIND_ORDER.length;
  }
}

function gather(scope, answer, isolated, place) {
  const edges = new Map();
  const source = isolated ? answer.edges : scope.edges;
  for (const [key, edge] of source) {
    const from = place.get(edge.caller);
    const to = place.get(edge.callee);
    if (!from || !to || (from === to && from.startsWith("f"))) continue;
    const id = `${from}>${to}>${edge.kind}`;
    let sum = edges.get(id);
    if (!sum) {
      sum = { id, source: from, target: to, kind: edge.kind, count: 0, dead: true, lit: false,
        sites: new Set() };
      edges.set(id, sum);
    }
    sum.count += edge.count;
    sum.dead = sum.dead && edge.dead;
    sum.lit = sum.lit || isLit(scope, answer, key, edge);
    for (const site of edge.sites) sum.sites.add(site);
  }
  return [...edges.values()];
}

function isLit(scope, answer, key, edge) {
  if (answer && !answer.edges.has(key)) return false;
  if (!scope.litDefinitions) return true;
  return !edge.dead && scope.litDefinitions.has(edge.caller) && scope.litDefinitions.has(edge.callee);
}

/** Counts callees that depth keeps off the canvas, for the "+3" on a node. */
function markUnseen(scope, place, nodes, state) {
  const unseen = new Map();
  for (const edge of scope.edges.values()) {
    const from = place.get(edge.caller);
    if (from && !place.has(edge.callee) && !state.hidden.has(`d${edge.callee}`)) {
      if (!unseen.has(from)) unseen.set(from, new Set());
      unseen.get(from).add(edge.callee);
    }
  }
  for (const node of nodes) node.unseen = unseen.get(node.id)?.size ?? 0;
}
