/** Builds responses: status, headers and body, the same way for every route. */

import type { LimitHeaders } from "../access/rate-limit.ts";
import { MIN_COMPRESSED } from "../document/content.ts";
import { entityTag, namesTag } from "../document/entity-tag.ts";
import { gzipBody } from "../document/join-pieces.ts";
import { type ApiError, apiError, errorDocument, internalError } from "../endpoint/errors.ts";
import { EVENT_STREAM, MEDIA_TYPE, preferredEncoding } from "../endpoint/negotiate.ts";
import type { ShardResult } from "../endpoint/shard-request.ts";
import { type Body, bytesOf } from "./body.ts";
import type { ApiRequest } from "./request.ts";
import type { JsonResult } from "./status.ts";

type HeaderFields = Record<string, string>;

const EXPOSED_HEADERS = [
  "ETag",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
].join(", ");

const COMMON_HEADERS: HeaderFields = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED_HEADERS,
  Vary: "Accept, Accept-Encoding, Authorization, Origin",
  "X-Content-Type-Options": "nosniff",
};

const DOCUMENT_HEADERS: HeaderFields = { ...COMMON_HEADERS, "Cache-Control": "private, no-cache" };

/**
 * The headers of documents, by how they are sent, with the limits of the last response. All responses set the same
 * ones, and copy them: building them from scratch would take longer than finding and assembling the document.
 */
const TEMPLATES = {
  unchanged: templateOf({}),
  identity: templateOf({ "Content-Type": MEDIA_TYPE }),
  gzip: templateOf({ "Content-Type": MEDIA_TYPE, "Content-Encoding": "gzip" }),
} as const;

interface Template {
  headers: Headers;
  /** Those of the last response. */
  limits: LimitHeaders | undefined;
}

function templateOf(fields: HeaderFields): Template {
  return { headers: new Headers({ ...DOCUMENT_HEADERS, ...fields }), limits: undefined };
}

/** How a document is sent to this client. `isUnchanged`: it has it already. */
export function planDelivery({ raw }: ApiRequest, { document, tag }: ShardResult) {
  const encoding = preferredEncoding(raw.headers.get("accept-encoding"));
  const etag = entityTag(document, tag, encoding);
  const known = raw.headers.get("if-none-match");
  return { encoding, etag, isUnchanged: known !== null && namesTag(known, etag) };
}

/** A document, or 304 without a body. */
export function documentResponse(
  { requestId, limitHeaders }: ApiRequest,
  body: Body | undefined,
  etag: string,
): Response {
  const template = TEMPLATES[body?.encoding ?? "unchanged"];
  const { headers } = template;
  headers.set("X-Request-Id", requestId);
  headers.set("ETag", etag);
  if (limitHeaders && limitHeaders !== template.limits) {
    let name: keyof LimitHeaders;
    for (name in limitHeaders) {
      if (template.limits?.[name] !== limitHeaders[name]) headers.set(name, limitHeaders[name]);
    }
    template.limits = limitHeaders;
  }
  if (!body) return new Response(null, { status: 304, headers });
  return new Response(bytesOf(body), { headers });
}

/** A response that goes on. Proxies must neither keep nor delay what is sent. */
export function streamResponse(
  { requestId, limitHeaders }: ApiRequest,
  body: ReadableStream<Uint8Array> | null,
): Response {
  return new Response(body, {
    headers: {
      ...COMMON_HEADERS,
      "X-Request-Id": requestId,
      ...limitHeaders,
      "Content-Type": EVENT_STREAM,
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    },
  });
}

export function errorResponse(request: ApiRequest, error: ApiError): Response {
  const text = errorDocument(error.problems, request.requestId);
  return sendText(request, { text, gzip: undefined }, error.status, {
    ...error.headers,
    "Content-Type": MEDIA_TYPE,
  });
}

/** An error response of which everything but the request id is prepared, and which is not compressed. */
function preparedResponse(error: ApiError): (requestId: string) => Response {
  const { status } = error;
  const headers = new Headers({
    ...COMMON_HEADERS,
    ...error.headers,
    "Content-Type": MEDIA_TYPE,
    "Cache-Control": "no-store",
  });
  const body = errorDocument(error.problems, "<id>").split("<id>");
  return (requestId) => {
    headers.set("X-Request-Id", requestId);
    return new Response(body.join(requestId), { status, headers });
  };
}

/** Refusing must cost much less than serving, or an overloaded server would serve nobody. */
export const overloadedResponse = preparedResponse(
  apiError(
    "overloaded",
    "The server has more requests than it can handle. Retry after 1 s, plus a random part of a second.",
    { retryAfter: 1 },
  ),
);

/** For a request that failed before it could be read. */
export const failureResponse = preparedResponse(internalError());

export function jsonResponse(request: ApiRequest, result: JsonResult): Response {
  const headers = { "Content-Type": "application/json" };
  return sendText(request, serialized(result), result.status, headers);
}

/** Serialized bodies that never change. */
const constants = new WeakMap<object, SerializedBody>();

function serialized({ body, isConstant }: JsonResult): SerializedBody {
  const known = isConstant ? constants.get(body) : undefined;
  const cached = known ?? { text: `${JSON.stringify(body)}\n`, gzip: undefined };
  if (isConstant) constants.set(body, cached);
  return cached;
}

/** A text, and its compressed form once a client accepts it. */
interface SerializedBody {
  text: string;
  gzip: Uint8Array<ArrayBuffer> | undefined;
}

/** Takes half the time of zlib at the same size. */
const FAST_GZIP = { library: "libdeflate", level: 1 } as const;

/** A response that must not be cached. */
function sendText(
  request: ApiRequest,
  cached: SerializedBody,
  status: number,
  more: HeaderFields,
): Response {
  const headers: HeaderFields = {
    ...COMMON_HEADERS,
    "X-Request-Id": request.requestId,
    ...request.limitHeaders,
    ...more,
    "Cache-Control": "no-store",
  };
  const { text } = cached;
  if (preferredEncoding(request.raw.headers.get("accept-encoding")) !== "gzip")
    return new Response(text, { status, headers });
  headers["Content-Encoding"] = "gzip";
  if (text.length < MIN_COMPRESSED) return new Response(gzipBody([], text), { status, headers });
  cached.gzip ??= Bun.gzipSync(text, FAST_GZIP);
  return new Response(cached.gzip, { status, headers });
}

/** The response to a CORS preflight request. */
export function preflightResponse(request: ApiRequest, methods: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...COMMON_HEADERS,
      "X-Request-Id": request.requestId,
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers":
        "Authorization, Accept, Content-Type, If-None-Match, Last-Event-ID, X-Title-Id, traceparent, tracestate, baggage, sentry-trace",
      "Access-Control-Max-Age": "86400",
    },
  });
}
