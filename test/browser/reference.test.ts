/** In charge of the page "Reference" in a browser. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { World } from "../support/world.ts";
import { inBrowser, leave, startDemoWorld, testEverywhere, violations, visit } from "./support.ts";

const opened = (page: Page) => page.locator(".opblock").first().waitFor();

inBrowser("the reference", () => {
  let world: World;
  beforeAll(async () => {
    world = await startDemoWorld();
  });
  afterAll(() => world.stop());

  const at = () => ({ address: `${world.url}/portal/reference`, options: { key: world.key } });
  testEverywhere(at, opened);

  test("tells of every address that the description has", async () => {
    const { address, options } = at();
    const visitor = await visit(address, options);
    await opened(visitor.page);
    const { body } = await world.get("/openapi.json");
    const shown = await visitor.page.locator(".opblock-summary-path").allInnerTexts();
    // The library lets long paths break after each slash.
    const paths = shown.map((path) => path.replaceAll("\u200b", "").trim());
    expect(paths.sort()).toEqual(Object.keys(body.paths).sort());
    await leave(visitor);
  });

  test("sends a request with the visitor's key, and shows what came", async () => {
    const { address, options } = at();
    const visitor = await visit(address, options);
    const { page } = visitor;
    await page.getByText("Get a collection of matches", { exact: true }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    const reply = page.locator(".live-responses-table");
    await reply.waitFor();
    expect(await reply.locator("tbody .response-col_status").first().innerText()).toContain("200");
    expect(await page.locator(".curl-command").innerText()).toContain(world.key);
    expect(await violations(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test("sends no key that was forgotten", async () => {
    // Not by a script of the profile: it would bring the key back with every reload.
    const visitor = await visit(`${world.url}/portal/reference`, { expects: [401] });
    const { page } = visitor;
    const button = page.getByRole("banner").getByRole("button", { name: /key/i });
    await button.click();
    await page.getByRole("dialog").getByLabel("API key").fill(world.key);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.reload();
    await page.getByText("Get a collection of matches", { exact: true }).click();
    await button.click();
    await page.getByRole("button", { name: "Forget it" }).click();
    const sent = page.waitForRequest("**/shards/*/matches?**");
    await page.getByRole("button", { name: "Execute" }).click();
    expect(await (await sent).headerValue("Authorization")).toBeNull();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test("is loaded by nobody who does not open it", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const loaded = await visitor.page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    expect(loaded.filter((name) => /swagger|library/.test(name))).toEqual([]);
    await leave(visitor);
  });
});
