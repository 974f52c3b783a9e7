/** Runs tests in Chromium, and checks what every page must fulfil. */

import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test";
import type axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Clock } from "../../src/access/clock.ts";
import { demoDocuments } from "../../src/demo/demo.ts";
import { skipWithout } from "../support/needs.ts";
import { buildPortal } from "../support/process.ts";
import { startWorld, type World } from "../support/world.ts";

/** The name of the executable differs between systems. The shell has no user interface, and starts faster. */
const CHROMIUM = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => Bun.which(name))
  .find((path) => path !== null);

/** The narrowest phone, which is also a desktop at 400 %, and a common laptop. */
export const WIDTHS = [320, 1366] as const;

/** For a busy machine; shorter than the timeout of a test, so that the error says what did not happen. */
const TIMEOUT_MS = 150_000;

export interface VisitOptions {
  /** The visitor's key; without it, this is a first visit. */
  key?: string;
  width?: number;
  /** The error statuses that browsers log as errors here; "errors" if the test causes any. */
  expects?: readonly number[] | "errors";
  /** Is called before the page is loaded, e.g. to watch or to hold back its requests. */
  before?: (page: Page) => unknown;
  /** With an empty cache. Otherwise it has what earlier visitors have loaded, which takes less CPU time. */
  isCold?: boolean;
}

interface Visit {
  /** Errors in the browser's console. */
  complaints: string[];
  /** Makes the page as good as new for the next visitor. */
  reset(): Promise<void>;
}

const AXE = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

/** Shared by the groups of a file. */
let browser: Browser | undefined;
/** The visits of the running test. */
const visits = new Map<Page, Visit>();
/** A page without a visitor. A new page, in a new renderer process, takes twice the CPU time to load. */
let idle: Page | undefined;

/** A group of tests that need Chromium. They are skipped if it is not installed. */
export function inBrowser(name: string, tests: () => void): void {
  if (CHROMIUM === undefined) {
    skipWithout("chromium", () => describe(name, tests));
    return;
  }
  describe(name, () => {
    beforeAll(async () => {
      buildPortal();
      browser ??= await startBrowser();
    });
    afterEach(async () => {
      for (const page of visits.keys()) await leave(page);
    });
    tests();
  });
  // After the last group of the file.
  afterAll(async () => {
    await browser?.close();
    browser = undefined;
    idle = undefined;
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
      // Navigations stay in the process that has the page's code and fonts in memory.
      "--renderer-process-limit=1",
    ],
  });
}

/** A clock that stands still, so that no day, and with it no daily quota, ends during a test. */
export function stillClock(now = Date.now()): Clock {
  return { now: () => now, monotonic: () => performance.now() };
}

/** The time in the demo world. It is fixed, so that every run has the same matches. */
export const DEMO_NOW = Date.UTC(2026, 2, 14, 18, 30);

/** A server with recent demo matches in two shards. */
export function startDemoWorld(flags: Record<string, string> = {}): Promise<World> {
  const options = { matches: 40, seed: 7, until: DEMO_NOW, shards: ["na", "eu"] };
  return startWorld([...demoDocuments(options)], flags, stillClock(DEMO_NOW));
}

/**
 * Opens a URL as a new visitor, and waits until the page has loaded. The visit ends with the test, which fails if the
 * browser logged an error.
 */
export async function visit(address: string, options: VisitOptions = {}): Promise<Page> {
  const { key, width = 1440, expects = [], before, isCold = false } = options;
  const page = idle ?? (await newPage());
  idle = undefined;
  await resize(page, width);
  if (isCold) await sendTo(page, [["Network.clearBrowserCache"]]);
  const keyScript =
    key === undefined
      ? undefined
      : await page.addInitScript((kept) => localStorage.setItem("matchbook.key", kept), key);
  const complaints: string[] = [];
  page.on("console", (message) => {
    const text = message.text();
    const isExpected =
      expects === "errors" || expects.some((status) => text.includes(`status of ${status}`));
    if (message.type() === "error" && !isExpected) complaints.push(text);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  const reset = async () => {
    for (const event of ["console", "pageerror", "request", "requestfailed"] as const) {
      page.removeAllListeners(event);
    }
    await keyScript?.dispose();
    await forget(page, new URL(address).origin);
  };
  visits.set(page, { complaints, reset });
  await before?.(page);
  await page.goto(address);
  await settled(page);
  return page;
}

/** One visit for all tests of a group, which only read the page. */
export function visitOnce(open: () => Promise<Page>): { page: Page } {
  const shared = {} as { page: Page };
  let kept: Visit;
  beforeAll(async () => {
    shared.page = await open();
    kept = visits.get(shared.page)!;
    visits.delete(shared.page);
  });
  afterAll(() => {
    visits.set(shared.page, kept);
    return leave(shared.page);
  });
  return shared;
}

const resize = (page: Page, width: number): Promise<void> =>
  page.setViewportSize({ width, height: width < 600 ? 780 : 900 });

async function newPage(): Promise<Page> {
  const context = await browser!.newContext({
    colorScheme: "light",
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "UTC",
  });
  context.setDefaultTimeout(TIMEOUT_MS);
  return context.newPage();
}

/** Removes what a visit leaves behind: storage, history, routes, colours and the pointer's position. */
async function forget(page: Page, origin: string): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.goto("about:blank");
  const isDark = await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches);
  if (isDark) await page.emulateMedia({ colorScheme: "light" });
  await page.mouse.move(0, 0);
  await sendTo(page, [
    ["Storage.clearDataForOrigin", { origin, storageTypes: "all" }],
    ["Page.resetNavigationHistory"],
  ]);
}

type Command = [
  name: "Storage.clearDataForOrigin" | "Network.clearBrowserCache" | "Page.resetNavigationHistory",
  options?: { origin: string; storageTypes: string },
];

/** Sends commands of the DevTools protocol. */
async function sendTo(page: Page, commands: Command[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const [name, options] of commands) await session.send(name, options as never);
  await session.detach();
}

/** Waits until the page has loaded and nothing on it is loading. */
export async function settled(page: Page): Promise<void> {
  // A click starts loading within a frame.
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame);
  });
  // Checked in every frame; a locator would check only every half second.
  await page.waitForFunction(
    () =>
      document.querySelector("h1") !== null &&
      document.querySelector('.loading, [aria-busy="true"]') === null,
    undefined,
    { timeout: TIMEOUT_MS },
  );
}

/** Ends a visit before its test ends. The page is used again, unless it cannot be reset. */
export async function leave(page: Page): Promise<void> {
  const { complaints, reset } = visits.get(page)!;
  visits.delete(page);
  const isReset = idle === undefined && (await succeeds(reset));
  if (isReset) idle = page;
  else await page.context().close();
  expect(complaints).toEqual([]);
}

const succeeds = (work: () => Promise<void>): Promise<boolean> =>
  work().then(
    () => true,
    () => false,
  );

/** Ends a visit whose page was changed in a way that cannot be undone, e.g. by `page.clock.install()`. */
export async function leaveForGood(page: Page): Promise<void> {
  const { complaints } = visits.get(page)!;
  visits.delete(page);
  await page.context().close();
  expect(complaints).toEqual([]);
}

/** What axe-core reports, by all its rules or by these: "color-contrast (serious): .foot a". */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Not as a script element, which the page's Content-Security-Policy would block.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const { violations: found } = await page.evaluate(
    (only) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        // The size of what can be clicked is part of WCAG 2.2, which is off by default.
        ...(only ? { runOnly: only } : { rules: { "target-size": { enabled: true } } }),
        // Without a selector for every element that passes, which takes a third of the time.
        resultTypes: ["violations"],
        // Without loading the style sheets again, which only an experimental rule needs.
        preload: false,
      }),
    rules,
  );
  return found.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target }) => `${id} (${impact}): ${target.join(" ")}`),
  );
}

/** Rows and cards, and the parts of a row: what is wider than its part covers the next one. */
const PARTS =
  "html, .card, .player-record, .player-record > *, .player-row, .start-row, .start-row > *, .match-banners > *, .segmented";
/** Some letters and the ellipsis. */
const LEAST_TEXT_PX = 60;

/** Reports what does not fit: a page that scrolls sideways, content outside its part, texts cut to almost nothing. */
export async function sticksOut(page: Page): Promise<string[]> {
  return page.evaluate(
    ([parts, least]) => {
      const named = (element: Element, width: number) =>
        `${element.className || element.tagName}: ${width} px instead of ${element.scrollWidth}`;
      const wide = [...document.querySelectorAll(parts)]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
        .filter((part) => getComputedStyle(part).textOverflow !== "ellipsis")
        .map((part) => named(part, part.clientWidth));
      const cut = [...document.querySelectorAll("main *")]
        .filter((text) => getComputedStyle(text).textOverflow === "ellipsis")
        .filter(({ scrollWidth, clientWidth }) => clientWidth < Math.min(scrollWidth, least))
        .map((text) => named(text, text.clientWidth));
      return [...wide, ...cut];
    },
    [PARTS, LEAST_TEXT_PX] as const,
  );
}

/** What is wrong with a page at a width, in a colour scheme. */
export async function looks(
  page: Page,
  width: number,
  colorScheme: "light" | "dark",
  rules?: string[],
): Promise<string[]> {
  await resize(page, width);
  // Otherwise the sticky header may cover a part of what can be clicked.
  await page.evaluate(() => scrollTo(0, 0));
  await page.emulateMedia({ colorScheme });
  return [...(await violations(page, rules)), ...(await sticksOut(page))];
}

/** The top of each element, in whole pixels from the top of the page. */
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

/** The Cumulative Layout Shift of the page since it was opened. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        // Without an entry, the observer is not called.
        const none = requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
        new PerformanceObserver((list) => {
          cancelAnimationFrame(none);
          const shifts = list.getEntries() as (PerformanceEntry & { value: number })[];
          resolve(shifts.reduce((sum, { value }) => sum + value, 0));
        }).observe({ type: "layout-shift", buffered: true });
      }),
  );
}

/** Holds back the responses for a URL until the returned function is called. */
export async function holdReplies(page: Page, address: string | RegExp): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(address, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Changes what the server writes into a page for its scripts. */
export const changePageData = (page: Page, address: string, text: RegExp, by: string) =>
  page.route(address, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(text, by) });
  });

/** A response that keeps the portal from trying again by itself during a test. */
export const BACK_IN_AN_HOUR = { status: 503, headers: { "Retry-After": "3600" } };

/** The text of the page without times: "3 minutes ago" changes after a minute. */
export function textOf(page: Page): Promise<string> {
  return page.locator("main").evaluate((main) => {
    const copy = main.cloneNode(true) as HTMLElement;
    for (const time of copy.querySelectorAll("time")) time.remove();
    return copy.textContent ?? "";
  });
}
