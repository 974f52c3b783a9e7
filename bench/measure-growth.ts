/** In charge of the section `growth`: what a request costs as the shard grows. */

import { join } from "node:path";
import { askerOf } from "./asking.ts";
import { dataOf } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { storedBytes } from "./measure-ingest.ts";
import { addressesOf, chosen } from "./measure-scenarios.ts";
import { type Places, SHARD } from "./places.ts";
import type { GrowthRow, GrowthSection } from "./results.ts";
import { startMatchbook } from "./servers.ts";
import { median, significant } from "./statistics.ts";
import { type Measured, measure, warmUp, writeAddresses } from "./wrk.ts";

/** A light load: latency is then what a request takes, not how long it waits for others. */
const CONNECTIONS = 4;

export async function measureGrowth(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<GrowthSection> {
  const scenarios = chosen(flags);
  const rows: GrowthRow[] = scenarios.map(({ name }) => ({ name, p50Ms: [], cpuMicros: [] }));
  const sizes: number[] = [];
  for (const matches of flags.sizes) {
    const measured = await measureSize(matches, flags, places);
    sizes.push(measured.bytes);
    for (const [at, row] of rows.entries()) {
      const rounds = measured.scenarios[at]!;
      row.p50Ms.push(significant(median(rounds.map(({ p50Ms }) => p50Ms))));
      row.cpuMicros.push(significant(median(rounds.map(({ cpuMicros }) => cpuMicros))));
    }
  }
  return {
    ...where,
    seconds: flags.seconds,
    rounds: flags.rounds,
    connections: CONNECTIONS,
    sizes: flags.sizes,
    storedBytes: sizes,
    rows,
  };
}

async function measureSize(
  matches: number,
  flags: Flags,
  places: Places,
): Promise<{ bytes: number; scenarios: Measured[][] }> {
  const data = await dataOf(places.data, matches, flags.fresh);
  const bytes = storedBytes(join(data.matchbook, `${SHARD}.db`));
  const server = await startMatchbook(data.matchbook, places);
  const scenarios: Measured[][] = [];
  for (const scenario of chosen(flags)) {
    const file = join(places.scratch, "growth.txt");
    writeAddresses(file, await addressesOf(scenario, data, askerOf(server, data.key)));
    const load = { connections: CONNECTIONS, key: data.key, file };
    // Once through, so that what is measured comes out of the page cache.
    await warmUp(server, { ...load, seconds: Math.max(2, flags.seconds) });
    const rounds: Measured[] = [];
    for (let round = 0; round < flags.rounds; round++) {
      rounds.push(await measure(server, { ...load, seconds: flags.seconds }));
    }
    scenarios.push(rounds);
    const cpu = median(rounds.map(({ cpuMicros }) => cpuMicros)).toFixed(0);
    const p50 = median(rounds.map(({ p50Ms }) => p50Ms)).toFixed(2);
    progress(`${matches} matches, ${scenario.name.padEnd(22)} p50 ${p50} ms, ${cpu} µs CPU`);
  }
  await server.stop();
  return { bytes, scenarios };
}
