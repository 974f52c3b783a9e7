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

const COLUMNS: [head: string, of: (result: Result) => number][] = [
  ["Runs", () => 1],
  ["Hit", ({ hasHit }) => Number(hasHit)],
  ["Acknowledged", ({ acknowledged }) => acknowledged],
  ["Lost", ({ lost }) => lost],
  ["Wrong values", ({ wrong }) => wrong],
  ["Responses compared", ({ responses }) => responses],
  ["Named damage", ({ named }) => named],
  ["Failed runs", ({ problems }) => Number(problems.length > 0)],
];

/** The table of all runs by kind, in Markdown. */
function summary(results: readonly Result[]): string {
  const row = (name: string, some: readonly Result[]) => [
    name,
    ...COLUMNS.map(([, of]) =>
      some.reduce((total, result) => total + of(result), 0).toLocaleString("en"),
    ),
  ];
  const kinds = [...new Set(results.map(({ kind }) => kind))].sort();
  const rows = [
    ["Kind", ...COLUMNS.map(([head]) => head)],
    ["---", ...COLUMNS.map(() => "---:")],
    ...kinds.map((kind) =>
      row(
        kind,
        results.filter((one) => one.kind === kind),
      ),
    ),
    row("**all**", results),
  ];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
