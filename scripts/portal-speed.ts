/**
 * `npm run portal:speed`: loads pages of a demo server in Chromium as a first visit, on a fast line and on that of a
 * phone, and prints when they are painted, when their data are complete, and the scripts that they load.
 */

import { parseArgs } from "node:util";
import type { Browser } from "playwright-core";
import { demoDocuments } from "../src/demo/demo.ts";
import { settled, startBrowser } from "../test/browser/support.ts";
import { buildPortal } from "../test/support/process.ts";
import { startWorld, type World } from "../test/support/world.ts";

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
  },
});

/** Kilobits of a line, in bytes. */
const kilobits = (count: number): number => (count * 1000) / 8;

/** A fast line is not throttled: the browser and the server are on the same machine. */
const LINES = {
  fast: { width: 1366, height: 768, latency: 0, down: -1, up: -1 },
  phone: { width: 390, height: 844, latency: 400, down: kilobits(1600), up: kilobits(750) },
} as const;

interface Load {
  /** In milliseconds since the navigation began. */
  painted: number;
  complete: number;
  /** As transferred. */
  scriptBytes: number;
  requests: number;
}

async function load(
  browser: Browser,
  url: string,
  line: (typeof LINES)[keyof typeof LINES],
): Promise<Load> {
  const { width, height, latency, down, up } = line;
  const context = await browser.newContext({ viewport: { width, height } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency,
    downloadThroughput: down,
    uploadThroughput: up,
  });
  await page.addInitScript(() => {
    const seen = new PerformanceObserver((list) => {
      Object.assign(globalThis, { painted: list.getEntries().at(-1)!.startTime });
    });
    seen.observe({ type: "largest-contentful-paint", buffered: true });
  });
  await page.goto(url);
  await settled(page);
  // Nothing more follows what has arrived. A stream of changes has no end, so the network is never idle.
  await page.waitForFunction(() => {
    const last = performance.getEntriesByType("resource").at(-1) as PerformanceResourceTiming;
    return performance.now() - last.responseEnd > 2000;
  });
  const found = await page.evaluate(() => {
    const entries = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
    // What keeps the page up to date comes after its data: the change feed, and then whether there are newer matches,
    // which is a 304 without a body.
    const data = entries.filter(
      ({ initiatorType, name, encodedBodySize }) =>
        initiatorType === "fetch" && encodedBodySize > 0 && !name.includes("/changes"),
    );
    const scripts = entries.filter(({ name }) => name.endsWith(".js"));
    const { painted } = globalThis as unknown as { painted: number };
    return {
      painted,
      // A page may need no request at all.
      complete: Math.max(painted, ...data.map(({ responseEnd }) => responseEnd)),
      scriptBytes: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      requests: data.length,
    };
  });
  await context.close();
  return found;
}

/** The pages, with a match of the newest and two players of it. */
async function pagesOf(world: World): Promise<Record<string, string>> {
  const { body } = await world.get("/shards/na/matches?sort=-createdAt&page[limit]=1");
  interface Resource {
    type: string;
    id: string;
    attributes: { stats: { played?: number } };
  }
  const [first, second] = (body.included as Resource[])
    .filter(({ type }) => type === "player")
    .sort((one, other) => other.attributes.stats.played! - one.attributes.stats.played!);
  return {
    start: "/",
    player: `/portal/na/players/${first!.id}`,
    compare: `/portal/na/players/${first!.id}?compare=${second!.id}`,
    match: `/portal/na/matches/${body.data[0].id}`,
    heroes: "/portal/na/heroes",
    leaderboards: "/portal/na/leaderboards/win-rate",
    "quick start": "/portal/developers",
    "guide api": "/portal/developers/guides/api",
    explorer: "/portal/developers/explorer?shard=na&on=matches",
  };
}

/** All visits come from one address. */
const LIMITS = "[tiers.visitor]\nrate = 100000\nmatches-per-day = 0\n";

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;

const seconds = (ms: number): string => (ms / 1000).toFixed(2);

buildPortal();
const demo = demoDocuments({ matches: 2000, seed: 3, until: Date.now() - 40_000 });
const world = await startWorld([...demo], { "portal-visitors": "on" }, undefined, LIMITS);
const browser = await startBrowser();
console.log("| Line | Page | LCP, s | Data complete, s | Requests for data | Scripts, KB |");
console.log("|---|---|---|---|---|---|");
for (const [name, line] of Object.entries(LINES)) {
  for (const [title, path] of Object.entries(await pagesOf(world))) {
    if (flags.only && !flags.only.split(",").includes(title)) continue;
    const loads: Load[] = [];
    for (let round = 0; round < Number(flags.rounds); round += 1) {
      loads.push(await load(browser, world.url + path, line));
    }
    const of = (value: (load: Load) => number) => middle(loads.map(value));
    const cells = [
      name,
      title,
      seconds(of(({ painted }) => painted)),
      seconds(of(({ complete }) => complete)),
      of(({ requests }) => requests),
      (of(({ scriptBytes }) => scriptBytes) / 1000).toFixed(0),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
}
await browser.close();
await world.stop();
