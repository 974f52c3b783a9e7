/** In charge of saying no on the private listener: the closed list of codes, and how a refusal is written. */

export const ADMIN_ERRORS = {
  "invalid-body": 400,
  "invalid-query": 400,
  unauthorized: 401,
  "unknown-route": 404,
  "unknown-key": 404,
  "method-not-allowed": 405,
  "key-ended": 409,
  "body-too-large": 413,
  "unsupported-encoding": 415,
  "too-many-failures": 429,
  "internal-error": 500,
  "keys-unavailable": 503,
  "shard-unavailable": 503,
  "uploads-busy": 503,
  stopping: 503,
} as const;

export type AdminErrorCode = keyof typeof ADMIN_ERRORS;

/** For what cannot be had now: it is seldom there sooner. */
export const SOON = { "Retry-After": "5" };

/** Thrown by any stage; everything in it is meant for the caller. */
export class AdminRefusal extends Error {
  override name = "AdminRefusal";

  constructor(
    readonly code: AdminErrorCode,
    message: string,
    readonly extra: { problems?: readonly string[]; headers?: Record<string, string> } = {},
  ) {
    super(message);
  }

  get status(): number {
    return ADMIN_ERRORS[this.code];
  }

  /** `problems` is there when several things may be wrong at once. */
  get body(): object {
    const { problems } = this.extra;
    const { code, message } = this;
    return { error: { code, message, ...(problems ? { problems } : {}) } };
  }
}
