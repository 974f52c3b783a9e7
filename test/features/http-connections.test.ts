/** Tests connection handling on both listeners: an announced close, a single Host header, our own 500. */

import { afterAll, expect, test } from "bun:test";
import { type Event, unobserved } from "../../src/observe/events.ts";
import { serve } from "../../src/wiring.ts";
import { AUTHORIZATION, startAdminWorld } from "../support/admin.ts";
import { BUGGY_PLAYER, simulateBug } from "../support/bug.ts";
import { problemIn } from "../support/problems.ts";
import { aMatch } from "../support/records.ts";
import { exchange } from "../support/wire.ts";
import { JSON_API } from "../support/world.ts";

const world = await startAdminWorld([aMatch({ id: "match-a" })]);
afterAll(() => world.stop());

const HOST = "Host: here";
const FOR_RECORDS = [`Authorization: Bearer ${world.key}`, `Accept: ${JSON_API}`];

type Closed = [what: string, request: string, status: number, headers: string[], url?: string];
const ADMIN = `Authorization: ${AUTHORIZATION.Authorization}`;

/** `exchange` sends "Connection: close" with each of these. */
const CLOSED: Closed[] = [
  ["a document", "GET /shards/na/matches", 200, FOR_RECORDS],
  ["gzip", "GET /shards/na/matches", 200, ["Accept-Encoding: gzip", ...FOR_RECORDS]],
  ["HEAD", "HEAD /shards/na/matches", 200, FOR_RECORDS],
  ["an error", "GET /shards/na/matches/nobody", 404, FOR_RECORDS],
  ["a refused key", "GET /shards/na/matches", 401, []],
  ["304", "GET /shards/na/matches/match-a", 304, ["If-None-Match: *", ...FOR_RECORDS]],
  ["an open route", "GET /status", 200, []],
  ["a preflight", "OPTIONS /shards/na/matches", 204, []],
  ["the portal", "GET /", 200, []],
  ["the admin listener", "GET /metrics", 200, [ADMIN], world.adminUrl],
  ["a refusal of the admin listener", "GET /metrics", 401, [], world.adminUrl],
];

test.each(CLOSED)(
  "a request with Connection: close gets a response with it, and one to HEAD has a Date: %s",
  async (_, request, status, headers, url = world.url) => {
    const send = (line: string) => exchange(url, [`${line} HTTP/1.1`, HOST, ...headers]);
    const response = await send(request);
    expect([response.status, response.headers.get("connection")]).toEqual([status, "close"]);
    const head = await send(request.replace("GET", "HEAD"));
    expect(Date.parse(head.headers.get("date") ?? "")).not.toBeNaN();
  },
);

test("close is found among other connection options, in any case; a connection that stays open is not announced as closing", async () => {
  for (const [connection, expected] of [
    ...[
      ["Close, TE", "close"],
      ["TE, CLOSE", "close"],
      ["keep-alive,close", "close"],
    ],
    ...[
      ["keep-alive", null],
      ["closed", null],
    ],
  ] as const) {
    const response = await fetch(`${world.url}/healthz`, { headers: { Connection: connection } });
    expect([connection, response.headers.get("connection")]).toEqual([connection, expected]);
  }
});

// How long proxies in docs/install.md keep theirs.
const PROXY_MS = 5000;

test("an idle connection is closed by the server, but not within the five seconds of a proxy", async () => {
  const began = performance.now();
  // Returns when the server has closed the connection.
  const response = await exchange(world.url, ["GET /healthz HTTP/1.1", HOST], false);
  expect(response.status).toBe(200);
  expect(response.headers.get("connection")).toBeNull();
  expect(performance.now() - began).toBeGreaterThan(PROXY_MS);
});

test("HTTP/1.0 without a Host gets Connection: close", async () => {
  const response = await exchange(world.url, ["GET /healthz HTTP/1.0", "X-Nothing: 1"], false);
  expect(response.status).toBe(200);
  expect(response.headers.get("connection")).toBe("close");
});

test("a request with several Host headers is refused with 400", async () => {
  for (const url of [world.url, world.adminUrl]) {
    for (const other of ["Host: there", HOST]) {
      const response = await exchange(url, ["GET /healthz HTTP/1.1", HOST, other]);
      expect(response).toMatchObject({ status: 400, body: "" });
    }
  }
});

test("a failure outside the pipeline gets our own 500, without internals", async () => {
  const failures: Event[] = [];
  const server = await serve(world.settings, (event) => {
    if (event.event === "request" || event.event === "admin-request")
      throw new Error("secret inside");
    if (event.event === "failure") failures.push(event);
    unobserved(event);
  });
  try {
    const response = await world.get(`${server.url}/healthz`);
    expect(response.status).toBe(500);
    expect(response.text).not.toContain("secret");
    const { id, code } = problemIn(response);
    expect(code).toBe("internal-error");
    const error = new Error("secret inside");
    expect(failures).toEqual([{ event: "failure", requestId: id, error }]);
    const head = await fetch(`${server.url}/healthz`, { method: "HEAD" });
    expect([head.status, head.headers.has("date")]).toEqual([500, true]);

    const privately = await fetch(`${server.adminUrl}/metrics`, { headers: AUTHORIZATION });
    expect(privately.status).toBe(500);
    expect(await privately.json()).toMatchObject({ error: { code: "internal-error" } });
  } finally {
    await server.stop("test");
  }
});

test("a request that failed is not counted as in flight when the server stops", async () => {
  const fixBug = simulateBug();
  const stopping: Event[] = [];
  const server = await serve(world.settings, (event) => {
    if (
      event.event === "failure" &&
      event.error instanceof Error &&
      event.error.message.includes("bug")
    )
      throw new Error("the log is full");
    if (event.event === "stopping") stopping.push(event);
    unobserved(event);
  });
  try {
    const response = await fetch(`${server.url}/shards/na/players/${BUGGY_PLAYER}`, {
      headers: { Authorization: `Bearer ${world.key}`, Accept: JSON_API },
    });
    expect(response.status).toBe(500);
  } finally {
    fixBug();
    await server.stop("test");
  }
  expect(stopping).toMatchObject([{ inFlight: 0 }]);
});
