/**
 * Pages of the portal: accessible, and nothing sticks out. `npm test` has the main ones, narrow and light, then wide and
 * dark; `npm run test:long` all of them, at four widths.
 */

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { isLong } from "../support/scale.ts";
import { shared } from "../support/shared.ts";
import { startWorld, type World } from "../support/world.ts";
import { openMore } from "./explorer.ts";
import { CODED, HOSTILE, MARKUP, oddRecords, SIX, SPARE, UNEVEN } from "./odd-records.ts";
import { inBrowser, looks, settled, startDemoWorld, visit, WIDTHS } from "./support.ts";

type Shows = (page: Page) => Promise<unknown>;

/** With the address of a record in each demo world: ID is its newest match, PLAYER one of its players. */
const MAIN: [what: string, path: string, shows: Shows][] = [
  ["the home page", "/", settled],
  ["a player", "/portal/na/players/PLAYER", settled],
  ["a match", "/portal/na/matches/ID", (page) => page.locator(".match-fold summary").click()],
  // Few heroes: axe-core looks at every cell.
  ["heroes", "/portal/na/heroes?mode=casual_aral&sort=-winRate", settled],
  ["the status", "/portal/status", settled],
  ["the dialog of the key", "/portal/status", openKey],
  ["the developer area", "/portal/developers", settled],
  ["the endpoints", "/portal/developers/endpoints", openEndpoints],
  [
    "the explorer",
    "/portal/developers/explorer?shard=na&on=matches&filter[playerIds]=PLAYER&page[limit]=2",
    openMore,
  ],
];

const MORE = [
  "/portal/na/heroes",
  "/portal/na/leaderboards/skill-tier?player=PLAYER",
  ...["/keys", "/guides", "/usage", "/changelog"].map((page) => `/portal/developers${page}`),
  ...["changes", "insights"].map((name) => `/portal/developers/guides/${name}`),
  "/portal/developers/explorer?shard=na&on=matches&sort=-createdAt",
  ...["match&id=ID&as=json", "matches&as=code", "matches&page[limit]=50&filtr=1"].map(
    (query) => `/portal/developers/explorer?shard=na&on=${query}`,
  ),
  "/portal/nothing/here",
];

/** Names of any length and direction, and line-ups of any size. A short leaderboard is the first, for `npm test`. */
const ODD = [
  "/portal/na/leaderboards/ranked-wins?player=left-1",
  "/",
  ...[CODED, HOSTILE, SIX, SPARE, UNEVEN].map((id) => `/portal/na/matches/${id}`),
  ...["left-1", "eve"].map((id) => `/portal/na/players/${id}`),
  `/portal/na/heroes?patch=${encodeURIComponent(MARKUP)}`,
  "/portal/na/players/left-1?compare=right-1",
  "/portal/developers/explorer?shard=na&on=players&filter[playerIds]=left-1",
];

/** Only the colours differ, and at most the layout of a phone and that of a desktop. */
const COLOURS = ["color-contrast"];
const VIEWS: [width: number, scheme: "light" | "dark", rules?: string[]][] = [
  [WIDTHS[0], "light"],
  [WIDTHS[1], "dark", COLOURS],
];
const MORE_VIEWS: typeof VIEWS = [
  [WIDTHS[0], "dark", COLOURS],
  ...[390, WIDTHS[1], 1920].map((width) => [width, "light"] as [number, "light"]),
];

async function openKey(page: Page): Promise<void> {
  await page.getByRole("contentinfo").getByRole("button", { name: /^Key / }).click();
  await page.getByText("This key works.").waitFor();
}

/** Two small ones, since axe-core looks at every element. */
async function openEndpoints(page: Page): Promise<void> {
  await page.locator("#getNameList > summary").click();
  await page.locator("#getNameList .schema summary").first().click();
  await page.locator("#getNameList .endpoint-example > summary").click();
  await page.locator("#getHealth > summary").click();
}

inBrowser("the page is accessible and fits:", () => {
  const demo = shared(() => startDemoWorld());
  const odd = shared(() => startWorld(oddRecords()));

  const more = isLong ? MORE.map((path): (typeof MAIN)[number] => [path, path, settled]) : [];
  test.each([...MAIN, ...more])("%s", async (_, path, shows) => {
    const { body } = await demo.get("/shards/na/matches?sort=-createdAt&page[limit]=1");
    const player = body.included.find(({ type }: { type: string }) => type === "player");
    const filled = path.replace("ID", body.data[0].id).replace("PLAYER", player.id);
    await fits(demo, filled, shows);
  });

  test.each(isLong ? ODD : ODD.slice(0, 1))("%s, with unusual records", (path) =>
    fits(odd, path, settled),
  );
});

async function fits({ url, key }: World, path: string, shows: Shows): Promise<void> {
  const expects = [
    ...(path.includes("nothing") ? [404] : []),
    ...(path.includes("filtr") ? [400] : []),
  ];
  const page = await visit(url + path, { key, width: WIDTHS[0], expects });
  await shows(page);
  for (const [width, scheme, rules] of isLong ? [...VIEWS, ...MORE_VIEWS] : VIEWS) {
    const wrong = await looks(page, width, scheme, rules);
    expect([width, scheme, ...wrong]).toEqual([width, scheme]);
  }
}
