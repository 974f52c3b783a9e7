/** Opens and reads the explorer page in tests. */

import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { Target } from "../../src/portal/views/explorer/query.ts";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import type { World } from "../support/world.ts";
import { leave, settled, type VisitOptions, type Visitor, visit } from "./support.ts";

export const MARKUP = '<img src=x onerror="alert(1)"><b>bold</b>';

/** Twelve matches, one per minute: odd ones ranked, the others casual. The newest is match-12. */
export const MATCHES = Array.from({ length: 12 }, (_, at) =>
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

export const openExplorer = (world: World, query = "", more: VisitOptions = {}): Promise<Visitor> =>
  visit(`${world.url}/portal/developers/explorer${query}`, { key: world.key, ...more });

export const sendButton = (page: Page) => page.locator(".explorer-form button[type=submit]");

export async function send(page: Page): Promise<void> {
  await sendButton(page).click();
  await settled(page);
}

/** The query as a URL, curl command or TypeScript. */
export const shown = (page: Page): Promise<string> => page.locator(".explorer-code").innerText();

export const showAs = (page: Page, form: "url" | "curl" | "code"): Promise<void> =>
  page.locator(`.explorer-snippet input[value=${form}]`).check();

export const showResponseAs = (page: Page, form: "cards" | "json"): Promise<void> =>
  page.locator(`.explorer-response input[value=${form}]`).check();

export const searchFor = (page: Page, target: Target): Promise<void> =>
  page.locator(`.explorer-where input[value=${target}]`).check();

/** The field of a query parameter. */
export const field = (page: Page, parameter: string) => page.getByLabel(parameter);

export const cards = (page: Page) => page.getByRole("article");

export const cardIds = (page: Page): Promise<string[]> =>
  page.locator("article header code").allInnerTexts();

export const searchOf = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

export const mode = (page: Page, name: string) => page.locator(`label[title=${name}] input`);

/** Checks that the browser reported no errors. */
export async function leaveQuietly(visitor: Visitor): Promise<void> {
  expect(visitor.complaints).toEqual([]);
  await leave(visitor);
}
