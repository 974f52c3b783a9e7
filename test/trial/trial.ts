/** What a kind of trial is, and how `npm run trial` reads its command line. */

import { parseArgs } from "node:util";
import { newSeed } from "../support/chance.ts";

/** A whole number, a text, or nothing. */
export interface Option {
  takes: "number" | "text" | "nothing";
  help: string;
}

export interface Trial {
  /** One line for the list. */
  what: string;
  /** What it does and what must hold, for its help. */
  help: string;
  /** How long it takes, or what it does, without --minutes. */
  usually: string;
  options?: Readonly<Record<string, Option>>;
  /** What --only accepts, with a line for each. */
  parts?: Readonly<Record<string, string>>;
  /** Prints what it does, and returns whether everything held. */
  run(given: Given): Promise<boolean>;
}

/** The command line of a trial. */
export class Given {
  constructor(
    readonly seed: number,
    readonly minutes: number | undefined,
    /** Of the parts; undefined: all. */
    readonly only: readonly string[] | undefined,
    private readonly values: Readonly<Record<string, string | boolean>>,
  ) {}

  text(name: string): string | undefined {
    return this.values[name] as string | undefined;
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number(text);
  }

  has(name: string): boolean {
    return this.values[name] === true;
  }

  /** Whether time is left; without --minutes, as long as `otherwise` says. */
  goesOn(began: number, otherwise: boolean): boolean {
    if (this.minutes === undefined) return otherwise;
    return performance.now() - began < this.minutes * 60_000;
  }
}

/** A mistake on the command line. */
export class Misuse extends Error {}

const COMMON: Record<string, Option> = {
  seed: {
    takes: "number",
    help: "repeats the choices of a run (default: a new one, which is printed)",
  },
  minutes: { takes: "number", help: "how long" },
};
const ONLY: Option = { takes: "text", help: "only these, separated by commas" };

const optionsOf = ({ options = {}, parts, usually }: Trial): Record<string, Option> => ({
  ...COMMON,
  minutes: { takes: "number", help: `how long (default: ${usually})` },
  ...(parts ? { only: ONLY } : {}),
  ...options,
});

const lines = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, help]) => `  ${name.padEnd(width)}   ${help}`).join("\n");
};

const VALUES = { number: " N", text: " …", nothing: "" } as const;

export function helpOf(kind: string, trial: Trial): string {
  const options = Object.entries(optionsOf(trial)).map(
    ([name, { takes, help }]) => [`--${name}${VALUES[takes]}`, help] as const,
  );
  const parts = trial.parts ? `\n\n--only accepts:\n${lines(Object.entries(trial.parts))}` : "";
  return `npm run trial -- ${kind} [options]\n\n${trial.help}\n\n${lines(options)}${parts}\n\n${EXITS}`;
}

const EXITS = "Exit codes: 0 everything held; 1 something did not; 2 wrong usage.";

export const listOf = (trials: Readonly<Record<string, Trial>>): string =>
  `npm run trial -- KIND [--seed N] [--minutes N] [more, see npm run trial -- KIND --help]\n\n${lines(
    Object.entries(trials).map(([kind, { what }]) => [kind, what] as const),
  )}\n\n${EXITS}`;

/** What is to be run; undefined: the help. */
export function read(
  trials: Readonly<Record<string, Trial>>,
  args: readonly string[],
): { kind: string; trial: Trial; given: Given } | { help: string } {
  const [kind = "--help", ...rest] = args;
  if (["--help", "-h", "--list"].includes(kind)) return { help: listOf(trials) };
  const trial = Object.hasOwn(trials, kind) ? trials[kind] : undefined;
  if (!trial)
    throw new Misuse(`there is no kind ${kind}; kinds: ${Object.keys(trials).join(", ")}`);
  const options = optionsOf(trial);
  const values = parsed(options, rest);
  if (values.help) return { help: helpOf(kind, trial) };
  for (const [name, { takes }] of Object.entries(options)) {
    const value = values[name];
    if (takes !== "number" || value === undefined) continue;
    const isRight = /^\d+(\.\d+)?$/.test(String(value)) && Number.isFinite(Number(value));
    if (!isRight) throw new Misuse(`--${name} must be a number, not "${value}"`);
  }
  const only = (values.only as string | undefined)?.split(",");
  for (const part of only ?? []) {
    if (Object.hasOwn(trial.parts!, part)) continue;
    throw new Misuse(
      `${kind} has no ${part}; --only accepts ${Object.keys(trial.parts!).join(", ")}`,
    );
  }
  const number = (name: string) => (values[name] === undefined ? undefined : Number(values[name]));
  const seed = number("seed") ?? newSeed();
  return { kind, trial, given: new Given(seed, number("minutes"), only, values) };
}

function parsed(
  options: Readonly<Record<string, Option>>,
  args: readonly string[],
): Record<string, string | boolean> {
  const types = Object.entries(options).map(
    ([name, { takes }]) => [name, { type: takes === "nothing" ? "boolean" : "string" }] as const,
  );
  try {
    const known = { ...Object.fromEntries(types), help: { type: "boolean", short: "h" } };
    return parseArgs({ args: [...args], options: known as never }).values as never;
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
}
