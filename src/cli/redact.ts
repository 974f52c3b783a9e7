/** `matchbook redact`: removes a player's name and attributes from a shard, and lists the players that were removed. */

import { createInterface } from "node:readline/promises";
import { isResourceId } from "../domain/identifiers.ts";
import { readRedactionList, withRedactionList } from "../open-access.ts";
import {
  asListed,
  concerning,
  isWhole,
  type ListedRedaction,
  lackedBy,
  lacking,
  listedIn,
  redactionsOf,
} from "../redact/list.ts";
import { countNaming, isLeftByPruned, type Redacted, redactPlayers } from "../redact/redact.ts";
import type { Settings } from "../settings/definitions.ts";
import { type Redaction, StoreError, type Writer } from "../store/store.ts";
import {
  type AddCommand,
  CommandError,
  note,
  print,
  settingsOf,
  UsageError,
  withExamples,
  withSettings,
} from "./command.ts";
import { startProgress } from "./progress.ts";
import { existingShard, withShards } from "./shard-store.ts";
import { describeError } from "./system-errors.ts";
import { table } from "./table.ts";

interface Flags {
  list?: true;
  dryRun?: true;
  yes?: true;
  force?: true;
  json?: true;
}

export const redact: AddCommand = (program) => {
  const command = program
    .command("redact")
    .summary("remove a player's name and attributes from a shard")
    .description(
      "remove a player from a shard, for privacy requests: name, attributes, and references in records that include the " +
        "player. Matches stay, with an anonymous participant. It cannot be undone. Records that are sent again, and backups that are restored, are " +
        "redacted too. Servers continue; ingest waits while what is served is rewritten. It can be interrupted and " +
        "repeated. Without a player: applies the list of redactions to the shard again, e.g. after an older backup was " +
        "put back.\n" +
        "Exit codes: 1 it failed, or old data is left in the WAL of SQLite; 2 wrong usage.",
    )
    .argument("[shard]", "shard id")
    .argument("[player]", "player id")
    .option("--list", "list the redacted players of all shards, or of one")
    .option("--dry-run", "print how many records name the player, and change nothing")
    .option("--yes", "do not ask")
    .option("--force", "also if no record names the player, so that later ones are redacted")
    .option(
      "--json",
      "print one JSON object: shard, players, served, withheld, erased, dryRun; with --list, an array",
    )
    .action(async (shard: string | undefined, player: string | undefined, flags: Flags) => {
      const settings = settingsOf(command).values;
      if (flags.list) return printList(await allRedactions(settings, shard), flags);
      if (shard === undefined) throw new UsageError("which shard? Name it, or add --list");
      if (player !== undefined && !isResourceId(player)) {
        // It may be the name.
        throw new UsageError(
          "that is not a player id: find the id with filter[playerNames], or in a record",
        );
      }
      await withAnyShard(settings, shard, async (writer) => {
        if (flags.dryRun) return printDryRun(writer, shard, player, flags);
        const redactions = await chosen(settings, writer, shard, player, flags);
        await apply(settings, writer, shard, redactions, flags);
      });
    });
  withSettings(command);
  withExamples(command, [
    ["matchbook redact na 5f3c --dry-run", "count the records that name a player"],
    ["matchbook redact na 5f3c", "remove the player, after a confirmation"],
    ["matchbook redact na", "apply the list of redactions to a shard that was put back"],
    ["matchbook redact --list", "list the redacted players"],
  ]);
};

/** Opens a shard even if it lacks redactions. */
const withAnyShard = <T>(
  settings: Settings,
  id: string,
  work: (writer: Writer) => Promise<T>,
  access: "read" | "write" = "write",
): Promise<T> =>
  withShards(
    { ...settings, withUnredacted: true },
    async (shards) => work(await existingShard(shards, id)),
    access,
  );

/** The redactions to apply. */
async function chosen(
  settings: Settings,
  writer: Writer,
  shard: string,
  player: string | undefined,
  flags: Flags,
): Promise<Redaction[]> {
  const applied = await writer.redactions();
  const listed = concerning(await readRedactionList(settings), shard).filter(isWhole);
  const all = [...applied, ...lacking(listed, applied)];
  if (player === undefined) return all;
  const before = all.find(({ playerId }) => playerId === player);
  // Again, in case it was interrupted.
  if (before) return [before];
  const { served, withheld } = await countNaming(writer, player);
  if (served + withheld === 0 && !flags.force && !(await isLeftByPruned(writer, player))) {
    throw new CommandError(
      `no record in ${shard} names a player with the id ${player}; with --force, later records are redacted`,
    );
  }
  await confirm(shard, player, served + withheld, flags);
  return [{ playerId: player, redactedAt: Date.now() }];
}

async function confirm(
  shard: string,
  player: string,
  records: number,
  { yes }: Flags,
): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new UsageError("redact cannot be undone: add --yes to confirm");
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal
    .question(
      `This removes the player from ${records} records of ${shard}, and from what pruned ones left behind, and cannot be undone. Type the player id to continue: `,
    )
    .finally(() => terminal.close());
  if (typed.trim() !== player) throw new CommandError("that is not the id; nothing was changed");
}

async function apply(
  settings: Settings,
  writer: Writer,
  shard: string,
  redactions: Redaction[],
  flags: Flags,
): Promise<void> {
  const progress = startProgress(`redact ${shard}`, 0, "records");
  try {
    const redacted = await redactPlayers(
      writer,
      redactions,
      ({ served, withheld }) => progress.update(0, served + withheld),
      // First: if this process is killed, a shard that lacks one is not served.
      () => withRedactionList(settings, (list) => list.add(shard, redactions)),
    );
    const erased = await writer.emptyLog();
    progress.stop();
    const players = redactions.map(({ playerId }) => playerId);
    printResult({ shard, players, ...redacted, erased, dryRun: false }, flags);
    const unknown = lackedBy(await readRedactionList(settings), shard, await writer.redactions());
    for (const { playerId, redactedAt } of unknown) {
      note(
        `An entry of the list of redactions is damaged. It reads ${JSON.stringify(playerId)}, redacted at ${new Date(redactedAt).toISOString()}: run 'matchbook redact ${shard} PLAYER --force' with the right id.`,
      );
      process.exitCode = 1;
    }
    if (erased) return;
    note(
      `A long read of ${shard}, e.g. a backup, keeps old data in its WAL: run 'matchbook redact ${shard}' when it is done.`,
    );
    process.exitCode = 1;
  } finally {
    progress.stop();
  }
}

async function printDryRun(
  writer: Writer,
  shard: string,
  player: string | undefined,
  flags: Flags,
): Promise<void> {
  if (player === undefined) throw new UsageError("--dry-run needs a player");
  const found = await countNaming(writer, player);
  printResult({ shard, players: [player], ...found, erased: false, dryRun: true }, flags);
  if (await isLeftByPruned(writer, player)) {
    note("What pruned matches left behind of the player would be removed too.");
  }
}

interface Result extends Redacted {
  shard: string;
  players: string[];
  erased: boolean;
  dryRun: boolean;
}

function printResult(result: Result, { json }: Flags): void {
  const verb = result.dryRun ? "would be rewritten" : "rewritten";
  print(
    json
      ? JSON.stringify(result)
      : table([
          ["players", String(result.players.length)],
          [`served ${verb}`, String(result.served)],
          [`withheld ${verb}`, String(result.withheld)],
        ]),
  );
}

/** Of the shards themselves, and of the file. */
async function allRedactions(
  settings: Settings,
  shard: string | undefined,
): Promise<ListedRedaction[]> {
  const list = listedIn(await readRedactionList(settings));
  const ids = await withShards(settings, async (shards) => shards.list());
  for (const id of ids) {
    try {
      const applied = await withAnyShard(
        settings,
        id,
        async (writer) => writer.redactions(),
        "read",
      );
      list.push(...asListed(id, lacking(applied, redactionsOf(list, id))));
    } catch (error) {
      if (!(error instanceof StoreError || error instanceof CommandError)) throw error;
      if (error instanceof StoreError) note(`${id}: ${describeError(error)}`);
    }
  }
  return list.filter((one) => shard === undefined || one.shard === shard);
}

function printList(list: readonly ListedRedaction[], { json }: Flags): void {
  if (json) print(JSON.stringify(list));
  else if (list.length === 0) note("No player was redacted.");
  else {
    const rows = list.map(({ shard, player, redactedAt }) => [shard, player, redactedAt]);
    print(table([["SHARD", "PLAYER", "REDACTED AT"], ...rows]));
  }
}
