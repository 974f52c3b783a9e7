/** The errors of the admin listener: a closed list of codes, each with its HTTP status. */

import { AccessError } from "../access/key-database.ts";
import { StoreError, StoreReplaced } from "../store/store.ts";

export const ADMIN_ERRORS = {
  "invalid-body": 400,
  "invalid-query": 400,
  "body-damaged": 400,
  unauthorized: 401,
  "unknown-route": 404,
  "unknown-key": 404,
  "method-not-allowed": 405,
  "body-too-large": 413,
  "unsupported-encoding": 415,
  "records-not-stored": 422,
  "too-many-rejected": 422,
  "too-many-failures": 429,
  "connection-cut": 499,
  "internal-error": 500,
  "keys-unavailable": 503,
  "shard-unavailable": 503,
  "uploads-busy": 503,
  stopping: 503,
  "disk-full": 507,
} as const;

export type AdminErrorCode = keyof typeof ADMIN_ERRORS;

const RETRY_AFTER_SECONDS = "5";

/** Thrown by any stage. Its content is sent to the client. */
export class AdminError extends Error {
  override name = "AdminError";

  /** `problems` lists all problems; `details` are members of the response next to `error`. */
  constructor(
    readonly code: AdminErrorCode,
    message: string,
    private readonly extra: {
      problems?: readonly string[];
      details?: object;
      headers?: Record<string, string>;
    } = {},
  ) {
    super(message);
  }

  get status(): number {
    return ADMIN_ERRORS[this.code];
  }

  get headers(): Record<string, string> {
    const retry = this.status === 503 ? { "Retry-After": RETRY_AFTER_SECONDS } : {};
    return { ...retry, ...this.extra.headers };
  }

  get body(): object {
    const { code, message } = this;
    const { problems, details } = this.extra;
    return { error: { code, message, ...(problems ? { problems } : {}) }, ...details };
  }
}

/** As the operating system, SQLite and PostgreSQL report it. */
const DISK_FULL = ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE", "53100"];

function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errno, cause } = error as { code?: unknown; errno?: unknown; cause?: unknown };
  return [code, errno].some((one) => DISK_FULL.includes(String(one))) || isDiskFull(cause);
}

/** The response to an error that no endpoint expects. The log has its cause. */
export function unexpectedError(error: unknown): AdminError {
  if (isDiskFull(error)) {
    return new AdminError(
      "disk-full",
      "The disk is full: free some space and send the request again.",
    );
  }
  if (error instanceof StoreError) {
    const what =
      error instanceof StoreReplaced
        ? "A file of a shard was deleted or replaced"
        : "The database of a shard is unavailable";
    return new AdminError(
      "shard-unavailable",
      `${what}: do what the log says, and send the request again.`,
    );
  }
  if (error instanceof AccessError) {
    return new AdminError(
      "keys-unavailable",
      "Keys and usage are unavailable: see the log, and retry. If the request changed a key, first check with GET /keys whether it took effect.",
    );
  }
  return new AdminError(
    "internal-error",
    "Internal error: see the log, and send the request again.",
  );
}
