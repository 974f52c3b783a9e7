/** How the portal is served: without a key, with security headers, compressed and cached. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { buildPortal } from "../support/process.ts";
import { aMatch } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

let world: World;
beforeAll(async () => {
  buildPortal();
  world = await startWorld([aMatch({ shard: "na" })]);
});
afterAll(() => world.stop());

const request = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${world.url}${path}`, { method, headers, redirect: "manual" });

async function assetNames(): Promise<string[]> {
  const page = await (await request("/")).text();
  return [...page.matchAll(/(?:src|href)="(\/portal\/assets\/[^"]+)"/g)].map(([, name]) => name!);
}

describe("the page", () => {
  test.each(["/portal/nowhere", "/portal/na/matches", "/portal/na/teams/x", "/portal/a/b/c/d/e"])(
    "is sent with 404 for the unknown URL %s",
    async (path) => {
      const response = await request(path);
      expect([response.status, response.headers.get("cache-control")]).toEqual([404, "no-store"]);
      expect(await response.text()).toContain('<div id="portal">');
    },
  );

  test("allows nothing from other sites, nothing inline, and no frames", async () => {
    const { headers } = await request("/");
    const policy = headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("is revalidated each time, and answered with 304 while unchanged", async () => {
    const first = await request("/");
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const etag = first.headers.get("etag")!;
    const again = await request("/", { "If-None-Match": etag });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect((await request("/", { "If-None-Match": '"other"' })).status).toBe(200);
  });

  test("offers no key outside demo mode", async () => {
    expect(await (await request("/")).text()).toContain('<meta name="matchbook-offer" content="">');
  });

  test("ignores the key: no rate limit, and no error for an invalid one", async () => {
    const response = await request("/", { Authorization: "Bearer nonsense" });
    expect([response.status, response.headers.get("x-ratelimit-limit")]).toEqual([200, null]);
  });
});

describe("an asset", () => {
  test("is cached permanently, and compressed if the client accepts it", async () => {
    const names = await assetNames();
    expect(names.length).toBeGreaterThanOrEqual(4);
    for (const name of names) {
      const packed = await request(name, { "Accept-Encoding": "gzip" });
      expect([packed.status, packed.headers.get("content-encoding")]).toEqual([200, "gzip"]);
      expect(packed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
      const smaller = await request(name, { "Accept-Encoding": "gzip, br" });
      const isText = /\.(js|css)$/.test(name);
      expect(smaller.headers.get("content-encoding")).toBe(isText ? "br" : "gzip");
      const plain = await request(name, { "Accept-Encoding": "identity, br;q=0" });
      expect(plain.headers.get("content-encoding")).toBeNull();
      const text = await plain.text();
      expect([await packed.text(), await smaller.text()]).toEqual([text, text]);
    }
  });

  test("responds to HEAD with headers only", async () => {
    const [name] = await assetNames();
    const response = await request(name!, {}, "HEAD");
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect(response.headers.get("etag")).toMatch(/^W\/".+"$/);
  });

  test.each(["none-12345678.js", "..%2f..%2fpackage.json", "portal.pack", "toString"])(
    "that does not exist returns 404: %s",
    async (name) => {
      expect((await request(`/portal/assets/${name}`)).status).toBe(404);
    },
  );
});

test("methods other than GET and HEAD are rejected", async () => {
  const response = await request("/portal/status", {}, "POST");
  expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
});

test("if the portal is off, its URLs are unknown routes", async () => {
  await using off = await startWorld([], { portal: "off" });
  for (const path of ["/", "/portal/status", "/portal/assets/x.js", "/portal/nowhere"]) {
    const response = await fetch(`${off.url}${path}`);
    const { errors } = (await response.json()) as { errors: { code: string }[] };
    expect([path, response.status, errors[0]!.code]).toEqual([path, 404, "unknown-route"]);
  }
});
