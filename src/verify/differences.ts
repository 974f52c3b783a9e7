/** Compares the rows of a table in two states, by their keys. */

import { storedRows } from "../rebuild/rebuild.ts";
import { compareKeys } from "../store/all-tables/rows.ts";
import type { StoredRow, StoredState } from "../store/store.ts";
import type { Table, TableShape, Value } from "../store/table.ts";
import { SHARD } from "../store/tables.ts";

/** Labels of the rows that are missing on one side, or differ. */
export async function* differences(
  stored: Pick<StoredState, "rows">,
  expected: Pick<StoredState, "rows">,
  table: TableShape,
): AsyncGenerator<string> {
  const columns = table === SHARD ? DERIVED_COLUMNS : Object.keys(table.columns);
  const key = table === SHARD ? [] : table.key;
  const { label } = table as Table<StoredRow>;
  const isEqual = (row: StoredRow, other: StoredRow) =>
    columns.every((column) => {
      const [ours, theirs] = [row[column]!, other[column]!];
      return isSame(ours, theirs) || (FRAGMENTS.includes(column) && haveSameContent(ours, theirs));
    });
  const [ours, theirs] = [eachRow(stored, table), eachRow(expected, table)];
  let one = (await ours.next()).value;
  let other = (await theirs.next()).value;
  while (one || other) {
    const order = one && other ? compareKeys(one, other, key) : one ? -1 : 1;
    if (order !== 0 || !isEqual(one!, other!)) {
      yield nameOf(label(order <= 0 ? one! : other!), table);
    }
    if (order <= 0) one = (await ours.next()).value;
    if (order >= 0) other = (await theirs.next()).value;
  }
}

async function* eachRow(
  state: Pick<StoredState, "rows">,
  table: TableShape,
): AsyncGenerator<StoredRow, undefined> {
  for await (const rows of storedRows(state, table)) yield* rows;
}

/** Of the row of a shard. */
const DERIVED_COLUMNS = ["matches", "players", "teams"];

/** Lists of players and teams have internal numbers: the match says more. */
const nameOf = (label: string, { name }: TableShape): string =>
  name === "player_matches" || name === "team_matches" || name === "matches"
    ? label.split(" ").at(-1)!
    : label;

const isSame = (one: Value, other: Value): boolean =>
  one === other ||
  (one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0);

/** Of players and teams. Another zlib may compress them otherwise. */
const FRAGMENTS = ["resource", "linked"];

/** Fragments start with the length and the CRC-32 of what they have in compressed form. */
function haveSameContent(one: Value, other: Value): boolean {
  if (!(one instanceof Uint8Array && other instanceof Uint8Array)) return false;
  const content = (bytes: Uint8Array) => bytes.subarray(0, 8);
  return Buffer.compare(content(one), content(other)) === 0;
}
