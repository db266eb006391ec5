// Requests about solutions. Answers never change while the page is open, so they are cached.

import { query } from "./address.js";
import { answer } from "./source.js";

const KEPT = 200;
const answers = new Map();

/** Requests a document. */
export async function ask(path, parameters = {}) {
  const address = `${path}${query(parameters)}`;
  if (!answers.has(address)) {
    const found = await answer(path, parameters);
    if (answers.size >= KEPT) answers.delete(answers.keys().next().value);
    answers.set(address, found);
  }
  return answers.get(address);
}

/** Requests something that has another answer each time. */
export function draw(path, parameters = {}) {
  return answer(path, parameters);
}

export function send(path, parameters, text) {
  return answer(path, parameters, text);
}

/** Requests something that takes a search. Tries again if the server is busy. */
export async function search(path, parameters, isWanted) {
  for (let trial = 0; ; trial += 1) {
    try {
      return await ask(path, parameters);
    } catch (error) {
      if (error.code !== "busy" || trial >= 8 || !isWanted()) throw error;
      await new Promise((done) => setTimeout(done, 400 * (trial + 1)));
    }
  }
}
