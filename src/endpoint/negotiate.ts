/** Content negotiation: the Accept header that the API requires, and the encodings that a client accepts. */

import type { Encoding } from "../document/entity-tag.ts";

export const MEDIA_TYPE = "application/vnd.api+json";

/** Whether an Accept header names the media type and does not refuse it. */
export const acceptsMediaType = (header: string | null): boolean =>
  header === MEDIA_TYPE || (header !== null && mediaTypeWeight(header) > 0);

/**
 * As JSON:API 1.1 says, profiles are ignored; a range with an extension or any other parameter does not count.
 */
function mediaTypeWeight(header: string): number {
  return rangeWeight(header, MEDIA_TYPE, (parameters, q) =>
    // What follows q belongs to the header and not to the media type, unless it is an extension.
    parameters.every((parameter, at) =>
      q >= 0 && at >= q ? !EXTENSION.test(parameter) : PROFILE.test(parameter),
    ),
  );
}

export const EVENT_STREAM = "text/event-stream";

/** Whether an Accept header names event streams, and does not prefer the media type or leave the choice. */
export function prefersEventStream(header: string | null): boolean {
  if (header === EVENT_STREAM) return true;
  if (!header?.toLowerCase().includes(EVENT_STREAM)) return false;
  return rangeWeight(header, EVENT_STREAM, () => true) > mediaTypeWeight(header);
}

/** The highest weight of a media type in an Accept header, among the ranges whose parameters count; 0 if there is none. */
function rangeWeight(
  header: string,
  mediaType: string,
  counts: (parameters: readonly string[], q: number) => boolean,
): number {
  const weights = rangesIn(header).map(({ type, parameters, q, weight }) =>
    type === mediaType && counts(parameters, q) ? weight : 0,
  );
  return Math.max(...weights);
}

const rangesIn = (header: string) =>
  splitUnquoted(header, ",").map((range) => {
    const [type, ...written] = splitUnquoted(range, ";").map((part) => part.trim());
    // HTTP allows a trailing semicolon.
    const parameters = written.filter((parameter) => parameter !== "");
    const q = parameters.findIndex((parameter) => /^q\s*=/i.test(parameter));
    return {
      type: type!.toLowerCase(),
      parameters,
      q,
      weight: q < 0 ? 1 : weightIn(parameters[q]!),
    };
  });

const EXTENSION = /^ext\s*=/i;
const PROFILE = /^profile\s*=/i;

const ANY_JSON: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

/** Whether an Accept header accepts any JSON and does not refuse the media type by name. */
export function acceptsAnyJson(header: string): boolean {
  const ranges = rangesIn(header);
  return (
    ranges.some(({ type, weight }) => ANY_JSON.has(type) && weight > 0) &&
    !ranges.some(({ type, weight }) => type === MEDIA_TYPE && weight === 0)
  );
}

/** Nearly all clients send one of a few headers, so the last one is cached with its result. */
const last: { header: string | null; encoding: Encoding } = { header: null, encoding: "identity" };

/** The encoding that an Accept-Encoding header asks for. */
export function preferredEncoding(header: string | null): Encoding {
  if (header === null) return "identity";
  if (header !== last.header) {
    const weights = weightsIn(header);
    const gzip = weights.get("gzip") ?? weights.get("*") ?? 0;
    last.encoding = gzip > 0 && gzip >= (weights.get("identity") ?? 0) ? "gzip" : "identity";
    last.header = header;
  }
  return last.encoding;
}

/** For files that are compressed in advance: brotli is too slow for responses. */
export const acceptsBrotli = (header: string | null): boolean =>
  header !== null && (weightsIn(header).get("br") ?? 0) > 0;

function weightsIn(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { type, weight } of rangesIn(header)) {
    const coding = type === "x-gzip" ? "gzip" : type;
    weights.set(coding, Math.max(weights.get(coding) ?? 0, weight));
  }
  return weights;
}

function weightIn(parameter: string): number {
  const value = Number(parameter.slice(parameter.indexOf("=") + 1).trim());
  return value >= 0 && value <= 1 ? value : 0;
}

/** Splits a header, leaving separators inside quoted strings alone. */
function splitUnquoted(text: string, separator: "," | ";"): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted && char === "\\") at += 1;
    else if (char === '"') quoted = !quoted;
    else if (char === separator && !quoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}
