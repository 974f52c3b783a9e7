/** Tests HTTP methods. What browsers ask for, and the headers of every response, are in test/contract. */

import { afterAll, describe, expect, test } from "bun:test";
import { ENDPOINT_RECORDS, ENDPOINT_URLS } from "../support/endpoints.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API, startWorld } from "../support/world.ts";

const world = await startWorld(ENDPOINT_RECORDS);
afterAll(() => world.stop());

const MATCH = "/shards/na/matches/match-a";
const URLS = [...ENDPOINT_URLS, "/status", "/healthz", "/readyz", "/openapi.json"];
/** The end of the window moves with the clock, and with it the length of a compressed body. */
const FLEETING = ["date", "x-request-id", "ratelimit", "x-ratelimit-remaining", "content-length"];

const lasting = (headers: Headers) => [...headers].filter(([name]) => !FLEETING.includes(name));
describe.each(URLS)("%s", (path) => {
  test("responds to HEAD with the headers of GET and no body", async () => {
    const got = await world.get(path);
    const head = await world.get(path, {}, "HEAD");
    expect([head.status, head.text]).toEqual([got.status, ""]);
    expect(lasting(head.headers)).toEqual(lasting(got.headers));
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

test("each response has an id of its own", async () => {
  const replies = [await world.get(MATCH), await world.get(MATCH), await world.get("/nowhere")];
  const ids = new Set(replies.map(({ headers }) => headers.get("x-request-id")));
  expect([ids.size, ids.has(null)]).toEqual([replies.length, false]);
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
