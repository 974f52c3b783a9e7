/** The start page in a browser, and the app shell around every page: key, theme, keyboard, size. */

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { aMatch, anId, duel } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld, type World } from "../support/world.ts";
import {
  BACK_IN_AN_HOUR,
  changePageData,
  DEMO_NOW,
  holdReplies,
  inBrowser,
  layoutShift,
  leave,
  leaveForGood,
  settled,
  startDemoWorld,
  sticksOut,
  violations,
  visit,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

/** The newest matches are loaded. */
const LAST_ROW = ".start-matches .start-row:last-child";

/** The server writes the regions into the page, unless it cannot list them in time. */
const withoutRegions = (page: Page, address: string) =>
  changePageData(page, `${address}/`, /"regions":/, '"none":');

const NO_REGIONS = "No regions yet";

inBrowser("the home page", () => {
  const world = shared(() => startDemoWorld());

  test("opens on the region with the newest match, with its newest matches and best players, or on the one chosen last", async () => {
    // The region that comes last in the alphabet.
    await world.ingest([aMatch({ shard: "na", createdAt: DEMO_NOW - 3000 })]);
    const page = await visit(world.url, { key: world.key });
    expect(await page.title()).toBe("Matchbook");
    expect(await regionShown(page)).toBe("na");
    await page.locator(LAST_ROW).waitFor();
    for (const id of await newestIn(world, "na")) await page.locator(linkTo("na", id)).waitFor();
    const { body } = await world.get("/shards/na/leaderboards/skill-tier?page[limit]=1");
    await page.locator(".start-entry").first().getByText(body.data[0].attributes.name).waitFor();

    await page.getByRole("group", { name: "Region" }).getByText("EU", { exact: true }).click();
    const [newest] = await newestIn(world, "eu");
    await page.locator(linkTo("eu", newest!)).waitFor();
    const best = (await world.get("/shards/eu/leaderboards/win-streak?page[limit]=1")).body.data[0];
    await page.getByRole("group", { name: "Board" }).getByText("Streak").click();
    await page.locator(".start-entry").first().getByText(best.attributes.name).waitFor();
    await page.reload();
    await page.locator(linkTo("eu", newest!)).waitFor();
    expect(await regionShown(page)).toBe("eu");
  });

  test("opens on a region that the visitor may read, and stores only the one they choose", async () => {
    await using partly = await startDemoWorld({ "closed-shards": "na" });
    await partly.ingest([aMatch({ shard: "na", createdAt: DEMO_NOW - 1000 })]);
    const page = await visit(partly.url, { key: partly.key, expects: [403] });
    const stored = () => page.evaluate(() => localStorage.getItem("matchbook.shard"));
    const [newest] = await newestIn(partly, "eu");
    await page.locator(linkTo("eu", newest!)).waitFor();
    expect([await regionShown(page), await stored()]).toEqual(["eu", null]);
    // Their own choice stays.
    await page.getByRole("group", { name: "Region" }).getByText("NA", { exact: true }).click();
    await page.getByRole("alert").first().waitFor();
    expect([await regionShown(page), await stored()]).toEqual(["na", "na"]);
    await leave(page);
  });

  test("opens with the region of its URL", async () => {
    const page = await visit(`${world.url}/portal/eu`, { key: world.key });
    const [newest] = await newestIn(world, "eu");
    await page.locator(linkTo("eu", newest!)).waitFor();
    expect([page.url(), await regionShown(page)]).toEqual([`${world.url}/`, "eu"]);
  });

  test.each([
    ["/portal/nowhere", "Region not found"],
    ["/portal/nowhere/heroes", "Region not found"],
    ["/portal/na/matches/nowhere", "Match not found"],
    ["/portal/na/players/nobody", "Player not found"],
    [`/portal/na/<img src=x onerror=alert(1)>${"x".repeat(100)}`, "Page not found"],
  ])("says that %s does not exist, with links to the search and home", async (path, heading) => {
    const page = await visit(world.url + path, { key: world.key, expects: [404], width: 360 });
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    expect(await page.title()).toContain("not found");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await sticksOut(page)).toEqual([]);
    await page.getByRole("button", { name: "Search for a player" }).click();
    await page.locator("search input:focus").waitFor();
    await page.getByRole("main").getByRole("link", { name: "Home page" }).click();
    await page.waitForURL(`${world.url}/`);
    await page.getByRole("heading", { level: 1, name: "Find any player" }).waitFor();
  });

  test("never shows the best players of one region under another, and keeps the board", async () => {
    const page = await visit(world.url, { key: world.key });
    await page.getByRole("group", { name: "Board" }).getByText("Wins", { exact: true }).click();
    await settled(page);
    const other = (await regionShown(page)) === "na" ? "eu" : "na";
    const letThrough = await holdReplies(page, `**/shards/${other}/leaderboards/**`);
    await page.getByRole("group", { name: "Region" }).getByText(other.toUpperCase()).click();
    const [newest] = await newestIn(world, other);
    await page.locator(linkTo(other, newest!)).waitFor();
    expect(await page.locator(".start-entry").count()).toBe(0);
    letThrough();
    const { body } = await world.get(`/shards/${other}/leaderboards/ranked-wins?page[limit]=1`);
    await page.locator(".start-entry").first().getByText(body.data[0].attributes.name).waitFor();
  });

  test("moves nothing while the visitor points at the matches, or goes through them by keyboard", async () => {
    const page = await visit(world.url, { key: world.key });
    await page.getByText("Live", { exact: true }).waitFor();
    const shard = await regionShown(page);
    const first = page.locator(".start-matches .start-row").first();
    await first.hover();
    const before = await first.innerText();
    const match = aMatch({ shard, createdAt: DEMO_NOW - 1000 });
    const fetched = page.waitForResponse(/matches\?sort/);
    await world.ingest([match]);
    await (await fetched).finished();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    expect(await first.innerText()).toBe(before);
    await page.mouse.move(0, 0);
    await page.locator(linkTo(shard, match.data.id as string)).waitFor();

    const targets = () =>
      page.locator(".start-matches .start-link").evaluateAll((links) => links.map(String));
    const listed = await targets();
    await page.locator(".start-matches .start-link").first().focus();
    const again = page.waitForResponse(/matches\?sort/);
    await world.ingest([aMatch({ shard, createdAt: DEMO_NOW - 950 })]);
    await (await again).finished();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    await page.keyboard.press("Tab");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    expect(await targets()).toEqual(listed);
    expect(await page.evaluate(() => String(document.activeElement))).toBe(listed[1]!);
  });

  test("says that it is live only while the change feed is open, and that it is interrupted", async () => {
    const page = await visit(`${world.url}/portal/status`, {
      key: world.key,
      expects: "errors",
    });
    const live = page.getByText("Live", { exact: true });
    let isBroken = true;
    let streams = 0;
    await page.route(/\/changes\?/, (route) => {
      if (!isBroken) return route.continue();
      streams += 1;
      if (streams > 1) return route.abort();
      // It opens, and ends.
      return route.fulfill({ contentType: "text/event-stream", body: ": open\n\n" });
    });
    const failed = page.waitForEvent("requestfailed", (request) =>
      request.url().includes("/changes?"),
    );
    await page.goto(world.url);
    await failed;
    await page.locator(LAST_ROW).waitFor();
    await page.getByText("Live updates are interrupted").waitFor();
    expect(await live.count()).toBe(0);
    isBroken = false;
    await live.waitFor();
  });

  test("shows a match that is ingested meanwhile, although the first request for it fails", async () => {
    const page = await visit(world.url, { key: world.key, expects: "errors" });
    await page.getByText("Live", { exact: true }).waitFor();
    const shard = await regionShown(page);
    await page.route(/matches\?sort/, (route) => route.abort(), { times: 1 });
    const match = aMatch({
      shard,
      createdAt: DEMO_NOW - 900,
      rosters: duel({ id: anId("player"), name: "JustArrived" }, { id: anId("player") }),
    });
    await world.ingest([match]);
    const link = page.getByRole("link", { name: /JustArrived\S* \(won\)/ });
    await link.waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await link.click();
    await page.waitForURL(`**${pathOf(shard, match.data.id as string)}`);
  });

  test("does not bring back a match that is removed while an older list is on its way", async () => {
    const page = await visit(world.url, { key: world.key });
    await page.getByText("Live", { exact: true }).waitFor();
    const shard = await regionShown(page);
    const id = anId("match");
    const createdAt = DEMO_NOW - 800;
    await world.ingest([aMatch({ id, shard, createdAt })]);
    await page.locator(linkTo(shard, id)).waitFor();

    const fetched = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    await page.route(
      /matches\?sort/,
      async (route) => {
        const response = await route.fetch();
        fetched.resolve();
        await held.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const next = aMatch({ shard, createdAt: DEMO_NOW - 700 });
    await world.ingest([next]);
    await fetched.promise;
    // Practice matches are not served.
    await world.ingest([aMatch({ id, shard, createdAt, mode: "practice" })], { replace: true });
    await page.locator(linkTo(shard, id)).waitFor({ state: "detached" });
    held.resolve();
    await page.locator(linkTo(shard, next.data.id as string)).waitFor();
    expect(await page.locator(linkTo(shard, id)).count()).toBe(0);
  });

  test("shows favourite and recent players, whatever the browser has stored", async () => {
    const page = await visit(world.url, { key: world.key });
    await page.evaluate(() => {
      const player = (id: string, name: string) => ({ shard: "eu", id, name });
      localStorage.setItem("matchbook.favourites", JSON.stringify([player("1", "Fay"), 7, null]));
      localStorage.setItem(
        "matchbook.recent",
        JSON.stringify([player("1", "Fay"), player("2", "Rex"), { shard: "eu" }]),
      );
    });
    await page.reload();
    const links = (label: string) =>
      page
        .getByRole("region", { name: label })
        .getByRole("link")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")));
    await settled(page);
    expect(await links("Favourites players")).toEqual(["/portal/eu/players/1"]);
    expect(await links("Recent players")).toEqual(["/portal/eu/players/2"]);
    await page.evaluate(() => localStorage.setItem("matchbook.favourites", "{broken"));
    await page.reload();
    await settled(page);
    expect(await links("Recent players")).toEqual(["/portal/eu/players/1", "/portal/eu/players/2"]);
  });

  test("lets visitors enter a key, and rejects an invalid one", async () => {
    const page = await visit(world.url, { expects: [401] });
    await page.getByRole("button", { name: TEXTS.enterKey }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(TEXTS.keyField).fill("mb_wrong");
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await dialog
      .getByText("This key isn't valid. It may be mistyped, expired or revoked.")
      .waitFor();
    await dialog.getByLabel(TEXTS.keyField).fill("my key");
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await dialog.getByText("That doesn't look like an API key.").waitFor();

    await dialog.getByLabel(TEXTS.keyField).fill(` ${world.key} `);
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await page.locator(LAST_ROW).waitFor();
    expect(await dialog.isVisible()).toBe(false);
    await page.reload();
    await page.locator(LAST_ROW).waitFor();
  });

  test("says that the server does not respond to the check of a key, and lets the visitor try again", async () => {
    const page = await visit(world.url);
    await page.clock.install();
    await page.reload();
    await page.getByRole("button", { name: TEXTS.enterKey }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(TEXTS.keyField).fill(world.key);
    await holdReplies(page, "**/usage");
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await dialog.getByText("Checking…").waitFor();
    await page.clock.fastForward(16_000);
    await dialog.getByText("The server does not respond").waitFor();
    expect(await dialog.getByRole("button", { name: TEXTS.useKey }).isEnabled()).toBe(true);
    await leaveForGood(page);
  });

  test("shows on every page that a server without records has no regions yet", async () => {
    await using empty = await startWorld([]);
    const page = await visit(empty.url, { key: empty.key });
    await page.getByText(NO_REGIONS, { exact: true }).waitFor();
    await page.locator("footer").getByRole("link", { name: TEXTS.status, exact: true }).click();
    await page.getByText(NO_REGIONS, { exact: true }).waitFor();
    await leave(page);
  });

  test("says that the server does not respond, and goes on by itself when it does again", async () => {
    const page = await visit(world.url, { key: world.key, expects: "errors" });
    await page.clock.install();
    await withoutRegions(page, world.url);
    await page.route("**/status", (route) => route.abort());
    await page.reload();
    await page.getByText(TEXTS.unreachable).waitFor();
    await page.unroute("**/status");
    // Longer than any pause between two attempts.
    await page.clock.fastForward(60_000);
    await page.locator(LAST_ROW).waitFor();
    await page.getByRole("banner").getByRole("link", { name: "Heroes" }).waitFor();
    await leaveForGood(page);
  });

  test("goes on at once when the visitor enters a key", async () => {
    const page = await visit(`${world.url}/portal/developers`, { expects: [503] });
    const heroes = page.getByRole("banner").getByRole("link", { name: "Heroes" });
    await withoutRegions(page, world.url);
    await page.route("**/status", (route) => route.fulfill(BACK_IN_AN_HOUR));
    const failed = page.waitForResponse("**/status");
    await page.goto(world.url);
    await (await failed).finished();
    await settled(page);
    expect(await heroes.count()).toBe(0);
    await page.unroute("**/status");
    await page.getByRole("button", { name: TEXTS.enterKey }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(TEXTS.keyField).fill(world.key);
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await heroes.waitFor();
    await page.locator(LAST_ROW).waitFor();
  });

  test("works by keyboard: skip link first, and navigation moves the focus to the new heading", async () => {
    const page = await visit(world.url, { key: world.key });
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe("Skip to content");
    // The brand, then Players and Heroes.
    for (let tabs = 0; tabs < 3; tabs += 1) await page.keyboard.press("Tab");
    expect(await focused()).toBe("Heroes");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Heroes in" }).waitFor();
    expect(await focused()).toStartWith("Heroes in");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    await page.goBack();
    await settled(page);
    expect(await page.title()).toBe("Matchbook");
  });

  test("remembers the selected theme", async () => {
    const page = await visit(world.url);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: /to light$/ }).click();
    await page.getByRole("button", { name: /to dark$/ }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await settled(page);
    expect(await ground()).toBe(dark);
  });

  test("has a menu on phones, with all that the header has on wide screens", async () => {
    const page = await visit(world.url, { key: world.key, width: 320 });
    const menu = page.getByRole("button", { name: "Menu" });
    await menu.click();
    for (const name of ["Players", "Heroes", "Leaderboards", "Developers"])
      await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name }).waitFor();
    await page.getByRole("button", { name: /^Theme/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    // The region is chosen once, on the page; what only developers need is in the footer.
    expect(await page.getByRole("group", { name: "Region" }).count()).toBe(1);
    expect(await page.getByRole("combobox", { name: "Region" }).count()).toBe(0);
    const footer = page.getByRole("contentinfo");
    await footer.getByRole("link", { name: TEXTS.status }).waitFor();
    await footer.getByRole("button", { name: /^Key / }).waitFor();
    expect(await page.getByRole("banner").innerText()).not.toMatch(/Status|Key/);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Theme/ }).waitFor({ state: "hidden" });
    await menu.click();
    await page.getByRole("link", { name: "Heroes" }).click();
    await page.waitForURL(/\/heroes$/);
    await page.getByRole("link", { name: "Heroes" }).waitFor({ state: "hidden" });
    expect(await sticksOut(page)).toEqual([]);
  });

  test("a first visit loads less than 200 KB in all, and moves nothing", async () => {
    const page = await visit(world.url, { key: world.key, isCold: true });
    await page.locator(LAST_ROW).waitFor();
    await page.locator(".start-entry").last().waitFor();
    await page.evaluate(() => document.fonts.ready);
    const bytes = await page.evaluate(() =>
      [
        ...performance.getEntriesByType("navigation"),
        ...performance.getEntriesByType("resource"),
      ].reduce((sum, one) => sum + (one as PerformanceResourceTiming).transferSize, 0),
    );
    expect(bytes).toBeWithin(50_000, 200_000);
    expect(await layoutShift(page)).toBeLessThan(0.02);
  });
});

const pathOf = (shard: string, id: string): string => `/portal/${shard}/matches/${id}`;
const linkTo = (shard: string, id: string): string => `a[href="${pathOf(shard, id)}"]`;

async function newestIn(world: World, shard: string): Promise<string[]> {
  const { body } = await world.get(`/shards/${shard}/matches?sort=-createdAt&page[limit]=5`);
  return body.data.map(({ id }: { id: string }) => id);
}

function regionShown(page: Page): Promise<string> {
  return page.getByRole("group", { name: "Region" }).locator("input:checked").inputValue();
}
