/** The explorer's response in a browser: as cards, table and JSON, and its error states. */

import { expect, test } from "bun:test";
import { OUTCOME_NAMES } from "../../src/portal/match.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import {
  cards,
  EXPLORER,
  field,
  MATCHES,
  mode,
  openExplorer,
  openMore,
  showsMatches,
} from "./explorer.ts";
import { holdReplies, inBrowser, leave, settled, stillClock, visit } from "./support.ts";
import { TEXTS } from "./texts.ts";

const { won, lost } = OUTCOME_NAMES;

/** Buttons of the JSON tree. */
const [COLLAPSE, EXPAND] = ["Collapse all", "Expand all"];

inBrowser("the response in the explorer", () => {
  const world = shared(() => startWorld(MATCHES));

  test("is remembered: Back shows it at once, at the same scroll position", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches", { width: 360 });
    await cards(page).first().waitFor();
    const last = page.locator("article").last().getByRole("link").last();
    await last.scrollIntoViewIfNeeded();
    const place = await page.evaluate(() => scrollY);
    await last.click();
    await page.waitForURL(/\/players\//);
    await settled(page);
    await holdReplies(page, "**/shards/na/matches**");
    await page.goBack();
    await page.waitForFunction((y) => scrollY === y, place);
  });

  test("shows its status, size and whether it came from the cache, and the match with its winner and links", async () => {
    const page = await openExplorer(world, "?shard=na&on=match&id=match-1", { isCold: true });
    const status = page.locator(".explorer-status");
    expect(await status.innerText()).toMatch(/200 OK\s+\d+ ms\s+[\d.]+ kB/);
    expect(await status.getByText("200 OK").getAttribute("title")).toMatch(/^ETag: W\/"/);
    expect(await status.locator(".gauge").innerText()).toMatch(/\d+ of \d+/);
    // Enter sends the same query again.
    await page.getByLabel("Match ID").press("Enter");
    await status.getByText(/^304/).waitFor();
    expect(await status.innerText()).toContain("from browser cache");

    const card = cards(page).first();
    expect(await card.locator("section").allInnerTexts()).toEqual([
      expect.stringMatching(new RegExp(`^${won}.*Ada.*Ember.*4 / 2 / 3`, "s")),
      expect.stringMatching(new RegExp(`^${lost}.*Grace_0`, "s")),
    ]);
    expect(await card.locator("h3 a").getAttribute("href")).toBe("/portal/na/matches/match-1");
    expect(await card.getByRole("link", { name: "Ada" }).getAttribute("href")).toBe(
      "/portal/na/players/ada",
    );

    // If nobody won, nobody lost either.
    await page.route("**/shards/na/matches/match-1", async (route) => {
      const response = await route.fetch({
        headers: { ...route.request().headers(), "if-none-match": "" },
      });
      const json = await response.json();
      for (const { attributes } of json.included) if (attributes.won) attributes.won = "false";
      await route.fulfill({ response, json });
    });
    await page.getByLabel("Match ID").press("Enter");
    await card.getByText(OUTCOME_NAMES.undecided).nth(1).waitFor();
    expect(await card.getByText(lost, { exact: true }).count()).toBe(0);
  });

  test("shows what it contains when parts were left out", async () => {
    const page = await openExplorer(
      world,
      "?shard=na&on=matches&include=rosters&fields[match]=createdAt,rosters",
    );
    expect(await cards(page).count()).toBe(5);
    expect(await cards(page).first().innerText()).toContain(won);
  });

  test("a list of players says how many more the filter found", async () => {
    const ids = "filter[playerIds]=ada,p-0,p-1&page[limit]=2";
    const page = await openExplorer(world, `?shard=na&on=players&${ids}`);
    await page.getByText("Not listed: 1 more player.").waitFor();
  });

  test("as JSON can be collapsed and expanded, also by keyboard", async () => {
    const page = await openExplorer(world, "?shard=na&on=match&id=match-1&as=json");
    const tree = page.locator(".explorer-tree");
    const attributes = tree.locator("summary", { hasText: '"attributes"' }).first();
    const duration = tree.getByText('"duration"');
    await duration.waitFor();
    await attributes.click();
    await duration.waitFor({ state: "hidden" });
    await attributes.focus();
    await page.keyboard.press("Enter");
    await duration.waitFor();

    await page.getByRole("button", { name: COLLAPSE }).click();
    await attributes.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: EXPAND }).click();
    await tree.getByText('"crystalMineCaptures"').first().waitFor();
    const { body } = await world.get("/shards/na/matches/match-1");
    expect(JSON.parse(await tree.innerText())).toEqual({
      ...body,
      links: expect.anything(),
    });
  });
});

inBrowser("the explorer, when something is wrong:", () => {
  const world = shared(() => startWorld(MATCHES));

  test("each error is shown next to its field, in the server's words", async () => {
    const page = await openExplorer(
      world,
      "?shard=na&on=matches&page[limit]=50&filter[gameMode]=foo&filter[createdAt-start]=yesterday&filtr=1",
      { expects: [400] },
    );
    const { body } = await world.get(
      "/shards/na/matches?page[limit]=50&filter[gameMode]=foo&filter[createdAt-start]=yesterday&filtr=1",
    );
    const details = new Map(
      (body.errors as { detail: string; source: { parameter: string } }[]).map((one) => [
        one.source.parameter,
        one.detail,
      ]),
    );
    expect(details.size).toBe(4);
    const fieldOf = (name: string) => page.locator(".explorer-wrong", { hasText: name }).first();
    for (const [name, detail] of details) {
      expect(await fieldOf(name).locator(".explorer-problems").innerText()).toBe(detail);
    }
    const limit = field(page, "page[limit]");
    expect(await limit.getAttribute("aria-invalid")).toBe("true");
    expect(await field(page, "filter[createdAt-start]").inputValue()).toBe("yesterday");

    // An edited field is no longer marked as invalid.
    await limit.fill("3");
    expect(await limit.getAttribute("aria-invalid")).toBe("false");
    await page.getByRole("checkbox", { name: "foo" }).click();
    await field(page, "filter[createdAt-start]").fill("");
    await page.getByRole("button", { name: "Remove filtr" }).click();
    await showsMatches(page, ["match-1", "match-2", "match-3"]);
    expect(await page.locator(".explorer-wrong").count()).toBe(0);
  });

  test("an empty list suggests what to try", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches&filter[playerNames]=Nobody");
    const text = await page.locator(".explorer-response").innerText();
    expect(text).toContain("No matches found");
    expect(text).toContain("Names must match exactly");
    expect(text).toContain("200 OK");
  });

  test("a rate limit is waited for, with a countdown", async () => {
    await using slow = await startWorld(MATCHES, { rate: "1" });
    const page = await visit(`${slow.url}${EXPLORER}?shard=na&on=matches`, {
      key: slow.key,
      expects: [429],
    });
    await mode(page, "ranked").check();
    await page.getByText(/Waiting for the server: \d+ s/).waitFor();
    expect(await page.locator(".explorer-status .gauge").innerText()).toMatch(/^0 of 1 /);
    await leave(page);
  });

  test("a daily match quota that is used up is shown instead of the requests that are left", async () => {
    await using strict = await startWorld(MATCHES, { "matches-per-day": "1" }, stillClock());
    // On no first page, whatever its order.
    await strict.get("/shards/na/matches/match-6");
    const page = await visit(`${strict.url}${EXPLORER}?shard=na&on=matches`, {
      key: strict.key,
      expects: [429],
    });
    await page.getByRole("alert").waitFor();
    expect(await page.locator(".explorer-status .gauge").innerText()).toMatch(
      /^Daily match quota used up, resets in \d+ (hour|minute|second)s?$/,
    );
    await leave(page);
  });

  test("an unreachable server is reported, and nothing that was entered is lost", async () => {
    const short = await startWorld(MATCHES);
    const page = await visit(`${short.url}${EXPLORER}?shard=na&on=matches`, {
      key: short.key,
      expects: "errors",
    });
    await short.stop();
    await openMore(page);
    await field(page, "page[limit]").fill("2");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain(TEXTS.unreachable);
    expect(await field(page, "page[limit]").inputValue()).toBe("2");
  });
});
