/** In charge of the page "Start" in a browser, and of the shell around every page: key, theme, keyboard. */

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

const KIBIBYTE = 1024;

inBrowser("the start page", () => {
  let world: World;
  beforeAll(async () => {
    world = await startDemoWorld();
  });
  afterAll(() => world.stop());

  testEverywhere(() => ({ address: world.url, options: { key: world.key } }));

  test("says what this is, and shows the newest match as it came", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const { page } = visitor;
    expect(await page.title()).toBe("Matchbook");
    const asked = await world.get("/shards/eu/matches?sort=-createdAt&page[limit]=1");
    const link = page.locator(".start-match h3 a");
    expect(await link.getAttribute("href")).toBe(`/portal/eu/matches/${asked.body.data[0].id}`);
    await page.getByText("The same as JSON").click();
    const shown = JSON.parse(await page.getByLabel("The reply as JSON").innerText());
    expect(shown.data).toEqual(asked.body.data);
    await leave(visitor);
  });

  test("has a line to paste that works, with the visitor's key in it", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const { page } = visitor;
    expect(await page.locator(".start-curl").innerText()).not.toContain(world.key);
    await page.getByRole("button", { name: "Show the key" }).click();
    const line = await page.locator(".start-curl").innerText();
    const curl = Bun.spawn(["sh", "-c", line], { stdout: "pipe", stderr: "ignore" });
    const reply = await new Response(curl.stdout).json();
    expect(reply.data).toHaveLength(1);
    await leave(visitor);
  });

  test("asks those who have no key for one, and refuses a wrong one in the service's words", async () => {
    const visitor = await visit(world.url, { expects: [401] });
    const { page } = visitor;
    expect(await page.locator(".start-curl").innerText()).toContain("Bearer YOUR_KEY");
    await page.getByRole("button", { name: "Enter an API key" }).click();
    const dialog = page.getByRole("dialog", { name: "Your API key" });
    await dialog.getByLabel("API key").fill("mb_wrong");
    await dialog.getByRole("button", { name: "Use this key" }).click();
    const refusal = await world.get("/usage", { Authorization: "Bearer mb_wrong" });
    await dialog.getByText(refusal.body.errors[0].detail).waitFor();
    await dialog.getByLabel("API key").fill("my key");
    await dialog.getByRole("button", { name: "Use this key" }).click();
    await dialog.getByText("No key looks like this.").waitFor();

    await dialog.getByLabel("API key").fill(` ${world.key} `);
    await dialog.getByRole("button", { name: "Use this key" }).click();
    await page.locator(".start-match").waitFor();
    expect(await dialog.isVisible()).toBe(false);
    await page.reload();
    await page.locator(".start-match").waitFor();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test("takes no key that the visitor was about to enter when they closed the dialog", async () => {
    const visitor = await visit(world.url);
    const { page } = visitor;
    await page.getByRole("button", { name: "Enter an API key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("API key").fill(world.key);
    const letThrough = await holdReplies(page, "**/usage");
    const checked = page.waitForResponse("**/usage");
    await dialog.getByRole("button", { name: "Use this key" }).click();
    await page.keyboard.press("Escape");
    letThrough();
    await (await checked).finished();
    // What the reply leads to comes before the next frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    expect(await page.evaluate(() => localStorage.getItem("matchbook.key"))).toBeNull();
    await page.getByRole("button", { name: "Enter an API key" }).waitFor();
    await leave(visitor);
  });

  test("offers the demo key of a demo server, for one click", async () => {
    const demo = await serve(
      { ...world.settings, port: 0 },
      unobserved,
      undefined,
      undefined,
      world.key,
    );
    const visitor = await visit(demo.url);
    const { page } = visitor;
    await page.getByRole("button", { name: "Use the demo key" }).first().click();
    await page.locator(".start-match").waitFor();
    expect(await page.getByRole("button", { name: "Use the demo key" }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
    await demo.stop("test");
  });

  test("says on every page that a service without records has no shards yet", async () => {
    const empty = await startWorld([]);
    const visitor = await visit(empty.url, { key: empty.key });
    const { page } = visitor;
    await page.getByText("The service has no shards yet").waitFor();
    await page.getByRole("link", { name: "Explorer", exact: true }).click();
    await page.getByText("No shard is chosen").waitFor();
    await page.getByRole("link", { name: "Status", exact: true }).click();
    await page.getByText("No shards yet", { exact: true }).waitFor();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
    await empty.stop();
  });

  test("leads on by keyboard: a skip link first, and the focus goes to the new heading", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const { page } = visitor;
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    expect(await focused()).toBe("Skip to the content");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Status");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Status" }).waitFor();
    expect(await focused()).toBe("Status");
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    await page.goBack();
    await settled(page);
    expect(await page.title()).toBe("Matchbook");
    await leave(visitor);
  });

  test("keeps the colours that the visitor chose", async () => {
    const visitor = await visit(world.url);
    const { page } = visitor;
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: /Change to light/ }).click();
    await page.getByRole("button", { name: /Change to dark/ }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await settled(page);
    expect(await ground()).toBe(dark);
    await leave(visitor);
  });

  test("says that there is no such page, whatever the address", async () => {
    const path = `/portal/<img src=x onerror=alert(1)>${"x".repeat(100)}`;
    const visitor = await visit(world.url + path, { expects: [404], width: 360 });
    const { page } = visitor;
    expect(await page.title()).toBe("No such page · Matchbook");
    expect(await page.locator("main img").count()).toBe(0);
    expect(await sticksOut(page)).toEqual([]);
    await page.getByRole("link", { name: "Go to the start" }).click();
    await page.getByRole("heading", { name: "Every finished match" }).waitFor();
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
        explorer: "/portal/explorer?shard=na&on=matches",
        match: `/portal/na/matches/${body.data[0].id}`,
        player: `/portal/na/players/${players[0].id}`,
        status: "/portal/status",
      };
      const visitor = await visit(world.url + paths[name], { key: world.key });
      // The one piece that comes after all else is there.
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
