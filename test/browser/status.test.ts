/** In charge of the page "Status" in a browser. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { aMatch } from "../support/records.ts";
import { startWorld, type World } from "../support/world.ts";
import { holdReplies, inBrowser, leave, testEverywhere, visit } from "./support.ts";

inBrowser("the status page", () => {
  let world: World;
  beforeAll(async () => {
    const now = Date.now();
    world = await startWorld([
      aMatch({ shard: "eu", createdAt: now - 2 * 86_400_000 - 60_000 }),
      aMatch({ shard: "na", createdAt: now - 1000 }),
      aMatch({ shard: "sa", mode: "practice" }),
    ]);
  });
  afterAll(() => world.stop());

  testEverywhere(() => ({ address: `${world.url}/portal/status` }));

  test("needs no key, and tells of every shard in words", async () => {
    const visitor = await visit(`${world.url}/portal/status`);
    const { page } = visitor;
    expect(await page.title()).toBe("Status · Matchbook");
    expect(await page.getByText("All 3 shards can be read").isVisible()).toBe(true);
    const row = (shard: string) => page.getByRole("row", { name: new RegExp(`^${shard} `) });
    expect(await row("eu").innerText()).toContain("2 days");
    expect(await row("sa").innerText()).toContain("none");
    await row("na").getByRole("link", { name: "na" }).click();
    await page.waitForURL(/\/portal\/explorer\?shard=na&on=matches/);
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });

  test("asks again by itself, and then tells of a shard that is away", async () => {
    const visitor = await visit(`${world.url}/portal/status`);
    const { page } = visitor;
    await page.clock.install();
    await page.reload();
    await page.getByText("All 3 shards can be read").waitFor();
    await page.route("**/status", async (route) => {
      const reply = await route.fetch();
      const body = await reply.json();
      body.shards[0].available = false;
      await route.fulfill({ response: reply, json: body });
    });
    await page.clock.fastForward(16_000);
    await page.getByText("1 of 3 shards cannot be read now: eu").waitFor();
    await leave(visitor);
  });

  test("shows no old report while it asks a service that does not answer", async () => {
    const visitor = await visit(`${world.url}/portal/status`);
    const { page } = visitor;
    await page.clock.install();
    await page.reload();
    await page.getByText("All 3 shards can be read").waitFor();
    await page.route("**/status", (route) => route.abort("connectionrefused"));
    await page.clock.fastForward(16_000);
    await page.getByText("The service does not answer").waitFor();
    const letThrough = await holdReplies(page, "**/status");
    const asked = page.waitForRequest("**/status");
    await page.clock.fastForward(16_000);
    await asked;
    expect(await page.getByText("All 3 shards can be read").count()).toBe(0);
    expect(await page.getByText("The service does not answer").isVisible()).toBe(true);
    letThrough();
    await page.getByText("All 3 shards can be read").waitFor();
    await leave(visitor);
  });
});
