/**
 * Runs `npm run test:ha`: breaks one part after the other of the setup of docs/scaling.md, while clients read and
 * matches are uploaded and ingested. No acknowledged match may be lost, no response may be wrong, and everything
 * recovers without intervention. Prints the table of docs/scaling.md.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { demoDocuments } from "../../src/demo/demo.ts";
import { matchbook } from "../support/process.ts";
import { until } from "../support/state.ts";
import { IngestCommand } from "./command.ts";
import { FAULTS, type Fault } from "./faults.ts";
import { type Measured, table, watch } from "./measure.ts";
import { checkPrograms, versions } from "./programs.ts";
import { described, publish } from "./publish.ts";
import { Readers } from "./readers.ts";
import { Sender } from "./sender.ts";
import { Stack } from "./stack.ts";

const HELP = `Usage: npm run test:ha -- [--only NAME[,NAME]] [--without-replica] [--seed NUMBER] [--write]

Breaks one part after the other of a setup of two PostgreSQL nodes (Patroni, etcd), two poolers, two Matchbook
instances, Redis and HAProxy, while clients read and matches are stored. About 10 minutes for all faults:

${Object.entries(FAULTS)
  .map(([name, { title }]) => `  ${name.padEnd(18)} ${title}`)
  .join("\n")}

  --only NAME         only this fault, or several, separated by commas
  --without-replica   the instances read from the primary only
  --seed NUMBER       of the records that are stored; another one each time by default
  --write             writes the table with a replica into docs/scaling.md, if everything is as it should be

Exits with 1 if an acknowledged record is lost, a response is wrong, or something does not recover.
`;

const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    "without-replica": { type: "boolean", default: false },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  console.log(HELP);
  process.exit(0);
}
const names = flags.only?.split(",") ?? Object.keys(FAULTS);
const unknown = names.filter((name) => !Object.hasOwn(FAULTS, name));
if (unknown.length > 0) {
  console.error(
    `There is no fault ${unknown.join(", ")}. Faults: ${Object.keys(FAULTS).join(", ")}.`,
  );
  process.exit(2);
}

/** Time before each fault, so that there is data to lose. */
const CALM_SECONDS = 5;
/** How long reads and writes may take to work again, and a caller may wait for a response. */
const LONGEST_SECONDS = { outage: 120, response: 25 };

const began = performance.now();
const say = (text: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
const problems: string[] = [];
const expect = (isSo: boolean, otherwise: string) => {
  if (isSo) return;
  problems.push(otherwise);
  say(`NOT AS IT SHOULD BE: ${otherwise}`);
};

try {
  checkPrograms();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
console.log(`seed ${flags.seed}; ${versions()}`);
const stack = new Stack();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void stack.remove().finally(() => process.exit(1)));
}
const rows: Measured[] = [];
let stored = 0;
try {
  await run();
} catch (error) {
  problems.push(String(error));
  console.error(error);
  console.error(stack.lastWords());
} finally {
  await stack.remove();
}
const replica = flags["without-replica"] ? " --without-replica" : "";
const only = flags.only === undefined ? "" : ` --only ${flags.only}`;
const reads = rows.reduce((sum, row) => sum + row.reads, 0);
const report = described(table(rows), {
  command: `npm run test:ha --${only}${replica}`.replace(/ --$/, ""),
  versions: versions(),
  totals: `${reads} reads; ${stored} records.`,
});
console.log(`\n${report}\n`);
for (const problem of problems) console.log(`failed: ${problem}`);
if (problems.length > 0) {
  console.log(`To repeat: npm run test:ha --${only}${replica} --seed ${flags.seed}`);
} else if (flags.write && !flags["without-replica"]) {
  publish(report);
}
console.log(problems.length === 0 ? "passed" : `failed: ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

async function run(): Promise<void> {
  await stack.start({ readsReplica: !flags["without-replica"] });
  say(`two nodes in step, primary ${await stack.cluster.primary()}; two instances behind HAProxy`);
  const { one, two, url } = stack;
  const key = await output(["keys", "create", "--name", "ha", "--config", two.config]);
  const seed = Number(flags.seed) * 10_000;
  const sender = new Sender([one.adminUrl, two.adminUrl], demoLines(seed));
  const flagsOfCommand = ["--config", two.config];
  const command = new IngestCommand(flagsOfCommand, demoLines(seed + 5000), sender.lines);
  const readers = new Readers(url, key, sender);
  await until("the key is known", async () => {
    const response = await fetch(`${url}/usage`, { headers: { Authorization: `Bearer ${key}` } });
    return response.ok;
  });
  sender.start();
  command.start();
  await until("matches are served", () => sender.acknowledged.length > 0);
  readers.start();

  for (const name of names) rows.push(await suffer(FAULTS[name]!, sender, readers));

  await sender.finish();
  const { exitCode, records } = await command.finish();
  for (const line of command.output.trimEnd().split("\n")) say(`matchbook ingest: ${line}`);
  say(`matchbook ingest ended with ${exitCode}, and reports ${records} of ${command.sent.length}`);
  expect(exitCode === 0, `matchbook ingest ended with ${exitCode}`);
  expect(records === command.sent.length, "matchbook ingest did not report every record");
  await readers.stop();
  expect(readers.wrong.length === 0, `wrong responses: ${readers.wrong.slice(0, 5).join("; ")}`);
  expect(readers.lost.size === 0, `lost: ${[...readers.lost].slice(0, 5).join(", ")}`);
  stored = sender.lines.size;
  await compare([...sender.lines.values()]);
  for (const instance of [one, two]) {
    expect((await instance.stop()) === 0, "an instance did not end well");
  }
}

/** Breaks a part, repairs it later, and waits until everything works as before. */
async function suffer(fault: Fault, sender: Sender, readers: Readers): Promise<Measured> {
  sender.startOver();
  await Bun.sleep(CALM_SECONDS * 1000);
  const before = sender.acknowledged.slice(-300).map(({ id }) => id);
  const measured = watch(readers, sender);
  say(`${fault.title}; ${sender.acknowledged.length} matches were acknowledged as served`);
  const repair = await fault.begin(stack);
  const at = performance.now();
  const since = () => `after ${((performance.now() - at) / 1000).toFixed(1)} s`;
  await Bun.sleep(fault.seconds * 1000);
  await repair();
  const hasResumed = () => sender.successes.some((attempt) => attempt.at > at);
  await until("uploads are acknowledged again", hasResumed, LONGEST_SECONDS.outage);
  await stack.whole();
  const isSteady = () => readers.results.slice(-50).every(({ status }) => status === 200);
  await until("reads work again", isSteady, LONGEST_SECONDS.outage);
  say(`${since()}: everything is as before`);
  await readers.check(before);
  const row = measured(fault.title, at);
  for (const failure of new Set(sender.failures.slice(-row.uploadsRepeated || Infinity))) {
    say(`  the sender got ${failure}`);
  }
  expect(row.slowestSeconds < LONGEST_SECONDS.response, `a read took ${row.slowestSeconds} s`);
  console.log(table([row]).split("\n").at(-1));
  return row;
}

/** A store that ingested the same records without any fault must serve the same. */
async function compare(sent: readonly string[]): Promise<void> {
  const whole = join(stack.folder, "whole");
  await matchbook(["ingest", "-", "--data", whole], { stdin: `${sent.join("\n")}\n` });
  const digest = (flags: string[]) => output(["shards", "digest", "na", "--json", ...flags]);
  const here = await digest(["--config", stack.two.config]);
  const there = await digest(["--data", whole]);
  say(`${sent.length} records; digest here and in a store without faults:`);
  say(here);
  say(there);
  expect(here === there, "the digests differ");
}

/** The standard output of a command that must succeed. */
async function output(args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await matchbook(args);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** An endless stream of demo matches of one shard; another seed gives other matches. */
function* demoLines(firstSeed: number): Generator<string> {
  const until = Date.now();
  for (let seed = firstSeed; ; seed++) {
    for (const document of demoDocuments({ matches: 20_000, seed, until, shards: ["na"] })) {
      yield JSON.stringify(document);
    }
  }
}
