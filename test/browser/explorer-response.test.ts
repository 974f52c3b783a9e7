/** In charge of the explorer's reply in a browser: as cards, as a table, as JSON; and when there is none. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startWorld, type World } from "../support/world.ts";
import {
  cardIds,
  cards,
  leaveQuietly,
  MARKUP,
  MATCHES,
  openExplorer,
  searchOf,
  send,
  shown,
} from "./explorer.ts";
import { holdReplies, inBrowser, leave, settled, testEverywhere, visit } from "./support.ts";

inBrowser("the reply in the explorer", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(MATCHES);
  });
  afterAll(() => world.stop());

  test("is walked by its links, forth and back", async () => {
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
    expect(searchOf(page).get("page[after]")).toBe(
      await page.getByLabel("Page after").inputValue(),
    );
    await step("Next");
    expect(await cardIds(page)).toEqual(["match-11", "match-12"]);
    expect(await page.getByRole("button", { name: "Next" }).first().isDisabled()).toBe(true);
    await step("Previous");
    expect((await cardIds(page))[0]).toBe("match-6");
    await step("First");
    expect(await cardIds(page)).toEqual(first);
    await leaveQuietly(visitor);
  });

  test("is where it was after a step back, once it is there again", async () => {
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
    await page.getByRole("heading", { name: "Explorer" }).waitFor();
    expect(await page.evaluate(() => scrollY)).toBeLessThan(place);
    letThrough();
    await page.waitForFunction((y) => scrollY === y, place);
    await leaveQuietly(visitor);
  });

  test("says how it came, and from the cache when nothing has changed", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=match&id=match-1");
    const { page } = visitor;
    const status = page.locator(".explorer-status");
    expect(await status.innerText()).toMatch(/200 OK\s+\d+ ms\s+[\d.]+ kB\s+ETag\s+"/);
    expect(await status.innerText()).toContain("requests left");
    await send(page);
    await page.getByText("from this browser's cache").waitFor();
    expect(await status.innerText()).toContain("304");
    await leaveQuietly(visitor);
  });

  test("shows two rosters with the winner, and leads to the match and its players", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=match&id=match-1");
    const card = cards(visitor.page).first();
    expect(await card.locator("section").allInnerTexts()).toEqual([
      expect.stringMatching(/^Won.*Ada.*Ember.*4 \/ 2 \/ 3/s),
      expect.stringMatching(/^Lost.*Grace_0/s),
    ]);
    expect(await card.getByRole("link", { name: "Ranked" }).getAttribute("href")).toBe(
      "/portal/na/matches/match-1",
    );
    expect(await card.getByRole("link", { name: "Ada" }).getAttribute("href")).toBe(
      "/portal/na/players/ada",
    );
    await leaveQuietly(visitor);
  });

  test("is shown as far as it goes when parts of it were left out", async () => {
    const visitor = await openExplorer(
      world,
      "?shard=na&on=matches&include=rosters&fields[match]=createdAt,rosters",
    );
    expect(await cards(visitor.page).count()).toBe(5);
    expect(await cards(visitor.page).first().innerText()).toContain("Won");
    await leaveQuietly(visitor);
  });

  test("as JSON can be folded, by keyboard too", async () => {
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

    await page.getByRole("button", { name: "Fold all", exact: true }).click();
    await attributes.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Unfold all" }).click();
    await tree.getByText('"crystalMineCaptures"').first().waitFor();
    const { body } = await world.get("/shards/na/matches/match-1");
    expect(JSON.parse(await tree.innerText())).toEqual({
      ...body,
      links: expect.anything(),
    });
    await leaveQuietly(visitor);
  });

  test("shows markup in names as the text it is", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=match&id=match-12");
    const { page } = visitor;
    expect(await page.getByRole("link", { name: MARKUP }).innerText()).toBe(MARKUP);
    await page.getByRole("radio", { name: "JSON" }).check();
    await page.getByRole("button", { name: "Unfold all" }).click();
    expect(await page.locator(".explorer-tree").innerText()).toContain(JSON.stringify(MARKUP));
    await page.getByRole("radio", { name: "Players" }).check();
    await page.getByLabel("Player names").fill(MARKUP);
    await page.getByLabel("Player names").press("Enter");
    await page.getByRole("radio", { name: "Records" }).check();
    await send(page);
    expect(await page.getByRole("table").getByRole("link").innerText()).toBe(MARKUP);
    expect(await page.locator("main img, main b").count()).toBe(0);
    await leaveQuietly(visitor);
  });
});

inBrowser("the explorer, when something is wrong,", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(MATCHES);
  });
  afterAll(() => world.stop());

  test("each problem is beside the field it names, in the service's words", async () => {
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
    const limit = page.getByLabel("Page limit");
    expect(await limit.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByLabel("Created at, start").inputValue()).toBe("yesterday");

    // What is being mended is no longer called wrong.
    await limit.fill("3");
    expect(await limit.getAttribute("aria-invalid")).toBe("false");
    await page.getByRole("checkbox", { name: "foo" }).click();
    await page.getByLabel("Created at, start").fill("");
    await page.getByRole("button", { name: "Remove filtr" }).click();
    await send(page);
    expect(await cards(page).count()).toBe(3);
    expect(await page.locator(".explorer-wrong").count()).toBe(0);
    await leaveQuietly(visitor);
  });

  test("without a key the query can be built, and a key is asked for", async () => {
    const visitor = await visit(`${world.url}/portal/explorer?shard=na&on=matches`);
    const { page } = visitor;
    expect(await page.getByText("Records need an API key").isVisible()).toBe(true);
    await page.getByLabel("Page limit").fill("2");
    expect(await shown(page)).toBe(`${world.url}/shards/na/matches?page[limit]=2`);
    await page.getByRole("button", { name: "Enter an API key" }).click();
    await page.getByLabel("API key", { exact: true }).fill(world.key);
    await page.getByRole("button", { name: "Use this key" }).click();
    await cards(page).first().waitFor();
    await leaveQuietly(visitor);
  });

  test("a list without a hit says what to try", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches&filter[playerNames]=Nobody");
    const text = await visitor.page.getByRole("region", { name: "Reply" }).innerText();
    expect(text).toContain("No matches fit");
    expect(text).toContain("Names are exact");
    expect(text).toContain("200 OK");
    await leaveQuietly(visitor);
  });

  test("a limit that is reached counts down", async () => {
    const slow = await startWorld(MATCHES, { rate: "1" });
    const visitor = await visit(`${slow.url}/portal/explorer?shard=na&on=matches`, {
      key: slow.key,
      expects: [429],
    });
    const { page } = visitor;
    await send(page);
    const alert = page.getByRole("alert");
    expect(await alert.innerText()).toMatch(/You can go on in \d+ seconds?/);
    expect(await page.locator(".explorer-status").innerText()).toContain("0 of 1 requests left");
    await leaveQuietly(visitor);
    await slow.stop();
  });

  test("a stopped server is named, and nothing that was entered is lost", async () => {
    const short = await startWorld(MATCHES);
    const visitor = await visit(`${short.url}/portal/explorer?shard=na&on=matches`, {
      key: short.key,
    });
    const { page, complaints } = visitor;
    await short.stop();
    await page.getByLabel("Page limit").fill("2");
    await send(page);
    expect(await page.getByRole("alert").innerText()).toContain("The service does not answer");
    expect(await page.getByLabel("Page limit").inputValue()).toBe("2");
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
      "?shard=na&on=matches&filter[playerNames]=Ada&include=rosters.participants.player",
      [],
    ],
    ["JSON", "?shard=na&on=match&id=match-12&as=json", []],
    ["errors", "?shard=na&on=matches&page[limit]=50&filter[gameMode]=foo&filtr=1", [400]],
  ];
  describe.each(everywhere)("with %s", (_, query, expects) => {
    testEverywhere(
      () => ({
        address: `${world.url}/portal/explorer${query}`,
        options: { key: world.key, expects },
      }),
      async (page) => {
        const closed = page.locator(".explorer-group:not([open]) > summary");
        while ((await closed.count()) > 0) await closed.first().click();
        await page.getByRole("radio", { name: "TypeScript" }).check();
        await settled(page);
      },
    );
  });
});
