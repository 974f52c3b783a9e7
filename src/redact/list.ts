/**
 * The redactions of all shards in the key database, beside the lists in the shards themselves: a shard that is restored
 * from an older backup lacks its latest ones. It has ids and times, never names.
 */

import type { Connection, Database } from "../access/key-database.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { isObject } from "../domain/json.ts";
import { EARLIEST, formatTimestamp, LATEST, parseTimestamp } from "../domain/time.ts";
import { checksum } from "../store/checksum.ts";
import { type Redaction, StoreError } from "../store/store.ts";

/** As in the manifest of a backup. */
export interface ListedRedaction {
  shard: string;
  player: string;
  redactedAt: string;
}

/** As it is stored. */
export interface ListEntry extends Redaction {
  shard: string;
  position: number;
  /** Of shard and player: it says what they were if one of them is damaged. */
  checksum: number;
}

/** Throws AccessError. Several processes may use it. */
export class RedactionList {
  constructor(private readonly database: Database) {}

  /** In the order in which they were added, also damaged ones. Creates nothing. */
  async entries(): Promise<ListEntry[]> {
    return (await this.database.exists()) ? readEntries(this.database) : [];
  }

  /** Adds those that are not listed yet, and removes damaged entries that stand for them. */
  async add(shard: string, redactions: readonly Redaction[]): Promise<void> {
    if (redactions.length === 0) return;
    await this.database.transaction(async (connection) => {
      // Others wait here, so that nothing is listed twice.
      await this.database.markKeysChanged(connection);
      const entries = concerning(await readEntries(connection), shard);
      const damaged = entries.filter((entry) => !isWhole(entry));
      const listed = new Set(entries.filter(isWhole).map(({ playerId }) => playerId));
      for (const { playerId, redactedAt } of redactions) {
        if (listed.has(playerId)) continue;
        await connection.run(
          `INSERT INTO {redactions} (position, shard, player_id, redacted_at, checksum)
           VALUES ((SELECT coalesce(max(position), 0) + 1 FROM {redactions}), $1, $2, $3, $4)`,
          [shard, playerId, redactedAt, checksum([shard, playerId])],
        );
        listed.add(playerId);
      }
      const unknown = new Set(lackedBy(damaged, shard, redactions));
      for (const entry of damaged.filter((one) => !unknown.has(one))) {
        await connection.run("DELETE FROM {redactions} WHERE position = $1", [entry.position]);
      }
    });
  }
}

async function readEntries(connection: Connection): Promise<ListEntry[]> {
  const entries = await connection.rows<ListEntry>(
    `SELECT CAST(position AS double precision) AS position, shard, player_id AS "playerId",
       CAST(redacted_at AS double precision) AS "redactedAt",
       CAST(checksum AS double precision) AS checksum
     FROM {redactions} ORDER BY position`,
  );
  // Damage can make anything of them. The time decides nothing, but must be one.
  return entries.map((entry) => ({
    ...entry,
    shard: String(entry.shard),
    playerId: String(entry.playerId),
    redactedAt: Math.min(Math.max(entry.redactedAt, EARLIEST), LATEST),
  }));
}

export const isWhole = ({ shard, playerId, checksum: stored }: ListEntry): boolean =>
  stored === checksum([shard, playerId]);

/** The entries about a shard, also those whose shard is damaged. */
export const concerning = (entries: readonly ListEntry[], shard: string): ListEntry[] =>
  entries.filter((one) => one.shard === shard || checksum([shard, one.playerId]) === one.checksum);

/** The entries about a shard that stand for none of its redactions. */
export function lackedBy(
  entries: readonly ListEntry[],
  shard: string,
  applied: readonly Redaction[],
): ListEntry[] {
  const ids = new Set(applied.map(({ playerId }) => playerId));
  const isMeant = (entry: ListEntry) =>
    !isWhole(entry) &&
    applied.some(({ playerId }) => checksum([shard, playerId]) === entry.checksum);
  return concerning(entries, shard).filter((one) => !ids.has(one.playerId) && !isMeant(one));
}

/**
 * Throws StoreError unless every listed redaction of a shard is applied to it. Returns how many entries about the shard
 * are damaged, and stand for redactions that it has.
 */
export async function checkRedactions(
  list: readonly ListEntry[],
  shard: string,
  applied: () => Awaitable<Redaction[]>,
): Promise<number> {
  const entries = concerning(list, shard);
  if (entries.length === 0) return 0;
  const missing = lackedBy(entries, shard, await applied());
  if (missing.length > 0) throw new StoreError(whyRefused(shard, missing));
  return entries.filter((entry) => !isWhole(entry)).length;
}

function whyRefused(shard: string, missing: readonly ListEntry[]): string {
  const damaged = missing.filter((entry) => !isWhole(entry));
  if (damaged.length === missing.length) {
    const read = damaged.map(({ playerId }) => JSON.stringify(playerId)).join(", ");
    return `shard ${shard} may still have players who were redacted, because entries of the list of redactions are damaged (${read}) and it has no redactions that they could stand for: run 'matchbook redact ${shard} PLAYER' with the right ids, or restore a newer backup`;
  }
  return `shard ${shard} still has players who were redacted (${missing.length} on the list), e.g. because an older backup was put back: run 'matchbook redact ${shard}'`;
}

export const isListed = (value: unknown): value is ListedRedaction =>
  isObject(value) &&
  typeof value.shard === "string" &&
  typeof value.player === "string" &&
  typeof value.redactedAt === "string" &&
  parseTimestamp(value.redactedAt) !== undefined;

/** The entries that are whole, as in a manifest. */
export const listedIn = (entries: readonly ListEntry[]): ListedRedaction[] =>
  entries.filter(isWhole).flatMap((entry) => asListed(entry.shard, [entry]));

/** The redactions of a shard, as in a manifest. */
export const asListed = (shard: string, redactions: readonly Redaction[]): ListedRedaction[] =>
  redactions.map(({ playerId, redactedAt }) => ({
    shard,
    player: playerId,
    redactedAt: formatTimestamp(redactedAt),
  }));

/** The redactions of one shard. */
export const redactionsOf = (list: readonly ListedRedaction[], shard: string): Redaction[] =>
  list
    .filter((one) => one.shard === shard)
    .map(({ player, redactedAt }) => ({
      playerId: player,
      redactedAt: parseTimestamp(redactedAt)!,
    }));

/** Those of a list that a shard lacks. */
export function lacking(listed: readonly Redaction[], applied: readonly Redaction[]): Redaction[] {
  const ids = new Set(applied.map(({ playerId }) => playerId));
  return listed.filter(({ playerId }) => !ids.has(playerId));
}
