/** Reads rate limits and Retry-After from response headers. */

/** The key's rate limit at the time of a response. */
export interface Limits {
  /** Requests that can be sent at once. */
  readonly limit: number;
  /** Requests left. */
  readonly remaining: number;
  /** Seconds until `remaining` is back at `limit`. */
  readonly resetSeconds: number;
}

/** Undefined without limit headers, e.g. for `/status`. */
export function readLimits(headers: Headers): Limits | undefined {
  const limit = wholeNumber(headers.get("X-RateLimit-Limit"));
  const remaining = wholeNumber(headers.get("X-RateLimit-Remaining"));
  const resetSeconds = wholeNumber(headers.get("X-RateLimit-Reset"));
  if (limit === undefined || remaining === undefined || resetSeconds === undefined) {
    return undefined;
  }
  return { limit, remaining, resetSeconds };
}

/** In seconds. A proxy may send a date instead. */
export function readRetryAfter(headers: Headers): number | undefined {
  const text = headers.get("Retry-After");
  if (text === null) return undefined;
  const seconds = wholeNumber(text);
  if (seconds !== undefined) return seconds;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - Date.now()) / 1000));
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
