/** The home page in a browser, and the app shell around every page: key, theme, keyboard. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { unobserved } from "../../src/observe/events.ts";
import { serve } from "../../src/wiring.ts";
import { startWorld, type World } from "../support/world.ts";
import {
  holdReplies,
  inBrowser,
  leave,
  settled,
  startDemoWorld,
  sticksOut,
  testEverywhere,
  visit,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

const KIBIBYTE = 1024;

const USE_DEMO_KEY = "Use the demo key";
const NO_REGIONS = "No regions yet";

inBrowser("the home page", () => {
  let world: World;
  beforeAll(async () => {
    world = await startDemoWorld();
  });
  afterAll(() => world.stop());

  testEverywhere(() => ({ address: world.url, options: { key: world.key } }));

  test("shows the newest match and its JSON", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const { page } = visitor;
    expect(await page.title()).toBe("Matchbook");
    const asked = await world.get("/shards/eu/matches?sort=-createdAt&page[limit]=1");
    const link = page.locator(".start-match h3 a");
    expect(await link.getAttribute("href")).toBe(`/portal/eu/matches/${asked.body.data[0].id}`);
    await page.locator(".start-json summary").click();
    const shown = JSON.parse(await page.locator(".start-text").innerText());
    expect(shown.data).toEqual(asked.body.data);
    await leave(visitor);
  });

  test("has a working curl command with the visitor's key", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const { page } = visitor;
    expect(await page.locator(".start-curl").innerText()).not.toContain(world.key);
    await page.getByRole("button", { name: "Show key" }).click();
    const line = await page.locator(".start-curl").innerText();
    const curl = Bun.spawn(["sh", "-c", line], { stdout: "pipe", stderr: "ignore" });
    const reply = await new Response(curl.stdout).json();
    expect(reply.data).toHaveLength(1);
    await leave(visitor);
  });

  test("lets visitors enter a key, and rejects an invalid one", async () => {
    const visitor = await visit(world.url, { expects: [401] });
    const { page } = visitor;
    expect(await page.locator(".start-curl").innerText()).toContain("Bearer YOUR_KEY");
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
    await page.locator(".start-match").waitFor();
    expect(await dialog.isVisible()).toBe(false);
    await page.reload();
    await page.locator(".start-match").waitFor();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test("discards a key if the dialog is closed while it is being checked", async () => {
    const visitor = await visit(world.url);
    const { page } = visitor;
    await page.getByRole("button", { name: TEXTS.enterKey }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(TEXTS.keyField).fill(world.key);
    const letThrough = await holdReplies(page, "**/usage");
    const checked = page.waitForResponse("**/usage");
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await page.keyboard.press("Escape");
    letThrough();
    await (await checked).finished();
    // The page handles the response before the next frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    expect(await page.evaluate(() => localStorage.getItem("matchbook.key"))).toBeNull();
    await page.getByRole("button", { name: TEXTS.enterKey }).waitFor();
    await leave(visitor);
  });

  test("offers the demo key of a demo server", async () => {
    const demo = await serve(
      { ...world.settings, port: 0 },
      unobserved,
      undefined,
      undefined,
      world.key,
    );
    const visitor = await visit(demo.url);
    const { page } = visitor;
    await page.getByRole("button", { name: USE_DEMO_KEY }).first().click();
    await page.locator(".start-match").waitFor();
    expect(await page.getByRole("button", { name: USE_DEMO_KEY }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
    await demo.stop("test");
  });

  test("shows on every page that a server without records has no regions yet", async () => {
    const empty = await startWorld([]);
    const visitor = await visit(empty.url, { key: empty.key });
    const { page } = visitor;
    await page.getByText(NO_REGIONS, { exact: true }).waitFor();
    await page.getByRole("link", { name: TEXTS.explorer, exact: true }).click();
    await page.getByText("No region selected").waitFor();
    await page.getByRole("link", { name: TEXTS.status, exact: true }).click();
    await page.getByText(NO_REGIONS, { exact: true }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
    await empty.stop();
  });

  test("works by keyboard: skip link first, and navigation moves the focus to the new heading", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const { page } = visitor;
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe("Skip to content");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe(TEXTS.status);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: TEXTS.status }).waitFor();
    expect(await focused()).toBe(TEXTS.status);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    await page.goBack();
    await settled(page);
    expect(await page.title()).toBe("Matchbook");
    await leave(visitor);
  });

  test("remembers the selected theme", async () => {
    const visitor = await visit(world.url);
    const { page } = visitor;
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: /to light$/ }).click();
    await page.getByRole("button", { name: /to dark$/ }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await settled(page);
    expect(await ground()).toBe(dark);
    await leave(visitor);
  });

  test("reports a page that does not exist, whatever the URL", async () => {
    const path = `/portal/<img src=x onerror=alert(1)>${"x".repeat(100)}`;
    const visitor = await visit(world.url + path, { expects: [404], width: 360 });
    const { page } = visitor;
    expect(await page.title()).toBe("Page not found · Matchbook");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await sticksOut(page)).toEqual([]);
    await page.locator("main").getByRole("link").first().click();
    await page.locator(".start-request").waitFor();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test.each(["start", "explorer", "match", "player", "status"])(
    "a first visit to the page %s loads less than 200 KB",
    async (name) => {
      const { body } = await world.get("/shards/na/matches?sort=-createdAt&page[limit]=1");
      const players = body.included.filter(({ type }: { type: string }) => type === "player");
      const paths: Record<string, string> = {
        start: "/",
        explorer: "/portal/developers/explorer?shard=na&on=matches",
        match: `/portal/na/matches/${body.data[0].id}`,
        player: `/portal/na/players/${players[0].id}`,
        status: "/portal/status",
      };
      const visitor = await visit(world.url + paths[name], { key: world.key });
      // The plots load last.
      if (name === "player") await visitor.page.locator(".player-plots canvas").nth(1).waitFor();
      const bytes = await visitor.page.evaluate(() =>
        [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
          .map((entry) => entry as PerformanceResourceTiming)
          .filter(({ name }) => !name.includes("/shards/"))
          .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      );
      expect(bytes).toBeWithin(50 * KIBIBYTE, 200 * KIBIBYTE);
      await leave(visitor);
    },
  );
});
