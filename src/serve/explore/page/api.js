// Questions to the server. Answers never change while it runs, so they are kept.

import { query } from "./address.js";
import { revive } from "./values.js";

/** An answer that says what is wrong. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const KEPT = 200;
const answers = new Map();

async function fetched(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new ApiError(0, "gone", "The server does not answer. Is `ggsolve explore` still running?");
  }
  let body;
  try {
    body = JSON.parse(await response.text(), revive);
  } catch {
    throw new ApiError(response.status, "broken", "The answer of the server broke off.");
  }
  if (!response.ok) {
    throw new ApiError(response.status, body.error?.code ?? "unknown", body.error?.message ?? response.statusText);
  }
  return body;
}

/** Asks for a document. */
export async function ask(path, parameters = {}) {
  const address = `/api/solutions${path}${query(parameters)}`;
  if (!answers.has(address)) {
    const answer = await fetched(address);
    if (answers.size >= KEPT) answers.delete(answers.keys().next().value);
    answers.set(address, answer);
  }
  return answers.get(address);
}

/** Asks for what is another answer each time. */
export function draw(path, parameters = {}) {
  return fetched(`/api/solutions${path}${query(parameters)}`);
}

/** Sends a text. */
export function send(path, parameters, text) {
  return fetched(`/api/solutions${path}${query(parameters)}`, {
    method: "POST",
    headers: { "Content-Type": "text/plain; charset=utf-8" },
    body: text,
  });
}

/** Asks for what takes a search, again where the server is busy. */
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
