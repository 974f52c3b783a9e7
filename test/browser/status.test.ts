/** The status page in a browser. */

import { expect, test } from "bun:test";
import { aMatch } from "../support/records.ts";
import { shared } from "../support/shared.ts";
import { startWorld } from "../support/world.ts";
import { holdReplies, inBrowser, leaveForGood, violations, visit } from "./support.ts";
import { TEXTS } from "./texts.ts";

const ALL_OPERATIONAL = "All 3 regions operational";

inBrowser("the status page", () => {
  const now = Date.now();
  const world = shared(() =>
    startWorld([
      aMatch({ shard: "eu", createdAt: now - 2 * 86_400_000 - 60_000 }),
      aMatch({ shard: "na", createdAt: now - 1000 }),
      aMatch({ shard: "sa", mode: "practice" }),
    ]),
  );

  test("needs no key, and lists every region", async () => {
    const page = await visit(`${world.url}/portal/status`);
    expect(await page.title()).toBe(`${TEXTS.status} · Matchbook`);
    expect(await page.getByText(ALL_OPERATIONAL).isVisible()).toBe(true);
    const row = (shard: string) => page.getByRole("row", { name: new RegExp(`^${shard} `) });
    expect(await row("EU").innerText()).toContain("2 days");
    expect(await row("SA").innerText()).toContain("None");
    await row("NA").getByRole("link", { name: "NA" }).click();
    await page.waitForURL(/\/developers\/explorer\?shard=na&on=matches/);
  });

  test("refreshes by itself: reports a region that is unavailable, and the last known status with its age while no server is", async () => {
    const page = await visit(`${world.url}/portal/status`, { expects: "errors" });
    await page.clock.install();
    await page.reload();
    await page.getByText(ALL_OPERATIONAL).waitFor();
    await page.route(
      "**/status",
      async (route) => {
        const reply = await route.fetch();
        const body = await reply.json();
        body.shards[0].available = false;
        await route.fulfill({ response: reply, json: body });
      },
      { times: 1 },
    );
    await page.clock.fastForward(16_000);
    await page.getByText("1 of 3 regions unavailable: EU").waitFor();
    await page.clock.fastForward(16_000);
    await page.getByText(ALL_OPERATIONAL).waitFor();
    await page.route("**/status", (route) => route.abort("connectionrefused"));
    await page.clock.fastForward(16_000);
    await page.getByText(TEXTS.unreachable).waitFor();
    // What is known is still there, and marked as old; nothing says that the service is operational.
    expect(await page.getByRole("row", { name: /^EU / }).innerText()).toContain("2 days");
    await page.getByText(/Shown as of \d\d:\d\d/).waitFor();
    expect(await page.getByText(ALL_OPERATIONAL).count()).toBe(0);
    expect(await violations(page)).toEqual([]);

    // The error stays until the server responds.
    await page.unroute("**/status");
    const letThrough = await holdReplies(page, "**/status");
    const asked = page.waitForRequest("**/status");
    await page.clock.fastForward(16_000);
    await asked;
    expect(await page.getByText(TEXTS.unreachable).isVisible()).toBe(true);
    letThrough();
    await page.getByText(ALL_OPERATIONAL).waitFor();
    expect(await page.getByText("Shown as of").count()).toBe(0);
    await leaveForGood(page);
  });
});
