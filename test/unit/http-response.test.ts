/** Tests that responses share nothing that can change: neither headers nor the bytes of a body. */

import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { type LimitHeaders, limitHeaders } from "../../src/access/rate-limit.ts";
import { pieceOf } from "../../src/document/fragment.ts";
import type { ApiRequest } from "../../src/http/request.ts";
import { documentResponse } from "../../src/http/response.ts";

const LIMITS = limitsOf(60);

function limitsOf(rate: number): LimitHeaders {
  const verdict = { allowed: true, remaining: 3, resetSeconds: 1, retryAfterSeconds: 0 };
  return limitHeaders({ rate, burst: rate }, verdict);
}

function send(requestId: string, text: string, limits: LimitHeaders, isUnchanged = false) {
  return documentResponse(
    { requestId, limitHeaders: limits } as ApiRequest,
    isUnchanged ? undefined : { encoding: "gzip", pieces: [pieceOf(Buffer.from(text))], rest: "}" },
    `"${requestId}"`,
  );
}

test("a header of one response never appears in another", () => {
  for (const isUnchanged of [false, true]) {
    const first = send("one", "{", limitsOf(60), isUnchanged);
    const second = send("two", "{", limitsOf(90), isUnchanged);
    const third = send("three", "{", limitsOf(90), isUnchanged);
    const headers = [first, second, third].map((response) => [
      response.headers.get("x-request-id"),
      response.headers.get("etag"),
      response.headers.get("x-ratelimit-limit"),
    ]);
    expect(headers).toEqual([
      ["one", '"one"', "60"],
      ["two", '"two"', "90"],
      ["three", '"three"', "90"],
    ]);
  }
});

test("a response keeps its body while the next one is made", async () => {
  const first = send("one", "{the first body", LIMITS);
  const second = send("two", "{another body!!", LIMITS);
  const texts = await Promise.all([first, second].map((response) => response.bytes()));
  expect(texts.map((bytes) => gunzipSync(bytes).toString())).toEqual([
    "{the first body}",
    "{another body!!}",
  ]);
});
