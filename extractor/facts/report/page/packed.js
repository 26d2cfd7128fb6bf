// Data of a page, which lie in it compressed: a family's facts are many and say nearly the same.

import { byId } from "./dom.js";

/** What the page is about. */
export async function packedData() {
  const bytes = Uint8Array.from(atob(JSON.parse(byId("data").textContent)), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).json();
}
