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
): AsyncGenerator<string[]> {
  const columns = table === SHARD ? DERIVED_COLUMNS : Object.keys(table.columns);
  const key = table === SHARD ? [] : table.key;
  const { label } = table as Table<StoredRow>;
  const ours = new Rows(stored, table);
  const theirs = new Rows(expected, table);
  for (;;) {
    const found: string[] = [];
    const [one, other] = [await ours.next(), await theirs.next()];
    if (one === undefined && other === undefined) return;
    const order = one && other ? compareKeys(one, other, key) : one ? -1 : 1;
    if (order <= 0) ours.take();
    if (order >= 0) theirs.take();
    const isEqual =
      order === 0 &&
      columns.every((column) => {
        const [ours, theirs] = [one![column]!, other![column]!];
        return (
          isSame(ours, theirs) || (FRAGMENTS.includes(column) && haveSameContent(ours, theirs))
        );
      });
    if (!isEqual) found.push(nameOf(label(order <= 0 ? one! : other!), table));
    if (found.length > 0) yield found;
  }
}

/** Of the row of a shard. */
const DERIVED_COLUMNS = ["matches", "players", "teams"];

/** Lists of players and teams have internal numbers: the match says more. */
const nameOf = (label: string, { name }: TableShape): string =>
  name === "player_matches" || name === "team_matches" || name === "matches"
    ? label.split(" ").at(-1)!
    : label;

/** The rows of a table one by one. */
class Rows {
  readonly #steps: AsyncGenerator<StoredRow[]>;
  #rows: StoredRow[] = [];
  #at = 0;
  #isLast = false;

  constructor(state: Pick<StoredState, "rows">, table: TableShape) {
    this.#steps = storedRows(state, table);
  }

  async next(): Promise<StoredRow | undefined> {
    while (this.#at === this.#rows.length && !this.#isLast) {
      const { done, value } = await this.#steps.next();
      this.#isLast = done === true;
      this.#rows = value ?? [];
      this.#at = 0;
    }
    return this.#rows[this.#at];
  }

  take(): void {
    this.#at += 1;
  }
}

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
