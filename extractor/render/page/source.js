// The exact source text of one function, with line numbers and its call sites.

import { byId, el, fill } from "./dom.js";
import { highlight } from "./highlight.js";

const cache = new Map();

/** Shows a definition's text; `at` marks lines as {start, end}, `follow` opens a call site. */
export function showSource(model, definition, at, follow) {
  const head = byId("source-head");
  const body = byId("source-body");
  if (!definition || !definition.text) {
    fill(head, el("span", { class: "faint" }, definition
      ? "No source: this lies outside the library." : "Source appears here."));
    fill(body);
    return;
  }
  const place = `${definition.file}:${at?.start ?? definition.line}`;
  fill(head,
    el("span", { class: "place", title: place }, place),
    el("button", { class: "small", type: "button", click: () => copy(place) }, "Copy place"));
  if (at && (at.start < definition.line || at.start > definition.end || at.file !== definition.file)) {
    head.append(el("p", { class: "note" },
      `The call is written in ${at.file}:${at.start}, outside the function's own text (a macro).`));
  }
  const sites = sitesByLine(model, definition);
  const lines = coloured(definition).map((pieces, index) => {
    const number = definition.line + index;
    const hit = at && at.file === definition.file && number >= at.start && number <= at.end;
    return el("div", { class: hit ? "line hit" : "line", "data-line": number },
      gutter(model, sites.get(number), follow),
      el("span", { class: "number" }, String(number)),
      el("code", {}, pieces.map(([kind, text]) => (kind ? el("span", { class: kind }, text) : text))));
  });
  fill(body, lines);
  const hit = body.querySelector(".hit");
  body.scrollTop = hit ? Math.max(0, hit.offsetTop - body.clientHeight / 3) : 0;
  body.scrollLeft = 0;
}

function coloured(definition) {
  if (!cache.has(definition.index)) cache.set(definition.index, highlight(definition.text));
  return cache.get(definition.index);
}

function sitesByLine(model, definition) {
  const found = new Map();
  model.sites.forEach((site, index) => {
    if (site.caller !== definition.index || site.file !== definition.file) return;
    if (!found.has(site.line)) found.set(site.line, []);
    found.get(site.line).push({ ...site, index });
  });
  return found;
}

function gutter(model, sites, follow) {
  if (!sites) return el("span", { class: "gutter" });
  const names = [...new Set(sites.map((site) => model.definitions[site.callee].name))].join(", ");
  const launch = sites.some((site) => site.kind === "launch");
  return el("button", {
    type: "button",
    class: `gutter to ${launch ? "launch" : ""} ${sites.every((site) => site.dead) ? "dead" : ""}`,
    title: `${launch ? "Launches" : "Calls"} ${names}`,
    "aria-label": `Line ${sites[0].line} ${launch ? "launches" : "calls"} ${names}: go there`,
    click: () => follow(sites[0].callee),
  }, launch ? "▶" : "→");
}

/** Puts text on the clipboard, also where a page from disk may not ask for it. */
export function copy(text) {
  const live = byId("live");
  const done = () => { live.textContent = `Copied ${text}`; };
  if (navigator.clipboard) {
    navigator.clipboard.writeText(text).then(done, () => copyBySelection(text, done));
  } else {
    copyBySelection(text, done);
  }
}

function copyBySelection(text, done) {
  const area = el("textarea", { class: "off-screen", readonly: true });
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
  done();
}
