/**
 * `npm run trial -- failover`: breaks one part after the other of the setup of docs/scaling.md, while clients read and
 * matches are uploaded and ingested. No acknowledged match may be lost, no response may be wrong, and everything recovers
 * without intervention. Prints the table of docs/scaling.md.
 */

import { loadavg } from "node:os";
import { join } from "node:path";
import { measuredWith } from "../../../bench/machine.ts";
import { demoDocuments } from "../../../src/demo/demo.ts";
import { matchbook } from "../../support/process.ts";
import { until } from "../../support/state.ts";
import { Ledger } from "../ledger.ts";
import { type Given, Misuse, type Trial } from "../trial.ts";
import { IngestCommand } from "./command.ts";
import { FAULTS, type Fault } from "./faults.ts";
import { type Measured, table, watch } from "./measure.ts";
import { checkPrograms, lastWords, versions } from "./programs.ts";
import { Readers } from "./readers.ts";
import { Sender } from "./sender.ts";
import { Stack } from "./stack.ts";

export const FAILOVER: Trial = {
  what: "PostgreSQL nodes, poolers, instances and Redis fail behind HAProxy (on Debian, with many programs)",
  help: `Breaks one part after the other of a setup of two PostgreSQL nodes (Patroni, etcd), two poolers, two Matchbook
instances, Redis and HAProxy, while clients read and matches are stored.`,
  usually: "10, all parts once",
  options: {
    "without-replica": { takes: "nothing", help: "the instances read from the primary only" },
  },
  parts: Object.fromEntries(Object.entries(FAULTS).map(([name, { title }]) => [name, title])),
  run: failover,
};

/** Time before each fault, so that there is data to lose. */
const CALM_SECONDS = 5;
/** How long reads and writes may take to work again, and a caller may wait for a response. */
const LONGEST_SECONDS = { outage: 120, response: 25 };

let stack: Stack;
let began = 0;
let problems: string[] = [];
const say = (text: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
const expect = (isSo: boolean, otherwise: string) => {
  if (isSo) return;
  problems.push(otherwise);
  say(`NOT AS IT SHOULD BE: ${otherwise}`);
};

async function failover(given: Given): Promise<boolean> {
  try {
    checkPrograms();
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
  [stack, began, problems] = [new Stack(), performance.now(), []];
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => void stack.remove().finally(() => process.exit(1)));
  }
  const rows: Measured[] = [];
  let stored = 0;
  try {
    stored = await failEach(given, rows);
  } catch (error) {
    problems.push(String(error));
    console.error(error);
    console.error(lastWords(stack.folder));
  } finally {
    await stack.remove();
  }
  const only = given.only ? ` --only ${given.only}` : "";
  const reads = rows.reduce((sum, row) => sum + row.reads, 0);
  const without = given.has("without-replica") ? " --without-replica" : "";
  const command = `npm run trial -- failover${only}${without}`;
  const load = `average load ${loadavg()[2]!.toFixed(1)}`;
  const origin = measuredWith(command, load, versions());
  console.log(`\n${table(rows)}\n\n${reads} reads; ${stored} records. ${origin}\n`);
  for (const problem of problems) console.log(`failed: ${problem}`);
  return problems.length === 0;
}

/** Returns how many records were stored. */
async function failEach(given: Given, rows: Measured[]): Promise<number> {
  await stack.start({ readsReplica: !given.has("without-replica") });
  say(`two nodes in step, primary ${await stack.cluster.primary()}; two instances behind HAProxy`);
  const { one, two, url } = stack;
  const key = await output(["keys", "create", "--name", "ha", "--config", two.config]);
  const seed = given.seed * 10_000;
  const ledger = new Ledger();
  const sender = new Sender([one.adminUrl, two.adminUrl], demoLines(seed), ledger);
  const command = new IngestCommand(["--config", two.config], demoLines(seed + 5000), ledger);
  const readers = new Readers({ url, key }, ledger);
  await until("the key is known", async () => {
    const response = await fetch(`${url}/usage`, { headers: { Authorization: `Bearer ${key}` } });
    return response.ok;
  });
  sender.start();
  command.start();
  await until("matches are served", () => ledger.served.length > 0);
  readers.start();

  const names = given.only ?? Object.keys(FAULTS);
  for (let at = 0; given.goesOn(began, at < names.length); at++) {
    rows.push(await suffer(FAULTS[names[at % names.length]!]!, sender, readers, ledger));
  }

  await sender.finish();
  const { exitCode, records } = await command.finish();
  for (const line of command.output.trimEnd().split("\n")) say(`matchbook ingest: ${line}`);
  say(`matchbook ingest ended with ${exitCode}, and reports ${records} of ${command.sent}`);
  expect(exitCode === 0, `matchbook ingest ended with ${exitCode}`);
  expect(records === command.sent, "matchbook ingest did not report every record");
  await readers.stop();
  const { wrong, lost, lines } = ledger;
  expect(wrong.length === 0, `wrong responses: ${wrong.slice(0, 5).join("; ")}`);
  expect(lost.length === 0, `lost: ${lost.slice(0, 5).join(", ")}`);
  await compare(lines);
  for (const instance of [one, two]) {
    expect((await instance.stop()) === 0, "an instance did not end well");
  }
  return lines.length;
}

/** Breaks a part, repairs it later, and waits until everything works as before. */
async function suffer(
  fault: Fault,
  sender: Sender,
  readers: Readers,
  ledger: Ledger,
): Promise<Measured> {
  sender.startOver();
  await Bun.sleep(CALM_SECONDS * 1000);
  const before = ledger.served.slice(-300).map(({ id }) => id);
  const measured = watch(readers, sender, ledger);
  say(`${fault.title}; ${ledger.served.length} matches were acknowledged as served`);
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
