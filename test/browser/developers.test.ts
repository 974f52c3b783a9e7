/** The developer area in a browser: navigation, quick start, keys, guides, usage and changelog. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { GUIDES } from "../../src/portal/views/developers/guide.ts";
import { ROOT } from "../support/process.ts";
import { shared } from "../support/shared.ts";
import { startWorld, type World } from "../support/world.ts";
import { MATCHES } from "./explorer.ts";
import { inBrowser, leave, settled, stillClock, violations, visit } from "./support.ts";
import { TEXTS } from "./texts.ts";

const AREA = "/portal/developers";
const PHONE = 390;

inBrowser("the developer area", () => {
  const world = shared(() => startWorld(MATCHES));

  test("leads to each of its pages, by the sidebar and by the menu of a phone", async () => {
    const page = await visit(`${world.url}${AREA}`, { key: world.key });
    const PAGES = ["Keys and limits", "Guides", "Endpoints", "Explorer", "Usage", "Changelog"];
    for (const name of PAGES) {
      const sidebar = page.locator(".developers-sidebar");
      await sidebar.getByRole("link", { name, exact: true }).press("Enter");
      await page.getByRole("heading", { level: 1, name }).waitFor();
      expect(await sidebar.locator("[aria-current=page]").innerText()).toBe(name);
      expect(await page.title()).toBe(`${name} · Matchbook`);
    }
    await page.setViewportSize({ width: PHONE, height: 780 });
    for (const name of PAGES) {
      await page.locator(".developers-menu > summary").click();
      await page.locator(".developers-menu").getByRole("link", { name, exact: true }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
    }
  });

  test("has a quick start that sends the request it shows", async () => {
    const page = await visit(`${world.url}${AREA}`, { key: world.key });
    const code = page.locator(".sample .code-block");
    // It runs as it is, without a package.
    expect(await code.innerText()).toStartWith(
      `const response = await fetch("${world.url}/shards/na/matches?`,
    );
    await page.getByRole("button", { name: "Send it from here" }).click();
    await page.locator(".quick-response").getByText('"match-12"').first().waitFor();
    expect(await page.getByText(/^200 in \d+ ms$/).count()).toBe(1);

    // The language is selected once for all pages.
    await page.getByRole("radio", { name: "Python" }).check({ force: true });
    expect(await code.innerText()).toContain("from urllib.request import");
    await page.goto(`${world.url}${AREA}/endpoints#getStatus`);
    await page.locator("#getStatus .code-block").first().waitFor();
    expect(await page.locator("#getStatus .code-block").first().innerText()).toContain("urlopen");
  });

  test("never wraps code, on a phone either", async () => {
    const page = await visit(`${world.url}${AREA}`, { key: world.key, width: 360 });
    for (const language of ["fetch", "curl", "Python"]) {
      await page.getByRole("radio", { name: language, exact: true }).check({ force: true });
      const [lines, rows] = await page.locator(".sample pre").evaluate((pre) => {
        const { lineHeight } = getComputedStyle(pre);
        const { height } = pre.querySelector("code")!.getBoundingClientRect();
        return [
          (pre as HTMLElement).innerText.trimEnd().split("\n").length,
          height / Number.parseFloat(lineHeight),
        ];
      });
      expect([language, Math.round(rows!)]).toEqual([language, lines!]);
    }
  });
});

inBrowser("the key on its page", () => {
  const stateOf = async (
    world: World,
    key: string,
    state: string | RegExp,
    expects: number[] = [],
  ) => {
    const page = await visit(`${world.url}${AREA}/keys`, { key, expects });
    await page.locator(".own-key [role=status]").getByText(state).waitFor();
    expect(await page.locator("main").innerText()).not.toContain(key);
    return page;
  };

  test("is masked until it is shown, and its state is true: valid, not valid, over its quota", async () => {
    await using world = await startWorld(MATCHES, { "matches-per-day": "2" }, stillClock());
    const page = await stateOf(world, world.key, "This key works.");
    expect(await page.locator(".figures").innerText()).toMatch(/Matches per day\s+2\s/);
    await page.locator("main").getByRole("button", { name: "Show key" }).click();
    expect(await page.locator("main").innerText()).toContain(world.key);
    await leave(page);

    const wrong = await stateOf(
      world,
      "mb_wrong",
      "It may be mistyped, expired or revoked.",
      [401],
    );
    await wrong.goto(`${world.url}${AREA}/usage`);
    await wrong.getByText("This key isn't valid").waitFor();
    await leave(wrong);
    await world.get("/shards/na/matches?page[limit]=3");
    const over = await stateOf(world, world.key, /used up its matches for today/);
    await over.goto(`${world.url}${AREA}/usage`);
    await over.getByText(/The daily match quota is used up\. Resets in \d+/).waitFor();
    await leave(over);
  });
});

inBrowser("the guides", () => {
  const world = shared(() => startWorld([]));

  const loadedScripts = (page: Page) =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => name)
        .filter((name) =>
          /\/assets\/(api|errors|changes|insights|compatibility|CHANGELOG)-/.test(name),
        ),
    );

  test("are the docs, each loaded when it is opened", async () => {
    const page = await visit(`${world.url}${AREA}/guides`);
    expect(await loadedScripts(page)).toEqual([]);
    for (const [name, { title }] of Object.entries(GUIDES)) {
      await page.goto(`${world.url}${AREA}/guides/${name}`);
      await settled(page);
      expect(await page.locator("h1").innerText()).toBe(title);
      const file = readFileSync(join(ROOT, "docs", `${name}.md`), "utf8");
      const headings = [...file.matchAll(/^## (.+)$/gm)].map(([, text]) =>
        text!.replaceAll("`", ""),
      );
      const shown = await page.locator(".guide h2").allInnerTexts();
      expect(shown.map((text) => text.replace(/\s*#$/, ""))).toEqual(headings);
      expect((await loadedScripts(page)).length).toBe(1);
    }
  });

  test("link to each other and to their headings, without a reload", async () => {
    const page = await visit(`${world.url}${AREA}/guides/errors#codes`);
    await page.evaluate(() => {
      (globalThis as { isSame?: boolean }).isSame = true;
    });
    await page
      .locator('.guide a[href="/portal/developers/guides/api#limits-at-a-glance"]')
      .first()
      .click();
    await page.waitForURL(/guides\/api#limits-at-a-glance$/);
    const inView = (id: string) =>
      page.waitForFunction((anchor) => {
        const box = document.getElementById(anchor)?.getBoundingClientRect();
        return box !== undefined && box.top >= 0 && box.top < innerHeight / 2;
      }, id);
    await inView("limits-at-a-glance");
    expect(await page.evaluate(() => (globalThis as { isSame?: boolean }).isSame)).toBe(true);
    await page.locator(".guide-contents").getByRole("link", { name: "Rate limits" }).click();
    await page.waitForURL(/#rate-limits$/);
    await inView("rate-limits");
    await page.goBack();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Errors" }).waitFor();
    // An anchor that cannot be decoded.
    await page.goto(`${world.url}${AREA}/guides/changes#%`);
    await page.locator(".guide h2").first().waitFor();
    expect(await page.title()).toBe("Changes · Matchbook");
  });

  test("have tables that show that they scroll, on a phone", async () => {
    const page = await visit(`${world.url}${AREA}/guides/api`, { width: 360 });
    const wide = page.locator(".scroll-table.has-after").first();
    await wide.waitFor();
    expect(await wide.locator("[tabindex='0']").count()).toBe(1);
  });

  test("that failed to load are loaded by a reload, since an update may have renamed their scripts", async () => {
    const page = await visit(`${world.url}${AREA}/guides`, { expects: "errors" });
    const script = /\/assets\/errors-/;
    await page.route(script, (route) => route.abort());
    await page.locator(`.guide-cards a[href="${AREA}/guides/errors"]`).click();
    await page.getByRole("alert").waitFor();
    await page.unroute(script);
    const reloaded = page.waitForEvent("load");
    await page.getByRole("button", { name: TEXTS.tryAgain }).click();
    await reloaded;
    await page.locator(".guide h2").first().waitFor();
  });

  test("that do not exist are reported", async () => {
    const page = await visit(`${world.url}${AREA}/guides/constructor`, { expects: [404] });
    await page.getByText("There is no guide called").waitFor();
  });
});

inBrowser("the usage page", () => {
  const openUsage = (world: World, options = {}) =>
    visit(`${world.url}${AREA}/usage`, { key: world.key, ...options });

  test("shows requests, errors, and matches against the quota", async () => {
    await using world = await startWorld(MATCHES, { "matches-per-day": "20" }, stillClock());
    await world.get("/shards/na/matches?page[limit]=3");
    await world.get("/shards/na/matches/nobody");
    const page = await openUsage(world);
    const today = page.locator(".figures");
    expect(await today.innerText()).toMatch(
      /Matches today\s+3 of 20\s+17 matches left. Resets in \d+ \w+/,
    );
    await today.getByText("Errors today").waitFor();
    // The recorder writes the counts of requests after a moment.
    await page.waitForFunction(
      () => {
        const refresh = [...document.querySelectorAll("button")].find(
          (one) => one.textContent === "Refresh",
        );
        refresh?.click();
        return document.querySelector(".usage-plots table") !== null;
      },
      undefined,
      { polling: 500 },
    );
    await page.locator(".usage-plots summary").first().click();
    const rows = page.locator(".usage-plots").getByRole("table").first().getByRole("row");
    expect(await rows.count()).toBe(31);
    expect(await rows.last().innerText()).toMatch(/\t?[1-9]\d*\t?\s*1$/);
    // Values appear on hover: today's are the last ones.
    const plot = page.locator(".plot-frame").first();
    const { width } = (await plot.boundingBox())!;
    await plot.hover({ position: { x: width - 15, y: 20 } });
    await page
      .locator(".plot-tip")
      .getByText(/Errors: 1/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await leave(page);
  });
});
