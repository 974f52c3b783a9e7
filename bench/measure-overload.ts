/**
 * The `overload` section: what a server does with more requests than it can handle. Requests arrive at a constant rate,
 * a multiple of what the server can carry; then thousands of connections are opened that send nothing, or too little.
 */

import { join } from "node:path";
import { askerOf } from "./asking.ts";
import { run, type Server } from "./children.ts";
import { onLoadCore } from "./cores.ts";
import { type Data, dataOf } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import { measureConnections } from "./idle-connections.ts";
import type { Circumstances } from "./machine.ts";
import { addressesOf } from "./measure-scenarios.ts";
import type { OpenLoopResult } from "./open-loop.ts";
import { type Places, SHARD } from "./places.ts";
import type { OverloadRow, OverloadSection } from "./results.ts";
import { SCENARIOS } from "./scenarios.ts";
import { startMatchbook } from "./servers.ts";
import { chance, significant } from "./statistics.ts";
import { memoryOf } from "./usage.ts";
import { type Address, measure, warmUp, writeAddresses } from "./wrk.ts";

const GENERATOR = join(import.meta.dir, "open-loop.ts");
const FACTORS = [0.3, 1, 2, 3];
/** Of the closed loop that finds out what the server can carry. */
const CONNECTIONS = 32;
const WARM_UP = 5;
const REQUESTS = 20_000;

/** How often a client sends each, in percent: mostly cheap requests, some that take twenty times as long. */
const MIX: Readonly<Record<string, number>> = {
  "match by id": 30,
  "player by id": 20,
  "latest of a player": 20,
  "hot page": 10,
  "matches page": 8,
  "players by six names": 5,
  "by six players": 3,
  "deep page": 2,
  uncompressed: 1,
  "sparse fields": 1,
};

export async function measureOverload(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<OverloadSection> {
  const data = await dataOf(places.data, flags.matches, flags.fresh);
  const server = await startMatchbook(data.matchbook, places);
  const file = join(places.scratch, "overload.txt");
  writeAddresses(file, await mixOf(data, server));
  const load = { connections: CONNECTIONS, key: data.key, file };
  await warmUp(server, { ...load, seconds: WARM_UP });
  const { requestsPerSecond } = await measure(server, { ...load, seconds: flags.seconds });
  const capacity = significant(requestsPerSecond, 3);
  progress(`capacity: ${capacity} requests/s`);
  const rows: OverloadRow[] = [];
  for (const factor of FACTORS) {
    const rate = Math.round(capacity * factor);
    // Not mixed with what is left of the load before.
    await Bun.sleep(2000);
    rows.push(await measureRow(server, data, file, factor, rate, flags.seconds));
  }
  const connections = await measureConnections(server, pageRequest(data.key));
  await server.stop();
  const { matches } = data;
  return { ...where, matches, seconds: flags.seconds, capacity, rows, connections };
}

/** A large response: it is not compressed. */
const pageRequest = (key: string): string =>
  `GET /shards/${SHARD}/matches HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nAccept: application/vnd.api+json\r\n\r\n`;

async function mixOf(data: Data, server: Server): Promise<Address[]> {
  const random = chance(7);
  const ask = askerOf(server, data.key);
  const lists: Address[][] = [];
  for (const scenario of SCENARIOS) {
    const share = MIX[scenario.name];
    if (share === undefined) continue;
    const addresses = await addressesOf(scenario, data, ask);
    lists.push(...Array.from({ length: share }, () => addresses));
  }
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  return Array.from({ length: REQUESTS }, () => one(one(lists)));
}

async function measureRow(
  server: Server,
  data: Data,
  file: string,
  factor: number,
  rate: number,
  seconds: number,
): Promise<OverloadRow> {
  const command = [process.execPath, GENERATOR, server.url, data.key, file];
  const { stdout } = await run(onLoadCore([...command, String(rate), String(seconds)]));
  const { admitted, refused, health, failed } = JSON.parse(stdout) as OpenLoopResult;
  const row: OverloadRow = {
    factor,
    rate,
    admittedPerSecond: significant(admitted.count / seconds, 3),
    refusedPerSecond: significant(refused.count / seconds, 3),
    failed,
    p50Ms: significant(admitted.p50, 3),
    p99Ms: significant(admitted.p99, 3),
    refusedP50Ms: significant(refused.p50, 3),
    refusedP99Ms: significant(refused.p99, 3),
    healthP99Ms: significant(health.p99, 3),
    // If the process had ended, there would be none.
    memoryMiB: Math.round(memoryOf(server.pid)?.resident ?? Number.NaN),
  };
  progress(
    `  ${factor}×: ${row.admittedPerSecond}/s served, p99 ${row.p99Ms} ms; ${row.refusedPerSecond}/s refused, median ${row.refusedP50Ms} ms; ${failed} failed`,
  );
  return row;
}
