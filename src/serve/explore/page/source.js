// The source of answers: the server of the page. A site without a server replaces this module.

import { query } from "./address.js";
import { ApiError } from "./error.js";
import { revive } from "./values.js";

/** The address of a page of this site. */
export function href(path) {
  return path;
}

/** The address of the page that is shown. */
export function here() {
  return window.location.pathname + window.location.search;
}

/** Requests a document, or sends a text. */
export async function answer(path, parameters, text) {
  const address = `/api/solutions${path}${query(parameters)}`;
  const sent = text === undefined ? undefined : { method: "POST", headers: { "Content-Type": "text/plain; charset=utf-8" }, body: text };
  let response;
  try {
    response = await fetch(address, sent);
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
