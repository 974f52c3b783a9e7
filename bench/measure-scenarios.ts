/** The `scenarios` section: Matchbook, its ceiling and a conventional server. */

import { type Data, dataOf } from "./data.ts";
import { markdownTable, percent, readable, times } from "./figures.ts";
import { type Postgres, startPostgres } from "./postgres.ts";
import { BenchError, progress, type Server } from "./processes.ts";
import {
  type Address,
  difference,
  documentIn,
  fetchFrom,
  inGroups,
  type Reply,
} from "./requests.ts";
import type { Options } from "./run.ts";
import { SCENARIOS, type Scenario } from "./scenarios.ts";
import { startCeiling, startConventional, startMatchbook } from "./servers.ts";
import { Targets } from "./targets.ts";
import { Load, type Measured, measureInTurns, medians } from "./wrk.ts";

const SAMPLES = 25;
const DISTURBED = 0.05;

interface Row {
  name: string;
  matchbook: Measured;
  ceiling: Measured;
  conventional: Measured | undefined;
  /** CPU time of PostgreSQL per request, in microseconds. */
  databaseMicros: number | undefined;
}

export async function measureScenarios(options: Options): Promise<string> {
  const data = await dataOf(options.data, options.matches);
  const postgres = options.postgres ? await startPostgres(options, data) : undefined;
  try {
    const serve = [...options.serve, ...(postgres?.flags ?? [])];
    const matchbook = await startMatchbook(data.folder, { ...options, serve });
    const conventional = options.conventional
      ? await startConventional(data, matchbook, options.scratch)
      : undefined;
    const rows: Row[] = [];
    for (const scenario of chosen(options)) {
      const servers = { matchbook, conventional: scenario.isOurs ? undefined : conventional };
      rows.push(await measureScenario(scenario, servers, data, postgres, options));
    }
    await matchbook.stop();
    await conventional?.stop();
    return render(rows, options);
  } finally {
    postgres?.stop();
  }
}

export function chosen({ only }: Options): Scenario[] {
  const scenarios = SCENARIOS.filter(({ name }) => only.test(name));
  if (scenarios.length > 0) return scenarios;
  const names = SCENARIOS.map(({ name }) => name).join(", ");
  throw new BenchError(`--only ${only.source} matches no scenario. Scenarios: ${names}.`);
}

async function measureScenario(
  scenario: Scenario,
  { matchbook, conventional }: { matchbook: Server; conventional: Server | undefined },
  data: Data,
  postgres: Postgres | undefined,
  options: Options,
): Promise<Row> {
  const ours = await prepare(scenario, matchbook, data, options);
  const theirs = conventional && (await prepare(scenario, conventional, data, options));
  if (theirs) checkFairness(scenario, ours.samples, theirs.samples);
  const typical = ours.samples.toSorted((one, other) => one.body.length - other.body.length)[
    ours.samples.length >> 1
  ]!;
  const server = await startCeiling(typical, options.scratch);
  const top = new Load(server, data.key, ours.load.addresses, options.connections, options.scratch);
  const before = postgres?.cpuSeconds() ?? 0;
  const measured = await measureInTurns(
    [ours.load, top, ...(theirs ? [theirs.load] : [])],
    options,
  );
  // With the requests of the warm-up, so it is a little too high.
  const total = measured[0]!.reduce((sum, { requests }) => sum + requests, 0);
  const databaseMicros = postgres && ((postgres.cpuSeconds() - before) * 1e6) / total;
  await server.stop();
  const [first, second, third] = measured.map(medians);
  const row = {
    name: scenario.name,
    matchbook: first!,
    ceiling: second!,
    conventional: third,
    databaseMicros,
  };
  report(row);
  return row;
}

/** The requests of a scenario, of which some are tried. */
export async function prepare(
  scenario: Scenario,
  server: Server,
  data: Data,
  { connections, scratch }: Options,
  key = data.key,
): Promise<{ load: Load; samples: Reply[] }> {
  const from = fetchFrom(server, key);
  const addresses = await addressesOf(scenario, server, data, key);
  const step = Math.max(1, Math.floor(addresses.length / SAMPLES));
  const some = addresses.filter((_, at) => at % step === 0).slice(0, SAMPLES);
  const samples = await inGroups(some, from);
  const wrong = samples.find(({ status }) => status !== scenario.status);
  if (wrong) {
    throw new BenchError(`${wrong.origin}: status ${wrong.status} instead of ${scenario.status}`);
  }
  const empty = samples.filter((reply) => {
    const { data } = reply.status === 200 ? documentIn(reply) : { data: {} };
    return Array.isArray(data) && data.length === 0;
  });
  if (empty.length > 0) {
    progress(`${scenario.name}: ${empty.length} of ${samples.length} sampled pages are empty`);
  }
  return { load: new Load(server, key, addresses, connections, scratch), samples };
}

/** The same for every server, except cursors and entity tags. */
export async function addressesOf(
  scenario: Scenario,
  server: Server,
  data: Data,
  key = data.key,
): Promise<Address[]> {
  const targets = new Targets(data);
  const addresses = await scenario.addresses(targets, fetchFrom(server, key));
  targets.close();
  if (addresses.length > 0) return addresses;
  throw new BenchError(
    `${data.matches} matches are too few for "${scenario.name}"; increase --matches.`,
  );
}

function checkFairness({ name }: Scenario, ours: readonly Reply[], theirs: readonly Reply[]): void {
  const unequal = ours.flatMap((reply, at) => {
    const found = difference(reply, theirs[at]!);
    return found === undefined ? [] : [`${reply.origin}: ${found}`];
  });
  if (unequal.length === 0) return;
  throw new BenchError(
    `"${name}": Matchbook and the conventional server give different responses to ${unequal.length} of ${ours.length} requests, so they cannot be compared. First: ${unequal[0]}`,
  );
}

function report({ name, matchbook, ceiling, conventional }: Row): void {
  const rate = ({ requestsPerSecond }: Measured) => `${Math.round(requestsPerSecond)}/s`;
  const peer = conventional ? `, conventional ${rate(conventional)}` : "";
  // Only the ceiling has no threads of its own that compete for the core.
  const disturbed = ceiling.waitingShare > DISTURBED ? "; disturbed by other processes" : "";
  progress(
    `${name.padEnd(22)} Matchbook ${rate(matchbook)}, ${readable(matchbook.cpuMicros)} µs CPU, ceiling ${rate(ceiling)}${peer}${disturbed}`,
  );
}

function render(rows: readonly Row[], options: Options): string {
  const rate = (one: Measured | undefined) => (one ? readable(one.requestsPerSecond) : "");
  const rates = markdownTable(
    [
      "Scenario",
      "Matchbook, requests/s",
      "Ceiling, requests/s",
      "Conventional, requests/s",
      "Matchbook ÷ ceiling",
      "Matchbook ÷ conventional",
    ],
    rows.map(({ name, matchbook, ceiling, conventional }) => [
      name,
      ...[matchbook, ceiling, conventional].map(rate),
      percent(matchbook.requestsPerSecond / ceiling.requestsPerSecond),
      conventional ? times(matchbook.requestsPerSecond / conventional.requestsPerSecond) : "",
    ]),
  );
  const each = ({ matchbook, ceiling, conventional }: Row, pick: (one: Measured) => number) =>
    [matchbook, ceiling, ...(conventional ? [conventional] : [])]
      .map((one) => readable(pick(one)))
      .join(" / ");
  const details = markdownTable(
    [
      "Scenario",
      "p50, ms",
      "p99, ms",
      "CPU per request, µs",
      "PostgreSQL, µs",
      "Bytes per response",
    ],
    rows.map((row) => [
      row.name,
      each(row, ({ p50Ms }) => p50Ms),
      each(row, ({ p99Ms }) => p99Ms),
      each(row, ({ cpuMicros }) => cpuMicros),
      row.databaseMicros === undefined ? "" : readable(row.databaseMicros),
      each(row, ({ bytes }) => bytes),
    ]),
  );
  const { matches, connections } = options;
  return [
    `${readable(matches)} matches in one shard, ${connections} connections, ${roundsOf(options)}.`,
    rates,
    "Cells with several numbers: Matchbook / ceiling / conventional.",
    details,
  ].join("\n\n");
}

export function roundsOf({ rounds, seconds }: Options): string {
  return rounds === 1 ? `one round of ${seconds} s` : `medians of ${rounds} rounds of ${seconds} s`;
}
