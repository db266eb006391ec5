// Errors of requests.

/** An answer that reports an error; `status` as in HTTP. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
