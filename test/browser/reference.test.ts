/** The API reference page in a browser. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { World } from "../support/world.ts";
import { inBrowser, leave, startDemoWorld, testEverywhere, violations, visit } from "./support.ts";
import { TEXTS } from "./texts.ts";

const opened = (page: Page) => page.locator(".opblock").first().waitFor();

inBrowser("the reference", () => {
  let world: World;
  beforeAll(async () => {
    world = await startDemoWorld();
  });
  afterAll(() => world.stop());

  const at = () => ({
    address: `${world.url}/portal/developers/endpoints`,
    options: { key: world.key },
  });
  testEverywhere(at, opened);

  test("lists every endpoint of the OpenAPI document", async () => {
    const { address, options } = at();
    const visitor = await visit(address, options);
    await opened(visitor.page);
    const { body } = await world.get("/openapi.json");
    const shown = await visitor.page.locator(".opblock-summary-path").allInnerTexts();
    // Swagger UI adds a zero-width space after each slash.
    const paths = shown.map((path) => path.replaceAll("\u200b", "").trim());
    expect(paths.sort()).toEqual(Object.keys(body.paths).sort());
    await leave(visitor);
  });

  // One test, since Swagger UI takes seconds of CPU time to show a request and its response.
  test("sends the visitor's key, shows the response, and does not send a key that was removed", async () => {
    // Entered by hand: an init script would restore the key on every reload.
    const visitor = await visit(`${world.url}/portal/developers/endpoints`, { expects: [401] });
    const { page } = visitor;
    const button = page.getByRole("banner").getByRole("button", { name: /key/i });
    await button.click();
    await page.getByRole("dialog").getByLabel(TEXTS.keyField).fill(world.key);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await page.reload();
    await page.getByText("Get a collection of matches", { exact: true }).click();
    await page.getByRole("button", { name: "Execute" }).click();
    const status = page.locator(".live-responses-table tbody .response-col_status").first();
    expect(await status.innerText()).toContain("200");
    expect(await page.locator(".curl-command").innerText()).toContain(world.key);
    expect(await violations(page)).toEqual([]);

    await button.click();
    await page.getByRole("button", { name: "Remove key" }).click();
    const sent = page.waitForRequest("**/shards/*/matches?**");
    await page.getByRole("button", { name: "Execute" }).click();
    expect(await (await sent).headerValue("Authorization")).toBeNull();
    await status.getByText("401").waitFor();
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test("is not loaded by other pages", async () => {
    const visitor = await visit(world.url, { key: world.key });
    const loaded = await visitor.page.evaluate(() =>
      performance.getEntriesByType("resource").map(({ name }) => name),
    );
    expect(loaded.filter((name) => /swagger/.test(name))).toEqual([]);
    await leave(visitor);
  });
});
