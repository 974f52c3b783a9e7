/** Tests the Accept header. */

import { afterAll, describe, expect, test } from "bun:test";
import { ENDPOINT_RECORDS, ENDPOINT_URLS } from "../support/endpoints.ts";
import { expectProblem } from "../support/problems.ts";
import { exchange } from "../support/wire.ts";
import { startWorld } from "../support/world.ts";

const world = await startWorld(ENDPOINT_RECORDS);
afterAll(() => world.stop());

describe("served as application/vnd.api+json:", () => {
  test.each([
    "application/vnd.api+json",
    "Application/VND.API+JSON",
    "application/json, application/vnd.api+json",
    "text/html, application/vnd.api+json;q=0.1, */*",
    "application/vnd.api+json;q=0.5",
    "application/vnd.api+json ; q=1.0",
    "application/vnd.api+json; q=0.001",
    'application/vnd.api+json;ext="https://a.example/x", application/vnd.api+json',
    'text/x;note="a, b;c", application/vnd.api+json',
    "application/vnd.api+json;q=0.9;level=1",
    "application/vnd.api+json;",
    "application/vnd.api+json; ;q=0.9",
    'application/vnd.api+json; profile="https://a.example/x"',
    'application/vnd.api+json; Profile="https://a.example/x https://a.example/y, z"; q=0.5',
    'application/vnd.api+json; ext="https://a.example/x", application/vnd.api+json; profile=x',
  ])("%s", async (accept) => {
    const response = await world.get("/shards/na/matches/match-a", { Accept: accept });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/vnd.api+json");
  });
});

describe("refused with 406:", () => {
  test.each([
    "*/*",
    "application/*",
    "application/json",
    "text/html",
    "application/vnd.api",
    "application/vnd.api+jsonx",
    "application/vnd.api+json; charset=utf-8",
    'application/vnd.api+json; ext="https://a.example/x"',
    'application/vnd.api+json; EXT="https://a.example/x"; q=0.9',
    'application/vnd.api+json; q=0.9; ext="https://a.example/x"',
    'application/vnd.api+json; profile="https://a.example/y"; ext="https://a.example/x"',
    'application/vnd.api+json; profile="https://a.example/y"; charset=utf-8, */*',
    'application/vnd.api+json; profile="https://a.example/y"; q=0',
    'application/vnd.api+json; profiles="https://a.example/y"',
    "application/vnd.api+json;q=0",
    "application/vnd.api+json;q=0.0, */*",
    'text/x;note="application/vnd.api+json"',
    'text/x;note=", application/vnd.api+json"',
  ])("%s", async (accept) => {
    expectProblem(
      await world.get("/shards/na/matches/match-a", { Accept: accept }),
      "not-acceptable",
      { header: "Accept" },
    );
  });
});

test("a missing Accept header is refused with 406", async () => {
  const response = await exchange(world.url, [
    "GET /shards/na/matches HTTP/1.1",
    "Host: here",
    `Authorization: Bearer ${world.key}`,
  ]);
  expect(response.status).toBe(406);
  expect(JSON.parse(response.body).errors).toMatchObject([
    { code: "not-acceptable", status: "406" },
  ]);
});

test("two Accept headers count as one list", async () => {
  const response = await exchange(world.url, [
    "GET /shards/na/matches HTTP/1.1",
    "Host: here",
    `Authorization: Bearer ${world.key}`,
    "Accept: text/html",
    "Accept: application/vnd.api+json",
  ]);
  expect(response.status).toBe(200);
});

test.each(ENDPOINT_URLS)("the Accept header is required on %s", async (path) => {
  expect((await world.get(path, { Accept: "application/json" })).status).toBe(406);
});
