/** The `growth` section: the cost of a request as the shard grows. */

import { type Data, dataOf } from "./data.ts";
import { markdownTable, readable, times } from "./figures.ts";
import { storedBytes } from "./measure-ingest.ts";
import { chosen, prepare, roundsOf } from "./measure-scenarios.ts";
import { progress, type Server } from "./processes.ts";
import type { Options } from "./run.ts";
import { startMatchbook } from "./servers.ts";
import { measureInTurns, medians } from "./wrk.ts";

/** A light load: latency is then the processing time, not the time in a queue. */
const CONNECTIONS = 4;

export async function measureGrowth(given: Options): Promise<string> {
  const options = { ...given, connections: CONNECTIONS };
  const { sizes } = options;
  const shards: { data: Data; server: Server }[] = [];
  for (const size of sizes) {
    const data = await dataOf(options.data, size);
    const server = await startMatchbook(data.folder, options, `Matchbook ${size}`);
    shards.push({ data, server });
  }
  const rows: string[][] = [];
  for (const scenario of chosen(options)) {
    const loads = [];
    for (const { data, server } of shards) {
      loads.push((await prepare(scenario, server, data, options)).load);
    }
    const figures = (await measureInTurns(loads, options)).map(medians);
    const cpu = figures.map(({ cpuMicros }) => cpuMicros);
    progress(`${scenario.name.padEnd(22)} ${cpu.map(readable).join(", ")} µs CPU`);
    rows.push([
      scenario.name,
      ...figures.map(({ p50Ms }) => readable(p50Ms)),
      ...cpu.map(readable),
      ...cpu.slice(1).map((micros) => times(micros / cpu[0]!)),
    ]);
  }
  for (const { server } of shards) await server.stop();
  const [smallest, ...larger] = sizes.map(readable);
  const table = markdownTable(
    [
      "Scenario",
      ...sizes.map((size) => `p50 at ${readable(size)}, ms`),
      ...sizes.map((size) => `CPU at ${readable(size)}, µs`),
      ...larger.map((size) => `CPU at ${size} ÷ at ${smallest}`),
    ],
    rows,
  );
  const disk: string[] = [];
  for (const { data } of shards) {
    const bytes = await storedBytes(data.folder);
    disk.push(`${readable(data.matches)} matches take ${readable(bytes / 1024 ** 2)} MiB`);
  }
  const method = `Matchbook alone, ${CONNECTIONS} connections, ${roundsOf(options)}`;
  return [`${method}. CPU is per request. On disk, ${disk.join(", ")}.`, table].join("\n\n");
}
