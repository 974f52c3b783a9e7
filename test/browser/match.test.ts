/** The match page in a browser: scoreboard, unusual records and error states. */

import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { tier } from "../../src/portal/format.ts";
import { OUTCOME_NAMES } from "../../src/portal/match.ts";
import { endingName, sideName } from "../../src/portal/names.ts";
import { aMatch, minutesAgo } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import { CODED, HOSTILE, MARKUP, OVERRIDE, oddRecords, SIX, SPARE, UNEVEN } from "./odd-records.ts";
import {
  holdReplies,
  inBrowser,
  layoutShift,
  settled,
  startDemoWorld,
  sticksOut,
  textOf,
  topsOf,
  violations,
  visit,
  visitOnce,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

const openAll = async (page: Page): Promise<void> => {
  await settled(page);
  await page.locator(".match-fold summary").click();
};

/** The rows of a side in the table of the line-ups. */
const side = (page: Page, name: string) =>
  page.locator("tbody").filter({ has: page.getByRole("rowheader", { name }) });

const outcome = (page: Page, name: string): Promise<string> =>
  side(page, name)
    .locator(".match-outcome")
    .evaluate((mark) => mark.lastChild!.textContent!);

const apiMenu = async (page: Page, item: string): Promise<void> => {
  await page.getByRole("button", { name: "API" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem", { name: item }).focus();
  await page.keyboard.press("Enter");
};

/** The texts with a name, and those in which it can change the order of what is around it. */
function exposed(name: string): { count: number; exposed: string[] } {
  const found = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (found.nextNode()) {
    const text = found.currentNode as Text;
    if (text.data.includes(name)) texts.push(text);
  }
  const isIsolated = ({ data, parentElement }: Text) =>
    parentElement!.closest("bdi")
      ? !/[\u2066-\u2069]/.test(data)
      : data.split(name).length === data.split(`\u2068${name}`).length;
  return {
    count: texts.length,
    exposed: texts.filter((text) => !isIsolated(text)).map(({ data }) => data),
  };
}

inBrowser("the match page", () => {
  describe("with demo matches", () => {
    const world = shared(() => startDemoWorld());
    let id: string;
    beforeAll(async () => {
      const { body } = await world.get("/shards/na/matches?sort=-createdAt&page[limit]=1");
      id = body.data[0].id;
    });

    const open = () => visit(`${world.url}/portal/na/matches/${id}`, { key: world.key });

    test("shows the same after a reload", async () => {
      const page = await open();
      const shown = await textOf(page);
      expect(await page.locator(".match-bar").count()).toBeGreaterThan(0);
      await page.reload();
      await settled(page);
      expect(await textOf(page)).toBe(shown);
    });

    describe("on one visit", () => {
      const shared = visitOnce(() => open());

      test("has its ID, its link and its JSON in a menu, by keyboard", async () => {
        const { page } = shared;
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        const copied = () => page.evaluate(() => navigator.clipboard.readText());
        await apiMenu(page, "Copy link to this page");
        await page.getByText("Copied", { exact: true }).waitFor();
        expect(await copied()).toBe(`${world.url}/portal/na/matches/${id}`);
        await apiMenu(page, "Copy ID");
        await page.waitForFunction(
          async (wanted) => (await navigator.clipboard.readText()) === wanted,
          id,
        );
        await apiMenu(page, "View JSON");
        const dialog = page.getByRole("dialog", { name: "JSON" });
        await dialog.waitFor();
        const { body } = await world.get(`/shards/na/matches/${id}`);
        const json = JSON.parse((await dialog.locator("pre").textContent())!);
        expect(json.data).toEqual(body.data);
        expect(json.included).toHaveLength(body.included.length);
        expect(json.included).toEqual(expect.arrayContaining(body.included));
        expect(await violations(page)).toEqual([]);
        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
      });

      test("marks the highest values of the match, in words too", async () => {
        const { page } = shared;
        const gold = page.locator('.match-line td[data-label="Gold"]');
        const values = (await gold.locator(".match-figure").allInnerTexts()).map((text) =>
          Number.parseInt(text.replaceAll(",", ""), 10),
        );
        const marked = gold.locator(".match-highest");
        expect(await marked.count()).toBe(1);
        expect(await marked.textContent()).toBe(
          `${Math.max(...values).toLocaleString("en")} (highest)`,
        );
      });

      test("compares the players by another value, by keyboard", async () => {
        const { page } = shared;
        const shown = () => page.locator(".match-bar .label").allInnerTexts();
        const byGold = await shown();
        await page.getByRole("radio", { name: "Gold" }).focus();
        await page.keyboard.press("ArrowRight");
        expect(await page.getByRole("radio", { name: "Kills" }).isChecked()).toBe(true);
        const kills = (await page.locator('.match-line td[data-label="K / D / A"]').allInnerTexts())
          .map((text) => text.match(/(\d+)[^\d]*\//)![1]!)
          .sort();
        expect((await shown()).toSorted()).toEqual(kills);
        expect(await shown()).not.toEqual(byGold);
      });
    });
  });

  describe("with unusual records", () => {
    // More regions than fit into a line of a phone.
    const regions = ["eu", "sea", "sa", "ea", "cn", "tournament-na"].map((shard) =>
      aMatch({ shard, createdAt: minutesAgo(600) }),
    );
    const world = shared(() => startWorld([...oddRecords(), ...regions]));

    const open = (id: string, width = 1440) =>
      visit(`${world.url}/portal/na/matches/${id}`, { key: world.key, width });

    describe("of a match with codes as names", () => {
      const shared = visitOnce(() => open(CODED));

      test("is a scoreboard with readable names and the winner", async () => {
        const { page } = shared;
        expect(await page.locator("h1").innerText()).toBe(TEXTS.match("casual_aral"));
        const facts = await page.locator(".match-facts").innerText();
        expect(facts).toContain(endingName("surrender"));
        // "19:30 45 seconds ago" reads as one time.
        expect(facts).toMatch(/\d\d:\d\d \([^)]+ ago\)/);
        const blue = side(page, sideName("left/blue"));
        const shown = await blue.innerText();
        for (const text of [
          "TKJK",
          OUTCOME_NAMES.lost,
          "Hero 009",
          "Ada",
          tier(29),
          "AFK since 1\u00a0min 35\u00a0s",
          "16,844",
          "Bot or anonymous",
        ]) {
          expect(shown).toContain(text);
        }
        expect(await blue.getByRole("img", { name: "Sprint Boots" }).count()).toBe(1);
        expect(await blue.getByRole("img", { name: "Storm Prism" }).count()).toBe(2);
        const kda = blue.locator(".match-kda .match-figure").first();
        expect((await kda.innerText()).replaceAll(/\s|\(highest\)/g, "")).toBe("7/1/12");
        expect(await outcome(page, sideName("right/red"))).toBe(OUTCOME_NAMES.won);
      });

      test("compares the totals of both sides, and a value of all players", async () => {
        const { page } = shared;
        const totals = page.getByRole("list", { name: "Team totals" }).getByRole("listitem");
        const gold = totals.filter({ hasText: "Gold" });
        expect(await gold.innerText()).toMatch(/41,000\s+Gold\s+39,000/);
        // For screen readers.
        expect(await gold.textContent()).toContain("Gold: Blue side 41,000, Red side 39,000");
        expect(await page.locator(".match-bar").count()).toBe(3);
      });

      test("has a blue and a red side", async () => {
        for (const [name, token] of [
          [sideName("left/blue"), "--blue"],
          [sideName("right/red"), "--red"],
        ] as const) {
          const [shown, wanted] = await side(shared.page, name)
            .locator(".match-side-name")
            .evaluate((element, token) => {
              const probe = document.createElement("span");
              probe.style.color = `var(${token})`;
              element.append(probe);
              const colours = [element, probe].map((one) => getComputedStyle(one).color);
              probe.remove();
              return colours;
            }, token);
          expect(shown).toBe(wanted!);
        }
      });

      test("shows unknown stats, and what the record links to", async () => {
        await openAll(shared.page);
        const more = await shared.page.locator(".match-fold").innerText();
        for (const text of [
          "Moon phase",
          "waning",
          "Crow: Yes",
          "Sprint Boots × 2",
          "Sprint Boots, Storm Prism, Storm Prism",
          "Season",
          "autumn",
        ]) {
          expect(more).toContain(text);
        }
        expect(more).toContain("Weather");
        const linked = shared.page.getByRole("region", { name: "Linked data" });
        expect(await linked.innerText()).toContain("Rounds");
        const link = shared.page.getByRole("link", { name: "https://telemetry.example/1.json" });
        expect(await link.getAttribute("rel")).toContain("noopener");
      });
    });

    test("does not shift when the response arrives", async () => {
      const page = await visit(`${world.url}/portal/status`, { key: world.key, width: 360 });
      const letThrough = await holdReplies(page, "**/shards/na/**");
      await page.goto(`${world.url}/portal/na/matches/${CODED}`);
      await page.locator(".match-page .loading").first().waitFor();
      const before = await topsOf(page, ["h1", ".match-facts"]);
      letThrough();
      await page.locator(".match-result").waitFor();
      expect(await topsOf(page, ["h1", ".match-facts"])).toEqual(before);
      expect(await layoutShift(page)).toBeLessThan(0.02);
    });

    test("markup in names is text, which fits a narrow screen, on every page; no link leads to a script", async () => {
      const page = await open(HOSTILE, 360);
      await openAll(page);
      expect(await page.getByRole("link", { name: MARKUP, exact: true }).count()).toBe(1);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
      expect(await page.locator("main").innerText()).toContain("javascript:document.title");
      expect(await page.title()).toBe(`${TEXTS.match("ranked")} · Matchbook`);
      const explorer = "/portal/developers/explorer?shard=na&on";
      for (const path of [
        `/portal/na/matches/${HOSTILE}`,
        "/portal/na/players/eve",
        `/portal/na/heroes?patch=${encodeURIComponent(MARKUP)}`,
        "/portal/na/leaderboards/ranked-wins?player=eve",
        `${explorer}=match&id=${HOSTILE}`,
        `${explorer}=match&id=${HOSTILE}&as=json`,
        `${explorer}=players&filter[playerIds]=eve`,
      ]) {
        await page.goto(world.url + path);
        await settled(page);
        // The tree of the JSON has folded parts.
        const text = await page.locator("main").textContent();
        expect([path, text!.includes("<img src=x")]).toEqual([path, true]);
        expect([path, await page.locator("main img").count()]).toEqual([path, 0]);
        expect(await page.title()).not.toBe("hacked");
        expect([path, ...(await sticksOut(page))]).toEqual([path]);
      }
    });

    const fitsNarrow = async (page: Page) => {
      await openAll(page);
      expect(await sticksOut(page)).toEqual([]);
    };

    test("fits a narrow screen with one player against ten", async () => {
      const page = await open(UNEVEN, 320);
      await fitsNarrow(page);
    });

    test("names of any direction are isolated and fit a narrow screen, on every page that shows them", async () => {
      const page = await open(SIX, 320);
      await fitsNarrow(page);
      for (const path of [
        `/portal/na/matches/${SIX}`,
        "/",
        "/portal/na/players/left-1?compare=right-1",
        "/portal/na/leaderboards/ranked-wins?player=left-1",
        "/portal/developers/explorer?shard=na&on=matches&filter[playerIds]=left-1",
        "/portal/developers/explorer?shard=na&on=players&filter[playerIds]=left-1",
      ]) {
        await page.goto(world.url + path);
        await settled(page);
        const shown = await page.evaluate(exposed, OVERRIDE.slice(0, 5));
        expect([path, shown.count > 0, ...shown.exposed]).toEqual([path, true]);
        expect([path, ...(await sticksOut(page))]).toEqual([path]);
      }
      await page.goto(`${world.url}/portal/na/players/left-1`);
      await settled(page);
      expect(await page.title()).toBe("\u2068\u202eevil\u202e\u2069 · Matchbook");
    });

    test("shows that nobody won, and that a side is empty, and fits a narrow screen", async () => {
      const page = await open(SPARE, 320);
      expect(await outcome(page, "Side 1")).toBe(OUTCOME_NAMES.undecided);
      expect(await outcome(page, "Side 2")).toBe(OUTCOME_NAMES.undecided);
      expect(await side(page, "Side 2").innerText()).toContain("No players recorded");
      expect(await page.locator(".match-outcome-won").count()).toBe(0);
      await fitsNarrow(page);
    });

    test("does not blame the server for a record that it cannot show", async () => {
      const page = await visit(`${world.url}/portal/na/matches/${CODED}`, {
        key: world.key,
        expects: "errors",
        before: (page) =>
          page.route(`**/shards/na/matches/${CODED}`, async (route) => {
            const response = await route.fetch();
            const json = await response.json();
            json.data.attributes.createdAt = "never";
            await route.fulfill({ response, json });
          }),
      });
      const alert = page.getByRole("alert");
      expect(await alert.innerText()).toContain("This is a fault in the portal");
      expect(await alert.innerText()).not.toContain("unreachable");
    });

    test("links to its players by keyboard; reports a page that failed to load, and loads it on retry", async () => {
      const page = await visit(`${world.url}/portal/na/matches/${CODED}`, {
        key: world.key,
        expects: "errors",
      });
      let isUnreachable = true;
      await page.route(`${world.url}/**`, (route) =>
        isUnreachable ? route.abort() : route.continue(),
      );
      await page.getByRole("link", { name: "Ada", exact: true }).focus();
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      expect(await page.title()).toBe("Something went wrong · Matchbook");
      isUnreachable = false;
      await page.getByRole("button", { name: TEXTS.tryAgain }).click();
      await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
    });
  });
});
