/** Tests access to the admin listener: who is allowed in, and what others get. */

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_ROUTES } from "../../src/admin/routes.ts";
import type { Event } from "../../src/observe/events.ts";
import { loadSettings } from "../../src/settings/load.ts";
import { serve } from "../../src/wiring.ts";
import { expectRefused, startAdminWorld, TOKEN } from "../support/admin.ts";
import { TestClock } from "../support/keys.ts";
import { aFolder, startWorld } from "../support/world.ts";

const world = await startAdminWorld();
afterAll(() => world.stop());

/** Of docs/admin.md, which lists all of them (admin-docs.test.ts). */
const ROUTES = ADMIN_ROUTES.map(
  ({ method, path }) => [method, path.replace("{id}", "k_0123456789")] as const,
);

describe("the token", () => {
  test.each([...ROUTES, ["GET", "/nowhere"] as const])(
    "is required by %s %s, and nothing else is revealed without it",
    async (method, path) => {
      const refused = await world.ask(method, path, undefined, { Authorization: null });
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toBe("Bearer");
      expect(refused.headers.get("content-type")).toBe("application/json");
      expect(refused.headers.get("cache-control")).toBe("no-store");
      expect(refused.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}-\w+$/);
      expect(refused.body).toEqual({
        error: { code: "unauthorized", message: expect.stringContaining("Authorization: Bearer") },
      });
    },
  );

  test.each([
    [401, "another one", `Bearer ${TOKEN.slice(0, -1)}x`],
    [401, "one that is cut off", `Bearer ${TOKEN.slice(0, -1)}`],
    [401, "one that is too long", `Bearer ${TOKEN}0`],
    [401, "one without a scheme", TOKEN],
    [401, "another scheme", `Basic ${TOKEN}`],
    [401, "an API key", `Bearer ${world.key}`],
    [200, "the scheme in small letters", `bearer ${TOKEN}`],
    [200, "more than one space", `BEARER  ${TOKEN}`],
  ])("gives %d to %s", async (status, _, Authorization) => {
    expect((await world.ask("GET", "/keys", undefined, { Authorization })).status).toBe(status);
  });
});

describe("invalid tokens", () => {
  /** Its clock stands still: the count does not fall, however long a request takes. */
  async function guessed(flags: Record<string, string> = {}) {
    const all = { "open-requests-per-minute": "60", ...flags };
    const one = await startAdminWorld([], all, undefined, new TestClock());
    const ask = (token: string, headers: Record<string, string> = {}) =>
      one.ask("GET", "/keys", undefined, { Authorization: `Bearer ${token}`, ...headers });
    const statuses = async (...headers: Record<string, string>[]) => {
      const found = [];
      for (const more of headers) found.push((await ask("wrong", more)).status);
      return found;
    };
    return { ...one, token: ask, statuses };
  }

  test("block their IP address for a while, even for the right token", async () => {
    await using one = await guessed();
    expect(await one.statuses({}, {}, {})).toEqual([401, 401, 401]);
    const stopped = await one.token("wrong");
    expectRefused(stopped, "too-many-failures");
    expect(stopped.headers.get("retry-after")).toBe("20");
    expect((await one.token(TOKEN)).status).toBe(429);
  });

  test("do not block an IP address that has used the right token", async () => {
    await using one = await guessed();
    expect((await one.token(TOKEN)).status).toBe(200);
    expect(await one.statuses({}, {}, {}, {}, {})).toEqual([401, 401, 401, 429, 429]);
    expect((await one.token(TOKEN)).status).toBe(200);
  });

  test("are counted by the address of the connection, also behind a trusted proxy, apart from invalid keys", async () => {
    await using one = await guessed({ "trusted-proxies": "127.0.0.1" });
    const from = [1, 2, 3, 4, 5].map((at) => ({ "X-Forwarded-For": `203.0.113.${at}` }));
    for (const headers of from) {
      await one.get("/shards/na/matches", { Authorization: "Bearer mb_wrong", ...headers });
    }
    expect(await one.statuses(...from)).toEqual([401, 401, 401, 429, 429]);
  });
});

describe("a request", () => {
  test("to an unknown URL gets a list of those that exist", async () => {
    const { status, body } = await world.ask("GET", "/nowhere");
    expect(status).toBe(404);
    expect(body.error.code).toBe("unknown-route");
    for (const [method, path] of ROUTES) {
      expect(body.error.message).toContain(`${method} ${path.replace("k_0123456789", "{id}")}`);
    }
  });

  test.each([
    ["DELETE", "/keys", "GET, HEAD, POST"],
    ["PUT", "/keys/k_0123456789", "PATCH"],
    ["GET", "/ingest", "POST"],
    ["POST", "/metrics", "GET, HEAD"],
  ])("with %s on %s gets a response that says what is right", async (method, path, allowed) => {
    const { status, headers, body } = await world.ask(method, path);
    expect([status, body.error.code]).toEqual([405, "method-not-allowed"]);
    expect(headers.get("allow")).toBe(allowed);
  });

  test("with HEAD works wherever GET does, with the same headers and without a body", async () => {
    for (const path of ["/metrics", "/keys", "/overview"]) {
      const [got, head] = [await world.ask("GET", path), await world.ask("HEAD", path)];
      expect([path, head.status, head.text]).toEqual([path, got.status, ""]);
      for (const name of ["content-type", "cache-control", "x-content-type-options"]) {
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
      }
      expect(got.headers.get("cache-control")).toBe("no-store");
      expect(got.headers.get("x-content-type-options")).toBe("nosniff");
    }
    expect((await world.ask("HEAD", "/ingest")).status).toBe(405);
  });

  test("from a page of another site is not allowed by any response", async () => {
    const site = { Origin: "https://evil.example" };
    const asked = { "Access-Control-Request-Method": "POST" };
    for (const [method, headers] of [
      ["GET", site],
      ["OPTIONS", { ...site, ...asked, Authorization: null }],
    ] as const) {
      const reply = await world.ask(method, "/keys", undefined, headers);
      expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test.each(["/metrics", "/keys", "/overview"])(
    "with a parameter that %s does not know is refused",
    async (path) => {
      expectRefused(await world.ask("GET", `${path}?days=3`), "invalid-query");
    },
  );
});

describe("the public port", () => {
  test.each(ROUTES)("does not serve %s %s, with or without the token", async (method, path) => {
    for (const Authorization of [null, `Bearer ${TOKEN}`, `Bearer ${world.key}`]) {
      const { status, body } = await world.get(path, { Authorization }, method);
      expect([status, body.errors[0].code]).toEqual([404, "unknown-route"]);
    }
  });

  test("does not accept the token as a key", async () => {
    const { status } = await world.get("/usage", { Authorization: `Bearer ${TOKEN}` });
    expect(status).toBe(401);
  });
});

describe("startup", () => {
  const folder = aFolder();
  afterAll(() => folder.remove());
  const file = join(folder.path, "token");
  const start = (flags: Record<string, string>) => startWorld([], { "admin-port": "0", ...flags });

  test("reads the token from a file, without surrounding whitespace; the setting wins over the file", async () => {
    writeFileSync(file, `  ${TOKEN}\n\n`);
    const other = "another-token-of-the-tests-987";
    const missing = { "admin-token": other, "admin-token-file": join(folder.path, "no") };
    for (const [token, flags] of [
      [TOKEN, { "admin-token-file": file }],
      [other, missing],
    ] as const) {
      await using started = await start(flags);
      const headers = { Authorization: `Bearer ${token}` };
      expect((await fetch(`${started.adminUrl}/keys`, { headers })).status).toBe(200);
    }
  });

  test.each([
    [0o644, true],
    [0o640, false],
    [0o600, false],
  ])("with a token file of mode %o warns if every user can read it: %p", async (mode, warns) => {
    const path = join(folder.path, `token-${mode}`);
    writeFileSync(path, TOKEN);
    chmodSync(path, mode);
    const flags = { data: folder.path, port: "0", "admin-port": "0", "drain-ms": "0" };
    const { values } = loadSettings({
      flags: { ...flags, "admin-token-file": path },
      env: {},
      cwd: folder.path,
    });
    const events: Event[] = [];
    const server = await serve(values, (event) => events.push(event));
    await server.stop("test");
    expect(events.filter(({ event }) => event === "admin-token-exposed")).toEqual(
      warns ? [{ event: "admin-token-exposed", file: path }] : [],
    );
  });
});
