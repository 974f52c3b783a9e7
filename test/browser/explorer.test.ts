/** The explorer's query in a browser: the form, the page URL, the response and the code always match. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PARAMETERS } from "../support/parameters.ts";
import { runProgram } from "../support/process.ts";
import { shared } from "../support/shared.ts";
import { aFolder, startWorld } from "../support/world.ts";
import {
  cardIds,
  cards,
  EXPLORER,
  field,
  MATCHES,
  mode,
  openExplorer,
  openMore,
  searchFor,
  searchOf,
  showAs,
  shownCode,
  showsMatches,
  urlHas,
} from "./explorer.ts";
import {
  holdReplies,
  inBrowser,
  leave,
  leaveForGood,
  settled,
  violations,
  visit,
} from "./support.ts";
import { TEXTS } from "./texts.ts";

inBrowser("the query of the explorer", () => {
  const world = shared(() => startWorld(MATCHES));

  test("starts with the newest matches, written into the page URL", async () => {
    const page = await openExplorer(world);
    expect([...searchOf(page)]).toEqual([
      ["shard", "na"],
      ["on", "matches"],
      ["sort", "-createdAt"],
    ]);
    expect(await page.title()).toBe(`${TEXTS.explorer} · Matchbook`);
    await showsMatches(page, ["match-12", "match-11", "match-10", "match-9", "match-8"]);
  });

  test("has the region of its URL, and another one begins with its first page", async () => {
    const page = await openExplorer(world, "?shard=eu&on=matches");
    const region = page.getByRole("main").getByLabel("Region");
    await showsMatches(page, ["match-eu"]);
    expect(await region.inputValue()).toBe("eu");
    await region.selectOption("na");
    await showsMatches(page, ["match-1", "match-2", "match-3", "match-4", "match-5"]);
    await page.getByRole("button", { name: "Next" }).click();
    await showsMatches(page, ["match-6", "match-7", "match-8", "match-9", "match-10"]);
    await region.selectOption("eu");
    await showsMatches(page, ["match-eu"]);
  });

  test("shows three filters, needs few tab stops to reach the response, and has a field for every parameter", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches");
    expect(await page.locator(".explorer-name").allTextContents()).toEqual([
      "filter[playerNames]",
      "filter[createdAt-start]",
      "filter[gameMode]",
    ]);
    await page.locator("h1").focus();
    const stops: string[] = [];
    // The parts of a date field are one control with several stops.
    while (stops.length < 40) {
      await page.keyboard.press("Tab");
      const [id, isResponse] = await page.evaluate(() => {
        const it = document.activeElement!;
        return [it.id || it.textContent, it.closest(".explorer-response") !== null] as const;
      });
      if (isResponse) break;
      if (stops.at(-1) !== id) stops.push(id!);
    }
    expect(stops.length).toBeLessThanOrEqual(8);
    await openMore(page);
    const names = await page.locator(".explorer-name").allTextContents();
    for (const { name, endpoints } of PARAMETERS) {
      if (endpoints.includes("matches")) expect(names).toContain(name.replace("TYPE", "match"));
    }
  });

  test("is followed by the response, the page URL and the code, without a click", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches&page[limit]=2");
    await showsMatches(page, ["match-1", "match-2"]);
    await mode(page, "casual").check();
    await showsMatches(page, ["match-2", "match-4"]);
    expect(searchOf(page).get("filter[gameMode]")).toBe("casual");
    await openMore(page);
    await page.getByRole("radio", { name: "Newest first" }).check({ force: true });
    await showsMatches(page, ["match-12", "match-10"]);
    await field(page, "filter[createdAt-start]").fill("2026-03-01T18:30");
    await field(page, "filter[teamNames]").fill("A,B\\,C");
    await field(page, "filter[teamNames]").press("Enter");
    await urlHas(page, "filter[teamNames]", "A,B\\,C");

    const query =
      "page[limit]=2&filter[gameMode]=casual&sort=-createdAt&filter[createdAt-start]=2026-03-01T18:30:00Z&filter[teamNames]=A,B%5C,C";
    await showAs(page, "code");
    expect(await shownCode(page)).toContain(`"${world.url}/shards/na/matches?${query}"`);
  });

  test("is sent once after a pause in typing", async () => {
    const page = await openExplorer(world, "?shard=na&on=match&id=match-1");
    await page.clock.install();
    await page.reload();
    await showsMatches(page, ["match-1"]);
    // From now on, time passes only as the test says.
    await page.clock.pauseAt(Date.now() + 3_600_000);
    const asked: string[] = [];
    page.on("request", (one) => asked.push(new URL(one.url()).pathname));
    const id = page.getByLabel("Match ID");
    for (const text of ["match-2", "match-3"]) {
      await id.fill(text);
      await page.clock.runFor(200);
    }
    const sent = page.waitForRequest("**/shards/na/matches/match-3");
    await page.clock.runFor(200);
    await sent;
    await showsMatches(page, ["match-3"]);
    expect(asked.filter((path) => path.includes("/matches/"))).toEqual([
      "/shards/na/matches/match-3",
    ]);
    // Enter does not wait.
    await id.fill("match-4");
    await id.press("Enter");
    await showsMatches(page, ["match-4"]);
    await leaveForGood(page);
  });

  test("aborts the request that it replaces", async () => {
    const page = await openExplorer(world, "?shard=na&on=match&id=match-1");
    const aborted: string[] = [];
    page.on("requestfailed", (one) => aborted.push(new URL(one.url()).pathname.split("/").at(-1)!));
    const letThrough = await holdReplies(page, "**/shards/na/matches/match-2");
    const held = page.waitForRequest("**/shards/na/matches/match-2");
    await page.getByLabel("Match ID").fill("match-2");
    await held;
    await page.getByLabel("Match ID").fill("match-4");
    await showsMatches(page, ["match-4"]);
    expect(aborted).toContain("match-2");
    letThrough();
    page.removeAllListeners("requestfailed");
  });

  test("never has the result of another query under its URL", async () => {
    const page = await openExplorer(world, "?shard=na&on=match&id=match-1");
    await showsMatches(page, ["match-1"]);
    const letThrough = await holdReplies(page, "**/shards/na/matches/match-2");
    await page.getByLabel("Match ID").fill("match-2");
    await urlHas(page, "id", "match-2");
    expect(await cardIds(page)).toEqual([]);
    expect(await page.locator(".explorer-response .loading").count()).toBe(1);
    // Back to the first query, whose result is not that of the second either, and is remembered.
    letThrough();
    await showsMatches(page, ["match-2"]);
    await holdReplies(page, "**/shards/na/matches/match-1");
    await page.goBack();
    await urlHas(page, "id", "match-1");
    await showsMatches(page, ["match-1"]);
  });

  test("gets a history entry when it is sent; going back shows the query before", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches&page[limit]=2");
    await showsMatches(page, ["match-1", "match-2"]);
    await mode(page, "casual").check();
    await showsMatches(page, ["match-2", "match-4"]);
    await page.goBack();
    await showsMatches(page, ["match-1", "match-2"]);
    expect(await mode(page, "casual").isChecked()).toBe(false);
    await page.goForward();
    await showsMatches(page, ["match-2", "match-4"]);
    expect(await mode(page, "casual").isChecked()).toBe(true);
  });

  test("stays as entered while paging; the position is in the page URL and can be shared", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches");
    await openMore(page);
    const entered = () =>
      page
        .locator(".explorer-form :is(input, select)")
        .evaluateAll((inputs) =>
          inputs.map(
            (one) => `${(one as HTMLInputElement).value} ${(one as HTMLInputElement).checked}`,
          ),
        );
    const before = await entered();
    const step = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await step("Next");
    await showsMatches(page, ["match-6", "match-7", "match-8", "match-9", "match-10"]);
    expect(await entered()).toEqual(before);
    expect([...searchOf(page).keys()]).toEqual(["shard", "on", "after"]);
    const address = page.url();
    await step("Next");
    await showsMatches(page, ["match-11", "match-12"]);
    expect(await page.getByRole("button", { name: "Next" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    await step("Previous");
    await showsMatches(page, ["match-6", "match-7", "match-8", "match-9", "match-10"]);
    await step("First");
    await showsMatches(page, ["match-1", "match-2", "match-3", "match-4", "match-5"]);
    expect(await entered()).toEqual(before);
    // A changed filter starts again at the first page.
    await step("Next");
    await showsMatches(page, ["match-6", "match-7", "match-8", "match-9", "match-10"]);
    await mode(page, "casual").check();
    await showsMatches(page, ["match-2", "match-4", "match-6", "match-8", "match-10"]);
    expect(searchOf(page).has("after")).toBe(false);
    await leave(page);

    const reader = await visit(address, { key: world.key });
    await showsMatches(reader, ["match-6", "match-7", "match-8", "match-9", "match-10"]);
    await mode(reader, "casual").check();
    await showsMatches(reader, ["match-2", "match-4", "match-6", "match-8", "match-10"]);
  });

  test("copied as JavaScript is a program that works, while the key on the page is masked", async () => {
    const page = await openExplorer(
      world,
      "?shard=na&on=matches&filter[playerNames]=Ada&sort=-createdAt&page[limit]=2&as=code",
    );
    const copied = await page.evaluateHandle(() => {
      const texts: string[] = [];
      Object.defineProperty(navigator, "clipboard", {
        value: { writeText: async (text: string) => void texts.push(text) },
        configurable: true,
      });
      return texts;
    });
    for (const language of ["curl", "python", "fetch"]) {
      await page.locator(`.sample input[value=${language}]`).check({ force: true });
      expect(await shownCode(page)).not.toContain(world.key);
      await page.locator(".sample .copy button").click();
    }
    const texts = await copied.jsonValue();
    expect(texts.map((text) => text.includes(world.key))).toEqual([true, true, true]);
    expect(await run(texts[2]!)).toMatch(/match-12[\s\S]*match-11/);
    // The language is remembered.
    await page.locator(".sample input[value=python]").check({ force: true });
    await page.reload();
    await settled(page);
    expect(await shownCode(page)).toContain("urlopen");
  });

  test("finds players, single records and everything else, with the parameters they accept", async () => {
    const page = await openExplorer(
      world,
      "?shard=na&on=matches&filter[playerNames]=Ada&sort=-createdAt",
    );
    await searchFor(page, "players");
    await page.getByRole("table").getByRole("link", { name: "Ada" }).waitFor();
    expect([...searchOf(page).keys()]).toEqual(["shard", "on", "filter[playerNames]"]);

    await searchFor(page, "match");
    await page.getByText("Enter the Match ID").waitFor();
    await page.getByLabel("Match ID").fill("match-3");
    await showsMatches(page, ["match-3"]);
  });

  test("suggests names similar to the typed text, and adds the selected one", async () => {
    const page = await openExplorer(world, "?shard=na&on=players");
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
    await urlHas(page, "filter[playerNames]", "Ada");

    // Also by pointer; Escape keeps the typed text.
    await field.fill("grace_1");
    await page.getByRole("option", { name: "Grace_1", exact: true }).click();
    await urlHas(page, "filter[playerNames]", "Ada,Grace_1");
    await field.fill("grace_2");
    await page.getByRole("option", { name: "Grace_2", exact: true }).waitFor();
    await field.press("Escape");
    expect(await field.getAttribute("aria-expanded")).toBe("false");
    expect(await field.inputValue()).toBe("grace_2");
    await field.fill("");
    await field.pressSequentially("Grace_3,");
    await urlHas(page, "filter[playerNames]", "Ada,Grace_1,Grace_3");
    await page.getByRole("button", { name: "Remove Grace_3" }).click();
    await page.getByRole("button", { name: "Remove Ada" }).click();
    await urlHas(page, "filter[playerNames]", "Grace_1");
    await page.getByRole("table").getByRole("link", { name: "Grace_1" }).waitFor();
    expect(await page.getByRole("table").getByRole("link").allInnerTexts()).toEqual(["Grace_1"]);

    // IDs are found by name.
    await page.getByRole("combobox", { name: "filter[playerIds]" }).fill("grace_1");
    await page.getByRole("option", { name: "Grace_1 p-1", exact: true }).click();
    await urlHas(page, "filter[playerIds]", "p-1");
  });

  test("with a misspelt name and Enter offers the name that was meant", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches&page[limit]=1");
    const names = page.getByRole("combobox", { name: "filter[playerNames]" });
    await names.fill("Grace_l1");
    await names.press("Enter");
    await page.getByText("No matches found").waitFor();
    await page
      .locator(".explorer-instead")
      .getByRole("button", { name: "Grace_1", exact: true })
      .click();
    await showsMatches(page, ["match-2"]);
    expect(searchOf(page).get("filter[playerNames]")).toBe("Grace_1");
  });

  test("can be entered with the keyboard alone", async () => {
    const page = await openExplorer(world, "?shard=na&on=matches&page[limit]=1");
    await showsMatches(page, ["match-1"]);
    await mode(page, "ranked").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Space");
    await showsMatches(page, ["match-2"]);
    expect(await mode(page, "casual").isChecked()).toBe(true);
    await page.locator(".explorer-more summary").focus();
    await page.keyboard.press("Enter");
    await field(page, "page[limit]").fill("2");
    await page.keyboard.press("Enter");
    await showsMatches(page, ["match-2", "match-4"]);
    await page.getByRole("button", { name: "Next" }).press("Enter");
    await showsMatches(page, ["match-6", "match-8"]);
    await page.getByRole("button", { name: "Clear" }).press("Enter");
    await urlHas(page, "filter[gameMode]", null);
    await cards(page).first().waitFor();
  });

  test("without a key can be built and copied, and nothing is requested", async () => {
    const page = await visit(`${world.url}${EXPLORER}?shard=na&on=matches`);
    const asked: string[] = [];
    page.on("request", (one) => asked.push(one.url()));
    await mode(page, "ranked").check();
    await urlHas(page, "filter[gameMode]", "ranked");
    await showAs(page, "code");
    expect(await shownCode(page)).toContain("YOUR_API_KEY");
    expect(asked.filter((url) => url.includes("/shards/"))).toEqual([]);
    await showAs(page, "cards");
    await page.locator("main").getByRole("button", { name: TEXTS.enterKey }).click();
    await page.getByLabel(TEXTS.keyField, { exact: true }).fill(world.key);
    await page.getByRole("button", { name: TEXTS.useKey }).click();
    await cards(page).first().waitFor();
    page.removeAllListeners("request");
  });
});

/** Runs a program as it is, and returns its output. */
async function run(program: string): Promise<string> {
  using folder = aFolder();
  writeFileSync(join(folder.path, "program.mjs"), program);
  const command = [process.execPath, "program.mjs"];
  const { stdout, stderr } = await runProgram(command, { cwd: folder.path });
  expect(stderr).toBe("");
  return stdout;
}
