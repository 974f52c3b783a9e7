/** Conformance: the model of a shard, from which every read of the contract follows. */

import type { Gap } from "../../src/query/query.ts";
import type {
  Change,
  Fate,
  MatchEntry,
  PlayerBase,
  PlayerRow,
  Selection,
  StoredMatch,
  TeamRow,
  WithheldEntry,
} from "../../src/store/store.ts";
import { inOrder } from "./entries.ts";

/** A change of the log; what was removed is described as it was. */
export interface Logged {
  kind: Change["kind"];
  id: string;
  removed?: MatchEntry;
}

/** What a shard contains. It is not changed: a write makes another one. */
export interface Contents {
  served: ReadonlyMap<string, MatchEntry>;
  withheld: ReadonlyMap<string, WithheldEntry>;
  players: ReadonlyMap<string, PlayerRow>;
  teams: ReadonlyMap<string, TeamRow>;
  /** What features store, by their names. */
  features: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  /** Counts, without those of zero. */
  evidence: ReadonlyMap<string, number>;
  words: ReadonlyMap<string, number>;
  /** Pairs of a player and a match, as JSON. */
  dependents: ReadonlySet<string>;
  bases: ReadonlyMap<string, PlayerBase>;
  redactions: ReadonlyMap<string, number>;
  cutoff: number | undefined;
  log: readonly Logged[];
}

export const EMPTY: Contents = {
  ...{ served: new Map(), withheld: new Map(), players: new Map(), teams: new Map() },
  features: new Map(),
  ...{ evidence: new Map(), words: new Map(), dependents: new Set() },
  ...{ bases: new Map(), redactions: new Map(), cutoff: undefined, log: [] },
};

/** What a feature stores. */
export const rowsOf = ({ features }: Contents, name: string): ReadonlyMap<string, unknown> =>
  features.get(name) ?? new Map();

export const byBytes = (a: string, b: string): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));
const byId = (a: { id: string }, b: { id: string }) => byBytes(a.id, b.id);

/** The served matches that readers see, in order. */
export const visible = ({ served, cutoff = Number.NEGATIVE_INFINITY }: Contents): MatchEntry[] =>
  [...served.values()].filter(({ createdAt }) => createdAt >= cutoff).sort(inOrder);

/** Every record: served ones in order, then withheld ones by id. */
export const records = ({ served, withheld }: Contents): (MatchEntry | WithheldEntry)[] => [
  ...[...served.values()].sort(inOrder),
  ...[...withheld.values()].sort(byId),
];

export const fateOf = (record: StoredMatch | WithheldEntry): Fate =>
  "reason" in record ? { state: "withheld", reason: record.reason } : { state: "served" };

/** The matches that a page has, and whether there are others around them. */
export function pageOf(contents: Contents, asked: Selection) {
  const found = visible(contents).filter((entry) => isSelected(entry, asked));
  if (asked.sort === "-createdAt") found.reverse();
  const [start, end] = span(found, asked);
  const matches = found.slice(start, end);
  const isAstray = asked.pageStart.from === "offset" && matches.length === 0;
  return {
    matches,
    more: { before: start > 0 && !isAstray, after: end < found.length && !isAstray },
  };
}

function isSelected(entry: MatchEntry, asked: Selection): boolean {
  const { window, gameModes, patchVersions } = asked;
  const { players, teams } = participants(entry);
  return (
    entry.createdAt >= window.start &&
    entry.createdAt <= window.end &&
    asked.players.every((ids) => ids.some((id) => players.includes(id))) &&
    asked.teams.every((ids) => ids.some((id) => teams.includes(id))) &&
    (gameModes === undefined || gameModes.includes(entry.gameMode)) &&
    (patchVersions === undefined || patchVersions.includes(entry.patchVersion))
  );
}

/** The range of the found matches that the page covers. */
function span(found: MatchEntry[], { pageStart, sort, limit }: Selection): [number, number] {
  const within = (index: number) => Math.max(0, Math.min(index, found.length));
  if (pageStart.from === "offset")
    return [within(pageStart.offset), within(pageStart.offset + limit)];
  const isPassed = (entry: MatchEntry) =>
    liesBelow(entry, pageStart.gap) === (sort === "createdAt");
  const passed = found.filter(isPassed).length;
  return pageStart.from === "after"
    ? [passed, within(passed + limit)]
    : [within(passed - limit), passed];
}

function liesBelow(entry: MatchEntry, gap: Gap): boolean {
  const order = inOrder(entry, gap);
  return order < 0 || (order === 0 && gap.side === "after");
}

/** Those who played, not those who are only mentioned. */
const participants = ({ players, teams }: MatchEntry) => ({
  players: players.filter(({ result }) => result !== "named").map(({ id }) => id),
  teams: teams.filter(({ plays }) => plays).map(({ id }) => id),
});

/** The rows with one of these names: in the order of the names, then by id. */
export const withNames = <Row extends TeamRow>(
  rows: ReadonlyMap<string, Row>,
  names: readonly string[],
): Row[][] => names.map((name) => [...rows.values()].filter((row) => row.name === name).sort(byId));

export const latestFirst = ({ players }: Contents): PlayerRow[] =>
  [...players.values()].sort((a, b) => b.latest.createdAt - a.latest.createdAt || byId(a, b));

/** The served matches that reference a player or a team, newest first. */
export const matchesOf = (
  { served }: Contents,
  kind: "players" | "teams",
  id: string,
): MatchEntry[] =>
  [...served.values()]
    .filter((entry) => entry[kind].some((one) => one.id === id))
    .sort((a, b) => inOrder(b, a));

/** The ids of all players or teams of some matches. */
export const idsIn = (entries: Iterable<MatchEntry>, kind: "players" | "teams"): string[] => [
  ...new Set([...entries].flatMap((entry) => entry[kind].map(({ id }) => id))),
];

/** The changes after so many of them. One is left out if its match is not served any more: its removal follows. */
export const changesAfter = (contents: Contents, count: number) =>
  contents.log.slice(count).flatMap(({ kind, id, removed }, index) => {
    const entry = removed ?? visible(contents).find((one) => one.id === id);
    if (!entry) return [];
    const { createdAt, gameMode, patchVersion } = entry;
    const match = { id, createdAt, gameMode, patchVersion };
    return [{ number: count + index + 1, kind, match, ...participants(entry) }];
  });
