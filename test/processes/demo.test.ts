/** Tests `matchbook demo` as a process: its flags reach the generator, and it prints NDJSON. */

import { expect, test } from "bun:test";
import { demoDocuments } from "../../src/demo/demo.ts";
import { matchbook } from "../support/process.ts";

const DAY = 24 * 60 * 60 * 1000;

test("prints the documents for its flags, one per line", async () => {
  const until = Date.UTC(2026, 2, 1);
  const flags = ["--matches", "40", "--seed", "7", "--until", "2026-03-01T00:00:00Z"];
  const documents = Array.from(demoDocuments({ matches: 40, seed: 7, until }), (one) =>
    JSON.stringify(one),
  );
  expect(await matchbook(["demo", ...flags])).toEqual({
    exitCode: 0,
    stdout: `${documents.join("\n")}\n`,
    stderr: "",
  });
});

test("without --until, the matches are of the last thirty days", async () => {
  const { stdout } = await matchbook(["demo", "--matches", "40"]);
  const times = stdout
    .trimEnd()
    .split("\n")
    .map((line) => Date.parse(JSON.parse(line).data.attributes.createdAt));
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
  expect(Math.min(...times)).toBeGreaterThan(Date.now() - 31 * DAY);
});
