// Pieces on boards. The name of a content decides how it is drawn: a number as itself, a cross, a ring, a disc of the
// named colour; otherwise a shape and colour of its own, with its sign.

import { svg } from "./dom.js";

/** Names of colours that are drawn in this colour. */
export const COLOURS = ["white", "black", "red", "yellow", "green", "blue", "orange", "purple", "brown", "pink", "grey", "cyan"];
const OTHER_NAMES = { gray: "grey", violet: "purple", gold: "yellow", silver: "grey", magenta: "pink" };
const INITIALS = { w: "white", b: "black", r: "red", y: "yellow", g: "green" };
const SHAPES = ["disc", "square", "diamond", "triangle", "hexagon", "star"];
const HUES = 8;

const isNumber = (name) => /^\d+$/.test(name);
const colourOf = (word) => (COLOURS.includes(word) ? word : OTHER_NAMES[word]);

/** Whether first letters mean colours: there are two, both of colours, and no name has more than three letters. */
function byInitials(names) {
  const initials = new Set(names.map((name) => name[0]));
  return initials.size === 2 && [...initials].every((letter) => INITIALS[letter]) && names.every((name) => name.length <= 3);
}

/** The role whose piece a content is by its name, such as `x` of `xplayer`; -1 if that is not clear. */
function owner(name, roles) {
  const fits = (test) => {
    const found = roles.map((role, index) => (test(role.toLowerCase()) ? index : -1)).filter((index) => index >= 0);
    return found.length === 1 ? found[0] : -1;
  };
  const same = fits((role) => role === name);
  return same >= 0 ? same : fits((role) => role.startsWith(name) || name.startsWith(role));
}

/** How to draw each content, by its sign. Pieces of a role have its colour. */
export function styles(contents, roles) {
  const names = contents.map((meaning) => meaning.content.toLowerCase());
  const initials = byInitials(names.filter((name) => !isNumber(name)));
  // The colours of roles are not used for anything else.
  let others = names.some((name) => owner(name, roles) >= 0) ? roles.length : 0;
  return new Map(contents.map((meaning, index) => {
    const name = names[index];
    if (isNumber(name)) return [meaning.sign, { shape: "number", label: name }];
    const role = owner(name, roles);
    const ink = (usual) => (role >= 0 ? role % HUES : usual);
    if (["x", "cross"].includes(name)) return [meaning.sign, { shape: "cross", role: ink(0) }];
    if (["o", "nought", "ring", "circle"].includes(name)) return [meaning.sign, { shape: "ring", role: ink(1) }];
    const words = name.split(/[^a-z0-9]+|(?<=\D)(?=\d)/).filter(Boolean);
    const colour = words.map(colourOf).find(Boolean);
    if (colour) {
      const rest = words.filter((word) => !colourOf(word)).map((word) => word[0]).join("");
      return [meaning.sign, { shape: "disc", colour, label: rest.slice(0, 2) }];
    }
    const long = COLOURS.find((known) => name.startsWith(known));
    if (long) return [meaning.sign, { shape: "disc", colour: long, label: name.slice(long.length, long.length + 2) }];
    if (initials) return [meaning.sign, { shape: "disc", colour: INITIALS[name[0]], label: name.slice(1).toUpperCase() }];
    const label = meaning.sign.slice(0, 3);
    if (role >= 0) return [meaning.sign, { shape: SHAPES[role % SHAPES.length], role: role % HUES, label }];
    const style = { shape: SHAPES[others % SHAPES.length], hue: others % HUES, label };
    others += 1;
    return [meaning.sign, style];
  }));
}

/** The signs in the text of a cell, which may have several contents. */
export function parts(text, known) {
  if (known.has(text)) return [text];
  const found = [];
  let rest = text;
  while (rest) {
    const sign = [...known.keys()].filter((key) => rest.startsWith(key)).sort((a, b) => b.length - a.length)[0];
    if (!sign) return [text];
    found.push(sign);
    rest = rest.slice(sign.length);
  }
  return found;
}

function polygon(corners, radius, turn = 0) {
  const corner = (index) => {
    const angle = ((index + turn) / corners) * 2 * Math.PI - Math.PI / 2;
    return `${(radius * Math.cos(angle)).toFixed(2)},${(radius * Math.sin(angle)).toFixed(2)}`;
  };
  return svg("polygon", { points: Array.from({ length: corners }, (_, index) => corner(index)).join(" ") });
}

function star(radius) {
  const point = (index) => {
    const angle = (index / 10) * 2 * Math.PI - Math.PI / 2;
    const length = index % 2 ? radius * 0.5 : radius;
    return `${(length * Math.cos(angle)).toFixed(2)},${(length * Math.sin(angle)).toFixed(2)}`;
  };
  return svg("polygon", { points: Array.from({ length: 10 }, (_, index) => point(index)).join(" ") });
}

function shape(name) {
  switch (name) {
    case "square": return svg("rect", { x: -3.3, y: -3.3, width: 6.6, height: 6.6, rx: 0.8 });
    case "diamond": return polygon(4, 4.3);
    case "triangle": return polygon(3, 4.3);
    case "hexagon": return polygon(6, 4);
    case "star": return star(4.4);
    default: return svg("circle", { r: 3.8 });
  }
}

/** A piece in a square of ten by ten around the origin. */
export function piece(sign, known) {
  const style = known.get(sign) ?? { shape: "number", label: sign };
  if (style.shape === "cross") {
    return svg("path", { class: `piece cross role-${style.role}`, d: "M-2.7-2.7L2.7 2.7M2.7-2.7L-2.7 2.7" });
  }
  if (style.shape === "ring") return svg("circle", { class: `piece ring role-${style.role}`, r: 2.9 });
  if (style.shape === "number") {
    const size = Math.min(5.5, 13 / Math.max(2, style.label.length));
    const kind = style.label === "0" ? "piece number nothing" : "piece number";
    return svg("text", { class: kind, "font-size": size, dy: "0.35em" }, style.label);
  }
  const drawn = shape(style.shape);
  drawn.setAttribute("class", "body");
  const label = style.label
    ? svg("text", { class: "label", "font-size": style.label.length > 2 ? 2.8 : 3.6, dy: "0.36em" }, style.label)
    : null;
  const colour = style.colour ? `paint-${style.colour}` : style.role !== undefined ? `own role-${style.role}` : `hue-${style.hue}`;
  return svg("g", { class: `piece ${colour}` }, drawn, label);
}

/** All contents of a cell. */
export function pieces(text, known) {
  const found = parts(text, known);
  if (found.length === 1) return piece(found[0], known);
  const columns = Math.ceil(Math.sqrt(found.length));
  const rows = Math.ceil(found.length / columns);
  const scale = 1 / columns;
  return svg("g", {}, found.map((sign, index) => {
    const x = 10 * scale * ((index % columns) - (columns - 1) / 2);
    const y = 10 * scale * (Math.floor(index / columns) - (rows - 1) / 2);
    return svg("g", { transform: `translate(${x} ${y}) scale(${scale})` }, piece(sign, known));
  }));
}
