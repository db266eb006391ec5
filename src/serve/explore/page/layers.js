// The layers of a solution: sizes, values, the matrix of rewards, distances, and random positions.

import { ask, draw } from "./api.js";
import { ofPosition } from "./address.js";
import { element, replace } from "./dom.js";
import { depths, growth, heat, shares } from "./plots.js";
import { Values, counted, grouped } from "./values.js";

const HUES = 8;
/** The start of the last range, and the width of each range. */
const LAST = 90;
const RANGE = 10;

/** The common property of the states in a bucket: rewards, or the middle of a range of what the first player gets. */
function asRewards(bucket) {
  return bucket.range ? Object.assign([(bucket.range[0] + bucket.range[1]) / 2], { range: bucket.range }) : bucket.rewards;
}

/** A value or a range in a request. */
function named(rewards) {
  return rewards.range ? rewards.range.join("-") : (rewards.exact ?? rewards).join(",");
}

/** The layers, all with ranges as buckets if some layer has ranges. */
function inRanges(found) {
  if (!found.layers.some((layer) => layer.buckets?.some((bucket) => bucket.range))) return found;
  const ranged = (buckets) => {
    const states = new Map();
    for (const bucket of buckets) {
      const from = bucket.range?.[0] ?? Math.min(LAST, Math.floor(bucket.rewards[0] / RANGE) * RANGE);
      states.set(from, (states.get(from) ?? 0) + Number(bucket.states));
    }
    return [...states].sort((a, b) => a[0] - b[0]).map(([from, count]) => ({ rewards: asRewards({ range: [from, from + RANGE] }), states: count }));
  };
  return { ...found, buckets_by: "range", buckets: found.buckets && ranged(found.buckets), layers: found.layers.map((layer) => ({ ...layer, buckets: layer.buckets && ranged(layer.buckets) })) };
}

/** The page. `go(address)` opens another one. */
export async function show(solution, go) {
  const { name, roles } = solution;
  const found = inRanges(await ask(`/${name}/layers`));
  const values = new Values(solution);
  // There may be too many exact values to show each. Then there are ranges of what the first player gets.
  const text = (rewards) => (rewards?.range ? `${rewards.range[0]}–${rewards.range[1]}` : values.text(rewards));
  const all = new Map();
  for (const layer of found.layers) for (const bucket of layer.buckets ?? []) all.set(text(bucket.rewards), bucket.rewards);
  const kinds = [...all].map(([key, rewards]) => ({ text: key, rewards }))
    .sort((a, b) => (b.rewards ? values.standing(0, b.rewards) : -1) - (a.rewards ? values.standing(0, a.rewards) : -1));
  const colour = (rewards) => (rewards?.range ? values.colour(values.share(0, rewards[0])) : colourOf(rewards));
  const colourOf = (rewards) => (roles.length <= 2 || !rewards ? values.balance(rewards)
    : `var(--role-${kinds.findIndex((kind) => kind.text === text(rewards)) % HUES})`);

  const told = element("p", { class: "note", role: "status" });
  const random = async (layer, rewards) => {
    try {
      const { state } = await draw(`/${name}/random`, { layer, rewards: rewards && !rewards.range ? named(rewards) : undefined, range: rewards?.range?.[0] });
      go(ofPosition({ name, state: state.join(" "), moves: [], ply: null }));
    } catch (error) {
      replace(told, error.message);
    }
  };
  const layerChoice = element("select", { id: "layer" }, found.layers.map((layer) => element("option", { value: layer.layer },
    `${layer.layer} (${counted(layer.states, "state", "states")})`)));
  const pick = element("button", { type: "button", class: "main", on: { click: () => chosen() } }, "Show one");
  const valueChoice = element("select", { id: "value" });
  // No position can be shown of a layer without values.
  const isSolved = (layer) => found.finished || Boolean(found.layers[Number(layer)]?.buckets);
  const offer = () => {
    const buckets = found.layers[Number(layerChoice.value)]?.buckets ?? [];
    replace(valueChoice, element("option", { value: "" }, "any value"), buckets.filter((bucket) => bucket.rewards)
      .map((bucket) => element("option", { value: named(bucket.rewards) }, `${text(bucket.rewards)} (${grouped(bucket.states)})`)));
    pick.disabled = !isSolved(layerChoice.value);
    replace(told, pick.disabled ? "This layer has no values yet, so that its positions cannot be shown." : "");
  };
  layerChoice.addEventListener("change", offer);
  layerChoice.value = String(Math.floor(found.layers.length / 2));
  offer();
  const chosen = () => random(layerChoice.value, kinds.find((kind) => kind.rewards && named(kind.rewards) === valueChoice.value)?.rewards ?? null);
  const picker = [
    element("div", { class: "row" }, element("label", { for: "layer" }, "Layer"), layerChoice),
    element("div", { class: "row" }, element("label", { for: "value" }, "Worth"), valueChoice),
    element("div", { class: "row picker" }, pick), told,
  ];

  const inLayers = found.layers.reduce((sum, layer) => sum + Number(layer.states), 0);
  const twice = inLayers === Number(solution.states) ? "" : `${grouped(inLayers)} if each is counted in every layer that contains it, as below. `;
  const states = solution.states === null ? ""
    : `${counted(solution.states, "reachable state", "reachable states")} in ${counted(found.layers.length, "layer", "layers")}. ${twice}`;
  const written = found.buckets_by === "range" ? `By what ${roles[0]} gets on average. ` : solution.exact ? "" : roles.length > 1 ? `Written as ${roles.join("/")}. ` : "";
  const section = (title, ...children) => element("section", {}, element("h2", {}, title), children);
  const row = (layer) => element("tr", {}, element("th", { scope: "row" }, String(layer.layer)),
    [layer.states, layer.terminal, layer.nodes].map((count) => element("td", {}, grouped(count))),
    kinds.map((kind) => {
      const bucket = layer.buckets?.find((one) => text(one.rewards) === kind.text);
      return element("td", {}, bucket ? grouped(bucket.states) : "·");
    }));
  const table = element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of layers" }, element("table", { class: "layers" },
    element("thead", {}, element("tr", {}, ["layer", "states", "terminal", "nodes", ...kinds.map((kind) => kind.text)].map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, found.layers.map(row))));
  const forces = Object.entries(found.guarantees ?? {}).map(([role, guarantee]) => section(`What ${role} can force`,
    element("p", {}, `At the start ${guarantee.value === null ? "the others can make play go on for ever" : guarantee.value}, whatever the others do.`),
    element("div", { class: "scroll" }, element("table", { class: "layers" },
      element("thead", {}, element("tr", {}, ["forces", "states"].map((head) => element("th", { scope: "col" }, head)))),
      element("tbody", {}, guarantee.buckets.map((bucket) => element("tr", {}, element("td", {}, text(asRewards(bucket))), element("td", {}, grouped(bucket.states))))))),
    guarantee.forced === null ? null : element("p", { class: "note" },
      `From ${counted(guarantee.forced, "state", "states")} that is what ${role} gets where each role takes its best${guarantee.open ? `, from ${grouped(guarantee.open)} it is less` : ""}.`)));
  const deep = (found.buckets ?? []).filter((bucket) => bucket.plies?.length);
  return [
    element("h1", {}, `${solution.game}: layers`),
    element("p", {}, states, `At the start: ${solution.outcome}.`, found.dead_ends ? ` Dead ends, from which the aim can't be reached: ${counted(found.dead_ends, "state", "states")}.` : "", found.finished ? "" : " The solution is unfinished; `ggsolve solve` with the same game goes on."),
    element("div", { class: "plots" },
      section("States and nodes", growth(found.layers)),
      kinds.length ? section("Values", shares(found.layers, kinds, colour, text, random),
        element("p", { class: "note" }, `${written}A click on a bar opens a random position of that layer and value.`)) : null,
      found.buckets && roles.length === 2 && !solution.exact ? section("Rewards of both under best play", heat(found.buckets, roles)) : null,
      found.buckets && solution.exact ? section("States by value", element("div", { class: "scroll" }, element("table", { class: "layers" },
        element("thead", {}, element("tr", {}, ["value", "states"].map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, found.buckets.map((bucket) => element("tr", {}, element("td", {}, text(bucket.rewards)), element("td", {}, grouped(bucket.states)))))))) : null,
      found.buckets && roles.length !== 2 && !solution.exact ? section("States by rewards under best play", element("div", { class: "scroll" }, element("table", { class: "layers" },
        element("thead", {}, element("tr", {}, [...roles, "states"].map((head) => element("th", { scope: "col" }, head)))),
        element("tbody", {}, found.buckets.map((bucket) => element("tr", {}, roles.map((_, role) => element("td", {}, bucket.rewards ? String(bucket.rewards[role]) : "endless")),
          element("td", {}, grouped(bucket.states)))))))) : null,
      section("A random position", picker),
      deep.length ? element("section", { class: "wide" }, element("h2", {}, "States by plies to the end, logarithmic"),
        element("div", { class: "plots" }, deep.map((bucket) => depths(bucket, text(bucket.rewards), colour(bucket.rewards))))) : null,
      forces),
    section("Table", table),
  ];
}
