/** The search for players in a browser: on the start page, and in the header of every other page. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { aMatch, duel } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";
import {
  BACK_IN_AN_HOUR,
  changePageData,
  holdReplies,
  inBrowser,
  leave,
  leaveForGood,
  sticksOut,
  violations,
  visit,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

const ADA = { id: "ada-na", name: "Ada Lovelace" };
const ADA_EU = { id: "ada-eu", name: "AdaLovelace2" };
const GRACE = { id: "grace", name: "GraceHopper" };
const ALAN = { id: "alan", name: "AlanTuring" };

const box = (page: Page) => page.getByRole("combobox", { name: "Search for a player" });
const options = (page: Page) => page.locator("[role=option]");
const pageOf = (shard: string, { id }: { id: string }) => `/portal/${shard}/players/${id}`;

inBrowser("the search for players", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld([
      aMatch({ shard: "na", rosters: duel(ADA, ALAN) }),
      aMatch({ shard: "eu", rosters: duel(ADA_EU, GRACE) }),
    ]);
  });
  afterAll(() => world.stop());
  const start = (options = {}) => visit(world.url, { key: world.key, ...options });

  test("opens the player in two actions, despite typos and case", async () => {
    const visitor = await start();
    const { page } = visitor;
    await box(page).fill("gracehoper");
    await box(page).press("Enter");
    await page.waitForURL(world.url + pageOf("eu", GRACE));
    await page.getByRole("heading", { level: 1, name: GRACE.name }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test("finds players of all regions, the closest first, with one request per region", async () => {
    const visitor = await start();
    const { page } = visitor;
    const requests: string[] = [];
    page.on("request", (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith("/player-names")) requests.push(pathname);
    });
    await box(page).fill("ada lovelace");
    await options(page).nth(1).waitFor();
    expect(await options(page).allInnerTexts()).toEqual([
      expect.stringMatching(/Ada Lovelace\s+NA/),
      expect.stringMatching(/AdaLovelace2\s+EU/),
    ]);
    expect(requests.toSorted()).toEqual(["/shards/eu/player-names", "/shards/na/player-names"]);
    page.removeAllListeners("request");
    await leave(visitor);
  });

  test("works by keyboard: arrows choose, Enter opens, Escape closes", async () => {
    const visitor = await start();
    const { page } = visitor;
    await page.keyboard.press("/");
    await page.keyboard.type("adalovelace");
    await options(page).nth(1).waitFor();
    await page.keyboard.press("Escape");
    expect(await box(page).getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const chosen = await box(page).getAttribute("aria-activedescendant");
    const second = options(page).nth(1);
    expect(chosen).toBe(await second.getAttribute("id"));
    expect(await second.getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowDown");
    expect(await options(page).first().getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowUp");
    const text = await second.innerText();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/players\//);
    expect(text).toContain(page.url().includes("/na/") ? ADA.name : ADA_EU.name);
    await leave(visitor);
  });

  test("is in the header of every other page, where / focuses it, except in a field", async () => {
    const visitor = await visit(`${world.url}/portal/status`, { key: world.key });
    const { page } = visitor;
    await page.getByRole("combobox", { name: "Region" }).focus();
    await page.keyboard.press("/");
    expect(await box(page).evaluate((input) => input === document.activeElement)).toBe(false);
    await page.getByRole("heading", { level: 1 }).focus();
    await page.keyboard.press("/");
    await page.keyboard.type("AlanTurin");
    await options(page).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await options(page).first().click();
    await page.waitForURL(world.url + pageOf("na", ALAN));
    expect(await box(page).inputValue()).toBe("");
    await leave(visitor);
  });

  test("never opens or shows a suggestion for an older text", async () => {
    const visitor = await start();
    const { page } = visitor;
    const letThrough = await holdReplies(page, /player-names\?.*GraceHopper/);
    const asked = page.waitForRequest(/player-names\?.*GraceHopper/);
    await box(page).fill("GraceHopper");
    await box(page).press("Enter");
    await asked;
    await box(page).fill("AlanTuring");
    await options(page).getByText(ALAN.name).waitFor();
    letThrough();
    await box(page).press("Enter");
    await page.waitForURL(world.url + pageOf("na", ALAN));
    await leave(visitor);
  });

  test("says when nobody has such a name, when a region does not answer, and when none does", async () => {
    const visitor = await start({ expects: [503] });
    const { page } = visitor;
    await box(page).fill("zzzzzzzzzz");
    await page.getByText("No player with a name like “zzzzzzzzzz”.").waitFor();
    await page.route("**/shards/eu/player-names?*", (route) => route.fulfill({ status: 503 }));
    await box(page).fill("AdaLovelac");
    await page.getByText("No answer from EU.").waitFor();
    expect(await options(page).count()).toBe(1);
    await page.route("**/player-names?*", (route) => route.abort());
    await box(page).fill("AlanTuri");
    await page.getByText("Can't reach the server. Try again in a moment.").waitFor();
    expect(await options(page).count()).toBe(0);
    await leave(visitor);
  });

  test("Enter repeats a search that failed, and opens the player", async () => {
    const visitor = await start();
    const { page } = visitor;
    await page.route("**/player-names?*", (route) => route.abort());
    await box(page).fill("AlanTuring");
    await box(page).press("Enter");
    await page.getByText("Can't reach the server. Try again in a moment.").waitFor();
    await page.unroute("**/player-names?*");
    await box(page).press("Enter");
    await page.waitForURL(world.url + pageOf("na", ALAN));
    await leave(visitor);
  });

  test("loads regions that failed to load when it is focused, and when Enter is pressed", async () => {
    const visitor = await start({ expects: [503] });
    const { page } = visitor;
    const unreachable = page.getByText("Can't reach the server. Try again in a moment.");
    const reloadWithoutRegions = async () => {
      await changePageData(page, page.url(), /"regions":/, '"none":');
      await page.route("**/status", (route) => route.fulfill(BACK_IN_AN_HOUR));
      await page.reload();
      await page.getByRole("button", { name: TEXTS.tryAgain }).waitFor();
    };
    await reloadWithoutRegions();
    await page.unroute("**/status");
    await box(page).focus();
    await page.locator(".start-row").first().waitFor();

    await reloadWithoutRegions();
    await box(page).fill("AlanTuring");
    await unreachable.waitFor();
    await page.unroute("**/status");
    await box(page).press("Enter");
    await page.waitForURL(world.url + pageOf("na", ALAN));
    await leave(visitor);
  });

  test("without access, says what is needed and sends nothing", async () => {
    const visitor = await visit(world.url);
    const { page } = visitor;
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.clock.install();
    await box(page).fill("Ada");
    await page.getByText("You need an API key to search.").waitFor();
    // Longer than the pause before a request. Then one more request, which comes after all others.
    await page.clock.runFor(1000);
    await page.evaluate(() => fetch("/healthz"));
    expect(requests).toEqual(["/healthz"]);
    await leaveForGood(visitor);
  });

  test("offers favourite and recent players in the header before anything is typed", async () => {
    const visitor = await visit(`${world.url}/portal/status`, { key: world.key });
    const { page } = visitor;
    await page.evaluate(
      (player) => {
        localStorage.setItem("matchbook.recent", JSON.stringify([player]));
      },
      { shard: "eu", ...GRACE },
    );
    await page.reload();
    await box(page).focus();
    await options(page).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(world.url + pageOf("eu", GRACE));
    await leave(visitor);
  });

  test("fits a phone and is accessible while it is open, in light and dark", async () => {
    for (const path of ["/", "/portal/status"]) {
      const visitor = await visit(world.url + path, { key: world.key, width: 360 });
      const { page } = visitor;
      await box(page).fill("ada");
      await options(page).nth(1).waitFor();
      expect([path, ...(await sticksOut(page))]).toEqual([path]);
      expect([path, ...(await violations(page))]).toEqual([path]);
      await page.emulateMedia({ colorScheme: "dark" });
      expect([path, ...(await violations(page, ["color-contrast"]))]).toEqual([path]);
      await options(page).first().click();
      await page.waitForURL(/\/players\//);
      await leave(visitor);
    }
  });
});
