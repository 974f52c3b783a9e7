/** `matchbook demo` as a process: NDJSON that is the same for the same flags. */

import { expect, test } from "bun:test";
import { matchbook } from "../support/process.ts";

const DAY = 24 * 60 * 60 * 1000;
const UNTIL = "2026-03-01T00:00:00Z";

async function demo(...flags: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await matchbook(["demo", "--matches", "40", ...flags]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  return stdout;
}

const timesIn = (text: string): number[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => Date.parse(JSON.parse(line).data.attributes.createdAt));

test("the same flags print the same bytes, another seed prints others", async () => {
  const first = await demo("--seed", "7", "--until", UNTIL);
  expect(first.split("\n")).toHaveLength(41);
  expect(await demo("--seed", "7", "--until", UNTIL)).toBe(first);
  expect(await demo("--seed", "8", "--until", UNTIL)).not.toBe(first);
  const times = timesIn(first);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse(UNTIL));
  expect(Math.min(...times)).toBeGreaterThan(Date.parse(UNTIL) - 31 * DAY);
});

test("without --until, the matches lie in the last thirty days", async () => {
  const times = timesIn(await demo());
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
  expect(Math.min(...times)).toBeGreaterThan(Date.now() - 31 * DAY);
});
