// What is known about the chosen node, edge or route: who calls it, under which condition, with what.

import { breakable, el, section } from "./dom.js";
import { baseName, counted, instantiationsOf, owners, reach, shortest } from "./model.js";

const FIELD_WORDS = { grid: "Grid", block: "Block", shared_bytes: "LDS bytes", stream: "Stream" };
const VERBS = { call: "calls", launch: "launches", reference: "names" };

/** A button that goes to a definition. */
export function link(app, index) {
  const definition = app.model.definitions[index];
  const dead = definition.kind !== "excluded" && !app.scope.liveDefinitions.has(index);
  return el("button", { type: "button", class: `link ${dead ? "dead" : ""}`,
    title: definition.qualified, click: () => app.go(index) },
  el("span", { class: `swatch ${definition.kind}`, "aria-hidden": "true" }), breakable(definition.name));
}

/** Places in the source: what differs only by instantiation is one place with several values. */
function sitesOf(app, indices) {
  const found = new Map();
  for (const index of [...indices].sort((a, b) => a - b)) {
    const site = app.model.sites[index];
    const key = `${site.caller}|${site.callee}|${site.kind}|${site.file}|${site.line}`;
    const known = found.get(key);
    if (!known) {
      found.set(key, { ...site, index, launch: [...site.launch] });
      continue;
    }
    if (known.dead && !site.dead) Object.assign(known, { dead: false, reason: "", index });
    for (const triple of site.launch) {
      if (!known.launch.some((other) => other.join() === triple.join())) known.launch.push(triple);
    }
  }
  return [...found.values()].sort((a, b) => a.caller - b.caller || a.line - b.line || a.index - b.index);
}

/** Conditions around a call site, outermost first, as they are written. */
export function conditionList(site) {
  if (site.dead) {
    return el("p", { class: "condition dead-note" }, `Never runs: ${site.reason || "dead"}`);
  }
  if (!site.conditions.length) return null;
  return el("ol", { class: "conditions", "aria-label": "Enclosing conditions, as written" },
    site.conditions.map((text) => el("li", {}, el("code", {}, text))));
}

function launchTable(site) {
  if (!site.launch.length) return null;
  const rows = Object.keys(FIELD_WORDS).map((field) => {
    const triples = site.launch.filter(([name]) => name === field);
    if (!triples.length) return null;
    const values = [...new Set(triples.map((triple) => triple[1]))];
    const more = [...new Set(triples.map((triple) => triple[2]))].filter(Boolean);
    return el("tr", {}, el("th", { scope: "row" }, FIELD_WORDS[field]),
      el("td", {}, values.map((text) => el("code", {}, text)),
        more.slice(0, 6).map((text) => el("code", { class: "more-known" }, `= ${text}`)),
        more.length > 6 ? el("span", { class: "faint" }, `and ${more.length - 6} more`) : null));
  });
  return el("table", { class: "launch-table" }, el("tbody", {}, rows.filter(Boolean),
    site.macro ? el("tr", {}, el("th", { scope: "row" }, "Written"), el("td", {},
      el("code", { class: "faint" }, site.macro))) : null));
}

function siteItem(app, site, { naming }) {
  return el("li", { class: "site" },
    naming === "caller" ? link(app, site.caller) : naming === "callee" ? link(app, site.callee) : null,
    el("button", { type: "button", class: "place-link", title: `${site.file}:${site.line}`,
      click: () => app.showSite(site.index) }, `${baseName(site.file)}:${site.line}`),
    conditionList(site), launchTable(site));
}

function list(app, title, sites, naming, open) {
  if (!sites.length) return null;
  return section(`${title} (${sites.length})`, open,
    el("ul", { class: "sites" }, sites.map((site) => siteItem(app, site, { naming }))));
}

/** Everything about one definition. */
export function definitionDetails(app, index) {
  const { model, scope } = app;
  const definition = model.definitions[index];
  const into = [];
  const out = [];
  for (const edge of scope.edges.values()) {
    if (edge.callee === index) into.push(...edge.sites);
    if (edge.caller === index) out.push(...edge.sites);
  }
  const kernel = definition.kind === "kernel";
  const outgoing = sitesOf(app, out);
  return [
    heading(definition),
    definition.kind === "excluded"
      ? el("p", {}, `A rule left out ${definition.count} functions: ${definition.note}.`) : null,
    definition.kind === "boundary"
      ? el("p", {}, `The walk ends here: this belongs to ${definition.note || "another library"}.`) : null,
    definition.signature ? el("pre", { class: "signature" }, definition.signature) : null,
    definition.infrastructure
      ? el("p", { class: "note" }, `Infrastructure: ${definition.infrastructure}`) : null,
    kernel && definition.note ? el("p", { class: "note" }, "Launch bounds ", el("code", {}, definition.note)) : null,
    actions(app, index),
    list(app, kernel ? "Launched by" : "Called by", sitesOf(app, into), "caller", true),
    list(app, "Launches", outgoing.filter((site) => site.kind === "launch"), "callee", true),
    list(app, "Calls", outgoing.filter((site) => site.kind !== "launch"), "callee", !kernel),
    reachedKernels(app, index),
    reachingEntries(app, index),
    instantiationTable(model, definition),
  ];
}

function heading(definition) {
  const full = definition.qualified !== definition.name ? definition.qualified : null;
  return el("header", { class: "subject" },
    el("p", { class: "kind" }, el("span", { class: `swatch ${definition.kind}`, "aria-hidden": "true" }),
      counted(definition.kind, 1).slice(2)),
    el("h2", {}, breakable(definition.name)), full ? el("p", { class: "faint" }, full) : null);
}

function actions(app, index) {
  const { kind } = app.model.definitions[index];
  if (kind === "excluded") return null;
  const ask = (type, query) => el("button", { type: "button", "data-ask": type,
    "aria-pressed": String(app.state.query?.type === type
      && (query.from ?? query.to) === (app.state.query.from ?? app.state.query.to)),
    click: () => app.ask({ type, ...query }) });
  const button = (text, type, query) => {
    const made = ask(type, query);
    made.textContent = text;
    return made;
  };
  const from = app.state.entry === null ? "entry points" : app.model.definitions[app.state.entry].name;
  return el("div", { class: "actions" },
    kind === "entry_point" ? null : button(`All paths from ${from}`, "paths", { to: index }),
    button("Callers", "callers", { to: index }),
    button("Callees", "callees", { from: index }),
    button("What reaches this", "up", { to: index }),
    button("What this reaches", "down", { from: index }),
    pathPicker(app, index),
    el("button", { type: "button", "data-act": "hide", click: () => app.hide(`d${index}`) }, "Hide"),
    app.foldable(index)
      ? el("button", { type: "button", "data-act": "fold", click: () => app.fold(index) }, "Fold its file")
      : null);
}

function pathPicker(app, index) {
  const kernels = kernelsFrom(app, index).filter((kernel) => kernel !== index);
  if (!kernels.length) return null;
  const select = el("select", { id: "paths-to", change: () => select.value
    && app.ask({ type: "paths", from: index, to: Number(select.value) }) },
  el("option", { value: "" }, "All paths from here to kernel …"),
  kernels.map((kernel) => {
    const { name, file } = app.model.definitions[kernel];
    const twin = kernels.some((other) => other !== kernel && app.model.definitions[other].name === name);
    return el("option", { value: kernel }, twin ? `${name}, ${baseName(file)}` : name);
  }));
  return el("label", { class: "wide" }, el("span", { class: "off-screen" }, "All paths from here to"), select);
}

function kernelsFrom(app, index) {
  const { model, state, scope } = app;
  const seeds = instantiationsOf(model, index);
  const seen = reach(model, state, seeds, { within: scope.lit ?? scope.live });
  return [...owners(model, seen)].filter((i) => model.definitions[i].kind === "kernel")
    .sort((a, b) => model.definitions[a].name.localeCompare(model.definitions[b].name, "en", { numeric: true }));
}

function reachedKernels(app, index) {
  if (["kernel", "device", "boundary", "excluded"].includes(app.model.definitions[index].kind)) return null;
  const kernels = kernelsFrom(app, index);
  return section(`Kernels it reaches (${kernels.length})`, false,
    el("ul", { class: "plain" }, kernels.map((kernel) => el("li", {}, link(app, kernel)))));
}

function reachingEntries(app, index) {
  const { model, state, scope } = app;
  const { kind } = model.definitions[index];
  if (kind === "entry_point" || kind === "excluded") return null;
  const seen = reach(model, state, instantiationsOf(model, index), { forward: false, within: scope.live });
  const entries = [...owners(model, seen)].filter((i) => model.definitions[i].kind === "entry_point");
  return section(`Reached by ${entries.length} of ${counted("entry_point", model.entries.length)}`, false,
    el("ul", { class: "plain" }, entries.map((entry) => el("li", {}, link(app, entry)))));
}

function instantiationTable(model, definition) {
  const rows = definition.instantiations.filter(([text]) => text >= 0);
  if (!rows.length) return null;
  const { configs } = model.data;
  const where = (mask) => configs.filter((_, bit) => (mask >> bit) & 1).join(", ");
  const items = rows.slice(0, 400).map(([text, mask]) => el("li", {},
    el("code", {}, model.data.arguments[text]),
    configs.length > 1 && mask !== (1 << configs.length) - 1
      ? el("span", { class: "faint" }, ` only ${where(mask)}`) : null));
  if (rows.length > items.length) items.push(el("li", {}, `and ${rows.length - items.length} more`));
  return section(`Instantiations (${rows.length})`, false, el("ul", { class: "plain codes" }, items));
}

/** Everything about one edge of the drawing. */
export function edgeDetails(app, edge) {
  const sites = sitesOf(app, edge.sites);
  const many = new Set(sites.map((site) => `${site.caller}>${site.callee}`)).size > 1;
  const first = sites[0];
  const { definitions } = app.model;
  return [
    el("header", { class: "subject" },
      el("p", { class: "kind" }, el("span", { class: `stroke ${edge.kind} ${edge.dead ? "dead" : ""}`,
        "aria-hidden": "true" }), edge.dead ? `${edge.kind}, never runs` : edge.kind),
      many
        ? el("h2", {}, `${app.nodeName(edge.source)} → ${app.nodeName(edge.target)}`)
        : el("h2", { class: "ends" }, link(app, first.caller),
          el("span", {}, ` ${VERBS[edge.kind]} `), link(app, first.callee))),
    el("p", { class: "faint" }, `${sites.length} ${sites.length === 1 ? "place" : "places"} in the source, `
      + `${edge.count.toLocaleString("en")} ${edge.count === 1 ? "pair" : "pairs"} of instantiations`),
    el("ul", { class: "sites" }, sites.map((site) => el("li", { class: "site" },
      many ? [link(app, site.caller), el("span", { class: "faint" }, ` ${VERBS[site.kind]} `),
        link(app, site.callee)] : null,
      el("button", { type: "button", class: "place-link", title: `${site.file}:${site.line}`,
        "aria-pressed": String(app.state.selection?.site === site.index),
        click: () => app.showSite(site.index) }, `${baseName(site.file)}:${site.line}`),
      conditionList(site), launchTable(site)))),
    el("div", { class: "actions" }, definitions[first.callee].kind === "kernel"
      ? el("button", { type: "button", click: () => app.ask({ type: "paths", to: first.callee }) },
        "All paths to this kernel") : null),
  ];
}

/** The route that answers "by which path, under which condition". */
export function routeDetails(app) {
  const { model, state, scope, answer } = app;
  const { query } = state;
  const from = query.from !== undefined ? [query.from]
    : state.entry !== null ? [state.entry] : scope.enabled.map((entry) => entry.index);
  const route = shortest(model, state, from, [query.to], answer.seen)
    ?? shortest(model, state, from, [query.to], answer.seen, true);
  if (!route) {
    return el("div", { class: "route" }, el("p", {}, "No path under the filters that are set."));
  }
  const steps = [];
  route.forEach((number, place) => {
    const site = { ...model.sites[model.links.site[number]], index: model.links.site[number] };
    if (!place) steps.push(el("li", {}, link(app, site.caller)));
    steps.push(el("li", { class: site.kind === "launch" ? "launch" : "" },
      el("span", { class: "faint" }, `${VERBS[site.kind]} at `),
      el("button", { type: "button", class: "place-link", title: `${site.file}:${site.line}`,
        click: () => app.showSite(site.index) }, `${baseName(site.file)}:${site.line}`),
      conditionList(site), site.kind === "launch" ? launchTable(site) : null, link(app, site.callee)));
  });
  if (!route.length) steps.push(el("li", {}, link(app, query.to)));
  return el("div", { class: "route" }, el("h3", {}, "Shortest path and its conditions"),
    el("ol", { class: "steps" }, steps));
}
