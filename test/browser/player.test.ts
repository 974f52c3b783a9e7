/** The player page in a browser: record, history, filters, chart, comparison and error states. */

import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { modeName } from "../../src/portal/names.ts";
import { aMatch, duel, type MatchDocument, minutesAgo } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import { oddRecords } from "./odd-records.ts";
import {
  holdReplies,
  inBrowser,
  settled,
  startDemoWorld,
  sticksOut,
  topsOf,
  visit,
  visitOnce,
  WIDTHS,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

const MATCHES = 30;
const LAST_20 = "Last 20 matches";
const LOAD_MORE = "Load more";

/** Ada wins every third match, and plays Ivo in every fifth; the newest match is the first. */
function historyOfAda(): MatchDocument[] {
  return Array.from({ length: MATCHES }, (_, at) => {
    const ada = {
      id: "ada",
      name: "Ada",
      gold: 1000 + at,
      stats: { skillTier: 12, level: 24, karma: "good" },
    };
    // Grace is in the newest three.
    const other =
      at < 3 ? { id: "grace", name: "Grace" } : { id: `other-${at}`, name: `Other_${at}` };
    const isWon = at % 3 === 0;
    const document = aMatch({
      id: `match-${at}`,
      createdAt: minutesAgo(60 + at * 60 * 24),
      mode: at % 2 === 0 ? "ranked" : "casual_aral",
      rosters: isWon ? duel(ada, other) : duel(other, ada),
    });
    const own = document.included.find(({ id }) => id === `match-${at}-r${isWon ? 0 : 1}p0`)!;
    const attributes = own.attributes as { actor: string; stats: object };
    attributes.actor = at % 5 === 0 ? "*Ivo*" : "*Ember*";
    attributes.stats = { ...attributes.stats, items: ["*Item_SprintBoots*", "Storm Prism"] };
    return document;
  });
}

/** A match with a spectator, who did not take part. */
function onlyWatched(): MatchDocument {
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
const rows = (page: Page) => page.locator("li.player-row");
const coverage = (page: Page) => page.locator(".player-coverage");
const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const filter = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
/** The suggestions; the filters have options, too. */
const options = (page: Page) => page.getByRole("listbox").getByRole("option");
const plain = async (text: Promise<string>) => (await text).replaceAll(/\s+/g, " ").trim();

/** Adds the paths of the requests of the page for data. */
function countRequests(page: Page, paths: string[]): void {
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/shards/")) paths.push(pathname);
  });
}

inBrowser("the player page", () => {
  describe("with demo matches", () => {
    const world = shared(() => startDemoWorld());
    let address: string;
    beforeAll(async () => {
      const { body } = await world.get("/shards/na/players");
      address = `${world.url}/portal/na/players/${body.data[0].id}`;
    });

    test("leads to matches and to other players by clicking", async () => {
      const page = await visit(address, { key: world.key });
      await page.locator(".player-lineup a").first().click();
      await page.waitForURL((url) => !url.href.startsWith(address));
      await settled(page);
      await rows(page).first().getByRole("link").first().click();
      await page.waitForURL(/\/portal\/na\/matches\//);
    });
  });

  describe("with a known history", () => {
    const world = shared(() => startWorld([...historyOfAda(), onlyWatched()]));

    const open = (id: string, expects: number[] | "errors" = []) =>
      visit(`${world.url}/portal/na/players/${id}`, { key: world.key, expects });

    describe("of Ada", () => {
      const shared = visitOnce(() => open("ada"));

      test("shows who it is, the lifetime record and the streak", async () => {
        const { page } = shared;
        const band = await plain(page.locator(".player-band").innerText());
        for (const text of ["Ada", "NA", "Tier 12", "Level 24", "Lifetime", "1 win in a row"])
          expect(band).toContain(text);
        expect(band).toContain("30 Matches 10 Wins 15 Ranked 30.4K Gold");
        expect(await plain(page.locator(".player-lifetime").innerText())).toContain("33%");
        expect(await page.title()).toContain("Ada");
      });

      test("shows the places on leaderboards, as links", async () => {
        const link = shared.page.getByRole("link", { name: "#1 by skill tier" });
        expect(await link.getAttribute("href")).toBe("/portal/na/leaderboards/skill-tier");
      });

      test("has a strip of the last ten results as links, with text for screen readers", async () => {
        const { page } = shared;
        expect(await strip(page).count()).toBe(10);
        const letters = await strip(page).locator("[aria-hidden]").allInnerTexts();
        expect(letters.slice(0, 4)).toEqual(["W", "L", "L", "W"]);
        expect(await strip(page).nth(1).getAttribute("href")).toBe("/portal/na/matches/match-1");
        expect(await strip(page).nth(1).textContent()).toContain("Lost with Ember");
        expect(await plain(page.locator(".player-form").innerText())).toContain("4 wins, 6 losses");
      });

      test("lists matches with hero, score, gold per minute, items and both line-ups", async () => {
        const { page } = shared;
        expect(await coverage(page).innerText()).toBe(LAST_20);
        expect(await rows(page).count()).toBe(20);
        const first = rows(page).first();
        const text = await plain(first.innerText());
        for (const part of ["Won", modeName("ranked"), "20 min", "Ivo", "4 / 2 / 3", "3.5 ratio"])
          expect(text).toContain(part);
        // 1000 gold in 20 minutes.
        expect(text).toContain("50 gold/min");
        expect(await first.getByRole("img", { name: "Sprint Boots" }).count()).toBe(1);
        expect(await first.locator(".player-lineup").count()).toBe(2);
        const grace = first.getByRole("link", { name: "Grace" });
        expect(await grace.getAttribute("href")).toBe("/portal/na/players/grace");
        expect(await first.getByRole("link", { name: "Ada" }).count()).toBe(0);
      });

      test("groups matches by day, each with its result", async () => {
        const heads = shared.page.locator(".player-day-head");
        // One match a day.
        expect(await heads.count()).toBe(20);
        expect(await heads.first().innerText()).toContain("1 win, 0 losses");
      });

      test("states what heroes and modes cover", async () => {
        const modes = await plain(region(shared.page, "Modes").innerText());
        expect(modes).toContain(LAST_20);
        expect(modes).toContain(`${modeName("ranked")} 3.5 K/D/A 10 matches 40%`);
        expect(modes).toContain(`${modeName("casual_aral")} 3.5 K/D/A 10 matches 30%`);
        const heroes = await plain(region(shared.page, "Heroes").innerText());
        expect(heroes).toContain(LAST_20);
        expect(heroes).toContain("Ember 3.5 K/D/A 16 matches");
      });

      test("shows with whom and against whom the player played", async () => {
        const company = region(shared.page, "Played with and against");
        expect(await plain(company.innerText())).toContain("Grace 3 matches 33%");
        const grace = company.getByRole("link", { name: "Grace" });
        expect(await grace.getAttribute("href")).toBe("/portal/na/players/grace");
      });

      test("shows stats that it does not know", async () => {
        expect(await plain(region(shared.page, "More stats").innerText())).toContain("Karma good");
      });

      describe("the chart", () => {
        const tip = (page: Page) => page.locator(".plot-tip");

        test("shows a value on hover, and the point stays visible", async () => {
          const { page } = shared;
          await page.getByText("Gold/min", { exact: true }).click();
          const points = page.locator(".player-card .plot-point");
          const before = await points.count();
          const box = (await page.locator(".plot-drawing").boundingBox())!;
          await page.mouse.move(box.x + box.width - 14, box.y + box.height / 2);
          // The newest match, on the right: 1000 gold in 20 minutes.
          expect(await plain(tip(page).innerText())).toMatch(/Won with Ivo.* Ranked:? 50/);
          // The key of the series in the tip may be drawn like a point.
          expect(await points.count()).toBeGreaterThanOrEqual(before);
          await page.mouse.move(0, 0);
          await tip(page).waitFor({ state: "detached" });
        });

        test("is no control, and has a table of its values, by keyboard", async () => {
          const { page } = shared;
          expect(await page.getByRole("slider").count()).toBe(0);
          await page.locator(".plot summary").focus();
          await page.keyboard.press("Enter");
          const rows = page.locator(".plot").getByRole("table").getByRole("row");
          // The oldest of the last 20 matches: Ember, lost.
          expect(await plain(rows.nth(1).innerText())).toContain("Lost with Ember");
          expect(await plain(rows.nth(2).innerText())).toContain("Won with Ember");
        });

        test("has a series for each mode, and all values as a table", async () => {
          const { page } = shared;
          await page.getByText("Gold/min", { exact: true }).click();
          const table = page.locator(".plot table");
          const heads = await table.locator("thead th").allTextContents();
          expect(heads.slice(1)).toEqual([modeName("casual_aral"), modeName("ranked")]);
          expect(await table.locator("tbody tr").count()).toBe(20);
          expect(await table.locator("tbody tr").last().locator("td").allTextContents()).toEqual([
            "no data",
            "50",
          ]);
        });
      });
    });

    test("sends at most eight requests for data, and three for the change feed", async () => {
      const requests: string[] = [];
      const page = await visit(`${world.url}/portal/na/players/ada`, {
        key: world.key,
        before: (page) => countRequests(page, requests),
      });
      await page.getByText("Live", { exact: true }).waitFor();
      expect(requests.toSorted()).toEqual([
        "/shards/na/changes",
        "/shards/na/changes",
        "/shards/na/leaderboards/ranked-wins",
        "/shards/na/leaderboards/skill-tier",
        "/shards/na/matches",
        "/shards/na/matches",
        "/shards/na/matches",
        "/shards/na/matches",
        "/shards/na/matches",
        "/shards/na/players/ada",
        "/shards/na/players/ada/played-with",
      ]);
    });

    test("filters by mode in all matches, and by hero in those that are loaded, and says so", async () => {
      const page = await open("ada");
      await filter(page, "Mode").selectOption({ label: modeName("ranked") });
      await page.getByText("All 15 Ranked matches").waitFor();
      expect(await rows(page).count()).toBe(15);
      await filter(page, "Hero").selectOption({ label: "Ivo (3)" });
      expect(await coverage(page).innerText()).toBe("3 with Ivo in all 15 Ranked matches");
      expect(await rows(page).count()).toBe(3);
      // The link to the page keeps them.
      await page.reload();
      await page.getByText("3 with Ivo in all 15 Ranked matches").waitFor();
      await filter(page, "Mode").selectOption({ label: "All modes" });
      expect(await coverage(page).innerText()).toBe(
        "4 with Ivo in the last 20 matches. Load more to search older ones.",
      );
      await button(page, LOAD_MORE).click();
      await page.getByText("6 with Ivo in all 30 matches").waitFor();
      await filter(page, "Mode").selectOption({ label: modeName("private") });
      await page.getByText("No Private matches").waitFor();
    });

    test.each(WIDTHS)("does not shift when responses arrive: %d pixels wide", async (width) => {
      const page = await visit(`${world.url}/portal/status`, { key: world.key, width });
      const pieces = ["h1", ".player-lifetime", ".player-form", ".player-columns", "#matches"];
      const letThrough = await holdReplies(page, "**/shards/na/**");
      await page.goto(`${world.url}/portal/na/players/ada`);
      await page.locator("#matches").waitFor();
      const before = await topsOf(page, pieces);
      letThrough();
      await coverage(page).filter({ hasText: LAST_20 }).waitFor();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
      await settled(page);
      expect(await topsOf(page, pieces)).toEqual(before);
    });

    test("loads more on demand, beyond the default window, until all matches are loaded", async () => {
      const page = await open("ada");
      await button(page, LOAD_MORE).click();
      await coverage(page).filter({ hasText: "All 30 matches" }).waitFor();
      expect(await rows(page).count()).toBe(MATCHES);
      expect(await button(page, LOAD_MORE).count()).toBe(0);
      // What is computed from the matches says how many.
      expect(await region(page, "Heroes").innerText()).toContain("All 30 matches");

      // Back shows all of them at once, at the same place.
      const last = rows(page).last().getByRole("link").first();
      await last.scrollIntoViewIfNeeded();
      const place = await page.evaluate(() => scrollY);
      await last.click();
      await page.waitForURL(/\/matches\//);
      await settled(page);
      await holdReplies(page, /\/shards\//);
      await page.goBack();
      await rows(page).first().waitFor();
      expect(await rows(page).count()).toBe(MATCHES);
      await page.waitForFunction((y) => scrollY === y, place);
    });

    test("that was seen is shown without a network, with its time; what failed loads when the network is back", async () => {
      const page = await open("ada", "errors");
      await rows(page).first().getByRole("link").first().click();
      await page.waitForURL(/\/matches\//);
      await settled(page);
      await page.context().setOffline(true);
      const isShown = async () => {
        await page.getByText(/You are offline\. Shown as of \d\d:\d\d\./).waitFor();
        expect(await rows(page).count()).toBe(20);
      };
      await page.goBack();
      await isShown();
      await page.goForward();
      await page.getByRole("main").getByRole("link", { name: "Ada", exact: true }).click();
      await isShown();
      await page.locator(".player-lineup").getByRole("link", { name: "Grace" }).first().click();
      await page.getByRole("alert").filter({ hasText: TEXTS.unreachable }).first().waitFor();
      await page.context().setOffline(false);
      await page.getByRole("heading", { level: 1, name: "Grace" }).waitFor();
      await settled(page);
      expect(await page.getByRole("alert").count()).toBe(0);
      expect(await page.getByText("You are offline").count()).toBe(0);
    });

    test("is not rendered again by a response that changes only the limits of the key", async () => {
      const page = await open("ada");
      await page.getByText("Live", { exact: true }).waitFor();
      // Every link of the page is encoded when it is rendered.
      await page.evaluate(() => {
        const encode = globalThis.encodeURIComponent;
        globalThis.encodeURIComponent = (text) => {
          if (text === "match-0") document.body.dataset.rendered = "yes";
          return encode(text);
        };
      });
      const answered = page.waitForResponse(/player-names/);
      await page.getByRole("combobox", { name: "Search for a player" }).fill("zzz");
      await (await answered).finished();
      await page
        .locator(".combobox-note")
        .getByText(/^No player/)
        .waitFor();
      expect(await page.evaluate(() => document.body.dataset.rendered)).toBeUndefined();
    });

    test("compares with a player found by a misspelt name, by keyboard only", async () => {
      const page = await open("ada");
      await button(page, "Compare").focus();
      await page.keyboard.press("Enter");
      await page.keyboard.type("Gracce");
      await options(page).filter({ hasText: "Grace" }).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/\?compare=grace$/);
      const table = region(page, "Compare").getByRole("table");
      await table.waitFor();
      const heads = await table.locator("thead th").allInnerTexts();
      expect(heads.map((one) => one.replaceAll(/\s+/g, " ").trim().split(" ").at(-1))).toEqual([
        "Ada",
        "Grace",
      ]);
      const row = async (name: string) =>
        plain(table.getByRole("row", { name }).first().innerText());
      expect(await row("Matches")).toBe("30 Matches 3");
      expect(await row("Win rate")).toBe("33% Win rate 67% (higher)");
      expect(await plain(table.innerText())).toContain(`${LAST_20} All 3 matches`);
      expect(await plain(region(page, "Compare").innerText())).toContain(
        "3 matches against each other, of which Ada won 1",
      );
      // The page was not loaded again, and the comparison is part of its URL.
      expect(await page.getByRole("heading", { name: "Compare" }).evaluate(isFocused)).toBe(true);
      await page.reload();
      await table.waitFor();
      await page.goBack();
      await table.waitFor({ state: "detached" });

      await button(page, "Compare").click();
      await button(page, "Close").click();
      await region(page, "Compare").waitFor({ state: "detached" });
    });

    test("keeps favourites and recent players in the browser, and suggests them", async () => {
      const page = await open("ada");
      const star = page.getByRole("button", { name: "Favourite" });
      await star.click();
      expect(await star.getAttribute("aria-pressed")).toBe("true");
      await page.goto(`${world.url}/portal/na/players/grace`);
      await settled(page);
      expect(await star.getAttribute("aria-pressed")).toBe("false");
      await button(page, "Compare").click();
      expect(await options(page).count()).toBe(1);
      await options(page).filter({ hasText: "Ada" }).click();
      await page.waitForURL(/\?compare=ada$/);
      await page.goto(`${world.url}/portal/na/players/ada`);
      await settled(page);
      expect(await star.getAttribute("aria-pressed")).toBe("true");
      await star.click();
      await page.reload();
      await settled(page);
      expect(await star.getAttribute("aria-pressed")).toBe("false");
    });

    // The other entries of the menu: match.test.ts.
    test("copies the link to the page, where nothing moves, and has the JSON in a menu", async () => {
      const page = await open("ada");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const boxes = () =>
        page
          .locator(".player-actions .button")
          .evaluateAll((buttons) =>
            buttons.map((one) => JSON.stringify(one.getBoundingClientRect())),
          );
      const before = await boxes();
      await button(page, "Copy link to this page").click();
      await page.getByText("Copied").first().waitFor();
      expect(await boxes()).toEqual(before);
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toBe(`${world.url}/portal/na/players/ada`);
      await button(page, "API").click();
      await page.getByRole("menuitem", { name: "View JSON" }).click();
      const shown = await page.getByRole("dialog").getByLabel("JSON response").innerText();
      expect(JSON.parse(shown)).toEqual((await world.get("/shards/na/players/ada")).body);
      await page.context().clearPermissions();
    });

    test("waits as told when the rate limit is reached, says so, and goes on by itself", async () => {
      let requests = 0;
      const page = await visit(`${world.url}/portal/status`, {
        key: world.key,
        expects: [429],
        before: (page) =>
          page.route("**/shards/na/matches?**", (route) => {
            requests += 1;
            return requests === 3 ? route.fulfill(limitReached()) : route.continue();
          }),
      });
      await page.goto(`${world.url}/portal/na/players/ada`);
      // The matches that were loaded before are there.
      await page.getByText(/Waiting for the server: \d s/).waitFor();
      expect(await rows(page).count()).toBe(10);
      await coverage(page).filter({ hasText: LAST_20 }).waitFor();
      expect(await rows(page).count()).toBe(20);
      expect(await page.getByText("Waiting for the server").count()).toBe(0);
    });

    test("says that a spectator has no matches", async () => {
      const page = await open("watcher");
      await page.getByText("No matches found").waitFor();
    });
  });

  describe("with unusual records", () => {
    const NAMES = { arabic: "عمر_الصقر", thai: "น้ำผึ้ง", emoji: "🐙🐙", blank: "\u200b" };
    const many = Object.entries(NAMES).map(([id, name]) =>
      aMatch({
        rosters: duel(
          { id, name, gold: 199_800, stats: { karma: [{ a: 1 }], skillTier: -1 } },
          { id: "ada", name: "Ada" },
        ),
      }),
    );
    const world = shared(() => startWorld([...oddRecords(), ...many]));

    test("shows any name as text, and any record without a gap", async () => {
      const page = await visit(`${world.url}/portal/status`, { key: world.key, width: 320 });
      for (const id of ["ada", "mallory", "bo", ...Object.keys(NAMES)]) {
        await page.goto(`${world.url}/portal/na/players/${id}`);
        await settled(page);
        expect([id, await rows(page).count()]).not.toEqual([id, 0]);
        const text = await page.locator("main").innerText();
        expect([id, text]).toEqual([
          id,
          expect.not.stringMatching(/NaN|undefined|Infinity|\[object/),
        ]);
        expect([id, ...(await sticksOut(page))]).toEqual([id]);
      }
    });
  });

  test("shows a match that is recorded while it is open, and keeps its matches when the server stops", async () => {
    const world = await startWorld(historyOfAda());
    const page = await visit(`${world.url}/portal/na/players/ada`, {
      key: world.key,
      expects: "errors",
    });
    const played = page.locator(".player-figures div", { hasText: "Matches" });
    expect(await played.innerText()).toContain("30");
    await page.getByText("Live", { exact: true }).waitFor();
    await world.ingest([
      aMatch({
        id: "new",
        createdAt: minutesAgo(1),
        rosters: duel({ id: "ada", name: "Ada" }, { id: "new", name: "New_One" }),
      }),
    ]);
    await rows(page).first().getByRole("link", { name: "New_One" }).waitFor();
    await played.filter({ hasText: "31" }).waitFor();
    expect(await rows(page).count()).toBe(21);
    await page.getByText("Updated just now").waitFor();
    const asked = page.waitForRequest("**/players/ada");
    await button(page, "Refresh").click();
    await asked;

    await world.stop();
    await page.getByText("Live updates are interrupted").waitFor();
    await button(page, LOAD_MORE).click();
    await page.getByRole("alert").filter({ hasText: TEXTS.unreachable }).waitFor();
    expect(await rows(page).count()).toBe(21);
  });
});

const isFocused = (element: Element): boolean => element === document.activeElement;

/** A rate limit response of the server, with a short wait. */
function limitReached() {
  const error = {
    status: "429",
    code: "rate-limited",
    title: "Too many requests",
    detail: "Wait 4 seconds.",
  };
  return {
    status: 429,
    headers: { "Retry-After": "4", "Content-Type": "application/vnd.api+json" },
    body: JSON.stringify({ errors: [error], jsonapi: { version: "1.1" } }),
  };
}
