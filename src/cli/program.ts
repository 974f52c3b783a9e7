/** The command line: its list of commands, and how an error becomes a message and an exit code. */

import { Command, CommanderError } from "commander";
import { description, version } from "../../package.json";
import { AccessError } from "../access/key-database.ts";
import { ListenError } from "../http/listen.ts";
import { RetryTimeout } from "../ingest/retry.ts";
import { fileOnly, flagOf, isTableName } from "../settings/definitions.ts";
import { SettingsError } from "../settings/load.ts";
import { StoreError, StoreReplaced } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { WorkersError } from "../workers/shared-limits.ts";
import { type AddCommand, CommandError, UsageError, withExamples } from "./command.ts";

/** In the order of the help. Each is loaded only when it is needed, so that short commands start fast. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  quickstart: async () => (await import("./quickstart.ts")).quickstart,
  serve: async () => (await import("./serve.ts")).serve,
  ingest: async () => (await import("./ingest.ts")).ingest,
  export: async () => (await import("./export.ts")).exportShard,
  keys: async () => (await import("./keys.ts")).keys,
  why: async () => (await import("./why.ts")).why,
  withheld: async () => (await import("./withheld.ts")).withheld,
  status: async () => (await import("./status.ts")).status,
  shards: async () => (await import("./shards.ts")).shards,
  prune: async () => (await import("./prune.ts")).prune,
  compact: async () => (await import("./compact.ts")).compact,
  redact: async () => (await import("./redact.ts")).redact,
  doctor: async () => (await import("./doctor.ts")).doctor,
  backup: async () => (await import("./backup.ts")).backup,
  restore: async () => (await import("./restore.ts")).restore,
  verify: async () => (await import("./verify.ts")).verify,
  repair: async () => (await import("./repair.ts")).repair,
  config: async () => (await import("./config.ts")).config,
  demo: async () => (await import("./demo.ts")).demo,
};

/** Errors whose message is for the operator: printed without a stack. */
const EXPECTED = [
  { type: UsageError, exitCode: 2 },
  { type: SettingsError, exitCode: 2 },
  { type: CommandError, exitCode: 1 },
  { type: AccessError, exitCode: 1 },
  // Before StoreError, their base class: the command may be retried.
  { type: RetryTimeout, exitCode: 3 },
  { type: StoreReplaced, exitCode: 3 },
  { type: StoreError, exitCode: 1 },
  { type: ListenError, exitCode: 1 },
  { type: WorkersError, exitCode: 1 },
] as const;

/** With the command that `args` name; with all of them if it is none, for the help and for suggestions. */
export async function buildProgram(args: readonly string[] = []): Promise<Command> {
  const [name = ""] = args[0] === "help" ? args.slice(1) : args;
  const program = new Command("matchbook")
    .description(description)
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print help")
    // Set before the commands are added, which inherit both: run prints the errors.
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  const load = COMMANDS[name];
  for (const add of load ? [load] : Object.values(COMMANDS)) (await add())(program);
  if (!load) {
    const { featureCommands } = await import("./feature-commands.ts");
    for (const add of await featureCommands()) add(program);
  }
  return withExamples(program, {
    "matchbook keys create --name me": "create an API key",
    "matchbook help keys": "print the help of a command",
  });
}

/**
 * Runs one command line and returns its exit code. A command that completed but has problems to report (e.g.
 * rejected records) prints them and sets process.exitCode; one that cannot continue throws.
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = await buildProgram(args);
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(withHelpFlag(args, program), { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return error instanceof CommanderError ? usageError(error, args, program) : failed(error);
  }
}

/**
 * Turns `help keys create` into `keys create --help`; commander supports one word only. Everything after an
 * unknown command is dropped, especially --help, so that the mistake is reported.
 */
function withHelpFlag(args: readonly string[], command: Command): string[] {
  const [word, ...rest] = args;
  if (word === undefined || word.startsWith("-") || command.commands.length === 0) return [...args];
  if (word === "help") return withHelpFlag([...rest, "--help"], command);
  const subcommand = command.commands.find((one) => one.name() === word);
  return subcommand ? [word, ...withHelpFlag(rest, subcommand)] : [word];
}

function usageError(error: CommanderError, args: readonly string[], program: Command): number {
  if (error.exitCode === 0) return 0;
  // A group without a subcommand: commander has printed the help instead of a message.
  if (error.code === "commander.help") return 2;
  const option = /^error: unknown option '--([a-z-]+)/.exec(error.message)?.[1];
  if (option !== undefined && isTableName(option)) {
    printError(fileOnly(flagOf(option), option));
    return 2;
  }
  const [problem, ...advice] = error.message
    .replace(/^error: /, "")
    .replace(/\.$/, "")
    .split("\n");
  const guess = /Did you mean (.*)\?/.exec(advice.join(" "))?.[1];
  const help = `see '${["matchbook", ...commandIn(args, program), "--help"].join(" ")}'`;
  printError(`${problem}; ${guess ? `did you mean ${guess}?` : help}`);
  return 2;
}

/** The words of a command line that name a command, or a group and its subcommand. */
function commandIn(args: readonly string[], program: Command): string[] {
  const [word, ...rest] = args;
  const found = program.commands.find((command) => command.name() === word);
  return found ? [found.name(), ...commandIn(rest, found)] : [];
}

function failed(error: unknown): number {
  const known = EXPECTED.find(({ type }) => error instanceof type);
  const thrown = error instanceof Error ? error : new Error(String(error));
  // System errors (permission denied, disk full, port in use) have a code; anything else is a bug, and its stack
  // is printed.
  const expected = known !== undefined || typeof (error as { code?: unknown }).code === "string";
  printError(
    expected ? describeError(thrown) : `internal error: ${thrown.stack ?? thrown.message}`,
  );
  return known?.exitCode ?? 1;
}

function printError(message: string): void {
  process.stderr.write(`matchbook: ${message}\n`);
}
