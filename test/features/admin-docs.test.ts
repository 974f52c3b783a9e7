/** In charge of docs/admin.md saying what the private listener does: all of it, and nothing that is gone. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_ERRORS } from "../../src/admin/errors.ts";
import { ADMIN_ROUTES } from "../../src/admin/routes.ts";
import { isSettingName } from "../../src/settings/definitions.ts";

const page = readFileSync(join(import.meta.dir, "../../docs/admin.md"), "utf8");

/** The rows of the one table with this header, without backticks. */
function table(...head: string[]): string[][] {
  const lines = page.split("\n");
  const start = lines.indexOf(`| ${head.join(" | ")} |`);
  expect(start).toBeGreaterThan(0);
  const rows = lines.slice(start + 2);
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) =>
      line
        .slice(2, -2)
        .split(" | ")
        .map((cell) => cell.replaceAll("`", "")),
    );
}

test("every address is documented, and no other", () => {
  expect(table("Request", "Does").map(([request]) => request)).toEqual(
    ADMIN_ROUTES.map(({ method, path }) => `${method} ${path}`),
  );
});

test("every error code is documented with its status, and no other", () => {
  const rows = table("Code", "Status", "When").map(([code, status]) => [code, Number(status)]);
  expect(rows).toEqual(Object.entries(ADMIN_ERRORS));
});

test("the settings that it names exist", () => {
  const names = table("Setting", "Meaning").map(([name]) => name!);
  expect(names.filter((name) => !isSettingName(name))).toEqual([]);
});
