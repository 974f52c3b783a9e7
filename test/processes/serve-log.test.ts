/** Tests what `matchbook serve` logs about requests. */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aFolder, JSON_API } from "../support/world.ts";

const folder = aFolder();
afterAll(() => folder.remove());
const data = join(folder.path, "data");

/** The log lines about requests that a server with these flags wrote until it exited. */
async function loggedRequests(flags: string[], paths: string[], key: string, more = {}) {
  const server = await startServerProcess(["--data", data, "--drain-ms", "0", ...flags]);
  const headers = { Authorization: `Bearer ${key}`, Accept: JSON_API, ...more };
  for (const path of paths) await (await fetch(`${server.url}${path}`, { headers })).arrayBuffer();
  const written = new Response(server.child.stderr).text();
  expect(await server.end()).toBe(0);
  const text = await written;
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return {
    text,
    requests: lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "request"),
  };
}

test("the log line of a request has its query, error and tier; names only if enabled", async () => {
  const created = await matchbook(["keys", "create", "--name", "n", "--data", data]);
  const key = created.stdout.trim();
  const paths = [
    "/shards/na/players?filter[playerNames]=Zoe,Ann",
    `/status?key=${key}`,
    "/healthz",
  ];
  const query = "filter[playerNames]=…";
  const usual = await loggedRequests([], paths, key);
  expect(usual.requests).toMatchObject([
    { path: "/shards/na/players", query, status: 404, code: "unknown-shard", tier: "hobby" },
    { path: "/status", query: "…", status: 400, code: "unknown-parameter" },
    { path: "/healthz", status: 200 },
  ]);
  expect(usual.requests[2]).not.toHaveProperty("query");
  expect(usual.text).not.toMatch(/Zoe|Ann/);
  expect(usual.text).not.toContain(key.slice(3, 30));
});

test("no IP address of a client is logged, whatever becomes of its requests", async () => {
  const paths = ["/shards/na/matches", "/status", "/healthz", "/nowhere"];
  const flags = ["--trusted-proxies", "127.0.0.1", "--open-requests-per-minute", "20"];
  const forwarded = { "X-Forwarded-For": "203.0.113.7", Forwarded: "for=203.0.113.7" };
  const { text, requests } = await loggedRequests(
    [...flags, "--log-level", "trace"],
    [...paths, ...paths],
    "mb_wrong",
    forwarded,
  );
  expect(requests.map(({ status }) => status)).toContain(429);
  expect(text).not.toContain("203.0.113.7");
  expect(JSON.stringify(requests)).not.toContain("127.0.0.1");
});
