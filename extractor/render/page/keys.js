// Keys outside of text fields. The same list is shown by "?".

import { byId, el, fill } from "./dom.js";

export const KEYS = [
  ["/", "search; arrows and Enter choose"],
  ["← → ↑ ↓", "with the arrows of the graph to a caller or a callee, across them to a neighbour"],
  ["Enter", "open a file, or show what a function calls"],
  ["c", "fold the file of the chosen function"],
  ["p", "all paths from the entry points to the chosen node"],
  ["[ ]", "callers, callees"],
  ["{ }", "what reaches this, what this reaches"],
  ["h", "hide the chosen node"],
  ["f", "fit the drawing"],
  ["+ −", "zoom"],
  ["Esc", "clear the question, then the choice"],
];

const ARROWS = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };

/** Wires the keys to the app's actions. */
export function wireKeys(app) {
  const dialog = byId("help");
  fill(byId("keys"), KEYS.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]));
  byId("help-button").addEventListener("click", () => dialog.showModal());
  byId("help-close").addEventListener("click", () => dialog.close());

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const onCanvas = event.target === byId("graph") || event.target === document.body;
    const chosen = app.state.selection?.type === "node" ? app.state.selection.id : null;
    const definition = chosen?.startsWith("d") ? Number(chosen.slice(1)) : null;
    const asks = {
      p: { type: "paths", to: definition }, "[": { type: "callers", to: definition },
      "]": { type: "callees", from: definition }, "{": { type: "up", to: definition },
      "}": { type: "down", from: definition },
    };
    if (event.key === "/") byId("search").focus();
    else if (event.key === "?") dialog.showModal();
    else if (event.key === "Escape") app.clear();
    else if (event.key === "f") app.fit();
    else if (event.key === "+" || event.key === "=") app.zoom(1.25);
    else if (event.key === "-") app.zoom(0.8);
    else if (ARROWS[event.key] && onCanvas) app.step(ARROWS[event.key]);
    else if (event.key === "Enter" && onCanvas && chosen) app.open(chosen);
    else if (event.key === "h" && chosen) app.hide(chosen);
    else if (event.key === "c" && definition !== null) app.fold(definition);
    else if (asks[event.key] && definition !== null) app.ask(asks[event.key]);
    else return;
    event.preventDefault();
  });
}
