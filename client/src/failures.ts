/** In charge of turning replies that are no success into errors. */

import { type ErrorKind, MatchbookError, type Problem } from "./errors.ts";
import type { Errors } from "./generated.ts";
import { readLimits, readRetryAfter } from "./limits.ts";

/** The error that a reply with this status and text stands for. */
export function failureOf(response: Response, text: string): MatchbookError {
  const { status, headers } = response;
  const problems = problemsIn(text);
  return new MatchbookError({
    kind: kindOf(status, problems),
    title: problems[0]?.title ?? `Status ${status}`,
    message:
      problems.map(({ detail }) => detail).join(" ") ||
      `The service answered with status ${status} and no explanation. ${adviceFor(status)}`,
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
  429: "limited",
};

/** For replies that are not Matchbook's own, such as those of a proxy before it. */
function adviceFor(status: number): string {
  if (status >= 500) return "Try again later, and look at /status.";
  return "Check that `url` leads to a Matchbook, and what stands between you and it.";
}

/** No reply, or none to the end. */
export function networkFailure(origin: string, cause: unknown): MatchbookError {
  return new MatchbookError({
    kind: "network",
    title: "No reply",
    message: `No reply came from ${origin}. Check the address and your connection, and try again.`,
    cause,
  });
}

/** A success that is not JSON. */
export function unreadable({ status, headers }: Response): MatchbookError {
  return new MatchbookError({
    kind: "unreadable",
    title: "Not a reply of Matchbook",
    message: `The reply (status ${status}, ${headers.get("Content-Type") ?? "no content type"}) is not JSON. Check that \`url\` leads to a Matchbook, and what stands between you and it.`,
    status,
    requestId: headers.get("X-Request-Id") ?? undefined,
  });
}

/** JSON, but not what Matchbook sends. */
export function withoutRecords(): MatchbookError {
  return new MatchbookError({
    kind: "unreadable",
    title: "Not a reply of Matchbook",
    message:
      "The reply is JSON, but holds no records. Check that `url` leads to a Matchbook, and what stands between you and it.",
    status: 200,
  });
}

export const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);

/** The client follows none: the key would go wherever it leads. */
export function redirected({ status }: Response): MatchbookError {
  return new MatchbookError({
    kind: "unreadable",
    title: "Redirected",
    message:
      "The reply leads to another address. The client does not follow it, so that your key goes nowhere else. If that address is right, give it as `url`.",
    status,
  });
}
