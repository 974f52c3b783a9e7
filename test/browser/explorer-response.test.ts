/** The explorer's response in a browser: as cards, table and JSON, and its error states. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OUTCOME_NAMES } from "../../src/portal/views/match/record.ts";
import { startWorld, type World } from "../support/world.ts";
import {
  cardIds,
  cards,
  field,
  leaveQuietly,
  MARKUP,
  MATCHES,
  openExplorer,
  searchFor,
  searchOf,
  send,
  showAs,
  shown,
  showResponseAs,
} from "./explorer.ts";
import { holdReplies, inBrowser, leave, settled, testEverywhere, visit } from "./support.ts";
import { TEXTS } from "./texts.ts";

const { won, lost } = OUTCOME_NAMES;

/** Buttons of the JSON tree. */
const [COLLAPSE, EXPAND] = ["Collapse all", "Expand all"];

inBrowser("the response in the explorer", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(MATCHES);
  });
  afterAll(() => world.stop());

  test("pages forward and back by its links", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches");
    const { page } = visitor;
    const step = async (name: string) => {
      await page.getByRole("button", { name, exact: true }).first().click();
      await settled(page);
    };
    const first = await cardIds(page);
    expect(first).toHaveLength(5);
    expect(await page.getByRole("button", { name: "Previous" }).first().isDisabled()).toBe(true);
    await step("Next");
    expect(await cardIds(page)).toEqual(["match-6", "match-7", "match-8", "match-9", "match-10"]);
    expect(searchOf(page).get("page[after]")).toBe(await field(page, "page[after]").inputValue());
    await step("Next");
    expect(await cardIds(page)).toEqual(["match-11", "match-12"]);
    expect(await page.getByRole("button", { name: "Next" }).first().isDisabled()).toBe(true);
    await step("Previous");
    expect((await cardIds(page))[0]).toBe("match-6");
    await step("First");
    expect(await cardIds(page)).toEqual(first);
    await leaveQuietly(visitor);
  });

  test("restores the scroll position after going back, once it has loaded", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches", { width: 360 });
    const { page } = visitor;
    const last = page.locator("article").last().getByRole("link").last();
    await last.scrollIntoViewIfNeeded();
    const place = await page.evaluate(() => scrollY);
    await last.click();
    await page.waitForURL(/\/players\//);
    await settled(page);
    const letThrough = await holdReplies(page, "**/shards/na/matches**");
    await page.goBack();
    await page.getByRole("heading", { name: TEXTS.explorer }).waitFor();
    expect(await page.evaluate(() => scrollY)).toBeLessThan(place);
    letThrough();
    await page.waitForFunction((y) => scrollY === y, place);
    await leaveQuietly(visitor);
  });

  test("shows its status, size, ETag and whether it came from the cache, and the match with its winner and links", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=match&id=match-1");
    const { page } = visitor;
    const status = page.locator(".explorer-status");
    expect(await status.innerText()).toMatch(/200 OK\s+\d+ ms\s+[\d.]+ kB\s+ETag\s+W\/"/);
    expect(await status.locator(".gauge").innerText()).toMatch(/\d+ of \d+/);
    await send(page);
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
    await leaveQuietly(visitor);
  });

  test("shows what it contains when parts were left out", async () => {
    const visitor = await openExplorer(
      world,
      "?shard=na&on=matches&include=rosters&fields[match]=createdAt,rosters",
    );
    expect(await cards(visitor.page).count()).toBe(5);
    expect(await cards(visitor.page).first().innerText()).toContain(won);
    await leaveQuietly(visitor);
  });

  test("as JSON can be collapsed and expanded, also by keyboard", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=match&id=match-1&as=json");
    const { page } = visitor;
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
    await leaveQuietly(visitor);
  });

  test("shows markup in names as text", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=match&id=match-12");
    const { page } = visitor;
    expect(await page.getByRole("link", { name: MARKUP }).innerText()).toBe(MARKUP);
    await showResponseAs(page, "json");
    await page.getByRole("button", { name: EXPAND }).click();
    expect(await page.locator(".explorer-tree").innerText()).toContain(JSON.stringify(MARKUP));
    await searchFor(page, "players");
    await field(page, "filter[playerNames]").fill(MARKUP);
    await field(page, "filter[playerNames]").press("Enter");
    await showResponseAs(page, "cards");
    await send(page);
    expect(await page.getByRole("table").getByRole("link").innerText()).toBe(MARKUP);
    expect(await page.locator("main img, main b").count()).toBe(0);
    await leaveQuietly(visitor);
  });
});

inBrowser("the explorer, when something is wrong:", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(MATCHES);
  });
  afterAll(() => world.stop());

  test("each error is shown next to its field, in the server's words", async () => {
    const visitor = await openExplorer(
      world,
      "?shard=na&on=matches&page[limit]=50&filter[gameMode]=foo&filter[createdAt-start]=yesterday&filtr=1",
      { expects: [400] },
    );
    const { page } = visitor;
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
    await send(page);
    expect(await cards(page).count()).toBe(3);
    expect(await page.locator(".explorer-wrong").count()).toBe(0);
    await leaveQuietly(visitor);
  });

  test("without a key, the query can be built and the visitor can enter a key", async () => {
    const visitor = await visit(`${world.url}/portal/developers/explorer?shard=na&on=matches`);
    const { page } = visitor;
    expect(await page.locator(".explorer-response .notice").isVisible()).toBe(true);
    await field(page, "page[limit]").fill("2");
    expect(await shown(page)).toBe(`${world.url}/shards/na/matches?page[limit]=2`);
    await page.getByRole("button", { name: TEXTS.enterKey }).click();
    await page.getByLabel(TEXTS.keyField, { exact: true }).fill(world.key);
    await page.getByRole("button", { name: TEXTS.useKey }).click();
    await cards(page).first().waitFor();
    await leaveQuietly(visitor);
  });

  test("an empty list suggests what to try", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches&filter[playerNames]=Nobody");
    const text = await visitor.page.locator(".explorer-response").innerText();
    expect(text).toContain("No matches found");
    expect(text).toContain("Use the exact current name");
    expect(text).toContain("200 OK");
    await leaveQuietly(visitor);
  });

  test("a rate limit shows a countdown", async () => {
    const slow = await startWorld(MATCHES, { rate: "1" });
    const visitor = await visit(`${slow.url}/portal/developers/explorer?shard=na&on=matches`, {
      key: slow.key,
      expects: [429],
    });
    const { page } = visitor;
    await send(page);
    const alert = page.getByRole("alert");
    expect(await alert.innerText()).toMatch(/Try again in \d+ seconds?/);
    expect(await page.locator(".explorer-status .gauge").innerText()).toMatch(/^0 of 1 /);
    await leaveQuietly(visitor);
    await slow.stop();
  });

  test("an unreachable server is reported, and nothing that was entered is lost", async () => {
    const short = await startWorld(MATCHES);
    const visitor = await visit(`${short.url}/portal/developers/explorer?shard=na&on=matches`, {
      key: short.key,
    });
    const { page, complaints } = visitor;
    await short.stop();
    await field(page, "page[limit]").fill("2");
    await send(page);
    expect(await page.getByRole("alert").innerText()).toContain(TEXTS.unreachable);
    expect(await field(page, "page[limit]").inputValue()).toBe("2");
    expect(complaints.filter((one) => !one.includes("ERR_CONNECTION_REFUSED"))).toEqual([]);
    await leave(visitor);
  });
});

inBrowser("the explorer", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(MATCHES);
  });
  afterAll(() => world.stop());

  const everywhere: [what: string, query: string, expects: number[]][] = [
    [
      "matches",
      "?shard=na&on=matches&filter[playerNames]=Ada&include=rosters.participants.player&page[limit]=2",
      [],
    ],
    ["JSON", "?shard=na&on=match&id=match-12&as=json", []],
    ["errors", "?shard=na&on=matches&page[limit]=50&filter[gameMode]=foo&filtr=1", [400]],
  ];
  describe.each(everywhere)("with %s", (_, query, expects) => {
    testEverywhere(
      () => ({
        address: `${world.url}/portal/developers/explorer${query}`,
        options: { key: world.key, expects },
      }),
      async (page) => {
        const closed = page.locator(".explorer-group:not([open]) > summary");
        while ((await closed.count()) > 0) await closed.first().click();
        await showAs(page, "code");
        await settled(page);
      },
    );
  });
});
