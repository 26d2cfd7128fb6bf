// Elements without markup strings: text can only ever be text.

/** Makes an element. Attributes that are null or false are left out; functions become listeners. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

/** The element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Replaces what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
}

/** A name that may be broken after its underscores and before its template arguments. */
export function breakable(name) {
  return name.split(/(?<=_)(?!_)|(?=[<(])|(?<=::)/).flatMap((piece, index) => (
    index ? [document.createElement("wbr"), piece] : [piece]));
}

/** A closed section that opens on request. */
export function section(title, open, ...children) {
  return el("details", { class: "section", open }, el("summary", {}, title), ...children);
}
