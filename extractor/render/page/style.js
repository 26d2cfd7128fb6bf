// How the canvas draws: colours come from the style sheet's variables, shapes repeat the kinds.

import { NODE_HEIGHT, NODE_WIDTH } from "./arrange.js";

const TAG = "-1 -1 0.9 -1 1 0 0.9 1 -1 1";
const POINTED = "-1 0 -0.93 -1 0.93 -1 1 0 0.93 1 -0.93 1";
const SHAPES = {
  entry_point: { shape: "polygon", "shape-polygon-points": TAG },
  host: { shape: "round-rectangle", "corner-radius": 6 },
  launcher: { shape: "cut-rectangle", "corner-radius": 11 },
  kernel: { shape: "polygon", "shape-polygon-points": POINTED },
  device: { shape: "round-rectangle", "corner-radius": 23 },
  boundary: { shape: "rectangle", "border-style": "dashed" },
  excluded: { shape: "rectangle", "border-style": "dotted" },
};

/** Reads one of the style sheet's variables. */
export function variable(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function hatch(colour) {
  const image = `<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><path d="M-2 2 2 -2M0 8 8 0M6 10 10 6" stroke="${colour}" stroke-width="1.4"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}

function kindStyles() {
  return Object.entries(SHAPES).map(([kind, shape]) => {
    const hatched = kind === "boundary" || kind === "excluded";
    return {
      selector: `node.${kind}`,
      style: {
        ...shape,
        "background-color": variable(`--${kind}-fill`),
        "border-color": variable(`--${kind}`),
        ...(hatched && {
          "background-image": hatch(variable("--hatch")),
          "background-repeat": "repeat",
          "background-width": 8,
          "background-height": 8,
          "background-image-crossorigin": "null",
          "text-background-color": variable(`--${kind}-fill`),
          "text-background-opacity": 0.9,
          "text-background-padding": 2,
        }),
      },
    };
  });
}

/** The canvas's style sheet for the theme in force. */
export function canvasStyle() {
  const ink = variable("--ink");
  const paper = variable("--canvas");
  return [
    {
      selector: "node",
      style: {
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        label: "data(label)",
        color: ink,
        "font-family": "system-ui, -apple-system, Segoe UI, Roboto, DejaVu Sans, sans-serif",
        "font-size": 11,
        "line-height": 1.15,
        "text-wrap": "wrap",
        "text-max-width": 400,
        "text-valign": "center",
        "text-halign": "center",
        "min-zoomed-font-size": 5,
        "border-width": 1.5,
      },
    },
    ...kindStyles(),
    // Not a ghost: Cytoscape reuses a drawn body for every node of the same shape and colours.
    { selector: "node.fold", style: { "border-style": "double", "border-width": 5,
      "font-weight": 600 } },
    { selector: "node.dead", style: { "border-style": "dashed", color: variable("--faint") } },
    {
      selector: "edge",
      style: {
        width: 1.3,
        "line-color": variable("--edge"),
        "target-arrow-color": variable("--edge"),
        "target-arrow-shape": "triangle",
        "arrow-scale": 0.85,
        "curve-style": "straight",
        "source-endpoint": "90deg",
        "target-endpoint": "270deg",
        opacity: 0.75,
      },
    },
    { selector: "edge.curved", style: { "curve-style": "unbundled-bezier",
      "control-point-weights": "data(weights)", "control-point-distances": "data(distances)",
      "edge-distances": "endpoints" } },
    {
      selector: "edge.launch",
      style: {
        width: 2.6,
        "line-color": variable("--launch"),
        "target-arrow-color": variable("--launch"),
        "target-arrow-shape": "triangle-backcurve",
        "arrow-scale": 1.1,
        opacity: 0.9,
      },
    },
    {
      selector: "edge.labelled",
      style: {
        "target-label": "data(label)",
        "target-text-offset": 104,
        "font-size": 8.5,
        "font-family": "ui-monospace, SF Mono, Menlo, Consolas, DejaVu Sans Mono, monospace",
        "text-wrap": "wrap",
        "text-max-width": 220,
        "line-height": 1.15,
        color: variable("--launch-ink"),
        "text-background-color": paper,
        "text-background-opacity": 0.88,
        "text-background-padding": 2,
        "min-zoomed-font-size": 6,
      },
    },
    { selector: "edge.down", style: { "source-endpoint": "180deg", "target-endpoint": "0deg",
      "target-text-offset": 44 } },
    { selector: "edge.loop", style: { "curve-style": "bezier", "source-endpoint": "outside-to-node",
      "target-endpoint": "outside-to-node", "loop-direction": "0deg", "loop-sweep": "40deg" } },
    { selector: "edge.reference", style: { "line-style": "dotted", "target-arrow-shape": "vee" } },
    { selector: "edge.dead", style: { "line-style": "dashed", "line-color": variable("--dead"),
      "target-arrow-color": variable("--dead"), width: 1.3 } },
    { selector: ".dim", style: { opacity: 0.13 } },
    { selector: "edge.dim", style: { opacity: 0.06, "target-label": "" } },
    { selector: "node.near", style: { "border-width": 2.5 } },
    { selector: "edge.near", style: { opacity: 1, "z-index": 9 } },
    { selector: "node.chosen", style: { "border-width": 4, "border-color": variable("--accent"),
      "border-style": "solid", "z-index": 10 } },
    { selector: "edge.chosen", style: { width: 4.5, opacity: 1, "z-index": 10,
      "line-color": variable("--accent"), "target-arrow-color": variable("--accent") } },
    { selector: "node:active, edge:active", style: { "overlay-opacity": 0.08 } },
  ];
}
