/** In charge of the page "Match" in a browser: the scoreboard, odd records, and every state of it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { startWorld, type World } from "../support/world.ts";
import { CODED, HOSTILE, MARKUP, oddRecords, SPARE, UNEVEN } from "./odd-records.ts";
import {
  holdReplies,
  inBrowser,
  leave,
  settled,
  startDemoWorld,
  sticksOut,
  testEverywhere,
  textOf,
  topsOf,
  violations,
  visit,
} from "./support.ts";

const openAll = async (page: Page): Promise<void> => {
  await settled(page);
  await page.getByText("All further figures").click();
};

const board = (page: Page, name: string) => page.getByRole("region", { name });

inBrowser("the match page", () => {
  describe("with demo matches", () => {
    let world: World;
    let id: string;
    beforeAll(async () => {
      world = await startDemoWorld();
      const { body } = await world.get("/shards/na/matches?sort=-createdAt&page[limit]=1");
      id = body.data[0].id;
    });
    afterAll(() => world.stop());

    testEverywhere(
      () => ({ address: `${world.url}/portal/na/matches/${id}`, options: { key: world.key } }),
      openAll,
    );

    test("opens the same from a shared link, and after a reload", async () => {
      const address = `${world.url}/portal/na/matches/${id}`;
      const first = await visit(address, { key: world.key });
      const fresh = await visit(first.page.url(), { key: world.key });
      const shown = await textOf(first.page);
      expect(shown).toContain("Comparison");
      expect(await textOf(fresh.page)).toBe(shown);
      await fresh.page.reload();
      await settled(fresh.page);
      expect(await textOf(fresh.page)).toBe(shown);
      await leave(first);
      await leave(fresh);
    });

    test("leads to its JSON in the explorer", async () => {
      const visitor = await visit(`${world.url}/portal/na/matches/${id}`, { key: world.key });
      await visitor.page.getByRole("link", { name: "JSON in the explorer" }).click();
      await visitor.page.waitForURL((url) => url.pathname === "/portal/explorer");
      const search = new URL(visitor.page.url()).searchParams;
      expect(Object.fromEntries(search)).toEqual({ shard: "na", on: "match", id });
      await leave(visitor);
    });
  });

  describe("with odd records", () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld(oddRecords());
    });
    afterAll(() => world.stop());

    const open = (id: string, width = 1440) =>
      visit(`${world.url}/portal/na/matches/${id}`, { key: world.key, width });

    test("is a scoreboard with readable names, and says who won", async () => {
      const visitor = await open(CODED);
      const { page } = visitor;
      expect(await page.locator("h1").innerText()).toBe("Casual ARAL match");
      expect(await page.locator(".match-facts").innerText()).toContain("Surrender");
      const blue = await board(page, "Blue side").innerText();
      for (const text of [
        "TKJK",
        "Lost",
        "Hero 009",
        "Ada",
        "Tier 29",
        "AFK since 1:35",
        "Sprint Boots",
      ]) {
        expect(blue).toContain(text);
      }
      expect(blue).toContain("16,844");
      expect(blue).toContain("Bot or anonymous");
      expect(await board(page, "Blue side").locator(".match-kda").first().innerText()).toBe(
        "7/1/12",
      );
      expect(await board(page, "Red side").innerText()).toContain("Winner");
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("compares sums of both sides, and everybody's gold, farm and kills", async () => {
      const visitor = await open(CODED);
      const sums = visitor.page.getByRole("table", { name: "Totals of both sides" });
      const gold = await sums.getByRole("row", { name: /Gold/ }).innerText();
      expect(gold.split(/\s+/)).toEqual(["41,000", "Gold", "39,000"]);
      for (const measure of ["Gold", "Farm", "Kills"]) {
        const bars = visitor.page.getByRole("region", { name: measure, exact: true });
        expect(await bars.locator(".bar").count()).toBe(3);
      }
      await leave(visitor);
    });

    test("shows what nobody foresaw, and what the record links to", async () => {
      const visitor = await open(CODED);
      await openAll(visitor.page);
      const more = await board(visitor.page, "More in this record").innerText();
      for (const text of [
        "Moon phase",
        "waning",
        "Crow: Yes",
        "Sprint Boots × 2",
        "Season",
        "autumn",
      ]) {
        expect(more).toContain(text);
      }
      expect(more).toContain("Weather");
      expect(more).toContain("Rounds");
      const link = visitor.page.getByRole("link", { name: "https://telemetry.example/1.json" });
      expect(await link.getAttribute("rel")).toContain("noopener");
      await leave(visitor);
    });

    test("does not jump when the reply comes", async () => {
      const visitor = await visit(`${world.url}/portal/status`, { key: world.key, width: 360 });
      const { page } = visitor;
      const letThrough = await holdReplies(page, "**/shards/na/**");
      await page.goto(`${world.url}/portal/na/matches/${CODED}`);
      await page.locator(".match-page .loading").waitFor();
      const before = await topsOf(page, ["h1", ".match-facts", ".match-page .loading"]);
      letThrough();
      await board(page, "Result").waitFor();
      expect(await topsOf(page, ["h1", ".match-facts", ".match-result"])).toEqual(before);
      await leave(visitor);
    });

    test("leads to its players by keyboard", async () => {
      const visitor = await open(CODED);
      await visitor.page.getByRole("link", { name: "Ada", exact: true }).focus();
      await visitor.page.keyboard.press("Enter");
      await visitor.page.waitForURL(`${world.url}/portal/na/players/ada`);
      await visitor.page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await leave(visitor);
    });

    test("takes markup in names for text, and no script for a link", async () => {
      const visitor = await open(HOSTILE, 360);
      await openAll(visitor.page);
      expect(await visitor.page.locator("main img").count()).toBe(0);
      expect(await visitor.page.getByRole("link", { name: MARKUP, exact: true }).count()).toBe(1);
      expect(await visitor.page.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await visitor.page.locator("main").innerText()).toContain("javascript:document.title");
      expect(await visitor.page.title()).toBe("Ranked match · Matchbook");
      expect(await sticksOut(visitor.page)).toEqual([]);
      expect(await violations(visitor.page)).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test.each([UNEVEN, SPARE])("fits a narrow screen with %s", async (id) => {
      const visitor = await open(id, 360);
      await openAll(visitor.page);
      expect(await sticksOut(visitor.page)).toEqual([]);
      expect(await violations(visitor.page)).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("says that nobody won, and that a side is empty", async () => {
      const visitor = await open(SPARE);
      expect(await board(visitor.page, "Side 1").innerText()).toContain("No winner");
      expect(await board(visitor.page, "Side 2").innerText()).toContain("names nobody");
      expect(await visitor.page.getByText("Winner", { exact: true }).count()).toBe(0);
      await leave(visitor);
    });

    test("says that there is no such match, and where to look", async () => {
      const address = `${world.url}/portal/na/matches/nowhere`;
      const visitor = await visit(address, { key: world.key, expects: [404] });
      await visitor.page.getByRole("alert").waitFor();
      await visitor.page.getByRole("link", { name: "newest matches of na" }).waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("says so when the next page cannot be loaded, and loads it later", async () => {
      const visitor = await visit(`${world.url}/portal/na/matches/${CODED}`, { key: world.key });
      const { page } = visitor;
      let isAway = true;
      await page.route(`${world.url}/**`, (route) => (isAway ? route.abort() : route.continue()));
      await page.getByRole("link", { name: "Ada", exact: true }).click();
      await page.getByText("This part of the page could not be loaded").waitFor();
      expect(await page.title()).toBe("Not loaded · Matchbook");
      isAway = false;
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await leave(visitor);
    });
  });
});
