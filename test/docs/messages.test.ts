/** docs/error-messages.md holds every message as it is said now, and each reads as advice. */

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

test("the page is what Matchbook says now (UPDATE_DOCS=1 writes it anew)", () => {
  const before = readFileSync(PAGE, "utf8");
  if (process.env.UPDATE_DOCS) writeFileSync(PAGE, page);
  // Also of a run that writes it: one that has changed the page has not passed.
  expect(before).toBe(page);
});

test("every code of the interface is provoked", () => {
  const sections = page.split(/^### /m).slice(1);
  const provoked = sections
    .filter((section) => /^\| `/m.test(section))
    .map((section) => /^`([\w-]+)`/.exec(section)![1]!);
  expect(provoked).toEqual(Object.keys(ERRORS));
});

test("nothing is left without a message", () => {
  expect(page.match(/^\| [^|]+ \|\s*\|$/gm)).toBeNull();
  expect(page.match(/^\$ .*\n+# exit/gm)).toBeNull();
});

test("no message shows a stack, an object by its type or a missing value", () => {
  expect(page.match(/\n {4}at |\[object|\bundefined\b|\bNaN\b|internal error:/g)).toBeNull();
});
