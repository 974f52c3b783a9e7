/** The client's error class. Errors are distinguished by `kind` and `code`. */

import type { Errors } from "./generated.ts";
import type { Limits } from "./limits.ts";

/** One problem with a request, as the service reports it. */
export type Problem = Errors["errors"][number];

export type ErrorCode = Problem["code"];

/** What kind of error it is, and so what to do about it. */
export type ErrorKind =
  /** The request is invalid. `problems` says why, with the parameter. */
  | "invalid"
  /** The key is missing, invalid, expired or revoked. */
  | "unauthorized"
  /** The key may not read this shard. */
  | "forbidden"
  /** Unknown record, shard or URL. */
  | "not-found"
  /** The change log does not have this cursor any more. */
  | "expired"
  /** Too many requests, and the wait would exceed `patience`. */
  | "limited"
  /** Daily match quota exceeded. It is reset at midnight UTC. */
  | "quota-exceeded"
  /** The service or the shard is temporarily unavailable. */
  | "unavailable"
  /** No response. */
  | "network"
  /** The response does not come from Matchbook. */
  | "unreadable"
  /** The client did not send the request, because it could not succeed or would not be safe. */
  | "misuse";

export interface ErrorFacts {
  kind: ErrorKind;
  /** For people. Never contains the key. */
  message: string;
  title: string;
  status?: number | undefined;
  problems?: readonly Problem[] | undefined;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  limits?: Limits | undefined;
  cause?: unknown;
}

export class MatchbookError extends Error {
  override readonly name = "MatchbookError";
  readonly kind: ErrorKind;
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** The code of the first problem; undefined if the response is not an error document. */
  readonly code: ErrorCode | undefined;
  readonly title: string;
  /** What is wrong and what to do, for people. The wording can change. */
  readonly detail: string;
  /** All problems, each with its source. */
  readonly problems: readonly Problem[];
  /** Include it in bug reports. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the next request. */
  readonly retryAfter: number | undefined;
  readonly limits: Limits | undefined;

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    const { problems = [] } = facts;
    this.kind = facts.kind;
    this.status = facts.status ?? 0;
    this.code = problems[0]?.code;
    this.title = facts.title;
    this.detail = facts.message;
    this.problems = problems;
    this.requestId = facts.requestId ?? problems[0]?.id;
    this.retryAfter = facts.retryAfter;
    this.limits = facts.limits;
  }
}

export function misuse(message: string): MatchbookError {
  return new MatchbookError({ kind: "misuse", title: "Invalid call", message });
}
