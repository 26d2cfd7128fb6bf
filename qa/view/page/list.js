// The list of entries: only the rows in sight are in the document.

import { byId, el, fill } from "./dom.js";

const HEIGHT = 56;
const BEYOND = 6;

/** Wires the list; `choose` is called with a place among the entries shown. */
export function wireList(app, choose) {
  const list = byId("list");
  const rows = byId("rows");
  let waiting = false;

  function draw() {
    const first = Math.max(0, Math.floor(list.scrollTop / HEIGHT) - BEYOND);
    const last = Math.min(app.shown.length, Math.ceil((list.scrollTop + list.clientHeight) / HEIGHT) + BEYOND);
    rows.style.height = `${app.shown.length * HEIGHT}px`;
    const made = [];
    for (let place = first; place < last; place += 1) made.push(drawn(place));
    fill(rows, made);
    list.setAttribute("aria-activedescendant", app.at >= first && app.at < last ? `row-${app.at}` : "");
  }

  function drawn(place) {
    const row = app.store.rows[app.shown[place]];
    const made = app.decisions.of(row);
    const mark = made?.decision === "accept" ? "✓" : made?.decision === "reject" ? "✗" : made ? "…" : "";
    const item = el("div", {
      class: "row", role: "option", id: `row-${place}`, "data-id": row.id,
      "aria-selected": String(place === app.at), "aria-posinset": String(place + 1),
      "aria-setsize": String(app.shown.length), click: () => choose(place),
    },
    el("div", { class: "about" },
      el("span", { class: `verdict ${made?.decision ?? ""}`, title: made?.decision ?? "" }, mark),
      app.decisions.isChanged(row) ? "changed · " : "", row.failed ? `${row.failed} gates failed · ` : "",
      `${row.interface} · level ${row.level} · ${row.category} · ${row.author}`),
    el("div", { class: "question" }, row.question));
    item.style.top = `${place * HEIGHT}px`;
    return item;
  }

  function soon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw();
    });
  }

  list.addEventListener("scroll", soon);
  addEventListener("resize", soon);
  return {
    draw,
    reveal(place, focus) {
      const top = place * HEIGHT;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + HEIGHT > list.scrollTop + list.clientHeight) list.scrollTop = top + HEIGHT - list.clientHeight;
      draw();
      if (focus) list.focus({ preventScroll: true });
    },
  };
}
