// What the reader has chosen, and its form in the address: everything can be linked to.

export const DEPTHS = [1, 2, 3, 4, 99];

/** The state a page starts in. */
export function initialState(model) {
  return {
    config: model.data.configs[0],
    configMask: 1,
    entry: null,
    depth: 2,
    references: true,
    dead: true,
    infrastructure: true,
    only: true,
    alone: false,
    kinds: new Set(),
    precisions: new Set(),
    open: new Set(),
    shown: new Set(),
    hidden: new Set(),
    selection: null,
    query: null,
  };
}

/** Sets the configuration; "all" means an edge of any configuration counts. */
export function setConfig(model, state, config) {
  const place = model.data.configs.indexOf(config);
  state.config = place < 0 ? "all" : config;
  state.configMask = place < 0 ? (1 << model.data.configs.length) - 1 : 1 << place;
}

/** A node's name in the address. */
export function nodeKey(model, id) {
  const index = Number(id.slice(1));
  if (id.startsWith("d")) return model.definitions[index].key;
  const fold = model.folds[index];
  return `@${fold.kind}:${fold.file}`;
}

/** The node that a name in the address stands for, or null. */
export function nodeOfKey(model, key) {
  if (key.startsWith("@")) {
    const fold = model.foldByKey.get(key.slice(1));
    return fold === undefined ? null : `f${fold}`;
  }
  const index = model.byKey.get(key);
  return index === undefined ? null : `d${index}`;
}

/** Writes the state as a URL hash; what is at its default is left out. */
export function encode(model, state) {
  const fields = new URLSearchParams();
  const keys = (ids) => [...ids].map((id) => nodeKey(model, id)).sort();
  if (state.config !== model.data.configs[0]) fields.set("config", state.config);
  if (state.entry !== null) fields.set("entry", model.definitions[state.entry].key);
  if (state.depth !== 2) fields.set("depth", state.depth);
  if (!state.references) fields.set("references", "0");
  if (!state.dead) fields.set("dead", "0");
  if (!state.infrastructure) fields.set("infrastructure", "0");
  if (!state.only) fields.set("only", "0");
  if (state.alone) fields.set("alone", "1");
  if (state.kinds.size) fields.set("without", [...state.kinds].sort().join(" "));
  if (state.precisions.size) fields.set("without-precision", [...state.precisions].sort().join(" "));
  for (const key of keys(state.open)) fields.append("open", key);
  for (const key of keys(state.shown)) fields.append("show", key);
  for (const key of keys(state.hidden)) fields.append("hide", key);
  if (state.query) {
    fields.set("query", state.query.type);
    if (state.query.from !== undefined) fields.set("from", nodeKey(model, `d${state.query.from}`));
    if (state.query.to !== undefined) fields.set("to", nodeKey(model, `d${state.query.to}`));
  }
  if (state.selection?.type === "node") fields.set("focus", nodeKey(model, state.selection.id));
  if (state.selection?.type === "edge") {
    const { source, target, kind } = state.selection;
    fields.set("edge", `${nodeKey(model, source)}\n${nodeKey(model, target)}\n${kind}`);
    if (state.selection.site !== undefined) fields.set("site", state.selection.site);
  }
  return fields.toString();
}

/** Reads a URL hash; names this page does not know are left out and returned. */
export function decode(model, text) {
  const state = initialState(model);
  const fields = new URLSearchParams(text.replace(/^#/, ""));
  const unknown = [];
  const node = (key) => {
    const id = nodeOfKey(model, key);
    if (id === null) unknown.push(key);
    return id;
  };
  const definition = (key) => {
    const id = node(key);
    return id?.startsWith("d") ? Number(id.slice(1)) : undefined;
  };
  if (fields.has("config")) setConfig(model, state, fields.get("config"));
  if (fields.has("entry")) state.entry = definition(fields.get("entry")) ?? null;
  if (DEPTHS.includes(Number(fields.get("depth")))) state.depth = Number(fields.get("depth"));
  state.references = fields.get("references") !== "0";
  state.dead = fields.get("dead") !== "0";
  state.infrastructure = fields.get("infrastructure") !== "0";
  state.only = fields.get("only") !== "0";
  state.alone = fields.get("alone") === "1";
  state.kinds = new Set((fields.get("without") ?? "").split(" ").filter(Boolean));
  state.precisions = new Set((fields.get("without-precision") ?? "").split(" ").filter(Boolean));
  for (const [name, set] of [["open", state.open], ["show", state.shown], ["hide", state.hidden]]) {
    for (const key of fields.getAll(name)) {
      const id = node(key);
      if (id) set.add(id);
    }
  }
  if (fields.has("query")) {
    const query = { type: fields.get("query") };
    if (fields.has("from")) query.from = definition(fields.get("from"));
    if (fields.has("to")) query.to = definition(fields.get("to"));
    const needed = { callers: ["to"], up: ["to"], callees: ["from"], down: ["from"], paths: ["to"] };
    if ((needed[query.type] ?? ["?"]).every((end) => query[end] !== undefined)) state.query = query;
  }
  if (fields.has("focus")) {
    const id = node(fields.get("focus"));
    if (id) state.selection = { type: "node", id };
  }
  if (fields.has("edge")) {
    const [source, target, kind] = fields.get("edge").split("\n");
    const ends = [node(source ?? ""), node(target ?? "")];
    if (ends[0] && ends[1]) {
      state.selection = { type: "edge", source: ends[0], target: ends[1], kind };
      if (fields.has("site")) state.selection.site = Number(fields.get("site"));
    }
  }
  return { state, unknown };
}
