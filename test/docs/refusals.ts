/** Reads the tables of docs/errors.md for tests. */

import { page, table } from "./markdown.ts";

export const rowsOf = (...head: string[]): string[][] => table(page("docs/errors.md"), ...head);

/** What the HTTP server refuses by itself: each status, or "no response", with when. */
export const refusals = (): { status: string; when: string }[] =>
  rowsOf("Status", "When").map(([status, when]) => ({ status: status!, when: when! }));

/** The statuses of those refusals. */
export const refusalStatuses = (): ReadonlySet<number> =>
  new Set(
    refusals()
      .map(({ status }) => Number(status))
      .filter((status) => !Number.isNaN(status)),
  );
