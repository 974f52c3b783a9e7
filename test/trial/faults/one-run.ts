/** One fault run: its result depends on the kind, the seed and, as far as processes go, on time. */

import { check } from "./check.ts";
import type { FaultKind } from "./kind.ts";
import { Scene } from "./scene.ts";

export type Result = Awaited<ReturnType<typeof runOnce>>;

/** Errors that clients get must have a reason in the log. */
const EXPLAINED: Record<string, string[]> = {
  "shard-unavailable": ["shard-unavailable", "damaged-data", "failure"],
  "damaged-data": ["damaged-data", "shard-unavailable"],
  "keys-unavailable": ["keys-load-failed"],
};

/** `matches` is the number of records; by default the seed chooses it. */
export async function runOnce(kind: FaultKind, seed: number, matches?: number) {
  const scene = new Scene(seed, matches);
  const { ledger, readers } = scene;
  try {
    await kind.run(scene);
    await readers.stop();
    await check(scene);
    await scene.stopServer();
    explainErrors(scene);
  } catch (error) {
    scene.problems.push(`the run failed: ${(error as Error).stack}`);
  } finally {
    await scene.end();
  }
  return {
    hasHit: scene.hasHit,
    openAtHit: scene.openAtHit,
    /** What the run chose. */
    choices: scene.choices,
    acknowledged: ledger.acknowledged.length,
    lost: new Set(ledger.lost).size,
    wrong: new Set(ledger.wrong).size,
    responses: ledger.compared,
    /** Damage that was named. */
    named: scene.named.length,
    /** Everything that is not as it should be. Empty: the run passed. */
    problems: [
      ...ledger.lost.map((text) => `lost: ${text}`),
      ...ledger.wrong.map((text) => `wrong: ${text}`),
      ...readers.forbidden.map((text) => `response: ${text}`),
      ...scene.problems,
    ],
  };
}

function explainErrors({ readers, events, problems }: Scene): void {
  for (const code of readers.errors.keys()) {
    const isLogged = EXPLAINED[code]?.some((event) => events.has(event)) ?? true;
    if (!isLogged) problems.push(`clients got ${code}, and the log does not say why`);
  }
}
