// The source of answers: the files beside the page. They are scripts, as a page in a folder can load no others.

import { answered } from "./answers.js";
import { ApiError } from "./error.js";
import { exactly } from "./exact.js";
import { Solved } from "./solved.js";
import { revive } from "./values.js";

/** The address of a page of this site, as a part after the file's own address. */
export function href(path) {
  return `#${path}`;
}

let shown = "/";

/** The page that is shown. A link to a place on it changes nothing. */
export function here() {
  const { hash } = window.location;
  if (hash === "" || hash.startsWith("#/")) shown = hash.slice(1) || "/";
  return shown;
}

const [files, parts, solutions] = [new Map(), new Map(), new Map()];

/** The functions that the files call: they give a part by its name, as a document, or as base 64 with its SHA-256. */
globalThis.ggsolve = { put: (name, content, sum) => parts.set(name, { content, sum }) };

function load(file) {
  if (!files.has(file)) {
    files.set(file, new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = file;
      script.onload = done;
      script.onerror = () => {
        files.delete(file);
        failed(new ApiError(0, "gone", `The file ${file} of this site cannot be read.`));
      };
      document.head.append(script);
    }));
  }
  return files.get(file);
}

async function part(file, name) {
  await load(file);
  const found = parts.get(name);
  if (!found) throw new ApiError(0, "damaged", `The file ${file} of this site is damaged.`);
  return found;
}

/** The bytes of a part, compared with their checksum if the browser can compute it. */
async function bytes(file, name) {
  const { content, sum } = await part(file, name);
  const found = Uint8Array.from(atob(content), (sign) => sign.charCodeAt(0));
  const digest = await globalThis.crypto?.subtle?.digest("SHA-256", found);
  if (digest && [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("") !== sum) {
    throw new ApiError(0, "damaged", `The file ${file} of this site is damaged: ${name} is not what was written.`);
  }
  parts.delete(name);
  return found;
}

/** A document as those of the server are read. */
const revived = (content) => JSON.parse(JSON.stringify(content), revive);

async function opened(name) {
  const file = (path) => `solutions/${name}/${path}.js`;
  if (!solutions.has(name)) {
    const { content } = await part(file("game"), `${name}/game`);
    const [layers, puzzles] = [revived(content.layers), revived(content.puzzles)];
    solutions.set(name, { layers, puzzles, solved: new Solved(content.data, (number, inside) => bytes(file(`data-${String(number).padStart(3, "0")}`), `${name}/${inside}`)) });
  }
  return solutions.get(name);
}

/** Answers requests as the server does. */
export async function answer(path, parameters, text) {
  if (path === "") return revived((await part("solutions.js", "solutions")).content);
  const [name, asked] = path.split("/").slice(1);
  const { solved, ...documents } = await opened(name);
  return documents[asked] ?? (solved.data.exact ? exactly : answered)(solved, asked, parameters, text);
}
