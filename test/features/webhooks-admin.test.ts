/** Tests hooks over HTTP: add, list, show, pause, resume, test, replay, rotate the secret, remove. */

import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { expectRefused, startAdminWorld } from "../support/admin.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";
import { matchesOf, signatureOf, startReceiver } from "../support/webhooks.ts";

const world = await startAdminWorld([aMatch()], {
  hooks: "private",
  "closed-shards": "beta",
});
const receiver = startReceiver();
afterAll(async () => {
  await world.stop();
  await receiver.stop();
});

const aKey = async () =>
  (await world.ask("POST", "/keys", { name: "hooks" })).body.record.id as string;

async function added(wanted: Record<string, string | string[]> = {}) {
  const body = { key: await aKey(), url: receiver.url, ...wanted };
  const { status, body: made } = await world.ask("POST", "/hooks", body);
  expect(status).toBe(201);
  return made as { hook: { id: string; key: string }; secret: string };
}

describe("POST /hooks", () => {
  test("adds a hook, to which the server delivers", async () => {
    const { hook, secret } = await added({ shards: ["na"], players: [] });
    expect(hook).toMatchObject({ url: receiver.url, shards: ["na"], players: [], state: "active" });
    await world.ingest([aMatch({ id: "delivered" })]);
    const got = await until("the change is delivered", () =>
      receiver.received.find((one) => matchesOf(one).includes("delivered")),
    );
    expect(got.signatures).toEqual([signatureOf(secret, got)]);
    const metrics = await until("it is counted", async () => {
      const { text } = await world.ask("GET", "/metrics");
      return /^matchbook_hook_deliveries_total{result="delivered"} [1-9]/m.test(text) && text;
    });
    expect(metrics).toContain("matchbook_paused_hooks 0");
    await world.ask("POST", `/hooks/${hook.id}/remove`);
  });

  test("reports every problem, and adds nothing", async () => {
    const { status, body } = await world.ask("POST", "/hooks", {
      url: "ftp://example.com",
      shards: ["Not A Shard"],
      players: "p1",
      keyy: "k",
    });
    expect([status, body.error.code]).toEqual([400, "invalid-body"]);
    expect(body.error.problems.map((one: string) => one.split(/[: ]/)[0])).toEqual([
      '"keyy"',
      "key",
      "url",
      "shards",
      "players",
    ]);
    expect((await world.ask("GET", "/hooks")).body.hooks).toEqual([]);
  });

  test.each([
    ["a shard that the key may not read", { shards: ["beta"] }, "may not read beta"],
    [
      "too many players",
      { players: Array.from({ length: 101 }, (_, at) => `p${at}`) },
      "at most 100",
    ],
  ])("refuses %s", async (_, wanted, words) => {
    const body = { key: await aKey(), url: receiver.url, ...wanted };
    expectRefused(await world.ask("POST", "/hooks", body), "invalid-body", words);
  });

  test("does not repeat a key that was sent instead of its id", async () => {
    const refused = await world.ask("POST", "/hooks", { key: world.key, url: receiver.url });
    expect(refused.status).toBe(400);
    expect(refused.text).not.toContain(world.key);
  });

  test("refuses more than 200 hooks in all", async () => {
    const { hook } = await added();
    await world.ask("POST", `/hooks/${hook.id}/pause`);
    const file = new Database(join(world.data, "hooks.sqlite"));
    file.run(`WITH RECURSIVE copies(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM copies WHERE at < 199)
      INSERT INTO hooks (id, created_at, version, state)
      SELECT 'copy-' || at, created_at, 0, json_set(state, '$.keyId', 'k_' || at) FROM copies, hooks WHERE id = '${hook.id}'`);
    const body = { key: await aKey(), url: receiver.url };
    const refused = await world.ask("POST", "/hooks", body);
    expectRefused(refused, "too-many-hooks");
    file.run("DELETE FROM hooks WHERE id LIKE 'copy-%'");
    file.close();
    expect((await world.ask("POST", "/hooks", body)).status).toBe(201);
    for (const { id } of (await world.ask("GET", "/hooks")).body.hooks)
      await world.ask("POST", `/hooks/${id}/remove`);
  });
});

test("the secret is shown only when it is asked for", async () => {
  const { hook, secret } = await added();
  for (const path of ["/hooks", `/hooks/${hook.id}`]) {
    const { status, text } = await world.ask("GET", path);
    expect(status).toBe(200);
    expect(text).toContain(hook.id);
    expect(text).not.toContain("whsec_");
  }
  expect((await world.ask("GET", `/hooks/${hook.id}?secret=true`)).body.secret).toBe(secret);
  expect((await world.ask("GET", `/hooks/${hook.id}?secret=yes`)).status).toBe(400);
  await world.ask("POST", `/hooks/${hook.id}/remove`);
});

test("pause, resume, rotate-secret, replay and remove show the hook as it is then", async () => {
  const { hook, secret } = await added();
  const post = (action: string, body?: Record<string, string>) =>
    world.ask("POST", `/hooks/${hook.id}/${action}`, body);
  expect((await post("pause")).body.hook).toMatchObject({ state: "paused", pausedBy: "operator" });
  expect((await post("resume")).body.hook).toMatchObject({ state: "active", pausedBy: null });
  const rotated = await post("rotate-secret");
  expect(rotated.body.secret).toMatch(/^whsec_/);
  expect(rotated.body.secret).not.toBe(secret);
  expect(rotated.body.hook.previousSecretUntil).toBe(rotated.body.previousUntil);
  const before = receiver.received.length;
  expect((await post("replay", { since: "2001-01-01T00:00:00Z" })).status).toBe(200);
  const again = await until("it is replayed", () => receiver.received[before]);
  expect(again.signatures).toHaveLength(2);
  expect((await post("replay", {})).body.error.message).toContain("time zone");
  expect((await post("pause", { now: "yes" })).status).toBe(400);
  expect((await post("remove")).body.hook.id).toBe(hook.id);
  expect((await post("remove")).body.error.code).toBe("unknown-hook");
});

test("test sends a message and says what became of it", async () => {
  const { hook } = await added();
  const sent = () => world.ask("POST", `/hooks/${hook.id}/test`);
  expect((await sent()).body).toMatchObject({ delivered: true, result: "HTTP 200" });
  receiver.respond = () => new Response("", { status: 418 });
  expect((await sent()).body).toMatchObject({ delivered: false, result: "HTTP 418" });
  receiver.respond = () => new Response();
  await world.ask("POST", `/hooks/${hook.id}/remove`);
});
