/** Reads the tables of docs/errors.md for tests. */

import { readFileSync } from "node:fs";
import { join } from "node:path";

const ERRORS_PAGE = readFileSync(join(import.meta.dir, "../../docs/errors.md"), "utf8");

/** The rows of the one table with this header, cells trimmed. */
export function rowsOf(head: string): string[][] {
  const lines = ERRORS_PAGE.split("\n");
  const start = lines.indexOf(head);
  if (start < 0) throw new Error(`docs/errors.md has no table headed ${head}`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return rows.slice(0, end).map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What the HTTP server refuses by itself: each status, or "no response", with when. */
export const refusals = (): { status: string; when: string }[] =>
  rowsOf("| Status | When |").map(([status, when]) => ({ status: status!, when: when! }));

/** The statuses of those refusals. */
export const refusalStatuses = (): ReadonlySet<number> =>
  new Set(
    refusals()
      .map(({ status }) => Number(status))
      .filter((status) => !Number.isNaN(status)),
  );
