/** Tests that keys, hashes and tokens appear nowhere after all kinds of requests. */

import { expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { hashKey, makeKey } from "../../src/access/key.ts";
import { demoLines } from "../support/demo.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { sharedFolder } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { JSON_API } from "../support/world.ts";

const folder = sharedFolder();
const cwd = folder;

const TOKEN = `token-${"s3cret".repeat(5)}`;
const WRONG_TOKEN = `other-${"s3cret".repeat(5)}`;

test("no key, hash or token appears in logs, metrics, errors, responses or process listings, nor any name or address in logs", async () => {
  await matchbook(["ingest", "-"], { cwd, stdin: demoLines(30, Date.now()).join("\n") });
  const made = await matchbook(["keys", "create", "--name", "one"], { cwd });
  const key = made.stdout.trim();
  const id = /k_\w{10}/.exec(made.stderr)![0];
  const flags = ["--admin-port", "0", "--log-level", "trace", "--trusted-proxies", "127.0.0.1"];
  const server = await startServerProcess(flags, {
    cwd,
    env: { MATCHBOOK_ADMIN_TOKEN: TOKEN, MATCHBOOK_OPEN_REQUESTS_PER_MINUTE: "100" },
  });
  const admin = await server.saying(/admin listener on (http:\S+)/);
  const seen: string[] = [];
  const request = async (url: string, init: RequestInit = {}) => {
    const response = await fetch(url, init);
    const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
    seen.push(text);
    return text;
  };
  const privately = (path: string, init: RequestInit = {}) =>
    request(`${admin}${path}`, { ...init, headers: { Authorization: `Bearer ${TOKEN}` } });

  // A new key is shown once to whoever created it; that is not checked here.
  const another = await fetch(`${admin}/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${TOKEN}` },
    body: '{"name":"fresh"}',
  });
  const { key: fresh } = (await another.json()) as { key: string };
  expect(fresh).toStartWith("mb_");
  const own = { Authorization: `Bearer ${fresh}` };
  await until("it is known", async () => (await fetch(`${server.url}/usage`, { headers: own })).ok);
  const guesses = Array.from({ length: 8 }, makeKey);
  for (const shown of [key, fresh, ...guesses]) {
    const forwarded = { "X-Forwarded-For": "203.0.113.7", Forwarded: "for=203.0.113.7" };
    const headers = { Authorization: `Bearer ${shown}`, Accept: JSON_API, ...forwarded };
    for (const path of [
      "/shards/na/players?filter[playerNames]=Zoe,Ann",
      "/shards/na/matches",
      `/shards/na/matches/${shown}`,
      `/shards/${shown}/players`,
      `/${shown}?key=${shown}`,
      `/shards/na/matches?${shown}=1&filter[playerNames]=${shown}`,
      `/shards/na/matches?page[after]=${shown}`,
      `/usage?${shown}`,
    ]) {
      await request(`${server.url}${path}`, { headers });
    }
  }
  for (const path of [
    "/keys",
    `/keys/${id}`,
    `/keys/${id}/revoke`,
    `/keys/${fresh}`,
    "/nowhere",
    `/${TOKEN}`,
    `/metrics/${TOKEN}`,
    `/keys/${TOKEN}`,
    `/keys/${TOKEN}/revoke`,
  ]) {
    await privately(path);
    await request(`${admin}${path}`, { headers: { Authorization: `Bearer ${WRONG_TOKEN}` } });
    await request(`${server.url}${path}`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  }
  await privately("/keys", {
    method: "POST",
    body: JSON.stringify({ name: fresh, secret: TOKEN }),
  });
  await privately("/ingest", { method: "POST", body: `{"key":"${fresh}","token":"${TOKEN}"}\n` });
  const metrics = await privately("/metrics");
  expect(metrics).toContain("matchbook_requests_total");

  const arguments_ = readFileSync(`/proc/${server.child.pid}/cmdline`, "utf8");
  await server.end();
  const log = await new Response(server.child.stderr).text();
  expect(log).toContain(id);
  expect(log.split("\n").length).toBeGreaterThan(70);
  const lines = log.split("\n").filter((line) => line.startsWith("{"));
  const requests = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === "request");
  expect(requests.find(({ path }) => path === "/shards/na/players")).toMatchObject({
    ...{ path: "/shards/na/players", query: "filter[playerNames]=…" },
    ...{ status: 200, keyId: id, tier: "hobby" },
  });
  expect(requests.map(({ status }) => status)).toContain(429);
  expect(log).not.toMatch(/Zoe|Ann|203\.0\.113\.7/);
  expect(JSON.stringify(requests)).not.toContain("127.0.0.1");
  const listing = (await matchbook(["keys", "list", "--json"], { cwd })).stdout;
  const settings = await matchbook(["config"], { cwd, env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } });
  expect(settings.stdout).toContain("admin-token");

  const secrets = [key, fresh, ...guesses].flatMap((one) => [one, hashKey(one)]);
  const places = {
    responses: seen.join("\n"),
    log,
    metrics,
    arguments: arguments_,
    listing,
    settings: settings.stdout,
  };
  for (const [place, text] of Object.entries(places)) {
    const found = [...secrets, TOKEN, hashKey(TOKEN)].filter((secret) => text.includes(secret));
    // An error may repeat to callers what they sent themselves.
    const allowed = place === "responses" ? [key, fresh, ...guesses] : [];
    expect([place, found.filter((one) => !allowed.includes(one))]).toEqual([place, []]);
  }
  for (const name of readdirSync(join(cwd, "data"))) {
    const bytes = readFileSync(join(cwd, "data", name)).toString("latin1");
    const found = [key, fresh, ...guesses, TOKEN].filter((secret) => bytes.includes(secret));
    expect([name, found]).toEqual([name, []]);
  }
});

test("a new data folder, shards, keys and rejected records can be read by their owner only", async () => {
  const data = join(cwd, "new", "data");
  const stdin = [...demoLines(5, Date.now()), "{}"].join("\n");
  const rejects = join(cwd, "rejects.ndjson");
  await matchbook(["ingest", "-", "--shard", "na", "--data", data, "--rejects", rejects], {
    stdin,
  });
  await matchbook(["keys", "create", "--name", "one", "--data", data]);
  const names = readdirSync(data);
  expect(names).toContain("access.sqlite");
  expect(names.some((name) => name.endsWith(".db"))).toBe(true);
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect(modeOf(data)).toBe("700");
  const files = [...names.map((name) => join(data, name)), rejects];
  expect(files.filter((file) => modeOf(file) !== "600")).toEqual([]);
});
