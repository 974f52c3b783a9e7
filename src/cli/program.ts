/** In charge of the command line as a whole: its list of verbs, and how an error becomes an exit code. */

import { Command, CommanderError } from "commander";
import { description, version } from "../../package.json";
import { AccessError } from "../access/database.ts";
import { ListenError } from "../http/listen.ts";
import { StayedAway } from "../ingest/retry.ts";
import { SettingsError } from "../settings/load.ts";
import { fileOnly, flagOf, isTableName } from "../settings/table.ts";
import { StoreError } from "../store/store.ts";
import { WorkersError } from "../workers/system.ts";
import { config } from "./config.ts";
import { demo } from "./demo.ts";
import { ingest } from "./ingest.ts";
import { keys } from "./keys.ts";
import { quickstart } from "./quickstart.ts";
import { inWords } from "./refused.ts";
import { serve } from "./serve.ts";
import { shards } from "./shards.ts";
import { status } from "./status.ts";
import { Failure, Misuse, type Verb, withExamples } from "./verb.ts";
import { why } from "./why.ts";

/** In the order of the help. */
const VERBS: readonly Verb[] = [quickstart, serve, ingest, keys, why, status, shards, config, demo];

/** Errors whose message is written for the operator: it is printed alone, without a stack. */
const SPOKEN = [
  { type: Misuse, exitCode: 2 },
  { type: SettingsError, exitCode: 2 },
  { type: Failure, exitCode: 1 },
  { type: AccessError, exitCode: 1 },
  // Before its own kind: what is waited for in vain may be there when it is run again.
  { type: StayedAway, exitCode: 3 },
  { type: StoreError, exitCode: 1 },
  { type: ListenError, exitCode: 1 },
  { type: WorkersError, exitCode: 1 },
] as const;

export function buildProgram(verbs: readonly Verb[] = VERBS): Command {
  const program = new Command("matchbook")
    .description(description)
    .version(version, "-v, --version", "print the version")
    .helpOption("-h, --help", "print help; every verb has its own")
    // Set before the verbs are added, which inherit both: errors are thrown and printed by run.
    .exitOverride()
    .configureOutput({ outputError: () => {} });
  for (const verb of verbs) verb(program);
  return withExamples(program, [
    ["matchbook keys create --name me", "make an API key"],
    ["matchbook help keys", "see what a verb can do"],
  ]);
}

/**
 * Runs one command line and returns its exit code. A verb that did its work but has bad news (records
 * that were rejected, say) prints them and sets process.exitCode; one that cannot go on throws.
 */
export async function run(args: readonly string[], program = buildProgram()): Promise<number> {
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(understood(args, program), { from: "user" });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return error instanceof CommanderError ? misused(error, args, program) : failed(error);
  }
}

/**
 * `help keys create` is `keys create --help`, which commander knows for one word only. What follows a
 * word that is no verb is left out, --help above all: the mistake counts, and not the help of another.
 */
function understood(args: readonly string[], command: Command): string[] {
  const [word, ...rest] = args;
  if (word === undefined || word.startsWith("-") || command.commands.length === 0) return [...args];
  if (word === "help") return understood([...rest, "--help"], command);
  const verb = command.commands.find((one) => one.name() === word);
  return verb ? [word, ...understood(rest, verb)] : [word];
}

function misused(error: CommanderError, args: readonly string[], program: Command): number {
  if (error.exitCode === 0) return 0;
  // A group without its verb: commander has printed the help instead of a message.
  if (error.code === "commander.help") return 2;
  const option = /^error: unknown option '--([a-z-]+)/.exec(error.message)?.[1];
  if (option !== undefined && isTableName(option)) {
    complain(fileOnly(flagOf(option), option));
    return 2;
  }
  const [problem, ...advice] = error.message
    .replace(/^error: /, "")
    .replace(/\.$/, "")
    .split("\n");
  const guess = /Did you mean (.*)\?/.exec(advice.join(" "))?.[1];
  const help = `see '${["matchbook", ...verbIn(args, program), "--help"].join(" ")}'`;
  complain(`${problem}; ${guess ? `did you mean ${guess}?` : help}`);
  return 2;
}

/** The words of a command line that name a verb, or a group and its verb. */
function verbIn(args: readonly string[], program: Command): string[] {
  const [word, ...rest] = args;
  const verb = program.commands.find((command) => command.name() === word);
  return verb ? [verb.name(), ...verbIn(rest, verb)] : [];
}

function failed(error: unknown): number {
  const spoken = SPOKEN.find(({ type }) => error instanceof type);
  const thrown = error instanceof Error ? error : new Error(String(error));
  // What the system refuses (a missing right, a full disk, a taken port) carries a code; anything
  // else is a mistake of ours, whose stack is worth reporting.
  const expected = spoken !== undefined || typeof (error as { code?: unknown }).code === "string";
  complain(expected ? inWords(thrown) : `internal error: ${thrown.stack ?? thrown.message}`);
  return spoken?.exitCode ?? 1;
}

function complain(sentence: string): void {
  process.stderr.write(`matchbook: ${sentence}\n`);
}
