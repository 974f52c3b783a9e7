/** A fault run of every kind, with a new seed each time: FAULTS_SEED repeats one. */

import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { removeDatabases } from "./kinds/databases.ts";
import { KINDS } from "./kinds.ts";
import { runOnce } from "./one-run.ts";

// Several processes may share a slow machine.
setDefaultTimeout(600_000);

const SEED = Number(process.env.FAULTS_SEED ?? Math.floor(Math.random() * 1e6));
afterAll(removeDatabases);

for (const kind of KINDS) {
  const programs = Object.keys(kind.needs ?? {});
  const isMissing = programs.some((program) => Bun.which(program) === null);
  const needs = isMissing ? ` (needs ${programs.join(", ")})` : "";
  test.skipIf(isMissing)(`a fault run of the kind ${kind.name}, seed ${SEED}${needs}`, async () => {
    const { problems, lost, wrong, hasHit } = await runOnce(kind, SEED);
    expect({ problems, lost, wrong }).toEqual({ problems: [], lost: 0, wrong: 0 });
    if (!kind.mayMiss) expect(hasHit).toBe(true);
  });
}
