// Puts the visible nodes into place. Columns and their order come from the layout computed when the
// page was written; here the visible part is only closed up, swept and aligned, the same way always.

export const NODE_WIDTH = 236;
export const NODE_HEIGHT = 46;

// Step across the flow, size along it, and gaps along it, for each direction of reading.
const SHAPES = {
  right: { step: 62, size: NODE_WIDTH, gap: 84, launchGap: 210, between: 28 },
  down: { step: NODE_WIDTH + 18, size: NODE_HEIGHT, gap: 52, launchGap: 84, between: 22 },
};

/**
 * Sets x and y of every node and returns the direction of reading, right or down: the one that
 * shows the drawing larger in a canvas of this aspect.
 */
export function arrange(nodes, edges, aspect) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const before = new Map(nodes.map((node) => [node.id, []]));
  const after = new Map(nodes.map((node) => [node.id, []]));
  for (const edge of edges) {
    if (edge.source === edge.target) continue;
    after.get(edge.source).push(byId.get(edge.target));
    before.get(edge.target).push(byId.get(edge.source));
  }
  const columns = columnsOf(nodes);
  sweep(columns, before, after);
  const launched = new Set();
  for (const edge of edges) if (edge.kind === "launch") launched.add(byId.get(edge.target).column);
  const { direction, limit } = choose(columns, launched, aspect);
  const shape = SHAPES[direction];
  const tracks = deal(columns, launched, limit, shape);
  align(tracks, before, after, shape.step);
  for (const node of nodes) {
    [node.x, node.y] = direction === "right" ? [node.along, node.across] : [node.across, node.along];
  }
  return direction;
}

/** Tries both directions and several track lengths; of about equal ones the plainest wins. */
function choose(columns, launched, aspect) {
  let best = null;
  for (const direction of ["right", "down"]) {
    const shape = SHAPES[direction];
    for (const limit of [4000, 100, 70, 50, 36, 26, 18, 13, 9, 6, 4, 3]) {
      let along = 0;
      let across = 0;
      columns.forEach((column, index) => {
        const parts = Math.ceil(column.length / limit);
        along += parts * shape.size + (parts - 1) * shape.between
          + (index ? (launched.has(index) ? shape.launchGap : shape.gap) : 0);
        across = Math.max(across, Math.ceil(column.length / parts) * shape.step);
      });
      const [width, height] = direction === "right" ? [along, across] : [across, along];
      const zoom = Math.min(1, 760 / Math.max(width, height * aspect));
      if (!best || zoom > best.zoom * 1.1) best = { direction, limit, zoom };
    }
  }
  return best ?? { direction: "right", limit: 18 };
}

function columnsOf(nodes) {
  const found = new Map();
  for (const node of nodes) {
    if (!found.has(node.layer)) found.set(node.layer, []);
    found.get(node.layer).push(node);
  }
  const columns = [...found.keys()].sort((a, b) => a - b).map((layer) => found.get(layer));
  columns.forEach((column, index) => {
    column.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
    for (const node of column) node.column = index;
    settle(column);
  });
  return columns;
}

function settle(column) {
  column.forEach((node, index) => {
    node.place = (index + 0.5) / column.length;
  });
}

function sweep(columns, before, after) {
  for (let turn = 0; turn < 6; turn += 1) {
    const forward = turn % 2 === 0;
    const sides = forward ? before : after;
    for (const column of forward ? columns : [...columns].reverse()) {
      const wanted = new Map();
      for (const node of column) {
        const near = sides.get(node.id)
          .filter((other) => (forward ? other.column < node.column : other.column > node.column));
        wanted.set(node, near.length ? mean(near.map((other) => other.place)) : node.place);
      }
      column.sort((a, b) => wanted.get(a) - wanted.get(b) || a.order - b.order
        || (a.id < b.id ? -1 : 1));
      settle(column);
    }
  }
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Deals long columns out over several tracks; launches get room for their labels. */
function deal(columns, launched, limit, shape) {
  const tracks = [];
  let along = 0;
  columns.forEach((column, index) => {
    if (index) along += launched.has(index) ? shape.launchGap : shape.gap;
    const parts = Math.ceil(column.length / limit);
    for (let part = 0; part < parts; part += 1) {
      if (part) along += shape.between;
      const track = column.filter((_, place) => place % parts === part);
      for (const node of track) node.along = along;
      tracks.push(track);
      along += shape.size;
    }
  });
  return tracks;
}

function align(tracks, before, after, step) {
  for (const track of tracks) {
    track.forEach((node, index) => {
      node.across = (index - (track.length - 1) / 2) * step;
    });
  }
  const widest = Math.max(1, ...tracks.map((track) => track.length)) * step;
  for (let turn = 0; turn < 4; turn += 1) {
    const sides = turn % 2 === 0 ? before : after;
    for (const track of turn % 2 === 0 ? tracks : [...tracks].reverse()) {
      const wanted = track.map((node) => {
        const near = sides.get(node.id);
        return near.length ? mean(near.map((other) => other.across)) : node.across;
      });
      const places = spread(wanted, step);
      const room = Math.max(0, (widest - track.length * step) / 2);
      const middle = mean([places[0], places.at(-1)]);
      const shift = Math.max(-room, Math.min(room, middle)) - middle;
      places.forEach((place, index) => {
        track[index].across = place + shift;
      });
    }
  }
}

/** Least-squares heights in order, at least a step apart (pool adjacent violators). */
function spread(wanted, step) {
  const blocks = [];
  wanted.forEach((value, index) => {
    let total = value - index * step;
    let size = 1;
    while (blocks.length && blocks.at(-1)[0] / blocks.at(-1)[1] >= total / size) {
      const [held, length] = blocks.pop();
      total += held;
      size += length;
    }
    blocks.push([total, size]);
  });
  const places = [];
  for (const [total, size] of blocks) {
    for (let k = 0; k < size; k += 1) places.push(total / size + places.length * step);
  }
  return places;
}
