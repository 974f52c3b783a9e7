/** The page of endpoints in a browser. */

import { expect, test } from "bun:test";
import { shared } from "../support/shared.ts";
import { inBrowser, leave, startDemoWorld, visit } from "./support.ts";

const ENDPOINTS = "/portal/developers/endpoints";

interface Described {
  paths: Record<string, { get: { operationId: string } }>;
}

inBrowser("the endpoints", () => {
  const world = shared(() => startDemoWorld());

  test("are those of the OpenAPI document, each with a link of its own", async () => {
    const page = await visit(`${world.url}${ENDPOINTS}`, { key: world.key });
    await page.locator(".endpoint").first().waitFor();
    const shown = await page
      .locator(".endpoint")
      .evaluateAll((all) =>
        all.map((one) => [one.id, one.querySelector(".endpoint-path")!.textContent]),
      );
    const described: Described = (await world.get("/openapi.json")).body;
    const expected = Object.entries(described.paths).map(([path, { get }]) => [
      get.operationId,
      path,
    ]);
    expect(shown.sort()).toEqual(expected.sort());
    await page.locator("#getSinglePlayer > summary").click();
    await page.waitForURL(/#getSinglePlayer$/);
    const address = page.url();
    await leave(page);

    const reader = await visit(address, { key: world.key });
    const endpoint = reader.locator("#getSinglePlayer");
    await endpoint.locator(".endpoint-body").waitFor();
    expect(await reader.locator(".endpoint[open]").count()).toBe(1);
    // It is scrolled to, below the header.
    await reader.waitForFunction(() => {
      const { top } = document.querySelector("#getSinglePlayer")!.getBoundingClientRect();
      return top >= 0 && top < innerHeight / 2;
    });
    // A link within the page opens another one.
    await reader.evaluate(() => {
      location.hash = "getStatus";
    });
    await reader.locator("#getStatus .endpoint-body").waitFor();
  });

  test("list required parameters first", async () => {
    const page = await visit(`${world.url}${ENDPOINTS}#getNameList`, { key: world.key });
    const rows = page.locator("#getNameList tbody th");
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    const required = texts.map((text) => text.includes("required"));
    expect(texts[0]).toContain("shard");
    expect(required.lastIndexOf(true)).toBeLessThan(required.indexOf(false));
  });

  test("open in the Explorer, with the keyboard too", async () => {
    const page = await visit(`${world.url}${ENDPOINTS}`, { key: world.key });
    await page.locator("#getMatchList > summary").press("Enter");
    await page.getByRole("link", { name: "Try it in the Explorer" }).press("Enter");
    await page.waitForURL(/\/explorer\?shard=\w+&on=matches/);
    await page.getByRole("article").first().waitFor();
  });
});
