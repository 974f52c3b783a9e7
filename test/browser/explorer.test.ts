/** In charge of the explorer's query in a browser: form, address, URL, curl line and program are one. */

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
  leaveQuietly,
  MATCHES,
  mode,
  openExplorer,
  searchOf,
  send,
  showAs,
  shown,
} from "./explorer.ts";
import { inBrowser, leave, violations, visit } from "./support.ts";

inBrowser("the query of the explorer", () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld(MATCHES);
  });
  afterAll(() => world.stop());

  test("begins with the newest matches, written out in the address", async () => {
    const visitor = await openExplorer(world);
    const { page } = visitor;
    expect([...searchOf(page)]).toEqual([
      ["shard", "na"],
      ["on", "matches"],
      ["sort", "-createdAt"],
    ]);
    expect(await page.title()).toBe("Explorer · Matchbook");
    await leaveQuietly(visitor);
  });

  test("hides no field that has the focus behind the button that sends it", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches", { width: 360 });
    const { page } = visitor;
    await page.getByText("Filters", { exact: true }).click();
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

  test("has a field for every parameter of the table", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches");
    const names = await visitor.page.locator(".explorer-name").allTextContents();
    for (const { name, endpoints } of PARAMETERS as readonly Parameter[]) {
      if (endpoints.includes("matches")) expect(names).toContain(name.replace("TYPE", "match"));
    }
    await leaveQuietly(visitor);
  });

  test("is in the address, the URL, the curl line and the program as it is changed", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches");
    const { page } = visitor;
    const replyAt = await page.getByRole("heading", { name: "Reply" }).boundingBox();
    const steps = await page.evaluate(() => history.length);

    await mode(page, "Ranked").check();
    await page.getByLabel("Page limit").fill("3");
    await page.getByLabel("Created at, start").fill("2026-03-01T18:30");
    await page.getByRole("radio", { name: "Newest first" }).check();
    await page.getByLabel("Team names").fill("A,B\\,C");
    await page.getByLabel("Team names").press("Enter");
    await addressHas(page, "filter[teamNames]", "A,B\\,C");

    const query =
      "filter[gameMode]=ranked&page[limit]=3&filter[createdAt-start]=2026-03-01T18:30:00Z&sort=-createdAt&filter[teamNames]=A,B%5C,C";
    expect(await shown(page)).toBe(`${world.url}/shards/na/matches?${query}`);
    expect(searchOf(page).get("filter[createdAt-start]")).toBe("2026-03-01T18:30:00Z");
    await showAs(page, "curl");
    expect(await shown(page)).toContain(`'${world.url}/shards/na/matches?${query}'`);
    await showAs(page, "TypeScript");
    expect(await shown(page)).toContain('  teamNames: ["A", "B,C"],\n');
    expect(await shown(page)).toContain("  limit: 3,\n");

    // Nothing was sent yet: no step was made, and the reply says that it is an older one's.
    expect(await page.evaluate(() => history.length)).toBe(steps);
    expect(await page.getByText("to the query before your changes").isVisible()).toBe(true);
    await showAs(page, "URL");
    expect(await page.getByRole("heading", { name: "Reply" }).boundingBox()).toEqual(replyAt);
    await leaveQuietly(visitor);
  });

  test("becomes a step of its own when it is sent; the step back shows the one before", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches&page[limit]=2");
    const { page } = visitor;
    expect(await cardIds(page)).toEqual(["match-1", "match-2"]);
    await mode(page, "Casual").check();
    await send(page);
    expect(await cardIds(page)).toEqual(["match-2", "match-4"]);
    expect(searchOf(page).get("filter[gameMode]")).toBe("casual");

    await page.goBack();
    await page.getByRole("article", { name: "Match match-1" }).waitFor();
    expect(await mode(page, "Casual").isChecked()).toBe(false);
    await page.goForward();
    await page.getByRole("article", { name: "Match match-4" }).waitFor();
    expect(await mode(page, "Casual").isChecked()).toBe(true);
    await leaveQuietly(visitor);
  });

  test("can be shared: a fresh profile sees the same", async () => {
    const author = await openExplorer(world, "?shard=na&on=matches");
    await mode(author.page, "Ranked").check();
    await author.page.getByRole("radio", { name: "Newest first" }).check();
    await send(author.page);
    await author.page.getByRole("radio", { name: "JSON" }).check();
    await addressHas(author.page, "as", "json");
    const tree = await author.page.locator(".explorer-tree").innerText();
    const address = author.page.url();
    const query = await shown(author.page);
    await leave(author);

    const reader = await visit(address, { key: world.key });
    expect(reader.page.url()).toBe(address);
    expect(await shown(reader.page)).toBe(query);
    // The links and the window of a list say when it was asked for.
    const untilLinks = (text: string) => text.slice(0, text.indexOf('"links"'));
    expect(untilLinks(await reader.page.locator(".explorer-tree").innerText())).toBe(
      untilLinks(tree),
    );
    expect(await mode(reader.page, "Ranked").isChecked()).toBe(true);
    await leaveQuietly(reader);
  });

  test("shows the key only to those who ask for it", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=matches");
    const { page } = visitor;
    for (const form of ["curl", "TypeScript"] as const) {
      await showAs(page, form);
      expect(await shown(page)).toContain("YOUR_API_KEY");
      expect(await shown(page)).not.toContain(world.key);
    }
    await page.getByRole("checkbox", { name: "Show my key" }).check();
    expect(await shown(page)).toContain(world.key);
    await leaveQuietly(visitor);
  });

  test("is a program that works", async () => {
    const visitor = await openExplorer(
      world,
      "?shard=na&on=matches&filter[playerNames]=Ada&sort=-createdAt&page[limit]=2",
    );
    const { page } = visitor;
    await showAs(page, "TypeScript");
    await page.getByRole("checkbox", { name: "Show my key" }).check();
    expect(await run(await shown(page))).toMatch(/ casual match-12\n.* ranked match-11\n$/);
    await leaveQuietly(visitor);
  });

  test("asks for single records and for players, with the parameters taken there", async () => {
    const visitor = await openExplorer(
      world,
      "?shard=na&on=matches&filter[playerNames]=Ada&sort=-createdAt",
    );
    const { page } = visitor;
    await page.getByRole("radio", { name: "Players" }).check();
    await send(page);
    expect(await page.getByRole("table").getByRole("link", { name: "Ada" }).isVisible()).toBe(true);
    expect([...searchOf(page).keys()]).toEqual(["shard", "on", "filter[playerNames]"]);

    await page.getByRole("radio", { name: "One match" }).check();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await page.getByLabel("Match id").fill("match-3");
    await send(page);
    expect(await cardIds(page)).toEqual(["match-3"]);
    expect(await shown(page)).toBe(`${world.url}/shards/na/matches/match-3`);
    await leaveQuietly(visitor);
  });

  test("offers names near to what was typed, and takes the one that is picked", async () => {
    const visitor = await openExplorer(world, "?shard=na&on=players");
    const { page } = visitor;
    const field = page.getByRole("combobox", { name: "Player names" });
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

    // By pointer, too; and Escape keeps what was typed.
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

/** The address follows the typing after a pause. */
const addressHas = (page: Page, name: string, value: string | null) =>
  page.waitForFunction(
    ([key, wanted]) => new URLSearchParams(location.search).get(key!) === wanted,
    [name, value],
  );

/** Runs a program as somebody would who has the client installed; gives what it printed. */
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
