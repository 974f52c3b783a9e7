/** The closed list of error codes a caller can meet: each with its status and title. */

export const ERRORS = {
  "malformed-query": { status: 400, title: "The query string cannot be read" },
  "unknown-parameter": { status: 400, title: "Unknown query parameter" },
  "repeated-parameter": { status: 400, title: "Query parameter given more than once" },
  "empty-parameter": { status: 400, title: "Query parameter without a value" },
  "invalid-parameter": { status: 400, title: "Query parameter with a wrong value" },
  "conflicting-parameters": { status: 400, title: "Query parameters that exclude each other" },
  "too-many-values": { status: 400, title: "Too many values in one filter" },
  "invalid-window": { status: 400, title: "The time window is empty" },
  "invalid-cursor": { status: 400, title: "Unusable page cursor" },
  "offset-too-deep": { status: 400, title: "The offset is too deep" },
  "unknown-include-path": { status: 400, title: "Unknown include path" },
  "unknown-type": { status: 400, title: "Unknown resource type" },
  unauthorized: { status: 401, title: "A valid API key is needed" },
  "shard-closed": { status: 403, title: "The shard is closed to this key" },
  "unknown-route": { status: 404, title: "No such address" },
  "unknown-shard": { status: 404, title: "No such shard" },
  "not-found": { status: 404, title: "No such record" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "not-acceptable": { status: 406, title: "The Accept header does not fit" },
  "uri-too-long": { status: 414, title: "The address is too long" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "quota-exceeded": { status: 429, title: "Daily match quota exceeded" },
  "too-many-failures": { status: 429, title: "Too many wrong API keys" },
  "internal-error": { status: 500, title: "Something went wrong on our side" },
  "shard-unavailable": { status: 503, title: "The shard cannot be read right now" },
  "usage-unavailable": { status: 503, title: "Usage cannot be read right now" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** One thing wrong with a request, in words meant for the caller. */
export interface Problem {
  code: ErrorCode;
  detail: string;
  source?: { parameter: string } | { header: string };
}
