// Why a question has no answer.

/** An answer that says what is wrong; `status` as of HTTP. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
