/** `matchbook redact`: removes a player's name and attributes from a shard, and lists the players that were removed. */

import { isResourceId } from "../domain/identifiers.ts";
import { readRedactionList, withRedactionList } from "../open-access.ts";
import {
  asListed,
  concerning,
  isWhole,
  lackedBy,
  lacking,
  listedIn,
  redactionsOf,
} from "../redact/list.ts";
import { countNaming, isLeftByPruned, redactPlayers } from "../redact/redact.ts";
import type { Settings } from "../settings/definitions.ts";
import { type Redaction, StoreError, type Writer } from "../store/store.ts";
import { describeError } from "../text/system-errors.ts";
import { CommandError, defineCommand, note, type Result, UsageError } from "./command.ts";
import { withProgress } from "./progress.ts";
import { withShard, withShards } from "./shard-store.ts";
import { table } from "./table.ts";

interface Flags {
  list?: true;
  yes?: true;
  force?: true;
}

export const redact = defineCommand<Flags>({
  name: "redact",
  summary: "remove a player's name and attributes from a shard",
  description:
    "remove a player from a shard, for privacy requests: name, attributes, and references in records that include the " +
    "player. Matches stay, with an anonymous participant. It cannot be undone. Records that are sent again, and backups that are restored, are " +
    "redacted too. Servers continue; ingest waits while what is served is rewritten. It can be interrupted and " +
    "repeated. Without a player: applies the list of redactions to the shard again, e.g. after an older backup was " +
    "put back.\n" +
    "Exit codes: 1 it failed, or old data is left in the WAL of SQLite; 2 wrong usage.",
  arguments: { "[shard]": "shard id", "[player]": "player id" },
  options: {
    "--list": "list the redacted players of all shards, or of one",
    "--yes":
      "confirm that the player shall be removed; without it, the number of records is printed and nothing changed",
    "--force": "also if no record names the player, so that later ones are redacted",
  },
  json: "print one JSON object: shard, players, served, withheld, erased; with --list, an array",
  examples: {
    "matchbook redact na 5f3c --yes": "remove the player",
    "matchbook redact na": "apply the list of redactions to a shard that was put back",
    "matchbook redact --list": "list the redacted players",
  },
  async run({ settings, flags }, shard: string | undefined, player: string | undefined) {
    if (flags.list) return listAll(settings, shard);
    if (shard === undefined) throw new UsageError("which shard? Name it, or add --list");
    if (player !== undefined && !isResourceId(player)) {
      // It may be the name.
      throw new UsageError(
        "that is not a player id: find the id with filter[playerNames], or in a record",
      );
    }
    return withShard(
      { ...settings, withUnredacted: true },
      shard,
      async (writer) =>
        apply(settings, writer, shard, await chosen(settings, writer, shard, player, flags)),
      "write",
    );
  },
});

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
  if (!flags.yes) {
    throw new UsageError(
      `nothing was changed: ${served + withheld} records of ${shard} name the player, and redact cannot be undone; add --yes to confirm`,
    );
  }
  return [{ playerId: player, redactedAt: Date.now() }];
}

async function apply(
  settings: Settings,
  writer: Writer,
  shard: string,
  redactions: Redaction[],
): Promise<Result> {
  const redacted = await withProgress(`redact ${shard}`, 0, "records", (update) =>
    redactPlayers(
      writer,
      redactions,
      ({ served, withheld }) => update(served + withheld),
      // First: if this process is killed, a shard that lacks one is not served.
      () => withRedactionList(settings, (list) => list.add(shard, redactions)),
    ),
  );
  const erased = await writer.emptyLog();
  const unknown = lackedBy(await readRedactionList(settings), shard, await writer.redactions());
  const problems = unknown.map(
    ({ playerId, redactedAt }) =>
      `An entry of the list of redactions is damaged. It reads ${JSON.stringify(playerId)}, redacted at ${new Date(redactedAt).toISOString()}: run 'matchbook redact ${shard} PLAYER --force --yes' with the right id.`,
  );
  if (!erased) {
    problems.push(
      `A long read of ${shard}, e.g. a backup, keeps old data in its WAL: run 'matchbook redact ${shard}' when it is done.`,
    );
  }
  if (problems.length > 0) process.exitCode = 1;
  const players = redactions.map(({ playerId }) => playerId);
  const { served, withheld } = redacted;
  return {
    json: { shard, players, served, withheld, erased },
    text: table([
      ["players", String(players.length)],
      ["served rewritten", String(served)],
      ["withheld rewritten", String(withheld)],
    ]),
    notes: problems,
  };
}

/** The redactions of the shards themselves, and of the list. */
async function listAll(settings: Settings, wanted: string | undefined): Promise<Result> {
  const list = listedIn(await readRedactionList(settings));
  await withShards({ ...settings, withUnredacted: true }, async (shards) => {
    for (const id of await shards.list()) {
      try {
        const applied = (await (await shards.existingWriter(id))?.redactions()) ?? [];
        list.push(...asListed(id, lacking(applied, redactionsOf(list, id))));
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        note(`${id}: ${describeError(error)}`);
      }
    }
  });
  const json = list.filter((one) => wanted === undefined || one.shard === wanted);
  const rows = json.map(({ shard, player, redactedAt }) => [shard, player, redactedAt]);
  const text = rows.length > 0 ? table([["SHARD", "PLAYER", "REDACTED AT"], ...rows]) : "";
  return { json, text, none: "No player was redacted." };
}
