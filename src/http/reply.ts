/** In charge of replies: status, headers and body, the same way for every route. */

import { gzipBody, plainBody } from "../document/gzip.ts";
import type { Document } from "../document/stitch.ts";
import { type Encoding, namesTag, strongTag, weakTag } from "../document/tag.ts";
import type { Call } from "./call.ts";
import { chooseEncoding, MEDIA_TYPE } from "./negotiate.ts";
import { errorDocument, internalError, type Refusal } from "./refusal.ts";
import type { ServiceAnswer } from "./service.ts";
import type { ShardResult } from "./shard-request.ts";

type HeaderFields = Record<string, string>;

const EXPOSED = [
  "ETag",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
].join(", ");

const ON_EVERY_REPLY: HeaderFields = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED,
  Vary: "Accept, Accept-Encoding, Authorization, Origin",
  "X-Content-Type-Options": "nosniff",
};

const ON_DOCUMENTS: HeaderFields = { ...ON_EVERY_REPLY, "Cache-Control": "private, no-cache" };

/** The headers that all documents sent in one way have in common. A response copies them and adds its own. */
const TEMPLATES = {
  unchanged: new Headers(ON_DOCUMENTS),
  identity: new Headers({ ...ON_DOCUMENTS, "Content-Type": MEDIA_TYPE }),
  gzip: new Headers({
    ...ON_DOCUMENTS,
    "Content-Type": MEDIA_TYPE,
    "Content-Encoding": "gzip",
  }),
} as const;

/** How a document goes to this caller. */
export interface Delivery {
  encoding: Encoding;
  etag: string;
  /** The caller has it already. */
  isKnown: boolean;
}

export function planDelivery(call: Call, { document, tag }: ShardResult): Delivery {
  const asked = call.request.headers;
  const encoding = chooseEncoding(asked.get("accept-encoding"));
  const etag = tag === "strong" ? strongTag(document, encoding) : weakTag(document);
  const known = asked.get("if-none-match");
  return { encoding, etag, isKnown: known !== null && namesTag(known, etag) };
}

/** A document, or 304 when the caller has it already. */
export function sendDocument(
  call: Call,
  { document }: ShardResult,
  { encoding, etag, isKnown }: Delivery,
  earned: HeaderFields,
): Response {
  const response = isKnown
    ? new Response(null, { status: 304, headers: TEMPLATES.unchanged })
    : new Response(bodyOf(document, encoding), { headers: TEMPLATES[encoding] });
  const { headers } = response;
  headers.set("X-Request-Id", call.requestId);
  headers.set("ETag", etag);
  for (const name in earned) headers.set(name, earned[name]!);
  return response;
}

function bodyOf({ content, rest }: Document, encoding: Encoding): Uint8Array<ArrayBuffer> {
  return encoding === "gzip" ? gzipBody(content, rest) : plainBody(content, rest);
}

export function refusalReply(call: Call, refusal: Refusal, earned: HeaderFields): Response {
  const text = errorDocument(refusal.problems, call.requestId);
  return sendText(call, { text, gzip: undefined }, refusal.status, {
    ...earned,
    ...refusal.headers,
    "Content-Type": MEDIA_TYPE,
  });
}

/** For a request that failed where nothing is known of it. */
export function failureReply(requestId: string): Response {
  const { problems, status } = internalError();
  return new Response(errorDocument(problems, requestId), {
    status,
    headers: {
      ...ON_EVERY_REPLY,
      "X-Request-Id": requestId,
      "Content-Type": MEDIA_TYPE,
      "Cache-Control": "no-store",
    },
  });
}

export function sendJson(call: Call, answer: ServiceAnswer, earned: HeaderFields = {}): Response {
  const headers = { ...earned, "Content-Type": "application/json" };
  return sendText(call, writtenBody(answer), answer.status, headers);
}

/** What was written of a body that never changes. */
const constants = new WeakMap<object, Written>();

function writtenBody({ body, isConstant }: ServiceAnswer): Written {
  const known = isConstant ? constants.get(body) : undefined;
  const written = known ?? { text: `${JSON.stringify(body)}\n`, gzip: undefined };
  if (isConstant) constants.set(body, written);
  return written;
}

/** A text, and the same compressed, as soon as somebody wants it so. */
interface Written {
  text: string;
  gzip: Uint8Array<ArrayBuffer> | undefined;
}

/** For short texts this takes half the time of zlib, at the same size. */
const FAST_GZIP = { library: "libdeflate", level: 1 } as const;

/** A text that nobody should keep. */
function sendText(call: Call, written: Written, status: number, more: HeaderFields): Response {
  const headers: HeaderFields = {
    ...ON_EVERY_REPLY,
    "X-Request-Id": call.requestId,
    ...more,
    "Cache-Control": "no-store",
  };
  const encoding = chooseEncoding(call.request.headers.get("accept-encoding"));
  if (encoding === "identity") return new Response(written.text, { status, headers });
  headers["Content-Encoding"] = "gzip";
  written.gzip ??= Bun.gzipSync(written.text, FAST_GZIP);
  return new Response(written.gzip, { status, headers });
}

/** What browsers ask before they send a key from another site. */
export function preflightReply(call: Call, methods: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...ON_EVERY_REPLY,
      "X-Request-Id": call.requestId,
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers":
        "Authorization, Accept, Content-Type, If-None-Match, X-Title-Id, traceparent, tracestate, baggage, sentry-trace",
      "Access-Control-Max-Age": "86400",
    },
  });
}
