/** The name index, and what a search looks up in it: the cost of no lookup depends on the number of names. */

import { each, put, query, remove, type Steps } from "../../store/steps.ts";
import { declareTable, text } from "../../store/table.ts";
import { indexKeys } from "./similar-names.ts";

/** Every current player name under each of its keys. */
export const NAME_INDEX = declareTable("name_index", {
  columns: { key: text, name: text },
  key: ["key", "name"],
  isChecked: false,
});

/** Keeps the index up to date. */
export function* updateNameIndex(changed: ReadonlySet<string>): Steps<void> {
  const rows = yield* query<{ name: string }>(
    "SELECT DISTINCT name FROM {players} WHERE name = ANY($1::text[])",
    [[...changed]],
  );
  const used = new Set(rows.map(({ name }) => name));
  yield* put(NAME_INDEX, entriesOf([...used]));
  yield* remove(NAME_INDEX, entriesOf([...changed].filter((name) => !used.has(name))));
}

const entriesOf = (names: readonly string[]) =>
  names.flatMap((name) => indexKeys(name).map((key) => ({ key, name })));

interface Named {
  name: string;
}

const ENTRIES = "SELECT listed.name FROM {name_index} AS listed";

/**
 * Distinct names: for each of these (distinct) keys those of the first `after` entries at or after the key, and of the last
 * `before` entries before it.
 */
export function* namesAround(keys: string[], before: number, after: number): Steps<string[]> {
  const next = yield* each<Named>(
    keys,
    `${ENTRIES} WHERE listed.key >= $each ORDER BY listed.key, listed.name LIMIT ${after}`,
  );
  const last = yield* each<Named>(
    before > 0 ? keys : [],
    `${ENTRIES} WHERE listed.key < $each ORDER BY listed.key DESC, listed.name DESC LIMIT ${before}`,
  );
  return distinct([...next, ...last]);
}

/** After every character that may follow a key: no text has a greater one. */
const LAST = "\u{10FFFF}";

/** The same, of entries whose keys begin with one of these: the first `limit` of each. */
export function* namesBeginning(keys: string[], limit: number): Steps<string[]> {
  const found = yield* each<Named>(
    keys,
    `${ENTRIES} WHERE listed.key >= $each AND listed.key < ($each || $1::text)
     ORDER BY listed.key, listed.name LIMIT ${limit}`,
    { values: [LAST] },
  );
  return distinct(found);
}

/** Nothing is verified, and a damaged entry may have a value of another type: players are looked up by the names. */
const distinct = (rows: readonly Named[]): string[] => [
  ...new Set(rows.map(({ name }) => String(name))),
];

/**
 * Which characters follow each of these (distinct) keys, at most `limit` in all. Skips from each character to the next.
 */
export function* charactersAfter(keys: string[], limit: number): Steps<[string, string][]> {
  const next = (after: string) =>
    `(SELECT listed.key FROM {name_index} AS listed WHERE listed.key > ${after} ORDER BY listed.key LIMIT 1)`;
  const begins = "substr(found, 1, length($each)) = $each";
  const rows = yield* each<{ asked: string; character: string }>(
    keys,
    `WITH RECURSIVE step (found) AS (
       SELECT ${next("$each")}
       UNION ALL
       SELECT ${next(`(substr(found, 1, length($each) + 1) || $1::text) COLLATE "C"`)}
       FROM step WHERE ${begins}
     )
     SELECT $each AS asked, substr(found, length($each) + 1, 1) AS character FROM step WHERE ${begins}`,
    { values: [LAST], limit },
  );
  return rows.map(({ asked, character }) => [asked, character]);
}

/**
 * Those of these names whose players have the most recent matches: latest first, at most `limit`. Only for an order: the
 * rows are not verified.
 */
export function* latestOf(names: string[], limit: number): Steps<string[]> {
  const found = yield* each<Named & { latest: number }>(
    names,
    `SELECT $each AS name, max(named.last_match_at)::float8 AS latest FROM {players} AS named
     WHERE named.name = $each HAVING count(*) > 0`,
  );
  return found
    .sort((one, other) => other.latest - one.latest || (one.name < other.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}

/** The names of the players with the most recent matches, latest first: `count` of them after the first `from`. */
export function* latestNames(from: number, count: number): Steps<string[]> {
  const rows = yield* query<Named>(
    `SELECT players.name FROM {players} AS players
     ORDER BY players.last_match_at DESC, players.id LIMIT ${count} OFFSET ${from}`,
  );
  return rows.map(({ name }) => name);
}
