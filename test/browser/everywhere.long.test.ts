/** Every page of the portal, at four widths, in light and dark: accessible, and nothing sticks out. */

import { expect, test } from "bun:test";
import { shared } from "../support/shared.ts";
import { startWorld, type World } from "../support/world.ts";
import { CODED, HOSTILE, MARKUP, oddRecords, SIX, SPARE, UNEVEN } from "./odd-records.ts";
import { inBrowser, looks, startDemoWorld, violations, visit } from "./support.ts";

const WIDTHS = [320, 390, 1366, 1920];

/** With the address of a record in each demo world: ID is its newest match, PLAYER one of its players. */
const DEMO = [
  "/",
  "/portal/na/players/PLAYER",
  "/portal/na/matches/ID",
  "/portal/na/heroes",
  "/portal/na/leaderboards/skill-tier?player=PLAYER",
  "/portal/status",
  ...["", "/keys", "/guides", "/endpoints", "/usage", "/changelog"].map(
    (page) => `/portal/developers${page}`,
  ),
  ...["changes", "insights"].map((name) => `/portal/developers/guides/${name}`),
  "/portal/developers/explorer?shard=na&on=matches&sort=-createdAt",
  ...["match&id=ID&as=json", "matches&as=code", "matches&page[limit]=50&filtr=1"].map(
    (query) => `/portal/developers/explorer?shard=na&on=${query}`,
  ),
  "/portal/nothing/here",
];

/** Names of any length and direction, and line-ups of any size. */
const ODD = [
  "/",
  ...[CODED, HOSTILE, SIX, SPARE, UNEVEN].map((id) => `/portal/na/matches/${id}`),
  ...["left-1", "eve"].map((id) => `/portal/na/players/${id}`),
  `/portal/na/heroes?patch=${encodeURIComponent(MARKUP)}`,
  "/portal/na/players/left-1?compare=right-1",
  "/portal/na/leaderboards/ranked-wins?player=left-1",
  "/portal/developers/explorer?shard=na&on=players&filter[playerIds]=left-1",
];

inBrowser("every page", () => {
  const demo = shared(() => startDemoWorld());
  const odd = shared(() => startWorld(oddRecords()));

  test.each(DEMO)("%s fits, and is accessible", async (path) => {
    const { body } = await demo.get("/shards/na/matches?sort=-createdAt&page[limit]=1");
    const player = body.included.find(({ type }: { type: string }) => type === "player");
    await fits(demo, path.replace("ID", body.data[0].id).replace("PLAYER", player.id));
  });

  test.each(ODD)(
    "%s fits, and is accessible, with unusual records",
    (path) => fits(odd, path),
    120_000,
  );
});

async function fits(world: World, path: string): Promise<void> {
  const expects = [
    ...(path.includes("nothing") ? [404] : []),
    ...(path.includes("filtr") ? [400] : []),
  ];
  const page = await visit(world.url + path, { key: world.key, width: WIDTHS[0]!, expects });
  for (const width of WIDTHS) {
    expect([width, ...(await looks(page, width, "light"))]).toEqual([width]);
    // Only the colours differ, and at most the layout of a phone and that of a desktop.
    if (width !== 320 && width !== 1366) continue;
    await page.emulateMedia({ colorScheme: "dark" });
    expect([width, "dark", ...(await violations(page, ["color-contrast"]))]).toEqual([
      width,
      "dark",
    ]);
  }
}
