/** The match page in a browser: scoreboard, unusual records and error states. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { tier } from "../../src/portal/format.ts";
import { endingName, sideName } from "../../src/portal/names.ts";
import { OUTCOME_NAMES } from "../../src/portal/views/match/record.ts";
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
  type Visitor,
  violations,
  visit,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

const openAll = async (page: Page): Promise<void> => {
  await settled(page);
  await page.locator(".match-more summary").click();
};

const board = (page: Page, name: string) => page.getByRole("region", { name });

const outcome = (page: Page, name: string): Promise<string> =>
  board(page, name)
    .locator(".match-outcome")
    .evaluate((mark) => mark.lastChild!.textContent!);

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

    test("shows the same from a shared link and after a reload, and links to the explorer", async () => {
      const address = `${world.url}/portal/na/matches/${id}`;
      const first = await visit(address, { key: world.key });
      const fresh = await visit(first.page.url(), { key: world.key });
      const shown = await textOf(first.page);
      expect(await first.page.locator(".match-comparison .bar").count()).toBeGreaterThan(0);
      expect(await textOf(fresh.page)).toBe(shown);
      await fresh.page.reload();
      await settled(fresh.page);
      expect(await textOf(fresh.page)).toBe(shown);
      await leave(fresh);

      await first.page.getByRole("link", { name: "Open in Explorer" }).click();
      await first.page.waitForURL((url) => url.pathname === "/portal/developers/explorer");
      const search = new URL(first.page.url()).searchParams;
      expect(Object.fromEntries(search)).toEqual({ shard: "na", on: "match", id });
      await leave(first);
    });
  });

  describe("with unusual records", () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld(oddRecords());
    });
    afterAll(() => world.stop());

    const open = (id: string, width = 1440) =>
      visit(`${world.url}/portal/na/matches/${id}`, { key: world.key, width });

    describe("of a match with codes as names", () => {
      let visitor: Visitor;
      beforeAll(async () => {
        visitor = await open(CODED);
      });
      afterAll(() => leave(visitor));

      test("is a scoreboard with readable names and the winner", async () => {
        const { page } = visitor;
        expect(await page.locator("h1").innerText()).toBe(TEXTS.match("casual_aral"));
        expect(await page.locator(".match-facts").innerText()).toContain(endingName("surrender"));
        const blue = await board(page, sideName("left/blue")).innerText();
        for (const text of [
          "TKJK",
          OUTCOME_NAMES.lost,
          "Hero 009",
          "Ada",
          tier(29),
          "AFK since 1:35",
          "Sprint Boots",
        ]) {
          expect(blue).toContain(text);
        }
        expect(blue).toContain("16,844");
        expect(blue).toContain("Bot or anonymous");
        expect(
          await board(page, sideName("left/blue")).locator(".match-kda").first().innerText(),
        ).toBe("7/1/12");
        expect(await outcome(page, sideName("right/red"))).toBe(OUTCOME_NAMES.won);
        expect(visitor.complaints).toEqual([]);
      });

      test("compares the totals of both sides, and the gold, farm and kills of all players", async () => {
        const sums = visitor.page.locator("table.match-sums");
        const gold = await sums.getByRole("row", { name: /Gold/ }).innerText();
        expect(gold.split(/\s+/)).toEqual(["41,000", "Gold", "39,000"]);
        for (const measure of ["Gold", "Farm", "Kills"]) {
          const bars = visitor.page.getByRole("region", { name: measure, exact: true });
          expect(await bars.locator(".bar").count()).toBe(3);
        }
      });

      test("shows unknown stats, and what the record links to", async () => {
        await openAll(visitor.page);
        const more = await visitor.page.locator(".match-more").innerText();
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
      });
    });

    test("does not shift when the response arrives", async () => {
      const visitor = await visit(`${world.url}/portal/status`, { key: world.key, width: 360 });
      const { page } = visitor;
      const letThrough = await holdReplies(page, "**/shards/na/**");
      await page.goto(`${world.url}/portal/na/matches/${CODED}`);
      await page.locator(".match-page .loading").waitFor();
      const before = await topsOf(page, ["h1", ".match-facts", ".match-page .loading"]);
      letThrough();
      await page.locator(".match-result").waitFor();
      expect(await topsOf(page, ["h1", ".match-facts", ".match-result"])).toEqual(before);
      await leave(visitor);
    });

    test("links to its players by keyboard", async () => {
      const visitor = await open(CODED);
      await visitor.page.getByRole("link", { name: "Ada", exact: true }).focus();
      await visitor.page.keyboard.press("Enter");
      await visitor.page.waitForURL(`${world.url}/portal/na/players/ada`);
      await visitor.page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await leave(visitor);
    });

    test("shows markup in names as text, and never links to a script", async () => {
      const visitor = await open(HOSTILE, 360);
      await openAll(visitor.page);
      expect(await visitor.page.locator("main img").count()).toBe(0);
      expect(await visitor.page.getByRole("link", { name: MARKUP, exact: true }).count()).toBe(1);
      expect(await visitor.page.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await visitor.page.locator("main").innerText()).toContain("javascript:document.title");
      expect(await visitor.page.title()).toBe(`${TEXTS.match("ranked")} · Matchbook`);
      expect(await sticksOut(visitor.page)).toEqual([]);
      expect(await violations(visitor.page)).toEqual([]);
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    const fitsNarrow = async ({ page, complaints }: Visitor) => {
      await openAll(page);
      expect(await sticksOut(page)).toEqual([]);
      expect(await violations(page)).toEqual([]);
      expect(complaints).toEqual([]);
    };

    test("fits a narrow screen with one player against ten", async () => {
      const visitor = await open(UNEVEN, 360);
      await fitsNarrow(visitor);
      await leave(visitor);
    });

    test("shows that nobody won, and that a side is empty, and fits a narrow screen", async () => {
      const visitor = await open(SPARE, 360);
      expect(await outcome(visitor.page, "Side 1")).toBe(OUTCOME_NAMES.undecided);
      expect(await outcome(visitor.page, "Side 2")).toBe(OUTCOME_NAMES.undecided);
      expect(await board(visitor.page, "Side 2").innerText()).toContain("No players recorded");
      expect(await visitor.page.locator(".match-outcome-won").count()).toBe(0);
      await fitsNarrow(visitor);
      await leave(visitor);
    });

    test("reports a match that does not exist, and links to the newest matches", async () => {
      const address = `${world.url}/portal/na/matches/nowhere`;
      const visitor = await visit(address, { key: world.key, expects: [404] });
      await visitor.page.getByRole("alert").waitFor();
      await visitor.page.locator('main a[href*="sort=-createdAt"]').waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("reports a page that failed to load, and loads it on retry", async () => {
      const visitor = await visit(`${world.url}/portal/na/matches/${CODED}`, { key: world.key });
      const { page } = visitor;
      let isUnreachable = true;
      await page.route(`${world.url}/**`, (route) =>
        isUnreachable ? route.abort() : route.continue(),
      );
      await page.getByRole("link", { name: "Ada", exact: true }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.title()).toBe("Something went wrong · Matchbook");
      isUnreachable = false;
      await page.getByRole("button", { name: TEXTS.tryAgain }).click();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await leave(visitor);
    });
  });
});
