/** Compares this checkout with another one, e.g. of an earlier commit: the same requests, in turns. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Ask, askerOf } from "./asking.ts";
import { type Server, startServer } from "./children.ts";
import { onServerCore } from "./cores.ts";
import { type Data, dataOf, makeData } from "./data.ts";
import { BenchError, progress } from "./failure.ts";
import type { Flags } from "./flags.ts";
import { addressesOf, CONNECTIONS, chosen, warmUpTime } from "./measure-scenarios.ts";
import { MATCHBOOK, type Places } from "./places.ts";
import type { Scenario } from "./scenarios.ts";
import { median } from "./statistics.ts";
import { markdownTable } from "./table.ts";
import { type Address, type Measured, measure, warmUp, writeAddresses } from "./wrk.ts";

interface Version {
  server: Server;
  key: string;
}

/** A table of ratios: this checkout ÷ the other one. */
export async function compareWith(folder: string, flags: Flags, places: Places): Promise<string> {
  const other = join(folder, "bin", "matchbook");
  if (!existsSync(other)) throw new BenchError(`There is no ${other}.`);
  const data = await dataOf(places.data, flags.matches, flags.fresh);
  const otherData = join(places.scratch, "other");
  const { key } = await makeData(otherData, flags.matches, data.until, other);
  const start = (name: string, program: string, folder: string) =>
    startServer(
      name,
      // Flags that all versions have.
      onServerCore([program, "serve", "--data", folder, "--port", "0", ...compatFlags(flags)]),
      join(places.scratch, `${name}.log`),
    );
  const versions: [Version, Version] = [
    { server: await start("here", MATCHBOOK, data.matchbook), key: data.key },
    { server: await start("other", other, join(otherData, "matchbook")), key },
  ];
  const rows: string[][] = [];
  for (const scenario of chosen(flags)) {
    const rounds = await measureInTurns(scenario, versions, data, flags, places);
    if (!rounds) continue;
    const ratios = [
      rounds.map(([here, there]) => here.cpuMicros / there.cpuMicros),
      rounds.map(([here, there]) => there.requestsPerSecond / here.requestsPerSecond),
    ];
    const row = [scenario.name, ...ratios.map((values) => median(values).toFixed(2))];
    progress(row.join("  "));
    rows.push(row);
  }
  for (const { server } of versions) await server.stop();
  return markdownTable(["Scenario", "CPU per request, ratio", "Time per request, ratio"], rows);
}

const compatFlags = ({ compat }: Flags): string[] => (compat ? ["--compat", "gamelocker"] : []);

/** Undefined if the other version does not have the endpoint. */
async function measureInTurns(
  scenario: Scenario,
  versions: readonly [Version, Version],
  data: Data,
  flags: Flags,
  { scratch }: Places,
): Promise<[Measured, Measured][] | undefined> {
  const { seconds, rounds } = flags;
  const loads = [];
  for (const { server, key } of versions) {
    const file = join(scratch, `${server.name}.txt`);
    const addresses = await addressesIn(scenario, data, askerOf(server, key));
    if (addresses instanceof BenchError) {
      if (server === versions[0].server) throw addresses;
      progress(`${scenario.name}: skipped. ${addresses.message}`);
      return undefined;
    }
    writeAddresses(file, addresses);
    loads.push({ server, load: { seconds, connections: CONNECTIONS, key, file } });
  }
  for (const { server, load } of loads) {
    await warmUp(server, { ...load, seconds: warmUpTime(flags) });
  }
  const measured: [Measured, Measured][] = [];
  for (let round = 0; round < rounds; round++) {
    const [here, there] = loads.map(
      ({ server, load }) =>
        () =>
          measure(server, load),
    ) as [() => Promise<Measured>, () => Promise<Measured>];
    // Each goes first in every other round.
    if (round % 2 === 0) measured.push([await here(), await there()]);
    else measured.push([await there(), await here()].reverse() as [Measured, Measured]);
  }
  return measured;
}

/** The URLs, of which the first is tried, or why there are none. */
async function addressesIn(
  scenario: Scenario,
  data: Data,
  ask: Ask,
): Promise<Address[] | BenchError> {
  try {
    const addresses = await addressesOf(scenario, data, ask);
    await ask(addresses[0]!);
    return addresses;
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
}
