/** In charge of saying no: a refusal as code throws it, and the error document a caller reads. */

import { ERRORS, type ErrorCode, type Problem } from "../domain/errors.ts";
import { JSON_API_VERSION } from "../domain/json.ts";

/** Thrown by any stage of a request; everything in it is meant for the caller. */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(
    readonly problems: Problem[],
    readonly headers: Record<string, string> = {},
  ) {
    super(problems.map(({ detail }) => detail).join(" "));
  }

  get status(): number {
    return ERRORS[this.problems[0]!.code].status;
  }
}

export function refuse(
  code: ErrorCode,
  detail: string,
  extra: { source?: Problem["source"]; headers?: Record<string, string> } = {},
): Refusal {
  const problem: Problem = extra.source ? { code, detail, source: extra.source } : { code, detail };
  return new Refusal([problem], extra.headers);
}

/** For what was no fault of the caller's. */
export const internalError = (): Refusal =>
  refuse(
    "internal-error",
    "The request failed through no fault of yours. Try again, and report the id if it persists.",
  );

export function errorDocument(problems: Problem[], requestId: string): string {
  return JSON.stringify({
    errors: problems.map(({ code, detail, source }) => ({
      id: requestId,
      status: String(ERRORS[code].status),
      code,
      title: ERRORS[code].title,
      detail,
      ...(source ? { source } : {}),
    })),
    jsonapi: { version: JSON_API_VERSION },
  });
}
