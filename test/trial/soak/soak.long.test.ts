/** Soaks in which workers are replaced, with the shard in a file and in PostgreSQL. */

import { expect, setDefaultTimeout, test } from "bun:test";
import { aPostgres } from "../../support/postgres.ts";
import { expectNothingWrong, SMALL } from "./small.ts";

// Replacing two workers takes half a minute, and more on a busy machine.
setDefaultTimeout(900_000);

const RESTARTED = { ...SMALL, matches: 600, rounds: 2, hasRestart: true };

test("every response equals the model while records and players change and workers are replaced", async () => {
  const { changes, processes } = await expectNothingWrong(RESTARTED);
  expect(changes.get("restart")).toBe(1);
  // The connections may all have been with one worker, before it was replaced and afterwards.
  expect(processes).toBeGreaterThanOrEqual(2);
});

test("the same with the shard in PostgreSQL", async () => {
  const { url, stop } = await aPostgres();
  await expectNothingWrong({
    ...{ ...SMALL, matches: 600, rounds: 1 },
    postgres: `${url}?schema=soak_${process.pid}`,
  }).finally(stop);
});
