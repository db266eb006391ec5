// Addresses of pages, solutions and positions. The address of a position in a match has the whole match and the number
// of plies, so that one can go back and forth.

/** The ground terms at the outermost level of a text. */
export function terms(text) {
  const found = [];
  let depth = 0;
  let term = "";
  for (const sign of text) {
    if (depth === 0 && (/\s/.test(sign) || sign === "(") && term) {
      found.push(term);
      term = "";
    }
    if (depth === 0 && /\s/.test(sign)) continue;
    term += sign;
    if (sign === "(") depth += 1;
    if (sign === ")") {
      depth -= 1;
      if (depth <= 0) {
        found.push(term);
        term = "";
        depth = 0;
      }
    }
  }
  if (term) found.push(term);
  return found;
}

/** The page, solution and position that an address (path and query) names. */
export function read(address) {
  const [path, search] = address.split(/\?(.*)/s);
  const members = path.split("/").slice(1).map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const [name, page] = members;
  if (!name) return { page: "list" };
  const parameters = new URLSearchParams(search ?? "");
  const ply = parameters.get("ply");
  const view = members.length > 2 ? "none" : !page ? "position" : ["layers", "puzzles"].includes(page) ? page : "none";
  const number = (text) => (text !== null && /^\d{1,6}$/.test(text) ? Number(text) : null);
  return {
    page: view,
    name,
    state: parameters.get("state"),
    moves: terms(parameters.get("moves") ?? ""),
    ply: number(ply),
    seed: number(parameters.get("seed")),
    puzzle: number(parameters.get("puzzle")) || null,
  };
}

const encode = (text) => encodeURIComponent(text).replaceAll("%20", "+");

/** A query with the parameters that have a value. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `?${given.map(([name, value]) => `${name}=${encode(String(value))}`).join("&")}` : "";
}

/** The address of a puzzle: its number, from 1 on, among those that are drawn with a seed. */
export function ofPuzzle({ name, seed, puzzle }) {
  return `/${name}/puzzles${query({ seed, puzzle })}`;
}

export function ofPosition({ name, state, moves, ply }) {
  const inside = ply !== null && ply !== undefined && ply < moves.length;
  return `/${name}${query({ state, moves: moves.join(" "), ply: inside ? ply : null })}`;
}
