/** Opens and reads the explorer page in tests. */

import type { Page } from "playwright-core";
import type { Presentation } from "../../src/portal/views/explorer/query.ts";
import type { Target } from "../../src/portal/views/explorer/targets.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import type { World } from "../support/world.ts";
import { type VisitOptions, visit } from "./support.ts";

export const MARKUP = '<img src=x onerror="alert(1)"><b>bold</b>';

/** Twelve matches, one per minute: odd ones ranked, the others casual. The newest is match-12. */
const NA = Array.from({ length: 12 }, (_, at) =>
  aMatch({
    id: `match-${at + 1}`,
    mode: at % 2 === 0 ? "ranked" : "casual",
    createdAt: minutesAgo(60 - at),
    rosters: duel(
      { id: "ada", name: "Ada" },
      at === 11 ? { id: "markup", name: MARKUP } : { id: `p-${at}`, name: `Grace_${at}` },
    ),
  }),
);

/** Another region has one, which is older. */
export const MATCHES = [...NA, aMatch({ id: "match-eu", shard: "eu", createdAt: minutesAgo(90) })];

export const EXPLORER = "/portal/developers/explorer";

export const openExplorer = (world: World, query = "", more: VisitOptions = {}): Promise<Page> =>
  visit(`${world.url}${EXPLORER}${query}`, { key: world.key, ...more });

/** Opens the less common fields, which are rendered only then. */
export async function openMore(page: Page): Promise<void> {
  const more = page.locator(".explorer-more details:not([open]) > summary");
  if ((await more.count()) > 0) await more.click();
  await page.locator(".explorer-more details[open] :is(input, select)").first().waitFor();
}

export const showAs = (page: Page, form: Presentation): Promise<void> =>
  page.locator(`.explorer-response input[value=${form}]`).press("Space");

/** The query as code. */
export const shownCode = (page: Page): Promise<string> =>
  page.locator(".sample .code-block").innerText();

export const searchFor = async (page: Page, target: Target): Promise<void> => {
  await page.getByLabel("Search for", { exact: true }).selectOption(target);
};

/** The field of a query parameter. */
export const field = (page: Page, parameter: string) => page.getByLabel(parameter);

export const cards = (page: Page) => page.getByRole("article");

export const cardIds = (page: Page): Promise<string[]> =>
  page.locator("article header code").allInnerTexts();

/** Waits until exactly these matches are shown. The result follows the form after a pause. */
export const showsMatches = (page: Page, ids: readonly string[]): Promise<unknown> =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll("article header code")]
        .map(({ textContent }) => textContent)
        .join() === wanted,
    ids.join(),
  );

export const searchOf = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

/** The URL is updated after a pause in typing. */
export const urlHas = (page: Page, name: string, value: string | null) =>
  page.waitForFunction(
    ([key, wanted]) => new URLSearchParams(location.search).get(key!) === wanted,
    [name, value],
  );

export const mode = (page: Page, name: string) => page.locator(`label[title=${name}] input`);
