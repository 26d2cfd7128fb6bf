// Keys of the review. The same list is shown by "?".

import { byId, el, fill } from "./dom.js";

const KEYS = [
  ["j ↓", "next entry"],
  ["k ↑", "entry before"],
  ["PgDn PgUp", "ten entries on, ten back"],
  ["Home End", "first entry, last entry"],
  ["n", "next entry without a decision"],
  ["a", "accept, and on to the next entry"],
  ["r", "reject, and on to the comment"],
  ["u", "take the decision back"],
  ["c", "comment; Esc leaves it"],
  ["/", "search"],
  ["e", "export the decisions"],
  ["?", "these keys"],
];

/** Wires the keys to the app's actions. */
export function wireKeys(app) {
  const dialog = byId("help");
  fill(byId("keys"), KEYS.map(([key, text]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, text)]));
  byId("help-button").addEventListener("click", () => dialog.showModal());
  byId("help-close").addEventListener("click", () => dialog.close());

  const actions = {
    j: () => app.choose(app.at + 1), ArrowDown: () => app.choose(app.at + 1),
    k: () => app.choose(app.at - 1), ArrowUp: () => app.choose(app.at - 1),
    PageDown: () => app.choose(app.at + 10), PageUp: () => app.choose(app.at - 10),
    Home: () => app.choose(0), End: () => app.choose(app.shown.length - 1),
    n: () => nextOpen(app),
    a: (row) => {
      app.decide(row, "accept");
      app.choose(app.at + 1);
    },
    r: async (row) => {
      app.decide(row, "reject");
      await app.store.body(row);
      requestAnimationFrame(() => byId("comment")?.focus());
    },
    u: (row) => app.decide(row, null),
    c: () => byId("comment")?.focus(),
    "/": () => byId("search").focus(),
    e: () => app.exportDecisions(),
    "?": () => dialog.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target.closest("input, textarea, select")) {
      if (event.key === "Escape") byId("list").focus();
      return;
    }
    const row = app.at >= 0 ? app.store.rows[app.shown[app.at]] : null;
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!action || (!row && !["/", "e", "?"].includes(event.key))) return;
    if (event.key.startsWith("Arrow") && event.target.closest("#entry .source")) return;
    event.preventDefault();
    action(row);
  });
}

function nextOpen(app) {
  for (let step = 1; step <= app.shown.length; step += 1) {
    const place = (app.at + step) % app.shown.length;
    if (!app.decisions.of(app.store.rows[app.shown[place]])?.decision) {
      app.choose(place);
      return;
    }
  }
}
