/** Tests that responses share nothing that can change: neither headers nor the bytes of a body. */

import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { pieceOf } from "../../src/document/fragment.ts";
import { gzipBody } from "../../src/document/gzip.ts";
import type { ApiRequest } from "../../src/http/request.ts";
import { documentResponse } from "../../src/http/response.ts";

const answer = {
  document: { content: [pieceOf('{"data":[]')], rest: "}" },
  records: 0,
  matches: [],
  tag: "weak" as const,
};

test("a header of one response never shows in another", () => {
  for (const isKnown of [false, true]) {
    const send = (requestId: string, earned: Record<string, string>) =>
      documentResponse(
        { requestId } as ApiRequest,
        answer,
        { encoding: "gzip", etag: '"tag"', isUnchanged: isKnown },
        earned,
      );
    const first = send("one", { "Retry-After": "7" });
    const second = send("two", {});
    expect(first.headers.get("x-request-id")).toBe("one");
    expect(first.headers.get("retry-after")).toBe("7");
    expect(second.headers.get("x-request-id")).toBe("two");
    expect(second.headers.get("retry-after")).toBeNull();
  }
});

test("a body keeps its bytes while the next one is made", () => {
  const first = gzipBody([pieceOf("the first body")], " and its rest");
  const second = gzipBody([pieceOf("another body!!")], " and its rest");
  expect(gunzipSync(first).toString()).toBe("the first body and its rest");
  expect(gunzipSync(second).toString()).toBe("another body!! and its rest");
});
