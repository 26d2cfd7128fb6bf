// What the reader decided; kept by the browser, exported as a file for `qa review`.

const SCHEMA = "rocquarry.reviews/1";

/** Decisions of earlier sessions and of the files given, by id. */
export function openDecisions(store) {
  const key = `rocquarry.reviews:${document.title}`;
  const made = new Map(store.given.map((decision) => [decision.id, { ...decision }]));
  for (const decision of recall(key)) made.set(decision.id, decision);
  const rows = new Map(store.rows.map((row) => [row.id, row]));
  const keep = () => remember(key, [...made.values()]);
  const update = (row, change) => {
    const before = made.get(row.id) ?? { decision: null, comment: "" };
    const after = { id: row.id, fingerprint: row.fingerprint, decision: before.decision, comment: before.comment, ...change };
    if (after.decision === null && !after.comment.trim()) made.delete(row.id);
    else made.set(row.id, after);
    keep();
  };
  const isChanged = (row) => made.has(row.id) && made.get(row.id).fingerprint !== row.fingerprint;
  return {
    of: (row) => made.get(row.id) ?? null,
    isChanged,
    set: (row, decision) => update(row, { decision }),
    comment: (row, comment) => update(row, { comment }),
    counts() {
      const counts = { accept: 0, reject: 0, changed: 0 };
      for (const [id, { decision }] of made) {
        const row = rows.get(id);
        if (!row) continue;
        if (decision) counts[decision] += 1;
        if (isChanged(row)) counts.changed += 1;
      }
      return counts;
    },
    download(reviewer) {
      const decisions = [...made.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
      const text = `${JSON.stringify({ schema: SCHEMA, reviewer, decisions }, null, 1)}\n`;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
      link.download = "reviews.json";
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    },
  };
}

function recall(key) {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "[]");
  } catch {
    return []; // storage is off, or holds what somebody else wrote
  }
}

function remember(key, decisions) {
  try {
    localStorage.setItem(key, JSON.stringify(decisions));
  } catch {
    // Storage is off or full: the decisions live as long as the page, and can be exported.
  }
}
