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

test("the log line of a request has its query without names and keys, error and tier, and never the client's IP address", async () => {
  const created = await matchbook(["keys", "create", "--name", "n", "--data", data]);
  const key = created.stdout.trim();
  const paths = [
    "/shards/na/players?filter[playerNames]=Zoe,Ann",
    `/status?key=${key}`,
    "/healthz",
    ...Array(30).fill("/status"),
  ];
  const flags = ["--trusted-proxies", "127.0.0.1", "--open-requests-per-minute", "20"];
  const forwarded = { "X-Forwarded-For": "203.0.113.7", Forwarded: "for=203.0.113.7" };
  const trace = [...flags, "--log-level", "trace"];
  const { text, requests } = await loggedRequests(trace, paths, key, forwarded);
  expect(requests.slice(0, 3)).toMatchObject([
    {
      ...{ path: "/shards/na/players", query: "filter[playerNames]=…" },
      ...{ status: 404, code: "unknown-shard", tier: "hobby" },
    },
    { path: "/status", query: "…", status: 400, code: "unknown-parameter" },
    { path: "/healthz", status: 200 },
  ]);
  expect(requests[2]).not.toHaveProperty("query");
  expect(requests.map(({ status }) => status)).toContain(429);
  expect(text).not.toMatch(/Zoe|Ann|203\.0\.113\.7/);
  expect(text).not.toContain(key.slice(3, 30));
  expect(JSON.stringify(requests)).not.toContain("127.0.0.1");
});
