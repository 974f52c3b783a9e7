/** Tests that docs/error-messages.md is up to date and that each message says what to do. */

import { beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ERRORS } from "../../src/domain/errors.ts";
import { messagesPage } from "./messages.ts";

const PAGE = join(import.meta.dir, "../../docs/error-messages.md");

let page: string;
beforeAll(async () => {
  page = await messagesPage();
}, 120_000);

test("the page is up to date (UPDATE_DOCS=1 rewrites it)", () => {
  const before = readFileSync(PAGE, "utf8");
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, page);
  // Also after rewriting the page: a run that changed it fails.
  expect(before).toBe(page);
});

test("every error code of the API is triggered", () => {
  const sections = page.split(/^### /m).slice(1);
  const provoked = sections
    .filter((section) => /^\| `/m.test(section))
    .map((section) => /^`([\w-]+)`/.exec(section)![1]!);
  expect(provoked).toEqual(Object.keys(ERRORS));
});

test("every case has a message", () => {
  expect(page.match(/^\| [^|]+ \|\s*\|$/gm)).toBeNull();
  expect(page.match(/^\$ .*\n+# exit/gm)).toBeNull();
});

test("no message shows a stack, an object by its type or a missing value", () => {
  expect(page.match(/\n {4}at |\[object|\bundefined\b|\bNaN\b|internal error:/g)).toBeNull();
});
