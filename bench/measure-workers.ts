/**
 * The `workers` section: the cost of a request with one process and with two. Each worker has its
 * own core: processes that share a core evict each other's data from its cache.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { askerOf } from "./asking.ts";
import type { Server } from "./children.ts";
import { moveToLoadCore } from "./cores.ts";
import { dataOf } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { addressesOf, chosen } from "./measure-scenarios.ts";
import type { Places } from "./places.ts";
import type { WorkersRow, WorkersSection } from "./results.ts";
import { startMatchbook } from "./servers.ts";
import { median, significant } from "./statistics.ts";
import { parentOf, totalCpu } from "./usage.ts";
import { measure, warmUp, writeAddresses } from "./wrk.ts";

const WORKERS = 2;
/** Per worker, so that the load per worker is the same. */
const CONNECTIONS = 32;
/** Long, because each of two workers gets half of the requests. */
const WARM_UP = 10;
/** The most common requests, unless --only is given. */
const USUAL = /^(match by id|matches page)$/;

interface Contestant {
  server: Server;
  workers: number;
  /** All processes of the server. */
  pids: number[];
}

export async function measureWorkers(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<WorkersSection> {
  const data = await dataOf(places.data, flags.matches, flags.fresh);
  const contestants: Contestant[] = [];
  for (const workers of [1, WORKERS]) {
    const server = await startMatchbook(data.matchbook, places, "--workers", String(workers));
    const children = childrenOf(server.pid);
    for (const pid of children.slice(1)) moveToLoadCore(pid);
    contestants.push({ server, workers, pids: [server.pid, ...children] });
  }
  const rows: WorkersRow[] = [];
  const isAll = flags.only.source === /(?:)/.source;
  for (const scenario of chosen(flags).filter(({ name }) => !isAll || USUAL.test(name))) {
    const file = join(places.scratch, "workers.txt");
    const ask = askerOf(contestants[0]!.server, data.key);
    writeAddresses(file, await addressesOf(scenario, data, ask));
    const row = await measureRow(contestants, flags, data.key, file);
    rows.push({ name: scenario.name, ...row });
    progress(`  ${scenario.name}: ${row.oneMicros} µs by one, ${row.twoMicros} µs by two`);
  }
  for (const { server } of contestants) await server.stop();
  const { matches } = data;
  return { ...where, matches, rounds: flags.rounds, connections: CONNECTIONS, rows };
}

/** The servers alternate, so that disturbances affect both. */
async function measureRow(
  contestants: readonly Contestant[],
  { seconds, rounds }: Flags,
  key: string,
  file: string,
): Promise<Omit<WorkersRow, "name">> {
  const loadOf = ({ workers }: Contestant) => ({ connections: CONNECTIONS * workers, key, file });
  for (const one of contestants) {
    await warmUp(one.server, { ...loadOf(one), seconds: WARM_UP });
  }
  const costs = contestants.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [at, one] of contestants.entries()) {
      const before = totalCpu(one.pids);
      const { requests } = await measure(one.server, { ...loadOf(one), seconds });
      costs[at]!.push((totalCpu(one.pids) - before) / requests);
    }
  }
  const [one, two] = costs as [number[], number[]];
  return {
    oneMicros: significant(median(one)),
    twoMicros: significant(median(two)),
    ratio: significant(median(two.map((cost, round) => cost / one[round]!))),
  };
}

function childrenOf(pid: number): number[] {
  const numbers = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return numbers.map(Number).filter((one) => parentOf(one) === pid);
}
