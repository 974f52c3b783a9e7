/**
 * The change log of a shard: what each transaction did to the served matches, for callers who follow them. A row has
 * the changes of one transaction. They are numbered without gaps, so that numbers say nothing about withheld records.
 * The same for both adapters.
 */

import { checksum } from "./checksum.ts";
import {
  type Change,
  type ChangeBatch,
  type ChangeKind,
  DamagedData,
  type LogPosition,
  type MatchEntry,
} from "./store.ts";

/** How long changes are kept at least. The last transaction is always kept. */
export const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** How many old rows a transaction removes at most. It adds one. */
export const MAX_TRIMMED = 16;

export interface LogRow {
  /** The number of its first change. */
  first: number;
  count: number;
  committed_at: number;
  /** StoredChange[] as JSON. */
  changes: string;
  checksum: number;
}

/** What a change says about its match. */
export type MatchReference = Omit<Change, "position" | "kind" | "committedAt">;

/** A sign and the id of the match. A match that is gone can only be described by the log itself. */
type StoredChange =
  | string
  | [
      signAndId: string,
      createdAt: number,
      gameMode: string,
      patchVersion: string,
      players: string[],
      teams: string[],
    ];

const SIGNS = { added: "+", replaced: "~", removed: "-" } as const;
const KINDS = new Map<string, ChangeKind>([
  [SIGNS.added, "added"],
  [SIGNS.replaced, "replaced"],
  [SIGNS.removed, "removed"],
]);

const rowChecksum = (row: Omit<LogRow, "checksum">): number =>
  checksum([row.first, row.count, row.committed_at, row.changes]);

/** Collects what a transaction does to served matches. */
export class TransactionChanges {
  /** The state before the transaction of each match that it touched; undefined: not served. */
  readonly #before = new Map<string, MatchEntry | undefined>();
  readonly #served = new Set<string>();

  added(matches: readonly MatchEntry[]): void {
    for (const { id } of matches) {
      if (!this.#before.has(id)) this.#before.set(id, undefined);
      this.#served.add(id);
    }
  }

  removed(matches: readonly MatchEntry[]): void {
    for (const match of matches) {
      if (!this.#before.has(match.id)) this.#before.set(match.id, match);
      this.#served.delete(match.id);
    }
  }

  get isEmpty(): boolean {
    return this.#before.size === 0;
  }

  forget(): void {
    this.#before.clear();
    this.#served.clear();
  }

  /** The row for these changes; undefined if there are none. */
  row(first: number, committedAt: number): LogRow | undefined {
    const stored = [...this.#before].flatMap(([id, before]) => this.#change(id, before) ?? []);
    if (stored.length === 0) return undefined;
    const changes = JSON.stringify(stored);
    const row = { first, count: stored.length, committed_at: committedAt, changes };
    return { ...row, checksum: rowChecksum(row) };
  }

  #change(id: string, before: MatchEntry | undefined): [StoredChange] | undefined {
    if (this.#served.has(id)) return [`${before ? SIGNS.replaced : SIGNS.added}${id}`];
    return before && [removal(before)];
  }
}

function removal({ id, createdAt, gameMode, patchVersion, ...match }: MatchEntry): StoredChange {
  const players = match.players.filter(({ result }) => result !== "named");
  const teams = match.teams.filter(({ plays }) => plays);
  return [
    `${SIGNS.removed}${id}`,
    createdAt,
    gameMode,
    patchVersion,
    players.map((player) => player.id),
    teams.map((team) => team.id),
  ];
}

/** A change as it is logged. The match is undefined if the log does not describe it. */
export interface LoggedChange {
  position: LogPosition;
  kind: ChangeKind;
  committedAt: number;
  id: string;
  removed: MatchReference | undefined;
}

/** The tag of the position before the first change, in a log without changes. */
export const emptyLogTag = (logId: string): number => checksum([logId]);

/** The number before the next change, given the last row. */
export const lastNumber = (last: Pick<LogRow, "first" | "count"> | undefined): number =>
  last ? last.first + last.count - 1 : 0;

/** The end of a log, given its last row. */
export const endOf = (last: LogRow | undefined, logId: string): LogPosition =>
  last
    ? { number: lastNumber(last), tag: verified(last).checksum }
    : { number: 0, tag: emptyLogTag(logId) };

/** The beginning of a log, given its first row. */
export const beginningOf = (first: LogRow | undefined, logId: string): LogPosition =>
  first
    ? { number: first.first - 1, tag: verified(first).checksum }
    : { number: 0, tag: emptyLogTag(logId) };

/**
 * At most `limit` changes after a position. `rows` are those from the one with its number, if there is one, up to the
 * one with the last number that is wanted, and at least the next one. Undefined if the position is not in the log.
 */
export function changesAfter(
  rows: readonly LogRow[],
  after: LogPosition,
  limit: number,
  logId: string,
): LoggedChange[] | undefined {
  for (const row of rows) verified(row);
  if (!isInLog(rows, after, logId)) return undefined;
  return rows.flatMap(logged).filter(({ position: { number } }) => {
    return number > after.number && number <= after.number + limit;
  });
}

/** A position is before or after a change of the transaction that its tag belongs to. */
function isInLog(rows: readonly LogRow[], { number, tag }: LogPosition, logId: string): boolean {
  const start = rows[0]?.first ?? 1;
  if (number === 0 && start === 1 && tag === emptyLogTag(logId)) return true;
  return rows.some(
    (row) => row.checksum === tag && row.first - 1 <= number && number <= lastNumber(row),
  );
}

function logged(row: LogRow): LoggedChange[] {
  const stored: StoredChange[] = JSON.parse(row.changes);
  return stored.map((change, at) => {
    const [signAndId, createdAt, gameMode, patchVersion, players, teams] =
      typeof change === "string" ? [change] : change;
    const id = signAndId.slice(1);
    return {
      position: { number: row.first + at, tag: row.checksum },
      kind: KINDS.get(signAndId[0]!)!,
      committedAt: row.committed_at,
      id,
      removed:
        createdAt === undefined
          ? undefined
          : {
              match: { id, createdAt, gameMode: gameMode!, patchVersion: patchVersion! },
              players: players!,
              teams: teams!,
            },
    };
  });
}

/**
 * The position before the last change of each of these matches. `rows` are the next older ones, the newest first.
 * What is found is removed from `sought`. Undefined if nothing is.
 */
export function beforeChangesOf(
  sought: Set<string>,
  rows: readonly LogRow[],
): LogPosition | undefined {
  let found: LogPosition | undefined;
  for (const row of rows) {
    for (const { id, position } of logged(verified(row)).reverse()) {
      if (sought.delete(id)) found = { ...position, number: position.number - 1 };
    }
  }
  return found;
}

/** The batch of these changes, given the matches that are served now. */
export function batchOf(
  changes: readonly LoggedChange[],
  after: LogPosition,
  limit: number,
  served: ReadonlyMap<string, MatchReference>,
): ChangeBatch {
  return {
    changes: changes.flatMap(({ id, removed, ...change }) => {
      const reference = removed ?? served.get(id);
      return reference ? { ...change, ...reference } : [];
    }),
    end: changes.at(-1)?.position ?? after,
    isLast: changes.length < limit,
  };
}

/** The matches that a batch needs. */
export const neededOf = (changes: readonly LoggedChange[]): string[] => [
  ...new Set(changes.flatMap(({ id, removed }) => (removed ? [] : id))),
];

function verified(row: LogRow): LogRow {
  if (!isWholeRow(row)) throw new DamagedData("match_changes", row.first);
  return row;
}

const isWholeRow = (row: LogRow): boolean => row.checksum === rowChecksum(row);

/** How many rows are read at once at most: each may have thousands of changes. */
export const ROWS_AT_ONCE = 32;

/** The numbers of rows that are damaged, or do not follow the row before them. */
export const damagedRows = (rows: readonly LogRow[]): number[] =>
  rows
    .filter((row, at) => {
      const before = rows[at - 1];
      return !isWholeRow(row) || (before && row.first !== lastNumber(before) + 1);
    })
    .map(({ first }) => first);
