// Search by name, with the keyboard: a combobox whose list follows what is typed.

import { byId, el, fill } from "./dom.js";
import { baseName } from "./model.js";

const MOST = 40;

/** Definitions that hold every word, best first. */
export function find(model, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const scored = [];
  for (const definition of model.definitions) {
    const name = definition.name.toLowerCase();
    const whole = `${definition.qualified} ${definition.file} ${definition.kind}`.toLowerCase();
    if (!words.every((word) => whole.includes(word))) continue;
    const [first] = words;
    const score = name === first ? 0 : name.startsWith(first) ? 1 : name.includes(`_${first}`) ? 2
      : name.includes(first) ? 3 : 4;
    scored.push([score, name.length, definition]);
  }
  scored.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2].index - b[2].index);
  return scored.map(([, , definition]) => definition);
}

/** Wires the search box; `choose` is called with a definition's index. */
export function wireSearch(model, choose) {
  const input = byId("search");
  const list = byId("search-list");
  let found = [];
  let at = -1;

  const close = () => {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const mark = (place) => {
    at = place;
    [...list.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === at)));
    const item = list.children[at];
    if (!item) return;
    item.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", item.id);
  };
  const take = (definition) => {
    close();
    input.value = "";
    input.blur();
    choose(definition.index);
  };
  const show = () => {
    found = find(model, input.value);
    const items = found.slice(0, MOST).map((definition, index) => el("li", { role: "option",
      id: `found-${index}`, mousedown: (event) => { event.preventDefault(); take(definition); } },
    el("span", { class: `swatch ${definition.kind}`, "aria-hidden": "true" }),
    el("span", { class: "name" }, definition.name),
    el("span", { class: "faint" }, definition.file ? `${baseName(definition.file)}:${definition.line}` : definition.note)));
    if (found.length > MOST) items.push(el("li", { class: "faint", role: "presentation" }, `and ${found.length - MOST} more`));
    if (!found.length) items.push(el("li", { class: "faint", role: "presentation" }, "Nothing has that name."));
    fill(list, items);
    list.hidden = !input.value.trim();
    input.setAttribute("aria-expanded", String(!list.hidden));
    if (found.length) mark(0);
  };

  input.addEventListener("input", show);
  input.addEventListener("focus", show);
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const last = Math.min(found.length, MOST) - 1;
    if (event.key === "ArrowDown") mark(at >= last ? 0 : at + 1);
    else if (event.key === "ArrowUp") mark(at <= 0 ? last : at - 1);
    else if (event.key === "Enter" && found[at]) take(found[at]);
    else if (event.key === "Escape") { input.value = ""; close(); input.blur(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
