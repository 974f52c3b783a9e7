/** Test data of the conformance suite, and helpers to inspect results. */

import type { Result } from "../../src/domain/streak.ts";
import { viewOf } from "../../src/store/byte-range.ts";
import type {
  MatchEntry,
  MatchesWithLinked,
  PlayerRow,
  Selection,
  StoredMatch,
  TeamRow,
  Transaction,
  WithheldEntry,
  Writer,
} from "../../src/store/store.ts";

/** Fragments are opaque to a store; here they are mostly words. */
export const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
export const text = (stored: Uint8Array): string => Buffer.from(stored).toString();

/** What an encoded match starts with here; its id follows. */
const ENCODED = "match ";

export interface EntryWishes {
  createdAt?: number;
  mode?: string;
  patch?: string;
  /** Players by id with their results, in this order. */
  players?: Record<string, Result>;
  /** Teams by id, with whether they entered with a roster, in this order. */
  teams?: Record<string, boolean>;
}

function aRecord(id: string, wishes: EntryWishes = {}): StoredMatch {
  return {
    id,
    createdAt: wishes.createdAt ?? 1000,
    gameMode: wishes.mode ?? "ranked",
    patchVersion: wishes.patch ?? "2.5",
    encoded: bytes(`${ENCODED}${id}`),
    contentHash: bytes(`hash of ${id}`),
    carried: bytes(`carried of ${id}`),
  };
}

export function anEntry(id: string, wishes: EntryWishes = {}): MatchEntry {
  return {
    ...aRecord(id, wishes),
    players: Object.entries(wishes.players ?? {}).map(([player, result]) => ({
      id: player,
      result,
    })),
    teams: Object.entries(wishes.teams ?? {}).map(([team, plays]) => ({ id: team, plays })),
  };
}

export function withheld(
  id: string,
  reason: WithheldEntry["reason"],
  wishes: EntryWishes = {},
): WithheldEntry {
  return { ...aRecord(id, wishes), reason };
}

export function aPlayer(id: string, wishes: Partial<PlayerRow> = {}): PlayerRow {
  return {
    id,
    name: `name of ${id}`,
    totals: { played: 0, wins: 0, playedRanked: 0, rankedWins: 0, gold: 0n },
    run: 0,
    skillTier: undefined,
    latest: { createdAt: 1000, matchId: "m" },
    resource: bytes(`player ${id}`),
    companions: undefined,
    ...wishes,
  };
}

/** Players that another thread renames together; names and bytes contain the round. */
export const PLAYERS = Array.from({ length: 20 }, (_, index) => `p${index}`);
export const renamed = (id: string, round: number): PlayerRow =>
  aPlayer(id, { name: `round ${round}`, resource: bytes(`round ${round}`) });

/** The time of a player's latest match. */
export const seenAt = (createdAt: number) => ({ latest: { createdAt, matchId: "m" } });

export function aTeam(id: string, wishes: Partial<TeamRow> = {}): TeamRow {
  return {
    id,
    name: `tag of ${id}`,
    resource: bytes(`team ${id}`),
    companions: undefined,
    ...wishes,
  };
}

/** Adds matches with minimal players and teams. */
export async function addPlainly(transaction: Transaction, entries: MatchEntry[]): Promise<void> {
  await transaction.addServed(entries);
  const players = new Set(entries.flatMap((entry) => entry.players.map(({ id }) => id)));
  const teams = new Set(entries.flatMap((entry) => entry.teams.map(({ id }) => id)));
  await transaction.putPlayers([...players].map((id) => aPlayer(id)));
  await transaction.putTeams([...teams].map((id) => aTeam(id)));
}

export function serve(writer: Writer, ...entries: MatchEntry[]): Promise<void> {
  return writer.write((transaction) => addPlainly(transaction, entries));
}

/** Adds a served match with these players and teams, so that they can be stored as needed. */
export async function people(
  writer: Writer,
  rows: { players?: PlayerRow[]; teams?: TeamRow[] },
): Promise<void> {
  const { players = [], teams = [] } = rows;
  await writer.write(async (transaction) => {
    const ids = [...players, ...teams].map(({ id }) => id).join("-");
    await transaction.addServed([
      anEntry(`with-${ids}`.slice(0, 64), {
        players: Object.fromEntries(players.map(({ id }) => [id, "won"])),
        teams: Object.fromEntries(teams.map(({ id }) => [id, true])),
      }),
    ]);
    await transaction.putPlayers(players);
    await transaction.putTeams(teams);
  });
}

/** Everything in order, unless overridden. */
export function selection(wishes: Partial<Selection> = {}): Selection {
  return {
    window: { start: -1e15, end: 1e15 },
    sort: "createdAt",
    pageStart: { from: "offset", offset: 0 },
    limit: 100,
    players: [],
    teams: [],
    gameModes: undefined,
    patchVersions: undefined,
    ...wishes,
  };
}

export const idsOf = (bundle: MatchesWithLinked): string[] =>
  bundle.matches.map((encoded) => text(viewOf(encoded)).slice(ENCODED.length));

/** The order of the contract, for any ids. */
export function inOrder(
  a: { createdAt: number; id: string },
  b: { createdAt: number; id: string },
): number {
  return a.createdAt - b.createdAt || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
