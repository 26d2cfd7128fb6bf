// The entries: an index in memory, bodies and source text decoded when they are first asked for.

/** Opens the page's data. */
export function openStore(data) {
  const { names } = data;
  const rows = data.index.map((row, number) => ({
    number,
    id: row[0],
    library: names.library[row[1]],
    interface: names.interface[row[2]],
    level: String(row[3]),
    category: names.category[row[4]],
    author: names.author[row[5]],
    kind: names.kind[row[6]],
    configurations: row[7].map((config) => names.configuration[config]),
    architectures: row[8].map((arch) => names.architecture[arch]),
    question: row[9],
    fingerprint: row[10],
    failed: row[11],
  }));
  const chunks = new Map();
  const texts = new Map();
  const once = (cache, key, packed) => {
    if (!cache.has(key)) cache.set(key, decode(packed));
    return cache.get(key);
  };
  return {
    rows,
    faults: data.faults,
    given: data.decisions,
    /** What an entry says; a promise. */
    async body(row) {
      const chunk = Math.floor(row.number / data.chunk);
      return (await once(chunks, chunk, data.chunks[chunk]))[row.number % data.chunk];
    },
    /** A source file's lines that some entry shows; a promise. */
    text(number) {
      return once(texts, number, data.texts[number]);
    },
    /** How many packs were decoded so far. */
    decoded: () => chunks.size + texts.size,
  };
}

async function decode(packed) {
  const bytes = Uint8Array.from(atob(packed), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
