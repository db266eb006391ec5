// Opens the page of an address, and changes from one page to the next without loading.

import { read } from "./address.js";
import { ask } from "./api.js";
import { element, replace } from "./dom.js";
import * as layers from "./layers.js";
import * as solutions from "./list.js";
import { narrow } from "./plots.js";
import { PositionPage } from "./position.js";
import { here, href } from "./source.js";
import { TrainingPage } from "./training.js";

/** Pages that stay when their address changes. */
const PAGES = { position: PositionPage, puzzles: TrainingPage };

const main = document.getElementById("main");
const navigation = document.getElementById("navigation");
let page = null;
/** The page that may open addresses: the one that was asked for last, from then on. An answer to a page that was left opens
  * nothing. */
let owner = null;
let turn = 0;

function failed(error, known) {
  page = null;
  owner = null;
  document.title = "ggsolve: nothing to show";
  replace(main, element("h1", {}, "There is nothing to show"), element("p", { class: "failure", role: "alert" }, error.message),
    element("p", { class: "row" }, known ? element("a", { class: "button main", href: href(solutions.start(known)) },
      solutions.isPlayable(known) ? "To the start of the game" : "To what is known of its layers") : null,
      element("a", { class: "button", href: href("/") }, "All solutions")));
}

function navigate(solution, view) {
  const link = (address, text, current) => element("a", { href: href(address), "aria-current": current ? "page" : null }, text);
  replace(navigation, element("a", { class: "brand", href: href("/") }, "ggsolve"), link("/", "Solutions", view === "list"),
    solution ? [link(`/${solution.name}`, solution.name, view === "position"), link(`/${solution.name}/layers`, "Layers", view === "layers"),
      solution.solved && (!solution.exact || solution.value) ? link(`/${solution.name}/puzzles`, "Puzzles", view === "puzzles") : null] : null);
}

async function show() {
  const mine = ++turn;
  const address = read(here());
  const Page = PAGES[address.page];
  const kept = Page && page instanceof Page && page.solution.name === address.name ? page : null;
  owner = kept;
  // What the page waited for is no longer wanted.
  if (kept) kept.turn += 1;
  main.setAttribute("aria-busy", "true");
  let known = null;
  try {
    const all = await ask("");
    known = all.find((solution) => solution.name === address.name);
    if (mine !== turn) return;
    navigate(known, address.page);
    if (address.page === "list") {
      page = null;
      document.title = "ggsolve: solved games";
      replace(main, solutions.show(all));
    } else if (!known) {
      throw new Error(`There is no solution ${address.name}.`);
    } else if (address.page === "layers") {
      page = null;
      const drawn = await layers.show(known, (...where) => { if (mine === turn) go(...where); });
      if (mine !== turn) return;
      document.title = `${known.game}: layers`;
      replace(main, drawn);
    } else if (Page) {
      const fresh = kept ?? new Page(known, (...where) => { if (owner === fresh) go(...where); });
      owner = fresh;
      await fresh.show(address);
      if (mine !== turn) return;
      if (page !== fresh) replace(main, fresh.node);
      page = fresh;
    } else {
      throw new Error("There is no such page.");
    }
  } catch (error) {
    if (mine === turn) failed(error, known);
  } finally {
    if (mine === turn) main.setAttribute("aria-busy", "false");
  }
}

/** Opens an address. `replaces`: it replaces the current one in the history. */
function go(address, replaces = false) {
  if (replaces) window.history.replaceState(null, "", href(address));
  else window.history.pushState(null, "", href(address));
  show();
}

window.addEventListener("popstate", show);
// Plots are drawn for one width.
narrow.addEventListener("change", () => { if (read(here()).page === "layers") show(); });
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
  if (!typing && !event.altKey && !event.ctrlKey && !event.metaKey) page?.key(event);
});
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
  if (!link || link.origin !== window.location.origin || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href"));
  window.scrollTo(0, 0);
});
show();
