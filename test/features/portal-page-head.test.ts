/** What search engines and link previews see: titles, descriptions and tags of each page, robots.txt, icon, pictures. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../../src/settings/definitions.ts";
import { serve } from "../../src/wiring.ts";
import { buildPortal } from "../support/process.ts";
import { aMatch, duel } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";

const ODD = `"><script>alert('x')</script> & $& $1 \u202e`;

let world: World;
beforeAll(async () => {
  buildPortal();
  const rosters = duel(
    { id: "player-a", name: "Ada Lovelace", stats: { skillTier: 12 } },
    { id: "player-b", name: ODD },
  );
  const rest = { acesEarned: 1, gold: 30_000 };
  rosters[0].attributes = { stats: { ...rest, side: "left/blue", heroKills: 18 } };
  rosters[1].attributes = { stats: { ...rest, side: "right/red", heroKills: 9 } };
  world = await startWorld([
    aMatch({ id: "match-a", createdAt: "2026-03-14T18:00:00Z", mode: "casual_aral", rosters }),
    aMatch({ id: "match-b", shard: "beta", rosters: duel({ id: "beta-a" }, { id: "beta-b" }) }),
  ]);
});
afterAll(() => world.stop());

interface Head {
  status: number;
  html: string;
  /** What the server wrote into the page for its scripts. */
  data: {
    token?: { token: string; expiresIn: number };
    regions?: { id: string }[];
    path?: string;
    status?: number;
    // biome-ignore lint/suspicious/noExplicitAny: a response of the API.
    document?: any;
  };
  title: string | undefined;
  /** The content of each named meta tag, unescaped by a parser. */
  metas: Record<string, string>;
  canonical: string | undefined;
}

async function serving(settings: Partial<Settings> = {}) {
  const server = await serve({ ...world.settings, ...settings }, () => {});
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, { headers });
  const head = async (path: string) => headOf(await open(path));
  return { open, head, url: server.url, [Symbol.asyncDispose]: () => server.stop("test") };
}

const VISITORS = { "portal-visitors": "on" } as const;

async function headOf(response: Response): Promise<Head> {
  const html = await response.text();
  const head: Head = {
    status: response.status,
    html,
    data: JSON.parse(/id="page-data">(.*?)<\/script>/s.exec(html)?.[1] ?? "{}"),
    title: undefined,
    metas: {},
    canonical: undefined,
  };
  let title = "";
  await new HTMLRewriter()
    .on("title", {
      text({ text }) {
        title += text;
      },
    })
    .on("meta", {
      element(meta) {
        const name = meta.getAttribute("name") ?? meta.getAttribute("property");
        if (name) head.metas[name] = decoded(meta.getAttribute("content") ?? "");
      },
    })
    .on("link[rel=canonical]", {
      element(link) {
        head.canonical = decoded(link.getAttribute("href") ?? "");
      },
    })
    .transform(new Response(html))
    .text();
  return { ...head, title: decoded(title) };
}

const decoded = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&");

/** Scripts and styles in the page itself. Blocks of data are not run. */
const INLINE = /<script(?![^>]* src=|[^>]* type="application\/json")|<style| style=| on\w+=/;

const PLAYER = "/portal/na/players/player-a";
const MATCH = "/portal/na/matches/match-a";

describe("with portal visitors, the page of", () => {
  test("a player has the name and the main figures", async () => {
    await using site = await serving(VISITORS);
    const { title, metas, canonical } = await site.head(`${PLAYER}?compare=x`);
    expect(title).toBe("\u2068Ada Lovelace\u2069 · Matchbook");
    expect(metas.description).toContain("1 match, 100 % won, skill tier 12");
    expect(metas["og:title"]).toBe(title!);
    expect(metas["twitter:title"]).toBe(title!);
    expect(metas["og:description"]).toBe(metas.description!);
    expect(metas["og:type"]).toBe("profile");
    expect(metas["matchbook-visitors"]).toBe("on");
    expect([canonical, metas["og:url"]]).toEqual([site.url + PLAYER, site.url + PLAYER]);
  });

  test("a match has its mode and day", async () => {
    await using site = await serving(VISITORS);
    const { title, metas } = await site.head(MATCH);
    expect(title).toBe("Casual ARAL match, 2026-03-14 · Matchbook");
    expect(metas["og:description"]).toBe("Match in region na: both line-ups, scores and items.");
  });

  test("a player with any name contains it as text, never as markup", async () => {
    await using site = await serving(VISITORS);
    const { title, metas, html, data } = await site.head("/portal/na/players/player-b");

    expect(title).toBe(`\u2068${ODD}\u2069 · Matchbook`);
    expect(metas["og:title"]).toBe(`\u2068${ODD}\u2069 · Matchbook`);
    expect(html).not.toContain("<script>alert");
    expect(html).not.toMatch(INLINE);
    expect(data.document.data.attributes.name).toBe(ODD);
  });

  test("a record that is unknown is 404", async () => {
    await using site = await serving(VISITORS);
    for (const [path, what] of [
      ["/portal/na/players/nobody", "player"],
      ["/portal/na/players/%00", "player"],
      ["/portal/na/players/%E0%A4%A", "player"],
      ["/portal/na/matches/player-a", "match"],
      ["/portal/nowhere/players/player-a", "region"],
    ]) {
      const response = await site.open(path!);
      expect(response.headers.get("cache-control")).toBe("no-store");
      const { status, title } = await headOf(response);
      expect([path, status, title]).toEqual([path, 404, `No such ${what} · Matchbook`]);
    }
  });

  test("a record in a shard that visitors may not read has generic texts", async () => {
    await using site = await serving({ ...VISITORS, "closed-shards": ["beta"] });
    const { status, title, data } = await site.head("/portal/beta/players/beta-a");
    expect([status, title, data.document]).toEqual([200, "Player · Matchbook", undefined]);
  });

  test("a record contains the response of the API to the request that its scripts need", async () => {
    await using site = await serving(VISITORS);
    for (const [path, api] of [
      [PLAYER, "/shards/na/players/player-a"],
      [MATCH, "/shards/na/matches/match-a"],
    ]) {
      const { data } = await site.head(path!);
      expect([data.path, data.status]).toEqual([api, 200]);
      const { body } = await world.get(site.url + api, {
        Authorization: `Bearer ${data.token!.token}`,
      });
      expect(data.document).toEqual(body);
    }
  });

  test("a shard that cannot be read has generic texts", async () => {
    const shards = [{ id: "na", location: { engine: "sqlite", path: world.data } }];
    await using site = await serving({ ...VISITORS, shards: shards as never });
    const { status, title } = await site.head(PLAYER);
    expect([status, title]).toEqual([200, "Player · Matchbook"]);
  });

  test("a record beyond the limits of the address has generic texts, and still opens", async () => {
    const tiers = [{ name: "hobby" }, { name: "visitor", rate: 2, matchesPerDay: 0 }];
    await using site = await serving({ ...VISITORS, tiers });
    const titles: (string | undefined)[] = [];
    for (let time = 0; time < 3; time++) titles.push((await site.head(PLAYER)).title);
    expect(titles).toEqual([
      "\u2068Ada Lovelace\u2069 · Matchbook",
      "\u2068Ada Lovelace\u2069 · Matchbook",
      "Player · Matchbook",
    ]);
    // Pages without records need nothing of it.
    expect((await site.head("/portal/status")).title).toBe("Status · Matchbook");
  });

  test("a match counts against the daily quota of the address", async () => {
    const tiers = [{ name: "hobby" }, { name: "visitor", rate: 100, matchesPerDay: 1 }];
    await using site = await serving({ ...VISITORS, tiers });
    expect((await site.head(MATCH)).title).toStartWith("Casual ARAL");
    expect((await site.head("/portal/beta/matches/match-b")).title).toBe("Match · Matchbook");
    const { token } = (await (await site.open("/portal/visitor-token")).json()) as {
      token: string;
    };
    const response = await world.get(`${site.url}/shards/beta/matches/match-b`, {
      Authorization: `Bearer ${token}`,
    });
    expect(response.status).toBe(429);
  });
});

test("without portal visitors, no page contains anything about a player or match", async () => {
  await using site = await serving();
  const player = await site.head(PLAYER);
  const match = await site.head(MATCH);
  expect([player.title, match.title]).toEqual(["Player · Matchbook", "Match · Matchbook"]);
  for (const { html } of [player, match]) {
    expect(html).not.toMatch(/Ada|ARAL|blue side|"document"|"token"/);
    expect(html).not.toContain("matchbook-visitors");
  }
  const unknown = await site.head("/portal/na/players/nobody");
  expect(unknown.html.replaceAll("nobody", "player-a")).toBe(player.html);
});

test("every page has one title, one description and one canonical link of its own", async () => {
  await using site = await serving(VISITORS);
  const paths = [
    "/",
    PLAYER,
    MATCH,
    "/portal/na/heroes",
    "/portal/na/leaderboards/win-rate",
    "/portal/status",
    "/portal/developers",
    "/portal/developers/endpoints",
  ];
  const heads = await Promise.all(paths.map(async (path) => site.head(path)));
  expect(heads.map(({ status }) => status)).toEqual(paths.map(() => 200));
  expect(new Set(heads.map(({ title }) => title)).size).toBe(paths.length);
  expect(new Set(heads.map(({ metas }) => metas.description)).size).toBe(paths.length);
  expect(heads.map(({ canonical }) => canonical)).toEqual(paths.map((path) => site.url + path));
  for (const { html } of heads) {
    expect(html.match(/<title>/g)).toHaveLength(1);
    expect(html.match(/name="description"/g)).toHaveLength(1);
    expect(html.match(/rel="canonical"/g)).toHaveLength(1);
  }
  for (const path of ["/portal", "/portal/"]) {
    expect((await site.head(path)).canonical).toBe(`${site.url}/`);
  }
});

test.each([
  ["without visitors", {}],
  ["with visitors", VISITORS],
])("%s, an unknown region is 404, and a known one is a page", async (_, settings) => {
  await using site = await serving(settings);
  for (const path of ["", "/heroes", "/leaderboards/win-rate", "/players/x", "/matches/x"]) {
    expect((await site.open(`/portal/nowhere${path}`)).status).toBe(404);
  }
  const { status, title, data } = await site.head("/portal/na");
  expect([status, title]).toEqual([200, "Players of region na · Matchbook"]);
  expect(data.regions!.map(({ id }) => id)).toEqual(["beta", "na"]);
});

test("every page loads the scripts of its view at once", async () => {
  await using site = await serving();
  for (const [path, scripts] of [
    ["/", /^view-/],
    [PLAYER, /^view-/],
    ["/portal/developers/explorer", /^view-/],
    ["/portal/developers/guides/api", /^api-/],
    ["/portal/developers/changelog", /^CHANGELOG-/],
  ] as const) {
    const { html } = await site.head(path);
    const names = [...html.matchAll(/"modulepreload" href="\/portal\/assets\/([^"]+)"/g)];
    expect(names.filter(([, name]) => scripts.test(name!))).toHaveLength(1);
    for (const [, name] of names) {
      expect((await site.open(`/portal/assets/${name}`)).status).toBe(200);
    }
  }
});

test("a page is revalidated each time, only by the browser, and its tag changes with what it shows", async () => {
  await using site = await serving(VISITORS);
  const player = await site.open(PLAYER);
  const other = await site.open("/portal/na/players/player-b");
  expect(player.headers.get("cache-control")).toBe("private, no-cache");
  const tag = player.headers.get("etag")!;
  expect(other.headers.get("etag")).not.toBe(tag);
  expect((await site.open(MATCH, { "If-None-Match": tag })).status).toBe(200);
});

test("robots.txt lets crawlers read the pages, and never the API", async () => {
  await using site = await serving();
  const response = await site.open("/robots.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const lines = (await response.text()).split("\n");
  expect(lines).toContain("Disallow: /shards/");
  expect(lines.filter((line) => /: \/portal\/?$/.test(line))).toEqual([]);
});

test("/favicon.ico is an icon", async () => {
  await using site = await serving();
  const response = await site.open("/favicon.ico");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toStartWith("image/");
});

describe("pictures", () => {
  const PNG = Buffer.from("89504e470d0a1a0a", "hex");
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  beforeAll(() => {
    const folder = join(world.data, "pictures");
    mkdirSync(join(folder, "heroes"), { recursive: true });
    writeFileSync(join(folder, "heroes", "hero-009.png"), PNG);
    writeFileSync(join(folder, "heroes", "ilsabet.svg"), SVG);
    writeFileSync(join(folder, "heroes", "page.html"), "<p>");
    writeFileSync(join(folder, "heroes", "large.png"), Buffer.alloc(600_000));
    writeFileSync(join(folder, "secret.png"), "secret");
  });

  test("are served by name, with their type and a tag, and the page says that there are some", async () => {
    await using site = await serving();
    const response = await site.open("/portal/pictures/heroes/hero-009");
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(PNG);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const tag = response.headers.get("etag")!;
    const again = await site.open("/portal/pictures/heroes/hero-009", { "If-None-Match": tag });
    expect(again.status).toBe(304);
    expect((await site.head("/")).metas["matchbook-pictures"]).toBe("on");
  });

  test("in SVG run nothing", async () => {
    await using site = await serving();
    const response = await site.open("/portal/pictures/heroes/ilsabet");
    expect(response.headers.get("content-type")).toBe("image/svg+xml");
    const policy = response.headers.get("content-security-policy")!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("sandbox");
    expect(policy).not.toContain("script-src");
  });

  test("are nothing else", async () => {
    const names = [
      "heroes/nobody",
      "heroes/page",
      "heroes/page.html",
      "heroes/large",
      "heroes/hero-009.png",
      "heroes/..%2fsecret",
      "heroes/%2e%2e%2fsecret",
      "heroes/..",
      "..%2f/secret",
      "items/hero-009",
      "%2e%2e/pictures",
      `heroes/${"a".repeat(300)}`,
    ];
    await using site = await serving();
    for (const name of names) {
      const response = await fetch(`${site.url}/portal/pictures/${name}`);
      expect([name, response.status]).toEqual([name, 404]);
      expect(await response.text()).not.toContain("secret");
    }
  });

  test("are 404 without the folder, and the page does not ask for them", async () => {
    rmSync(join(world.data, "pictures"), { recursive: true });
    await using site = await serving();
    expect((await site.open("/portal/pictures/heroes/hero-009")).status).toBe(404);
    expect((await site.head("/")).metas["matchbook-pictures"]).toBeUndefined();
  });
});
