/**
 * Runs `npm run test:ha`: kills the primary of a PostgreSQL cluster twice while clients read and matches
 * are ingested. No acknowledged match may be lost, no response may be wrong, and everything recovers
 * without intervention. Prints what happened, with times, for docs/scaling.md.
 */

import { join } from "node:path";
import { demoDocuments } from "../../src/demo/demo.ts";
import { TOKEN } from "../support/admin.ts";
import { shardsFile } from "../support/places.ts";
import { matchbook, startServerProcess } from "../support/process.ts";
import { aFolder } from "../support/world.ts";
import { FailoverCluster } from "./cluster.ts";
import { IngestCommand } from "./command.ts";
import { checkPrograms, until } from "./programs.ts";
import { Readers } from "./readers.ts";
import { Sender } from "./sender.ts";
import { LEASE_SECONDS } from "./settings.ts";

/** Time before each fault, so that there is data to lose. */
const CALM_SECONDS = 8;
/** From the fault to the last failed response: the lease, and the recovery after it. */
const LONGEST_OUTAGE_SECONDS = LEASE_SECONDS + 20;
/** Callers learn without delay that a shard is unavailable. */
const LONGEST_RESPONSE_MS = 10_000;

const began = performance.now();
const say = (text: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
const problems: string[] = [];
const expect = (isSo: boolean, otherwise: string) => {
  if (isSo) return;
  problems.push(otherwise);
  say(`NOT AS IT SHOULD BE: ${otherwise}`);
};

checkPrograms();
const folder = aFolder();
const cluster = new FailoverCluster();
try {
  await story();
} catch (error) {
  problems.push(String(error));
  console.error(error);
  console.error(cluster.lastWords());
} finally {
  await cluster.remove();
  folder.remove();
}
console.log(problems.length === 0 ? "passed" : `failed: ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

async function story(): Promise<void> {
  await cluster.start();
  say(`two nodes in step, primary ${await cluster.primary()}`);
  const data = join(folder.path, "data");
  const config = shardsFile(join(folder.path, "matchbook.toml"), {
    na: `${cluster.url}?schema=na`,
  });
  const { stdout: key } = await matchbook(["keys", "create", "--name", "ha", "--data", data]);
  const flags = ["--data", data, "--config", config, "--rate", "100000000"];
  const server = await startServerProcess(
    [...flags, "--matches-per-day", "0", "--admin-port", "0", "--log-level", "error"],
    { env: { MATCHBOOK_ADMIN_TOKEN: TOKEN } },
  );
  const drained = new Response(server.child.stderr).text();
  const sender = new Sender(await server.saying(/^admin listener on (\S+)\n/m), demoLines(1));
  const command = new IngestCommand(["--data", data, "--config", config], demoLines(1001));
  const readers = new Readers(server.url, key.trim(), sender.served);
  sender.start();
  command.start();
  readers.start();

  await fault("the primary's machine is lost", sender, readers, async (name) => {
    await cluster.killNode(name);
    return () => cluster.startNode(name);
  });
  await fault("the primary's database crashes", sender, readers, async (name) => {
    cluster.killDatabase(name);
    return () => {};
  });

  await sender.finish();
  await ending(command);
  await readers.stop();
  expect(readers.wrong.length === 0, `wrong responses: ${readers.wrong.slice(0, 5).join("; ")}`);
  const slowest = Math.max(...readers.results.map(({ milliseconds }) => milliseconds));
  say(`${readers.results.length} responses, the slowest took ${(slowest / 1000).toFixed(1)} s`);
  expect(slowest < LONGEST_RESPONSE_MS, `a response took ${slowest} ms`);
  await compare([...sender.sent, ...command.sent], data, config);
  expect((await server.end()) === 0, "the server did not end well");
  await drained;
}

/** The command has run since before the first fault, without intervention. */
async function ending(command: IngestCommand): Promise<void> {
  const { exitCode, records } = await command.finish();
  for (const line of command.output.trimEnd().split("\n")) say(`matchbook ingest: ${line}`);
  say(`matchbook ingest ended with ${exitCode}, and reports ${records} of ${command.sent.length}`);
  expect(exitCode === 0, `matchbook ingest ended with ${exitCode}`);
  expect(records === command.sent.length, "matchbook ingest did not report every record");
}

/** Kills a node and waits for recovery: a primary, readers, the sender, and both nodes in sync. */
async function fault(
  what: string,
  sender: Sender,
  readers: Readers,
  kill: (name: string) => Promise<() => void>,
): Promise<void> {
  await Bun.sleep(CALM_SECONDS * 1000);
  const before = [...sender.served];
  const triesBefore = sender.failures.length;
  const lost = (await cluster.primary())!;
  const repair = await kill(lost);
  const at = performance.now();
  const since = (moment: number) => `${((moment - at) / 1000).toFixed(1)} s`;
  say(`${what} (${lost}); ${before.length} matches were acknowledged as served`);
  const next = await until("another primary", 90, async () => {
    const now = await cluster.primary();
    return now !== undefined && now !== lost ? now : undefined;
  });
  say(`after ${since(performance.now())}: ${next} is the primary`);
  const resumed = await until("ingest resumes", LONGEST_OUTAGE_SECONDS, async () =>
    sender.acknowledged.find((moment) => moment > at),
  );
  const tries = sender.failures.slice(triesBefore);
  say(`after ${since(resumed)}: a batch is acknowledged again; ${tries.length} tries had failed`);
  for (const failure of new Set(tries)) say(`  the sender got ${failure}`);
  await until("reads resume", LONGEST_OUTAGE_SECONDS, async () => {
    const last = readers.results.slice(-50);
    const isSteady = last.every((result) => result.at > at && result.status === 200);
    return isSteady || undefined;
  });
  const failed = readers.results.filter((result) => result.at > at && result.status !== 200);
  const endOfOutage = Math.max(at, ...failed.map((one) => one.at + one.milliseconds));
  say(`after ${since(endOfOutage)}: the last of ${failed.length} reads that got 503`);
  expect(
    (endOfOutage - at) / 1000 < LONGEST_OUTAGE_SECONDS,
    `reads failed for ${since(endOfOutage)}`,
  );
  const missing = await readers.missing(before);
  expect(missing.length === 0, `acknowledged and not served: ${missing.slice(0, 5).join(", ")}`);
  say(`all ${before.length} matches that were acknowledged before are served`);
  repair();
  await cluster.bothInStep();
  say(`after ${since(performance.now())}: ${lost} is back as a synchronous copy`);
}

/** A store that ingested the same records without any fault must serve the same. */
async function compare(sent: readonly string[], data: string, config: string): Promise<void> {
  const whole = join(folder.path, "whole");
  await matchbook(["ingest", "-", "--data", whole], { stdin: `${sent.join("\n")}\n` });
  const digest = async (flags: string[]) => {
    const run = await matchbook(["shards", "digest", "na", "--json", ...flags]);
    if (run.exitCode !== 0) throw new Error(run.stderr);
    return run.stdout.trim();
  };
  const [here, there] = [
    await digest(["--data", data, "--config", config]),
    await digest(["--data", whole]),
  ];
  say(`${sent.length} records; digest here and in a store without faults:`);
  say(here);
  say(there);
  expect(here === there, "the digests differ");
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
