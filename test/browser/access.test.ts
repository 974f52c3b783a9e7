/** What visitors may see: shared links with and without a key, open and closed servers, and what the portal says of a key. */

import { beforeAll, expect, test } from "bun:test";
import type { Page, Request } from "playwright-core";
import { openAccess } from "../../src/open-access.ts";
import { serve } from "../../src/wiring.ts";
import { serveWithKeys } from "../support/keys.ts";
import { shared } from "../support/shared.ts";
import { until } from "../support/state.ts";
import { getAs, makeKey } from "../support/world.ts";
import {
  changePageData,
  holdReplies,
  inBrowser,
  leave,
  settled,
  startDemoWorld,
  stillClock,
  visit,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

const open = shared(() => startDemoWorld({ "portal-visitors": "on" }));
const closed = shared(() => startDemoWorld());
let player: { id: string; name: string };
let match: string;

beforeAll(async () => {
  const { data } = (await open.get("/shards/na/players")).body;
  player = { id: data[0].id, name: data[0].attributes.name };
  match = (await open.get("/shards/na/matches?sort=-createdAt")).body.data[0].id;
});

const playerLink = ({ url }: { url: string }) => `${url}/portal/na/players/${player.id}`;
const matchLink = ({ url }: { url: string }) => `${url}/portal/na/matches/${match}`;

type Requests = { path: string; credentials: string | undefined }[];

/** The paths of the requests for data from now on, with their credentials. */
function watch(page: Page, seen: Requests = []): Requests {
  page.on("request", (request: Request) => {
    const path = new URL(request.url()).pathname;
    if (!/^\/(shards|usage|portal\/visitor-token)/.test(path)) return;
    seen.push({ path, credentials: request.headers().authorization });
  });
  return seen;
}

const hasStatus = async (key: string, status: number) =>
  (await getAs({ ...open, key }, "/usage")).status === status;

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

const keyButton = (page: Page, name: RegExp) =>
  page.getByRole("contentinfo").getByRole("button", { name });

inBrowser("a shared link, where visitors need no key,", () => {
  test("opens with the visitor token and the record that the page contains, in one document", async () => {
    const requests: Requests = [];
    const reader = await visit(playerLink(open), { before: (page) => watch(page, requests) });
    await heading(reader).filter({ hasText: player.name }).waitFor();
    const paths = requests.map(({ path }) => path);
    expect(paths).not.toContain("/portal/visitor-token");
    expect(paths).not.toContain(`/shards/na/players/${player.id}`);
    expect(new Set(requests.map(({ credentials }) => credentials)).size).toBe(1);
    await reader.goto(matchLink(open));
    await settled(reader);
    expect(await heading(reader).textContent()).toMatch(/match/i);
    expect(requests.length).toBeGreaterThan(0);
    for (const { path, credentials } of requests) {
      if (path.startsWith("/shards")) expect(credentials).toStartWith("Bearer mbv_");
    }
  });

  test("opens although the token of the page is not accepted any more", async () => {
    const reader = await visit(playerLink(open), {
      expects: [401],
      before: (page) =>
        changePageData(page, playerLink(open), /mbv_\w+_[\w-]{43}/, `mbv_1_${"x".repeat(43)}`),
    });
    await reader.locator(".player-row").first().waitFor();
  });

  test("says when the server does not respond, and opens when it does again", async () => {
    const page = await visit(playerLink(open), {
      expects: "errors",
      before: async (page) => {
        await changePageData(page, playerLink(open), /"path":/, '"none":');
        await page.route(/\/(shards|portal\/visitor-token)/, (route) => route.abort());
      },
    });
    await page.getByText(TEXTS.unreachable).first().waitFor();
    await page.unrouteAll();
    await page.getByRole("button", { name: TEXTS.tryAgain }).first().click();
    await heading(page).filter({ hasText: player.name }).waitFor();
  });

  test("says what is needed when the operator has closed the portal meanwhile", async () => {
    const page = await visit(playerLink(open), {
      expects: [401, 404],
      before: async (page) => {
        await changePageData(page, playerLink(open), /"path":/, '"none":');
        await page.route("**/shards/**", (route) => route.fulfill({ status: 401 }));
        await page.route("**/portal/visitor-token", (route) => route.fulfill({ status: 404 }));
      },
    });
    await page.getByRole("main").getByRole("button", { name: TEXTS.enterKey }).first().waitFor();
  });
});

inBrowser("a shared link, where visitors need a key,", () => {
  test("says what is needed, and sends nothing that must fail", async () => {
    const requests: Requests = [];
    const page = await visit(closed.url, { before: (page) => watch(page, requests) });
    const pages = ["/na/heroes", "/na/leaderboards/win-rate"];
    const developers = ["", "/keys", "/usage"].map((path) => `/developers${path}`);
    for (const address of [
      ...[playerLink(closed), matchLink(closed)],
      ...[...pages, ...developers].map((path) => `${closed.url}/portal${path}`),
    ]) {
      await page.goto(address);
      await page.locator("main").getByRole("button", { name: TEXTS.enterKey }).first().waitFor();
      expect(await page.locator("main").textContent()).toContain("API key");
    }
    expect(requests).toEqual([]);
  });
});

inBrowser("a key", () => {
  test("that has ended is shown as rejected, and used until the visitor removes it", async () => {
    const access = openAccess(open.settings);
    const { key, record } = await access.keys.create({ name: "short" }, Date.now());
    await until("the server to know the key", () => hasStatus(key, 200));
    const page = await visit(`${open.url}/portal/status`, { expects: [401] });
    await page.evaluate((kept) => localStorage.setItem("matchbook.key", kept), key);
    await page.goto(playerLink(open));
    await heading(page).filter({ hasText: player.name }).waitFor();

    await access.keys.revoke(record.id, Date.now());
    await access.close();
    await until("the server to reject the key", () => hasStatus(key, 401));
    const requests = watch(page);
    await page.goto(playerLink(open));
    await keyButton(page, /^Key rejected/).waitFor();
    expect(await page.locator("main").textContent()).not.toContain("from your network");
    const sent = requests.filter(({ path }) => path.startsWith("/shards"));
    expect(new Set(sent.map(({ credentials }) => credentials))).toEqual(new Set([`Bearer ${key}`]));

    await keyButton(page, /^Key rejected/).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This key worked before.").waitFor();
    await dialog.getByRole("button", { name: "Replace key" }).waitFor();
    await dialog.getByRole("button", { name: "Remove key" }).click();
    await heading(page).filter({ hasText: player.name }).waitFor();
    expect(requests.at(-1)!.credentials).toStartWith("Bearer mbv_");
  });

  test("is checked when the dialog opens, masked, shown in full on request, and forgotten when it is replaced", async () => {
    const { key: other } = await makeKey(open.settings);
    await until("the server to know the key", () => hasStatus(other, 200));
    const page = await visit(`${open.url}/portal/status`, { key: open.key });
    await keyButton(page, /^Key /).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This key works.").waitFor();
    expect(await page.locator("body").textContent()).not.toContain(open.key);
    await dialog.getByRole("button", { name: "Show key" }).click();
    await dialog.getByText(open.key).waitFor();
    await dialog.getByRole("button", { name: "Hide key" }).click();
    expect(await page.locator("body").textContent()).not.toContain(open.key);

    await dialog.getByRole("button", { name: "Replace key" }).click();
    await dialog.getByLabel(TEXTS.keyField).fill(other);
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await dialog.waitFor({ state: "hidden" });
    const kept = await page.evaluate(() => Object.values({ ...localStorage }));
    expect(kept).toContain(other);
    expect(kept).not.toContain(open.key);
  });

  // Other states are on the page of keys: developers.test.ts.
  test("over its rate is described so", async () => {
    const visitors = { "portal-visitors": "on" } as const;
    await using server = await serveWithKeys(open, [{ rate: 1 }], visitors, stillClock());
    const [key] = server.keys as [string];
    for (let time = 0; time < 2; time++) {
      await fetch(`${server.url}/usage`, { headers: { Authorization: `Bearer ${key}` } });
    }
    const reader = await visit(`${server.url}/portal/status`, { key, expects: [429] });
    await keyButton(reader, /^Key /).click();
    await reader.getByRole("dialog").getByText("too many requests in a minute").waitFor();
    await leave(reader);
  });

  test("is discarded if the dialog is closed while it is being checked", async () => {
    const page = await visit(playerLink(closed));
    await page.getByRole("button", { name: TEXTS.enterKey }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(TEXTS.keyField).fill(closed.key);
    await holdReplies(page, "**/usage");
    const aborted = page.waitForEvent("requestfailed", (one) => one.url().endsWith("/usage"));
    await dialog.getByRole("button", { name: TEXTS.useKey }).click();
    await page.keyboard.press("Escape");
    await aborted;
    // The page handles it before the next frame.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    expect(await page.evaluate(() => localStorage.getItem("matchbook.key"))).toBeNull();
  });

  test("of a demo server is offered to visitors who need one", async () => {
    const demo = await serve(closed.settings, () => {}, undefined, undefined, closed.key);
    const page = await visit(playerLink(demo));
    await page.getByRole("button", { name: "Use the demo key" }).first().click();
    await heading(page).filter({ hasText: player.name }).waitFor();
    expect(await page.getByRole("button", { name: "Use the demo key" }).count()).toBe(0);
    await leave(page);
    // Code has it before the visitor has a key of their own.
    const developer = await visit(`${demo.url}/portal/developers`);
    expect(await developer.locator(".sample .code-block").innerText()).toContain(closed.key);
    await leave(developer);
    await demo.stop("test");
  });
});
