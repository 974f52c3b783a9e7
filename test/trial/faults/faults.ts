/** `npm run trial -- faults`. */

import { Chance } from "../../support/chance.ts";
import { Misuse, type Trial } from "../trial.ts";
import type { FaultKind } from "./kind.ts";
import { removeDatabases } from "./kinds/databases.ts";
import { KINDS } from "./kinds.ts";
import { type Result, runOnce } from "./one-run.ts";

export const FAULTS: Trial = {
  what: "one fault per run (kills, disks, files, clocks, clients, databases) while records are sent and read",
  help: `Starts servers and commands, injects a fault while records are sent and read, recovers as the documentation says, and
compares everything that was acknowledged with what is served. Nothing may be lost or wrong. Run I has the seed N + I.`,
  usually: "one run of each kind",
  options: { runs: { takes: "number", help: "number of runs, instead of a time" } },
  parts: Object.fromEntries(KINDS.map(({ name, what }) => [name, what])),
  async run(given) {
    const { only, seed: first } = given;
    const chosen = KINDS.filter(({ name }) => only?.includes(name) ?? true).filter(hasPrograms);
    if (chosen.length === 0) throw new Misuse("no kind is left");
    const runs = given.number("runs") ?? chosen.length;
    const began = performance.now();
    const results: Result[] = [];
    for (let at = 0; given.goesOn(began, at < runs); at++) {
      const kind = kindOf(chosen, first, at);
      const result = await runOnce(kind, first + at);
      results.push(result);
      const state = result.problems.length > 0 ? "FAILED" : result.hasHit ? "passed" : "no hit";
      console.log(
        `${first + at} ${kind.name.padEnd(20)} ${state}  ${result.acknowledged} acknowledged, ${result.responses} responses  ${result.choices.join(", ").slice(0, 200)}`,
      );
      for (const problem of [...new Set(result.problems)].slice(0, 10)) {
        console.log(`    ${problem.slice(0, 2000)}`);
      }
      if (state === "FAILED") {
        const again = `--runs 1 --seed ${first + at} --only ${kind.name}`;
        console.log(`    repeat: npm run trial -- faults ${again}`);
      }
    }
    await removeDatabases();
    console.log(`\n${summary(results)}`);
    return results.every(({ problems }) => problems.length === 0);
  },
};

/** In turn, so that every kind comes up equally often; each round in another order. */
function kindOf(kinds: readonly FaultKind[], first: number, at: number): FaultKind {
  const chance = new Chance(first, Math.floor(at / kinds.length));
  const order = kinds
    .map((kind) => ({ kind, at: chance.unit() }))
    .sort((one, other) => one.at - other.at);
  return order[at % kinds.length]!.kind;
}

function hasPrograms({ name, needs = {} }: FaultKind): boolean {
  const missing = Object.entries(needs).filter(([program]) => Bun.which(program) === null);
  if (missing.length === 0) return true;
  const packages = missing.map(([, one]) => one).join(" ");
  console.log(`${name} is left out: apt-get install ${packages}`);
  return false;
}

/** What docs/reliability.md publishes. */
function summary(results: readonly Result[]): string {
  const sum = (of: (result: Result) => number) =>
    results.reduce((total, result) => total + of(result), 0).toLocaleString("en");
  return [
    `${sum(({ hasHit }) => Number(hasHit))} of ${sum(() => 1)} faults hit`,
    `${sum(({ acknowledged }) => acknowledged)} acknowledged, ${sum(({ lost }) => lost)} lost`,
    `${sum(({ responses }) => responses)} responses, ${sum(({ wrong }) => wrong)} wrong`,
    `${sum(({ named }) => named)} times damage was named`,
    `${sum(({ problems }) => Number(problems.length > 0))} runs failed`,
  ].join("; ");
}
