/** `--against`: compares this checkout with another one, e.g. of an earlier commit: the same requests, in turns. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { dataOf, MATCHBOOK, makeData } from "./data.ts";
import { markdownTable, median } from "./figures.ts";
import { chosen, prepare } from "./measure-scenarios.ts";
import { BenchError, progress } from "./processes.ts";
import type { Options } from "./run.ts";
import { startMatchbook } from "./servers.ts";
import { type Measured, measureInTurns } from "./wrk.ts";

/** A table of ratios: this checkout ÷ the other one. */
export async function compareWith(folder: string, options: Options): Promise<string> {
  const program = join(folder, "bin", "matchbook");
  if (!existsSync(program)) throw new BenchError(`There is no ${program}.`);
  const data = await dataOf(options.data, options.matches);
  const other = await makeData(join(options.scratch, "other"), data.matches, data.until, program);
  const here = await startMatchbook(data.folder, options, "here", MATCHBOOK);
  const there = await startMatchbook(other.folder, options, "there", program);
  const rows: string[][] = [];
  for (const scenario of chosen(options)) {
    const ours = await prepare(scenario, here, data, options);
    const theirs = await prepare(scenario, there, data, options, other.key).catch(
      (error: unknown) => {
        if (error instanceof BenchError) return error;
        throw error;
      },
    );
    if (theirs instanceof BenchError) {
      progress(`${scenario.name}: skipped, because the other version lacks it. ${theirs.message}`);
      continue;
    }
    const rounds = await measureInTurns([ours.load, theirs.load], options);
    const row = [scenario.name, ...ratiosOf(rounds[0]!, rounds[1]!)];
    progress(row.join("  "));
    rows.push(row);
  }
  await here.stop();
  await there.stop();
  return markdownTable(["Scenario", "CPU per request, ratio", "Time per request, ratio"], rows);
}

/** Per round, so that a disturbance of both cancels out. */
function ratiosOf(here: readonly Measured[], there: readonly Measured[]): string[] {
  const ratios = [
    here.map((one, round) => one.cpuMicros / there[round]!.cpuMicros),
    here.map((one, round) => there[round]!.requestsPerSecond / one.requestsPerSecond),
  ];
  return ratios.map((values) => median(values).toFixed(2));
}
