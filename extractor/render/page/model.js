// The call graph as the page holds it: definitions, and the exact edges between instantiations.

const WORDS = {
  entry_point: ["entry point", "entry points"],
  host: ["host function", "host functions"],
  launcher: ["launcher", "launchers"],
  kernel: ["kernel", "kernels"],
  device: ["device function", "device functions"],
  boundary: ["boundary", "boundaries"],
  excluded: ["rule that left functions out", "rules that left functions out"],
};

/** Kinds from the caller to the hardware. */
export const KIND_ORDER = Object.keys(WORDS);

/** Says "1 kernel" or "12 kernels". */
export function counted(kind, number) {
  return `${number.toLocaleString("en")} ${WORDS[kind][number === 1 ? 0 : 1]}`;
}

/** Cuts a name in its middle: what tells two kernels apart stands at the ends. */
export function shorten(name, longest) {
  if (name.length <= longest) return name;
  const tail = Math.floor((longest * 3) / 5);
  return `${name.slice(0, longest - tail - 1)}…${name.slice(-tail)}`;
}

/** File name without folders. */
export function baseName(file) {
  return file.slice(file.lastIndexOf("/") + 1);
}

/** Turns the embedded data into arrays that can be walked quickly. */
export function buildModel(data) {
  const definitions = data.definitions.map((record, index) => ({ ...record, index }));
  const owner = [];
  for (const definition of definitions) {
    definition.first = owner.length;
    for (let i = 0; i < definition.instantiations.length; i += 1) owner.push(definition.index);
  }
  const count = data.links.length / 5;
  const links = { caller: new Int32Array(count), callee: new Int32Array(count),
    site: new Int32Array(count), mask: new Int32Array(count), dead: new Uint8Array(count) };
  for (let i = 0; i < count; i += 1) {
    links.caller[i] = data.links[5 * i];
    links.callee[i] = data.links[5 * i + 1];
    links.site[i] = data.links[5 * i + 2];
    links.mask[i] = data.links[5 * i + 3];
    links.dead[i] = data.links[5 * i + 4];
  }
  const model = { data, definitions, owner: Int32Array.from(owner), links, count,
    sites: data.sites, folds: data.folds.map((fold, index) => ({ ...fold, index })) };
  model.after = adjacency(links.caller, owner.length);
  model.before = adjacency(links.callee, owner.length);
  model.byKey = new Map(definitions.map((definition) => [definition.key, definition.index]));
  model.foldByKey = new Map(model.folds.map((fold) => [foldKey(fold), fold.index]));
  model.entries = definitions.filter((definition) => definition.kind === "entry_point");
  return model;
}

/** A fold's name in deep links. */
export function foldKey(fold) {
  return `${fold.kind}:${fold.file}`;
}

/** Compressed rows: for each instantiation, the numbers of its links. */
function adjacency(ends, size) {
  const start = new Int32Array(size + 1);
  for (const end of ends) start[end + 1] += 1;
  for (let i = 0; i < size; i += 1) start[i + 1] += start[i];
  const items = new Int32Array(ends.length);
  const next = start.slice();
  for (let i = 0; i < ends.length; i += 1) {
    items[next[ends[i]]] = i;
    next[ends[i]] += 1;
  }
  return { start, items };
}

/** Whether a link exists under the chosen configuration and edge filters. */
export function allows(model, state, link, withDead) {
  const { links, sites } = model;
  if (!(links.mask[link] & state.configMask)) return false;
  if (links.dead[link] && !withDead) return false;
  return state.references || sites[links.site[link]].kind !== "reference";
}

/** Marks every instantiation that can be reached from the seeds; forward means to callees. */
export function reach(model, state, seeds, { forward = true, withDead = false, within = null } = {}) {
  const seen = new Uint8Array(model.owner.length);
  const stack = [];
  for (const seed of seeds) {
    if (!seen[seed] && (!within || within[seed])) {
      seen[seed] = 1;
      stack.push(seed);
    }
  }
  const rows = forward ? model.after : model.before;
  const far = forward ? model.links.callee : model.links.caller;
  while (stack.length) {
    const here = stack.pop();
    for (let i = rows.start[here]; i < rows.start[here + 1]; i += 1) {
      const link = rows.items[i];
      const next = far[link];
      if (!seen[next] && (!within || within[next]) && allows(model, state, link, withDead)) {
        seen[next] = 1;
        stack.push(next);
      }
    }
  }
  return seen;
}

/** Numbers of a definition's instantiations. */
export function instantiationsOf(model, index) {
  const { first, instantiations } = model.definitions[index];
  return Array.from({ length: instantiations.length }, (_, i) => first + i);
}

/** Definitions that own at least one marked instantiation. */
export function owners(model, seen) {
  const found = new Set();
  for (let i = 0; i < seen.length; i += 1) if (seen[i]) found.add(model.owner[i]);
  return found;
}

/** Sums links into edges between definitions. Key: "caller>callee>kind". */
export function edgesAmong(model, state, seen, withDead) {
  const edges = new Map();
  const { links, owner, sites } = model;
  for (let link = 0; link < model.count; link += 1) {
    if (!seen[links.caller[link]] || !seen[links.callee[link]]) continue;
    if (!allows(model, state, link, withDead)) continue;
    const caller = owner[links.caller[link]];
    const callee = owner[links.callee[link]];
    const { kind } = sites[links.site[link]];
    const key = `${caller}>${callee}>${kind}`;
    let edge = edges.get(key);
    if (!edge) {
      edge = { caller, callee, kind, count: 0, dead: true, sites: new Set() };
      edges.set(key, edge);
    }
    edge.count += 1;
    edge.dead = edge.dead && Boolean(links.dead[link]);
    edge.sites.add(links.site[link]);
  }
  return edges;
}

/** Everything on any path between two sets of definitions, exact to the instantiation. */
export function between(model, state, from, to, { within = null, withDead = false } = {}) {
  const seeds = from.flatMap((index) => instantiationsOf(model, index));
  const goals = to.flatMap((index) => instantiationsOf(model, index));
  const ahead = reach(model, state, seeds, { within, withDead });
  return reach(model, state, goals, { forward: false, within: ahead, withDead });
}

/** One shortest route as a list of links, or null. */
export function shortest(model, state, from, to, seen, withDead = false) {
  const goals = new Set(to.flatMap((index) => instantiationsOf(model, index)));
  const via = new Map();
  let row = from.flatMap((index) => instantiationsOf(model, index)).filter((i) => seen[i]);
  for (const start of row) via.set(start, -1);
  while (row.length) {
    const following = [];
    for (const here of row) {
      if (goals.has(here)) return unwind(model, via, here);
      for (let i = model.after.start[here]; i < model.after.start[here + 1]; i += 1) {
        const link = model.after.items[i];
        const next = model.links.callee[link];
        if (seen[next] && !via.has(next) && allows(model, state, link, withDead)) {
          via.set(next, link);
          following.push(next);
        }
      }
    }
    row = following;
  }
  return null;
}

function unwind(model, via, end) {
  const route = [];
  for (let link = via.get(end); link >= 0; link = via.get(model.links.caller[link])) {
    route.unshift(link);
  }
  return route;
}
