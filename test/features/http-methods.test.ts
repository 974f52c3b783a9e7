/** Tests HTTP methods, and what browsers ask for. */

import { afterAll, describe, expect, test } from "bun:test";
import { ENDPOINT_RECORDS, ENDPOINT_URLS } from "../support/endpoints.ts";
import { problemIn } from "../support/problems.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const world = await startWorld(ENDPOINT_RECORDS);
afterAll(() => world.stop());

const MATCH = "/shards/na/matches/match-a";
const URLS = [...ENDPOINT_URLS, "/status", "/healthz", "/readyz", "/openapi.json"];
/** The end of the window moves with the clock, and with it the length of a compressed body. */
const FLEETING = ["date", "x-request-id", "ratelimit", "x-ratelimit-remaining", "content-length"];

const lasting = (headers: Headers) => [...headers].filter(([name]) => !FLEETING.includes(name));
const listed = (headers: Headers, name: string): string[] =>
  (headers.get(name) ?? "").toLowerCase().split(", ");

describe.each(URLS)("%s", (path) => {
  test("responds to HEAD with the headers of GET and no body", async () => {
    const got = await world.get(path);
    const head = await world.get(path, {}, "HEAD");
    expect([head.status, head.text]).toEqual([got.status, ""]);
    expect(lasting(head.headers)).toEqual(lasting(got.headers));
  });

  test("refuses other methods and lists the allowed ones", async () => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      const reply = await world.get(path, {}, method);
      expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
      expect(problemIn(reply).code).toBe("method-not-allowed");
    }
  });

  test("responds to a browser's preflight without key and Accept", async () => {
    const asked = {
      Origin: "https://stats.example",
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "authorization, accept",
    };
    const { status, text, headers } = await world.get(
      path,
      { Authorization: null, Accept: null, ...asked },
      "OPTIONS",
    );
    expect([status, text, headers.get("access-control-allow-origin")]).toEqual([204, "", "*"]);
    expect(listed(headers, "access-control-allow-methods")).toEqual(
      expect.arrayContaining(["get", "head"]),
    );
    expect(listed(headers, "access-control-allow-headers")).toEqual(
      expect.arrayContaining([
        ...["authorization", "accept", "if-none-match"],
        ...["traceparent", "tracestate", "baggage", "sentry-trace"],
      ]),
    );
    expect(Number(headers.get("access-control-max-age"))).toBeGreaterThan(0);
  });
});

test("HEAD of a single record has the Content-Length of GET", async () => {
  for (const encoding of ["gzip", "identity"]) {
    const headers = { "Accept-Encoding": encoding };
    const [got, head] = [await world.get(MATCH, headers), await world.get(MATCH, headers, "HEAD")];
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
    expect(head.headers.get("content-length")).toBe(got.headers.get("content-length"));
  }
});

test("a page of another site may read every response and its limit headers, and each has its own id", async () => {
  const REPLIES: [path: string, status: number, headers?: object, method?: string][] = [
    ...[...URLS, "/usage"].map((path): [string, number] => [path, 200]),
    [MATCH, 200, { "Accept-Encoding": "identity" }],
    [MATCH, 304, { "If-None-Match": "*" }],
    [`${MATCH}?nonsense=1`, 400],
    [MATCH, 401, { Authorization: null }],
    ["/shards/na/matches/nobody", 404],
    ["/nowhere", 404],
    [MATCH, 405, {}, "DELETE"],
    [MATCH, 406, { Accept: "text/html" }],
  ];
  const ids = new Set<string | null>();
  for (const [path, status, headers, method] of REPLIES) {
    const reply = await world.get(path, { Origin: "https://stats.example", ...headers }, method);
    expect([path, reply.status]).toEqual([path, status]);
    ids.add(reply.headers.get("x-request-id"));
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(listed(reply.headers, "access-control-expose-headers")).toEqual(
      expect.arrayContaining([
        ...["etag", "ratelimit", "ratelimit-policy", "retry-after", "x-request-id"],
        ...["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
      ]),
    );
  }
  expect(ids.has(null)).toBe(false);
  expect(ids.size).toBe(REPLIES.length);
});

test("Content-Type, Content-Encoding, an empty body and unknown headers of a GET are ignored", async () => {
  const lines = [
    ...[`GET ${MATCH} HTTP/1.1`, "Host: here", "Content-Encoding: br", "X-TITLE-ID: some-title"],
    ...[`Authorization: Bearer ${world.key}`, `Accept: ${JSON_API}`],
  ];
  for (const type of ["text/nonsense; charset=none", `${JSON_API}; ext="https://a.example/x"`]) {
    for (const length of [[], ["Content-Length: 0"]]) {
      const reply = await exchange(world.url, [...lines, `Content-Type: ${type}`, ...length]);
      expect(reply.status).toBe(200);
    }
  }
});
