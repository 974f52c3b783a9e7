/**
 * `npm run screenshots`: takes a screenshot of every portal page, wide and narrow, light and dark, into
 * docs/images. Records, times and URLs are fixed, so that images change only when pages change.
 */

import { mkdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { demoDocuments } from "../src/demo/demo.ts";
import { unobserved } from "../src/observe/events.ts";
import { openAccess } from "../src/open-access.ts";
import { loadSettings } from "../src/settings/load.ts";
import { serve } from "../src/wiring.ts";
import { settled, startBrowser } from "../test/browser/support.ts";
import { buildPortal } from "../test/support/process.ts";
import { aFolder, ingestInto, JSON_API } from "../test/support/world.ts";

const { values: flags } = parseArgs({
  options: {
    out: { type: "string", default: resolve(import.meta.dir, "..", "docs", "images") },
    // The whole page instead of the first screen.
    full: { type: "boolean", default: false },
    format: { type: "string", default: "webp" },
    only: { type: "string" },
  },
});
const format = flags.format as "webp" | "png";

const NOW = Date.parse("2026-03-14T18:30:00Z");
const MATCHES = 6000;
const ORIGIN = "http://matchbook.example";
/** The key in the screenshots. It is not valid; requests are sent with the real one. */
const SHOWN_KEY = "mb_4f0c1d7e9a2b8c6d5e3f1a0b9c8d7e6fDEMO42";

const SCREENS = [
  { name: "wide", width: 1280, height: 860, scale: 1 },
  { name: "narrow", width: 360, height: 740, scale: 2 },
] as const;

async function startService() {
  const folder = aFolder();
  const given = { data: folder.path, port: "0", "log-level": "silent", "drain-ms": "0" };
  const { values: settings } = loadSettings({ flags: given, env: {}, cwd: folder.path });
  const documents = demoDocuments({ matches: MATCHES, seed: 3, until: NOW - 40_000 });
  await ingestInto(settings, [...documents], { threads: 1 });
  const access = openAccess({ data: folder.path });
  const { key } = await access.keys.create({ name: "pictures", rate: 6000 }, NOW);
  await access.close();
  const clock = { now: () => NOW, monotonic: () => performance.now() };
  const server = await serve(settings, unobserved, clock);
  const stop = async () => {
    await server.stop("done");
    folder.remove();
  };
  return { url: server.url, key, stop };
}

type Service = Awaited<ReturnType<typeof startService>>;

/** The newest match, and its player with the most matches. */
async function records({ url, key }: Service): Promise<{ match: string; player: string }> {
  const response = await fetch(`${url}/shards/na/matches?sort=-createdAt&page[limit]=1`, {
    headers: { Authorization: `Bearer ${key}`, Accept: JSON_API },
  });
  interface Resource {
    type: string;
    id: string;
    attributes: { stats: { played?: number } };
  }
  const { data, included } = (await response.json()) as { data: Resource[]; included: Resource[] };
  const played = ({ attributes }: Resource) => attributes.stats.played ?? 0;
  const [player] = included
    .filter(({ type }) => type === "player")
    .sort((one, other) => played(other) - played(one));
  return { match: data[0]!.id, player: player!.id };
}

/** Routes requests for a fixed origin to the server. */
async function redirect(context: BrowserContext, { url, key }: Service): Promise<void> {
  await context.route(`${ORIGIN}/**`, async (route) => {
    const request = route.request();
    const headers = { ...(await request.allHeaders()) };
    // A stream never ends; without a response, the page shows what it has.
    if (headers.accept?.includes("text/event-stream")) return;
    if (headers.authorization) headers.authorization = `Bearer ${key}`;
    const response = await route.fetch({ url: request.url().replace(ORIGIN, url), headers });
    await route.fulfill({ response });
  });
  await context.addInitScript((key) => {
    localStorage.setItem("matchbook.key", key);
    localStorage.setItem("matchbook.shard", "na");
  }, SHOWN_KEY);
}

async function take(page: Page, file: string, fromTop: { height: number }): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", {
    format,
    ...(format === "webp" ? { quality: 82 } : {}),
    ...(flags.full
      ? {
          captureBeyondViewport: true,
          clip: { x: 0, y: 0, width: page.viewportSize()!.width, height: fromTop.height, scale: 1 },
        }
      : {}),
  });
  await Bun.write(file, Buffer.from(data, "base64"));
  console.log(
    `${String(Math.ceil(statSync(file).size / 1024)).padStart(5)} KB  ${relative(".", file)}`,
  );
}

buildPortal();
const service = await startService();
const { match, player } = await records(service);
const pages = {
  start: "/",
  player: `/portal/na/players/${player}`,
  match: `/portal/na/matches/${match}`,
  heroes: "/portal/na/heroes?sort=-winRate",
  leaderboards: "/portal/na/leaderboards/win-rate",
  status: "/portal/status",
  developers: "/portal/developers",
  keys: "/portal/developers/keys",
  endpoints: "/portal/developers/endpoints",
  explorer:
    "/portal/developers/explorer?shard=na&on=matches&sort=-createdAt&filter[gameMode]=ranked",
  usage: "/portal/developers/usage",
};
const browser = await startBrowser();
mkdirSync(flags.out, { recursive: true });
for (const screen of SCREENS) {
  for (const theme of ["light", "dark"] as const) {
    const context = await browser.newContext({
      viewport: { width: screen.width, height: screen.height },
      deviceScaleFactor: screen.scale,
      colorScheme: theme,
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "UTC",
    });
    await redirect(context, service);
    for (const [name, path] of Object.entries(pages)) {
      if (flags.only && !flags.only.split(",").includes(name)) continue;
      const page = await context.newPage();
      await page.clock.setFixedTime(NOW);
      await page.goto(ORIGIN + path);
      await settled(page);
      await page.evaluate(() => document.fonts.ready);
      await settled(page);
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await take(page, join(flags.out, `${name}-${screen.name}-${theme}.${format}`), { height });
      await page.close();
    }
    await context.close();
  }
}
await browser.close();
await service.stop();
