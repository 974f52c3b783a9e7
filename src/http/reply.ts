/** In charge of replies: status, headers and body, the same way for every route. */

import { pieceOf } from "../document/fragment.ts";
import { gzipBody, plainBody } from "../document/gzip.ts";
import { namesTag, strongTag, weakTag } from "../document/tag.ts";
import type { Call } from "./call.ts";
import type { Answer } from "./endpoints.ts";
import { chooseEncoding, MEDIA_TYPE } from "./negotiate.ts";
import { errorDocument, type Refusal } from "./refusal.ts";
import type { ServiceAnswer } from "./service.ts";

type Headers = Record<string, string>;

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

function commonHeaders(call: Call): Headers {
  return {
    "X-Request-Id": call.requestId,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": EXPOSED,
    Vary: "Accept, Accept-Encoding, Authorization, Origin",
    "X-Content-Type-Options": "nosniff",
  };
}

/** A document, or 304 when the caller has it already. */
export function sendDocument(call: Call, { document, tag }: Answer, earned: Headers): Response {
  const { headers } = call.request;
  const encoding = chooseEncoding(headers.get("accept-encoding"));
  const etag = tag === "strong" ? strongTag(document, encoding) : weakTag(document);
  const reply: Headers = {
    ...commonHeaders(call),
    ...earned,
    ETag: etag,
    "Cache-Control": "private, no-cache",
  };
  const known = headers.get("if-none-match");
  if (known !== null && namesTag(known, etag)) {
    return new Response(null, { status: 304, headers: reply });
  }
  reply["Content-Type"] = MEDIA_TYPE;
  const pieces = [...document.content, document.rest];
  if (encoding === "identity") return new Response(plainBody(pieces), { headers: reply });
  reply["Content-Encoding"] = "gzip";
  return new Response(gzipBody(pieces), { headers: reply });
}

export function refusalReply(call: Call, refusal: Refusal, earned: Headers): Response {
  return sendText(call, errorDocument(refusal.problems, call.requestId), refusal.status, {
    ...earned,
    ...refusal.headers,
    "Content-Type": MEDIA_TYPE,
  });
}

export function sendJson(call: Call, { status, body }: ServiceAnswer): Response {
  const headers = { "Content-Type": "application/json" };
  return sendText(call, `${JSON.stringify(body)}\n`, status, headers);
}

/** A text made for this reply alone, which nobody should keep. */
function sendText(call: Call, text: string, status: number, more: Headers): Response {
  const headers: Headers = { ...commonHeaders(call), ...more, "Cache-Control": "no-store" };
  const encoding = chooseEncoding(call.request.headers.get("accept-encoding"));
  if (encoding === "identity") return new Response(text, { status, headers });
  headers["Content-Encoding"] = "gzip";
  return new Response(gzipBody([pieceOf(text)]), { status, headers });
}

/** What browsers ask before they send a key from another site. */
export function preflightReply(call: Call, methods: string): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...commonHeaders(call),
      Allow: methods,
      "Access-Control-Allow-Methods": methods,
      "Access-Control-Allow-Headers":
        "Authorization, Accept, Content-Type, If-None-Match, X-Title-Id",
      "Access-Control-Max-Age": "86400",
    },
  });
}
