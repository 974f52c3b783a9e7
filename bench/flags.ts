/** The command line of the benchmark. */

import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";

const SECTIONS = [
  "ingest",
  "scenarios",
  "stages",
  "growth",
  "memory",
  "memory-beside-ingest",
  "postgres",
  "workers",
  "cost",
  "overload",
] as const;
export type SectionName = (typeof SECTIONS)[number];

export interface Flags {
  sections: SectionName[];
  matches: number;
  seconds: number;
  rounds: number;
  only: RegExp;
  conventional: boolean;
  fresh: boolean;
  /** The folder of another checkout to compare with. */
  against: string | undefined;
  /** Whether both serve with the compatibility profile. */
  compat: boolean;
  sizes: number[];
  minutes: number;
  /** For `cost`, in dollars: per GB sent, and per hour of a core. */
  trafficPrice: number;
  corePrice: number;
  out: string;
  /** Whether results are saved. A run with a few scenarios does not replace all results. */
  keep: boolean;
}

const USUAL: SectionName[] = ["ingest", "scenarios"];

/** Exits with a message if the command line is invalid. */
export function readFlags(argv: string[]): Flags {
  const command = new Command("bench")
    .description(
      "measure Matchbook and compare it with the runtime's ceiling and a conventional server",
    )
    .argument(
      "[section...]",
      `what to measure: ${SECTIONS.join(", ")} (default: ${USUAL.join(" and ")})`,
    )
    .addOption(number("--matches <N>", "matches in the shard", wholeNumber, 200_000))
    .addOption(
      number("--seconds <S>", "length of a measurement in seconds, rounded up", positive, 4),
    )
    .addOption(
      number("--rounds <R>", "number of measurements; the median is reported", wholeNumber, 3),
    )
    .option(
      "--only <REGEX>",
      "measure only scenarios with a matching name; saved only with --out",
      pattern,
    )
    .option("--without-conventional", "skip the conventional server")
    .option("--fresh", "rebuild the data")
    .option(
      "--against <DIR>",
      "compare with another checkout (after npm ci there): all scenarios, in turns; nothing is saved",
    )
    .option("--compat", "with --against: serve with the compatibility profile gamelocker")
    .addOption(
      new Option("--sizes <LIST>", "growth: numbers of matches")
        .argParser(sizes)
        .default([10_000, 100_000, 1_000_000], "10000,100000,1000000"),
    )
    .option("--large", "growth: also 10,000,000 matches (about 45 GB of disk, several hours)")
    .addOption(number("--minutes <M>", "memory: duration of the load", positive, 10))
    .addOption(number("--traffic-price <USD>", "cost: dollars per GB sent", positive, 0.09))
    .addOption(number("--core-price <USD>", "cost: dollars per hour of a core", positive, 0.04))
    .option("--out <DIR>", "folder for data, results and plots (default: bench)")
    .addHelpText(
      "after",
      `
Examples:
  # the figures in the documentation
  $ bun bench/run.ts

  # a quick look at one scenario
  $ bun bench/run.ts scenarios --matches 5000 --seconds 1 --rounds 1 --only 'match by id'

  # what the changes since a commit cost
  $ git worktree add ../before main~10 && (cd ../before && npm ci)
  $ bun bench/run.ts --against ../before --seconds 1 --rounds 7`,
    );
  // Exit code 2 for invalid usage, as in Matchbook.
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  command.parse(argv, { from: "user" });
  const options = command.opts();
  return {
    sections: sectionsIn(command),
    matches: options.matches,
    seconds: options.seconds,
    rounds: options.rounds,
    only: options.only ?? /(?:)/,
    conventional: options.withoutConventional !== true,
    fresh: options.fresh === true,
    against: options.against && resolve(options.against),
    compat: options.compat === true,
    sizes: options.large === true ? [...options.sizes, 10_000_000] : options.sizes,
    minutes: options.minutes,
    trafficPrice: options.trafficPrice,
    corePrice: options.corePrice,
    out: resolve(options.out ?? import.meta.dir),
    keep: options.only === undefined || options.out !== undefined,
  };
}

function sectionsIn(command: Command): SectionName[] {
  if (command.args.length === 0) return USUAL;
  const unknown = command.args.find((word) => !(SECTIONS as readonly string[]).includes(word));
  if (unknown !== undefined) {
    command.error(`error: unknown section "${unknown}"; use one of: ${SECTIONS.join(", ")}`);
  }
  return SECTIONS.filter((section) => command.args.includes(section));
}

function number(
  flags: string,
  about: string,
  parse: (text: string) => number,
  usual: number,
): Option {
  return new Option(flags, about).argParser(parse).default(usual);
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a positive integer.");
}

function positive(text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It must be a positive number.");
}

function sizes(text: string): number[] {
  return text
    .split(",")
    .map(wholeNumber)
    .sort((one, other) => one - other);
}

function pattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new InvalidArgumentError("It must be a regular expression.");
  }
}
