/** Every error code of the API, with its status and title. */

export const ERRORS = {
  "malformed-query": { status: 400, title: "Malformed query string" },
  "unknown-parameter": { status: 400, title: "Unknown query parameter" },
  "repeated-parameter": { status: 400, title: "Repeated query parameter" },
  "empty-parameter": { status: 400, title: "Empty query parameter" },
  "invalid-parameter": { status: 400, title: "Invalid query parameter" },
  "conflicting-parameters": { status: 400, title: "Conflicting query parameters" },
  "too-many-values": { status: 400, title: "Too many filter values" },
  "invalid-window": { status: 400, title: "Empty time window" },
  "invalid-cursor": { status: 400, title: "Invalid page cursor" },
  "offset-too-deep": { status: 400, title: "Page offset too large" },
  "unknown-include-path": { status: 400, title: "Unknown include path" },
  "unknown-type": { status: 400, title: "Unknown resource type" },
  unauthorized: { status: 401, title: "Valid API key required" },
  "shard-closed": { status: 403, title: "Shard not allowed for this key" },
  "unknown-route": { status: 404, title: "Unknown URL" },
  "unknown-shard": { status: 404, title: "Unknown shard" },
  "not-found": { status: 404, title: "Record not found" },
  "method-not-allowed": { status: 405, title: "Method not allowed" },
  "not-acceptable": { status: 406, title: "Accept header not supported" },
  "cursor-expired": { status: 410, title: "Cursor no longer in the change log" },
  "uri-too-long": { status: 414, title: "URL too long" },
  "rate-limited": { status: 429, title: "Too many requests" },
  "quota-exceeded": { status: 429, title: "Daily match quota exceeded" },
  "too-many-failures": { status: 429, title: "Too many invalid API keys" },
  "too-many-streams": { status: 429, title: "Too many open streams" },
  "internal-error": { status: 500, title: "Internal server error" },
  "damaged-data": { status: 503, title: "Damaged data" },
  "keys-unavailable": { status: 503, title: "API keys unavailable" },
  "not-ready": { status: 503, title: "Not built yet" },
  overloaded: { status: 503, title: "Server overloaded" },
  "shard-unavailable": { status: 503, title: "Shard unavailable" },
  "usage-unavailable": { status: 503, title: "Usage unavailable" },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** One problem with a request, with a message for the caller. */
export interface Problem {
  code: ErrorCode;
  detail: string;
  source?: { parameter: string } | { header: string };
}
