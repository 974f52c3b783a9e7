/** In charge of how the portal is served: to everybody, safely, compressed, and never twice for nothing. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildPortal } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  buildPortal();
  world = await startWorld([aMatch({ shard: "na" })]);
}, 120_000);
afterAll(() => world.stop());

const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${world.url}${path}`, { method, headers, redirect: "manual" });

async function assetNames(): Promise<string[]> {
  const page = await (await ask("/")).text();
  return [...page.matchAll(/(?:src|href)="(\/portal\/assets\/[^"]+)"/g)].map(([, name]) => name!);
}

describe("the page", () => {
  test.each([
    "/",
    "/portal",
    "/portal/",
    "/portal/explorer?shard=na&filter[gameMode]=ranked",
    "/portal/na/matches/any-id",
    "/portal/na/players/any%20id",
    "/portal/status",
    "/portal/reference",
  ])("is opened by %s, without a key", async (path) => {
    const reply = await ask(path);
    expect([reply.status, reply.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    expect(await reply.text()).toContain('<div id="portal">');
  });

  test.each(["/portal/nowhere", "/portal/na/matches", "/portal/na/teams/x", "/portal/a/b/c/d/e"])(
    "is sent with 404 for %s, which is no address of it",
    async (path) => {
      const reply = await ask(path);
      expect([reply.status, reply.headers.get("cache-control")]).toEqual([404, "no-store"]);
      expect(await reply.text()).toContain('<div id="portal">');
    },
  );

  test("lets nothing in from elsewhere, nothing inline, and is framed by nobody", async () => {
    const { headers } = await ask("/");
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("has no script and no style of its own", async () => {
    const page = await (await ask("/")).text();
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test("is asked for each time, and not sent again while it is the same", async () => {
    const first = await ask("/");
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const etag = first.headers.get("etag")!;
    const again = await ask("/", { "If-None-Match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await ask("/", { "If-None-Match": '"other"' })).status).toBe(200);
  });

  test("offers no key, since this is no demo", async () => {
    expect(await (await ask("/")).text()).toContain('<meta name="matchbook-offer" content="">');
  });

  test("is neither charged nor changed by a key, good or bad", async () => {
    const reply = await ask("/", { Authorization: "Bearer nonsense" });
    expect([reply.status, reply.headers.get("x-ratelimit-limit")]).toEqual([200, null]);
  });
});

describe("an asset", () => {
  test("may be kept for ever, and comes compressed to those who take that", async () => {
    const names = await assetNames();
    expect(names.length).toBeGreaterThanOrEqual(4);
    for (const name of names) {
      const packed = await ask(name, { "Accept-Encoding": "gzip" });
      expect([packed.status, packed.headers.get("content-encoding")]).toEqual([200, "gzip"]);
      expect(packed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      const plain = await ask(name, { "Accept-Encoding": "identity" });
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(await plain.text()).toBe(await packed.text());
    }
  });

  test("answers HEAD with the headers alone", async () => {
    const [name] = await assetNames();
    const reply = await ask(name!, {}, "HEAD");
    expect([reply.status, await reply.text()]).toEqual([200, ""]);
    expect(reply.headers.get("etag")).toMatch(/^W\/".+"$/);
  });

  test.each(["none-12345678.js", "..%2f..%2fpackage.json", "portal.pack", "toString"])(
    "that is not there gives 404: %s",
    async (name) => {
      expect((await ask(`/portal/assets/${name}`)).status).toBe(404);
    },
  );
});

test("other methods than GET and HEAD are refused", async () => {
  const reply = await ask("/portal/status", {}, "POST");
  expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("switched off, its addresses are like any that nothing is served at", async () => {
  const off = await startWorld([], { portal: "off" });
  try {
    for (const path of ["/", "/portal/status", "/portal/assets/x.js", "/portal/nowhere"]) {
      const reply = await fetch(`${off.url}${path}`);
      const { errors } = (await reply.json()) as { errors: { code: string }[] };
      expect([path, reply.status, errors[0]!.code]).toEqual([path, 404, "unknown-route"]);
    }
  } finally {
    await off.stop();
  }
});
