import { wireTheme } from "./theme.js";

const TITLES = {
  entry_point: "entry points", reach: "kernels reached", kernel: "kernels",
  instantiation: "instantiations", launch: "launches", dispatch: "dispatch conditions",
};
const HOWS = ["appeared", "vanished", "changed"];
const PAGE = 200;

const data = JSON.parse(document.getElementById("data").textContent);
const state = { kind: "", how: "", words: [], limit: PAGE };

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function place(side) {
  return side ? `${side.file}:${side.start_line}-${side.end_line}` : "absent";
}

function sides() {
  const rows = [["", "old", "new"]];
  const source = (side) => (side.source ? `${side.source.name} ${side.source.version}` : "nothing read");
  rows.push(["side", data.old.label, data.new.label], ["source", source(data.old), source(data.new)]);
  rows.push(["configurations", data.old.configs.join(", "), data.new.configs.join(", ")]);
  for (const name of ["interfaces", "entry_points", "kernels", "instantiations", "launches"])
    rows.push([name.replace("_", " "), data.old[name], data.new[name]]);
  rows.push(["units that did not parse", data.old.failed_units.length, data.new.failed_units.length]);
  document.getElementById("sides").append(
    ...rows.map((row) => element("tr", {}, ...row.map((cell, i) => element(i ? "td" : "th", {}, String(cell))))));
  const failed = [["old", data.old], ["new", data.new]].flatMap(([label, side]) => side.failed_units.map((unit) =>
    element("p", { class: "note" }, `${label}: ${unit.path} (${unit.config}, ${unit.side}): ${unit.errors[0] ?? ""}`)));
  if (failed.length)
    document.getElementById("failed").append(element("details", {},
      element("summary", {}, `${failed.length} units did not parse: what they define may seem to appear or vanish`), ...failed));
}

function counts() {
  const table = document.getElementById("counts");
  table.append(element("tr", {}, element("th"), ...HOWS.map((how) => element("th", {}, how))));
  for (const [kind, row] of Object.entries(data.counts)) {
    if (kind === "dispatch" && !data.conditions_compared) {
      table.append(element("tr", {}, element("th", {}, TITLES[kind]),
        element("td", { colspan: "3" }, "not compared: add --facts, or write facts beside the scopes of both sides")));
      continue;
    }
    const cells = HOWS.map((how) => {
      const button = element("button", { type: "button", "aria-pressed": "false" }, String(row[how]));
      button.addEventListener("click", () => {
        const same = state.kind === kind && state.how === how;
        Object.assign(state, { kind: same ? "" : kind, how: same ? "" : how, limit: PAGE });
        for (const other of table.querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
        button.setAttribute("aria-pressed", String(!same));
        list();
      });
      return element("td", {}, button);
    });
    table.append(element("tr", {}, element("th", {}, TITLES[kind]), ...cells));
  }
}

function fits(change) {
  if (state.kind && (change.kind !== state.kind || change.change !== state.how)) return false;
  const text = [change.name, change.old?.file ?? "", change.new?.file ?? "", ...change.interfaces].join(" ").toLowerCase();
  return state.words.every((word) => text.includes(word));
}

function body(change) {
  const rows = [["interfaces", change.interfaces.join(", ")], ["old", place(change.old)], ["new", place(change.new)]];
  for (const field of change.fields) {
    if (field.old || field.new)
      rows.push([field.name, [field.old && `- ${field.old.replaceAll("\n", "\n- ")}`,
        field.new && `+ ${field.new.replaceAll("\n", "\n+ ")}`].filter(Boolean).join("\n")]);
  }
  const list = element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  const code = element("pre", {}, ...change.lines.map(([mark, before, after, text]) =>
    element("span", { class: mark === "-" ? "minus" : mark === "+" ? "plus" : "" },
      element("b", { class: "number" }, String(before ?? "")), element("b", { class: "number" }, String(after ?? "")),
      `${mark} ${text}`)));
  return [list, code];
}

function list() {
  const found = data.changes.filter(fits);
  const box = document.getElementById("changes");
  box.replaceChildren(...found.slice(0, state.limit).map((change) => {
    const differs = change.change === "changed" ? ` (${change.fields.map((field) => field.name).join(", ")})` : "";
    const made = element("details", {}, element("summary", {},
      element("span", { class: "how" }, change.change), element("span", { class: "kind" }, change.kind.replace("_", " ")),
      change.name, differs));
    made.addEventListener("toggle", () => {
      if (made.open && made.children.length === 1) made.append(...body(change));
    });
    return made;
  }));
  document.getElementById("shown").textContent = `${found.length} of ${data.changes.length} changes`;
  document.getElementById("more").hidden = found.length <= state.limit;
}

export function start() {
  sides();
  counts();
  wireTheme(document.getElementById("theme"), () => {});
  document.getElementById("search").addEventListener("input", (event) => {
    Object.assign(state, { words: event.target.value.toLowerCase().split(/\s+/).filter(Boolean), limit: PAGE });
    list();
  });
  document.getElementById("more").addEventListener("click", () => { state.limit += PAGE; list(); });
  list();
}
