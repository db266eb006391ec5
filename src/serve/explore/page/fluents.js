// A table of fluents by their subjects, with the changes that a move makes.

import { element } from "./dom.js";

/** The name and the arguments of a fluent. */
function split(fluent) {
  const inner = fluent.startsWith("(") ? fluent.slice(1, -1) : fluent;
  const end = inner.search(/\s/);
  return end < 0 ? [inner, ""] : [inner.slice(0, end), inner.slice(end + 1)];
}

/** A table of fluents. `after`: the fluents after a move that is shown. */
export function table(fluents, after, label) {
  const come = after ? after.filter((fluent) => !fluents.includes(fluent)) : [];
  const all = [...fluents, ...come];
  const groups = new Map();
  for (const fluent of all) {
    const [name, rest] = split(fluent);
    const kind = come.includes(fluent) ? "comes" : after && !after.includes(fluent) ? "goes" : "";
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push({ rest, kind });
  }
  const natural = new Intl.Collator("en", { numeric: true });
  const row = ([name, members]) => element("tr", {},
    element("th", { scope: "row" }, name),
    element("td", {}, members.sort((a, b) => natural.compare(a.rest, b.rest)).map(({ rest, kind }) => [
      element(kind === "goes" ? "del" : kind === "comes" ? "ins" : "span", { class: `fluent ${kind}` }, rest || "holds"), " "])));
  return element("table", { class: "fluents", "aria-label": label }, element("tbody", {}, [...groups].map(row)));
}
