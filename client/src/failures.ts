/** Converts failed responses to errors. */

import { type ErrorKind, MatchbookError, type Problem } from "./errors.ts";
import type { Errors } from "./generated.ts";
import { readLimits, readRetryAfter } from "./limits.ts";

export function failureOf(response: Response, text: string): MatchbookError {
  const { status, headers } = response;
  const problems = problemsIn(text);
  return new MatchbookError({
    kind: kindOf(status, problems),
    title: problems[0]?.title ?? `Status ${status}`,
    message:
      problems.map(({ detail }) => detail).join(" ") ||
      `The server responded with status ${status} and no error document. ${adviceFor(status)}`,
    status,
    problems,
    requestId: headers.get("X-Request-Id") ?? undefined,
    retryAfter: readRetryAfter(headers),
    limits: readLimits(headers),
  });
}

function problemsIn(text: string): readonly Problem[] {
  try {
    const { errors } = JSON.parse(text) as Errors;
    return Array.isArray(errors) ? errors.filter((one) => typeof one === "object" && one) : [];
  } catch {
    return [];
  }
}

function kindOf(status: number, [problem]: readonly Problem[]): ErrorKind {
  if (problem?.code === "quota-exceeded") return "quota-exceeded";
  if (status >= 500) return "unavailable";
  return KINDS[status] ?? "invalid";
}

const KINDS: Readonly<Record<number, ErrorKind>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not-found",
  410: "expired",
  429: "limited",
};

/** For responses that do not come from Matchbook, e.g. from a proxy. */
function adviceFor(status: number): string {
  if (status >= 500) return "Retry later, and check /status.";
  return "Check `url`, and any proxy in between.";
}

/** No response, or an incomplete one. */
export function networkFailure(origin: string, cause: unknown): MatchbookError {
  return new MatchbookError({
    kind: "network",
    title: "No reply",
    message: `No response from ${origin}. Check the URL and your connection, then retry.`,
    cause,
  });
}

export function unreadable({ status, headers }: Response, expected = "valid JSON"): MatchbookError {
  return new MatchbookError({
    kind: "unreadable",
    title: "Not a Matchbook response",
    message: `The response (status ${status}, ${headers.get("Content-Type") ?? "no content type"}) is not ${expected}. Check \`url\`, and any proxy in between.`,
    status,
    requestId: headers.get("X-Request-Id") ?? undefined,
  });
}

/** JSON, but not from Matchbook. */
export function withoutRecords(): MatchbookError {
  return new MatchbookError({
    kind: "unreadable",
    title: "Not a Matchbook response",
    message:
      "The response is JSON, but contains no records. Check `url`, and any proxy in between.",
    status: 200,
  });
}

export function unreadableEvent(): MatchbookError {
  return new MatchbookError({
    kind: "unreadable",
    title: "Not a Matchbook response",
    message:
      "The stream contains an event that is not a change of Matchbook. Check `url`, and any proxy in between.",
    status: 200,
  });
}

/** The service ended a stream, and says why. */
export function streamEnded(data: string): MatchbookError {
  const { code, detail } = endIn(data);
  return new MatchbookError({
    kind: "unavailable",
    title: "Stream ended",
    message: detail ?? "The service ended the stream.",
    status: 200,
    // Another instance, or the next process, is ready.
    retryAfter: code === "stopping" ? 0 : undefined,
  });
}

function endIn(data: string): { code?: string; detail?: string } {
  try {
    return JSON.parse(data) ?? {};
  } catch {
    return {};
  }
}

export const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);

/** Redirects are not followed: they would send the key elsewhere. */
export function redirected({ status }: Response): MatchbookError {
  return new MatchbookError({
    kind: "unreadable",
    title: "Redirected",
    message:
      "The response is a redirect. The client does not follow redirects, so that your key is not sent elsewhere. If the new URL is correct, pass it as `url`.",
    status,
  });
}
