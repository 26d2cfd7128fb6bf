// Entries to read and judge: wires the index, the filters, the list, the entry and the decisions.

import { byId, el, fill } from "./dom.js";
import { wireTheme } from "./theme.js";
import { openStore } from "./store.js";
import { openDecisions } from "./decisions.js";
import { wireFilters } from "./filters.js";
import { wireList } from "./list.js";
import { showEntry } from "./entry.js";
import { wireKeys } from "./keys.js";

/** Starts the page on its embedded data. */
export function start() {
  const store = openStore(JSON.parse(byId("data").textContent));
  const app = { store, decisions: openDecisions(store), shown: [], at: -1 };
  app.list = wireList(app, (place) => app.choose(place));
  app.choose = (place, { focus = true } = {}) => {
    if (!app.shown.length) {
      app.at = -1;
      fill(byId("entry"), el("p", { class: "faint" }, "No entry matches the filters."));
      app.list.draw();
      return;
    }
    app.at = Math.min(Math.max(place, 0), app.shown.length - 1);
    const row = store.rows[app.shown[app.at]];
    app.list.reveal(app.at, focus);
    history.replaceState(null, "", `#${new URLSearchParams({ id: row.id })}`);
    showEntry(app, row);
  };
  app.decide = (row, decision) => {
    app.decisions.set(row, decision);
    app.list.draw();
    drawStatus(app);
    if (store.rows[app.shown[app.at]] === row) showEntry(app, row);
  };
  app.commented = () => {
    app.list.draw();
    drawStatus(app);
  };
  app.filtered = (shown) => {
    const before = app.at >= 0 ? app.shown[app.at] : -1;
    app.shown = shown;
    drawStatus(app);
    app.choose(Math.max(0, shown.indexOf(before)), { focus: false });
  };
  app.exportDecisions = () => app.decisions.download(byId("reviewer").value.trim());
  byId("export").addEventListener("click", app.exportDecisions);
  fill(byId("notes"), store.faults.length ? el("details", { class: "note" },
    el("summary", {}, `${store.faults.length.toLocaleString("en")} rows are no entries and are not shown`),
    el("ul", {}, store.faults.map((text) => el("li", {}, text)))) : null);
  wireKeys(app);
  wireTheme(byId("theme"), () => {});
  const wanted = new URLSearchParams(location.hash.slice(1)).get("id");
  app.refilter = wireFilters(app);
  const place = app.shown.findIndex((number) => store.rows[number].id === wanted);
  if (place >= 0) app.choose(place, { focus: false });
  document.documentElement.dataset.ready = "true";
}

function drawStatus(app) {
  const { accept, reject, changed } = app.decisions.counts();
  const total = app.store.rows.length;
  const parts = [`${app.shown.length.toLocaleString("en")} of ${total.toLocaleString("en")} entries`,
    `${accept} accepted`, `${reject} rejected`];
  if (changed) parts.push(`${changed} changed since they were reviewed`);
  byId("status").textContent = parts.join(" · ");
}
