/**
 * What the checksum of each row covers, and whether a row is the one that was looked for. The same for both
 * adapters, except for the names of tables.
 */

import { crc32 } from "node:zlib";
import { type RankedTally, winRate } from "../domain/leaderboards.ts";
import { checksum } from "./checksum.ts";
import { type RecordRow, someResult } from "./row-encoding.ts";
import {
  DamagedData,
  type Fate,
  type Fragment,
  type MatchKey,
  type PlayerBase,
  type PlayerListing,
  type PlayerRow,
  type Redaction,
  type Selection,
  type ShardRecord,
  type Standing,
  type TeamRow,
} from "./store.ts";

/** What readers need of a served match. */
export interface MatchRow {
  id: string;
  created_at: number;
  game_mode: string;
  patch_version: string;
  results: Uint8Array;
  document: Uint8Array;
  checksum: number;
}

export const keyOf = ({ created_at, id }: Pick<MatchRow, "created_at" | "id">): MatchKey => ({
  createdAt: created_at,
  id,
});

export const matchChecksum = (row: Omit<MatchRow, "checksum">): number =>
  checksum([row.id, row.created_at, row.game_mode, row.patch_version, row.results, row.document]);

/** Of the players and teams as they were in the record of a match. */
export const snapshotChecksum = (matchId: string, snapshot: Fragment | null): number =>
  checksum([matchId, snapshot]);

export const withheldChecksum = (row: Omit<RecordRow, "content_hash">): number =>
  checksum([
    row.id,
    row.created_at,
    row.game_mode,
    row.patch_version,
    row.reason,
    row.document,
    row.snapshot,
  ]);

export type NamedTable = "players" | "teams";

/** A player or team. The columns from `last_match_at` to `win_rate` are null for a team. */
export interface NamedRow {
  num: number;
  id: string;
  name: string | null;
  last_match_at: number | null;
  last_match_id: string | null;
  streak: number | null;
  played: number | null;
  wins: number | null;
  played_ranked: number | null;
  gold: string | null;
  ranked_wins: number | null;
  skill_tier: number | null;
  win_rate: number | null;
  resource: Uint8Array;
  linked: Uint8Array | null;
  checksum: number | null;
}

export const namedChecksum = (row: Omit<NamedRow, "checksum">): number =>
  checksum([
    row.num,
    row.id,
    row.name,
    row.last_match_at,
    row.last_match_id,
    row.streak,
    row.played,
    row.wins,
    row.played_ranked,
    row.gold,
    row.ranked_wins,
    row.skill_tier,
    row.win_rate,
    row.resource,
    row.linked,
  ]);

type ScoreColumns = Pick<NamedRow, "ranked_wins" | "skill_tier" | "win_rate">;

/** What the leaderboards list players by. */
export const scoreColumns = ({ totals, skillTier }: PlayerRow): ScoreColumns => ({
  ranked_wins: totals.rankedWins,
  skill_tier: skillTier ?? null,
  win_rate: winRate({ played: totals.playedRanked, wins: totals.rankedWins }) ?? null,
});

type StandingColumns = Pick<
  NamedRow,
  | "last_match_at"
  | "last_match_id"
  | "streak"
  | "played"
  | "wins"
  | "played_ranked"
  | "ranked_wins"
  | "gold"
>;

export const standingOf = (row: StandingColumns): Standing => ({
  totals: {
    played: row.played!,
    wins: row.wins!,
    playedRanked: row.played_ranked!,
    rankedWins: row.ranked_wins!,
    gold: BigInt(row.gold!),
  },
  run: row.streak!,
  latest: { createdAt: row.last_match_at!, matchId: row.last_match_id! },
});

export const teamOf = ({ id, name, resource, linked }: NamedRow): TeamRow => ({
  id,
  name: name!,
  resource,
  companions: linked ?? undefined,
});

export const playerOf = (row: NamedRow): PlayerRow => ({
  ...teamOf(row),
  ...standingOf(row),
  skillTier: row.skill_tier ?? undefined,
});

/** Throws DamagedData unless the row is whole. */
export function verifyNamed(table: NamedTable, row: NamedRow): void {
  if (row.checksum !== namedChecksum(row)) throw new DamagedData(table, row.id);
}

/** What pruned records leave behind of a player. From `last_match_at` on, null if none was served. */
export interface BaseRow {
  id: string;
  ranked_evidence: number;
  last_match_at: number | null;
  last_match_id: string | null;
  streak: number | null;
  played: number | null;
  wins: number | null;
  played_ranked: number | null;
  gold: string | null;
  snapshot: Uint8Array | null;
  ranked_wins: number | null;
  checksum: number;
}

export const baseChecksum = (row: Omit<BaseRow, "checksum">): number =>
  checksum([
    row.id,
    row.ranked_evidence,
    row.last_match_at,
    row.last_match_id,
    row.streak,
    row.played,
    row.wins,
    row.played_ranked,
    row.gold,
    row.snapshot,
    row.ranked_wins,
  ]);

/** Throws DamagedData unless the row is whole. */
export function readBase(row: BaseRow): PlayerBase {
  if (row.checksum !== baseChecksum(row)) throw new DamagedData("player_base", row.id);
  const { id, ranked_evidence: rankedEvidence, snapshot } = row;
  if (snapshot === null) return { id, rankedEvidence, standing: undefined };
  return { id, rankedEvidence, standing: { ...standingOf(row), snapshot } };
}

export function writeBase({ id, rankedEvidence, standing }: PlayerBase): BaseRow {
  const row = {
    id,
    ranked_evidence: rankedEvidence,
    last_match_at: standing?.latest.createdAt ?? null,
    last_match_id: standing?.latest.matchId ?? null,
    streak: standing?.run ?? null,
    played: standing?.totals.played ?? null,
    wins: standing?.totals.wins ?? null,
    played_ranked: standing?.totals.playedRanked ?? null,
    gold: standing?.totals.gold.toString() ?? null,
    snapshot: standing?.snapshot ?? null,
    ranked_wins: standing?.totals.rankedWins ?? null,
  };
  return { ...row, checksum: baseChecksum(row) };
}

/** The ranked matches of a player in the 28 days of the leaderboards. */
export interface RecentRow {
  id: string;
  played: number;
  wins: number;
  win_rate: number | null;
  checksum: number;
}

export function writeRecent(id: string, tally: RankedTally): RecentRow {
  const row = { id, ...tally, win_rate: winRate(tally) ?? null };
  return { ...row, checksum: recentChecksum(row) };
}

export const recentChecksum = (row: Omit<RecentRow, "checksum">): number =>
  checksum([row.id, row.played, row.wins, row.win_rate]);

/** Throws DamagedData unless the row is whole. */
export function readRecent(row: RecentRow): RankedTally {
  if (row.checksum !== recentChecksum(row)) throw new DamagedData("player_recent", row.id);
  return { played: row.played, wins: row.wins };
}

export interface RedactionRow {
  player_id: string;
  redacted_at: number;
  checksum: number;
}

export const redactionChecksum = ({ player_id, redacted_at }: Omit<RedactionRow, "checksum">) =>
  checksum([player_id, redacted_at]);

/** Throws DamagedData unless the row is whole. */
export function readRedaction(row: RedactionRow): Redaction {
  if (row.checksum !== redactionChecksum(row)) throw new DamagedData("redactions", row.player_id);
  return { playerId: row.player_id, redactedAt: row.redacted_at };
}

/** Throws DamagedData unless a record follows another. A damaged index may lead to the same records again and again. */
export function verifyFollows(
  { fate, match }: { fate: Fate; match: MatchKey },
  next: ShardRecord,
): void {
  const isServed = next.fate.state === "served";
  const later = isServed ? next.match.createdAt - match.createdAt : 0;
  const follows =
    fate.state === next.fate.state
      ? later > 0 || (later === 0 && match.id < next.match.id)
      : !isServed;
  if (!follows) throw new DamagedData("matches", next.match.id);
}

/** Throws DamagedData unless an index listed the players by their latest match. */
export function verifyLatestFirst(players: readonly PlayerListing[]): void {
  for (const [index, { id, lastMatchAt }] of players.entries()) {
    const before = players[index - 1]?.lastMatchAt ?? Number.POSITIVE_INFINITY;
    if (lastMatchAt === undefined || lastMatchAt > before) throw new DamagedData("players", id);
  }
}

/**
 * Whether a match belongs to the selection. `isIn` decides whether the player or team with a number is in one of the
 * lists of the selection.
 */
export function isSelected(
  row: MatchRow,
  { gameModes, patchVersions, players, teams }: Selection,
  isIn: (table: NamedTable, list: number, num: number) => boolean,
): boolean {
  return (
    (gameModes === undefined || gameModes.includes(row.game_mode)) &&
    (patchVersions === undefined || patchVersions.includes(row.patch_version)) &&
    players.every((_, list) =>
      someResult(row, "players", (num, result) => result < 2 && isIn("players", list, num)),
    ) &&
    teams.every((_, list) =>
      someResult(row, "teams", (num, result) => result === 1 && isIn("teams", list, num)),
    )
  );
}

/** The length matters: the last five bytes of every match happen to start with their checksum too. */
const MATCH_HEADER = 27;

/** Encoded matches start with the CRC-32 of the rest. */
export const isWholeMatch = (bytes: Uint8Array): boolean =>
  bytes.length > MATCH_HEADER && numberAt(bytes, 0) === crc32(bytes.subarray(4));

/** Fragments have the CRC-32 of everything else at byte 8. */
export const isWholeFragment = (bytes: Uint8Array | null): boolean =>
  bytes !== null &&
  bytes.length >= 12 &&
  numberAt(bytes, 8) === crc32(bytes.subarray(12), crc32(bytes.subarray(0, 8)));

const numberAt = (bytes: Uint8Array, at: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
