/** The `growth` section: the cost of a request as the shard grows. */

import { join } from "node:path";
import { askerOf } from "./asking.ts";
import type { Server } from "./children.ts";
import { type Data, dataOf } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { storedBytes } from "./measure-ingest.ts";
import { addressesOf, chosen } from "./measure-scenarios.ts";
import { type Places, SHARD } from "./places.ts";
import type { GrowthRow, GrowthSection } from "./results.ts";
import type { Scenario } from "./scenarios.ts";
import { startMatchbook } from "./servers.ts";
import { median, significant } from "./statistics.ts";
import { type Measured, measure, warmUp, writeAddresses } from "./wrk.ts";

/** A light load: latency is then the processing time, not the time in a queue. */
const CONNECTIONS = 4;

export async function measureGrowth(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<GrowthSection> {
  const shards: GrownShard[] = [];
  for (const matches of flags.sizes) {
    const data = await dataOf(places.data, matches, flags.fresh);
    shards.push({ matches, data, server: await startMatchbook(data.matchbook, places) });
  }
  const rows: GrowthRow[] = [];
  for (const scenario of chosen(flags)) {
    rows.push(await measureScenario(scenario, shards, flags, places));
  }
  for (const { server } of shards) await server.stop();
  return {
    ...where,
    seconds: flags.seconds,
    rounds: flags.rounds,
    connections: CONNECTIONS,
    sizes: flags.sizes,
    storedBytes: shards.map(({ data }) => storedBytes(join(data.matchbook, `${SHARD}.db`))),
    rows,
  };
}

/** A shard of one size with its own server; only one server gets requests at a time. */
interface GrownShard {
  matches: number;
  data: Data;
  server: Server;
}

/** Sizes alternate, so that disturbances affect all. */
async function measureScenario(
  scenario: Scenario,
  shards: readonly GrownShard[],
  flags: Flags,
  places: Places,
): Promise<GrowthRow> {
  const loads = [];
  for (const { matches, data, server } of shards) {
    const file = join(places.scratch, `growth-${matches}.txt`);
    writeAddresses(file, await addressesOf(scenario, data, askerOf(server, data.key)));
    const load = { connections: CONNECTIONS, key: data.key, file, seconds: flags.seconds };
    // Warms the page cache.
    await warmUp(server, { ...load, seconds: Math.max(2, flags.seconds) });
    loads.push({ server, load });
  }
  const measured = loads.map((): Measured[] => []);
  for (let round = 0; round < flags.rounds; round++) {
    for (const [at, { server, load }] of loads.entries()) {
      measured[at]!.push(await measure(server, load));
    }
  }
  const medians = (pick: (one: Measured) => number) =>
    measured.map((rounds) => significant(median(rounds.map(pick))));
  const row = {
    name: scenario.name,
    p50Ms: medians(({ p50Ms }) => p50Ms),
    cpuMicros: medians(({ cpuMicros }) => cpuMicros),
  };
  progress(`${scenario.name.padEnd(22)} ${row.cpuMicros.join(", ")} µs CPU`);
  return row;
}
