/** The explorer's query in a browser: the form, the page URL and the code always match. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { GAME_MODES } from "../../src/domain/modes.ts";
import { PARAMETERS, type Parameter } from "../../src/query/parameters.ts";
import { ROOT } from "../support/process.ts";
import { aFolder, startWorld, type World } from "../support/world.ts";
import {
  cardIds,
  field,
  leaveQuietly,
  MATCHES,
  mode,
  openExplorer,
  searchFor,
  searchOf,
  send,
  sendButton,
  showAs,
  shown,
  showResponseAs,
} from "./explorer.ts";
import { inBrowser, leave, violations, visit } from "./support.ts";
import { TEXTS } from "./texts.ts";

inBrowser("the query of the explorer", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(MATCHES);
  });
  afterAll(() => world.stop());

  test("starts with the newest matches, written into the page URL", async () => {
    const visitor = await openExplorer(world);
    const { page } = visitor;
    expect([...searchOf(page)]).toEqual([
      ["shard", "na"],
      ["on", "matches"],
      ["sort", "-createdAt"],
    ]);
    expect(await page.title()).toBe(`${TEXTS.explorer} · Matchbook`);
    await leaveQuietly(visitor);
  });

  test("never hides a focused field behind the send button", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches", { width: 360 });
    const { page } = visitor;
    await page.locator(".explorer-group > summary").first().click();
    const hidden: string[] = [];
    for (let modes = 0; modes < GAME_MODES.length; ) {
      await page.keyboard.press("Tab");
      const focus = await page.evaluate(() => {
        const it = document.activeElement!;
        const bar = document.querySelector(".explorer-actions button")!;
        return {
          html: it.outerHTML,
          isMode: it.getAttribute("type") === "checkbox",
          isHidden: it.getBoundingClientRect().bottom > bar.getBoundingClientRect().top,
        };
      });
      if (focus.isMode) modes += 1;
      if (focus.isHidden) hidden.push(focus.html);
    }
    expect(hidden).toEqual([]);
    await leaveQuietly(visitor);
  });

  test("updates the page URL, the API URL, the curl command and the TypeScript on every change", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches");
    const { page } = visitor;
    const heading = page.locator(".explorer-response h2");
    const before = await heading.boundingBox();
    const entries = await page.evaluate(() => history.length);

    await mode(page, "ranked").check();
    await field(page, "page[limit]").fill("3");
    await field(page, "filter[createdAt-start]").fill("2026-03-01T18:30");
    await page.getByRole("radio", { name: "Newest first" }).check();
    await field(page, "filter[teamNames]").fill("A,B\\,C");
    await field(page, "filter[teamNames]").press("Enter");
    await urlHas(page, "filter[teamNames]", "A,B\\,C");

    const query =
      "filter[gameMode]=ranked&page[limit]=3&filter[createdAt-start]=2026-03-01T18:30:00Z&sort=-createdAt&filter[teamNames]=A,B%5C,C";
    expect(await shown(page)).toBe(`${world.url}/shards/na/matches?${query}`);
    expect(searchOf(page).get("filter[createdAt-start]")).toBe("2026-03-01T18:30:00Z");
    await showAs(page, "curl");
    expect(await shown(page)).toContain(`'${world.url}/shards/na/matches?${query}'`);
    await showAs(page, "code");
    expect(await shown(page)).toContain('  teamNames: ["A", "B,C"],\n');
    expect(await shown(page)).toContain("  limit: 3,\n");

    // Nothing was sent yet: there is no new history entry, and the response is marked as out of date.
    expect(await page.evaluate(() => history.length)).toBe(entries);
    expect(await page.locator(".explorer-stale").isVisible()).toBe(true);
    await showAs(page, "url");
    expect(await heading.boundingBox()).toEqual(before);
    await leaveQuietly(visitor);
  });

  test("gets a history entry when it is sent; going back shows the query before", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches&page[limit]=2");
    const { page } = visitor;
    expect(await cardIds(page)).toEqual(["match-1", "match-2"]);
    await mode(page, "casual").check();
    await send(page);
    expect(await cardIds(page)).toEqual(["match-2", "match-4"]);
    expect(searchOf(page).get("filter[gameMode]")).toBe("casual");

    await page.goBack();
    await page.getByRole("article", { name: "Match match-1" }).waitFor();
    expect(await mode(page, "casual").isChecked()).toBe(false);
    await page.goForward();
    await page.getByRole("article", { name: "Match match-4" }).waitFor();
    expect(await mode(page, "casual").isChecked()).toBe(true);
    await leaveQuietly(visitor);
  });

  test("can be shared: a new visitor sees the same", async () => {
    const author = await openExplorer(world, "?shard=na&on=matches");
    await mode(author.page, "ranked").check();
    await author.page.getByRole("radio", { name: "Newest first" }).check();
    await send(author.page);
    await showResponseAs(author.page, "json");
    await urlHas(author.page, "as", "json");
    const tree = await author.page.locator(".explorer-tree").innerText();
    const address = author.page.url();
    const query = await shown(author.page);
    await leave(author);

    const reader = await visit(address, { key: world.key });
    expect(reader.page.url()).toBe(address);
    expect(await shown(reader.page)).toBe(query);
    // The links and the window of a list depend on the time of the request.
    const untilLinks = (text: string) => text.slice(0, text.indexOf('"links"'));
    expect(untilLinks(await reader.page.locator(".explorer-tree").innerText())).toBe(
      untilLinks(tree),
    );
    expect(await mode(reader.page, "ranked").isChecked()).toBe(true);
    await leaveQuietly(reader);
  });

  test("has a field for every query parameter, and is a working TypeScript program with the key on demand", async () => {
    const visitor = await openExplorer(
      world,
      "?shard=na&on=matches&filter[playerNames]=Ada&sort=-createdAt&page[limit]=2",
    );
    const { page } = visitor;
    const names = await page.locator(".explorer-name").allTextContents();
    for (const { name, endpoints } of PARAMETERS as readonly Parameter[]) {
      if (endpoints.includes("matches")) expect(names).toContain(name.replace("TYPE", "match"));
    }

    for (const form of ["curl", "code"] as const) {
      await showAs(page, form);
      expect(await shown(page)).toContain("YOUR_API_KEY");
      expect(await shown(page)).not.toContain(world.key);
    }
    await page.getByRole("checkbox", { name: "Show my key" }).check();
    expect(await shown(page)).toContain(world.key);
    expect(await run(await shown(page))).toMatch(/ casual match-12\n.* ranked match-11\n$/);
    await leaveQuietly(visitor);
  });

  test("finds players and single records, with the parameters they accept", async () => {
    const visitor = await openExplorer(
      world,
      "?shard=na&on=matches&filter[playerNames]=Ada&sort=-createdAt",
    );
    const { page } = visitor;
    await searchFor(page, "players");
    await send(page);
    expect(await page.getByRole("table").getByRole("link", { name: "Ada" }).isVisible()).toBe(true);
    expect([...searchOf(page).keys()]).toEqual(["shard", "on", "filter[playerNames]"]);

    await searchFor(page, "match");
    expect(await sendButton(page).isDisabled()).toBe(true);
    await page.getByLabel("Match ID").fill("match-3");
    await send(page);
    expect(await cardIds(page)).toEqual(["match-3"]);
    expect(await shown(page)).toBe(`${world.url}/shards/na/matches/match-3`);
    await leaveQuietly(visitor);
  });

  test("suggests names similar to the typed text, and adds the selected one", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=players");
    const { page } = visitor;
    const field = page.getByRole("combobox", { name: "filter[playerNames]" });
    await field.fill("adda");
    const option = page.getByRole("option", { name: "Ada", exact: true });
    await option.waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await field.getAttribute("aria-expanded")).toBe("true");
    await field.press("ArrowDown");
    expect(await field.getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));
    await field.press("Enter");
    expect(await field.getAttribute("aria-expanded")).toBe("false");
    expect(await shown(page)).toEndWith("?filter[playerNames]=Ada");

    // Also by pointer; Escape keeps the typed text.
    await field.fill("grace_1");
    await page.getByRole("option", { name: "Grace_1", exact: true }).click();
    expect(await shown(page)).toEndWith("?filter[playerNames]=Ada,Grace_1");
    await field.fill("grace_2");
    await page.getByRole("option", { name: "Grace_2", exact: true }).waitFor();
    await field.press("Escape");
    expect(await field.getAttribute("aria-expanded")).toBe("false");
    expect(await field.inputValue()).toBe("grace_2");
    await field.fill("");
    await field.pressSequentially("Grace_3,");
    expect(await shown(page)).toEndWith("?filter[playerNames]=Ada,Grace_1,Grace_3");
    await page.getByRole("button", { name: "Remove Grace_3" }).click();
    await page.getByRole("button", { name: "Remove Ada" }).click();
    await send(page);
    expect(await page.getByRole("table").getByRole("link").allInnerTexts()).toEqual(["Grace_1"]);
    await leaveQuietly(visitor);
  });
});

/** The URL is updated after a pause in typing. */
const urlHas = (page: Page, name: string, value: string | null) =>
  page.waitForFunction(
    ([key, wanted]) => new URLSearchParams(location.search).get(key!) === wanted,
    [name, value],
  );

/** Runs a program with the client installed, and returns its output. */
async function run(program: string): Promise<string> {
  const folder = aFolder();
  const client = join(folder.path, "node_modules", "matchbook-client");
  mkdirSync(client, { recursive: true });
  const entry = JSON.stringify(join(ROOT, "client", "src", "index.ts"));
  writeFileSync(join(client, "index.ts"), `export * from ${entry};\n`);
  writeFileSync(join(folder.path, "program.ts"), program);
  const running = Bun.spawn([process.execPath, "program.ts"], {
    cwd: folder.path,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed, complaints] = await Promise.all([
    new Response(running.stdout).text(),
    new Response(running.stderr).text(),
  ]);
  expect(complaints).toBe("");
  folder.remove();
  return printed;
}
