/** In charge of tests in a real browser: Chromium, a visitor in it, and what the visitor must never see. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { demoDocuments } from "../../src/demo/demo.ts";
import { skipWithout } from "../support/needs.ts";
import { buildPortal } from "../support/process.ts";
import { startWorld, type World } from "../support/world.ts";

/** Systems call it by different names. */
const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]
  .map((name) => Bun.which(name))
  .find((path) => path !== null);

/** From the narrowest phone to a usual desk. */
export const WIDTHS = [360, 1440] as const;
const THEMES = ["light", "dark"] as const;

export interface VisitOptions {
  /** The visitor's key; without it, they come for the first time. */
  key?: string;
  width?: number;
  /** Statuses of replies that this visit is about: browsers complain of every 4xx and 5xx. */
  expects?: readonly number[];
}

export interface Visitor {
  page: Page;
  /** What the browser's console complained of. */
  complaints: string[];
}

let browser: Browser | undefined;

/** A group of tests that need Chromium. Without it they are skipped, and it is named. */
export function inBrowser(name: string, tests: () => void): void {
  if (CHROMIUM === undefined) {
    skipWithout("chromium", () => describe(name, tests));
    return;
  }
  describe(name, () => {
    beforeAll(async () => {
      buildPortal();
      browser = await startBrowser();
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      browser = undefined;
    });
    tests();
  });
}

export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(CHROMIUM === undefined ? {} : { executablePath: CHROMIUM }),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

/** When it is in the demo world: the matches depend on it, and every run is to meet the same ones. */
const NOW = Date.UTC(2026, 2, 14, 18, 30);

/** A Matchbook with some hundred demo matches of the last days in two shards. */
export function startDemoWorld(flags: Record<string, string> = {}): Promise<World> {
  const options = { matches: 400, seed: 7, until: NOW, shards: ["na", "eu"] };
  const clock = { now: () => NOW, monotonic: () => performance.now() };
  return startWorld([...demoDocuments(options)], flags, clock);
}

/** A fresh profile that opens an address. Waits until nothing is being loaded. */
export async function visit(address: string, options: VisitOptions = {}): Promise<Visitor> {
  const { key, width = 1440, expects = [] } = options;
  const context = await browser!.newContext({
    viewport: { width, height: width < 600 ? 780 : 900 },
    colorScheme: "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  // Shorter than a test may take: one that runs out of time ends the browser of all the others.
  context.setDefaultTimeout(20_000);
  if (key !== undefined) {
    await context.addInitScript((kept) => localStorage.setItem("matchbook.key", kept), key);
  }
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    const text = message.text();
    const isExpected = expects.some((status) => text.includes(`status of ${status}`));
    if (message.type() === "error" && !isExpected) complaints.push(text);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(address);
  await settled(page);
  return { page, complaints };
}

/** The page shows what it has to show: no piece of it is waiting for a reply. */
export async function settled(page: Page): Promise<void> {
  // What was clicked just now begins to wait for its reply within a frame.
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
  });
  // In one question, asked with every frame: a locator would look only every half second.
  await page.waitForFunction(
    () =>
      document.querySelector("h1") !== null &&
      document.querySelector('.loading, [aria-busy="true"]') === null,
    undefined,
    { timeout: 20_000 },
  );
}

export const leave = ({ page }: Visitor): Promise<void> => page.context().close();

/** What axe-core finds wrong, of any weight: "color-contrast: .foot a". */
export async function violations(page: Page): Promise<string[]> {
  // Not as a script of the page, which its policy would refuse.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const { violations: found } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(),
  );
  return found.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target }) => `${id} (${impact}): ${target.join(" ")}`),
  );
}

/** Nothing sticks out: a page is never scrolled sideways. */
export async function sticksOut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [`${scrollWidth} px wide on ${clientWidth}`] : [];
  });
}

/**
 * Tests of a page as everybody meets it, light and dark, narrow and wide: axe-core finds nothing, nothing
 * sticks out, the console stays quiet. `at` is asked when the tests run.
 */
export function testEverywhere(
  at: () => { address: string; options?: VisitOptions },
  shows: (page: Page) => Promise<unknown> = settled,
): void {
  test.each(WIDTHS)("is fit for everybody, light and dark: %d pixels wide", async (width) => {
    const { address, options } = at();
    const visitor = await visit(address, { ...options, width });
    const { page } = visitor;
    await shows(page);
    for (const theme of THEMES) {
      await page.emulateMedia({ colorScheme: theme });
      expect({ theme, violations: await violations(page) }).toEqual({ theme, violations: [] });
    }
    expect(await sticksOut(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
    await leave(visitor);
  });
}

/** Where the top of each piece is, in whole pixels from the top of the page. */
export function topsOf(page: Page, pieces: readonly string[]): Promise<number[]> {
  return page.evaluate(
    (selectors) =>
      selectors.map((selector) => {
        const piece = document.querySelector(selector);
        return piece ? Math.round(piece.getBoundingClientRect().top + scrollY) : Number.NaN;
      }),
    pieces,
  );
}

/** Holds back the replies under an address until the test lets them through. */
export async function holdReplies(page: Page, address: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Everything the page says, but for times: "3 minutes ago" is another text a minute later. */
export function textOf(page: Page): Promise<string> {
  return page.locator("main").evaluate((main) => {
    const copy = main.cloneNode(true) as HTMLElement;
    for (const time of copy.querySelectorAll("time")) time.remove();
    return copy.textContent ?? "";
  });
}
