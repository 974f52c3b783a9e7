/** The command line of the benchmark: measures the requested sections, one after the other, and prints tables. */

import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { measuredHere } from "./machine.ts";
import { measureGrowth } from "./measure-growth.ts";
import { measureIngest } from "./measure-ingest.ts";
import { measureMemory } from "./measure-memory.ts";
import { measureScenarios } from "./measure-scenarios.ts";
import { compareWith } from "./measure-versions.ts";
import { BenchError, endChildrenOnExit, progress } from "./processes.ts";
import { checkLoadGenerator } from "./wrk.ts";

const SECTIONS: Readonly<Record<string, (options: Options) => Promise<string>>> = {
  ingest: measureIngest,
  scenarios: measureScenarios,
  growth: measureGrowth,
  memory: (options) => measureMemory(options, false),
  "memory-beside-ingest": (options) => measureMemory(options, true),
};
const USUAL = ["ingest", "scenarios"];

export interface Options {
  matches: number;
  seconds: number;
  rounds: number;
  connections: number;
  only: RegExp;
  conventional: boolean;
  postgres: boolean;
  /** The folder of another checkout to compare with. */
  against: string | undefined;
  /** Further flags of `matchbook serve`. */
  serve: string[];
  sizes: number[];
  minutes: number;
  /** The folder of the data, and one for temporary files. */
  data: string;
  scratch: string;
}

function readCommandLine(argv: string[]): { sections: string[]; options: Options } {
  const command = new Command("bench")
    .description(
      "measure Matchbook and compare it with the runtime's ceiling and a conventional server",
    )
    .argument(
      "[section...]",
      `what to measure: ${Object.keys(SECTIONS).join(", ")} (default: ${USUAL.join(" and ")})`,
    )
    .addOption(number("--matches <N>", "matches in the shard", 200_000))
    .addOption(number("--seconds <S>", "length of a measurement", 4))
    .addOption(number("--rounds <R>", "number of measurements; the median is reported", 3))
    .addOption(number("--connections <C>", "connections of the load generator", 32))
    .option("--only <REGEX>", "measure only scenarios with a matching name", pattern, /(?:)/)
    .option("--without-conventional", "skip the conventional server")
    .option("--postgres", "ingest and scenarios: store the shard in PostgreSQL")
    .option(
      "--against <DIR>",
      "compare with another checkout (after npm ci there) in all scenarios, in turns",
    )
    .option("--serve <FLAGS>", "further flags of matchbook serve, e.g. '--compat gamelocker'", "")
    .addOption(
      new Option("--sizes <LIST>", "growth: numbers of matches")
        .argParser((text) => text.split(",").map(positive))
        .default([10_000, 100_000, 1_000_000], "10000,100000,1000000"),
    )
    .addOption(number("--minutes <M>", "memory: duration of the load", 10))
    .option("--data <DIR>", "folder for the data", join(import.meta.dir, ".data"));
  // Exit code 2 for invalid usage, as in Matchbook.
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  command.parse(argv, { from: "user" });
  const unknown = command.args.find((word) => !(word in SECTIONS));
  if (unknown !== undefined) command.error(`error: unknown section "${unknown}"`);
  const given = command.opts();
  const data = resolve(given.data);
  return {
    sections: command.args.length > 0 ? command.args : USUAL,
    options: {
      ...(given as Options),
      conventional: given.withoutConventional !== true && given.postgres !== true,
      postgres: given.postgres === true,
      against: given.against && resolve(given.against),
      serve: given.serve.split(" ").filter(Boolean),
      data,
      scratch: join(data, `scratch-${process.pid}`),
    },
  };
}

function number(flags: string, about: string, usual: number): Option {
  return new Option(flags, about).argParser(positive).default(usual);
}

function positive(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a positive integer.");
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError("It must be a regular expression.");
  }
}

/** Removes the temporary files of earlier failed runs. */
function clearScratch(data: string): void {
  for (const name of existsSync(data) ? readdirSync(data) : []) {
    const owner = /(?:^scratch|\.making)-(\d+)$/.exec(name)?.[1];
    if (owner === undefined || existsSync(`/proc/${owner}`)) continue;
    rmSync(join(data, name), { recursive: true, force: true });
  }
}

async function main(argv: string[]): Promise<void> {
  const { sections, options } = readCommandLine(argv);
  checkLoadGenerator();
  clearScratch(options.data);
  mkdirSync(options.scratch, { recursive: true });
  const words = argv.map((word) => (/^[\w./,=-]+$/.test(word) ? word : `'${word}'`));
  const measured = measuredHere(["bun bench/run.ts", ...words].join(" "));
  const { against } = options;
  if (against !== undefined) {
    process.stdout.write(`${await compareWith(against, options)}\n\n${measured}\n`);
  } else {
    for (const section of sections) {
      progress(`— ${section}`);
      const table = await SECTIONS[section]!(options);
      process.stdout.write(`${table}\n\n${measured}\n\n`);
    }
  }
  rmSync(options.scratch, { recursive: true, force: true });
}

if (import.meta.main) {
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
}
