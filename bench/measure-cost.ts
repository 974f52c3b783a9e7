/**
 * The `cost` section: what a million responses cost in traffic and CPU time, on a server with time to spare (one
 * connection) and on a busy one, beside the conventional server.
 */

import { join } from "node:path";
import { type Ask, askerOf, plainOf } from "./asking.ts";
import type { Server } from "./children.ts";
import { dataOf } from "./data.ts";
import { progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import type { Circumstances } from "./machine.ts";
import { addressesOf, CONNECTIONS, chosen, warmUpTime } from "./measure-scenarios.ts";
import type { Places } from "./places.ts";
import type { CostFigures, CostRow, CostSection } from "./results.ts";
import type { Scenario } from "./scenarios.ts";
import { startConventional, startMatchbook } from "./servers.ts";
import { mean, median, significant } from "./statistics.ts";
import { type Address, type Load, type Measured, measure, warmUp, writeAddresses } from "./wrk.ts";

const SAMPLES = 25;

interface Servers {
  auto: Server;
  fast: Server;
  conventional: Server | undefined;
}

export async function measureCost(
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<CostSection> {
  const data = await dataOf(places.data, flags.matches, flags.fresh);
  const start = (mode: string) => startMatchbook(data.matchbook, places, "--compression", mode);
  const servers: Servers = {
    auto: await start("auto"),
    fast: await start("fast"),
    conventional: flags.conventional ? await startConventional(data, places) : undefined,
  };
  const rows: CostRow[] = [];
  for (const scenario of chosen(flags).filter(({ status }) => status === 200)) {
    const ask = askerOf(servers.auto, data.key);
    const addresses = await addressesOf(scenario, data, ask);
    const row = await measureRow(scenario, servers, addresses, ask, flags, places, data.key);
    report(row);
    rows.push(row);
  }
  for (const server of Object.values(servers)) await server?.stop();
  const { matches } = data;
  const { seconds, rounds, trafficPrice, corePrice } = flags;
  return {
    ...where,
    matches,
    seconds,
    rounds,
    trafficPrice,
    corePrice,
    connections: CONNECTIONS,
    rows,
  };
}

async function measureRow(
  { name }: Scenario,
  { auto, fast, conventional }: Servers,
  addresses: Address[],
  ask: Ask,
  flags: Flags,
  places: Places,
  key: string,
): Promise<CostRow> {
  const withZstd = addresses.map(({ path, headers }) => ({
    path,
    headers: { ...headers, "Accept-Encoding": "zstd, gzip" },
  }));
  const fileOf = (kind: string, all: Address[]) => {
    const file = join(places.scratch, `cost-${kind}.txt`);
    writeAddresses(file, all);
    return file;
  };
  const [gzipFile, zstdFile] = [fileOf("gzip", addresses), fileOf("zstd", withZstd)];
  const load = (file: string, connections: number): Load => ({
    seconds: flags.seconds,
    connections,
    key,
    file,
  });
  const contests: [Server, Load][] = [
    [auto, load(gzipFile, 1)],
    [auto, load(zstdFile, 1)],
    [auto, load(gzipFile, CONNECTIONS)],
    [fast, load(gzipFile, CONNECTIONS)],
    ...(conventional ? [[conventional, load(gzipFile, CONNECTIONS)] satisfies [Server, Load]] : []),
  ];
  for (const [server, one] of contests) {
    await warmUp(server, { ...one, seconds: warmUpTime(flags) });
  }
  const measured = contests.map((): Measured[] => []);
  for (let round = 0; round < flags.rounds; round++) {
    for (const [at, [server, one]] of contests.entries()) {
      measured[at]!.push(await measure(server, one));
    }
  }
  const [idle, idleZstd, busy, busyFast, theirs] = measured.map(figures);
  return {
    name,
    idle: idle!,
    idleZstd: idleZstd!,
    busy: busy!,
    busyFast: busyFast!,
    ...(theirs ? { conventional: theirs } : {}),
    gzipRatio: await sizeRatio(ask, addresses, gzip6),
    zstdRatio: await sizeRatio(ask, withZstd, zstd3),
    // In turns, so that a disturbance affects both.
    autoToFast: significant(
      median(
        measured[2]!.map(
          (one, round) => one.requestsPerSecond / measured[3]![round]!.requestsPerSecond,
        ),
      ),
    ),
  };
}

const figures = (rounds: Measured[]): CostFigures => ({
  requestsPerSecond: significant(median(rounds.map((one) => one.requestsPerSecond))),
  wireBytes: significant(median(rounds.map((one) => one.wireBytes))),
  cpuMicros: significant(median(rounds.map((one) => one.cpuMicros))),
});

/** The size of responses, requested one at a time, as a multiple of what another program makes of the same document. */
async function sizeRatio(
  ask: Ask,
  addresses: readonly Address[],
  compress: (plain: Buffer) => number,
): Promise<number> {
  const step = Math.max(1, Math.floor(addresses.length / SAMPLES));
  const ratios: number[] = [];
  for (const address of addresses.filter((_, at) => at % step === 0).slice(0, SAMPLES)) {
    const reply = await ask(address);
    ratios.push(reply.body.length / compress(Buffer.from(plainOf(reply.headers, reply.body))));
  }
  return significant(mean(ratios), 3);
}

const gzip6 = (stdin: Buffer): number =>
  Bun.spawnSync(["gzip", "-6", "-nc"], { stdin }).stdout.length;
const zstd3 = (plain: Buffer): number => Bun.zstdCompressSync(plain, { level: 3 }).length;

function report({ name, idle, busy, gzipRatio, zstdRatio, autoToFast }: CostRow): void {
  progress(
    `${name.padEnd(22)} ${idle.wireBytes} bytes with one connection (${gzipRatio} × gzip -6, ${zstdRatio} × zstd -3), ${busy.wireBytes} when busy; auto ÷ fast ${autoToFast}`,
  );
}
