/** In charge of the text of a page, to compare two visits by it. */

import type { Page } from "playwright-core";

/** Everything the page says, but for times: "3 minutes ago" is another text a minute later. */
export function textOf(page: Page): Promise<string> {
  return page.locator("main").evaluate((main) => {
    const copy = main.cloneNode(true) as HTMLElement;
    for (const time of copy.querySelectorAll("time")) time.remove();
    return copy.textContent ?? "";
  });
}
