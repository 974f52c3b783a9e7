/** The heroes page in a browser: filters, order, unusual heroes and states. */

import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { modeName } from "../../src/portal/names.ts";
import { ENOUGH, percent } from "../../src/portal/views/heroes/table.ts";
import { aMatch, type MatchIn, minutesAgo } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import { openExplorer, urlHas } from "./explorer.ts";
import { oddRecords } from "./odd-records.ts";
import {
  inBrowser,
  layoutShift,
  settled,
  startDemoWorld,
  sticksOut,
  visit,
  WIDTHS,
} from "./support.ts";

const rows = (page: Page) => page.locator(".heroes-table tbody tr");

/** The texts of a column, from the top. */
const column = (page: Page, at: number): Promise<string[]> =>
  page.locator(`.heroes-table tbody tr > :nth-child(${at})`).allInnerTexts();

const names = (page: Page): Promise<string[]> => page.locator(".heroes-name").allInnerTexts();

const heading = (page: Page, name: string) =>
  page.locator(".heroes-table").getByRole("button", { name, exact: true });

inBrowser("the heroes page", () => {
  describe("with demo matches", () => {
    const world = shared(() => startDemoWorld());

    const open = (query = "", options = {}) =>
      visit(`${world.url}/portal/na/heroes${query}`, { key: world.key, ...options });

    test("shows what the API counts, does not shift while it loads, and keeps the heroes in view on a phone", async () => {
      const { body } = await world.get("/shards/na/heroes");
      const page = await open("", { width: 390 });
      expect(await rows(page).count()).toBe(body.data.length);
      const [first] = body.data;
      const shown = await rows(page).first().innerText();
      expect(shown).toContain(percent(first.attributes.winRate));
      expect(shown).toContain(percent(first.attributes.pickRate));
      expect(await page.getByRole("status").allInnerTexts()).toContain(
        `${body.data.length} heroes in ${body.meta.matches} matches. Matches of the mode Private do not count.`,
      );
      expect(await layoutShift(page)).toBeLessThan(0.02);
      const frame = page.getByRole("region", { name: "Heroes", exact: true });
      await page.locator(".scroll-cue").waitFor();
      await frame.focus();
      await frame.evaluate((area) => area.scrollTo({ left: area.scrollWidth }));
      await page.locator(".scroll-cue").waitFor({ state: "detached" });
      const name = await page.locator(".heroes-name").first().boundingBox();
      expect(name!.x).toBeGreaterThanOrEqual(0);
      expect(name!.x + name!.width).toBeLessThan(390);
    });

    test("sorts by any column by keyboard, and the URL keeps the order", async () => {
      const page = await open();
      const visited = await page.evaluate(() => history.length);
      await heading(page, "Win rate").focus();
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("sort") === "-winRate");
      const rates = (await column(page, 2)).map(Number.parseFloat);
      expect(rates).toEqual(rates.toSorted((one, other) => other - one));
      const head = page.getByRole("columnheader", { name: "Win rate" });
      expect(await head.getAttribute("aria-sort")).toBe("descending");

      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("sort") === "winRate");
      const turned = (await column(page, 2)).map(Number.parseFloat);
      expect(turned).toEqual(turned.toSorted((one, other) => one - other));
      expect(await head.getAttribute("aria-sort")).toBe("ascending");

      const shown = await names(page);
      await page.reload();
      await settled(page);
      expect(await names(page)).toEqual(shown);
      // An order is not a step back.
      expect(await page.evaluate(() => history.length)).toBe(visited);
    });

    test("filters by mode and patch, and a shared link shows the same", async () => {
      const page = await open();
      await page.getByLabel("Mode").selectOption({ label: modeName("ranked") });
      await page.waitForURL((url) => url.searchParams.get("mode") === "ranked");
      await settled(page);
      const ranked = await world.get("/shards/na/heroes?filter[gameMode]=ranked");
      expect(await rows(page).count()).toBe(ranked.body.data.length);

      // The patches of matches seen are offered.
      await page.getByLabel("Patch", { exact: true }).focus();
      await page.getByRole("option", { name: "4.0", exact: true }).click();
      await page.waitForURL((url) => url.searchParams.get("patch") === "4.0");
      await settled(page);
      const both = await world.get(
        "/shards/na/heroes?filter[gameMode]=ranked&filter[patchVersion]=4.0",
      );
      expect(await rows(page).count()).toBe(both.body.data.length);
      const shown = await names(page);

      const fresh = await visit(page.url(), { key: world.key });
      expect(await names(fresh)).toEqual(shown);
    });

    test("takes any other patch, and says if nothing counts there", async () => {
      const page = await open();
      await page.getByLabel("Patch", { exact: true }).fill("9.9");
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("patch") === "9.9");
      await page.getByText("No heroes found").waitFor();
      await page.getByRole("button", { name: "Show all modes and patches" }).click();
      await rows(page).first().waitFor();
      expect(new URL(page.url()).search).toBe("");
    });
  });

  test("the explorer suggests patches before anything is typed", async () => {
    await using world = await startWorld([aMatch()]);
    const page = await openExplorer(world, "?shard=na&on=heroes");
    await page.getByRole("combobox", { name: "filter[patchVersion]" }).focus();
    await page.getByRole("option", { name: "2.5", exact: true }).click();
    await urlHas(page, "filter[patchVersion]", "2.5");
  });

  describe("with unusual heroes", () => {
    const world = shared(() =>
      startWorld([
        ...oddRecords(),
        crowd(251, "ranked", (at) => `*Hero${at}*`),
        crowd(ENOUGH, "blitz_pvp_ranked", () => `*${"Long".padEnd(64, "g")}*`),
      ]),
    );

    test("leading heroes with long names fit the narrowest screen", async () => {
      const address = `${world.url}/portal/na/heroes?mode=blitz_pvp_ranked`;
      const page = await visit(address, { key: world.key, width: WIDTHS[0] });
      const leaders = page.locator(".heroes-leader").filter({ hasText: "Longg" });
      expect(await leaders.count()).toBe(4);
      expect(await sticksOut(page)).toEqual([]);
    });

    test("says that not all heroes are shown if there are too many", async () => {
      const page = await visit(`${world.url}/portal/na/heroes`, { key: world.key });
      expect(await page.locator(".heroes-note").innerText()).toContain(
        "these are the 500 heroes played most",
      );
      expect(await rows(page).count()).toBe(500);
      await page.getByLabel("Mode").selectOption("casual_aral");
      await page.locator(".heroes-note").waitFor({ state: "detached" });
    });
  });
});

/** One match with this many heroes on each side. */
function crowd(size: number, mode: string, actorAt: (at: number) => string) {
  const members = Array.from({ length: size }, () => ({ bot: true }) as const);
  const rosters: MatchIn["rosters"] = [{ members }, { members }];
  const document = aMatch({ createdAt: minutesAgo(90), mode, rosters });
  const participants = document.included.filter(({ type }) => type === "participant");
  for (const [at, { attributes }] of participants.entries())
    Object.assign(attributes as object, { actor: actorAt(at) });
  return document;
}
