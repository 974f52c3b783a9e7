/** The leaderboards page in a browser: boards, periods, pages, and a player's rank. */

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { BOARDS, valueText, WORDS } from "../../src/portal/views/leaderboards/boards.ts";
import { aMatch, duel, minutesAgo, type PlayerIn } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import { openExplorer, searchFor, urlHas } from "./explorer.ts";
import { MARKUP } from "./odd-records.ts";
import { inBrowser, layoutShift, leave, settled, textOf, visit } from "./support.ts";
import { TEXTS } from "./texts.ts";

const DAY = 24 * 60;
const ADA: PlayerIn = { id: "ada", name: "Ada Quickfoot", stats: { skillTier: 29 } };
const BO: PlayerIn = { id: "bo", name: "Bo", stats: { skillTier: 7 } };
const ZED: PlayerIn = { id: "zed", name: "Zed" };
const EVE: PlayerIn = { id: "eve", name: MARKUP, stats: { skillTier: 12 } };

/** Ada won 15 of 20 ranked matches lately, and 3 long before; 60 players won two each, and Zed one. */
function records() {
  const recent = Array.from({ length: 20 }, (_, at) =>
    aMatch({
      createdAt: minutesAgo(60 + at),
      rosters: duel(...((at < 15 ? [ADA, BO] : [BO, ADA]) as [PlayerIn, PlayerIn])),
    }),
  );
  const old = Array.from({ length: 3 }, (_, at) =>
    aMatch({ createdAt: minutesAgo(60 * DAY + at), rosters: duel(ADA, EVE) }),
  );
  const crowd = Array.from({ length: 60 }, (_, at) => ({
    id: `crowd-${at}`,
    name: `Somebody ${at}`,
  }));
  const many = [1, 2].map((at) =>
    aMatch({
      createdAt: minutesAgo(200 + at),
      rosters: [{ members: crowd }, { members: [EVE] }],
    }),
  );
  const elsewhere = aMatch({ shard: "eu", createdAt: minutesAgo(300) });
  return [...recent, ...old, ...many, aMatch({ rosters: duel(ZED, EVE) }), elsewhere];
}

const rows = (page: Page) => page.locator(".boards-table tbody tr");
const names = (page: Page): Promise<string[]> =>
  page.locator(".boards-table tbody bdi").allInnerTexts();
const field = (page: Page) => page.getByRole("combobox", { name: "Player name" });
const result = (page: Page) => page.locator(".boards-result");

inBrowser("the leaderboards page", () => {
  const world = shared(() => startWorld(records(), { "leaderboard-depth": "61" }));

  const open = (path: string, options = {}) =>
    visit(`${world.url}/portal/na/leaderboards/${path}`, { key: world.key, ...options });

  describe("a board", () => {
    test("lists the best players with their ranks, equal ones with equal ranks, and links to them", async () => {
      const page = await open("ranked-wins", { width: 390 });
      const ranks = await page.locator(".boards-table .boards-rank").allInnerTexts();
      expect(ranks.slice(0, 4)).toEqual(["1", "2", "3", "3"]);
      expect((await names(page)).slice(0, 2)).toEqual(["Ada Quickfoot", "Bo"]);
      expect(await rows(page).first().innerText()).toContain(valueText("ranked-wins", 18));
      expect(await layoutShift(page)).toBeLessThan(0.02);
      await page.getByRole("link", { name: "Ada Quickfoot" }).click();
      await page.waitForURL(`${world.url}/portal/na/players/ada`);
    });

    test("opens from the others by keyboard, each with its own URL", async () => {
      const page = await open("skill-tier");
      for (const board of BOARDS) {
        const link = page.getByRole("navigation", { name: "Leaderboards" }).getByRole("link", {
          name: WORDS[board].name,
        });
        await link.focus();
        await page.keyboard.press("Enter");
        await page.waitForURL(`${world.url}/portal/na/leaderboards/${board}`);
        await page.getByRole("region", { name: WORDS[board].name, exact: true }).waitFor();
        await settled(page);
        expect(await link.getAttribute("aria-current")).toBe("page");
        expect(await page.title()).toStartWith(`${WORDS[board].name} leaderboard in NA`);
        const { body } = await world.get(`/shards/na/leaderboards/${board}?page[limit]=1`);
        const [best] = body.data;
        expect((await names(page))[0]).toBe(best.attributes.name);
        expect(await rows(page).first().innerText()).toContain(
          valueText(board, best.attributes.value),
        );
      }
    });

    test("has a period where the board has one, and says which days it covers", async () => {
      const page = await open("ranked-wins");
      await page.getByRole("radio", { name: "All time" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.waitForURL((url) => url.searchParams.get("period") === "28d");
      await settled(page);
      expect(await rows(page).first().innerText()).toContain(valueText("ranked-wins", 15));
      expect(await page.locator(".boards-note").innerText()).toContain("Matches from");
      const shown = await textOf(page);
      await page.reload();
      await settled(page);
      expect(await textOf(page)).toBe(shown);
      await page.getByRole("link", { name: WORDS["skill-tier"].name }).click();
      await page.waitForURL(`${world.url}/portal/na/leaderboards/skill-tier`);
      expect(await page.getByRole("radio").count()).toBe(0);
    });

    test("shows more players up to its depth, which it states", async () => {
      const page = await open("ranked-wins");
      expect(await rows(page).count()).toBe(50);
      expect(await page.locator(".boards-note").innerText()).toContain("first 61 places");
      const more = page.getByRole("button", { name: "Show more" });
      await more.focus();
      await page.keyboard.press("Enter");
      await rows(page).nth(60).waitFor();
      expect(await rows(page).count()).toBe(61);
      expect(new Set(await names(page)).size).toBe(61);
      await page.getByText("61 players. Further places are not listed.").waitFor();
      expect(await more.count()).toBe(0);
    });

    test("reports a page that fails, keeps the others, and loads it on retry", async () => {
      const page = await open("ranked-wins", { expects: "errors" });
      let isUnreachable = true;
      await page.route("**/leaderboards/**", (route) =>
        isUnreachable ? route.abort() : route.continue(),
      );
      await page.getByRole("button", { name: "Show more" }).click();
      await page.getByText(TEXTS.unreachable).waitFor();
      expect(await rows(page).count()).toBe(50);
      isUnreachable = false;
      await page.getByRole("button", { name: TEXTS.tryAgain }).click();
      await rows(page).nth(60).waitFor();
    });

    test("that does not exist is reported, with those that do", async () => {
      const page = await open("richest");
      await page.getByRole("heading", { name: "Leaderboard not found" }).waitFor();
      await page.locator("main").getByRole("link", { name: WORDS["win-rate"].name }).click();
      await page.waitForURL(`${world.url}/portal/na/leaderboards/win-rate`);
    });
  });

  test("the explorer lists the boards", async () => {
    const page = await openExplorer(world, "?shard=na&on=match");
    await searchFor(page, "leaderboard");
    await page.getByLabel("Board").selectOption("win-streak");
    await urlHas(page, "id", "win-streak");
    await page.locator(".explorer-tree").waitFor();
  });

  describe("a player's rank", () => {
    test("is found by a misspelt name and Enter, and a shared link shows it", async () => {
      const page = await open("win-rate");
      await field(page).fill("ada quikfoot");
      await field(page).press("Enter");
      await page.waitForURL((url) => url.searchParams.get("player") === "ada");
      await result(page).getByText("#1").waitFor();
      expect(await result(page).innerText()).toContain(valueText("win-rate", 18 / 23));
      expect(await rows(page).first().getAttribute("class")).toBe("boards-found");

      const fresh = await visit(page.url(), { key: world.key });
      await result(fresh).getByText("#1").waitFor();
      await leave(fresh);

      // On another board and period too.
      await page.getByRole("link", { name: WORDS["ranked-wins"].name }).click();
      await page.getByText("Last 28 days").click();
      await result(page).getByText(valueText("ranked-wins", 15)).waitFor();
      await result(page).getByRole("button", { name: "Clear" }).click();
      await result(page).waitFor({ state: "detached" });
      expect(new URL(page.url()).search).toBe("?period=28d");
    });

    test("belongs to a region: another one opens without it, and is chosen for other pages", async () => {
      const page = await open("win-rate?period=28d&player=ada", { width: 390 });
      await page.getByRole("combobox", { name: "Region" }).selectOption("eu");
      await page.waitForURL(`${world.url}/portal/eu/leaderboards/win-rate?period=28d`);
      await settled(page);
      expect(await result(page).count()).toBe(0);
      await page.goto(world.url);
      await page.getByRole("radio", { name: "EU", checked: true }).waitFor({ state: "attached" });
    });

    test("says if nobody has such a name, if the player is not listed, and if they are beyond the depth", async () => {
      const page = await open("win-rate?player=eve");
      await result(page).getByText(WORDS["win-rate"].listed).waitFor();
      await field(page).fill("zzzzzzzz");
      await page
        .locator(".combobox-note")
        .getByText("No player with a name like “zzzzzzzz”.")
        .waitFor();

      await page.goto(`${world.url}/portal/na/leaderboards/ranked-wins?player=zed`);
      await result(page).getByText("Beyond the first 61").waitFor();
    });
  });
});
