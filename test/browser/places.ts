/** In charge of seeing that pages do not jump: where pieces stand before the replies come, and after. */

import type { Page } from "playwright-core";

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
