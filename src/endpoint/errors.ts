/** Errors that the caller may see, and the JSON:API error document. */

import { ERRORS, type ErrorCode, type Problem } from "../domain/errors.ts";
import { JSON_API_VERSION } from "../domain/json.ts";
import { MAX_URL_LENGTH } from "../query/parameters.ts";

/** Thrown by any stage of a request. The caller sees everything in it. */
export class ApiError extends Error {
  override name = "ApiError";

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

interface ErrorExtra {
  source?: Problem["source"];
  headers?: Record<string, string>;
  /** In seconds. */
  retryAfter?: number;
}

export function apiError(
  code: ErrorCode,
  detail: string,
  { source, headers = {}, retryAfter }: ErrorExtra = {},
): ApiError {
  const problem: Problem = source ? { code, detail, source } : { code, detail };
  const retry = retryAfter === undefined ? {} : { "Retry-After": String(retryAfter) };
  return new ApiError([problem], { ...headers, ...retry });
}

/** For unexpected failures. */
export const internalError = (): ApiError =>
  apiError(
    "internal-error",
    "The request failed because of an error on our side. Try again, and report the error id if it persists.",
  );

export const uriTooLong = (): ApiError =>
  apiError(
    "uri-too-long",
    `The URL, or the link to the next page, is longer than ${MAX_URL_LENGTH} characters. Request fewer values at once.`,
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
