/** Reads and writes records and the lists of served matches within a transaction. */

import type { WithheldReason } from "../../domain/visibility.ts";
import { viewOf, whole } from "../byte-range.ts";
import { encodeDocument, MatchDocument, packResult, unpackResult } from "../match-document.ts";
import { get, insert, query, remove, type Steps, select } from "../steps.ts";
import {
  DamagedData,
  type Fate,
  type Fragment,
  type HistoryEntry,
  type MatchEntry,
  type MatchKey,
  type NamedTable,
  type ShardRecord,
  type StoredMatch,
  type WithheldEntry,
} from "../store.ts";
import {
  DOCUMENTS,
  MATCHES,
  type MatchListing,
  PLAYER_MATCHES,
  RECORDS,
  type RecordRow,
  TEAM_MATCHES,
} from "../tables.ts";
import type { TransactionState } from "./transaction-state.ts";

/** Before every match. */
const BEGINNING: MatchKey = { createdAt: Number.MIN_SAFE_INTEGER, id: "" };

/** How many documents are read at once, to verify the entries of a long list. */
const VERIFIED_AT_ONCE = 200;

const LINKS = {
  players: { table: PLAYER_MATCHES.name, column: "player", result: "result" },
  teams: { table: TEAM_MATCHES.name, column: "team", result: "plays" },
} as const;

const keysOf = (ids: readonly string[]) => ids.map((id) => ({ id }));

function* documentsOf(ids: readonly string[]): Steps<Map<string, MatchDocument>> {
  const rows = yield* get(DOCUMENTS, keysOf(ids));
  return new Map(rows.map(({ id, document }) => [id, new MatchDocument(id, whole(document))]));
}

/** The matches with these ids that are served. */
export function* servedDocuments(ids: readonly string[]): Steps<MatchDocument[]> {
  return [...(yield* documentsOf(ids)).values()].filter(({ isServed }) => isServed);
}

/** The matches that the list names. Throws DamagedData unless they say the same. */
export function* listedDocuments(listed: readonly MatchListing[]): Steps<MatchDocument[]> {
  const documents = yield* documentsOf(listed.map(({ id }) => id));
  return listed.map(({ id, created_at, game_mode, patch_version }) => {
    const document = documents.get(id);
    const isListed =
      document?.isServed &&
      document.createdAt === created_at &&
      document.gameMode === game_mode &&
      document.patchVersion === patch_version;
    if (!isListed) throw new DamagedData(MATCHES.name, id);
    return document;
  });
}

export function matches({ numbers, added, matches: changes }: TransactionState) {
  const numberOf = (table: NamedTable, id: string) => numbers[table].of(id);

  /** Finds the numbers of all players and teams of these matches. */
  function* findNumbers(found: MatchEntry[]): Steps<void> {
    for (const table of ["players", "teams"] as const) {
      yield* numbers[table].find(found.flatMap((match) => match[table].map(({ id }) => id)));
    }
  }

  const playerLinks = (found: MatchEntry[]) =>
    found.flatMap(({ id, createdAt, players }) =>
      players.map((player) => ({
        player: numberOf("players", player.id),
        result: packResult(player.result),
        created_at: createdAt,
        match_id: id,
      })),
    );

  const teamLinks = (found: MatchEntry[]) =>
    found.flatMap(({ id, createdAt, teams }) =>
      teams.map((team) => ({
        team: numberOf("teams", team.id),
        plays: team.plays ? 1 : 0,
        created_at: createdAt,
        match_id: id,
      })),
    );

  function* removeAll(ids: readonly string[]): Steps<void> {
    yield* remove(RECORDS, keysOf(ids));
    yield* remove(DOCUMENTS, keysOf(ids));
  }

  function* complete(rows: readonly RecordRow[]): Steps<ShardRecord[]> {
    const documents = yield* documentsOf(rows.map(({ id }) => id));
    return rows.map((row) => recordOf(row, documents.get(row.id)));
  }

  function* load(ids: readonly string[]): Steps<ShardRecord[]> {
    return yield* complete(yield* get(RECORDS, keysOf(ids)));
  }

  /** Served records in order, after a key and before a time. */
  function* servedAfter(
    { createdAt, id }: MatchKey,
    limit: number,
    before = Number.MAX_SAFE_INTEGER,
  ): Steps<ShardRecord[]> {
    const listed = yield* select(
      MATCHES,
      `WHERE (matches.created_at, matches.id) > ($1::bigint, $2) AND matches.created_at < $3::bigint
       ORDER BY matches.created_at, matches.id LIMIT ${limit}`,
      [createdAt, id, before],
    );
    const records = yield* load(listed.map((entry) => entry.id));
    const found = new Map(records.map((record) => [record.match.id, record]));
    return listed.map((entry) => {
      const record = found.get(entry.id);
      if (!record || !isListed(record, entry)) throw new DamagedData(MATCHES.name, entry.id);
      return record;
    });
  }

  function* withheldAfter(id: string, limit: number): Steps<ShardRecord[]> {
    const rows = yield* select(
      RECORDS,
      `WHERE records.reason IS NOT NULL AND records.id > $1 ORDER BY records.id LIMIT ${limit}`,
      [id],
    );
    return yield* complete(rows);
  }

  /** The newest entries of a player or team. An entry must agree with its match: it decides what is stored next. */
  function* newestLinks(of: NamedTable, id: string, limit: number): Steps<Link[]> {
    const num = yield* numbers[of].known(id);
    if (num === undefined) return [];
    const { table, column, result } = LINKS[of];
    // A literal limit: with a parameter, SQLite would prepare the statement again each time.
    const links = yield* query<Link>(
      `SELECT created_at::float8 AS created_at, match_id, ${result} AS result FROM {${table}} AS links
       WHERE ${column} = $1::integer
       ORDER BY links.created_at DESC, links.match_id DESC LIMIT ${limit}`,
      [num],
    );
    for (let from = 0; from < links.length; from += VERIFIED_AT_ONCE) {
      const part = links.slice(from, from + VERIFIED_AT_ONCE);
      const documents = yield* documentsOf(part.map(({ match_id }) => match_id));
      for (const link of part) {
        const document = documents.get(link.match_id);
        const isRight =
          document?.isServed &&
          document.createdAt === link.created_at &&
          document.resultOf(of, num) === link.result;
        if (!isRight) throw new DamagedData(table, link.match_id);
      }
    }
    return links;
  }

  return {
    *known(ids: string[]): Steps<Map<string, { fate: Fate; contentHash: Uint8Array }>> {
      const rows = yield* query<Pick<RecordRow, "id" | "content_hash" | "reason">>(
        "SELECT id, content_hash, reason FROM {records} WHERE id = ANY($1::text[])",
        [ids],
      );
      return new Map(
        rows.map((row) => [row.id, { fate: fateOf(row), contentHash: row.content_hash }]),
      );
    },

    load,

    *records(
      after: { fate: Fate; match: MatchKey } | undefined,
      limit: number,
    ): Steps<ShardRecord[]> {
      if (after?.fate.state === "withheld") return yield* withheldAfter(after.match.id, limit);
      const served = yield* servedAfter(after?.match ?? BEGINNING, limit);
      const room = limit - served.length;
      return room === 0 ? served : [...served, ...(yield* withheldAfter("", room))];
    },

    *older(before: number, limit: number): Steps<ShardRecord[]> {
      const served = yield* servedAfter(BEGINNING, limit, before);
      const room = limit - served.length;
      if (room === 0) return served;
      const rows = yield* select(
        RECORDS,
        `WHERE records.reason IS NOT NULL AND records.created_at < $1::bigint LIMIT ${room}`,
        [before],
      );
      return [...served, ...(yield* complete(rows))];
    },

    *carried(id: string): Steps<Fragment | undefined> {
      const [row] = yield* get(RECORDS, [{ id }]);
      return row?.reason === null ? row.carried : undefined;
    },

    *addServed(found: MatchEntry[]): Steps<void> {
      yield* findNumbers(found);
      yield* insert(
        RECORDS,
        found.map((match) => rowOf(match, null)),
      );
      yield* insert(
        DOCUMENTS,
        found.map((match) => ({ id: match.id, document: encodeDocument(match, match, numberOf) })),
      );
      yield* insert(MATCHES, found.map(listingOf));
      yield* insert(PLAYER_MATCHES, playerLinks(found));
      yield* insert(TEAM_MATCHES, teamLinks(found));
      changes.added(found);
      added.matches += found.length;
    },

    *removeServed(found: MatchEntry[]): Steps<void> {
      yield* findNumbers(found);
      yield* removeAll(found.map(({ id }) => id));
      yield* remove(MATCHES, found.map(listingOf));
      yield* remove(PLAYER_MATCHES, playerLinks(found));
      yield* remove(TEAM_MATCHES, teamLinks(found));
      changes.removed(found);
      added.matches -= found.length;
    },

    *addWithheld(found: WithheldEntry[]): Steps<void> {
      yield* insert(
        RECORDS,
        found.map((match) => rowOf(match, match.reason)),
      );
      yield* insert(
        DOCUMENTS,
        found.map((match) => ({
          id: match.id,
          document: encodeDocument(match, undefined, numberOf),
        })),
      );
    },

    removeWithheld: (ids: string[]) => removeAll(ids),

    *playerHistory(playerId: string, limit: number): Steps<HistoryEntry[]> {
      const links = yield* newestLinks("players", playerId, limit);
      return links.map(({ created_at, match_id, result }) => ({
        createdAt: created_at,
        matchId: match_id,
        result: unpackResult(result),
      }));
    },

    *latestOfTeam(teamId: string): Steps<string | undefined> {
      return (yield* newestLinks("teams", teamId, 1))[0]?.match_id;
    },
  };
}

/** An entry of `player_matches` or `team_matches`. */
interface Link {
  created_at: number;
  match_id: string;
  result: number;
}

const rowOf = (match: StoredMatch, reason: WithheldReason | null): RecordRow => ({
  id: match.id,
  created_at: match.createdAt,
  reason,
  content_hash: match.contentHash,
  carried: match.carried,
  origin: null,
});

const listingOf = ({ createdAt, id, gameMode, patchVersion }: StoredMatch): MatchListing => ({
  created_at: createdAt,
  id,
  game_mode: gameMode,
  patch_version: patchVersion,
});

const isListed = ({ fate, match }: ShardRecord, entry: MatchListing): boolean =>
  fate.state === "served" &&
  match.createdAt === entry.created_at &&
  match.gameMode === entry.game_mode &&
  match.patchVersion === entry.patch_version;

const fateOf = ({ reason }: Pick<RecordRow, "reason">): Fate =>
  reason === null ? { state: "served" } : { state: "withheld", reason: reason as WithheldReason };

/** Throws DamagedData unless record and document belong together. */
function recordOf(row: RecordRow, document: MatchDocument | undefined): ShardRecord {
  const { id, created_at, reason } = row;
  const isRight = document?.createdAt === created_at && document.isServed === (reason === null);
  if (!isRight) throw new DamagedData(DOCUMENTS.name, id);
  return {
    fate: fateOf(row),
    match: {
      id,
      createdAt: created_at,
      gameMode: document.gameMode,
      patchVersion: document.patchVersion,
      contentHash: row.content_hash,
      encoded: viewOf(document.encoded),
      carried: row.carried,
    },
  };
}
