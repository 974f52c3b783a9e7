/** Renders results.json as Markdown. */

import type { Circumstances } from "./machine.ts";
import type {
  CostFigures,
  CostSection,
  GrowthSection,
  IngestSection,
  MemorySection,
  OverloadSection,
  PostgresSection,
  Results,
  ScenarioRow,
  ScenariosSection,
  ServerFigures,
  StagesSection,
  WorkersSection,
} from "./results.ts";
import { markdownTable, percent, readable, times } from "./table.ts";

/** The parts that documents contain, between `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`. */
export const PARTS = [
  "scenarios",
  "details",
  "ingest",
  "stages",
  "growth",
  "memory",
  "memory-beside-ingest",
  "postgres",
  "workers",
  "cost",
  "overload",
] as const;
export type Part = (typeof PARTS)[number];

/** Renders a part; undefined without results. `plots` is the path to the plots. */
export function render(part: Part, results: Results, plots: string): string | undefined {
  const { scenarios, ingest, stages, growth, memory, memoryBesideIngest } = results;
  if (part === "scenarios") return scenarios && renderScenarios(scenarios, plots);
  if (part === "details") return scenarios && renderDetails(scenarios);
  if (part === "ingest") return ingest && renderIngest(ingest);
  if (part === "stages") return stages && renderStages(stages);
  if (part === "growth") return growth && renderGrowth(growth, plots);
  if (part === "postgres") return results.postgres && renderPostgres(results.postgres);
  if (part === "cost") return results.cost && renderCost(results.cost);
  if (part === "overload") return results.overload && renderOverload(results.overload);
  if (part === "workers") return results.workers && renderWorkers(results.workers);
  if (part === "memory") return memory && renderMemory(memory, `${plots}/memory.svg`);
  return (
    memoryBesideIngest && renderMemory(memoryBesideIngest, `${plots}/memory-beside-ingest.svg`)
  );
}

function renderPostgres({ byId, ...section }: PostgresSection): string {
  const table = markdownTable(
    ["A shard in PostgreSQL", "Measured"],
    [
      ["match by id, requests/s", readable(byId.requestsPerSecond)],
      ["bare server, requests/s", readable(byId.bareRequestsPerSecond)],
      ["Matchbook ÷ bare server", percent(byId.ratio)],
      ["CPU per request, µs", readable(byId.cpuMicros)],
      ["CPU per request of the bare server, µs", readable(byId.bareCpuMicros)],
      ["ingest, matches/s", readable(section.matchesPerSecond)],
      ["CPU per match at ingest, ms", readable((1000 * section.ownCpuSeconds) / section.matches)],
      [
        "CPU per match of PostgreSQL, ms",
        readable((1000 * section.databaseCpuSeconds) / section.matches),
      ],
      ["stored bytes per match", readable(section.storedBytesPerMatch)],
    ],
  );
  return [
    `${readable(section.matches)} matches, ${section.connections} connections, medians of ${section.rounds} rounds (ratios are computed per round); the database is on the same machine.`,
    table,
    provenance(section),
  ].join("\n\n");
}

function renderOverload({ rows, connections, ...section }: OverloadSection): string {
  const unloaded = rows[0]!.p99Ms;
  const loads = markdownTable(
    [
      "Load",
      "requests/s",
      "served/s",
      "p50, ms",
      "p99, ms",
      "p99 ÷ unloaded",
      "refused/s",
      "refusals: p50, ms",
      "p99, ms",
      "/healthz: p99, ms",
      "failed",
      "memory, MiB",
    ],
    rows.map((row) => [
      `${row.factor}×`,
      readable(row.rate),
      readable(row.admittedPerSecond),
      readable(row.p50Ms),
      readable(row.p99Ms),
      (row.p99Ms / unloaded).toFixed(1),
      readable(row.refusedPerSecond),
      row.refusedPerSecond > 0 ? readable(row.refusedP50Ms) : "–",
      row.refusedPerSecond > 0 ? readable(row.refusedP99Ms) : "–",
      readable(row.healthP99Ms),
      String(row.failed),
      readable(row.memoryMiB),
    ]),
  );
  const idle = markdownTable(
    [
      "Connections",
      "memory before, MiB",
      "with all open, MiB",
      "after, MiB",
      "all closed after, s",
      "not closed",
      "slowest /healthz, ms",
    ],
    connections.map((row) => [
      `${readable(row.connections)} ${row.name}`,
      readable(row.beforeMiB),
      readable(row.openMiB),
      readable(row.afterMiB),
      readable(row.closedAfterSeconds),
      String(row.left),
      readable(row.healthMs),
    ]),
  );
  return [
    `${readable(section.matches)} matches, ${section.seconds} s for each load, a mix of requests that a closed loop gets ${readable(section.capacity)} times per second. One server process for all of it, which was not restarted.`,
    loads,
    idle,
    provenance(section),
  ].join("\n\n");
}

function renderWorkers({ rows, ...section }: WorkersSection): string {
  const table = markdownTable(
    ["CPU time per request", "one process, µs", "two workers, µs", "two ÷ one"],
    rows.map(({ name, oneMicros, twoMicros, ratio }) => [
      name,
      readable(oneMicros),
      readable(twoMicros),
      ratio.toFixed(2),
    ]),
  );
  return [
    `${readable(section.matches)} matches, ${section.connections} connections per worker, medians of ${section.rounds} alternating rounds (ratios are computed per round); the second worker shares the core of the load generator.`,
    table,
    provenance(section),
  ].join("\n\n");
}

function renderCost({ rows, trafficPrice, corePrice, ...section }: CostSection): string {
  const dollars = ({ wireBytes, cpuMicros }: CostFigures) =>
    (wireBytes / 1000) * trafficPrice + (cpuMicros / 3600) * corePrice;
  const cells = (one: CostFigures | undefined) =>
    one
      ? [readable(one.wireBytes), readable(one.cpuMicros), dollars(one).toFixed(2)]
      : ["", "", ""];
  const kinds = ["one connection", "one connection, zstd", "busy", "conventional"];
  const costs = markdownTable(
    ["Scenario", ...kinds.flatMap((kind) => [`${kind}: bytes`, "CPU, µs", "$ per million"])],
    rows.map(({ name, idle, idleZstd, busy, conventional }) => [
      name,
      ...[idle, idleZstd, busy, conventional].flatMap(cells),
    ]),
  );
  const sizes = markdownTable(
    ["Scenario", "size ÷ gzip -6", "size ÷ zstd -3", "busy: requests/s, auto ÷ fast"],
    rows.map(({ name, gzipRatio, zstdRatio, autoToFast }) => [
      name,
      gzipRatio.toFixed(2),
      zstdRatio.toFixed(2),
      autoToFast.toFixed(2),
    ]),
  );
  return [
    `${readable(section.matches)} matches, ${roundsOf(section)}; busy means ${section.connections} connections. Bytes and CPU time are per response, bytes with headers. $${trafficPrice} per GB and $${corePrice} per core and hour; \`--traffic-price\` and \`--core-price\` set other prices.`,
    costs,
    sizes,
    provenance(section),
  ].join("\n\n");
}

function renderScenarios(section: ScenariosSection, plots: string): string {
  const rate = (one: ServerFigures | undefined) => (one ? readable(one.requestsPerSecond) : "");
  const table = markdownTable(
    [
      "Scenario",
      "Matchbook, requests/s",
      "Ceiling, requests/s",
      "Conventional, requests/s",
      "Matchbook ÷ ceiling",
      "Matchbook ÷ conventional",
    ],
    section.rows.map((row) => [
      row.name,
      rate(row.matchbook),
      rate(row.ceiling),
      rate(row.conventional),
      percent(row.matchbook.requestsPerSecond / row.ceiling.requestsPerSecond),
      row.conventional
        ? times(row.matchbook.requestsPerSecond / row.conventional.requestsPerSecond)
        : "",
    ]),
  );
  return [
    `${readable(section.matches)} matches in one shard, ${section.connections} connections, ${roundsOf(section)}.`,
    table,
    `![Requests per second, by scenario](${plots}/scenarios-requests.svg)`,
    `![Matchbook's requests per second as a multiple of the others', by scenario](${plots}/scenarios-ratios.svg)`,
    provenance(section),
  ].join("\n\n");
}

function renderDetails({ rows, ...section }: ScenariosSection): string {
  const of = ({ ceiling, matchbook, conventional }: ScenarioRow) => [
    matchbook,
    ceiling,
    conventional,
  ];
  const each = (row: ScenarioRow, pick: (one: ServerFigures) => number) =>
    of(row)
      .flatMap((one) => (one ? [readable(pick(one))] : []))
      .join(" / ");
  const ratio = (
    one: ServerFigures,
    other: ServerFigures | undefined,
    pick: (figures: ServerFigures) => number,
  ) => (other ? times(pick(one) / pick(other)) : "");
  const legend = rows[0]?.conventional
    ? "Cells with three numbers: Matchbook / ceiling / conventional."
    : "Cells with two numbers: Matchbook / ceiling.";
  const table = markdownTable(
    [
      "Scenario",
      "p50, ms",
      "p99, ms",
      "p99 ÷ ceiling",
      "CPU per request, µs",
      "CPU ÷ ceiling",
      "CPU ÷ conventional",
      "Body, bytes",
    ],
    rows.map((row) => [
      row.name,
      each(row, ({ p50Ms }) => p50Ms),
      each(row, ({ p99Ms }) => p99Ms),
      ratio(row.matchbook, row.ceiling, ({ p99Ms }) => p99Ms),
      each(row, ({ cpuMicros }) => cpuMicros),
      ratio(row.matchbook, row.ceiling, ({ cpuMicros }) => cpuMicros),
      ratio(row.matchbook, row.conventional, ({ cpuMicros }) => cpuMicros),
      each(row, ({ bodyBytes }) => bodyBytes),
    ]),
  );
  const scenarios = rows.map(({ name, about }) => `- **${name}**: ${about}`).join("\n");
  return [legend, table, scenarios, provenance(section)].join("\n\n");
}

function renderIngest(section: IngestSection): string {
  const ratio = section.jsonBytesPerMatch / section.storedBytesPerMatch;
  const table = markdownTable(
    ["Measure", "Value"],
    [
      ["matches ingested", readable(section.matches)],
      ["matches/s", readable(section.matchesPerSecond)],
      ["wall time, s", readable(section.seconds)],
      ["CPU time, s", readable(section.cpuSeconds)],
      ["peak resident memory, MiB", readable(section.peakMiB)],
      ["JSON input, bytes/match", readable(section.jsonBytesPerMatch)],
      ["stored with all indexes, bytes/match", readable(section.storedBytesPerMatch)],
      ["JSON ÷ stored", times(ratio)],
    ],
  );
  return [table, provenance(section)].join("\n\n");
}

function renderStages(section: StagesSection): string {
  const table = markdownTable(
    ["Stage", ...section.scenarios.map((name) => `${name}, µs`)],
    section.rows.map(({ stage, micros }) => [stage, ...micros.map(readable)]),
  );
  return [table, provenance(section)].join("\n\n");
}

function renderGrowth(section: GrowthSection, plots: string): string {
  const [smallest, ...larger] = section.sizes;
  const short = (size: number) => size.toLocaleString("en-US");
  const table = markdownTable(
    [
      "Scenario",
      ...section.sizes.map((size) => `p50 at ${short(size)}, ms`),
      ...section.sizes.map((size) => `CPU at ${short(size)}, µs`),
      ...larger.map((size) => `CPU at ${short(size)} ÷ at ${short(smallest!)}`),
    ],
    section.rows.map(({ name, p50Ms, cpuMicros }) => [
      name,
      ...p50Ms.map(readable),
      ...cpuMicros.map(readable),
      ...larger.map((_, at) => times(cpuMicros[at + 1]! / cpuMicros[0]!)),
    ]),
  );
  const disk = section.sizes.map(
    (size, at) =>
      `${short(size)} matches take ${readable(section.storedBytes[at]! / 1024 ** 2)} MiB`,
  );
  return [
    `Matchbook alone, ${section.connections} connections, ${roundsOf(section)}. CPU is per request. On disk, ${disk.join(", ")}.`,
    table,
    `![Median latency as the shard grows](${plots}/growth-p50.svg)`,
    `![CPU time per request as the shard grows](${plots}/growth-cpu.svg)`,
    provenance(section),
  ].join("\n\n");
}

function renderMemory(section: MemorySection, plot: string): string {
  const settled = `${readable(section.settledSeconds)} s`;
  const table = markdownTable(
    ["Measure", "Value"],
    [
      ["duration of the load, minutes", readable(section.minutes)],
      ["requests answered", readable(section.requests)],
      ["requests/s", readable(section.requestsPerSecond)],
      ...(section.ingested > 0 ? [["matches ingested meanwhile", readable(section.ingested)]] : []),
      [`resident memory of the server after ${settled}, MiB`, readable(section.settledMiB)],
      ["resident memory at the end, MiB", readable(section.endMiB)],
      ["peak resident memory, MiB", readable(section.maxMiB)],
      ...(section.ingested > 0
        ? [["peak resident memory of the ingest, MiB", readable(section.maxIngestMiB)]]
        : []),
      [`growth from ${settled} to the end`, percent(section.growthPercent / 100)],
      [`without mapped files, after ${settled}, MiB`, readable(section.settledOwnMiB)],
      ["without mapped files, at the end, MiB", readable(section.endOwnMiB)],
      [
        `without mapped files, growth from ${settled} to the end`,
        percent(section.ownGrowthPercent / 100),
      ],
    ],
  );
  return [
    `All scenarios mixed, ${section.connections} connections, ${readable(section.matches)} matches at the start.`,
    table,
    `![Resident memory over time](${plot})`,
    provenance(section),
  ].join("\n\n");
}

function roundsOf({ rounds, seconds }: { rounds: number; seconds: number }): string {
  return rounds === 1 ? `one round of ${seconds} s` : `medians of ${rounds} rounds of ${seconds} s`;
}

function provenance({ date, command, commit, machine }: Circumstances): string {
  const { cpu, cores, memoryGiB, system, bun, node, pinning } = machine;
  const at = commit === undefined ? "" : ` at commit ${commit}`;
  return `Measured on ${date.slice(0, 10)}${at} with \`${command}\`: ${cores} cores of ${cpu}, ${memoryGiB} GiB, ${system}, Bun ${bun}, Node.js ${node}; ${pinning}.`;
}
