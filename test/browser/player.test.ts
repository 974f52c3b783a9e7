/** In charge of the page "Player" in a browser: the record, recent matches page by page, and every state of it. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
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
  visit,
  WIDTHS,
} from "./support.ts";

const MATCHES = 30;

/** Ada wins every third of her matches; the newest one is the first. */
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

/** Somebody whom a match names without a part in it. */
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

const strip = (page: Page) => page.getByRole("region", { name: "Form" }).getByRole("link");
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

    test("is reached from the start page by clicking, down to the plot", async () => {
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

    test("tells the lifetime record and the streak in words", async () => {
      const visitor = await open("ada");
      const lifetime = await visitor.page.getByRole("region", { name: "Lifetime" }).innerText();
      const lines = lifetime.split(/\n+/).map((line) => line.trim());
      const after = (name: string) => lines[lines.indexOf(name) + 1];
      expect([after("Played"), after("Wins"), after("Win rate")]).toEqual(["30", "10", "33%"]);
      expect([after("Ranked"), after("Streak")]).toEqual(["15", "Won the last match"]);
      await leave(visitor);
    });

    test("has a strip of recent results, with words for those who listen, each a link", async () => {
      const visitor = await open("ada");
      const { page } = visitor;
      expect(await strip(page).count()).toBe(25);
      const letters = await strip(page).locator("[aria-hidden]").allInnerTexts();
      expect(letters.slice(0, 4)).toEqual(["W", "L", "L", "W"]);
      expect(await strip(page).nth(1).getAttribute("href")).toBe("/portal/na/matches/match-1");
      expect(await strip(page).nth(1).textContent()).toContain("Lost with Ember");
      await strip(page).nth(1).click();
      await page.getByRole("heading", { level: 1, name: "Casual ARAL match" }).waitFor();
      await leave(visitor);
    });

    test.each(WIDTHS)("does not jump when the replies come: %d pixels wide", async (width) => {
      const visitor = await visit(`${world.url}/portal/status`, { key: world.key, width });
      const { page } = visitor;
      const pieces = ["h1", ".player-lifetime", ".player-form", ".player-plots", ".player-tallies"];
      const letThrough = await holdReplies(page, "**/shards/na/**");
      await page.goto(`${world.url}/portal/na/players/ada`);
      await page.locator(".player-tallies").waitFor();
      const before = await topsOf(page, pieces);
      letThrough();
      await page.getByText("The last 25 matches").waitFor();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      expect(await topsOf(page, pieces)).toEqual(before);
      await leave(visitor);
    });

    test("plots gold and farm, and has the same values as a table", async () => {
      const visitor = await open("ada");
      const table = visitor.page.getByRole("table", { name: "Gold by match, oldest first" });
      const values = await table.locator("tbody td").allTextContents();
      expect(values.length).toBe(25);
      expect([values[0], values.at(-1)]).toEqual(["1,024", "1,000"]);
      await leave(visitor);
    });

    test("counts modes and heroes, with how often they were won", async () => {
      const visitor = await open("ada");
      const modes = await visitor.page.getByRole("region", { name: "Modes" }).innerText();
      expect(modes.replaceAll(/\s+/g, " ")).toContain("Ranked 5 of 13 matches");
      expect(modes.replaceAll(/\s+/g, " ")).toContain("Casual ARAL 4 of 12 matches");
      await leave(visitor);
    });

    test("loads more when asked, beyond the usual window, until all are there", async () => {
      const visitor = await open("ada");
      const { page } = visitor;
      expect(await progress(page).innerText()).toBe("The last 25 matches");
      await page.getByRole("button", { name: "Load more" }).click();
      await page.getByText("All 30 matches").waitFor();
      expect(await rows(page).count()).toBe(MATCHES);
      expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);
      await leave(visitor);
    });

    test("keeps what is there when the limit is reached, and goes on where it stopped", async () => {
      const visitor = await visit(`${world.url}/portal/status`, { key: world.key, expects: [429] });
      const { page } = visitor;
      let asked = 0;
      await page.route("**/shards/na/matches?**", (route) => {
        asked += 1;
        return asked === 3 ? route.fulfill(limitReached()) : route.continue();
      });
      await page.goto(`${world.url}/portal/na/players/ada`);
      await page.getByRole("button", { name: "Try again" }).waitFor();
      expect(await rows(page).count()).toBe(10);
      expect(await strip(page).count()).toBe(10);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("The last 25 matches").waitFor();
      expect(await rows(page).count()).toBe(25);
      expect(asked).toBe(6);
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("says that there are no matches of somebody who only watched", async () => {
      const visitor = await open("watcher");
      await visitor.page.getByText("No matches of this player").waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("says that there is no such player, and where to look", async () => {
      const visitor = await open("nobody", [404]);
      await visitor.page.getByRole("alert").waitFor();
      await visitor.page
        .getByRole("main")
        .getByRole("link", { name: "explorer", exact: true })
        .waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });

    test("asks for another key when this one is not in force, and goes on with it", async () => {
      const visitor = await visit(`${world.url}/portal/na/players/ada`, { expects: [401] });
      const { page } = visitor;
      await page.getByRole("alert").getByRole("button", { name: "Enter an API key" }).click();
      await page.getByRole("dialog").getByRole("textbox").fill(world.key);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await page.getByText("The last 25 matches").waitFor();
      expect(visitor.complaints).toEqual([]);
      await leave(visitor);
    });
  });

  test("keeps what is there when the service stops", async () => {
    const world = await startWorld(historyOfAda());
    const visitor = await visit(`${world.url}/portal/na/players/ada`, { key: world.key });
    const { page } = visitor;
    await world.stop();
    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByText("The service does not answer").waitFor();
    expect(await rows(page).count()).toBe(25);
    await leave(visitor);
  });
});

/** As the service words it, but for a second only. */
function limitReached() {
  const error = {
    status: "429",
    code: "rate-limited",
    title: "Too many requests",
    detail: "The key has used up its requests: wait 1 second.",
  };
  return {
    status: 429,
    headers: { "Retry-After": "1", "Content-Type": "application/vnd.api+json" },
    body: JSON.stringify({ errors: [error], jsonapi: { version: "1.1" } }),
  };
}
