// One entry: question, answer, evidence in its source, claims, gates, resources, and the decision.

import { byId, el, fill } from "./dom.js";
import { highlight } from "./highlight.js";

/** Shows an entry; a later call wins over an earlier one that is still decoding. */
export async function showEntry(app, row) {
  const ticket = Symbol(row.id);
  app.showing = ticket;
  const body = await app.store.body(row);
  const spans = [...body.context, ...body.evidence];
  const texts = new Map(await Promise.all([...new Set(spans.map(([file]) => file))]
    .map(async (file) => [file, await app.store.text(file)])));
  if (app.showing !== ticket) return;
  const code = row.kind !== "qa";
  fill(byId("entry"),
    el("h2", {}, `${row.library} ${row.interface}`, el("span", { class: "faint" }, ` level ${row.level} · ${row.category} · ${row.kind}`)),
    el("p", { class: "faint place" }, row.id),
    decide(app, row),
    el("h3", {}, code ? "Instruction" : "Question"), el("p", { class: "said", id: "question" }, body.question),
    el("h3", {}, "Answer"), code ? el("pre", { class: "said", id: "answer" }, coloured(body.answer)) : el("p", { class: "said", id: "answer" }, body.answer),
    el("h3", {}, "Evidence"), sources(body, texts, body.evidence, "evidence"),
    body.context.length ? el("h3", {}, "Context shown with the question") : null,
    body.context.length ? el("details", {}, el("summary", {}, `${body.context.length} ${body.context.length === 1 ? "piece" : "pieces"}`),
      sources(body, texts, body.context, "context")) : null,
    el("h3", {}, "Gates"), el("div", { class: "chips", id: "gates" }, Object.entries(body.gates).map(([name, passed]) => (
      el("span", { class: passed ? "chip" : "chip failed" }, `${passed ? "✓" : "✗"} ${name}`))),
    Object.keys(body.gates).length ? null : el("span", { class: "faint" }, "No gate has judged it.")),
    claims(body), resources(body), provenance(row, body));
  byId("entry").scrollTop = 0;
  document.documentElement.dataset.shown = row.id;
}

function decide(app, row) {
  const made = app.decisions.of(row);
  const button = (name, text, key) => el("button", {
    type: "button", "data-decision": name, "aria-pressed": String(made?.decision === name),
    title: `key ${key}`, click: () => app.decide(row, made?.decision === name ? null : name) }, text);
  const comment = el("textarea", { id: "comment", rows: "1", placeholder: "Comment  c", "aria-label": "Comment" });
  comment.value = made?.comment ?? "";
  comment.addEventListener("input", () => {
    app.decisions.comment(row, comment.value);
    app.commented();
  });
  return el("div", { class: "decide" }, button("accept", "Accept", "a"), button("reject", "Reject", "r"), comment,
    app.decisions.isChanged(row) ? el("p", { class: "note", id: "changed" }, "This entry changed since that decision. Decide again, or change the comment, to confirm it.") : null);
}

/** Spans of one file are shown together, with the lines between them as far as they are known. */
function sources(body, texts, spans, name) {
  const byFile = new Map();
  for (const span of spans) byFile.set(span[0], [...(byFile.get(span[0]) ?? []), span]);
  return el("div", { id: name }, [...byFile].map(([file, inside]) => {
    const { file: title, runs } = texts.get(file);
    const places = inside.map(([, start, end]) => (start === end ? start : `${start}-${end}`)).join(", ");
    const notes = [...new Set(inside.map(([, , , state]) => state).filter(Boolean))];
    return el("div", { class: "source" }, el("span", { class: "place" }, `${title}:${places}`),
      notes.map((text) => el("p", { class: "note" }, text)), lines(runs, inside));
  }));
}

function lines(runs, spans) {
  const hit = (number) => spans.some(([, start, end]) => number >= start && number <= end);
  const near = (start, end) => spans.some(([, from, to]) => from - AROUND <= end && start <= to + AROUND);
  const shown = [];
  let before = null;
  for (const [start, text] of runs) {
    const all = highlight(text);
    for (const [index, pieces] of all.entries()) {
      const number = start + index;
      if (!near(number, number)) continue;
      if (before !== null && number !== before + 1) shown.push(el("div", { class: "line gap" }, el("span", { class: "at" }, "⋯"), el("span", {})));
      before = number;
      shown.push(el("div", { class: hit(number) ? "line hit" : "line", "data-line": String(number) },
        el("span", { class: "at" }, String(number)),
        el("span", {}, pieces.map(([kind, piece]) => el("span", { class: kind || null }, piece)))));
    }
  }
  return el("div", { class: "lines" }, shown);
}

const AROUND = 6;

function coloured(code) {
  return highlight(code).flatMap((pieces) => [
    ...pieces.map(([kind, piece]) => el("span", { class: kind || null }, piece)), "\n"]);
}

function claims(body) {
  if (!body.claims.length) return null;
  const rows = body.claims.map((claim) => el("tr", {}, el("td", {}, claim.type), el("td", {}, claim.subject),
    el("td", {}, typeof claim.value === "string" ? claim.value : JSON.stringify(claim.value)), el("td", {}, claim.check),
    el("td", {}, claim.passed === null ? "undecided" : claim.passed ? "✓" : "✗")));
  return el("section", { id: "claims" }, el("h3", {}, "Claims"), table(["type", "subject", "value", "decided by", ""], rows));
}

function resources(body) {
  const rows = Object.entries(body.resources).flatMap(([kernel, facts]) => facts.map(([arch, fact, low, high]) => (
    el("tr", {}, el("td", {}, kernel), el("td", {}, arch), el("td", {}, fact),
      el("td", { class: "number" }, low === high ? String(low) : `${low}–${high}`)))));
  return rows.length ? el("section", { id: "resources" }, el("h3", {}, "Resources"), table(["kernel", "architecture", "fact", "value"], rows)) : null;
}

function provenance(row, body) {
  const { source, author } = body;
  const wrote = Object.entries(author).map(([name, value]) => `${name} ${value}`).join(", ");
  const lists = [["entry points", body.entry_points], ["configurations", row.configurations], ["architectures", row.architectures]];
  return el("section", { id: "provenance" }, el("h3", {}, "Provenance"), el("table", {}, el("tbody", {},
    [["source", `${source.name} ${source.version}, ${source.license}, ${source.commit}`], ["author", wrote],
      ["rocQuarry", body.tool_version], ...lists.map(([name, list]) => [name, list.join(", ") || "any"])]
      .map(([name, text]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, text))))));
}

function table(head, rows) {
  return el("table", {}, el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))), el("tbody", {}, rows));
}
