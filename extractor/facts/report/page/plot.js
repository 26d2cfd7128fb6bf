// Bars as SVG, drawn with elements only.

import { el } from "./dom.js";

const SPACE = "http://www.w3.org/2000/svg";

function shape(tag, attributes, text) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text !== undefined) element.textContent = text;
  return element;
}

/** A figure of horizontal bars; `rows` are [name, count]. */
export function bars(title, rows) {
  const most = Math.max(1, ...rows.map(([, count]) => count));
  const svg = shape("svg", { viewBox: `0 0 420 ${rows.length * 24 + 4}`, role: "img", "aria-label": title });
  rows.forEach(([name, count], index) => {
    const y = index * 24;
    const width = (count / most) * 230;
    svg.append(shape("text", { x: 108, y: y + 16, "text-anchor": "end", class: "label" }, name),
      shape("rect", { x: 116, y: y + 4, width, height: 16, rx: 3, class: "bar-fill" }),
      shape("text", { x: 122 + width, y: y + 16, class: "label" }, String(count)));
  });
  return el("figure", {}, el("figcaption", {}, title), svg);
}
