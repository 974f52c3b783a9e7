/** In charge of errors as programs meet them: one class, told apart by `kind` and `code`. */

import type { Errors } from "./generated.ts";
import type { Limits } from "./limits.ts";

/** One thing that is wrong with a request, as the service words it. */
export type Problem = Errors["errors"][number];

/** The closed list of codes. */
export type ErrorCode = Problem["code"];

/** What to do about an error, in one word. */
export type ErrorKind =
  /** The request is wrong: mend it. `problems` says what, with the parameter at fault. */
  | "invalid"
  /** No key, or none that is in force. */
  | "unauthorized"
  /** The shard is closed to this key. */
  | "forbidden"
  /** No such record, shard or address. */
  | "not-found"
  /** Too many requests, and waiting would have taken longer than `patience`. */
  | "limited"
  /** The key has read its day's matches. More come after midnight UTC. */
  | "quota-exceeded"
  /** The service, or the shard, cannot answer now. */
  | "unavailable"
  /** No reply came. */
  | "network"
  /** The reply is not one of Matchbook. */
  | "unreadable"
  /** The client refused to send this, because it could not have worked or would not be safe. */
  | "misuse";

export interface ErrorFacts {
  kind: ErrorKind;
  /** For people; the key is never in it. */
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
  /** The status of the reply; 0 where there was none. */
  readonly status: number;
  /** The code of the first problem; undefined where the reply is not an error document. */
  readonly code: ErrorCode | undefined;
  readonly title: string;
  /** What is wrong and what to do, for people. May be reworded at any time. */
  readonly detail: string;
  /** Everything that is wrong, each with its source. */
  readonly problems: readonly Problem[];
  /** Quote it in reports. */
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
  return new MatchbookError({ kind: "misuse", title: "The client cannot send this", message });
}
