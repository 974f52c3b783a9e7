/** Tests keys over HTTP: create, list, change and revoke. */

import { afterAll, describe, expect, test } from "bun:test";
import { expectRefused, startAdminWorld } from "../support/admin.ts";
import { aMatch } from "../support/records.ts";
import { until } from "../support/state.ts";

const world = await startAdminWorld([aMatch(), aMatch()], { "closed-shards": "beta" });
afterAll(() => world.stop());

/** A key created over HTTP. */
async function made(terms: Record<string, string | number | null | string[]> = {}) {
  const { status, body } = await world.ask("POST", "/keys", { name: "a key", ...terms });
  expect(status).toBe(201);
  return body as { key: string; record: { id: string } & Record<string, unknown> };
}

/** A key as the list of all keys shows it. */
const listed = async (id: string) =>
  (await world.ask("GET", "/keys")).body.keys.find((one: { id: string }) => one.id === id);

/** Servers notice changes of keys within about a second. */
const becomes = (key: string, status: number) =>
  until(`the key gets ${status}`, async () => (await statusOf(key)) === status);

const statusOf = async (key: string, path = "/shards/na/matches") =>
  (await world.get(path, { Authorization: `Bearer ${key}` })).status;

describe("POST /keys", () => {
  test("creates a key that soon works, and shows it only this time", async () => {
    const { key, record } = await made();
    expect(key).toMatch(/^mb_[0-9A-Za-z]{38}$/);
    await becomes(key, 200);
    expect(await listed(record.id)).toBeDefined();
    expect((await world.ask("GET", "/keys")).text).not.toContain(key);
  });

  test("accepts every option, and returns the effective limits", async () => {
    const limits = {
      tier: "community",
      ...{ rate: 120, burst: 10, matchesPerDay: 0, shards: ["na", "beta"] },
    };
    const terms = { name: "Tournament desk", note: "contract 17", ...limits };
    const { record } = await made({ ...terms, expiresAt: "2099-05-01T12:00:00+02:00" });
    expect(record).toMatchObject({
      ...terms,
      ...{ state: "live", expiresAt: "2099-05-01T10:00:00Z", revokedAt: null, lastSeen: null },
      allowance: limits,
    });
  });

  test("reports every problem, and creates nothing", async () => {
    const before = (await world.ask("GET", "/keys")).body.keys.length;
    const { status, body } = await world.ask("POST", "/keys", {
      tier: "comunity",
      rate: 0,
      burst: "many",
      matchesPerDay: 1.5,
      shards: [],
      expiresAt: "2001-01-01T00:00:00Z",
      note: "two\nlines",
      ratee: 5,
    });
    expect([status, body.error.code]).toEqual([400, "invalid-body"]);
    const problems: string[] = body.error.problems;
    expect(problems).toHaveLength(9);
    const PROBLEMS: Record<string, RegExp> = {
      name: /missing/,
      tier: /community\?.*hobby, community, commercial/,
      rate: /1 to 100000000/,
      burst: /0 to 100000000/,
      matchesPerDay: /0 to 1000000000/,
      shards: /na\+eu/,
      expiresAt: /future/,
      note: /1 to 500/,
      '"ratee"': /rate\?/,
    };
    for (const [start, words] of Object.entries(PROBLEMS)) {
      expect(problems.find((one) => one.startsWith(start))).toMatch(words);
    }
    for (const problem of problems) expect(body.error.message).toContain(problem);
    expect((await world.ask("GET", "/keys")).body.keys).toHaveLength(before);
  });

  test.each([
    ["name", null, "string"],
    ["name", 5, "string"],
    ["note", true, "string"],
    ["tier", ["hobby"], "string"],
    ["rate", [5], "number"],
    ["shards", 5, '["na", "eu"]'],
    ["shards", ["na", 5], '["na", "eu"]'],
    ["expiresAt", 4_000_000_000_000, "string"],
    ["expiresAt", "2099-05-01T12:00:00", "2027-01-31T18:00:00Z"],
  ])("refuses %s: %j", async (term, value, words) => {
    const { status, body } = await world.ask("POST", "/keys", { name: "x", [term]: value });
    expect(status).toBe(400);
    expect(body.error.problems).toEqual([expect.stringMatching(new RegExp(`^${term}: `))]);
    expect(body.error.message).toContain(words);
  });

  test.each([
    ['{"name":', "JSON"],
    ["[]", "JSON object"],
    ["", "name"],
  ])("refuses the body %j", async (body, words) => {
    expectRefused(await world.ask("POST", "/keys", body), "invalid-body", words);
  });

  test("refuses a body of more than 64 KiB, however it is sent", async () => {
    const large = JSON.stringify({ name: "x".repeat(64 * 1024) });
    expect((await world.ask("POST", "/keys", large)).status).toBe(413);
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(large));
        controller.close();
      },
    });
    const response = await fetch(`${world.adminUrl}/keys`, {
      method: "POST",
      headers: { Authorization: `Bearer ${world.settings["admin-token"]}` },
      body: chunks,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ error: { code: "body-too-large" } });
  });
});

describe("GET /keys", () => {
  test("lists all keys, oldest first, including expired and revoked ones", async () => {
    const first = await made({ name: "listed first" });
    await world.ask("POST", `/keys/${first.record.id}/revoke`);
    const second = await made({ name: "listed second" });
    const { status, body } = await world.ask("GET", "/keys");
    expect(status).toBe(200);
    const names = body.keys.map(({ name }: { name: string }) => name);
    expect(names[0]).toBe("test");
    expect(names.slice(-2)).toEqual(["listed first", "listed second"]);
    const states = body.keys.slice(-2).map(({ state }: { state: string }) => state);
    expect(states).toEqual(["revoked", "live"]);
    expect(body.keys.at(-1)).toEqual(second.record);
  });

  test("shows when each key was last used", async () => {
    const began = Date.now();
    const { key, record } = await made();
    expect(record.lastSeen).toBeNull();
    await becomes(key, 200);
    // Servers store usage every two seconds.
    const seen = await until(
      "its use is stored",
      async () => (await listed(record.id)).lastSeen ?? undefined,
    );
    expect(Date.parse(seen)).toBeWithin(began, Date.now() + 1);
  });
});

describe("PATCH /keys/{id}", () => {
  test("changes only the given options", async () => {
    const { key, record } = await made({ note: "stays", rate: 500 });
    await becomes(key, 200);
    const { status, body } = await world.ask("PATCH", `/keys/${record.id}`, {
      name: "renamed",
      rate: 1,
      burst: 1,
    });
    expect(status).toBe(200);
    expect(body.record).toMatchObject({ id: record.id, name: "renamed", note: "stays", rate: 1 });
    await becomes(key, 429);
  });

  test("removes an override with null, and with an invalid option changes nothing", async () => {
    const { record } = await made({ rate: 5, note: "n", tier: "community", shards: ["na"] });
    const { body } = await world.ask("PATCH", `/keys/${record.id}`, {
      rate: null,
      note: null,
      tier: null,
      shards: null,
    });
    expect(body.record).toMatchObject({ rate: null, note: null, tier: null, shards: null });
    expect(body.record.allowance).toMatchObject({ tier: "hobby", shards: ["*"] });
    const refused = await world.ask("PATCH", `/keys/${record.id}`, { name: "new", nmae: "x" });
    expect(refused.body.error.problems).toEqual([expect.stringMatching(/^"nmae" .* name\?$/)]);
    expect(await listed(record.id)).toEqual(body.record);
  });
});

test("POST /keys/{id}/revoke revokes a key; a second time changes nothing", async () => {
  const { key, record } = await made();
  await becomes(key, 200);
  const first = await world.ask("POST", `/keys/${record.id}/revoke`);
  expect([first.status, first.body.record.state]).toEqual([200, "revoked"]);
  await becomes(key, 401);
  const second = await world.ask("POST", `/keys/${record.id}/revoke`);
  const unchanged = { ...first.body.record, lastSeen: second.body.record.lastSeen };
  expect([second.status, second.body.record]).toEqual([200, unchanged]);
});
