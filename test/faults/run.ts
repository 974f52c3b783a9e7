/** `npm run faults`: runs with one fault each, and a table of what came out. */

import { parseArgs } from "node:util";
import { Random } from "../../src/demo/random.ts";
import type { FaultKind } from "./kind.ts";
import { removeDatabases } from "./kinds/databases.ts";
import { KINDS } from "./kinds.ts";
import { type Result, runOnce } from "./one-run.ts";
import { summary } from "./summary.ts";

const HELP = `npm run faults -- [--runs N] [--seed N] [--kind NAME]… [--list]

Starts servers and commands, injects a fault while records are sent and read, recovers as the documentation says, and
compares everything that was acknowledged with what is served. Exits with 1 if something was lost or wrong.

  --runs N      number of runs (default: one of each kind); run I has the seed N + I
  --seed N      the first seed (default: another one each time)
  --kind NAME   only faults of this kind; can be repeated
  --list        prints the kinds`;

const { values } = parseArgs({
  options: {
    runs: { type: "string" },
    seed: { type: "string" },
    kind: { type: "string", multiple: true },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});

if (values.help) {
  console.log(HELP);
  process.exit();
}
if (values.list) {
  for (const { name, what } of KINDS) console.log(`${name.padEnd(20)}${what}`);
  process.exit();
}

const chosen = (values.kind ?? KINDS.map(({ name }) => name))
  .map((name) => {
    const kind = KINDS.find((one) => one.name === name);
    if (!kind) exitWith(`there is no kind ${name}; --list prints them`);
    return kind as FaultKind;
  })
  .filter(hasPrograms);
if (chosen.length === 0) exitWith("no kind is left");
const runs = Number(values.runs ?? chosen.length);
const first = Number(values.seed ?? Math.floor(Math.random() * 1e6));
if (!(runs >= 1 && Number.isSafeInteger(first))) exitWith("--runs and --seed are whole numbers");

const results: Result[] = [];
console.log(`${runs} runs, --seed ${first}`);
for (let seed = first; seed < first + runs; seed++) {
  const kind = kindOf(seed);
  const began = performance.now();
  const result = await runOnce(kind, seed);
  results.push(result);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const state = result.problems.length > 0 ? "FAILED" : result.hasHit ? "passed" : "no hit";
  console.log(
    `${seed} ${kind.name.padEnd(20)} ${state}  ${result.acknowledged} acknowledged, ${result.responses} responses, ${seconds} s ${result.choices.join(", ").slice(0, 200)}`,
  );
  for (const problem of [...new Set(result.problems)].slice(0, 10)) {
    console.log(`    ${problem.slice(0, 2000)}`);
  }
  if (result.problems.length > 0) {
    console.log(`    repeat: npm run faults -- --runs 1 --seed ${seed} --kind ${kind.name}`);
  }
}
await removeDatabases();
console.log(`\n${summary(results)}`);
process.exit(results.every(({ problems }) => problems.length === 0) ? 0 : 1);

/** In turn, so that every kind comes up equally often; each round in another order. */
function kindOf(seed: number): FaultKind {
  const round = Math.floor((seed - first) / chosen.length);
  const random = new Random(first, round);
  const order = chosen
    .map((kind) => ({ kind, at: random.unit() }))
    .sort((one, other) => one.at - other.at);
  return order[(seed - first) % chosen.length]!.kind;
}

function hasPrograms({ name, needs = {} }: FaultKind): boolean {
  const missing = Object.entries(needs).filter(([program]) => Bun.which(program) === null);
  if (missing.length === 0) return true;
  const packages = missing.map(([, one]) => one).join(" ");
  console.log(`${name} is left out: apt-get install ${packages}`);
  return false;
}

function exitWith(message: string): never {
  console.error(`faults: ${message}`);
  process.exit(2);
}
