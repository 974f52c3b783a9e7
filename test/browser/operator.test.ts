/** The operator's page in a browser, on the admin listener. */

import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { demoDocuments } from "../../src/demo/demo.ts";
import { ndjson, startAdminWorld, TOKEN } from "../support/admin.ts";
import { aMatch } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { JSON_API } from "../support/world.ts";
import { inBrowser, leaveForGood, looks, visit, WIDTHS } from "./support.ts";

inBrowser("the operator's page", () => {
  const demo = { matches: 60, seed: 7, until: Date.now(), shards: ["na", "eu"] };
  const world = shared(() => startAdminWorld([...demoDocuments(demo)]));

  const row = (page: Page, name: string) => page.getByRole("row", { name: new RegExp(`^${name}`) });

  async function open(page: Page): Promise<void> {
    const label = page.getByLabel("Admin token");
    if ((await label.count()) > 0) {
      await label.fill(TOKEN);
      await page.keyboard.press("Enter");
    }
    await row(page, "eu").waitFor();
  }

  test("is accessible and fits: narrow and light, wide and dark", async () => {
    const page = await visit(world.adminUrl, { width: WIDTHS[0] });
    await open(page);
    expect(await looks(page, WIDTHS[0], "light")).toEqual([]);
    expect(await looks(page, WIDTHS[1], "dark", ["color-contrast"])).toEqual([]);
  });

  test("asks for the token first, with a form that is accessible and reports a wrong one", async () => {
    const page = await visit(world.adminUrl, { expects: [401] });
    await page.getByLabel("Admin token").fill("not-the-token-of-this-server");
    await page.getByRole("button", { name: "Open" }).click();
    expect(await page.getByRole("alert").innerText()).toContain(
      "This is not the admin token of this server.",
    );
    expect(await page.getByRole("table").count()).toBe(0);
    await open(page);
    expect(page.url()).toBe(`${world.adminUrl}/`);
    const stored = await page.evaluate(() => [localStorage.length, sessionStorage.length]);
    expect(stored).toEqual([0, 1]);
    await page.reload();
    await row(page, "eu").waitFor();
    await page.getByRole("button", { name: "Forget token" }).click();
    await page.getByLabel("Admin token").waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await leaveForGood(page);
  });

  test("works where the browser blocks storage, until it is closed", async () => {
    const page = await visit(world.adminUrl, {
      before: (page) =>
        page.addInitScript(() => {
          Object.defineProperty(globalThis, "sessionStorage", {
            get: () => {
              throw new DOMException("The operation is insecure.", "SecurityError");
            },
          });
        }),
    });
    await open(page);
    await page.getByRole("button", { name: "Forget token" }).click();
    await page.getByLabel("Admin token").waitFor();
    await leaveForGood(page);
  });

  test("shows the last hour: requests, errors and latency by minute", async () => {
    const headers = { Authorization: `Bearer ${world.key}`, Accept: JSON_API };
    await fetch(`${world.url}/shards/na/players?oops=1`, { headers });
    const page = await visit(world.adminUrl);
    await open(page);
    for (const title of ["Requests per minute", "Error responses per minute", "Latency p95, ms"]) {
      const figure = page.getByRole("figure", { name: title });
      await figure.getByText("All values").click();
      await figure.getByRole("cell").filter({ hasText: /[1-9]/ }).first().waitFor();
    }
    await leaveForGood(page);
  });

  test("refreshes by itself, and keeps the last values with their time while the server is unreachable", async () => {
    const page = await visit(world.adminUrl, { expects: "errors" });
    await page.clock.install();
    await page.reload();
    await open(page);
    const headers = { Authorization: `Bearer ${world.key}`, Accept: JSON_API };
    expect((await fetch(`${world.url}/shards/na/players?oops=1`, { headers })).status).toBe(400);
    await world.upload(ndjson([aMatch({ shard: "asia" })]));
    for (;;) {
      await page.clock.fastForward(6000);
      if ((await row(page, "asia").count()) > 0) break;
    }
    await page.getByText("unknown-parameter").waitFor();
    expect(await row(page, "asia").innerText()).toMatch(/^asia\s+1\s/);
    expect(await page.getByRole("row").filter({ hasText: "live" }).count()).toBe(1);
    await page.route("**/overview", (route) => route.abort("connectionrefused"));
    await page.clock.fastForward(6000);
    await page.getByText("The server is unreachable.").waitFor();
    expect(await row(page, "eu").count()).toBe(1);
    expect(await page.getByText(/Updated \d/).count()).toBe(1);
    await leaveForGood(page);
  });
});
