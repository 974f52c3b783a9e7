/** In charge of what a reply says about the key's limits, and how long to wait. */

/** The bucket of the key, as of one reply. */
export interface Limits {
  /** How many requests a full bucket holds. */
  readonly limit: number;
  /** How many of them are left. */
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number;
}

/** Undefined where the reply does not tell, such as that of `/status`. */
export function readLimits(headers: Headers): Limits | undefined {
  const limit = wholeNumber(headers.get("X-RateLimit-Limit"));
  const remaining = wholeNumber(headers.get("X-RateLimit-Remaining"));
  const resetSeconds = wholeNumber(headers.get("X-RateLimit-Reset"));
  if (limit === undefined || remaining === undefined || resetSeconds === undefined) {
    return undefined;
  }
  return { limit, remaining, resetSeconds };
}

/** Seconds. The service counts them; a proxy before it may name a time instead. */
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
