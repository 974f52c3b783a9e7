/** Tests keys over HTTP: create, read, update, rotate, revoke, and usage. */

import { afterAll, describe, expect, test } from "bun:test";
import { expectRefused, startAdminWorld } from "../support/admin.ts";
import { TestClock } from "../support/keys.ts";
import { aMatch } from "../support/records.ts";

const world = await startAdminWorld([aMatch(), aMatch()], { "closed-shards": "beta" });
afterAll(() => world.stop());

/** A key created over HTTP. */
async function made(terms: Record<string, string | number | null | string[]> = {}) {
  const { status, body } = await world.ask("POST", "/keys", { name: "a key", ...terms });
  expect(status).toBe(201);
  return body as { key: string; record: { id: string } & Record<string, unknown> };
}

const statusOf = async (key: string, path = "/shards/na/matches") =>
  (await world.get(path, { Authorization: `Bearer ${key}` })).status;

describe("POST /keys", () => {
  test("creates a key that works at once, and shows it only this time", async () => {
    const { key, record } = await made();
    expect(key).toMatch(/^mb_[0-9A-Za-z]{38}$/);
    expect(await statusOf(key)).toBe(200);
    const again = await world.ask("GET", `/keys/${record.id}`);
    expect(again.text).not.toContain(key);
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
    await statusOf(key);
    const { body } = await world.ask("GET", `/keys/${record.id}`);
    expect(Date.parse(body.record.lastSeen)).toBeWithin(began, Date.now() + 1);
  });
});

describe("PATCH /keys/{id}", () => {
  test("changes only the given options, with immediate effect", async () => {
    const { key, record } = await made({ note: "stays", rate: 500 });
    expect(await statusOf(key)).toBe(200);
    const { status, body } = await world.ask("PATCH", `/keys/${record.id}`, {
      name: "renamed",
      rate: 1,
      burst: 1,
    });
    expect(status).toBe(200);
    expect(body.record).toMatchObject({ id: record.id, name: "renamed", note: "stays", rate: 1 });
    expect([await statusOf(key), await statusOf(key)]).toEqual([200, 429]);
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
    expect((await world.ask("GET", `/keys/${record.id}`)).body.record).toEqual(body.record);
  });
});

describe("POST /keys/{id}/rotate", () => {
  const rotate = (id: string, body?: Record<string, number | string>) =>
    world.ask("POST", `/keys/${id}/rotate`, body);

  test("creates a new key, and the old one stays valid for a day", async () => {
    const { key, record } = await made();
    const began = Date.now();
    const { status, body } = await rotate(record.id);
    expect(status).toBe(200);
    expect(body.key).not.toBe(key);
    expect(body.record.id).toBe(record.id);
    const day = 86_400_000;
    expect(Date.parse(body.previousUntil)).toBeWithin(began + day, Date.now() + day + 1);
    expect([await statusOf(key), await statusOf(body.key)]).toEqual([200, 200]);
  });

  test("without overlap ends the old one at once", async () => {
    const { key, record } = await made();
    const { body } = await rotate(record.id, { overlapSeconds: 0 });
    expect([await statusOf(key), await statusOf(body.key)]).toEqual([401, 200]);
  });

  test("reports the expiry of the key when that is earlier", async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const { record } = await made({ expiresAt });
    const { body } = await rotate(record.id, { overlapSeconds: 3600 });
    expect(Date.parse(body.previousUntil)).toBe(Date.parse(expiresAt));
  });

  test.each([
    [{ overlapSeconds: -1 }],
    [{ overlapSeconds: 31 * 86_400 + 1 }],
    [{ overlapSeconds: "soon" }],
    [{ overlap: 5 }],
  ])("refuses %j", async (body) => {
    const { key, record } = await made();
    const refused = await rotate(record.id, body as Record<string, number>);
    expectRefused(refused, "invalid-body", "overlapSeconds");
    expect(await statusOf(key)).toBe(200);
  });
});

test("POST /keys/{id}/revoke revokes a key at once; a second time changes nothing", async () => {
  const { key, record } = await made();
  expect(await statusOf(key)).toBe(200);
  const first = await world.ask("POST", `/keys/${record.id}/revoke`);
  expect([first.status, first.body.record.state]).toEqual([200, "revoked"]);
  expect(await statusOf(key)).toBe(401);
  const second = await world.ask("POST", `/keys/${record.id}/revoke`);
  expect([second.status, second.body]).toEqual([200, first.body]);
  expectRefused(await world.ask("POST", `/keys/${record.id}/rotate`), "key-ended");
});

describe("GET /keys/{id}/usage", () => {
  test("includes the most recent requests", async () => {
    const clock = new TestClock("2026-03-10T18:00:00Z");
    const recent = [1, 2].map((hour) => aMatch({ createdAt: clock.now() - hour * 3_600_000 }));
    const evening = await startAdminWorld(recent, {}, undefined, clock);
    const asked = await evening.ask("POST", "/keys", { name: "a key", matchesPerDay: 10 });
    const { key, record } = asked.body;
    for (const path of ["/shards/na/matches", "/shards/nowhere/matches"]) {
      await evening.get(path, { Authorization: `Bearer ${key}` });
    }
    const { status, body } = await evening.ask("GET", `/keys/${record.id}/usage`);
    await evening.stop();
    expect(status).toBe(200);
    const day = "2026-03-10";
    expect(body).toEqual({
      key: { id: record.id, name: "a key" },
      today: { day, matches: 2, matchesLeft: 8, resetSeconds: 6 * 3600 },
      days: [{ day, requests: { 200: 1, 404: 1 }, records: 2, lastSeen: "2026-03-10T18:00:00Z" }],
    });
  });

  test("of an unused key has no days", async () => {
    const { record } = await made({ matchesPerDay: 0 });
    const { body } = await world.ask("GET", `/keys/${record.id}/usage?days=400`);
    expect(body.today).toMatchObject({ matches: 0, matchesLeft: null });
    expect(body.days).toEqual([]);
  });

  test.each(["days=0", "days=401", "days=many", "days=1&days=2", "since=1"])(
    "refuses ?%s",
    async (query) => {
      const { record } = await made();
      expectRefused(
        await world.ask("GET", `/keys/${record.id}/usage?${query}`),
        "invalid-query",
        "days",
      );
    },
  );
});

describe("an unknown key", () => {
  test.each([
    ["GET", ""],
    ["PATCH", ""],
    ["POST", "/rotate"],
    ["POST", "/revoke"],
    ["GET", "/usage"],
  ])("gets 404 from %s /keys/{id}%s", async (method, rest) => {
    expectRefused(
      await world.ask(method, `/keys/k_0000000000${rest}`),
      "unknown-key",
      "k_0000000000",
    );
  });

  test("is not repeated when the secret key is given instead of its id", async () => {
    const { key } = await made();
    const { status, text } = await world.ask("GET", `/keys/${key}`);
    expect(status).toBe(404);
    expect(text).not.toContain(key);
  });
});
