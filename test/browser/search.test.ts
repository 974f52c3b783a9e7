/** The search for players in a browser: on the start page, and in the header of every other page. */

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import { field, openExplorer } from "./explorer.ts";
import {
  holdReplies,
  inBrowser,
  leave,
  leaveForGood,
  sticksOut,
  violations,
  visit,
} from "./support.ts";

const ADA = { id: "ada-na", name: "Ada Lovelace", stats: { skillTier: 7 } };
const ADA_EU = { id: "ada-eu", name: "AdaLovelace2" };
const GRACE = { id: "grace", name: "GraceHopper" };
const ALAN = { id: "alan", name: "AlanTuring" };
const MATCH = "0b6f9d1c-1f5b-4d5c-9a38-5d9f6f7e2a11";

const box = (page: Page) => page.getByRole("combobox", { name: "Search for a player" });
const options = (page: Page) => page.locator("[role=option]");
/** A hidden status says the same. */
const unreachable = (page: Page) =>
  page.locator(".combobox-note").getByText("Can't reach the server. Try again in a moment.");
const pageOf = (shard: string, { id }: { id: string }) => `/portal/${shard}/players/${id}`;

inBrowser("the search for players", () => {
  const world = shared(() =>
    startWorld([
      aMatch({ id: MATCH, shard: "na", rosters: duel(ADA, ALAN), createdAt: minutesAgo(180) }),
      aMatch({ shard: "eu", rosters: duel(ADA_EU, GRACE) }),
    ]),
  );
  const start = (options = {}) => visit(world.url, { key: world.key, ...options });

  test("opens the player in two actions, despite typos and case", async () => {
    const page = await start();
    await box(page).fill("gracehoper");
    await box(page).press("Enter");
    await page.waitForURL(world.url + pageOf("eu", GRACE));
    await page.getByRole("heading", { level: 1, name: GRACE.name }).waitFor();
  });

  test("finds players of all regions with one request per pause, and none for what it knows", async () => {
    const page = await start();
    const requests: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith("/player-names"))
        requests.push(`${pathname} ${searchParams.get("filter[near]")}`);
    });
    await box(page).fill("ada lov");
    await options(page).nth(1).waitFor();
    expect(await options(page).allInnerTexts()).toEqual([
      expect.stringMatching(/AdaLovelace2\s+EU\s+1 hour ago/),
      expect.stringMatching(/Ada Lovelace\s+NA\s+Tier 7\s+3 hours ago/),
    ]);
    // All names with this beginning are known, so that more letters need no request, and fewer neither.
    await box(page).pressSequentially("elace");
    await options(page).first().getByText(ADA.name).waitFor();
    for (let letters = 0; letters < 5; letters += 1) await box(page).press("Backspace");
    await options(page).first().getByText(ADA_EU.name).waitFor();
    await box(page).fill("gracehop");
    await options(page).getByText(GRACE.name).waitFor();
    expect(requests).toEqual(["/player-names ada lov", "/player-names gracehop"]);
    page.removeAllListeners("request");
  });

  test("opens the page of a pasted player id and match id", async () => {
    const page = await start();
    await box(page).fill(GRACE.id);
    await box(page).press("Enter");
    await page.waitForURL(world.url + pageOf("eu", GRACE));
    await page.getByRole("heading", { level: 1, name: GRACE.name }).waitFor();
    await box(page).fill(` ${MATCH} `);
    await options(page).getByText("Match").waitFor();
    await box(page).press("Enter");
    await page.waitForURL(`${world.url}/portal/na/matches/${MATCH}`);
  });

  test("works by keyboard: arrows choose, Enter opens, Escape closes", async () => {
    const page = await start();
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
  });

  test("is in the header of every other page, where / focuses it, except in a field", async () => {
    const page = await visit(`${world.url}/portal/na/heroes`, { key: world.key });
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
  });

  test("never opens or shows a suggestion for an older text", async () => {
    const page = await start();
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
  });

  test("offers the nearest names when nobody has such a name, and opens none by itself", async () => {
    const page = await start();
    await box(page).fill("graxxxopqer");
    await box(page).press("Enter");
    await page
      .locator(".combobox-note")
      .getByText("No player with a name like “graxxxopqer”. The nearest names:")
      .waitFor();
    await options(page).getByText(GRACE.name).waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    await options(page).getByText(GRACE.name).click();
    await page.waitForURL(world.url + pageOf("eu", GRACE));
  });

  test("says when a region does not answer, and when none does", async () => {
    const page = await start({ expects: "errors" });
    await page.route("**/player-names?*", async (route) => {
      const response = await route.fetch();
      const { data, ...rest } = await response.json();
      await route.fulfill({
        response,
        json: { ...rest, data: data.slice(0, 1), meta: { unavailable: ["eu"] } },
      });
    });
    await box(page).fill("AdaLovelac");
    await page.locator(".combobox-note").getByText("No answer from EU.").waitFor();
    expect(await options(page).count()).toBe(1);
    await page.route("**/player-names?*", (route) => route.abort());
    await box(page).fill("AlanTuri");
    await unreachable(page).waitFor();
    expect(await options(page).count()).toBe(0);
  });

  test("Enter repeats a search that failed, and opens the player", async () => {
    const page = await start({ expects: "errors" });
    await page.route("**/player-names?*", (route) => route.abort());
    await box(page).fill("AlanTuring");
    await box(page).press("Enter");
    await unreachable(page).waitFor();
    await page.unroute("**/player-names?*");
    await box(page).press("Enter");
    await page.waitForURL(world.url + pageOf("na", ALAN));
  });

  test("without access, says what is needed and sends nothing", async () => {
    const page = await visit(world.url);
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.clock.install();
    await box(page).fill("Ada");
    await page.locator(".combobox-note").getByText("You need an API key to search.").waitFor();
    // Longer than the pause before a request. Then one more request, which comes after all others.
    await page.clock.runFor(1000);
    await page.evaluate(() => fetch("/healthz"));
    expect(requests).toEqual(["/healthz"]);
    await leaveForGood(page);
  });

  test("offers favourite and recent players in the header before anything is typed", async () => {
    const page = await visit(`${world.url}/portal/status`, { key: world.key });
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
  });

  test("fits a phone and is accessible while it is open, in light and dark", async () => {
    for (const path of ["/", "/portal/status"]) {
      const page = await visit(world.url + path, { key: world.key, width: 360 });
      await box(page).fill("ada");
      await options(page).nth(1).waitFor();
      expect([path, ...(await sticksOut(page))]).toEqual([path]);
      expect([path, ...(await violations(page))]).toEqual([path]);
      await page.emulateMedia({ colorScheme: "dark" });
      if (path === "/") expect(await violations(page, ["color-contrast"])).toEqual([]);
      await options(page).first().click();
      await page.waitForURL(/\/players\//);
      await leave(page);
    }
  });

  test("in the explorer needs a text", async () => {
    const page = await openExplorer(world, "?shard=na&on=names");
    await page.getByText("Enter a value for filter[near]").waitFor();
    await field(page, "filter[near]").fill("ada lovelase");
    await page.locator(".explorer-tree").getByText('"Ada Lovelace"', { exact: true }).waitFor();
  });
});
