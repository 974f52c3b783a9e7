/** In charge of the explorer as its tests use it: what it is about, how it is opened, what it shows. */

import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { aMatch, duel, minutesAgo } from "../support/records.ts";
import type { World } from "../support/world.ts";
import { leave, settled, type VisitOptions, type Visitor, visit } from "./support.ts";

export const MARKUP = '<img src=x onerror="alert(1)"><b>bold</b>';

/** Twelve matches, one a minute: odd ones ranked, the others casual. The newest is match-12. */
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
  visit(`${world.url}/portal/explorer${query}`, { key: world.key, ...more });

export async function send(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send" }).click();
  await settled(page);
}

/** The query as URL, curl line or program. */
export const shown = (page: Page): Promise<string> =>
  page.getByLabel("The query", { exact: true }).innerText();

export const showAs = (page: Page, form: "URL" | "curl" | "TypeScript"): Promise<void> =>
  page.getByRole("radio", { name: form, exact: true }).check();

export const cards = (page: Page) => page.getByRole("article");

export const cardIds = (page: Page): Promise<string[]> =>
  page.locator("article header code").allInnerTexts();

export const searchOf = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

export const mode = (page: Page, name: string) => page.getByRole("checkbox", { name, exact: true });

/** Nothing was complained of. */
export async function leaveQuietly(visitor: Visitor): Promise<void> {
  expect(visitor.complaints).toEqual([]);
  await leave(visitor);
}
