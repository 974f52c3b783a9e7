/** The player page in a browser: lifetime stats, recent matches and error states. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { modeName } from "../../src/portal/names.ts";
import { OUTCOME_NAMES } from "../../src/portal/views/match/record.ts";
import { streakInWords } from "../../src/portal/views/player/form.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";
import {
  holdReplies,
  inBrowser,
  leave,
  settled,
  startDemoWorld,
  testEverywhere,
  topsOf,
  type Visitor,
  visit,
  WIDTHS,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

const MATCHES = 30;

const LAST_25 = "Last 25 matches";
const LOAD_MORE = "Load more";

/** Ada wins every third match; the newest match is the first. */
function historyOfAda() {
  return Array.from({ length: MATCHES }, (_, at) => {
    const ada = { id: "ada", name: "Ada", gold: 1000 + at };
    const other = { id: `other-${at}`, name: `Other_${at}` };
    return aMatch({
      id: `match-${at}`,
      createdAt: minutesAgo(60 + at * 60 * 24),
      mode: at % 2 === 0 ? "ranked" : "casual_aral",
      rosters: at % 3 === 0 ? duel(ada, other) : duel(other, ada),
    });
  });
}

/** A match with a spectator, who did not take part. */
function onlyWatched() {
  const id = "watcher";
  return aMatch({
    rosters: duel({ id: "eve", name: "Eve" }, { id: "bo", name: "Bo" }),
    relationships: { spectators: { data: [{ type: "player", id }] } },
    included: [
      {
        type: "player",
        id,
        attributes: { name: "Watcher", patchVersion: "2.5", shardId: "na", titleID: "emberfall" },
      },
    ],
  });
}

const strip = (page: Page) => page.locator(".player-form").getByRole("link");
const rows = (page: Page) => page.locator("li.player-match");
const progress = (page: Page) => page.locator(".player-progress [role=status]");

inBrowser("the player page", () => {
  describe("with demo matches", () => {
    let world: World;
    let address: string;
    beforeAll(async () => {
      world = await startDemoWorld();
      const { body } = await world.get("/shards/na/players");
      address = `${world.url}/portal/na/players/${body.data[0].id}`;
    });
    afterAll(() => world.stop());

    testEverywhere(() => ({ address, options: { key: world.key } }));

    test("can be reached from the home page by clicking, including its plots", async () => {
      const visitor = await visit(world.url, { key: world.key });
      const { page } = visitor;
      await page.locator("main a[href*='/matches/']").first().click();
      await page.waitForURL(/\/portal\/\w+\/matches\//);
      await page.locator("main a[href*='/players/']").first().click();
      await page.waitForURL(/\/portal\/\w+\/players\//);
      await settled(page);
      await page.locator(".player-plots canvas").first().waitFor();
      expect(await page.locator(".player-plots canvas").count()).toBe(2);
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });
  });

  describe("with a known history", () => {
    let world: World;
    beforeAll(async () => {
      world = await startWorld([...historyOfAda(), onlyWatched()]);
    });
    afterAll(() => world.stop());

    const open = (id: string, expects: number[] = []) =>
      visit(`${world.url}/portal/na/players/${id}`, { key: world.key, expects });

    describe("of Ada", () => {
      let visitor: Visitor;
      beforeAll(async () => {
        visitor = await open("ada");
      });
      afterAll(() => leave(visitor));

      test("shows lifetime stats and the streak", async () => {
        const lifetime = await visitor.page.locator(".player-lifetime").innerText();
        const lines = lifetime.split(/\n+/).map((line) => line.trim());
        const after = (name: string) => lines[lines.indexOf(name) + 1];
        expect([after("Matches"), after("Wins"), after("Win rate")]).toEqual(["30", "10", "33%"]);
        expect([after("Ranked"), after("Streak")]).toEqual(["15", streakInWords({ winStreak: 1 })]);
      });

      test("plots gold and farm, and has the same values as a table", async () => {
        const table = visitor.page.locator(".player-plots").getByRole("table").first();
        const values = await table.locator("tbody td").allTextContents();
        expect(values.length).toBe(25);
        expect([values[0], values.at(-1)]).toEqual(["1,024", "1,000"]);
      });

      test("counts matches and wins by mode and hero", async () => {
        const modes = await visitor.page.getByRole("region", { name: "Modes" }).innerText();
        expect(modes.replaceAll(/\s+/g, " ")).toContain(
          `${modeName("ranked")} 5 / 13 5 wins in 13 matches`,
        );
        expect(modes.replaceAll(/\s+/g, " ")).toContain(
          `${modeName("casual_aral")} 4 / 12 4 wins in 12 matches`,
        );
      });
    });

    test("has a strip of recent results as links, with text for screen readers", async () => {
      const visitor = await open("ada");
      const { page } = visitor;
      expect(await strip(page).count()).toBe(25);
      const letters = await strip(page).locator("[aria-hidden]").allInnerTexts();
      expect(letters.slice(0, 4)).toEqual(["W", "L", "L", "W"]);
      expect(await strip(page).nth(1).getAttribute("href")).toBe("/portal/na/matches/match-1");
      expect(await strip(page).nth(1).textContent()).toContain(`${OUTCOME_NAMES.lost} with Ember`);
      await strip(page).nth(1).click();
      await page.getByRole("heading", { level: 1, name: TEXTS.match("casual_aral") }).waitFor();
      await leave(visitor);
    });

    test.each(WIDTHS)("does not shift when responses arrive: %d pixels wide", async (width) => {
      const visitor = await visit(`${world.url}/portal/status`, { key: world.key, width });
      const { page } = visitor;
      const pieces = ["h1", ".player-lifetime", ".player-form", ".player-plots", ".player-tallies"];
      const letThrough = await holdReplies(page, "**/shards/na/**");
      await page.goto(`${world.url}/portal/na/players/ada`);
      await page.locator(".player-tallies").waitFor();
      const before = await topsOf(page, pieces);
      letThrough();
      await page.getByText(LAST_25).waitFor();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      expect(await topsOf(page, pieces)).toEqual(before);
      await leave(visitor);
    });

    test("loads more on demand, beyond the default window, until all matches are loaded", async () => {
      const visitor = await open("ada");
      const { page } = visitor;
      expect(await progress(page).innerText()).toBe(LAST_25);
      await page.getByRole("button", { name: LOAD_MORE }).click();
      await page.getByText("All 30 matches").waitFor();
      expect(await rows(page).count()).toBe(MATCHES);
      expect(await page.getByRole("button", { name: LOAD_MORE }).count()).toBe(0);
      await leave(visitor);
    });

    test("keeps loaded matches when the rate limit is reached, and continues from there", async () => {
      const visitor = await visit(`${world.url}/portal/status`, { key: world.key, expects: [429] });
      const { page } = visitor;
      let requests = 0;
      await page.route("**/shards/na/matches?**", (route) => {
        requests += 1;
        return requests === 3 ? route.fulfill(limitReached()) : route.continue();
      });
      await page.goto(`${world.url}/portal/na/players/ada`);
      await page.getByRole("button", { name: TEXTS.tryAgain }).waitFor();
      expect(await rows(page).count()).toBe(10);
      expect(await strip(page).count()).toBe(10);
      await page.getByRole("button", { name: TEXTS.tryAgain }).click();
      await page.getByText(LAST_25).waitFor();
      expect(await rows(page).count()).toBe(25);
      expect(requests).toBe(6);
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("shows that a spectator has no matches", async () => {
      const visitor = await open("watcher");
      await visitor.page.getByText("No matches found").waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("reports a player that does not exist, and links to the explorer", async () => {
      const visitor = await open("nobody", [404]);
      await visitor.page.getByRole("alert").waitFor();
      await visitor.page
        .getByRole("main")
        .getByRole("link", { name: TEXTS.explorer, exact: true })
        .waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("lets the visitor enter a key where one is required, and continues with it", async () => {
      const visitor = await visit(`${world.url}/portal/na/players/ada`, { expects: [401] });
      const { page } = visitor;
      await page.getByRole("alert").getByRole("button", { name: TEXTS.enterKey }).click();
      await page.getByRole("dialog").getByRole("textbox").fill(world.key);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await page.getByText(LAST_25).waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });
  });

  test("keeps loaded matches when the server stops", async () => {
    const world = await startWorld(historyOfAda());
    const visitor = await visit(`${world.url}/portal/na/players/ada`, { key: world.key });
    const { page } = visitor;
    await world.stop();
    await page.getByRole("button", { name: LOAD_MORE }).click();
    await page.getByText(TEXTS.unreachable).waitFor();
    expect(await rows(page).count()).toBe(25);
    await leave(visitor);
  });
});

/** A rate limit response of the server, with a short wait. */
function limitReached() {
  const error = {
    status: "429",
    code: "rate-limited",
    title: "Too many requests",
    detail: "Wait 1 second.",
  };
  return {
    status: 429,
    headers: { "Retry-After": "1", "Content-Type": "application/vnd.api+json" },
    body: JSON.stringify({ errors: [error], jsonapi: { version: "1.1" } }),
  };
}
