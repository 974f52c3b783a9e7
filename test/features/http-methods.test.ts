/** Tests HTTP methods. */

import { afterAll, describe, expect, test } from "bun:test";
import { ENDPOINT_RECORDS, ENDPOINT_URLS } from "../support/endpoints.ts";
import { problemIn } from "../support/problems.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const world = await startWorld(ENDPOINT_RECORDS);
afterAll(() => world.stop());

const SERVICE = ["/status", "/healthz", "/readyz", "/openapi.json"];
const FLEETING = ["date", "x-request-id", "ratelimit", "x-ratelimit-remaining"];

function lasting(headers: Headers): [string, string][] {
  return [...headers].filter(([name]) => !FLEETING.includes(name));
}

describe.each([...ENDPOINT_URLS, ...SERVICE])("%s", (path) => {
  test("responds to HEAD with the headers of GET and no body", async () => {
    const got = await world.get(path);
    const head = await world.get(path, {}, "HEAD");
    expect(got.text).not.toBe("");
    expect(head.status).toBe(got.status);
    expect(head.text).toBe("");
    // The end of the window moves with the clock, and with it the length of a compressed body.
    const stable = ([name]: [string, string]) => name !== "content-length";
    expect(lasting(head.headers).filter(stable)).toEqual(lasting(got.headers).filter(stable));
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])(
    "refuses %s and lists the allowed methods",
    async (method) => {
      const reply = await world.get(path, {}, method);
      expect(reply.status).toBe(405);
      expect(reply.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
      expect(problemIn(reply).code).toBe("method-not-allowed");
    },
  );

  test("responds to a browser's preflight without key and Accept", async () => {
    const reply = await world.get(
      path,
      {
        Authorization: null,
        Accept: "*/*",
        Origin: "https://stats.example",
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization, accept",
      },
      "OPTIONS",
    );
    expect(reply.status).toBe(204);
    expect(reply.text).toBe("");
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(listed(reply.headers, "access-control-allow-methods")).toEqual(
      expect.arrayContaining(["get", "head"]),
    );
    expect(listed(reply.headers, "access-control-allow-headers")).toEqual(
      expect.arrayContaining([
        ...["authorization", "accept", "if-none-match"],
        ...["traceparent", "tracestate", "baggage", "sentry-trace"],
      ]),
    );
    expect(Number(reply.headers.get("access-control-max-age"))).toBeGreaterThan(0);
  });
});

function listed(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? "").toLowerCase().split(", ");
}

test("HEAD of a single record has the Content-Length of GET", async () => {
  for (const encoding of ["gzip", "identity"]) {
    const headers = { "Accept-Encoding": encoding };
    const got = await world.get("/shards/na/matches/match-a", headers);
    const head = await world.get("/shards/na/matches/match-a", headers, "HEAD");
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(0);
    expect(head.headers.get("content-length")).toBe(got.headers.get("content-length"));
  }
});

test("HEAD of a record that does not exist is a 404 without a body", async () => {
  const reply = await world.get("/shards/na/matches/nobody", {}, "HEAD");
  expect(reply.status).toBe(404);
  expect(reply.text).toBe("");
});

test("a page of another site may read every response and its limit headers", async () => {
  const REPLIES: [path: string, status: number, headers?: object, method?: string][] = [
    ...[...ENDPOINT_URLS, ...SERVICE, "/usage"].map((path): [string, number] => [path, 200]),
    ["/shards/na/matches/match-a", 200, { "Accept-Encoding": "identity" }],
    ["/shards/na/matches/match-a", 304, { "If-None-Match": "*" }],
    ["/shards/na/matches?nonsense=1", 400],
    ["/shards/na/matches", 401, { Authorization: null }],
    ["/shards/na/matches/nobody", 404],
    ["/nowhere", 404],
    ["/shards/na/matches", 405, {}, "DELETE"],
    ["/shards/na/matches", 406, { Accept: "text/html" }],
  ];
  for (const [path, status, headers, method] of REPLIES) {
    const reply = await world.get(path, { Origin: "https://stats.example", ...headers }, method);
    expect([path, reply.status]).toEqual([path, status]);
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(listed(reply.headers, "access-control-expose-headers")).toEqual(
      expect.arrayContaining([
        "etag",
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "x-request-id",
      ]),
    );
  }
});

test.each(["text/nonsense; charset=none", 'application/vnd.api+json; ext="https://a.example/x"'])(
  "Content-Type, Content-Encoding and unknown headers of a GET are ignored: %s",
  async (type) => {
    const reply = await world.get("/shards/na/matches/match-a", {
      "Content-Type": type,
      "Content-Encoding": "br",
      "X-Anything": "at all",
      "X-TITLE-ID": "some-title",
    });
    expect(reply.status).toBe(200);
    expect(reply.body.data.id).toBe("match-a");
  },
);

test("a GET that announces an empty body is served", async () => {
  const reply = await exchange(world.url, [
    "GET /shards/na/matches/match-a HTTP/1.1",
    "Host: here",
    `Authorization: Bearer ${world.key}`,
    `Accept: ${JSON_API}`,
    "Content-Type: application/json",
    "Content-Length: 0",
  ]);
  expect(reply.status).toBe(200);
});

test("every response has its own request id", async () => {
  const replies = await Promise.all([
    world.get("/shards/na/matches"),
    world.get("/shards/na/matches"),
    world.get("/shards/na/matches", { Authorization: null }),
    world.get("/shards/na/matches", { Accept: "*/*" }),
    world.get("/shards/na/matches", {}, "POST"),
    world.get("/shards/na/matches", {}, "OPTIONS"),
    world.get("/shards/na/matches", { "If-None-Match": "*" }),
    world.get("/nowhere"),
    world.get("/status"),
  ]);
  const ids = replies.map(({ headers }) => headers.get("x-request-id"));
  expect(ids).not.toContain(null);
  expect(new Set(ids).size).toBe(ids.length);
});
