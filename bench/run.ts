/** Runs the requested sections of the benchmark. */

import { mkdirSync, rmSync } from "node:fs";
import { endChildrenOnExit } from "./children.ts";
import { compareWith } from "./compare.ts";
import { BenchError, progress } from "./failure.ts";
import { type Flags, readFlags, type SectionName } from "./flags.ts";
import { type Circumstances, circumstances } from "./machine.ts";
import { measureCost } from "./measure-cost.ts";
import { measureGrowth } from "./measure-growth.ts";
import { measureIngest } from "./measure-ingest.ts";
import { measureMemory } from "./measure-memory.ts";
import { measureOverload } from "./measure-overload.ts";
import { measurePostgres } from "./measure-postgres.ts";
import { measureScenarios } from "./measure-scenarios.ts";
import { measureStages } from "./measure-stages.ts";
import { measureWorkers } from "./measure-workers.ts";
import { clearScratch, type Places, placesIn } from "./places.ts";
import { writePlots } from "./plots.ts";
import { PARTS, render } from "./report.ts";
import { mergeResults, type Results } from "./results.ts";
import { checkLoadGenerator } from "./wrk.ts";

async function main(argv: string[]): Promise<void> {
  const flags = readFlags(argv);
  const places = placesIn(flags.out);
  const needsNone = flags.sections.every((section) => section === "ingest" || section === "stages");
  if (flags.against !== undefined || !needsNone) checkLoadGenerator();
  clearScratch(places);
  mkdirSync(places.scratch, { recursive: true });
  if (flags.against !== undefined) {
    process.stdout.write(`${await compareWith(flags.against, flags, places)}\n`);
    rmSync(places.scratch, { recursive: true, force: true });
    return;
  }
  for (const section of flags.sections) {
    progress(`— ${section}`);
    const where = circumstances(commandLine(argv));
    const measured = await measureSection(section, flags, places, where);
    print(measured);
    if (flags.keep) writePlots(places.plots, mergeResults(places.results, measured));
  }
  rmSync(places.scratch, { recursive: true, force: true });
  progress(
    flags.keep
      ? `saved to ${places.results}, with plots in ${places.plots}`
      : "not saved: --only needs --out DIR",
  );
}

async function measureSection(
  section: SectionName,
  flags: Flags,
  places: Places,
  where: Circumstances,
): Promise<Results> {
  switch (section) {
    case "ingest":
      return { ingest: await measureIngest(flags, places, where) };
    case "scenarios":
      return { scenarios: await measureScenarios(flags, places, where) };
    case "stages":
      return { stages: await measureStages(flags, places, where) };
    case "growth":
      return { growth: await measureGrowth(flags, places, where) };
    case "memory":
      return { memory: await measureMemory(flags, places, where, false) };
    case "memory-beside-ingest":
      return { memoryBesideIngest: await measureMemory(flags, places, where, true) };
    case "postgres":
      return { postgres: await measurePostgres(flags, places, where) };
    case "cost":
      return { cost: await measureCost(flags, places, where) };
    case "workers":
      return { workers: await measureWorkers(flags, places, where) };
    case "overload":
      return { overload: await measureOverload(flags, places, where) };
  }
}

/** Prints the tables of the documents; Markdown is readable on a terminal. */
function print(results: Results): void {
  for (const part of PARTS) {
    const text = render(part, results, "plots");
    if (text === undefined) continue;
    const lines = text.split("\n").filter((line) => !line.startsWith("!["));
    process.stdout.write(`${lines.join("\n").replace(/\n{3,}/g, "\n\n")}\n\n`);
  }
}

/** The command without --out, which does not affect results. */
function commandLine(argv: readonly string[]): string {
  const told = argv.filter((word, at) => word !== "--out" && argv[at - 1] !== "--out");
  const quoted = told.map((word) => (/^[\w.,=-]+$/.test(word) ? word : `'${word}'`));
  return ["bun bench/run.ts", ...quoted].join(" ");
}

endChildrenOnExit();
try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BenchError)) throw error;
  progress(`bench: ${error.message}`);
  process.exit(1);
}
// Ends remaining children.
process.exit(0);
