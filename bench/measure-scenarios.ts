/** The `scenarios` section: Matchbook, its ceiling and a conventional server. */

import { SQLiteError } from "bun:sqlite";
import { join } from "node:path";
import { type Ask, askAll, askerOf, documentIn, isEmpty, type Reply } from "./asking.ts";
import type { Server } from "./children.ts";
import { type Data, dataOf } from "./data.ts";
import { BenchError, progress } from "./failure.ts";
import { difference } from "./fairness.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import type { Places } from "./places.ts";
import type { ScenarioRow, ScenariosSection, ServerFigures } from "./results.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { startCeiling, startConventional, startMatchbook } from "./servers.ts";
import { mean, median, middleBy, significant } from "./statistics.ts";
import { Targets } from "./targets.ts";
import { type Address, type Measured, measure, warmUp, writeAddresses } from "./wrk.ts";

export const CONNECTIONS = 32;
const SAMPLES = 25;
const WARM_UP = 3;
/**
 * A server that waits for its core longer than this share of the time is disturbed by other
 * processes.
 */
const DISTURBED = 0.15;

/** Seconds. No longer than what is measured after it, so that a trial run is short. */
export const warmUpTime = ({ seconds, rounds }: Flags): number =>
  Math.min(WARM_UP, seconds * rounds);

/** A server with its requests for one scenario. */
interface Contestant {
  server: Server;
  file: string;
  addresses: Address[];
  samples: Sample[];
}

interface Sample {
  path: string;
  reply: Reply;
}

export async function measureScenarios(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<ScenariosSection> {
  const data = await dataOf(places.data, flags.matches, flags.fresh);
  const matchbook = await startMatchbook(data.matchbook, places);
  const conventional = flags.conventional ? await startConventional(data, places) : undefined;
  const rows: ScenarioRow[] = [];
  for (const scenario of chosen(flags)) {
    rows.push(await measureScenario(scenario, { flags, places, data, matchbook, conventional }));
  }
  await matchbook.stop();
  await conventional?.stop();
  const { matches, served } = data;
  const { seconds, rounds } = flags;
  return { ...where, matches, served, seconds, rounds, connections: CONNECTIONS, rows };
}

export function chosen({ only }: Flags): Scenario[] {
  const scenarios = SCENARIOS.filter(({ name }) => only.test(name));
  if (scenarios.length > 0) return scenarios;
  const names = SCENARIOS.map(({ name }) => name).join(", ");
  throw new BenchError(`--only ${only.source} matches no scenario. Scenarios: ${names}.`);
}

interface Setting {
  flags: Flags;
  places: Places;
  data: Data;
  matchbook: Server;
  conventional: Server | undefined;
}

async function measureScenario(scenario: Scenario, setting: Setting): Promise<ScenarioRow> {
  const { flags, places, data } = setting;
  const matchbook = await prepare(scenario, setting.matchbook, data, places);
  const other = scenario.isOurs ? undefined : setting.conventional;
  const conventional = other && (await prepare(scenario, other, data, places));
  if (conventional) checkFairness(scenario, matchbook, conventional);
  const typical = middleBy(matchbook.samples, ({ reply }) => reply.body.length);
  const ceiling = {
    ...matchbook,
    server: await startCeiling(typical.reply, places),
    samples: [typical],
  };

  const contestants = [ceiling, matchbook, ...(conventional ? [conventional] : [])];
  const load = { seconds: flags.seconds, connections: CONNECTIONS, key: data.key };
  for (const { server, file } of contestants)
    await warmUp(server, { ...load, seconds: warmUpTime(flags), file });
  const measured = contestants.map((): Measured[] => []);
  for (let round = 0; round < flags.rounds; round++) {
    for (const [at, { server, file }] of contestants.entries()) {
      measured[at]!.push(await measure(server, { ...load, file }));
    }
  }
  await ceiling.server.stop();

  const [top, ours, theirs] = contestants.map(({ samples }, at) =>
    figures(measured[at]!, samples),
  ) as [ServerFigures, ServerFigures, ServerFigures?];
  report(scenario, top, ours, theirs);
  return {
    name: scenario.name,
    about: scenario.about,
    addresses: matchbook.addresses.length,
    ceiling: top,
    matchbook: ours,
    ...(theirs ? { conventional: theirs } : {}),
  };
}

/** Collects the URLs, and checks some responses before measuring. */
async function prepare(
  scenario: Scenario,
  server: Server,
  data: Data,
  places: Places,
): Promise<Contestant> {
  const ask = askerOf(server, data.key);
  const addresses = await addressesOf(scenario, data, ask);
  const file = join(places.scratch, `${server.name}-${scenario.name}.txt`.replaceAll(" ", "-"));
  writeAddresses(file, addresses);
  const step = Math.max(1, Math.floor(addresses.length / SAMPLES));
  const some = addresses.filter((_, at) => at % step === 0).slice(0, SAMPLES);
  const replies = await askAll(ask, some);
  const samples = replies.map((reply, at) => ({ reply, path: some[at]!.path }));
  const wrong = samples.find(({ reply }) => reply.status !== scenario.status);
  if (wrong) {
    throw new BenchError(
      `${server.name} returned status ${wrong.reply.status} instead of ${scenario.status} for ${wrong.path} ("${scenario.name}").`,
    );
  }
  const empty = replies.filter((reply) => reply.status === 200 && isEmpty(documentIn(reply)));
  if (empty.length > 0) {
    progress(`${scenario.name}: ${empty.length} of ${samples.length} sampled pages are empty`);
  }
  return { server, file, addresses, samples };
}

/** The same for every server, except cursors and entity tags. */
export async function addressesOf(scenario: Scenario, data: Data, ask: Ask): Promise<Address[]> {
  const targets = new Targets(data);
  try {
    const addresses = await scenario.addresses(targets, ask);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    if (!(error instanceof SQLiteError)) throw error;
    throw new BenchError(
      `Cannot read the shard's file: ${error.message}. If the schema has changed, update bench/targets.ts.`,
    );
  } finally {
    targets.close();
  }
  throw new BenchError(
    `${data.matches} matches are too few for "${scenario.name}"; increase --matches.`,
  );
}

function checkFairness({ name }: Scenario, ours: Contestant, theirs: Contestant): void {
  const unequal = ours.samples.flatMap(({ path, reply }, at) => {
    const other = theirs.samples[at]?.reply;
    const found = other ? difference(reply, other) : "one response is missing";
    return found === undefined ? [] : [`${path}: ${found}`];
  });
  if (unequal.length === 0) return;
  throw new BenchError(
    `"${name}": Matchbook and the conventional server give different responses to ${unequal.length} of ${ours.samples.length} requests, so they cannot be compared. First: ${unequal[0]}`,
  );
}

function figures(rounds: Measured[], samples: Sample[]): ServerFigures {
  const of = (pick: (one: Measured) => number) => significant(median(rounds.map(pick)));
  return {
    requests: rounds.reduce((sum, { requests }) => sum + requests, 0),
    requestsPerSecond: of((one) => one.requestsPerSecond),
    p50Ms: of((one) => one.p50Ms),
    p90Ms: of((one) => one.p90Ms),
    p99Ms: of((one) => one.p99Ms),
    maxMs: of((one) => one.maxMs),
    cpuMicros: of((one) => one.cpuMicros),
    busyShare: of((one) => one.busyShare),
    waitingShare: of((one) => one.waitingShare),
    wireBytes: of((one) => one.wireBytes),
    bodyBytes: Math.round(mean(samples.map(({ reply }) => reply.body.length))),
  };
}

function report(
  { name }: Scenario,
  ceiling: ServerFigures,
  ours: ServerFigures,
  theirs: ServerFigures | undefined,
): void {
  const rate = ({ requestsPerSecond }: ServerFigures) => `${Math.round(requestsPerSecond)}/s`;
  const share = Math.round((ours.requestsPerSecond / ceiling.requestsPerSecond) * 100);
  // Only the ceiling has no threads of its own that compete for the core.
  const isDisturbed = ceiling.waitingShare > DISTURBED;
  const peer = theirs ? `, conventional ${rate(theirs)}` : "";
  progress(
    `${name.padEnd(22)} ceiling ${rate(ceiling)}, Matchbook ${rate(ours)} (${share} %), ${ours.cpuMicros} µs CPU${peer}${isDisturbed ? "; disturbed by other processes" : ""}`,
  );
}
