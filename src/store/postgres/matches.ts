/** In charge of the rows of records, served and withheld, inside a transaction. */

import type { WithheldReason } from "../../domain/visibility.ts";
import { packServed, sheetOf } from "../packing.ts";
import type {
  Fate,
  Fragment,
  KeptRecord,
  MatchEntry,
  StoredMatch,
  WithheldEntry,
} from "../store.ts";
import type { Appearances } from "./appearances.ts";
import { type GivenColumn, insertRows } from "./columns.ts";
import type { Numbers } from "./numbers.ts";
import type { Partitions } from "./partitions.ts";
import type { Connection } from "./session.ts";

export interface RecordRow {
  id: string;
  created_at: string;
  game_mode: string;
  patch_version: string;
  content_hash: Uint8Array;
  carried: Uint8Array;
  /** Of a served record together with the numbers of those it names. */
  sheet: Uint8Array;
  reason: WithheldReason | null;
}

const RECORD = "id, created_at, game_mode, patch_version, content_hash, carried";
export const SERVED_RECORD = `${RECORD}, served AS sheet, NULL AS reason`;
export const WITHHELD_RECORD = `${RECORD}, sheet, reason`;
const SERVED = "{sheets} JOIN {matches} USING (created_at, id)";

export class MatchRows {
  /** Served matches added, less those removed. */
  added = 0;

  constructor(
    private readonly connection: Connection,
    private readonly numbers: { players: Numbers; teams: Numbers },
    private readonly partitions: Partitions,
    private readonly appearances: Appearances,
  ) {}

  async known(ids: string[]): Promise<Map<string, { fate: Fate; contentHash: Uint8Array }>> {
    if (ids.length === 0) return new Map();
    const rows = await this.connection.rows<Pick<RecordRow, "id" | "content_hash" | "reason">>(
      `SELECT id, content_hash, NULL AS reason FROM {sheets} WHERE id = ANY($1::text[])
       UNION ALL SELECT id, content_hash, reason FROM {withheld} WHERE id = ANY($1::text[])`,
      [ids],
    );
    return new Map(
      rows.map((row) => [row.id, { fate: fateOf(row.reason), contentHash: row.content_hash }]),
    );
  }

  async load(ids: string[]): Promise<KeptRecord[]> {
    if (ids.length === 0) return [];
    const rows = await this.connection.rows<RecordRow>(
      `SELECT ${SERVED_RECORD} FROM ${SERVED} WHERE id = ANY($1::text[])
       UNION ALL SELECT ${WITHHELD_RECORD} FROM {withheld} WHERE id = ANY($1::text[])`,
      [ids],
    );
    return rows.map(keptRecord);
  }

  async carried(id: string): Promise<Fragment | undefined> {
    const [row] = await this.connection.rows<{ carried: Uint8Array }>(
      `SELECT carried FROM ${SERVED} WHERE id = $1`,
      [id],
    );
    return row?.carried;
  }

  async addServed(matches: MatchEntry[]): Promise<void> {
    if (matches.length === 0) return;
    await this.partitions.makeFor(
      this.connection,
      matches.map(({ createdAt }) => createdAt),
    );
    await this.#find(matches);
    // One after another, but without waiting for each.
    await Promise.all([
      this.#addMatches(matches),
      this.#addSheets(matches),
      this.appearances.add(matches),
    ]);
    this.added += matches.length;
  }

  async removeServed(matches: MatchEntry[]): Promise<void> {
    if (matches.length === 0) return;
    await this.#find(matches);
    await this.appearances.remove(matches);
    const keys = [matches.map(({ id }) => id), matches.map(({ createdAt }) => createdAt)];
    for (const table of ["matches", "sheets"]) {
      await this.connection.run(
        `DELETE FROM {${table}} AS old USING unnest($1::text[], $2::bigint[])
           AS gone (id, created_at)
         WHERE old.created_at = gone.created_at AND old.id = gone.id`,
        keys,
      );
    }
    this.added -= matches.length;
  }

  async addWithheld(matches: WithheldEntry[]): Promise<void> {
    if (matches.length === 0) return;
    await insertRows(this.connection, "withheld", [
      ...labelColumns(matches),
      { name: "reason", type: "text", values: matches.map(({ reason }) => reason) },
      { name: "content_hash", type: "bytea", values: matches.map((match) => match.contentHash) },
      { name: "sheet", type: "bytea", values: matches.map(({ sheet }) => sheet) },
      { name: "carried", type: "bytea", values: matches.map(({ carried }) => carried) },
    ]);
  }

  async removeWithheld(ids: string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.connection.run("DELETE FROM {withheld} WHERE id = ANY($1::text[])", [ids]);
  }

  /** The numbers of all that these matches name. */
  async #find(matches: MatchEntry[]): Promise<void> {
    const { players, teams } = this.numbers;
    await players.find(matches.flatMap((match) => match.players.map(({ id }) => id)));
    await teams.find(matches.flatMap((match) => match.teams.map(({ id }) => id)));
  }

  #addMatches(matches: MatchEntry[]): Promise<void> {
    return insertRows(this.connection, "matches", [
      ...labelColumns(matches),
      { name: "carried", type: "bytea", values: matches.map(({ carried }) => carried) },
    ]);
  }

  #addSheets(matches: MatchEntry[]): Promise<void> {
    const { players, teams } = this.numbers;
    const served = matches.map((match) =>
      packServed({
        players: match.players.map(({ id }) => players.of(id)),
        teams: match.teams.map(({ id }) => teams.of(id)),
        sheet: match.sheet,
      }),
    );
    return insertRows(this.connection, "sheets", [
      { name: "id", type: "text", values: matches.map(({ id }) => id) },
      { name: "created_at", type: "bigint", values: matches.map(({ createdAt }) => createdAt) },
      { name: "content_hash", type: "bytea", values: matches.map((match) => match.contentHash) },
      { name: "served", type: "bytea", values: served },
    ]);
  }
}

/** What a record is found by. */
function labelColumns(matches: readonly StoredMatch[]): GivenColumn[] {
  return [
    { name: "id", type: "text", values: matches.map(({ id }) => id) },
    { name: "created_at", type: "bigint", values: matches.map(({ createdAt }) => createdAt) },
    { name: "game_mode", type: "text", values: matches.map(({ gameMode }) => gameMode) },
    { name: "patch_version", type: "text", values: matches.map((match) => match.patchVersion) },
  ];
}

function fateOf(reason: WithheldReason | null): Fate {
  return reason === null ? { state: "served" } : { state: "withheld", reason };
}

export function keptRecord(row: RecordRow): KeptRecord {
  return { fate: fateOf(row.reason), match: storedMatch(row) };
}

function storedMatch(row: RecordRow): StoredMatch {
  return {
    id: row.id,
    createdAt: Number(row.created_at),
    gameMode: row.game_mode,
    patchVersion: row.patch_version,
    contentHash: row.content_hash,
    sheet: row.reason === null ? sheetOf(row.sheet) : row.sheet,
    carried: row.carried,
  };
}
